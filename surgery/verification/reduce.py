"""The smallest part of a graph that still has a property, by asking for one part after another.

First outputs are left out, then the end and the beginning of the graph, each by halving; what is
left is made smaller by delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating
Failure-Inducing Input", 2002): groups of ops are taken out, halves first, single ops last, until
none can be. An op is taken out in three ways: its results are given as inputs; one of its operands
stands for its result; its results are given, and what it read is an output in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from surgery.graph import Graph, Ref, TensorType
from surgery.verification.matching import COMPUTED

#: Whether a part still has the property.
Holds = Callable[["Part"], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of a graph's ops.

    Attributes:
        outputs: What is computed, in order.
        given: Tensors that are inputs instead of being computed.
        same: Tensors for which an earlier one stands.
    """

    outputs: tuple[Ref, ...]
    given: frozenset[Ref] = frozenset()
    same: frozenset[tuple[Ref, Ref]] = frozenset()

    def stands_for(self) -> dict[Ref, Ref]:
        """Return ``same`` as a mapping."""
        return dict(self.same)


class Spent(Exception):
    """No more parts may be asked for."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a part consists of.

    Attributes:
        ops: Ids of its ops, ascending.
        inputs: The tensors it starts from: given ones, and runtime inputs of the graph.
        part: The part without what has no effect on it.
    """

    ops: tuple[int, ...]
    inputs: tuple[Ref, ...]
    part: Part


def walk(graph: Graph, part: Part) -> Walk:
    """Follow a part from its outputs back to what it starts from."""
    same = part.stands_for()
    used: set[tuple[Ref, Ref]] = set()
    inputs: set[Ref] = set()
    seen: set[int] = set()
    pending = list(part.outputs)
    while pending:
        ref = pending.pop()
        while ref not in part.given and ref in same:
            used.add((ref, same[ref]))
            ref = same[ref]
        if ref in part.given or graph.kinds[ref.node] == "input":
            inputs.add(ref)
        elif ref.node not in seen:
            seen.add(ref.node)
            pending += operands(graph, ref.node)
    ops = tuple(sorted(i for i in seen if _is_op(graph, i)))
    kept = Part(
        outputs=part.outputs,
        given=frozenset(r for r in inputs if r in part.given),
        same=frozenset(used),
    )
    return Walk(ops=ops, inputs=tuple(sorted(inputs)), part=kept)


def operands(graph: Graph, node: int) -> list[Ref]:
    """Return the tensors an op reads, tuples taken apart."""
    return [r for o in graph.operands[node] for r in graph.leaves(graph.resolve(o))]


def _is_op(graph: Graph, id_: int) -> bool:
    return graph.kinds[id_] in COMPUTED and not graph.scopes[id_]


