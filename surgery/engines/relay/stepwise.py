"""Builds a model in memory and runs it one kernel at a time, reading values as they are computed.

TVM's planner keeps every output of a graph in memory of its own until the run is over. Stepping
through the graph needs each value only until its last reader has run, so storage is planned anew
here, and any number of values costs one build and one run in little more memory than the model.
"""

from __future__ import annotations

import ctypes
import json
import sys
from bisect import bisect_left, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surgery.engines.base import Kernel
from surgery.engines.relay.apart import apart
from surgery.engines.relay.build import DEEP, failing, on_large_stack, quiet
from surgery.engines.relay.codegen import region_target
from surgery.engines.relay.execute import run_failed
from surgery.engines.relay.kernels import Watcher, kernels_of, marked, unpacked
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.named_values import compiling
from surgery.engines.relay.options import check_passes, checked_config
from surgery.engines.relay.save import reference_module
from surgery.engines.relay.target import checked_target
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.graph import dtype_bits
from surgery.planning.model import BuildPlan, Plan

if TYPE_CHECKING:
    from surgery.engines.base import Array

tvm = load_tvm()
relay = tvm.relay

#: Kernels of this name compute nothing: the result is the operand's memory under another shape.
_ALIAS = "__nop"
_DROPS_SPANS = "ToBasicBlockNormalForm"


def stepwise(
    model: RelayModel, plan: Plan, build: BuildPlan, inputs: Mapping[str, Array]
) -> Iterator[tuple[int, Array]]:
    """Yield the plan's outputs as they are computed: place in the result, and a copy of the value.

    For a model that TVM's graph executor runs, without offload regions.

    Raises:
        SurgeryError: As a build of a stage (S410 to S417), S434 a kernel fails.
    """
    text, library, params = apart(_compiled)(model, reference_module(model, plan), build)
    return _run(json.loads(text), library, params, inputs)


def _run(
    graph: dict[str, Any], library: Any, params: Mapping[str, Any], inputs: Mapping[str, Array]
) -> Iterator[tuple[int, Array]]:
    replan(graph)
    create = tvm.get_global_func("tvm.graph_executor_debug.create")
    device = tvm.cpu()
    executor = create(json.dumps(graph), library, int(device.device_type), 0)
    feed = _feed(executor, graph, params, inputs)
    return _steps(executor, graph, feed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayDebugBuild:
    """A model as TVM builds it for its debug executor.

    Attributes:
        text: The graph JSON.
        library, params: Kernels, and the weights as TVM changed them.
    """

    text: str
    library: Any
    params: Mapping[str, Any]
    kernels: tuple[Kernel, ...]

    def run(
        self, inputs: Mapping[str, Array], wanted: Collection[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], Array]]:
        """Run kernel by kernel; yield wanted results, each by node and place."""
        graph = json.loads(self.text)
        places = sorted(wanted)
        # What is read lives until then: it is an output of the graph, not of the kernels.
        graph["heads"] = [[node, output, 0] for node, output in places]
        packed = {(k.node, output) for k in self.kernels for output in k.packed}
        for place, value in _run(graph, self.library, self.params, inputs):
            yield places[place], unpacked(value) if places[place] in packed else value


def debug_build(model: RelayModel, build: BuildPlan) -> RelayDebugBuild:
    """Build a model as it is, watching what TVM makes of its ops.

    Raises:
        SurgeryError: As a build of a stage (S410 to S417), S435, S436 its kernels can't be told.
    """
    watcher = Watcher()
    # On dataflow it changes nothing but drops all spans, and with them most of what is known.
    build = replace(build, disable=(*build.disable, _DROPS_SPANS))
    text, library, params = _compiled(model, marked(model), build, [watcher.instrument()])
    kernels = kernels_of(model, watcher, json.loads(text))
    return RelayDebugBuild(text=text, library=library, params=params, kernels=tuple(kernels))


def _compiled(
    model: RelayModel, shared: Any, build: BuildPlan, instruments: Sequence[Any] = ()
) -> tuple[str, Any, Any]:
    """Return what TVM makes of a module with the model's weights: graph, kernels and weights."""
    target, config = checked_target(build.target), checked_config(dict(build.config))
    check_passes(build.disable)
    # Passes write into function objects: those of the model stay as they are.
    module = tvm.IRModule(
        {variable: _own(function) for variable, function in shared.functions.items()},
        shared.type_definitions,
    )
    main = module["main"]
    names = {str(p.name_hint) for p in main.params}
    params = {name: value for name, value in model.params.items() if name in names}

    def once() -> tuple[str, Any, Any]:
        # As `relay.build`, whose result would hold all weights once more.
        targets = tvm.target.Target.canon_multi_target_and_host(target)
        graph, library, weights = relay.build_module.BuildModule().build(
            module, targets, params=params, mod_name="default"
        )
        return str(graph), library, weights

    def work() -> tuple[str, Any, Any]:
        with quiet(), region_target(build.target), failing():
            return compiling(
                once, config, opt_level=build.opt_level, disabled_pass=list(build.disable),
                instruments=list(instruments),
            )  # fmt: skip

    deep = any(len(traverse(f).kinds) > DEEP for f in module.functions.values())
    made = on_large_stack(work) if deep else work()
    give_back()
    return made


def _own(function: Any) -> Any:
    return relay.Function(
        function.params, function.body, function.ret_type, function.type_params,
        function.attrs, function.span,
    )  # fmt: skip


