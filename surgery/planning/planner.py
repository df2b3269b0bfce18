"""AST + Graph -> Plan: resolve every selector once, then decide outputs, regions and stages."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref, Resolved, TensorType
from surgery.planning import cuts as cutting
from surgery.planning.crossing import Division, divide, tensor_type
from surgery.planning.limits import Rules
from surgery.planning.marks import refuse_marked
from surgery.planning.model import (
    Output,
    Plan,
    PlannedStatement,
    Region,
    StageInput,
)
from surgery.planning.offloads import OffloadPlanner, matched_before
from surgery.planning.outputs import OutputPlanner, OutputRequest, output_refs
from surgery.planning.regions import RegionPlan, plan_regions
from surgery.planning.settings import build_plan, fusion_hazard, verify_plan
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

    Raises:
        SurgeryError: Every fault found, each at its statement.
    """
    return _Planner(
        spec, module, engine, model_path, tuple(sorted(bind_params)), will_build, before_prepare,
        tables,
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
        stage_of, count = cutting.assign(self.graph, cut_requests, [o.ref for o in outputs])
        cut_texts = [r.text for r in cut_requests]
        taken = self._regions(requests, outputs, stage_of, cut_texts, rules)
        self.found.raise_if_errors()
        build = build_plan(self.spec)
        division = self._divide(stage_of, count, outputs, recompute, taken.regions)
        build_statement = next((s for s in self.statements if isinstance(s, ast.Build)), None)
        asks = any(isinstance(s, ast.Build | ast.Verify) for s in self.statements)
        if self.will_build or asks:
            hazard = fusion_hazard(
                self.graph, build.opt_level, build.config, build.disable,
                build_statement.span if build_statement else None,
            )  # fmt: skip
            if hazard is not None:
                self.found.add(hazard if self.will_build else replace(hazard, severity="warning"))
        stages = list_stages(self.module, division, outputs, build, self.found)
        for stage in stages[:-1]:
            if not stage.outputs:
                self.found.add(cutting.idle(cut_requests[stage.index]))
        note_implicit_backends(self.statements, taken.regions, self.found)
        self._note_idle_shares(division)
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
            regions=place_regions(self.module, stage_of, taken.regions),
            rejected=taken.rejected,
            backends=planned_backends(self.statements, taken.regions),
            build=build,
            verify=verify_plan(self.spec),
            bind_params=self.bind_params,
            bind_inputs={
                b.name: TensorType(b.shape, b.dtype) for b in preparation(self.spec).inputs
            },
            prepare=preparation(self.spec).passes,
            notes=tuple(self.found.found),
        )

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
        planner = OutputPlanner(self.graph, self.found)
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

    def _shares(self) -> frozenset[int]:
        chosen: set[int] = set()
        for index, statement in enumerate(self.statements):
            if isinstance(statement, ast.Share):
                self._select(index, statement.selector, optional=statement.optional)
                nodes = self._shared(index)
                if statement.by == "recompute":
                    chosen |= nodes
                else:
                    chosen -= nodes
        return frozenset(chosen)

    def _shared(self, index: int) -> set[int]:
        """Return the nodes of ``@main`` that a ``share`` statement picked."""
        mine = (r for r in self.resolved[index] if r.function == self.graph.function)
        return {self.graph.resolve(r.ref.node).node for r in mine}

    def _note_idle_shares(self, division: Division) -> None:
        """Warn of ``share`` statements that decide nothing: no value of theirs crosses."""
        crossing = {c.ref.node for c in division.crossings}.union(*division.recomputed)
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, ast.Share) or not self.resolved[index]:
                continue
            if crossing.isdisjoint(self._shared(index)):
                self.found.add(
                    Diagnostic(
                        code="S298",
                        severity="warning",
                        message=f"`{self.texts[index]}` changes nothing",
                        span=statement.span,
                        reason="None of its values crosses from one stage to another.",
                        remedy="leave it out, or name a value that the plan lists as crossing",
                    )
                )

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
