"""A graph as matching sees it: each call's operands traced to the calls that compute them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from surgery.graph import Graph, Ref, ancestors
from surgery.graph.ops import ANNOTATION_OPS, PARTITION_MARKS
from surgery.pattern.model import is_outlined

_SEEN_THROUGH = ANNOTATION_OPS - PARTITION_MARKS


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand slot of a call; of a tuple literal that it takes, one slot an element.

    Attributes:
        node: The call, or the tuple literal.
        index: Which operand of ``node``.
        operand: The id there.
        producer: The call that computes it, -1 when it is no call's result.
        path: The field of the producer's result.
        via: Fields and annotations between, from the slot to the producer; a field of a tuple
            literal is the literal's element, which leaves both out.
        holders: Tuple literals between the call and the slot, outermost first.
        blocker: A ``let``, which is not looked through, -1 if there is none.
    """

    node: int
    index: int
    operand: int
    producer: int
    path: tuple[int, ...]
    via: tuple[int, ...]
    holders: tuple[int, ...]
    blocker: int


class View:
    """A graph, what of it is alive, and its calls' operands.

    Attributes:
        results: By node, the tensors of it that are results, each as a reason calls it:
            ``output 1`` when the function returned it before.
    """

    def __init__(
        self,
        graph: Graph,
        outputs: frozenset[Ref],
        ignore_annotations: bool = False,
        names: Mapping[Ref, str] = MappingProxyType({}),
    ) -> None:
        self.graph = graph
        self.ignore_annotations = ignore_annotations
        called = {
            leaf: f"output `{name}` that the spec adds"
            for ref, name in names.items()
            for leaf in graph.leaves(ref)
        }
        called |= {ref: f"output {place}" for place, ref in enumerate(graph.outputs)}
        self.results: dict[int, list[tuple[Ref, str]]] = {}
        leaves = {leaf for ref in outputs for leaf in graph.leaves(ref)}
        for ref in sorted(leaves):
            text = called.get(ref, "an output that the spec adds")
            self.results.setdefault(ref.node, []).append((ref, text))
        self.live = ancestors(graph, self.results)
        # Uses by what no output needs don't count: the compiler drops them.
        uses = [0] * len(graph)
        for id_, operands in enumerate(graph.operands):
            if self.live[id_] and not self.is_element(id_):
                for operand in operands:
                    uses[self.element(operand)] += 1
        self.uses = uses
        self._operands: dict[int, tuple[Operand, ...]] = {}
        self._open_scopes = self._scopes()

    def _scopes(self) -> list[bool]:
        """For each scope whether matching may go into it: not into what was taken out before."""
        graph = self.graph
        if graph.function_attrs.get("Compiler") is not None:
            return [False] * len(graph.scope_table)
        return [
            index == 0 or scope.owner < 0 or not self._closed(index)
            for index, scope in enumerate(graph.scope_table)
        ]

    def _closed(self, scope: int) -> bool:
        while scope:
            entry = self.graph.scope_table[scope]
            if (
                entry.owner >= 0
                and entry.kind == "function"
                and is_outlined(self.graph, entry.owner)
            ):
                return True
            scope = entry.parent
        return False

    @cached_property
    def literal_params(self) -> dict[int, tuple[int, ...]]:
        """The parameters of each function literal, in order."""
        graph = self.graph
        owners = {i: e.owner for i, e in enumerate(graph.scope_table) if e.kind == "function"}
        found: dict[int, list[int]] = {owner: [] for owner in owners.values()}
        for id_, kind in enumerate(graph.kinds):
            if kind == "local" and graph.scopes[id_] in owners:
                found[owners[graph.scopes[id_]]].append(id_)
        return {owner: tuple(params) for owner, params in found.items()}

    def element(self, id_: int) -> int:
        """Return what a field of a tuple literal stands for; any other value is itself."""
        graph = self.graph
        kinds, operands = graph.kinds, graph.operands
        while kinds[id_] == "field":
            path = [graph.fields[id_]]
            at = operands[id_][0]
            while kinds[at] == "field":
                path.append(graph.fields[at])
                at = operands[at][0]
            while kinds[at] == "tuple" and path:
                at = operands[at][path.pop()]
            if path:
                return id_  # a field of an op's result
            id_ = at
        return id_

    def is_element(self, id_: int) -> bool:
        """Return whether a value is a field of a tuple literal: another name of its element."""
        return self.graph.kinds[id_] == "field" and self.element(id_) != id_

    def takers(self, id_: int) -> Iterator[int]:
        """Yield who takes a value; a field of a tuple literal takes only the element that it is."""
        graph = self.graph
        for user in graph.users[id_]:
            if graph.kinds[user] == "tuple":
                if self.uses[user]:
                    yield user
                element = self.element(id_)
                for field in graph.users[user]:
                    if self.is_element(field) and self.element(field) == element:
                        yield field
            elif not self.is_element(user):
                yield user

    def candidates(self) -> list[int]:
        """Return the calls that matching looks at, ascending."""
        graph, live = self.graph, self.live
        scopes = graph.scopes
        return [
            id_
            for id_, kind in enumerate(graph.kinds)
            if kind == "call" and live[id_] and self._open_scopes[scopes[id_]]
        ]

    def operands(self, call: int) -> tuple[Operand, ...]:
        """Return a call's operands."""
        known = self._operands.get(call)
        if known is None:
            known = self._operands[call] = tuple(self._trace(call))
        return known

    def _trace(self, call: int) -> list[Operand]:
        graph = self.graph
        kinds, operands = graph.kinds, graph.operands
        found: list[Operand] = []
        stack: list[tuple[int, int, int, tuple[int, ...], int]] = [
            (call, index, operands[call][index], (), -1)
            for index in reversed(range(len(operands[call])))
        ]
        while stack:
            node, index, at, holders, blocker = stack.pop()
            start = at
            path: tuple[int, ...] = ()
            via: list[int] = []
            while True:
                kind = kinds[at]
                if kind == "field":
                    path = (graph.fields[at], *path)
                    via.append(at)
                    at = operands[at][0]
                elif kind == "let":
                    blocker = at if blocker < 0 else blocker
                    at = operands[at][0]
                elif kind == "tuple" and path:
                    via.pop()
                    at, path = operands[at][path[0]], path[1:]
                elif not path and self.sees_through(at):
                    via.append(at)
                    at = operands[at][0]
                else:
                    break
            if kind == "tuple":
                inner = (*holders, at)
                stack.extend(
                    (at, i, operands[at][i], inner, blocker)
                    for i in reversed(range(len(operands[at])))
                )
                continue
            producer = at if kind == "call" else -1
            found.append(Operand(node, index, start, producer, path, tuple(via), holders, blocker))
        return found

    def sees_through(self, id_: int) -> bool:
        """Return whether a value is an annotation that matching ignores."""
        return (
            self.ignore_annotations
            and self.graph.kinds[id_] == "call"
            and self.graph.ops[id_] in _SEEN_THROUGH
            and len(self.graph.operands[id_]) == 1
        )

    def connects(self, operand: Operand, user: int) -> bool:
        """Return whether a producer and its user can be in one site: one scope, nothing between."""
        if operand.producer < 0 or operand.blocker >= 0:
            return False
        scopes = self.graph.scopes
        scope = scopes[user]
        return all(scopes[n] == scope for n in (operand.producer, *operand.via, *operand.holders))

    def is_sole(self, operand: Operand) -> bool:
        """Return whether this slot is the only use of the value, all the way to its producer."""
        uses, outputs = self.uses, self.results
        return (
            uses[operand.producer] == 1
            and operand.producer not in outputs
            and all(uses[n] == 1 and n not in outputs for n in operand.via)
            and all(uses[n] == 1 and n not in outputs for n in operand.holders)
        )

    def op_label(self, id_: int) -> str:
        """Return ``%3 (nn.relu)``, or how else a value is called."""
        graph = self.graph
        label = graph.label(id_)
        match graph.kinds[id_]:
            case "call":
                op = graph.ops[id_]
                if op == "fn" or op[:1] == "@":
                    return f"{label} (a call of {'a function' if op == 'fn' else op})"
                if label == op and graph.scopes[id_]:
                    # The result of a branch has no number: its op stands for it.
                    kind = graph.scope_table[graph.scopes[id_]].kind
                    return f"{label} in a {'function' if kind == 'function' else 'branch'}"
                return f"{label} ({op})"
            case "input":
                return f"{label} (an input)"
            case "param":
                return f"{label} (a weight)"
            case "constant":
                return label if label.startswith("constant") else f"{label} (a constant)"
            case "local":
                return f"{label} (a parameter)"
            case "if":
                return f"{label} (an if)"
            case _:
                return label
