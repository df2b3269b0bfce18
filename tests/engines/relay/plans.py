"""Models and plans made by hand, for the tests of the Relay engine.

``make_plan`` is a deliberately plain planner: it decides stages and crossings in the most direct
way, so that what the passes make of a plan can be tested without the real one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tvm
from tvm import relay

from surgery.engines.relay.build import quiet
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.passes import plan_passes
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.view import enumerate_exprs, view
from surgery.graph import Graph, Module, Ref, TensorType
from surgery.planning.model import (
    BuildPlan,
    Crossing,
    Output,
    Plan,
    PlannedBackend,
    Region,
    RegionArgument,
    RegionConstant,
    Stage,
    StageInput,
    StageOutput,
    VerifyPlan,
)
from tests.regions import with_composite

CODE = frozenset(("call", "if", "function", "opaque"))


def make_model(ir: Any, params: Mapping[str, Any] | None = None) -> RelayModel:
    """Return a model over a function, an expression or a module."""
    if not isinstance(ir, tvm.IRModule):
        ir = tvm.IRModule.from_expr(ir)
    ir = relay.transform.InferType()(tvm.IRModule(dict(ir.functions.items())))
    arrays = {k: tvm.nd.array(v) for k, v in (params or {}).items()}
    module, exprs = view(ir, arrays)
    return RelayModel(path="<memory>", sha256={}, ir=ir, params=arrays, module=module, exprs=exprs)


def ids(graph: Graph, op: str) -> list[int]:
    """Return the ids of the calls of an op."""
    return [i for i in range(len(graph)) if graph.ops[i] == op]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A region to be: its nodes, what is passed instead of embedded, and where."""

    nodes: Sequence[int]
    symbol: str = "bmlib_0"
    backend: str = "bmlib"
    function: str = "main"
    pass_constants: bool = False


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What to plan."""

    outputs: Sequence[tuple[str, Ref]] = ()
    only: bool = False
    cuts: Sequence[Sequence[Ref]] = ()
    sites: Sequence[Site] = ()
    bind: Sequence[str] = ()
    executor: str = "graph"
    build: BuildPlan = field(default_factory=BuildPlan)


def tensor(graph: Graph, ref: Ref) -> TensorType:
    type_ = graph.type_of(ref)
    assert isinstance(type_, TensorType), (graph.label(ref), type_)
    return type_


def make_region(module: Module, site: Site, outside: frozenset[Ref]) -> Region:
    """Return the region of a site; ``outside`` are tensors that are outputs or cross a cut."""
    graph = module.functions[site.function]
    nodes = sorted(site.nodes)
    inside = set(nodes)
    arguments: list[RegionArgument] = []
    constants: list[RegionConstant] = []
    slots: dict[tuple[int, int], Any] = {}
    for node in nodes:
        if graph.kinds[node] == "field":
            continue
        for place, operand in enumerate(graph.operands[node]):
            ref = graph.resolve(operand)
            if ref.node in inside:
                continue
            kind = graph.kinds[ref.node]
            if kind in ("constant", "param"):
                at = next((i for i, c in enumerate(constants) if c.node == ref.node), None)
                if at is None:
                    at = len(constants)
                    constants.append(
                        RegionConstant(
                            name=graph.names[ref.node] or f"c{at}",
                            node=ref.node,
                            type=tensor(graph, ref),
                            embedded=not site.pass_constants,
                        )
                    )
                slots[node, place] = ("constant", at)
            else:
                at = next((i for i, a in enumerate(arguments) if a.ref == ref), None)
                if at is None:
                    at = len(arguments)
                    name = graph.names[ref.node] if kind in ("input", "local") else None
                    arguments.append(
                        RegionArgument(name=name or f"a{at}", ref=ref, type=tensor(graph, ref))
                    )
                slots[node, place] = ("argument", at)
    used: list[Ref] = []
    results = graph.outputs
    for node in nodes:
        for leaf in graph.leaves(Ref(node)):
            if leaf in used or leaf.node != node:
                continue
            escapes = leaf in outside or leaf in results
            for user, operands in enumerate(graph.operands):
                if user in inside or graph.kinds[user] in ("field", "tuple", "let"):
                    continue
                for operand in operands:
                    escapes = escapes or leaf in graph.leaves(Ref(operand))
            if escapes:
                used.append(leaf)
    pattern = "".join(
        f"TupleGetItem{graph.fields[n]}_" if graph.kinds[n] == "field" else f"{graph.ops[n]}_"
        for n in nodes
        if graph.kinds[n] in ("call", "field")
    )
    region = Region(
        symbol=site.symbol,
        backend=site.backend,
        composite=f"{site.backend}.block",
        pattern=pattern,
        function=site.function,
        nodes=tuple(nodes),
        arguments=tuple(arguments),
        constants=tuple(constants),
        slots=slots,
        outputs=tuple(used),
        output_types=tuple(tensor(graph, r) for r in used),
    )
    return with_composite(region)


def make_plan(model: RelayModel, ask: Ask | None = None) -> Plan:
    """Plan what is asked for."""
    ask = ask or Ask()
    graph = model.module.main
    inputs = tuple(
        StageInput(name=graph.names[p] or "", ref=Ref(p), type=tensor(graph, Ref(p)), source=None)
        for p in graph.params
        if graph.kinds[p] == "input"
    )
    refs = [] if ask.only else [(f"out{i}", r) for i, r in enumerate(graph.outputs)]
    kept = len(refs)
    refs += ask.outputs
    outputs: list[Output] = []
    for place, (name, ref) in enumerate(refs):
        same = [o.index for o in outputs if o.ref == ref]
        new = place < kept or not same
        index = len({o.index for o in outputs}) if new else same[0]
        outputs.append(
            Output(name=name, ref=ref, index=index, added=place >= kept, type=tensor(graph, ref))
        )
    stage_of = _assign(graph, ask.cuts, [o.ref for o in outputs])
    stages, crossings = _stages(graph, ask, outputs, stage_of, model)
    cross = frozenset(c.ref for c in crossings)
    outside = frozenset(o.ref for o in outputs) | cross
    regions = tuple(make_region(model.module, s, outside) for s in ask.sites)
    return Plan(
        engine="relay",
        model_path=model.path,
        module=model.module,
        statements=(),
        inputs=inputs,
        outputs=tuple(outputs),
        crossings=tuple(crossings),
        stages=tuple(stages),
        regions=regions,
        rejected=(),
        backends=tuple(
            PlannedBackend(name=n, kind="tvm", implicit=True)
            for n in sorted({r.backend for r in regions})
        ),
        build=ask.build,
        verify=VerifyPlan(),
        bind_params=tuple(sorted(ask.bind)),
    )


def _assign(graph: Graph, cuts: Sequence[Sequence[Ref]], outputs: Sequence[Ref]) -> list[int]:
    stage_of = [-1] * len(graph)
    groups = [[r.node for r in cut] for cut in cuts]
    for stage, roots in enumerate([*groups, [graph.result, *(o.node for o in outputs)]]):
        marked = set()
        stack = list(roots)
        while stack:
            node = graph.resolve(stack.pop()).node
            if node not in marked:
                marked.add(node)
                stack.extend(graph.operands[node])
        for node in sorted(marked):
            if stage_of[node] < 0:
                stage_of[node] = stage
    return stage_of


def _stages(
    graph: Graph,
    ask: Ask,
    outputs: Sequence[Output],
    stage_of: Sequence[int],
    model: RelayModel,
) -> tuple[list[Stage], list[Crossing]]:
    count = len(ask.cuts) + 1
    public = {o.ref: o.name for o in outputs}
    needs: list[list[Ref]] = [[] for _ in range(count)]
    weights: list[set[str]] = [set() for _ in range(count)]
    home: dict[Ref, int] = {}
    for node in range(len(graph)):
        if graph.kinds[node] not in CODE or stage_of[node] < 0:
            continue
        stage = stage_of[graph.owner(node)]
        for operand in graph.operands[node]:
            for leaf in graph.leaves(Ref(operand)):
                kind = graph.kinds[leaf.node]
                if kind == "param":
                    weights[stage].add(graph.names[leaf.node] or "")
                    continue
                earlier = kind in CODE and stage_of[graph.owner(leaf.node)] < stage
                if (kind == "input" or earlier) and leaf not in needs[stage]:
                    needs[stage].append(leaf)
    for output in outputs:
        kind = graph.kinds[output.ref.node]
        stage = stage_of[output.ref.node] if kind in CODE else count - 1
        home[output.ref] = stage
        if kind == "input" and output.ref not in needs[stage]:
            needs[stage].append(output.ref)
        if kind == "param":
            weights[stage].add(graph.names[output.ref.node] or "")
    crossings: list[Crossing] = []
    names: dict[Ref, str] = {}
    for ref in dict.fromkeys(r for need in needs for r in need):
        if graph.kinds[ref.node] == "input":
            names[ref] = graph.names[ref.node] or ""
            continue
        names[ref] = public.get(ref, f"v{ref.node}" + "".join(f"_{i}" for i in ref.path))
        crossings.append(
            Crossing(
                ref=ref,
                name=names[ref],
                type=tensor(graph, ref),
                source=stage_of[ref.node],
                targets=tuple(s for s in range(count) if ref in needs[s]),
                uses=(),
                runtime_dependent=True,
            )
        )
    stages = []
    places: set[int] = set()
    for stage in range(count):
        nodes = tuple(
            n
            for n in range(len(graph))
            if stage_of[n] == stage
            and graph.scopes[n] == 0
            and graph.kinds[n] not in ("input", "param", "constant", "local", "global")
        )
        given = tuple(
            StageInput(
                name=names[r],
                ref=r,
                type=tensor(graph, r),
                source=None if graph.kinds[r.node] == "input" else stage_of[r.node],
            )
            for r in needs[stage]
        )
        returned: list[StageOutput] = []
        for output in outputs:
            if home[output.ref] == stage and output.index not in places:
                places.add(output.index)
                returned.append(
                    StageOutput(name=output.name, ref=output.ref, type=output.type, public=True)
                )
        returned += [
            StageOutput(name=c.name, ref=c.ref, type=c.type, public=False)
            for c in crossings
            if c.source == stage and c.ref not in public
        ]
        params = tuple(sorted(weights[stage] - set(ask.bind)))
        stages.append(
            Stage(
                index=stage,
                name=f"stage_{stage}",
                nodes=nodes,
                recomputed=(),
                inputs=given,
                outputs=tuple(returned),
                params=params,
                param_bytes=sum(
                    int(np.prod(model.params[p].shape)) * 4 for p in params if p in model.params
                ),
                op_count=sum(graph.kinds[n] == "call" for n in nodes),
                target=ask.build.target,
                opt_level=ask.build.opt_level,
                executor=ask.executor,  # type: ignore[arg-type]
            )
        )
    return stages, crossings


def evaluate(module: Any, inputs: Mapping[str, Any], params: Mapping[str, Any]) -> list[Any]:
    """Run a module's ``@main`` on TVM's VM; return its tensors, flattened.

    A ``@main`` that calls stages is followed call by call, each stage compiled on its own.
    """
    functions = {str(v.name_hint): (v, f) for v, f in module.functions.items()}
    arrays = {**{k: tvm.nd.array(v) for k, v in inputs.items()}, **params}
    main = module["main"]
    given = [arrays[str(p.name_hint)] for p in main.params]
    stages = {name for name in functions if name.startswith("stage_")}
    if not stages:
        return _run(functions, "main", given)
    values: dict[int, list[Any]] = {}
    last: list[Any] = []
    for expr in enumerate_exprs(main):
        if isinstance(expr, relay.Var):
            last = [given[len(values)]]
        elif isinstance(expr, relay.Call):
            arguments = [values[a.handle.value][0] for a in expr.args]
            last = [tvm.nd.array(a) for a in _run(functions, str(expr.op.name_hint), arguments)]
        elif isinstance(expr, relay.TupleGetItem):
            last = [values[expr.tuple_value.handle.value][expr.index]]
        else:
            last = [v for f in expr.fields for v in values[f.handle.value]]
        values[expr.handle.value] = last
    return [value.numpy() for value in last]


def _run(
    functions: Mapping[str, tuple[Any, Any]], name: str, arguments: Sequence[Any]
) -> list[Any]:
    kept = {v: f for n, (v, f) in functions.items() if n != "main" and not n.startswith("stage_")}
    module = tvm.IRModule({**kept, relay.GlobalVar("main"): functions[name][1]})
    module = relay.transform.InferType()(module)
    regions = [v for v in module.get_global_vars() if "Compiler" in (module[v].attrs or {})]
    if regions:
        module = relay.transform.InlineCompilerFunctionsBoundTo(regions)(module)
    with tvm.transform.PassContext(opt_level=1), quiet():
        executable = relay.vm.compile(module, target="llvm")
    machine = tvm.runtime.vm.VirtualMachine(executable, tvm.cpu())
    return flatten(machine.invoke("main", *arguments))


def array(*shape: int, dtype: str = "float32", seed: int = 0) -> Any:
    """Return values of a dtype, small enough to survive any of them."""
    return (np.random.default_rng(seed).random(shape) * 2).astype(dtype)


def const(*shape: int, dtype: str = "float32", seed: int = 7) -> Any:
    """Return a constant of Relay."""
    return relay.const(array(*shape, dtype=dtype, seed=seed), dtype)


def calls(function: Any) -> list[str]:
    """Return the ops of a function's calls, in order of their ids."""
    walked = traverse(function)
    return [o for o, k in zip(walked.ops, walked.kinds, strict=True) if k == "call"]


def operate(model: RelayModel, plan: Plan, *, portable: bool = False) -> Any:
    """Run a plan's passes one after the other."""
    module = model.ir
    for step in plan_passes(model, plan, portable=portable):
        module = step(module)
    return module


def agree(found: Sequence[Any], expected: Sequence[Any], tolerance: float = 1e-5) -> None:
    """Check that two lists of arrays are the same, type by type and value by value."""
    assert [(a.dtype, a.shape) for a in found] == [(a.dtype, a.shape) for a in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def flatten(value: Any) -> list[Any]:
    """Return the arrays in a VM result, left to right."""
    found, stack = [], [value]
    while stack:
        at = stack.pop()
        if isinstance(at, tvm.nd.NDArray):
            found.append(at.numpy())
        else:
            stack.extend(reversed(list(at)))
    return found
