"""Offload regions: which sites are taken, and why not the rest.

Sites of all statements compete: the one with more ops wins, then the one met earlier in the
module, then the statement written earlier; ``prefer`` goes before all that. A value is computed
once: a site whose inside is needed outside is given up, with the reason. Neighbouring sites of a
backend are merged; limits on regions come last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from surgery.diagnostics import Collector
from surgery.graph import (
    Graph,
    Module,
    Ref,
    TensorType,
    TupleType,
    UnknownType,
    runtime_dependent,
)
from surgery.planning.counts import check_counts
from surgery.planning.inplace import Liveness
from surgery.planning.limits import Boundaries, Rules, in_order, over_limits, rules_prefer
from surgery.planning.merging import Dependencies, break_cycles, merge
from surgery.planning.model import Region, Rejected
from surgery.planning.roles import quantisation_fault
from surgery.planning.signatures import name_regions
from surgery.planning.sites import (
    OffloadRequest,
    Site,
    SiteGroup,
    pattern_sites,
    selected_sites,
)
from surgery.planning.table_sites import table_sites


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
    rules: Rules | None = None,
) -> RegionPlan:
    """Choose the sites and fix every kernel's signature.

    Args:
        outputs: Tensors of ``@main`` that are outputs (they can't be inside a region).
        stage_of: Stage of each node of ``@main``.
        cut_text: The text of the cut that ends a stage, for messages.
        found: Takes errors (no site at all, a broken ``expect``) and warnings.
        rules: What the spec's other statements say about its offloads.
    """
    return _Chooser(
        module=module,
        requests=requests,
        outputs=outputs,
        stage_of=stage_of,
        cut_text=cut_text,
        found=found,
        rules=rules or Rules(),
    ).run()


@dataclass(kw_only=True)
class _Chooser:
    module: Module
    requests: Sequence[OffloadRequest]
    outputs: frozenset[Ref]
    stage_of: Sequence[int]
    cut_text: Callable[[int], str]
    found: Collector
    rules: Rules
    rejected: list[Rejected] = field(default_factory=list)
    _dependencies: dict[str, Dependencies] = field(default_factory=dict)
    _depends: dict[str, bytearray] = field(default_factory=dict)

    def run(self) -> RegionPlan:
        module, requests = self.module, self.requests
        candidates: list[Site] = []
        for request in requests:
            if request.entry is not None:
                table_sites(module, request, self.outputs, candidates, self.rejected, self.found)
            elif request.pattern is not None:
                pattern_sites(module, request, self.outputs, candidates, self.rejected)
            else:
                selected_sites(module, request, self.outputs, candidates, self.found)
        boundaries = Boundaries(module)
        allowed = [s for s in candidates if self._allowed(s, boundaries)]
        legal = [s for s in allowed if self._legal(s)]
        accepted = self._without_overlap(legal)
        groups = self._grouped(self._without_cycles(accepted))
        regions = name_regions(module, groups)
        # The entries of a table are counted together: they are one statement.
        for request in {r.index: r for r in requests}.values():
            check_counts(module, request, regions, self.rejected, self.found)
        self.rejected.sort(key=lambda r: (r.statement, r.function, r.node))
        return RegionPlan(tuple(regions), tuple(self.rejected))

    def _reject(
        self, site: Site, reason: str, *, node: int | None = None, excluded: bool = False
    ) -> None:
        self.rejected.append(
            Rejected(
                statement=site.request.index,
                function=site.function,
                node=site.ops[-1] if node is None else node,
                matched=site.ops,
                reason=reason,
                excluded=excluded,
            )
        )

    def _deps(self, function: str) -> Dependencies:
        known = self._dependencies.get(function)
        if known is None:
            known = Dependencies(self.module.functions[function])
            self._dependencies[function] = known
        return known

    def _moving(self, function: str) -> bytearray:
        known = self._depends.get(function)
        if known is None:
            known = self._depends[function] = runtime_dependent(self.module.functions[function])
        return known

    def _results(self, function: str) -> frozenset[Ref]:
        if function == "main":
            return self.outputs
        return frozenset(self.module.functions[function].outputs)

    def _allowed(self, site: Site, boundaries: Boundaries) -> bool:
        """Apply ``keep``, ``until`` and ``only between``."""
        for node in site.ops if self.rules.keep else ():
            text = self.rules.keep.get((site.function, node))
            if text is not None:
                label = self.module.functions[site.function].label(node)
                self._reject(site, f"{label} stays on the host (`{text}`)", excluded=True)
                return False
        fault = boundaries.fault(site)
        if fault is not None:
            self._reject(site, fault[1], node=fault[0], excluded=True)
        return fault is None

    def _legal(self, site: Site) -> bool:
        graph = self.module.functions[site.function]
        reason = _closed_to_rewriting(graph, site)
        if not reason and site.function == "main":
            stages = {self.stage_of[i] for i in site.ops}
            if -1 in stages:
                reason = "no output needs it"
            elif len(stages) > 1:
                reason = f"`{self.cut_text(min(stages))}` divides it"
            else:
                site.stage = stages.pop()
        reason = reason or _type_fault(graph, site)
        reason = reason or quantisation_fault(graph, site, lambda: self._moving(site.function))
        if not reason and not site.outputs:
            reason = "nothing outside uses it"
        if reason:
            self._reject(site, reason)
        return not reason

    @property
    def _order(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.module.functions)}

    def _without_overlap(self, sites: Sequence[Site]) -> list[Site]:
        order = self._order
        taken: dict[tuple[str, int], Site] = {}
        accepted: list[Site] = []
        for site in in_order(
            sites,
            lambda s: (-len(s.ops), order[s.function], min(s.ops), s.request.index, s.nodes),
            self.rules,
        ):
            # Tuple and field nodes are rebuilt at will, so only ops can be fought over.
            keys = [(site.function, i) for i in site.ops]
            other = next((taken[k] for k in keys if k in taken), None)
            if other is None:
                accepted.append(site)
                taken.update((k, site) for k in keys)
                continue
            graph = self.module.functions[site.function]
            if rules_prefer(self.rules, other.request, site.request):
                why = "preferred"
            else:
                why = "larger" if len(other.ops) > len(site.ops) else "earlier"
            self._reject(
                site,
                f"it overlaps the {why} site that ends at {graph.label(other.ops[-1])} "
                f"(`{other.request.text}`)",
                excluded=True,
            )
        return sorted(accepted, key=lambda s: (order[s.function], s.ops[-1]))

    def _without_cycles(self, sites: Sequence[Site]) -> list[Site]:
        kept: list[Site] = []
        for name, mine in _by_function(sites).items():
            if all(s.one_end for s in mine):
                kept += mine
                continue
            left, given_up = break_cycles(self._deps(name), mine)
            kept += left
            graph = self.module.functions[name]
            for cycle in given_up:
                self._reject(
                    cycle.site,
                    "it and the region that ends at "
                    f"{graph.label(cycle.through.ops[-1])} (`{cycle.through.request.text}`) would "
                    "wait for each other's results",
                )
        return kept

    def _grouped(self, sites: Sequence[Site]) -> list[SiteGroup]:
        """Merge sites into regions, apply the limits, and decide what may be overwritten."""
        left = list(sites)
        while True:
            groups = [
                group
                for name, mine in _by_function(left).items()
                for group in merge(
                    self._deps(name),
                    mine,
                    self.rules.merging,
                    self._results(name),
                    self.rules.alone if name == "main" else frozenset(),
                )
            ]
            over = over_limits(self.module, groups, self.requests)
            if not over:
                break
            # What is left of a region is another region, with sizes of its own.
            self.rejected += over
            gone = {(r.statement, r.function, r.matched) for r in over}
            left = [s for s in left if (s.request.index, s.function, s.ops) not in gone]
        for name, mine in _by_function(left).items():
            self._overwrite(name, mine)
        return groups

    def _overwrite(self, name: str, sites: Sequence[Site]) -> None:
        """Decide for ``inplace`` operands which buffers a kernel may really overwrite."""
        if not any(s.request.statement.inplace for s in sites):
            return
        live = Liveness(
            self._deps(name), self._results(name), self.stage_of if name == "main" else None
        )
        for site in sites:
            for capture in site.request.statement.inplace:
                reason = live.refuse(site, capture)
                if reason:
                    site.notes += (f"{capture} is not in place: {reason}",)
                else:
                    site.inplace += (capture,)
                    site.notes += (f"{capture} is in place: the kernel may overwrite it",)


def _by_function(sites: Sequence[Site]) -> dict[str, list[Site]]:
    found: dict[str, list[Site]] = {}
    for site in sites:
        found.setdefault(site.function, []).append(site)
    return found


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
        if isinstance(type_, TensorType) and not type_.is_static:
            return f"its result {graph.label(ref)}: {type_} has no static shape"
    return ""
