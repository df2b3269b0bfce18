"""What crosses from stage to stage, what each stage reads, and under which names.

Liveness over the graph in dependency order. Every tensor that a stage computes and a later stage
needs is found whoever needs it; tuples cross as the fields that are used; weights and constants
never cross: each stage has its own.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from surgery.diagnostics import error
from surgery.graph import Graph, Ref, TensorType, runtime_dependent
from surgery.planning.model import Crossing, Output

#: What a stage computes; all else is a leaf or is rebuilt wherever it is needed.
COMPUTING = frozenset({"call", "if", "opaque", "function", "global"})

#: Stands for a tensor type that a listing without types doesn't tell.
UNTYPED = TensorType(("?",), "?")


@dataclass(slots=True, kw_only=True)
class Division:
    """How a graph is divided.

    Attributes:
        count: Number of stages.
        stage_of: Stage of each node; -1 for leaves, structure and what no output needs.
        nodes: For each stage the ids it computes itself, ascending.
        recomputed: For each stage the ids it computes although an earlier stage does too.
        leaves: For each stage the function parameters it reads, ascending.
        crossings: What crosses, by (source stage, id, path).
        avoided: What would cross into each stage, but is computed again there.
        again: Finds what a stage would have to compute to need no transfer of a value.
    """

    count: int
    stage_of: array[int]
    nodes: list[list[int]]
    recomputed: list[list[int]]
    leaves: list[set[int]]
    again: Recomputation
    crossings: tuple[Crossing, ...] = ()
    avoided: list[list[Ref]] = field(default_factory=list)


def divide(
    graph: Graph,
    stage_of: array[int],
    count: int,
    outputs: Sequence[Output],
    *,
    recompute: frozenset[int] = frozenset(),
    embedded: frozenset[tuple[int, int]] = frozenset(),
    together: Sequence[tuple[int, ...]] = (),
    reserved: Iterable[str] = (),
) -> Division:
    """Find what each stage computes, reads and passes on.

    Args:
        recompute: Ids that consumer stages compute again instead of receiving.
        embedded: ``(node, operand index)`` uses of weights that an offload region holds inside.
        together: The ids of each offload region: one call computes all of them or none.
        reserved: Names that crossing values must not take (inputs, weights).
    """
    needs = _needs(graph, stage_of, count, embedded)
    own: list[list[int]] = [[] for _ in range(count)]
    for id_, stage in enumerate(stage_of):
        if stage >= 0 and not graph.scopes[id_]:
            own[stage].append(id_)
    again = Recomputation(graph, stage_of, embedded, together)
    division = Division(
        count=count,
        again=again,
        avoided=[[] for _ in range(count)],
        stage_of=stage_of,
        nodes=own,
        recomputed=[[] for _ in range(count)],
        leaves=needs.leaves,
    )
    if recompute:
        again.run(needs, division, recompute)
    for output in outputs:
        check_tensor(graph, output.ref)
    division.crossings = _crossings(graph, stage_of, needs, outputs, reserved)
    return division


@dataclass(slots=True)
class _Needs:
    """What each stage takes: tensors of other stages (with the ops that use them), and leaves."""

    tensors: list[dict[Ref, list[int]]]
    leaves: list[set[int]]


def _needs(
    graph: Graph, stage_of: Sequence[int], count: int, embedded: frozenset[tuple[int, int]]
) -> _Needs:
    needs = _Needs([{} for _ in range(count)], [set() for _ in range(count)])
    for id_, stage in enumerate(stage_of):
        if stage < 0 or all(stage_of[o] == stage for o in graph.operands[id_]):
            continue
        for leaf in _reads(graph, id_, embedded):
            kind = graph.kinds[leaf.node]
            if kind in ("input", "param"):
                needs.leaves[stage].add(leaf.node)
            elif kind not in ("constant", "local") and stage_of[leaf.node] != stage:
                users = needs.tensors[stage].setdefault(leaf, [])
                if not users or users[-1] != id_:
                    users.append(id_)
    return needs


def _reads(graph: Graph, id_: int, embedded: frozenset[tuple[int, int]]) -> Iterator[Ref]:
    """Yield the tensors that an op reads, seen through tuples, fields and lets."""
    pending = [id_]
    while pending:
        node = pending.pop()
        for slot, operand in enumerate(graph.operands[node]):
            if embedded and (node, slot) in embedded:
                continue
            if embedded and graph.kinds[operand] == "tuple":
                pending.append(operand)
            else:
                yield from graph.leaves(Ref(operand))


class Recomputation:
    """Replaces transfers of chosen values by their computation in the consumer stage.

    What a recomputed value itself depends on is recomputed too, but for what crosses into that
    stage anyway.
    """

    def __init__(
        self,
        graph: Graph,
        stage_of: Sequence[int],
        embedded: frozenset[tuple[int, int]],
        together: Sequence[tuple[int, ...]],
    ) -> None:
        self.graph = graph
        self.stage_of = stage_of
        self.embedded = embedded
        self.companions = {n: ids for ids in together for n in ids if graph.kinds[n] in COMPUTING}
        self.inside: dict[int, list[int]] = {}
        if len(graph.scope_table) > 1:
            for id_, scope in enumerate(graph.scopes):
                if scope:
                    self.inside.setdefault(graph.owner(id_), []).append(id_)

    def run(self, needs: _Needs, division: Division, chosen: frozenset[int]) -> None:
        graph = self.graph
        for stage in range(division.count):
            wanted = needs.tensors[stage]
            again = [r for r in wanted if r.node in chosen]
            if not again:
                continue
            for ref in again:
                del wanted[ref]
            copied = self.closure(stage, [r.node for r in again], wanted, needs.leaves[stage])
            # A ref that another field of a recomputed node carries needs no transfer either.
            also = [r for r in wanted if r.node in copied]
            for ref in also:
                del wanted[ref]
            division.avoided[stage] = sorted([*again, *also])
            division.recomputed[stage] = sorted(i for i in copied if not graph.scopes[i])
            division.nodes[stage] = sorted([*division.nodes[stage], *division.recomputed[stage]])

    def closure(
        self, stage: int, roots: Sequence[int], wanted: Container[Ref], leaves: set[int]
    ) -> set[int]:
        """Return the ids that a stage has to compute itself for some values.

        Args:
            wanted: Tensors that the stage gets from others anyway.
            leaves: Takes the function parameters that it then reads.
        """
        graph = self.graph
        copied: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node in copied:
                continue
            copied.add(node)
            stack.extend(n for n in self.companions.get(node, ()) if n in self.companions)
            for inner in (node, *self.inside.get(node, ())):
                copied.add(inner)
                for leaf in _reads(graph, inner, self.embedded):
                    kind = graph.kinds[leaf.node]
                    if kind in ("input", "param"):
                        leaves.add(leaf.node)
                    elif (
                        kind not in ("constant", "local")
                        and leaf not in wanted
                        and self.stage_of[leaf.node] != stage
                        and graph.owner(leaf.node) != node
                    ):
                        stack.append(leaf.node)
        return copied


def check_tensor(graph: Graph, ref: Ref) -> None:
    type_ = graph.type_of(ref)
    if not isinstance(type_, TensorType) and str(type_) != "?":
        raise error(
            "S274",
            f"{graph.label(ref)} is no tensor: its type is {type_}",
            reason="Only tensors can be outputs or pass from one stage to another.",
            remedy="choose a value whose type is a tensor",
        )


def tensor_type(graph: Graph, ref: Ref) -> TensorType:
    """Return a tensor's type, or :data:`UNTYPED` where the listing doesn't tell."""
    type_ = graph.type_of(ref)
    return type_ if isinstance(type_, TensorType) else UNTYPED


def _crossings(
    graph: Graph,
    stage_of: Sequence[int],
    needs: _Needs,
    outputs: Sequence[Output],
    reserved: Iterable[str],
) -> tuple[Crossing, ...]:
    targets: dict[Ref, dict[int, list[int]]] = {}
    for stage, tensors in enumerate(needs.tensors):
        for ref, users in tensors.items():
            targets.setdefault(ref, {})[stage] = users
    if not targets:
        return ()
    named = {o.ref: o.name for o in reversed(outputs)}
    taken = {o.name for o in outputs} | set(reserved)
    depends = runtime_dependent(graph)
    found: list[Crossing] = []
    for ref in sorted(targets, key=lambda r: (stage_of[r.node], r)):
        check_tensor(graph, ref)
        name = named.get(ref) or unique_name(default_name(graph, ref), taken)
        taken.add(name)
        uses = sorted({u for users in targets[ref].values() for u in users})
        found.append(
            Crossing(
                ref=ref,
                name=name,
                type=tensor_type(graph, ref),
                source=stage_of[ref.node],
                targets=tuple(sorted(targets[ref])),
                uses=tuple(uses),
                runtime_dependent=bool(depends[ref.node]),
            )
        )
    return tuple(found)


def default_name(graph: Graph, ref: Ref) -> str:
    """Return the name a value crosses under when the spec gives it none: its source name."""
    base = graph.names[ref.node]
    if not base:
        number = graph.numbers[ref.node]
        base = f"v{number}" if number is not None else f"value{ref.node}"
    return base + "".join(f".{i}" for i in ref.path)


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return ``name``, or the first of ``name_1``, ``name_2``, ... that is free."""
    used = taken if isinstance(taken, (set, frozenset, dict)) else set(taken)
    if name not in used:
        return name
    number = 1
    while f"{name}_{number}" in used:
        number += 1
    return f"{name}_{number}"
