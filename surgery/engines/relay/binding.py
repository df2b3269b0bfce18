"""Runs on the caller's own buffers: which of a graph's inputs and outputs can be bound, which not.

The graph executor keeps one tensor a value and can be pointed at another (``set_input_zero_copy``,
``set_output_zero_copy``). That goes wrong, without a word, where two values share a tensor: an op
that only gives another shape (``__nop``) shares its operand's, and a value that is returned twice,
or an input that is returned as it is, is both at once. Those are copied.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.tvm_import import tvm as load_tvm

if TYPE_CHECKING:
    from surgery.engines.base import Array

tvm = load_tvm()

#: Bytes that compiled kernels assume buffers to be aligned to.
ALIGNMENT = 64
#: Ops of a graph that are no kernels: their result may be their operand's own tensor.
_NO_KERNEL = ("__nop", "__copy")
#: How the graph executor calls a dtype -> how everybody else does.
DTYPES = {"uint1": "bool"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebindable:
    """What of a graph can be pointed at other memory: names of inputs, numbers of outputs."""

    inputs: frozenset[str]
    outputs: frozenset[int]


def rebindable(graph_json: str) -> Rebindable:
    """Read off an executor's graph which values have a tensor to themselves."""
    graph = json.loads(graph_json)
    nodes = graph["nodes"]
    shared: set[int] = set()
    for number, node in enumerate(nodes):
        if node["op"] != "null" and node["attrs"]["func_name"] in _NO_KERNEL:
            shared.add(number)
            shared.update(operand[0] for operand in node["inputs"])
    heads = [(head[0], head[1]) for head in graph["heads"]]
    returned = {node for node, _ in heads}
    return Rebindable(
        inputs=frozenset(
            node["name"]
            for number, node in enumerate(nodes)
            if node["op"] == "null" and number not in shared and number not in returned
        ),
        outputs=frozenset(
            index
            for index, head in enumerate(heads)
            if head[0] not in shared and nodes[head[0]]["op"] != "null" and heads.count(head) == 1
        ),
    )


def view(array: Array, as_bytes: bool = True) -> Any | None:
    """Return TVM's tensor on an array's own memory; ``None`` when kernels couldn't use it.

    Args:
        as_bytes: Give types that DLPack lacks (``bool``, ``bfloat16``) as unsigned integers of
            their size; only for memory of which the type is known otherwise.
    """
    if array.dtype.kind not in "iuf":
        if not as_bytes:
            return None
        array = array.view(f"u{array.dtype.itemsize}")
    if not array.size or array.ctypes.data % ALIGNMENT or not array.flags.c_contiguous:
        return None
    return tvm.nd.from_dlpack(array)


def store(results: Sequence[Any], outputs: Sequence[Array]) -> None:
    """Copy a stage's results (tensors of TVM) into buffers.

    Raises:
        SurgeryError: S588 the results are of another number, shape or dtype.
    """
    if not fits(results, outputs):
        raise misfit(results, outputs)
    for result, output in zip(results, outputs, strict=True):
        target = view(output)
        if target is None:
            np.copyto(output, result.numpy())
        else:
            result.copyto(target)


def fits(results: Sequence[Any], outputs: Sequence[Array]) -> bool:
    """Whether buffers are of the results' number, shapes and dtypes."""
    return len(results) == len(outputs) and all(
        tuple(map(int, r.shape)) == o.shape and dtype(r) == str(o.dtype)
        for r, o in zip(results, outputs, strict=True)
    )


def dtype(tensor: Any) -> str:
    """Return numpy's name of a tensor's element type."""
    name = str(tensor.dtype)
    return DTYPES.get(name, name)


def misfit(results: Sequence[Any], outputs: Sequence[Array]) -> SurgeryError:
    def shown(values: Sequence[Any]) -> str:
        types = (f"{dtype(v)}({','.join(str(int(d)) for d in v.shape)})" for v in values)
        return ", ".join(types) or "nothing"

    return error(
        "S588",
        "the library does not belong to this recipe",
        reason=f"it gives {shown(results)}; the recipe says {shown(outputs)}",
        remedy="build it again with `surgery build`",
    )


class GraphBinding:
    """Runs a graph executor on buffers that change from run to run.

    Once bound, the executor's own tensors of what can be rebound are no longer to be used: TVM
    points them at the last buffer, too.

    Args:
        executor: The executor's module.
        graph_json: Its graph.
        own_inputs: Its own tensors, by name, of the inputs it has.
        own_outputs: Its own tensors, in order.
    """

    def __init__(
        self,
        executor: Any,
        graph_json: str,
        own_inputs: Mapping[str, Any],
        own_outputs: Sequence[Any],
    ) -> None:
        self._rebindable = rebindable(graph_json)
        self._run = executor["run"]
        self._set_input = executor["set_input_zero_copy"]
        self._set_output = executor["set_output_zero_copy"]
        self._own_inputs = own_inputs
        self._own_outputs = own_outputs
        self._staging: dict[str | int, Any] = {}
        self._bound: Callable[[], None] | None = None

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """Return a run on these buffers, whose types and number have been checked."""
        settings: list[tuple[Any, str | int, Any]] = []
        copied_in: list[tuple[Any, Array]] = []
        copied_out: list[tuple[Any, Array]] = []
        for name, own in self._own_inputs.items():
            array, free = inputs[name], name in self._rebindable.inputs
            tensor = self._tensor(name, own, array, free, copied_in)
            if free:
                settings.append((self._set_input, name, tensor))
        for index, own in enumerate(self._own_outputs):
            array, free = outputs[index], index in self._rebindable.outputs
            tensor = self._tensor(index, own, array, free, copied_out)
            if free:
                settings.append((self._set_output, index, tensor))

        def run() -> None:
            if self._bound is not run:
                for set_tensor, place, tensor in settings:
                    set_tensor(place, tensor)
                self._bound = run
            for own, array in copied_in:
                own.copyfrom(array)
            self._run()
            for own, array in copied_out:
                store((own,), (array,))

        return run

    def _tensor(
        self,
        place: str | int,
        own: Any,
        array: Array,
        free: bool,
        copied: list[tuple[Any, Array]],
    ) -> Any:
        """Return the tensor to run with: on the buffer itself, or one that is copied from or to."""
        tensor = view(array) if free else own
        if tensor is None:
            tensor = self._staging.get(place)
            if tensor is None:
                tensor = self._staging[place] = tvm.nd.empty(own.shape, own.dtype)
            copied.append((tensor, array))
        elif not free:
            copied.append((own, array))
        return tensor
