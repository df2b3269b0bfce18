"""What it costs to send a value from stage to stage, and what to compute it again instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from surgery.graph import Graph, Module, Ref, runtime_dependent
from surgery.graph.costs import Costs, module_costs, op_flops
from surgery.planning.crossing import Division, default_name, tensor_type

#: Ids that are visited for one plan at most; what is left then has no count.
_MOST_VISITED = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareCost:
    """Both choices for one value that several stages need.

    Attributes:
        name: What it crosses under, or would.
        source: The stage that computes it anyway.
        targets: The stages that need it.
        recomputed: The choice: computed again in ``targets``, else sent to them.
        nbytes: What sending it takes a run, to all targets, in bytes; ``None``: not known.
        ops: How many ops computing it again takes a run, in all targets, with what it depends on.
        flops: Their FLOPs a run; ``None``: not counted.
        folded: Whether a build computes it ahead, so that it costs no FLOP a run.
    """

    ref: Ref
    name: str
    source: int
    targets: tuple[int, ...]
    recomputed: bool
    nbytes: int | None
    ops: int
    flops: int | None
    folded: bool


class Sharing:
    """The costs of both choices for every value that several stages need.

    They are counted when somebody asks, and then kept.

    Args:
        folded: For each stage, whether its build computes ahead what no runtime input changes.
    """

    def __init__(self, module: Module, division: Division, folded: Sequence[bool]) -> None:
        self._module = module
        self._graph: Graph = module.main
        self._division = division
        self._folded = folded
        self._known: dict[int, int | None] = {}

    @cached_property
    def values(self) -> tuple[ShareCost, ...]:
        """Both choices of each value: those that cross in their order, then the others."""
        division, graph = self._division, self._graph
        arriving: list[set[Ref]] = [set() for _ in range(division.count)]
        for crossing in division.crossings:
            for target in crossing.targets:
                arriving[target].add(crossing.ref)
        found: list[ShareCost] = []
        budget = _MOST_VISITED
        for crossing in division.crossings:
            copied: list[int] | None = []
            for target in crossing.targets:
                if budget <= 0 or copied is None:
                    copied = None
                    break
                arriving[target].discard(crossing.ref)
                mine = division.again.closure(target, [crossing.ref.node], arriving[target], set())
                arriving[target].add(crossing.ref)
                budget -= len(mine)
                copied += mine
            found.append(self._cost(crossing.ref, crossing.name, crossing.targets, False, copied))
        targets: dict[Ref, list[int]] = {}
        for stage, refs in enumerate(division.avoided):
            for ref in refs:
                targets.setdefault(ref, []).append(stage)
        for ref, stages in sorted(targets.items()):
            again: list[int] = []
            for stage in stages:
                again += division.again.closure(stage, [ref.node], arriving[stage], set())
            found.append(self._cost(ref, default_name(graph, ref), stages, True, again))
        return tuple(found)

    @cached_property
    def saved_bytes(self) -> int | None:
        """Bytes a run that are not sent, as values are computed again; ``None``: not known."""
        sizes = [v.nbytes for v in self.values if v.recomputed]
        return None if None in sizes else sum(s or 0 for s in sizes)

    @cached_property
    def added_flops(self) -> int | None:
        """FLOPs a run that computing values again adds, each stage's ops once."""
        total = 0
        for stage, again in enumerate(self._division.recomputed):
            flops = self._flops(again, self._folded[stage])
            if flops is None:
                return None
            total += flops
        return total

    @cached_property
    def _depends(self) -> bytearray:
        return runtime_dependent(self._graph)

    def _cost(
        self,
        ref: Ref,
        name: str,
        targets: Sequence[int],
        recomputed: bool,
        copied: Sequence[int] | None,
    ) -> ShareCost:
        graph = self._graph
        size = tensor_type(graph, ref).nbytes if str(graph.type_of(ref)) != "?" else None
        ids = copied or ()
        folds = all(self._folded[t] for t in targets)
        return ShareCost(
            ref=ref,
            name=name,
            source=self._division.stage_of[ref.node],
            targets=tuple(targets),
            recomputed=recomputed,
            nbytes=None if size is None else size * len(targets),
            ops=sum(graph.kinds[i] == "call" for i in ids),
            flops=None if copied is None else self._flops(ids, folds),
            folded=folds and bool(ids) and not any(self._depends[i] for i in ids),
        )

    def _flops(self, ids: Iterable[int], folded: bool) -> int | None:
        total = 0
        for id_ in ids:
            if self._graph.scopes[id_] or (folded and not self._depends[id_]):
                continue
            flops = self._node(id_)
            if flops is None:
                return None
            total += flops
        return total

    def _node(self, id_: int) -> int | None:
        if id_ not in self._known:
            self._known[id_] = self._counted(id_)
        return self._known[id_]

    def _counted(self, id_: int) -> int | None:
        graph = self._graph
        if len(graph.scope_table) > 1 or len(self._module.functions) > 1:
            return None if id_ in self._untyped else self._all.flops[id_]
        return op_flops(graph, id_)[0] if graph.kinds[id_] == "call" else 0

    @cached_property
    def _all(self) -> Costs:
        return module_costs(self._module)

    @cached_property
    def _untyped(self) -> frozenset[int]:
        return frozenset(self._all.untyped)
