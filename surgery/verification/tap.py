"""Reads the values of intermediates: a model is built with them as outputs, and run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from surgery.engines.base import Array, BackendBuild, Engine, EngineModel, StageBuild
from surgery.graph import Graph, Module, Ref, TensorType, ancestors
from surgery.planning import BuildPlan, Output, Plan, StageInput, VerifyPlan
from surgery.planning.crossing import tensor_type
from surgery.planning.cuts import conditional
from surgery.planning.settings import executor_for

#: A value exists twice while it is read: in the executor, and as the copy that is handed out.
COPIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """What it takes to build a model that has offload regions in it.

    Attributes:
        folder: The output folder that holds the files of the backends.
        builds: How each backend makes code, by name; paths are relative to ``folder``.
    """

    folder: Path
    builds: Mapping[str, BackendBuild] = field(default_factory=dict)


def tap_batches(
    graph: Graph, refs: Sequence[Ref], memory: int | None
) -> tuple[tuple[Ref, ...], ...]:
    """Divide values into builds whose results fit into memory.

    A graph executor keeps every output alive until the run is over, so what limits a run is the
    sum of its outputs. Values stay in the given order; one that is larger than the bound has a
    run of its own. A size that isn't static counts as nothing.

    Args:
        memory: Bytes for the values of one run; ``None``: all in one.
    """
    if memory is None:
        return (tuple(refs),) if refs else ()
    sizes = [COPIES * value_bytes(graph, ref) for ref in refs]
    starts = [0]
    used = 0
    for place, size in enumerate(sizes):
        if used and used + size > memory:
            starts.append(place)
            used = 0
        used += size
    return tuple(tuple(refs[a:b]) for a, b in pairwise([*starts, len(refs)]) if b > a)


def value_bytes(graph: Graph, ref: Ref) -> int:
    """Return the size of a tensor in bytes; 0 where its type doesn't tell."""
    type_ = graph.type_of(ref)
    return (type_.nbytes or 0) if isinstance(type_, TensorType) else 0


def tap_stream(
    engine: Engine,
    model: EngineModel,
    refs: Sequence[Ref],
    inputs: Mapping[str, Array],
    *,
    build: BuildPlan | None = None,
    memory: int | None = None,
    whole: bool = True,
    backends: Backends | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Ref, Array]]:
    """Yield the values of tensors of ``@main`` one by one, as they are computed.

    The model is built with the wanted tensors as outputs, so that they are materialised: an op
    that was fused with its user is a kernel of its own then. One build does, in memory that
    doesn't grow with the number of values, where TVM's graph executor runs the model. For its VM,
    and with offload regions, it takes as many as :func:`tap_batches` says.

    Args:
        refs: Tensors, not inside a branch or function literal; each is given once, in any order.
        inputs: All runtime inputs by name, checked (:func:`surgery.runtime.check_inputs`).
        build: Target, level and the rest; TVM's executor is its VM where the model needs that.
        memory: Bytes that the values of one run may take (:func:`tap_batches`).
        whole: Build the whole model each time, so that what else it computes is as it is without
            the taps. Otherwise only what the values of the run depend on is built.
        backends: Of a model with offload regions.
        on_batch: Called with the number of builds that are done, and of all, before each build.

    Raises:
        SurgeryError: The engine can't build or run it; S271 a value inside a branch.
    """
    graph = model.module.main
    wanted = tuple(dict.fromkeys(refs))
    for ref in wanted:
        if graph.scopes[ref.node]:
            raise conditional(graph, ref.node, None, "read from outside")
    how = build or BuildPlan()
    regions = any("Compiler" in g.function_attrs for g in model.module.functions.values())
    own = graph.outputs if whole else ()
    executor, _ = executor_for(model.module, _needed(model.module, [*wanted, *own]), how.executor)
    steps = executor == "graph" and backends is None and not regions
    batches = tap_batches(graph, wanted, None if steps else memory)
    for done, batch in enumerate(batches):
        if on_batch is not None:
            on_batch(done, len(batches))
        # The model's own outputs first: one that returns all of it already is built as it is.
        outputs = (*own, *(r for r in batch if r not in set(own)))
        plan = _plan(engine, model, outputs, replace(how, executor=executor))
        left = set(batch)
        results = (
            engine.stepwise(model, plan, how, inputs)
            if steps
            else enumerate(_run(engine, model, plan, inputs, backends))
        )
        for place, value in results:
            if outputs[place] in left:
                left.remove(outputs[place])
                yield outputs[place], value


