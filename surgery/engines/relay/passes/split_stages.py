"""``surgery.SplitStages``: each stage becomes a function; ``@main`` calls them in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surgery.engines.relay.passes.carry import (
    Carrier,
    Expr,
    IRModule,
    Standing,
    module_pass,
    relay,
    relay_result_type,
    relay_type,
)
from surgery.engines.relay.passes.outline_regions import outlined_call
from surgery.engines.relay.passes.results import Results
from surgery.engines.relay.rebuild import OutlinedCall, Rebuilder, internal
from surgery.graph import Graph, Ref
from surgery.planning.model import Plan, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitStages:
    """Options of the pass.

    Attributes:
        stages: The stages, in the order they run.
        results: What ``@main`` returns.
    """

    stages: Sequence[Stage]
    results: Results

    def as_pass(self, carrier: Carrier) -> Expr:
        """Return the TVM pass."""
        return module_pass("surgery.SplitStages", lambda module: self.apply(module, carrier))

    def apply(self, module: IRModule, carrier: Carrier) -> IRModule:
        """Return a module with one function more a stage, whose ``@main`` only calls them.

        Raises:
            SurgeryError: A stage needs a value that none before it passes on (``S300``).
        """
        standing = carrier.read(module, "main")
        graph = carrier.graph("main")
        calls = [
            outlined_call(r, module.get_global_var(r.symbol), standing.calls[r.symbol])
            for r in carrier.plan.regions
            if r.symbol in standing.calls
        ]
        starts: dict[int, list[OutlinedCall]] = {}
        for outlined in calls:
            starts.setdefault(_owners(graph, outlined)[0], []).append(outlined)
        caller = _Caller(graph=graph, standing=standing)
        added = []
        taken: set[int] = set()
        for stage in self.stages:
            variable = relay.GlobalVar(stage_symbol(carrier.plan, stage.index))
            function, weights = _stage_function(stage, graph, standing, starts, taken)
            added.append((variable, function))
            caller.call(stage, variable, weights)
        function = caller.function(self.results)
        main = Standing(function=function, exprs=[None] * len(graph))
        return carrier.write(module, {"main": main}, added)


def stage_symbol(plan: Plan, index: int) -> str:
    """Return the name of a stage's function: ``stage_0``, with ``_`` while the model has such."""
    name = f"stage_{index}"
    while name in plan.module.functions:
        name += "_"
    return name


def _owners(graph: Graph, call: OutlinedCall) -> list[int]:
    """Return the values of the body that a region's ops belong to: an ``if`` for those inside."""
    return [graph.owner(n) for n in call.nodes if graph.kinds[n] == "call"]


def _stage_function(
    stage: Stage,
    graph: Graph,
    standing: Standing,
    starts: Mapping[int, Sequence[OutlinedCall]],
    taken: set[int],
) -> tuple[Expr, list[int]]:
    """Return a stage as a closed function, and the ids of the weights it takes after its inputs.

    Args:
        starts: The regions, by the value of the body that their first op belongs to.
        taken: Inputs whose variable an earlier stage has: a variable is of one function. Grows.
    """
    allowed = bytearray(len(graph))
    for node in stage.nodes:
        allowed[node] = 1
    params: list[Expr] = []
    replace: dict[Ref, Expr] = {}
    for given in stage.inputs:
        old = standing.exprs[given.ref.node]
        free = given.source is None and not given.ref.path and given.ref.node not in taken
        if free and isinstance(old, relay.Var):
            taken.add(given.ref.node)
            params.append(old)
        else:
            variable = relay.Var(given.name, relay_type(given.type))
            replace[given.ref] = variable
            params.append(variable)
    rebuilder = Rebuilder(
        graph=graph,
        exprs=standing.exprs,
        replace=replace,
        calls=[
            c
            for node in stage.nodes
            for c in starts.get(node, ())
            if all(allowed[n] for n in _owners(graph, c))
        ],
        allowed=allowed,
    )
    values = rebuilder.values([output.ref for output in stage.outputs])
    body = values[0] if len(values) == 1 else relay.Tuple(values)

    used = {i for i in rebuilder.used if isinstance(standing.exprs[i], relay.Var)}
    fed = {given.ref.node for given in stage.inputs if given.source is None}
    order = {name: place for place, name in enumerate(stage.params)}
    weights = [i for i in used if graph.kinds[i] == "param"]
    stray = [i for i in used if graph.kinds[i] == "input" and i not in fed]
    stray += [i for i in weights if graph.names[i] not in order]
    if stray:
        raise internal(
            f"stage {stage.index} does not receive all it needs",
            f"{', '.join(sorted(graph.label(i) for i in stray))} are used in it",
        )
    weights.sort(key=lambda i: order[graph.names[i] or ""])
    params += [standing.exprs[i] for i in weights]
    result = relay_result_type([output.type for output in stage.outputs])
    return relay.Function(params, body, result), weights


class _Caller:
    """The new ``@main``: calls of stages, and the tensors they returned."""

    def __init__(self, *, graph: Graph, standing: Standing) -> None:
        self.graph = graph
        self.standing = standing
        self.values: dict[tuple[int | None, Ref], Expr] = {}
        self.public: dict[Ref, Expr] = {}
        self.weights: set[int] = set()
        self._own: dict[int, Expr] = {}

    def _param(self, node: int) -> Expr:
        """Return a parameter of ``@main``: the model's own variable went to a stage."""
        old = self.standing.exprs[node]
        if not isinstance(old, relay.Var):
            return old
        known = self._own.get(node)
        if known is None:
            type_ = old.checked_type if old.type_annotation is None else old.type_annotation
            known = self._own[node] = relay.Var(old.name_hint, type_, old.span)
        return known

    def _given(self, ref: Ref, source: int | None, stage: Stage) -> Expr:
        if source is not None:
            value = self.values.get((source, ref))
            if value is None:
                raise internal(
                    f"stage {stage.index} takes {self.graph.label(ref)} from stage {source}",
                    "that stage does not return it",
                )
            return value
        value = self._param(ref.node)
        for index in ref.path:
            value = relay.TupleGetItem(value, index)
        return value

    def call(self, stage: Stage, variable: Expr, weights: Sequence[int]) -> None:
        """Add a stage's call."""
        arguments = [self._given(i.ref, i.source, stage) for i in stage.inputs]
        arguments += [self._param(w) for w in weights]
        self.weights.update(weights)
        call = relay.Call(variable, arguments)
        for place, output in enumerate(stage.outputs):
            single = len(stage.outputs) == 1
            value = call if single else relay.TupleGetItem(call, place)
            self.values[stage.index, output.ref] = value
            if output.public:
                self.public.setdefault(output.ref, value)

    def function(self, results: Results) -> Expr:
        """Return ``@main``: the same parameters and results; weights no stage uses are gone."""
        values = []
        for ref in results.refs:
            value = self.public.get(ref)
            if value is None:
                raise internal(
                    f"output {self.graph.label(ref)} is returned by no stage", "the plan lacks it"
                )
            values.append(value)
        body = values[0] if len(values) == 1 else relay.Tuple(values)
        old = self.standing.function
        graph, exprs = self.graph, self.standing.exprs
        params = [
            self._param(p)
            for p in graph.params
            if isinstance(exprs[p], relay.Var) and (graph.kinds[p] != "param" or p in self.weights)
        ]
        result = relay_result_type(results.types)
        return relay.Function(params, body, result, old.type_params, old.attrs, old.span)
