"""Forms of ONNX operators that TVM 0.19 converts into something else, without a word.

Found by running ONNX's own tests of its operators through TVM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surgery.engines.relay.frontends.onnx_files import STANDARD, Graph, Node, graphs
from surgery.engines.relay.frontends.onnx_graph import ONE_RESULT

_POOLS = frozenset({"AveragePool", "MaxPool"})
_RECURRENT = frozenset({"GRU", "LSTM", "RNN"})
#: Types of which two or more elements share a byte, or that Relay has no arithmetic for.
_NARROW = ("INT4", "UINT4", "INT2", "UINT2", "FLOAT8", "FLOAT4")


def wrong_nodes(graph: Graph, opset: int) -> Mapping[str, str]:
    """Return why TVM would convert a node wrongly, by its name."""
    found: dict[str, str] = {}
    narrow: dict[str, str] = {}
    for inner in graphs(graph):
        for tensor in inner.initializer:
            narrow[tensor.name] = _narrow(tensor.data_type)
        for value in [*inner.input, *inner.output, *inner.value_info]:
            if value.type.HasField("tensor_type"):
                narrow[value.name] = _narrow(value.type.tensor_type.elem_type)
    for inner in graphs(graph):
        for node in inner.node:
            given = {a.name: _value(a) for a in node.attribute}
            kinds = [narrow.get(name, "") for name in [*node.input, *node.output]]
            kinds += [_narrow(given["to"])] if node.op_type == "Cast" and "to" in given else []
            kind = next((kind for kind in kinds if kind), "")
            why = f"it computes with {kind}" if kind else _why(node, given, opset)
            if why:
                found[node.name] = why
    return found


def _why(node: Node, given: Mapping[str, Any], opset: int) -> str:
    kind = node.op_type
    if kind in _RECURRENT and given.get("direction", b"forward") == b"reverse":
        return "direction reverse"
    if kind == "BatchNormalization" and given.get("training_mode", 0):
        return "training mode"
    if kind == "DFT" and given.get("inverse", 0) and given.get("onesided", 0):
        return "the inverse of one side"
    if kind == "Resize" and given.get("antialias", 0):
        return "antialias"
    if kind in ONE_RESULT and len(node.output) > 1:
        return ONE_RESULT[kind]
    if kind == "Attention" and node.domain in STANDARD:
        return "TVM knows another operator of this name"
    if kind in ("ArgMax", "ArgMin") and given.get("select_last_index", 0):
        return "the last of equal ones"
    if kind == "LpPool":
        return "TVM computes another norm"
    if kind == "RoiAlign":
        if given.get("mode", b"avg") == b"max":
            return "mode max"
        # From opset 16 on, half pixels are the default, which TVM doesn't know.
        default = b"half_pixel" if opset >= 16 else b"output_half_pixel"
        if given.get("coordinate_transformation_mode", default) == b"half_pixel":
            return "half pixels"
    if kind == "SpaceToDepth" and given.get("mode", b"DCR") != b"DCR":
        return f"mode {given['mode'].decode()}"
    if kind == "MaxUnpool" and len(node.input) > 2:
        return "output_shape"
    if kind in _POOLS and given.get("ceil_mode", 0) and _starts_on_pad(given):
        return "ceil_mode with a window that may lie on the padding alone"
    return ""


def _starts_on_pad(given: Mapping[str, Any]) -> bool:
    """Tell whether the last window of a pool may begin behind the data.

    ONNX drops such a window, TVM keeps it. With ``e`` elements of padding at the end it begins
    less than ``e + stride - kernel`` elements behind the data.
    """
    kernel: Sequence[int] = given.get("kernel_shape", ())
    rank = len(kernel)
    strides = given.get("strides") or [1] * rank
    pads = given.get("pads") or [0] * (2 * rank)
    dilations = given.get("dilations") or [1] * rank
    return any(
        pad + stride > (size - 1) * dilation + 1
        for size, stride, dilation, pad in zip(
            kernel, strides, dilations, pads[rank:], strict=False
        )
    )


def _narrow(data_type: int) -> str:
    from onnx import TensorProto

    names = {number: name for name, number in TensorProto.DataType.items()}
    name = names.get(data_type, "")
    return name if name.startswith(_NARROW) else ""


def _value(attribute: Any) -> Any:
    from onnx import helper

    return helper.get_attribute_value(attribute)
