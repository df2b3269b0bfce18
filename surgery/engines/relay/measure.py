"""Times groups of ops as they would be built: each distinct one alone, with one thread."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.apart import run_apart
from surgery.engines.relay.build import STACK, quiet
from surgery.engines.relay.execute import limit_threads
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.machine import unrunnable
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.named_values import compiling
from surgery.engines.relay.options import checked_config
from surgery.engines.relay.rebuild import Rebuilder
from surgery.engines.relay.target import checked_target
from surgery.engines.relay.times import TimeCache, processor
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.graph import Graph, Ref, TensorType, runtime_dependent
from surgery.planning.fusion import group_signature
from surgery.planning.model import BuildPlan
from surgery.planning.timing import Timings

tvm = load_tvm()
relay = tvm.relay

#: Measurements of one kernel; the shortest counts, as whatever else the machine does only adds.
#: Each runs for this many milliseconds at least.
REPEATS = 20
LEAST_MILLISECONDS = 3
#: Names of kernels that only change a layout, as TVM makes them up.
_LAYOUT_ONLY = re.compile(r"fused(_layout_transform)+(_\d+)?$")


def time_groups(
    model: RelayModel,
    groups: Sequence[tuple[int, ...]],
    build: BuildPlan,
    progress: Callable[..., None],
) -> Timings:
    """Measure groups of ids of ``@main``, those of one signature once.

    Weights and what they decide are constants of random values, as in a build; everything else is
    an input of zeros.

    Raises:
        SurgeryError: S279 code for the target doesn't run on this machine; S410, S411 the target or
            a configuration key is unknown.
    """
    target = checked_target(build.target)
    config = checked_config(dict(build.config))
    _require_runnable(build.target)
    graph = model.module.main
    depends = runtime_dependent(graph)
    fixed = bytearray(not d for d in depends)
    cache = TimeCache(build, build.target)
    known: dict[str, int] = {}
    failed: dict[str, str] = {}
    missing: dict[str, tuple[int, ...]] = {}
    signatures: list[str] = []
    for group in groups:
        reason = _unmeasurable(graph, group)
        signature = reason or group_signature(graph, group, fixed)
        signatures.append(signature)
        if signature in known or signature in failed or signature in missing:
            continue
        if reason:
            failed[signature] = reason
            continue
        time = cache.find(signature)
        if time is None:
            missing[signature] = group
        else:
            known[signature] = time
    cached = len(known)
    for count, (signature, group) in enumerate(missing.items()):
        progress("timing ops", count, len(missing))
        time_or_reason = _measured(model, group, fixed, build, target, config)
        if isinstance(time_or_reason, str):
            failed[signature] = time_or_reason
        else:
            known[signature] = time_or_reason
            cache.keep(signature, time_or_reason)
    if missing:
        progress("timing ops", len(missing), len(missing))
    return Timings(
        nanoseconds=tuple(known.get(s) for s in signatures),
        measured=len(known) - cached,
        cached=cached,
        conditions=f"{processor()}, {build.target} opt {build.opt_level}, one thread, "
        f"TVM {tvm.__version__}",
        reasons={i: failed[s] for i, s in enumerate(signatures) if s in failed},
        notes=tuple(cache.faults),
    )


def _unmeasurable(graph: Graph, group: Sequence[int]) -> str:
    """Return why a group can't be built alone, or ''."""
    for id_ in group:
        if graph.kinds[id_] != "call":
            return f"it is no op ({graph.kinds[id_]})"
        if graph.ops[id_] == "fn" or graph.ops[id_][:1] == "@":
            return "it calls a function"
    return ""