@dataclass(slots=True)
class Reduction:
    """The search; ``best`` is the smallest part so far that has the property.

    Attributes:
        asked: How often :attr:`holds` was called.
    """

    graph: Graph
    holds: Holds
    best: Part = field(init=False)
    asked: int = 0
    _known: dict[Part, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        outputs = tuple(dict.fromkeys(self.graph.outputs))
        self.best = walk(self.graph, Part(outputs=outputs)).part
        self._known[self.best] = True

    @property
    def ops(self) -> int:
        """How many ops the best part has."""
        return len(walk(self.graph, self.best).ops)

    def run(self) -> bool:
        """Search; return whether no op can be taken out of ``best`` any more (or it was stopped).

        The whole graph is taken to have the property.
        """
        try:
            self._fewer_outputs()
            self._cut_the_end()
            self._fewer_outputs()
            self._cut_the_beginning()
            while True:
                before = self.best
                self._take_out(self._operand_instead)
                self._take_out(self._without)
                self._take_out(self._apart)
                self._fewer_outputs()
                if self.best == before:
                    return True
        except Spent:
            return False

    # -- asking

    def _try(self, part: Part) -> bool:
        """Take a part if it has the property and is smaller, or as small with fewer outputs."""
        found = walk(self.graph, part)
        if not part.outputs or not found.ops:
            return False
        if found.part not in self._known:
            self.asked += 1
            self._known[found.part] = self.holds(found.part)
        if not self._known[found.part]:
            return False
        now = walk(self.graph, self.best)
        if (len(found.ops), len(part.outputs)) < (len(now.ops), len(self.best.outputs)):
            self.best = found.part
        return True

    # -- steps

    def _fewer_outputs(self) -> None:
        size = len(self.best.outputs) // 2
        while size:
            outputs = self.best.outputs
            for start in range(0, len(outputs), size):
                gone = set(outputs[start : start + size])
                left = tuple(r for r in self.best.outputs if r not in gone)
                if left and len(left) < len(self.best.outputs):
                    self._try(replace(self.best, outputs=left))
            size = min(size // 2, len(self.best.outputs) // 2) if size > 1 else 0

    def _cut_the_end(self) -> None:
        """Find the shortest beginning that has the property, as if a longer one always had it."""
        ops = walk(self.graph, self.best).ops
        whole = self.best
        low, high = 0, len(ops)  # the first `high` ops have it
        while high - low > 1:
            middle = (low + high) // 2
            outputs = self._frontier(ops[:middle], ops[middle:], whole)
            if self._try(replace(whole, outputs=outputs)):
                high = middle
            else:
                low = middle

    def _cut_the_beginning(self) -> None:
        ops = walk(self.graph, self.best).ops
        whole = self.best
        low, high = 0, len(ops)  # without the first `low` ops it still has it
        while high - low > 1:
            middle = (low + high) // 2
            if self._try(self._without(whole, ops[:middle])):
                low = middle
            else:
                high = middle

    def _take_out(self, changed: Callable[[Part, Sequence[int]], Part | None]) -> None:
        """Take groups of ops out, halves first, until no single one can be taken out."""
        size = max(1, len(walk(self.graph, self.best).ops) // 2)
        while True:
            taken = False
            ops = walk(self.graph, self.best).ops
            for start in range(len(ops), 0, -size):
                left = set(walk(self.graph, self.best).ops)
                group = [i for i in ops[max(0, start - size) : start] if i in left]
                part = changed(self.best, group) if group else None
                if part is not None:
                    before = self.best
                    self._try(part)
                    taken |= self.best != before
            if size > 1:
                size //= 2
            elif not taken:
                return

    def _without(self, part: Part, group: Sequence[int]) -> Part:
        """Return a part with what some of its ops compute given; outputs among that are dropped."""
        inside = set(group)
        outputs = tuple(r for r in part.outputs if self._stands(part, r).node not in inside)
        rest = [i for i in walk(self.graph, part).ops if i not in inside]
        given = self._frontier(group, rest, replace(part, outputs=outputs))
        return Part(outputs=outputs, given=part.given | set(given), same=part.same)

    def _apart(self, part: Part, group: Sequence[int]) -> Part | None:
        """Return a part that computes what comes before some of its ops, and what comes after."""
        made = self._without(part, group)
        inside = set(group)
        before = [i for i in walk(self.graph, part).ops if i not in inside]
        read = self._frontier(before, group, replace(part, outputs=()))
        return replace(made, outputs=tuple(dict.fromkeys((*made.outputs, *read))))

    def _operand_instead(self, part: Part, group: Sequence[int]) -> Part | None:
        """Return a part where of each op an operand of the same type stands for its result."""
        same = part.stands_for()
        for id_ in group:
            own = Ref(id_)
            type_ = self.graph.type_of(own)
            if not isinstance(type_, TensorType):
                continue
            for operand in operands(self.graph, id_):
                kind = self.graph.kinds[operand.node]
                if kind not in ("constant", "param") and self.graph.type_of(operand) == type_:
                    same[own] = operand
                    break
        if len(same) == len(part.same):
            return None
        return replace(part, same=frozenset(same.items()))

    # -- what lies between ops

    def _stands(self, part: Part, ref: Ref) -> Ref:
        same = part.stands_for()
        while ref not in part.given and ref in same:
            ref = same[ref]
        return ref

    def _frontier(
        self, computed: Iterable[int], reading: Iterable[int], part: Part
    ) -> tuple[Ref, ...]:
        """Return the tensors of some ops that others read, or that are outputs of the part."""
        inside = set(computed)
        same = part.stands_for()
        found: dict[Ref, None] = {}

        def look(ref: Ref) -> None:
            while ref not in part.given and ref in same:
                ref = same[ref]
            if ref.node in inside and ref not in part.given:
                found[ref] = None

        for id_ in reading:
            for operand in operands(self.graph, id_):
                look(operand)
        for ref in part.outputs:
            look(ref)
        tensors = (r for r in found if isinstance(self.graph.type_of(r), TensorType))
        return tuple(sorted(tensors))


def names_of(graph: Graph, refs: Sequence[Ref]) -> Mapping[Ref, str]:
    """Return a name for each tensor that is to be an input: its own, or one made of its label."""
    taken = {graph.names[p] or "" for p in graph.params}
    found: dict[Ref, str] = {}
    for ref in refs:
        own = graph.names[ref.node] if graph.kinds[ref.node] == "input" else None
        name = own if own and not ref.path else ""
        if not name:
            text = graph.label(ref).lstrip("%").replace(".", "_")
            name = text if text.isidentifier() else f"v{text}"
            while name in taken:
                name += "_"
        taken.add(name)
        found[ref] = name
    return found
