"""Offload regions: which sites are taken, and why not the rest.

Sites of all statements compete: the one with more ops wins, then the one met earlier in the
module, then the statement written earlier. A value is computed once: a site whose inside is
needed outside is given up, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import Graph, Module, Ref, TensorType, TupleType, UnknownType
from surgery.pattern import leftover_marks
from surgery.planning.counts import OVERLAP, check_counts
from surgery.planning.deadlock import without_deadlock
from surgery.planning.model import Region, Rejected
from surgery.planning.signatures import name_regions
from surgery.planning.sites import OffloadRequest, Site, pattern_sites, selected_sites


@dataclass(frozen=True, slots=True)
class RegionPlan:
    """What came of the offload statements."""

    regions: tuple[Region, ...]
    rejected: tuple[Rejected, ...]


def plan_regions(
    module: Module,
    requests: Sequence[OffloadRequest],
    outputs: frozenset[Ref],
    stage_of: Sequence[int],
    cut_text: Callable[[int], str],
    found: Collector,
) -> RegionPlan:
    """Choose the sites and fix every kernel's signature.

    Args:
        outputs: Tensors of ``@main`` that are outputs (they can't be inside a region).
        stage_of: Stage of each node of ``@main``.
        cut_text: The text of the cut that ends a stage, for messages.
        found: Takes errors (no site at all, a broken ``expect``) and warnings.
    """
    candidates: list[Site] = []
    rejected: list[Rejected] = []
    if requests and _annotated(module, requests[0], found):
        return RegionPlan((), ())
    for request in requests:
        if request.pattern is not None:
            pattern_sites(module, request, outputs, candidates, rejected)
        else:
            selected_sites(module, request, outputs, candidates, found)
    legal = [s for s in candidates if _legal(module, s, stage_of, cut_text, rejected)]
    accepted = without_deadlock(module, _without_overlap(module, legal, rejected), rejected)
    regions = name_regions(module, accepted)
    for request in requests:
        check_counts(module, request, regions, rejected, found)
    rejected.sort(key=lambda r: (r.statement, r.function, r.node))
    return RegionPlan(tuple(regions), tuple(rejected))


def _annotated(module: Module, request: OffloadRequest, found: Collector) -> bool:
    """Refuse a module that TVM's own partitioning has marked and not finished."""
    for graph in module.functions.values():
        marks = leftover_marks(graph)
        if marks:
            found.add(
                Diagnostic(
                    code="S293",
                    message=f"the module is already annotated: {graph.label(marks[0])} is "
                    f"{graph.ops[marks[0]]}",
                    span=request.statement.span,
                    reason="compiler_begin and compiler_end of an earlier AnnotateTarget divide "
                    "it; regions of two kinds would overlap.",
                    remedy="give the model as it was before AnnotateTarget",
                )
            )
            return True
    return False


def _legal(
    module: Module,
    site: Site,
    stage_of: Sequence[int],
    cut_text: Callable[[int], str],
    rejected: list[Rejected],
) -> bool:
    graph = module.functions[site.function]
    reason = _closed_to_rewriting(graph, site)
    if not reason and site.function == "main":
        stages = {stage_of[i] for i in site.ops}
        if -1 in stages:
            reason = "no output needs it"
        elif len(stages) > 1:
            reason = f"`{cut_text(min(stages))}` divides it"
        else:
            site.stage = stages.pop()
    if not reason:
        reason = _type_fault(graph, site)
    if not reason and not site.outputs:
        reason = "nothing outside uses it"
    if reason:
        rejected.append(
            Rejected(
                statement=site.request.index,
                function=site.function,
                node=site.ops[-1],
                matched=site.ops,
                reason=reason,
            )
        )
    return not reason


def _closed_to_rewriting(graph: Graph, site: Site) -> str:
    """Return why no call can be put in a site's place where it stands, or ''."""
    scope = graph.scopes[site.ops[0]]
    while scope:
        owner = graph.scope_table[scope].owner
        if owner >= 0 and graph.kinds[owner] == "opaque":
            return f"it is inside a {graph.ops[owner]}, which surgery does not look into"
        scope = graph.scope_table[scope].parent
    return ""


def _type_fault(graph: Graph, site: Site) -> str:
    """Return why a site's arguments or results can't pass a kernel's boundary, or ''."""
    for slot in site.slots:
        type_ = graph.type_of(slot.value)
        where = f"operand {slot.operand} of {graph.ops[slot.node] or graph.kinds[slot.node]}"
        if isinstance(type_, TupleType) or graph.kinds[slot.value.node] == "tuple":
            return (
                f"{where} ({graph.label(slot.value)}) is a tuple; a kernel takes tensors: "
                "include the op that makes the tuple"
            )
        if isinstance(type_, TensorType) and not type_.is_static:
            return f"{where} ({graph.label(slot.value)}: {type_}) has no static shape"
        if not isinstance(type_, (TensorType, UnknownType)):
            return f"{where} ({graph.label(slot.value)}: {type_}) is no tensor"
    for ref in site.outputs:
        type_ = graph.type_of(ref)
        if isinstance(type_, TupleType):
            short = graph.ops[ref.node].rpartition(".")[2]
            fields = " or ".join(f"`{short}.{i}`" for i in range(len(type_.fields))[:3])
            return f"its result {graph.label(ref)} is a tuple; name the field, e.g. {fields}"
        if isinstance(type_, TensorType) and not type_.is_static:
            return f"its result {graph.label(ref)}: {type_} has no static shape"
    return ""


def _without_overlap(module: Module, sites: Sequence[Site], rejected: list[Rejected]) -> list[Site]:
    order = {name: i for i, name in enumerate(module.functions)}
    taken: dict[tuple[str, int], Site] = {}
    accepted: list[Site] = []
    for site in sorted(
        sites,
        key=lambda s: (-len(s.ops), order[s.function], s.ops[0], s.request.index, s.nodes),
    ):
        # Tuple and field nodes are rebuilt at will, so only ops can be fought over.
        other = next((taken[k] for k in ((site.function, i) for i in site.ops) if k in taken), None)
        if other is None:
            accepted.append(site)
            taken.update(((site.function, i), site) for i in site.ops)
            continue
        graph = module.functions[site.function]
        why = "larger" if len(other.ops) > len(site.ops) else "earlier"
        rejected.append(
            Rejected(
                statement=site.request.index,
                function=site.function,
                node=site.ops[-1],
                matched=site.ops,
                reason=f"{OVERLAP} the {why} site that ends at {graph.label(other.ops[-1])} "
                f"(`{other.request.text}`)",
            )
        )
    return sorted(accepted, key=lambda s: (order[s.function], s.ops[-1]))