def _measured(
    model: RelayModel,
    group: Sequence[int],
    fixed: bytearray,
    build: BuildPlan,
    target: Any,
    config: dict[str, Any],
) -> int | str:
    """Return a group's nanoseconds a run, or why there are none."""

    def work() -> int:
        module, weights, inputs = _alone(model, group, fixed)
        with quiet():
            library = compiling(
                lambda: relay.build(module, target=target, params=weights),
                config,
                opt_level=build.opt_level,
                disabled_pass=list(build.disable),
            )
        limit_threads(1)  # of this thread's own pool, which ends with the measurement
        return max(1, round(_seconds(library, {**inputs, **library.get_params()}) * 1e9))

    with diagnosed() as found:
        try:
            return run_apart(work, STACK)
        except SurgeryError as failure:
            return failure.diagnostics[0].message
        except Exception as failure:
            return engine_error(failure, found)


def _seconds(library: Any, inputs: Mapping[str, Any]) -> float:
    """Return how long a group's kernels run, each timed by itself with TVM's debug executor.

    A kernel that does nothing but change a layout isn't counted: it is there since the group stands
    alone, where its neighbours in the whole net would agree on a layout.
    """
    graph = library.get_graph_json()
    create = tvm.get_global_func("tvm.graph_executor_debug.create")
    machine = create(graph, library.get_lib(), tvm.cpu().device_type, 0)
    for name, array in inputs.items():
        machine["set_input"](name, array)
    times: list[tuple[str, float]] = []
    for index, node in enumerate(json.loads(graph)["nodes"]):
        name = str(node.get("attrs", {}).get("func_name", ""))
        if node["op"] == "tvm_op" and name != "__nop":
            packed = machine["run_individual_node"](
                index, 1, REPEATS, LEAST_MILLISECONDS, 100, 0, 1
            )
            times.append((name, min(struct.unpack(f"@{REPEATS}d", bytes(packed)))))
    own = [seconds for name, seconds in times if not _LAYOUT_ONLY.search(name)]
    return sum(own or [seconds for _, seconds in times])


def _alone(
    model: RelayModel, group: Sequence[int], fixed: bytearray
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a group as a module of its own, its weights, and its inputs by name."""
    graph = model.module.main
    inside = set(group)
    replace: dict[Ref, Any] = {}
    weights: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    random = np.random.default_rng(0)
    for id_ in group:
        for operand in graph.operands[id_]:
            for ref in graph.leaves(graph.resolve(operand)):
                if ref.node in inside or ref in replace:
                    continue
                is_constant = graph.kinds[ref.node] == "constant"
                if is_constant and graph.attrs[ref.node].get("value") is not None:
                    continue
                type_ = graph.type_of(ref)
                if not isinstance(type_, TensorType):
                    raise error("S275", f"{graph.label(ref)} is no tensor")
                shape = tuple(int(d) for d in type_.shape)
                name = f"v{len(replace)}"
                replace[ref] = relay.var(name, shape=shape, dtype=type_.dtype)
                if fixed[ref.node]:
                    weights[name] = tvm.nd.array(_values(random, shape, type_.dtype))
                else:
                    inputs[name] = tvm.nd.array(np.zeros(shape, type_.dtype))
    # A batch_norm whose statistics are results too could not be simplified.
    results = graph.leaves(Ref(group[-1]))
    outputs = [r for r in results if not r.path or r in graph.field_nodes or r in graph.outputs]
    builder = Rebuilder(graph=graph, exprs=model.exprs["main"], replace=replace)
    values = builder.values(outputs or results)
    body = values[0] if len(values) == 1 else relay.Tuple(values)
    module = tvm.IRModule.from_expr(relay.Function(list(replace.values()), body))
    return relay.transform.InferType()(module), weights, inputs


def _values(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    if dtype.startswith("float"):
        return random.uniform(0.1, 1.0, shape).astype(dtype)
    return np.ones(shape, dtype)


def _require_runnable(text: str) -> None:
    """Refuse a target whose code this machine can't run.

    Raises:
        SurgeryError: S279.
    """
    reason = unrunnable(text)
    if reason:
        raise error(
            "S279",
            f'code for "{text}" can\'t be measured here',
            reason=reason,
            remedy="balance by flops or bytes, or plan on a machine that runs it",
        )
