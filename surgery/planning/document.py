"""``plan.json``: the resolved plan as a deterministic document, without times or absolute paths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

from surgery.graph import Dim, Graph, Module, Ref, Resolved, TensorType, ValueType
from surgery.planning.model import (
    Balance,
    Composite,
    Crossing,
    Plan,
    Region,
    Rejected,
    Stage,
    StageInput,
)
from surgery.planning.sharing import ShareCost
from surgery.source import Span

Json = dict[str, object]


def plan_json(plan: Plan) -> Json:
    """Return a plan as JSON-ready data.

    The same spec and model give the same document; a spec's text and YAML forms differ in
    ``place`` only. Sizes are in bytes; shapes are lists, outermost dimension first.
    """
    module = plan.module
    return {
        "plan": 1,
        "engine": plan.engine,
        "model": PurePath(plan.model_path).name,
        "bind": {
            "params": list(plan.bind_params),
            "inputs": {n: type_json(t) for n, t in sorted(plan.bind_inputs.items())},
        },
        "prepare": [{"pass": name, "arguments": list(args)} for name, args in plan.prepare],
        "statements": [_statement(plan, i) for i in range(len(plan.statements))],
        "inputs": [_input(i) for i in plan.inputs],
        "outputs": [
            {
                "name": o.name,
                "index": o.index,
                "added": o.added,
                **value_json(module.main, o.ref),
                **type_json(o.type),
            }
            for o in plan.outputs
        ],
        "crossings": _crossings(plan),
        "recomputed": [
            _recomputed(module.main, v) for v in plan.sharing.values if v.recomputed
        ] if plan.sharing is not None else [],
        "stages": [_stage(module.main, s) for s in plan.stages],
        "balance": plan.balance and _balance(module.main, plan.balance),
        "backends": [
            {"name": b.name, "kind": b.kind, "source": b.source, "library": b.library,
             "implicit": b.implicit}
            for b in plan.backends
        ],
        "regions": [region_json(module, r) for r in plan.regions],
        "rejected": [_rejected(module, plan, r) for r in plan.rejected],
        "build": {
            "target": plan.build.target,
            "opt_level": plan.build.opt_level,
            "executor": plan.build.executor,
            "format": plan.build.format,
            "config": dict(plan.build.config),
            "disable": list(plan.build.disable),
        },
        "verify": {
            "inputs": plan.verify.inputs and relative(plan.verify.inputs),
            "seed": plan.verify.seed,
            "rtol": plan.verify.rtol,
            "atol": plan.verify.atol,
            "each": plan.verify.each,
        },
        **(
            {"pipeline": {"on": plan.pipeline.on, "depth": plan.pipeline.depth}}
            if plan.pipeline is not None
            else {}
        ),
        "notes": [
            {"code": n.code, "severity": n.severity, "message": n.message, "place": place(n.span)}
            for n in plan.notes
        ],
    }  # fmt: skip


def relative(path: str) -> str:
    """Return a path fit for a checked-in document: as given when relative, else its last part."""
    return PurePath(path).name if PurePath(path).is_absolute() else path


def place(span: Span | None) -> Json | None:
    """Return where something was written, or ``None``."""
    if span is None:
        return None
    return {"file": relative(span.source.path), "line": span.line, "column": span.column}


def type_json(type_: ValueType) -> Json:
    """Return ``shape`` and ``dtype`` of a tensor (both ``None`` when not known)."""
    if not isinstance(type_, TensorType) or type_.dtype == "?":
        return {"shape": None, "dtype": None}
    shape: list[Dim] = list(type_.shape)
    return {"shape": shape, "dtype": type_.dtype}


def value_json(graph: Graph, ref: Ref) -> Json:
    """Return what identifies a value: id, number, label, op, source name."""
    number = graph.numbers[ref.node]
    return {
        "id": ref.node,
        "path": list(ref.path),
        "number": None if number is None else f"%{number}",
        "value": graph.label(ref),
        "op": graph.ops[ref.node] or graph.kinds[ref.node],
        "source_name": graph.names[ref.node],
    }


def _statement(plan: Plan, index: int) -> Json:
    statement = plan.statements[index]
    found: Json = {
        "text": statement.text,
        "place": place(statement.span),
        "resolved": [_resolved(plan.module, r) for r in statement.resolved],
    }
    if statement.offload:
        count = plan.count_sites(index)
        found["sites"] = {
            "taken": count.taken,
            "rejected": count.rejected,
            "kept_out": count.kept_out,
            "regions": count.regions,
        }
    return found


def _resolved(module: Module, resolved: Resolved) -> Json:
    graph = module.functions[resolved.function]
    ref = resolved.ref
    number = graph.numbers[ref.node]
    return {
        "function": resolved.function,
        "id": ref.node,
        "number": None if number is None else "".join([f"%{number}", *(f".{i}" for i in ref.path)]),
        "op": graph.ops[ref.node] or graph.kinds[ref.node],
        "name": graph.names[ref.node],
        **type_json(graph.type_of(ref)),
    }


def _input(given: StageInput) -> Json:
    return {"name": given.name, **type_json(given.type)}


def _crossings(plan: Plan) -> list[Json]:
    costs: Sequence[ShareCost] = plan.sharing.values if plan.sharing is not None else ()
    known = {v.ref: v for v in costs if not v.recomputed}
    return [
        {
            **_crossing(plan.module.main, c),
            "recompute": _again(known[c.ref]) if c.ref in known else None,
        }
        for c in plan.crossings
    ]


def _again(value: ShareCost) -> Json:
    """Return what computing a value again costs a run."""
    return {"ops": value.ops, "flops": value.flops, "folded": value.folded}


def _recomputed(graph: Graph, value: ShareCost) -> Json:
    return {
        "name": value.name,
        **value_json(graph, value.ref),
        **type_json(graph.type_of(value.ref)),
        "from": value.source,
        "to": list(value.targets),
        "bytes_saved": value.nbytes,
        "recompute": _again(value),
    }


def _balance(graph: Graph, balance: Balance) -> Json:
    return {
        "statement": balance.statement,
        "by": balance.by,
        "unit": {"flops": "FLOP", "bytes": "byte", "time": "ns"}[balance.by],
        "costs": list(balance.costs),
        "slowest": max(balance.costs),
        "places": [
            {
                "after": [value_json(graph, Ref(n)) for n in p.nodes],
                "live_bytes": p.nbytes,
                "asked": p.asked,
            }
            for p in balance.places
        ],
        "live_bytes": sum(p.nbytes for p in balance.places),
        "alternatives": [
            {
                "after": [graph.label(n) for n in o.nodes],
                "costs": list(o.costs),
                "slowest": max(o.costs),
                "live_bytes": o.nbytes,
            }
            for o in balance.others
        ],
        "unknown_ops": list(balance.unknown),
        "folded": balance.folded,
        "notes": list(balance.notes),
    }


def _crossing(graph: Graph, crossing: Crossing) -> Json:
    return {
        "name": crossing.name,
        **value_json(graph, crossing.ref),
        **type_json(crossing.type),
        "bytes": crossing.type.nbytes,
        "from": crossing.source,
        "to": list(crossing.targets),
        "uses": [graph.label(u) for u in crossing.uses],
        "runtime_dependent": crossing.runtime_dependent,
    }


def _stage(graph: Graph, stage: Stage) -> Json:
    return {
        "name": stage.name,
        "ops": stage.op_count,
        "recomputed_ops": sum(1 for n in stage.recomputed if graph.kinds[n] == "call"),
        "params": list(stage.params),
        "param_bytes": stage.param_bytes,
        "inputs": [
            {
                "name": i.name,
                **type_json(i.type),
                "from": {"input": i.name} if i.source is None
                else {"stage": i.source, "output": i.name},
            }
            for i in stage.inputs
        ],
        "outputs": [
            {"name": o.name, **type_json(o.type), "public": o.public} for o in stage.outputs
        ],
        "target": stage.target,
        "opt_level": stage.opt_level,
        "executor": stage.executor,
        "executor_reason": stage.executor_reason,
        "threads": stage.threads,
    }  # fmt: skip


def region_json(module: Module, region: Region) -> Json:
    """Return a region with its kernel's signature, as plan and recipe list it."""
    graph = module.functions[region.function]
    return {
        "symbol": region.symbol,
        "backend": region.backend,
        "composite": region.composite,
        "pattern": region.pattern,
        "function": region.function,
        "calls": _calls(module, region.function),
        "ops": [graph.ops[n] for n in region.nodes if graph.kinds[n] == "call"],
        "values": [graph.label(n) for n in region.nodes],
        "stage": region.stage,
        "inputs": [
            {"name": a.name, **type_json(a.type), "value": graph.label(a.ref)}
            for a in region.arguments
        ],
        "constants": [
            {
                "name": c.name,
                **type_json(c.type),
                "bytes": c.type.nbytes,
                "value": graph.label(c.node),
                **_scalar(graph, c.node),
                "embedded": c.embedded,
            }
            for c in region.constants
        ],
        "outputs": [
            {**type_json(t), "value": graph.label(r)}
            for r, t in zip(region.outputs, region.output_types, strict=True)
        ],
        "captures": {k: [graph.label(n) for n in v] for k, v in sorted(region.captures.items())},
        "composites": [_composite(graph, region, c) for c in region.composites],
        "notes": list(region.notes),
        "statement": region.statement,
    }


