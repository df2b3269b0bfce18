"""From `cut into N stages by ...` to places: what is counted, what may be divided, what is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error
from surgery.graph import Graph, Module, Resolved, TensorType, runtime_dependent
from surgery.graph.costs import Costs, module_costs
from surgery.planning.balance import SINGLE_OPS, SLACK, Choice, capacity, choose, stage_edges
from surgery.planning.crossing import Division
from surgery.planning.cuts import CutRequest
from surgery.planning.fusion import fused_groups
from surgery.planning.line import Line, make_line
from surgery.planning.model import Alternative, Balance, BuildPlan, Place
from surgery.planning.timing import Timer, Timings
from surgery.syntax.ast import CutInto

#: Stages times places from which weighing takes too long.
_MOST = 20_000_000
#: How many values are named in a message.
_SHOWN = 4
#: How many other ways a plan lists.
_ALTERNATIVES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CutIntoRequest:
    """One ``cut into`` statement.

    Attributes:
        index: Index of the statement.
        within: What its ``within`` picked; ``None`` where it has none.
    """

    index: int
    statement: CutInto
    text: str
    within: tuple[Resolved, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """The cuts of the whole spec, and how they came about.

    Attributes:
        cuts: The spec's own cuts and the chosen ones, in order.
        balance: What is told of it; its ``costs`` are those of the line.
        run_costs: What each node of the body costs a run.
    """

    cuts: tuple[CutRequest, ...]
    balance: Balance
    run_costs: Sequence[int]

    def told(self, division: Division) -> Balance:
        """Return what is told of it, with what each stage computes again."""
        costs = tuple(sum(self.run_costs[n] for n in nodes) for nodes in division.nodes)
        return replace(self.balance, costs=costs)


def folds(opt_level: int, disable: Sequence[str]) -> bool:
    """Return whether a build computes ahead what depends on weights and constants only."""
    return opt_level >= 2 and "FoldConstant" not in disable


def balance_cuts(
    module: Module,
    request: CutIntoRequest,
    fixed: Sequence[CutRequest],
    stage_of: Sequence[int],
    build: BuildPlan,
    found: Collector,
    *,
    recompute: frozenset[int] = frozenset(),
    sites: Sequence[tuple[int, ...]] = (),
    timer: Timer | None = None,
) -> Balanced:
    """Choose where a ``cut into`` cuts.

    Args:
        fixed: The spec's own cuts, which stay; they count among the N - 1.
        stage_of: The stage these give each live node of ``@main`` (-1 for others).
        found: Takes what is worth noting.
        recompute: Ids whose values are computed again rather than sent.
        sites: Ids of each offload site of ``@main``: none may be divided.
        timer: Measures ops; ``None`` where there is no compiler.

    Raises:
        SurgeryError: S275 a cost can't be known, S276 there are not so many places, S279 nothing
            can be measured here.
    """
    return _Balancing(module, request, fixed, stage_of, build, found, recompute, sites, timer).run()


class _Balancing:
    def __init__(
        self,
        module: Module,
        request: CutIntoRequest,
        fixed: Sequence[CutRequest],
        stage_of: Sequence[int],
        build: BuildPlan,
        found: Collector,
        recompute: frozenset[int],
        sites: Sequence[tuple[int, ...]],
        timer: Timer | None,
    ) -> None:
        self.module = module
        self.graph: Graph = module.main
        self.request = request
        self.statement = request.statement
        self.fixed = fixed
        self.stage_of = stage_of
        self.build = build
        self.found = found
        self.recompute = recompute
        self.sites = sites
        self.timer = timer
        self.depends = runtime_dependent(self.graph)
        self.folded = folds(build.opt_level, build.disable)
        self.notes: list[str] = []
        self.unknown: tuple[str, ...] = ()

    def run(self) -> Balanced:
        costs = module_costs(self.module)
        self._require_types(costs)
        groups: list[tuple[int, ...]] = []
        if self.statement.by == "time":
            groups = fused_groups(self.graph, self._live())
            run_costs = self._times(groups, costs)
        else:
            run_costs = self._counted(costs)
        line = make_line(
            self.graph, self.stage_of, self.depends, run_costs,
            recompute=self.recompute, whole=[*self.sites, *groups], allowed=self._within(groups),
        )  # fmt: skip
        self._require_places(line)
        choice = choose(line, self.statement.stages - self._outside(line))
        return Balanced(
            cuts=self._cuts(line, choice), balance=self._told(line, choice), run_costs=run_costs
        )

    def _fault(self, code: str, message: str, reason: str, remedy: str) -> SurgeryError:
        return error(
            code, f"`{self.request.text}`: {message}", self.statement.span,
            reason=reason, remedy=remedy,
        )  # fmt: skip

    def _live(self) -> list[int]:
        """Return the ids of the body that run at every run."""
        graph = self.graph
        return [
            i
            for i, stage in enumerate(self.stage_of)
            if stage >= 0 and not graph.scopes[i] and (self.depends[i] or not self.folded)
        ]

    # -- costs

    def _require_types(self, costs: Costs) -> None:
        graph = self.graph
        vague = [i for i in costs.untyped if self.stage_of[i] >= 0]
        if not vague:
            return
        shown = ", ".join(
            f"{graph.label(i)} ({graph.ops[i]}: {graph.types[i]})" for i in vague[:_SHOWN]
        )
        more = f" and {len(vague) - _SHOWN} more" if len(vague) > _SHOWN else ""
        open_inputs = [
            graph.names[p] or ""
            for p in graph.params
            if isinstance(t := graph.types[p], TensorType) and not t.is_static
        ]
        if any(str(graph.types[i]) == "?" for i in vague):
            remedy = "give the model as TVM JSON, or print it with its types"
        elif open_inputs:
            remedy = f"give the inputs a shape: `bind {open_inputs[0]}: float32(1,128)`"
        else:
            remedy = "choose the places yourself with `cut after S`"
        raise self._fault(
            "S275",
            "what the ops cost is not known",
            f"Costs come from static shapes; {shown}{more} have none.",
            remedy,
        )

    def _counted(self, costs: Costs) -> list[int]:
        self.unknown = tuple(costs.unknown)
        if self.unknown:
            self.found.add(
                Diagnostic(
                    code="S278",
                    severity="note",
                    message=f"the cost of {', '.join(self.unknown)} is not known",
                    span=self.statement.span,
                    reason="An op without a count is taken as one FLOP an element of its result; "
                    "what is no op counts as nothing.",
                    remedy="`cut into ... by time` measures",
                )
            )
        measure = "bytes" if self.statement.by == "bytes" else "flops"
        counts = costs.of("bytes" if measure == "bytes" else "flops")
        return [c if self.depends[i] or not self.folded else 0 for i, c in enumerate(counts)]

    def _times(self, groups: Sequence[tuple[int, ...]], costs: Costs) -> list[int]:
        if self.timer is None:
            raise self._fault(
                "S279",
                "nothing can be measured without TVM",
                "The model is a listing, or TVM is not installed.",
                "balance by flops or bytes, or give the model as TVM JSON where TVM is installed",
            )
        try:
            times = self.timer(groups, self.build)
        except SurgeryError as failure:
            raise SurgeryError(
                [replace(d, span=d.span or self.statement.span) for d in failure.diagnostics]
            ) from failure
        if len(times.reasons) == len(groups) > 0:
            raise self._fault(
                "S279",
                "no group of ops could be measured",
                times.reasons[0],
                "balance by flops or bytes, or see whether `surgery build` compiles the model",
            )
        spent = [0] * len(self.graph)
        rate = self._rate(groups, times, costs)
        for group, measured in zip(groups, times.nanoseconds, strict=True):
            flops = sum(costs.flops[i] for i in group)
            spent[group[-1]] = round(flops * rate) if measured is None else measured
        why: dict[str, list[str]] = {}
        for at, reason in times.reasons.items():
            why.setdefault(reason, []).append(self.graph.label(groups[at][-1]))
        for reason, labels in list(why.items())[:_SHOWN]:
            more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
            self.notes.append(f"not measured: {', '.join(labels[:_SHOWN])}{more}: {reason}")
        return spent

    def _rate(self, groups: Sequence[tuple[int, ...]], times: Timings, costs: Costs) -> float:
        """Return nanoseconds a FLOP over all that was measured (1 when nothing was)."""
        known = [
            (sum(costs.flops[i] for i in g), t)
            for g, t in zip(groups, times.nanoseconds, strict=True)
            if t is not None
        ]
        missing = len(groups) - len(known)
        self.notes.append(
            f"{len(groups)} groups of ops, {times.measured + times.cached} of them distinct: "
            f"measured on {times.conditions}"
        )
        self.notes.extend(times.notes)
        flops = sum(f for f, _ in known)
        if missing:
            self.notes.append(
                f"{missing} of them can't be measured alone and are estimated from their FLOPs"
            )
        return sum(t for _, t in known) / flops if flops else 1.0

    # -- places

    def _within(self, groups: Sequence[tuple[int, ...]]) -> list[int] | None:
        """Return the ids that `within` allows; of a fused group the last stands for all."""
        within = self.request.within
        if within is None:
            return None
        graph = self.graph
        last = {i: group[-1] for group in groups for i in group}
        picked = (
            graph.owner(graph.resolve(r.ref.node).node)
            for r in within
            if r.function == graph.function
        )
        return [last.get(i, i) for i in picked]

    def _outside(self, line: Line) -> int:
        """Return how many of the spec's own stages hold nothing of the line."""
        return len(self.fixed) + 1 - len(set(line.segments))

    def _require_places(self, line: Line) -> None:
        stages = self.statement.stages
        if not sum(line.costs):
            raise self._fault(
                "S276",
                "there is nothing to balance",
                f"No op of the model costs anything by {self.statement.by}.",
                "choose the places yourself with `cut after S`",
            )
        asked = len(self.fixed) + 1
        if stages < asked:
            raise self._fault(
                "S276",
                f"the spec's own cuts make {asked} stages already",
                "The cuts that the spec names count among those of `cut into`.",
                f"write `cut into {asked} stages` or more, or leave the other cuts out",
            )
        most = capacity(line) + self._outside(line)
        if stages > most:
            raise self._too_many(line, most)
        if stages * len(line.nodes) > _MOST:
            raise self._fault(
                "S276",
                f"{stages} stages of {len(line.nodes)} ops are too many to weigh",
                f"At most {_MOST // len(line.nodes)} stages are weighed for so many ops.",
                "ask for fewer stages",
            )

    def _too_many(self, line: Line, most: int) -> SurgeryError:
        free = capacity(
            make_line(self.graph, self.stage_of, self.depends, _spread(line, len(self.graph)))
        ) + self._outside(line)
        remedy = f"ask for at most {most} stages" if most > 1 else "leave `cut into` out"
        if self.request.within is not None:
            reason = "Every stage has to cost something; a place has to be after an op of `within`."
            remedy += ", or widen `within`"
        elif free > most and self.sites:
            reason = "No cut may divide an offload site" + (
                " or a group of ops that TVM fuses." if self.statement.by == "time" else "."
            )
            remedy += ", or offload less"
        elif free > most:
            reason = "No cut may divide a group of ops that TVM fuses, or pass what is no tensor."
        else:
            reason = (
                "Every stage has to hold an op that costs something; a branch of an `if` and the "
                "inside of a function can't be divided."
            )
        return self._fault(
            "S276",
            f"there are places for {most} stage{'' if most == 1 else 's'} only",
            reason,
            remedy,
        )

    # -- what came of it

    def _cuts(self, line: Line, choice: Choice) -> tuple[CutRequest, ...]:
        fixed, segments = self.fixed, line.segments
        found = list(fixed[: segments[0]])
        forced = set(line.forced())
        edges = stage_edges(line, choice.taken)
        for place, nodes in zip(choice.taken.places, edges, strict=True):
            if place in forced:
                found += fixed[segments[place] : segments[place + 1]]
            else:
                found.append(
                    CutRequest(text=self._named(nodes), nodes=nodes, span=self.statement.span)
                )
        return (*found, *fixed[segments[-1] :])

    def _named(self, nodes: Sequence[int]) -> str:
        shown = " or ".join(self.graph.label(n) for n in nodes[:_SHOWN])
        return f"cut after {shown}" + (" or ..." if len(nodes) > _SHOWN else "")

    def _told(self, line: Line, choice: Choice) -> Balance:
        taken = choice.taken
        own = set(line.forced())
        edges = stage_edges(line, taken)
        least = min([taken.slowest, *(w.slowest for w in choice.others)])
        if taken.slowest > least:
            self.notes.append(
                f"the slowest stage may be up to {SLACK:.0%} dearer than the best for fewer bytes "
                f"that cross: it is {taken.slowest / least - 1:.2%} dearer"
            )
        if len(line.nodes) > SINGLE_OPS:
            self.notes.append(
                f"cuts after single ops were not weighed: the model has more than {SINGLE_OPS} ops"
            )
        return Balance(
            statement=self.request.index,
            by=self.statement.by,
            costs=taken.costs,
            places=tuple(
                Place(nodes=n, nbytes=b, asked=p in own)
                for p, n, b in zip(taken.places, edges, taken.nbytes, strict=True)
            ),
            others=tuple(
                Alternative(
                    nodes=tuple(line.nodes[p] for p in w.places),
                    costs=w.costs,
                    nbytes=w.crossing,
                )
                for w in choice.others[:_ALTERNATIVES]
            ),
            unknown=self.unknown,
            folded=self.folded,
            notes=tuple(self.notes),
        )


def _spread(line: Line, size: int) -> list[int]:
    """Return a line's costs by node id."""
    costs = [0] * size
    for id_, cost in zip(line.nodes, line.costs, strict=True):
        costs[id_] = cost
    return costs
