"""Values as TVM's own kernels compute them: what `tap --debug-executor` reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from surgery.api.picking import Picked
from surgery.api.reading import Progress
from surgery.diagnostics import Diagnostic, SurgeryError, error
from surgery.engines.base import Engine, EngineModel, Kernel
from surgery.graph import Graph, Ref
from surgery.planning import BuildPlan
from surgery.planning.settings import executor_for

if TYPE_CHECKING:
    from surgery.engines.base import Array

#: How many values that can't be read are named.
_NAMED = 6


def kernel_values(
    engine: Engine,
    model: EngineModel,
    picked: Sequence[Picked],
    inputs: Mapping[str, Array],
    build: BuildPlan,
    every: bool,
    tell: Progress,
) -> tuple[Iterator[tuple[Ref, Array]], list[Picked], dict[Ref, str], list[Diagnostic]]:
    """Build a model as it is, and say which of some values its kernels give.

    Args:
        every: Whether all values were asked for: those that aren't there are counted, not named.

    Returns:
        The values as they are computed, those that will come, the kernel of each, and a warning
        about the others.

    Raises:
        SurgeryError: S372 none of them is there; S373 the graph executor doesn't run the model;
            what building raises.
    """
    graph = model.module.main
    executor, why = executor_for(model.module, range(len(graph)), build.executor)
    regions = any("Compiler" in g.function_attrs for g in model.module.functions.values())
    if executor != "graph" or regions:
        raise error(
            "S373",
            "the debug executor doesn't run this model",
            reason="it has offload regions" if regions else why or f"it is for TVM's {executor}",
            remedy="read its values without --debug-executor",
        )
    tell("building the model as it is")
    built = engine.debug(model, build)
    found: dict[Ref, tuple[Kernel, int]] = {}
    for kernel in built.kernels:
        for place, ref in kernel.values.items():
            found.setdefault(ref, (kernel, place))
    there = [p for p in picked if p.ref in found]
    gone = [p for p in picked if p.ref not in found]
    if not there:
        raise SurgeryError([_left_out(graph, gone, built.kernels, every, "error")])
    places = {(found[p.ref][0].node, found[p.ref][1]): p.ref for p in there}

    def values() -> Iterator[tuple[Ref, Array]]:
        for place, value in built.run(inputs, places):
            yield places[place], value

    notes = [_left_out(graph, gone, built.kernels, every, "warning")] if gone else []
    return values(), there, {p.ref: found[p.ref][0].name for p in there}, notes


def _left_out(
    graph: Graph,
    gone: Sequence[Picked],
    kernels: Sequence[Kernel],
    every: bool,
    severity: str,
) -> Diagnostic:
    inside = {op: kernel.name for kernel in kernels for op in kernel.ops}
    fused = sum(p.ref.node in inside for p in gone)
    said = [
        f"{p.label} is inside {inside[p.ref.node]}"
        if p.ref.node in inside
        else f"{p.label} is {graph.kinds[p.ref.node]}: no kernel computes it"
        if graph.kinds[p.ref.node] != "call"
        else f"{p.label} ({graph.ops[p.ref.node]}) was folded, or put into other ops"
        for p in ([] if every else gone[:_NAMED])
    ]
    more = [f"and {len(gone) - _NAMED} more"] if not every and len(gone) > _NAMED else []
    return Diagnostic(
        code="S372",
        severity="error" if severity == "error" else "warning",
        message=f"{len(gone)} values are no result of a kernel of this build"
        if len(gone) > 1
        else f"{gone[0].label} is no result of a kernel of this build",
        reason="; ".join([*said, *more])
        or f"{fused} are inside a fused kernel, {len(gone) - fused} folded or put into other ops",
        remedy="read them without --debug-executor, or at `--opt 0`, where nothing is fused",
    )
