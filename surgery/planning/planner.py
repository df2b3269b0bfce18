"""AST + Graph -> Plan: resolve every selector once, then decide outputs, regions and stages."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref, Resolved, TensorType
from surgery.planning import cuts as cutting
from surgery.planning.balanced import Balanced, CutIntoRequest, balance_cuts, folds
from surgery.planning.crossing import Division, divide, tensor_type
from surgery.planning.limits import Rules
from surgery.planning.marks import refuse_marked
from surgery.planning.model import (
    BuildPlan,
    Output,
    Plan,
    PlannedStatement,
    Region,
    Stage,
    StageInput,
)
from surgery.planning.offloads import OffloadPlanner, matched_before
from surgery.planning.outputs import OutputPlanner, OutputRequest, output_refs
from surgery.planning.regions import RegionPlan, plan_regions
from surgery.planning.settings import (
    build_faults,
    build_plan,
    fusion_hazard,
    no_such_stages,
    pipeline_plan,
    stage_settings,
    verify_plan,
)
from surgery.planning.shares import note_idle_shares, recomputed_nodes
from surgery.planning.sharing import Sharing
from surgery.planning.sites import OffloadRequest
from surgery.planning.stages import hint, list_stages, place_regions
from surgery.planning.support import (
    note_implicit_backends,
    phase_order,
    planned_backends,
    preparation,
    refuse_unsupported,
)
from surgery.planning.tables import Tables
from surgery.planning.timing import Timer
from surgery.select import check_expect, exactly_one, select
from surgery.syntax import ast, print_statement


def make_plan(
    spec: ast.Spec,
    module: Module,
    *,
    engine: str = "relay",
    model_path: str = "",
    bind_params: Sequence[str] = (),
    will_build: bool = False,
    before_prepare: Module | None = None,
    tables: Tables | None = None,
    timer: Timer | None = None,
) -> Plan:
    """Resolve a spec against a model.

    Args:
        module: The model after ``bind`` and ``prepare``.
        bind_params: Names of the weights that ``bind`` made constants.
        will_build: Whether the stages will be compiled (then hazards of the build are errors,
            else warnings).
        before_prepare: The model before ``prepare``, to explain a pattern that matched there only.
        tables: Gives the compiler's pattern tables, their predicates bound to ``module``; ``None``
            where there is no compiler.
        timer: Measures groups of ops of ``module``; ``None`` where there is no compiler.

    Raises:
        SurgeryError: Every fault found, each at its statement.
    """
    return _Planner(
        spec, module, engine, model_path, tuple(sorted(bind_params)), will_build, before_prepare,
        tables, timer,
    ).run()  # fmt: skip


class _Planner:
    def __init__(
        self,
        spec: ast.Spec,
        module: Module,
        engine: str,
        model_path: str,
        bind_params: tuple[str, ...],
        will_build: bool,
        before_prepare: Module | None,
        tables: Tables | None,
        timer: Timer | None,
    ) -> None:
        self.spec = spec
        self.module = module
        self.graph: Graph = module.main
        self.engine = engine
        self.model_path = model_path
        self.bind_params = bind_params
        self.will_build = will_build
        self.before_prepare = before_prepare
        self.tables = tables
        self.timer = timer
        self.found = Collector()
        self.statements = phase_order(spec.statements)
        self.resolved: list[list[Resolved]] = [[] for _ in self.statements]
        self.texts = [print_statement(s) for s in self.statements]
        self.lets = {s.name: s.selector for s in self.statements if isinstance(s, ast.Let)}
        self.patterns = {
            s.name: s.pattern for s in self.statements if isinstance(s, ast.PatternDef)
        }

    def run(self) -> Plan:
        refuse_unsupported(self.statements, self.texts, self.found)
        refuse_marked(self.module, self.statements, self.found)
        outputs = self._outputs()
        cut_requests = self._cuts()
        cut_into = self._cut_into()
        recompute = self._shares()
        offloads = OffloadPlanner(
            statements=self.statements,
            texts=self.texts,
            patterns=self.patterns,
            module=self.module,
            tables=self.tables,
            found=self.found,
            select=self._select,
            outputs=outputs,
        )
        requests = offloads.requests()
        rules = offloads.rules(requests, recompute)
        # One run reports the faults of every statement, so nothing stops before this.
        self.found.raise_if_errors()
        build = build_plan(self.spec)
        refs = [o.ref for o in outputs]
        stage_of, count = cutting.assign(self.graph, cut_requests, refs)
        balanced: Balanced | None = None
        if cut_into is not None:
            balanced = balance_cuts(
                self.module, cut_into, cut_requests, stage_of, build, self.found,
                recompute=recompute, sites=self._sites(requests, outputs, stage_of, rules),
                timer=self.timer,
            )  # fmt: skip
            cut_requests = list(balanced.cuts)
            stage_of, count = cutting.assign(self.graph, cut_requests, refs)
        cut_texts = [r.text for r in cut_requests]
        taken = self._regions(requests, outputs, stage_of, cut_texts, rules)
        self.found.raise_if_errors()
        division = self._divide(stage_of, count, outputs, recompute, taken.regions)
        stages = list_stages(
            self.module, division, outputs, build, stage_settings(self.spec), self.found
        )
        for fault in no_such_stages(self.statements, len(stages)):
            self.found.add(fault)
        for fault in build_faults(self.statements, build, stages, taken.regions):
            self.found.add(fault)
        self._check_fusion(build, stages)
        for stage in stages[:-1]:
            if not stage.outputs:
                self.found.add(cutting.idle(cut_requests[stage.index]))
        note_implicit_backends(self.statements, taken.regions, self.found)
        note_idle_shares(
            self.graph, self.statements, self.texts, self.resolved, division, self.found
        )
        hint(self.graph, division, self.found)
        self.found.raise_if_errors()
        return Plan(
            engine=self.engine,
            model_path=self.model_path,
            module=self.module,
            statements=tuple(
                PlannedStatement(
                    text=t, span=s.span, resolved=tuple(r), offload=isinstance(s, ast.Offload)
                )
                for t, s, r in zip(self.texts, self.statements, self.resolved, strict=True)
            ),
            inputs=tuple(
                StageInput(
                    name=self.graph.names[p] or "",
                    ref=Ref(p),
                    type=tensor_type(self.graph, Ref(p)),
                    source=None,
                )
                for p in self.graph.params
                if self.graph.kinds[p] == "input"
            ),
            outputs=outputs,
            crossings=division.crossings,
            stages=stages,
            balance=balanced.told(division) if balanced is not None else None,
            sharing=Sharing(
                self.module, division, [folds(s.opt_level, build.disable) for s in stages]
            ),
            regions=place_regions(self.module, stage_of, taken.regions),
            rejected=taken.rejected,
            backends=planned_backends(self.statements, taken.regions),
            build=build,
            verify=verify_plan(self.spec),
            pipeline=pipeline_plan(self.spec),
            bind_params=self.bind_params,
            bind_inputs={
                b.name: TensorType(b.shape, b.dtype) for b in preparation(self.spec).inputs
            },
            prepare=preparation(self.spec).passes,
            notes=tuple(self.found.found),
        )

    def _check_fusion(self, build: BuildPlan, stages: Sequence[Stage]) -> None:
        """Say of ops that TVM would take minutes to fuse: an error where they will be built."""
        asked = [s for s in self.statements if isinstance(s, ast.Build | ast.StageOn)]
        if not (
            self.will_build or asked or any(isinstance(s, ast.Verify) for s in self.statements)
        ):
            return
        hazard = fusion_hazard(
            self.graph,
            max(s.opt_level for s in stages),
            build.config,
            build.disable,
            asked[0].span if asked else None,
            unfused={n for s in stages if s.opt_level < 1 for n in s.nodes},
        )
        if hazard is not None:
            self.found.add(hazard if self.will_build else replace(hazard, severity="warning"))

    # -- resolving

    def _select(
        self,
        index: int,
        selector: ast.Selector,
        *,
        optional: bool = False,
        functions: tuple[str, ...] = ("main",),
    ) -> tuple[Resolved, ...]:
        """Resolve a selector of a statement; a fault is recorded and gives nothing."""
        try:
            picked = select(
                selector, self.module, lets=self.lets, functions=functions, optional=optional
            )
        except SurgeryError as failure:
            self.found.take(failure)
            return ()
        known = set(self.resolved[index])
        self.resolved[index].extend(r for r in picked if r not in known)
        if not picked and optional:
            self.found.add(
                Diagnostic(
                    code="S286",
                    severity="note",
                    message=f"`{self.texts[index]}` picks nothing (optional)",
                    span=selector.span,
                )
            )
        return picked

    def _expect(self, index: int, expect: ast.Expect | None, count: int) -> None:
        try:
            check_expect(count, expect, self.texts[index])
        except SurgeryError as failure:
            self.found.take(failure)

    # -- outputs

    def _outputs(self) -> tuple[Output, ...]:
        planner = OutputPlanner(self.graph, self.found, self.module.output_names)
        if any(isinstance(s, ast.Output) and s.only for s in self.statements):
            planner.keep_only()
        for statement in self.statements:
            if isinstance(statement, ast.OutputRename):
                planner.rename(statement)
        for statement in self.statements:
            if isinstance(statement, ast.OutputDrop):
                planner.drop(statement)
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, ast.Output):
                continue
            count = 0
            for item in statement.items:
                picked = self._select(index, item.selector, optional=statement.optional)
                count += len(picked)
                if not item.each and len(picked) > 1 and not _spreads(item.selector):
                    try:
                        exactly_one(picked, item.selector, self.module, "`output`")
                    except SurgeryError as failure:
                        self.found.take(failure)
                    continue
                planner.add(OutputRequest(item=item, resolved=picked))
            self._expect(index, statement.expect, count)
        return planner.finish()

    # -- cuts

    def _cuts(self) -> list[cutting.CutRequest]:
        requests: list[cutting.CutRequest] = []
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, ast.Cut):
                continue
            picked = self._select(index, statement.selector, optional=statement.optional)
            self._expect(index, statement.expect, len(picked))
            if not picked:
                continue
            try:
                requests.append(cutting.request(self.graph, statement, self.texts[index], picked))
            except SurgeryError as failure:
                self.found.take(failure)
        return requests

    def _cut_into(self) -> CutIntoRequest | None:
        """Resolve the `cut into` statement, if the spec has one that cuts."""
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, ast.CutInto):
                continue
            within = None
            if statement.within is not None:
                within = self._select(index, statement.within)
            if statement.stages > 1:
                # Equal ones are one statement; different ones don't get this far.
                return CutIntoRequest(
                    index=index, statement=statement, text=self.texts[index], within=within
                )
            self.found.add(
                Diagnostic(
                    code="S277",
                    severity="warning",
                    message=f"`{self.texts[index]}` cuts nothing",
                    span=statement.span,
                    reason="One stage is the whole model.",
                    remedy="ask for 2 stages or more, or leave it out",
                )
            )
        return None

    def _sites(
        self,
        requests: Sequence[OffloadRequest],
        outputs: Sequence[Output],
        stage_of: Sequence[int],
        rules: Rules,
    ) -> list[tuple[int, ...]]:
        """Return the offload sites of ``@main`` that there are when nothing else is cut."""
        if not requests:
            return []
        plan = plan_regions(
            self.module, requests, output_refs(outputs), stage_of, lambda k: f"cut {k}",
            Collector(), rules,
        )  # fmt: skip
        return [c.nodes for r in plan.regions if r.function == "main" for c in r.composites]

    def _shares(self) -> frozenset[int]:
        for index, statement in enumerate(self.statements):
            if isinstance(statement, ast.Share):
                self._select(index, statement.selector, optional=statement.optional)
        return recomputed_nodes(self.graph, self.statements, self.resolved)

    def _divide(
        self,
        stage_of: array[int],
        count: int,
        outputs: Sequence[Output],
        recompute: frozenset[int],
        regions: Sequence[Region],
    ) -> Division:
        embedded = frozenset(
            key
            for region in regions
            if region.function == "main"
            for key, (kind, at) in region.slots.items()
            if kind == "constant" and region.constants[at].embedded
        )
        reserved = {self.graph.names[p] or "" for p in self.graph.params}
        return divide(
            self.graph, stage_of, count, outputs,
            recompute=recompute, embedded=embedded, reserved=reserved,
            together=[r.nodes for r in regions if r.function == "main"],
        )  # fmt: skip

    # -- offload

    def _regions(
        self,
        requests: Sequence[OffloadRequest],
        outputs: Sequence[Output],
        stage_of: Sequence[int],
        cut_texts: Sequence[str],
        rules: Rules,
    ) -> RegionPlan:
        taken = plan_regions(
            self.module,
            requests,
            output_refs(outputs),
            stage_of,
            lambda k: cut_texts[k],
            self.found,
            rules,
        )
        if self.before_prepare is not None:
            passes = ", ".join(name for name, _ in preparation(self.spec).passes)
            matched_before(self.before_prepare, requests, taken, passes, self.found)
        return taken


def _spreads(selector: ast.Selector) -> bool:
    return isinstance(selector, ast.Numbered | ast.Result) and selector.all_fields