def tap_values(
    engine: Engine,
    model: EngineModel,
    refs: Sequence[Ref],
    inputs: Mapping[str, Array],
    *,
    build: BuildPlan | None = None,
    memory: int | None = None,
    whole: bool = True,
    backends: Backends | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> Iterator[dict[Ref, Array]]:
    """Yield the values of tensors of ``@main`` in mappings that fit into memory together.

    As :func:`tap_stream`, but with several values at a time; in the order asked for, unless that
    takes several mappings.
    """
    graph = model.module.main
    order = {ref: place for place, ref in enumerate(dict.fromkeys(refs))}
    held: dict[Ref, Array] = {}
    used = 0
    for ref, value in tap_stream(
        engine, model, refs, inputs, build=build, memory=memory, whole=whole, backends=backends,
        on_batch=on_batch,
    ):  # fmt: skip
        size = COPIES * value_bytes(graph, ref)
        if held and memory is not None and used + size > memory:
            yield {r: held[r] for r in sorted(held, key=order.__getitem__)}
            held, used = {}, 0
        held[ref] = value
        used += size
    if held:
        yield {r: held[r] for r in sorted(held, key=order.__getitem__)}


def _run(
    engine: Engine,
    model: EngineModel,
    plan: Plan,
    inputs: Mapping[str, Array],
    backends: Backends | None,
) -> list[Array]:
    """Build a library and run it: for the VM, and for regions, whose code has to be linked."""
    build = plan.build
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        saved = engine.save_reference(model, plan, folder)
        if backends is not None and (backends.folder / "backends").is_dir():
            (folder / "backends").symlink_to((backends.folder / "backends").resolve())
        stage = StageBuild(
            folder=folder,
            module=saved.module,
            params=saved.params,
            library="tap.so",
            target=build.target,
            opt_level=build.opt_level,
            executor=build.executor,
            config=dict(build.config),
            disabled_passes=build.disable,
            backends=backends.builds if backends is not None else {},
        )
        engine.build_stage(stage)
        names = [i.name for i in plan.inputs]
        return engine.open_stage(folder, stage.library, stage.executor, names)(inputs)


def _needed(module: Module, refs: Sequence[Ref]) -> list[int]:
    """Return the ids that values depend on, and themselves."""
    mask = ancestors(module.main, [r.node for r in refs])
    return [id_ for id_ in range(len(module.main)) if mask[id_]]


def _plan(engine: Engine, model: EngineModel, refs: Sequence[Ref], build: BuildPlan) -> Plan:
    """Return a plan that does nothing but return some tensors."""
    graph = model.module.main
    return Plan(
        engine=engine.name,
        model_path=model.path,
        module=model.module,
        statements=(),
        inputs=tuple(
            StageInput(
                name=graph.names[p] or "", ref=Ref(p), type=tensor_type(graph, Ref(p)), source=None
            )
            for p in graph.params
            if graph.kinds[p] == "input"
        ),
        outputs=tuple(
            Output(name=f"out{i}", ref=r, index=i, added=True, type=tensor_type(graph, r))
            for i, r in enumerate(refs)
        ),
        crossings=(),
        stages=(),
        regions=(),
        rejected=(),
        backends=(),
        build=build,
        verify=VerifyPlan(),
    )
