"""Checks on composites: what their kernels will be called with, and what they compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from surgery.diagnostics import Diagnostic
from surgery.doctor.boundaries import Boundary
from surgery.doctor.checks_region import call_fault, count, is_nested, returns_nested
from surgery.doctor.composites import Composite, argument_label, bodies, post_order
from surgery.doctor.places import Places
from surgery.doctor.remedy import named_ops, pattern_of, statement_of
from surgery.graph import Graph, TupleType, runtime_dependent
from surgery.graph.ops import operand_role


def check_composites(
    inner: Sequence[Composite], region: Boundary | None, places: Places
) -> list[Diagnostic]:
    """Check all composites of one region, or of a function that is none.

    Args:
        inner: The composites, of one function.
        region: The region; ``None`` outside of regions.
        places: Where things stand.
    """
    if not inner:
        return []
    inside = bodies(inner)
    moving = runtime_dependent(inner[0].graph, frozenset(region.params if region else ()))
    backend = None if region is None else region.backend
    found: list[Diagnostic] = []
    seen: set[int] = set()
    for composite in inner:
        body = inside[composite.literal]
        found += _call(composite, places)
        if region is not None:
            alone = len(inner) == 1
            found += _constants(composite, body, moving, region, places, alone=alone)
        if composite.literal in seen:
            continue
        seen.add(composite.literal)
        found += _boundary(composite, places)
        found += _name(composite, backend, places)
        found += _shape(composite, body, places)
        found += _unused(composite, body, backend, places)
    return found


def _where(composite: Composite) -> str:
    return f"{composite.title} in @{composite.graph.function}"


def _call(composite: Composite, places: Places) -> list[Diagnostic]:
    graph = composite.graph
    fault = call_fault(graph, composite.arguments, graph, composite.params, _where(composite))
    if not fault:
        return []
    return [
        Diagnostic(
            code="S321",
            message=fault,
            span=places.value(graph, composite.call),
            reason="The kernel reads as many buffers, of the types, as the composite's parameters "
            "say.",
            remedy="partition the original model again; the module was changed after",
        )
    ]


def _constants(
    composite: Composite,
    body: Graph | None,
    moving: bytearray,
    region: Boundary,
    places: Places,
    *,
    alone: bool,
) -> list[Diagnostic]:
    """Find constants bound in the region, which the composite takes as parameters."""
    graph = composite.graph
    pairs = list(zip(composite.params, composite.arguments, strict=False))
    known = [p for p, a in pairs if not moving[graph.resolve(a).node]]
    if not known:
        return []
    taken, given, total = len(composite.params), len(region.params), len(pairs)
    prefix = f"@{graph.function}:"
    notes = tuple(
        f"{graph.label(p).removeprefix(prefix)}: {graph.types[p]}{_role(graph, p)} is "
        f"{argument_label(graph, a, moving)}"
        for p, a in pairs
    )
    statement = statement_of(composite, body, region.backend)
    missing = (
        f"the region is called with {given + 1}, which the runtime refuses: "
        f"`num_args should be {taken + 1}`"
        if alone
        else f"at run time only {total - len(known)} and the output are there"
    )
    are = "is a constant" if len(known) == 1 else "are constants"
    return [
        Diagnostic(
            code="S320",
            message=f"region @{region.name} takes {count(given, 'argument')}, its "
            f"{composite.title} takes {taken}",
            span=places.value(graph, composite.literal),
            reason=f"{len(known)} of the {total} {are} bound in the region. A kernel made from the "
            f"composite's parameters would need {count(taken + 1, 'argument')} ({taken} and the "
            f"output); {missing}.",
            notes=notes,
            remedy=f"on the model before it was partitioned: `{statement}`, whose kernel takes "
            "exactly its runtime inputs"
            if statement
            else f"on the model before it was partitioned: `offload S to {region.backend}` with a "
            "selector S of these ops, whose kernel takes exactly its runtime inputs",
        )
    ]


def _role(graph: Graph, param: int) -> str:
    """Return who takes a parameter: `` (weight of nn.conv2d)``."""
    users = graph.users[param]
    if not users:
        return " (unused)"
    user = users[0]
    op = graph.ops[user] or graph.kinds[user]
    role = operand_role(op, graph.operands[user].index(param))
    return f" ({role} of {op})" if role else f" (of {op})"


def _boundary(composite: Composite, places: Places) -> list[Diagnostic]:
    graph = composite.graph
    found = [
        Diagnostic(
            code="S322",
            message=f"parameter {graph.label(p)} of the {_where(composite)} is a tuple: "
            f"{graph.types[p]}",
            span=places.value(graph, p),
            reason="A kernel takes tensors.",
            remedy="put the op that makes the tuple into the pattern",
        )
        for p in composite.params
        if isinstance(graph.types[p], TupleType)
    ]
    result = graph.types[composite.result]
    if returns_nested(graph, composite.result):
        found.append(
            Diagnostic(
                code="S323",
                message=f"the {_where(composite)} returns a tuple in a tuple"
                + (f": {result}" if is_nested(result) else ""),
                span=places.value(graph, composite.literal),
                reason="Results are flattened when a kernel is called.",
                remedy="end the pattern at one op; name the field that goes on, e.g. `split.0`",
            )
        )
    return found


def _name(composite: Composite, backend: str | None, places: Places) -> list[Diagnostic]:
    graph = composite.graph
    span = places.value(graph, composite.literal)
    prefix = composite.name.partition(".")[0]
    if backend is None:
        mark = f'run `AnnotateTarget("{prefix or "BACKEND"}")`, `MergeCompilerRegions()` and '
        remedy = (
            f"{mark}`PartitionGraph()`, or give the model before MergeComposite to `surgery apply`"
        )
        if composite.graph.function_attrs.get("Primitive") == 1:
            # PartitionGraph made it: only the attribute is gone.
            remedy = f'give @{composite.graph.function} its `Compiler="{prefix or "BACKEND"}"` back'
        return [
            Diagnostic(
                code="S330",
                message=f"the {_where(composite)} is in no region",
                span=span,
                reason="Only a function with `Compiler` goes to a backend; TVM can't build a "
                "composite that is left in the model.",
                remedy=remedy,
            )
        ]
    if not composite.name:
        return [
            Diagnostic(
                code="S325",
                message=f"the {_where(composite)} has no name: its `Composite` is missing",
                span=span,
                reason=f"{backend} finds the kernel of a composite by this attribute.",
                remedy=f'give it the name that its pattern has: `Composite="{backend}.NAME"`',
            )
        ]
    if prefix != backend:
        return [
            Diagnostic(
                code="S325",
                message=f"the {_where(composite)} is not one of {backend}'s",
                span=span,
                reason=f"The region goes to {backend}, which knows composites named `{backend}.` "
                "only.",
                remedy=f"name it `{backend}.{composite.name.partition('.')[2] or prefix}`, or "
                f"annotate with the target {prefix}",
            )
        ]
    return []


def _shape(composite: Composite, body: Graph | None, places: Places) -> list[Diagnostic]:
    """Compare the ops of a composite with those that its pattern names."""
    named = named_ops(composite.shape) if composite.shape else None
    if named is None or body is None:
        return []
    ops = [body.ops[i] for i in post_order(body)]
    wanted, held = Counter(named), Counter(ops)
    lacking, more = sorted((wanted - held).elements()), sorted((held - wanted).elements())
    if ops == named:
        return []
    said = [f"lacks {', '.join(lacking)}"] if lacking else []
    said += [f"also holds {', '.join(more)}"] if more else []
    if not said:
        said = [f"has its ops in another order: {', '.join(ops)}"]
    return [
        Diagnostic(
            code="S328",
            message=f"the {_where(composite)} {' and '.join(said)}",
            span=places.value(composite.graph, composite.literal),
            reason=f"It was partitioned from {composite.shape}; a backend that goes by the "
            "composite's name computes something else than its body.",
            remedy="run passes that rewrite ops (SimplifyInference, FoldConstant) before "
            "MergeComposite, not after",
        )
    ]


def _unused(
    composite: Composite, body: Graph | None, backend: str | None, places: Places
) -> list[Diagnostic]:
    graph = composite.graph
    idle = [p for p in composite.params if not graph.users[p] and p != composite.result]
    if not idle:
        return []
    prefix = f"@{graph.function}:"
    shown = ", ".join(f"{graph.label(p).removeprefix(prefix)}: {graph.types[p]}" for p in idle)
    chain = pattern_of(body)
    left = f" and computes only {chain}" if chain else ""
    target = backend or composite.name.partition(".")[0] or "BACKEND"
    return [
        Diagnostic(
            code="S329",
            message=f"the {_where(composite)} never uses {count(len(idle), 'parameter')}{left}",
            span=places.value(graph, composite.literal),
            reason=f"{shown}. TVM's MergeComposite lets an operand of a pattern be an op of the "
            "same match: that op then stays outside, and what it took is a parameter without use.",
            remedy=f"on the model before it was partitioned: `offload pattern P to {target}` with "
            "the whole pattern P; surgery refuses such a site and says which operand it is",
        )
    ]
