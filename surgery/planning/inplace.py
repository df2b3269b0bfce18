"""``inplace(x)``: where a kernel may overwrite an operand, proven by liveness.

The buffer must be one that nothing reads once the kernel has run: not the caller's (inputs,
weights, outputs, what crosses a cut), not one that the compiler may share with another value
(reshapes, a constant it folds, a value computed twice that it keeps once).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from surgery.graph import Graph, Ref, runtime_dependent
from surgery.planning.merging import Dependencies
from surgery.planning.sites import Site, Slot

#: Ops whose result may be their operand's own buffer.
_ALIASES = frozenset({
    "reshape", "expand_dims", "squeeze", "nn.batch_flatten", "reshape_like", "copy",
    "contrib_reverse_reshape", "dyn.reshape", "dyn.expand_dims", "dyn.squeeze", "device_copy",
    "annotation.stop_fusion", "annotation.cast_hint", "annotation.checkpoint", "on_device",
    "nn.dropout", "memory.alloc_tensor", "vm.reshape_tensor",
})  # fmt: skip
#: How many values are looked at to prove that a reader runs before the kernel.
_FAR = 2000


class Liveness:
    """Who reads what in one function.

    Attributes:
        outputs: The tensors that the function returns.
        stage_of: The stage of each node, for ``@main``.
    """

    def __init__(
        self, deps: Dependencies, outputs: frozenset[Ref], stage_of: Sequence[int] | None
    ) -> None:
        self.graph: Graph = deps.graph
        self.deps = deps
        self.outputs = outputs
        self.stage_of = stage_of

    @cached_property
    def _readers(self) -> dict[int, list[tuple[int, Ref]]]:
        readers: dict[int, list[tuple[int, Ref]]] = {}
        for node, reads in enumerate(self.deps.reads):
            for ref in reads:
                readers.setdefault(ref.node, []).append((node, ref))
        return readers

    @cached_property
    def _runtime(self) -> bytearray:
        return runtime_dependent(self.graph)

    @cached_property
    def _twins(self) -> dict[int, int]:
        """For each node that may compute the same as an earlier one: that one; and back."""
        number: list[int] = []
        known: dict[object, int] = {}
        twins: dict[int, int] = {}
        for node, reads in enumerate(self.deps.reads):
            key: object = node
            if self.graph.kinds[node] == "call":
                key = (self.graph.ops[node], tuple((number[r.node], r.path) for r in reads))
            first = known.setdefault(key, node)
            number.append(first)
            if first != node:
                twins[node] = first
                twins.setdefault(first, node)
        return twins

    def refuse(self, site: Site, name: str) -> str:
        """Return why a capture's buffer can't be overwritten at a site; '' when it can."""
        mine = [s for s in site.slots if s.name == name]
        if not mine:
            return "it is no operand of the kernel"
        value = mine[0].value
        graph = self.graph
        label = graph.label(value)
        kind = graph.kinds[value.node]
        if kind == "input":
            return f"{label} is an input: its buffer is the caller's"
        if kind in ("param", "constant"):
            return f"{label} is a {'weight' if kind == 'param' else 'constant'}"
        op = graph.ops[value.node]
        if kind != "call" or op == "fn" or op[:1] == "@":
            return f"{label} is the result of {op or kind}, which may hand on another value"
        if op in _ALIASES:
            return f"{label} may share its buffer with the operand of {op}"
        if not self._runtime[value.node]:
            return f"{label} depends on no input: the compiler makes it a constant"
        if graph.type_of(value) not in [graph.type_of(r) for r in site.outputs]:
            return f"{label}: {graph.type_of(value)} is not of the result's type"
        if graph.scopes[value.node] != graph.scopes[site.ops[0]]:
            return f"{label} is computed outside the branch"
        if self.stage_of is not None and self.stage_of[value.node] != site.stage:
            return f"{label} crosses a cut: it is an input of its stage"
        twin = self._twins.get(value.node)
        if twin is not None:
            return f"{graph.label(twin)} may be the same value, kept once"
        return self._other_readers(site, value, mine)

    def _other_readers(self, site: Site, value: Ref, mine: Sequence[Slot]) -> str:
        graph = self.graph
        inside = frozenset(site.ops)
        label = graph.label(value)
        own = {(s.node, s.operand) for s in mine}
        reasons: list[str] = []
        for slot in site.slots:
            if slot.value == value and (slot.node, slot.operand) not in own:
                reasons.append(
                    f"is also operand {slot.operand} of "
                    f"{graph.ops[slot.node] or graph.kinds[slot.node]} in the kernel"
                )
        if any(r.node == value.node and _overlap(r, value) for r in self.outputs):
            reasons.append("is also an output")
        if reasons:
            return f"{label} {' and '.join(reasons)}"
        later: list[int] = []
        stack = [value]
        seen: set[Ref] = set()
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            for ref in self.outputs:
                if ref.node == at.node and _overlap(ref, at):
                    return f"{label} is also an output (as {graph.label(at)})"
            for reader, ref in self._readers.get(at.node, ()):
                if not _overlap(ref, at):
                    continue
                if reader in inside:
                    if at != value:
                        return f"{graph.label(at)} shares its buffer and is read in the kernel too"
                    continue
                if graph.kinds[reader] != "call":
                    return f"{label} is also used by {graph.label(reader)}"
                later.append(reader)
                if graph.ops[reader] in _ALIASES:
                    stack.append(Ref(reader))
        late = self._not_before(site, later)
        if late is None:
            return ""
        return f"{label} is also read by {graph.label(late)} ({graph.ops[late]})"

    def _not_before(self, site: Site, readers: Sequence[int]) -> int | None:
        """Return a reader that isn't sure to run before the site, if there is one."""
        left = set(readers)
        if not left:
            return None
        first = min(left)
        stack = [s.value.node for s in site.slots]
        seen: set[int] = set()
        while stack and left and len(seen) < _FAR:
            node = stack.pop()
            if node in seen or node < first:
                continue
            seen.add(node)
            left.discard(node)
            stack.extend(r.node for r in self.deps.reads[node])
        return min(left) if left else None


def _overlap(one: Ref, other: Ref) -> bool:
    shared = min(len(one.path), len(other.path))
    return one.path[:shared] == other.path[:shared]
