"""From a divided graph to the stages of a plan, and what to tell the user about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import Graph, Module, Ref, runtime_dependent
from surgery.planning.crossing import Division, tensor_type
from surgery.planning.model import (
    BuildPlan,
    Crossing,
    Output,
    Region,
    Stage,
    StageInput,
    StageOutput,
    StageSettings,
)
from surgery.planning.settings import executor_for


def list_stages(
    module: Module,
    division: Division,
    outputs: Sequence[Output],
    build: BuildPlan,
    settings: Mapping[int, StageSettings],
    found: Collector,
) -> tuple[Stage, ...]:
    """Return the stages with their interfaces, weights and executors.

    Args:
        settings: What is asked of single stages, by number.
        found: Takes a note for each stage that needs another executor than asked for.
    """
    graph = module.main
    last = division.count - 1
    # What no op computes passes through the last stage.
    passed = {o.ref.node for o in outputs if division.stage_of[o.ref.node] < 0}
    place = {p: i for i, p in enumerate(graph.params)}
    arriving: list[list[Crossing]] = [[] for _ in range(division.count)]
    for crossing in division.crossings:
        for target in crossing.targets:
            arriving[target].append(crossing)
    leaving = _outputs(division, outputs)
    stages: list[Stage] = []
    for index in range(division.count):
        reads = division.leaves[index] | (passed if index == last else set())
        own = sorted(reads.intersection(place), key=place.__getitem__)
        weights = [p for p in own if graph.kinds[p] == "param"]
        nodes = division.nodes[index]
        executor, why = executor_for(module, nodes, build.executor)
        own_settings = settings.get(index, StageSettings())
        inputs = [
            StageInput(
                name=graph.names[p] or "",
                ref=Ref(p),
                type=tensor_type(graph, Ref(p)),
                source=None,
            )
            for p in own
            if graph.kinds[p] == "input"
        ]
        inputs += [
            StageInput(name=c.name, ref=c.ref, type=c.type, source=c.source)
            for c in arriving[index]
        ]
        stages.append(
            Stage(
                index=index,
                name=f"stage{index}",
                nodes=tuple(nodes),
                recomputed=tuple(division.recomputed[index]),
                inputs=tuple(inputs),
                outputs=tuple(leaving[index]),
                params=tuple(graph.names[p] or "" for p in weights),
                param_bytes=sum(tensor_type(graph, Ref(p)).nbytes or 0 for p in weights),
                op_count=sum(1 for n in nodes if graph.kinds[n] == "call"),
                target=own_settings.target or build.target,
                opt_level=build.opt_level
                if own_settings.opt_level is None
                else own_settings.opt_level,
                executor=executor,
                executor_reason=why,
                threads=own_settings.threads,
            )
        )
        if why and build.executor == "graph":
            _note(found, "S289", f"stage {index} is built for TVM's VM: {why}")
    return tuple(stages)


def _outputs(division: Division, outputs: Sequence[Output]) -> list[list[StageOutput]]:
    """Return each stage's outputs: public ones first, in order; then what only later ones need."""
    listed: list[list[StageOutput]] = [[] for _ in range(division.count)]
    seen: set[Ref] = set()
    indices: set[int] = set()
    for output in outputs:
        if output.index in indices:
            continue
        # An output the model returns twice stays two outputs, each under its own name. What no
        # op computes (-1) passes through the last stage.
        indices.add(output.index)
        seen.add(output.ref)
        listed[division.stage_of[output.ref.node]].append(
            StageOutput(name=output.name, ref=output.ref, type=output.type, public=True)
        )
    for crossing in division.crossings:
        if crossing.ref not in seen:
            listed[crossing.source].append(
                StageOutput(name=crossing.name, ref=crossing.ref, type=crossing.type, public=False)
            )
    return listed


def place_regions(
    module: Module, stage_of: Sequence[int], regions: Sequence[Region]
) -> tuple[Region, ...]:
    """Return the regions with those of other functions in the first stage that calls these."""
    if all(r.function == "main" for r in regions):
        return tuple(regions)
    first: dict[str, int] = {}
    pending = sorted(
        (stage_of[id_], op[1:])
        for id_, op in enumerate(module.main.ops)
        if op[:1] == "@" and stage_of[id_] >= 0
    )
    for stage, called in pending:
        stack = [called]
        while stack:
            name = stack.pop()
            if name not in first and name in module.functions:
                first[name] = stage
                stack.extend(op[1:] for op in module.functions[name].ops if op[:1] == "@")
    return tuple(replace(r, stage=first.get(r.function, r.stage)) for r in regions)


def hint(graph: Graph, division: Division, found: Collector) -> None:
    """Note what crosses for nothing, what is computed twice, and what only weights decide."""
    for crossing in division.crossings:
        if not crossing.runtime_dependent:
            label = graph.label(crossing.ref)
            _note(
                found,
                "S290",
                f"{crossing.name} ({label}) depends on no runtime input, yet crosses at every run",
                f"`share {label} by recompute` would cost no traffic",
            )
    for stage, again in enumerate(division.recomputed):
        if again:
            ops = sum(1 for n in again if graph.kinds[n] == "call")
            _note(
                found, "S291", f"stage {stage} computes {ops} ops again instead of receiving them"
            )
    if division.count < 2 or "param" not in graph.kinds:
        return
    depends = runtime_dependent(graph)
    for stage in range(1, division.count):
        own = [n for n in division.nodes[stage] if graph.kinds[n] == "call" and not depends[n]]
        if own:
            shown = ", ".join([*(graph.label(n) for n in own[:4]), *(["..."] if own[4:] else [])])
            _note(found, "S292", f"{shown}: weight-only, computed in stage {stage} itself")


def _note(found: Collector, code: str, message: str, remedy: str = "") -> None:
    found.add(Diagnostic(code=code, severity="note", message=message, remedy=remedy))