def _scalar(graph: Graph, node: int) -> Json:
    """Return the value of a scalar constant; JSON has no NaN and no infinity: as text."""
    value = graph.attrs[node].get("value") if graph.kinds[node] == "constant" else None
    if value is None:
        return {}
    known = not isinstance(value, float) or math.isfinite(value)
    return {"scalar": value if known else str(value)}


def _composite(graph: Graph, region: Region, composite: Composite) -> Json:
    return {
        "name": composite.name,
        "kernel": composite.kernel,
        "pattern": composite.pattern,
        "values": [graph.label(n) for n in composite.nodes],
        "operands": [
            {
                "name": operand.name,
                **type_json(operand.type),
                "source": list(operand.source),
                "inplace": index in composite.inplace,
            }
            for index, operand in enumerate(composite.operands)
        ],
        "outputs": [
            {**type_json(t), "value": graph.label(r)}
            for r, t in zip(composite.outputs, composite.output_types, strict=True)
        ],
        "statement": composite.statement,
    }


def _calls(module: Module, function: str) -> int:
    """Count the call sites of a function in the module (1 for ``main``)."""
    return 1 if function == "main" else module.call_counts.get(f"@{function}", 0)


def _rejected(module: Module, plan: Plan, rejected: Rejected) -> Json:
    graph = module.functions[rejected.function]
    return {
        "statement": rejected.statement,
        "pattern": plan.statements[rejected.statement].text,
        "function": rejected.function,
        **value_json(graph, Ref(rejected.node)),
        "matched": [graph.label(n) for n in rejected.matched],
        "reason": rejected.reason,
        "excluded": rejected.excluded,
        "distant": rejected.distant,
    }


def signature(module: Module, region: Region) -> str:
    """Return a kernel's signature as one line: ``bmlib_0(data: float32(1,8)) -> float32(1,8)``."""
    arguments: Sequence[str] = [
        *(f"{a.name}: {a.type}" for a in region.arguments),
        *(f"{c.name}: {c.type}" for c in region.constants if not c.embedded),
    ]
    results = ", ".join(str(t) for t in region.output_types)
    if len(region.output_types) != 1:
        results = f"({results})"
    return f"{region.symbol}({', '.join(arguments)}) -> {results}"


def kernel_signature(composite: Composite) -> str:
    """Return a composite's kernel as one line: ``bm_block_k0(data: float32(1,8)) -> ...``."""
    operands = ", ".join(
        f"{o.name}: {o.type}" + (" in place" if i in composite.inplace else "")
        for i, o in enumerate(composite.operands)
    )
    results = ", ".join(str(t) for t in composite.output_types)
    if len(composite.output_types) != 1:
        results = f"({results})"
    return f"{composite.kernel}({operands}) -> {results}"