def give_back() -> None:
    """Return free memory to the system: a compiler leaves hundreds of megabytes unused."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # the C library may have none
        if trim is not None:
            trim(0)


def _feed(
    executor: Any, graph: Any, params: Mapping[str, Any], inputs: Mapping[str, Array]
) -> dict[str, Any]:
    """Give an executor its weights and inputs, weights without a copy where that is possible.

    Returns:
        The arrays by name; they must live as long as the executor.
    """
    nodes = graph["nodes"]
    aliased = {
        nodes[node]["name"]
        for operation in nodes
        if _is_alias(operation)
        for node, _, _ in operation["inputs"]
    }
    own = {nodes[i]["name"] for i in graph["arg_nodes"]}
    feed: dict[str, Any] = {}
    for name, value in params.items():
        if name in own:
            copies = name in aliased
            executor["set_input" if copies else "set_input_zero_copy"](name, value)
            feed[name] = value
    for name, array in inputs.items():
        if name in own:
            feed[name] = tvm.nd.array(array)
            executor["set_input"](name, feed[name])
    return feed


def _steps(executor: Any, graph: Any, feed: Mapping[str, Any]) -> Iterator[tuple[int, Array]]:
    """Run a graph, node by node, and yield its results as they appear."""
    nodes, rows, root = graph["nodes"], graph["node_row_ptr"], _roots(graph)
    shapes = graph["attrs"]["shape"][1]
    # An alias is there as soon as what it shares memory with is computed.
    wanted: dict[int, list[tuple[int, int]]] = {}
    for place, (node, output, _) in enumerate(graph["heads"]):
        entry = rows[node] + output
        wanted.setdefault(root[entry], []).append((place, entry))
    execute, read = executor["execute_node"], executor["get_node_output"]
    for index, node in enumerate(nodes):
        entries = range(rows[index], rows[index + 1])
        asked = [e for e in entries if e in wanted]
        try:
            if node["op"] == "null":
                values = [feed[node["name"]] for _ in asked]
            else:
                execute(index)
                values = [read(index, e - rows[index]) for e in asked]
        except Exception as failure:
            raise run_failed(failure) from failure
        for entry, value in zip(asked, values, strict=True):
            for place, alias in wanted[entry]:
                yield place, value.numpy().reshape(shapes[alias])


# -- storage


def replan(graph: dict[str, Any]) -> None:
    """Plan the memory of a graph's values for a run that reads results at once.

    Changes ``storage_id`` in place. Inputs and weights keep a storage each. Every other value
    gets one that is free from the node that computes it to its last reader; a result nobody reads
    is free again right after. Aliases (:data:`_ALIAS`) share their operand's; they are read when
    that is computed, so only what computes with them keeps it.
    """
    attrs = graph["attrs"]
    if "storage_scope" in attrs or len(set(attrs.get("device_index", ["", [0]])[1])) > 1:
        return  # memory of several kinds: as the compiler planned it
    nodes, rows = graph["nodes"], graph["node_row_ptr"]
    sizes = [
        _nbytes(shape, dtype)
        for shape, dtype in zip(attrs["shape"][1], attrs["dltype"][1], strict=True)
    ]
    root = _roots(graph)
    last = [0] * rows[-1]
    for index, node in enumerate(nodes):
        operands = () if _is_alias(node) else [root[rows[n] + out] for n, out, _ in node["inputs"]]
        for entry in (*operands, *range(rows[index], rows[index + 1])):
            last[entry] = index
    ends: dict[int, list[int]] = {}
    for entry, index in enumerate(last):
        if root[entry] == entry:
            ends.setdefault(index, []).append(entry)
    fixed = {rows[i] for i, n in enumerate(nodes) if n["op"] == "null"}
    storage = [-1] * rows[-1]
    capacity: list[int] = []
    free: list[tuple[int, int]] = []  # (bytes, storage), ascending
    for index in range(len(nodes)):
        for entry in range(rows[index], rows[index + 1]):
            if root[entry] != entry:
                storage[entry] = storage[root[entry]]
            elif entry in fixed or not free:
                storage[entry] = len(capacity)
                capacity.append(sizes[entry])
            else:
                # The smallest that is large enough, else the largest, which then grows.
                at = min(bisect_left(free, (sizes[entry], -1)), len(free) - 1)
                _, storage[entry] = free.pop(at)
                capacity[storage[entry]] = max(capacity[storage[entry]], sizes[entry])
        for entry in ends.get(index, ()):
            if entry not in fixed:
                insort(free, (capacity[storage[entry]], storage[entry]))
    attrs["storage_id"][1] = storage


def _roots(graph: Mapping[str, Any]) -> list[int]:
    """Return for each value the one whose memory it shares: itself, unless it is an alias."""
    rows = graph["node_row_ptr"]
    root = list(range(rows[-1]))
    for index, node in enumerate(graph["nodes"]):
        if _is_alias(node):
            operand, output, _ = node["inputs"][0]
            root[rows[index]] = root[rows[operand] + output]
    return root


def _is_alias(node: Mapping[str, Any]) -> bool:
    return bool(node["op"] != "null" and node["attrs"].get("func_name") == _ALIAS)


def _nbytes(shape: Sequence[int], dtype: str) -> int:
    size = (dtype_bits(dtype) + 7) // 8
    for extent in shape:
        size *= extent
    return size
