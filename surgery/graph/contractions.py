"""Multiply-accumulates of convolutions and matrix products, from their types.

A padded border counts like the inside, a dilated kernel has the elements it stores, and an
algorithm that multiplies less (Winograd) is counted as the convolution that it computes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from surgery.graph.graph import Graph
from surgery.graph.ops import attribute
from surgery.graph.types import TensorType, TupleType

_PRODUCTS = frozenset({"bitserial_dense", "contrib_dense_pack", "dense", "matmul", "batch_matmul"})
_SPARSE = frozenset({"sparse_dense", "internal.sparse_dense_padded", "sparse_conv2d"})
_CONVOLUTION = re.compile(r"(contrib_|bitserial_|deformable_|depthwise_)*conv\dd")
#: Their weight operand is packed or transformed: the kernel's size is an attribute only.
_PACKED = ("winograd_without_weight_transform", "gemm_without_weight_transform")


def macs(graph: Graph, node: int) -> int | None:
    """Return an op's multiply-accumulates; 0 for ops that have none, ``None`` when not known."""
    op = graph.ops[node].removeprefix("qnn.").removeprefix("nn.")
    if op == "einsum":
        return _einsum(graph, node)
    if op == "correlation":
        return _correlation(graph, node)
    if op in _PRODUCTS or op in _SPARSE:
        return _product_of(graph, node, op)
    if _CONVOLUTION.match(op) and not op.endswith("_weight_transform"):
        return _convolution(graph, node, op)
    return _convolution(graph, node, op) if op.endswith(_PACKED) else 0


def shape_of(graph: Graph, node: int) -> tuple[int, ...] | None:
    """Return a tensor's shape (outermost first); ``None`` where it isn't one of static shape."""
    type_ = graph.type_of(graph.resolve(node))
    if not isinstance(type_, TensorType) or not type_.is_static or type_.dtype == "?":
        return None
    return tuple(int(d) for d in type_.shape)


def _product_of(graph: Graph, node: int, op: str) -> int | None:
    data, weight = (shape_of(graph, o) for o in graph.operands[node][:2])
    out = shape_of(graph, node)
    if data is None or weight is None or out is None:
        return None
    if op == "sparse_conv2d":
        layout = str(attribute(graph, node, "layout") or "NHWC")
        return math.prod(data) // max(_channels(data, layout), 1) * math.prod(weight)
    if op in _SPARSE:  # each stored element of the weight meets each row
        return math.prod(data[:-1]) * math.prod(weight)
    flipped = op in ("matmul", "batch_matmul") and bool(attribute(graph, node, "transpose_a"))
    return math.prod(out) * data[-2 if flipped else -1]


def _convolution(graph: Graph, node: int, op: str) -> int | None:
    operands = graph.operands[node]
    data, out = shape_of(graph, operands[0]), shape_of(graph, node)
    weight = shape_of(graph, operands[2 if op.startswith("deformable") else 1])
    if data is None or weight is None or out is None:
        return None
    layout = str(attribute(graph, node, "data_layout") or "")
    result = str(attribute(graph, node, "out_layout") or "") or layout
    if op.endswith("backward_weight"):  # the operands are the result's gradient and the data
        return math.prod(data) * math.prod(out) // max(_channels(data, layout), 1)
    if op.endswith(_PACKED):
        kernel = attribute(graph, node, "kernel_size")
        groups = attribute(graph, node, "groups")
        if not isinstance(kernel, tuple) or not isinstance(groups, int):
            return None
        return math.prod(out) * _channels(data, layout) // groups * math.prod(_ints(kernel))
    if "_transpose" in op:
        return math.prod(data) * math.prod(weight) // max(_channels(data, layout), 1)
    return math.prod(out) * math.prod(weight) // max(_channels(out, result), 1)


def _channels(shape: Sequence[int], layout: str) -> int:
    """Return the number of channels: the extents of ``C`` and of its inner part ``c``."""
    letters = [c for c in layout if c.isalpha()]
    return math.prod(shape[i] for i, c in enumerate(letters) if c in "Cc" and i < len(shape))


def _ints(values: tuple[object, ...]) -> list[int]:
    return [v for v in values if isinstance(v, int)]


def _correlation(graph: Graph, node: int) -> int | None:
    data, out = shape_of(graph, graph.operands[node][0]), shape_of(graph, node)
    kernel = attribute(graph, node, "kernel_size")
    if data is None or out is None or not isinstance(kernel, int):
        return None
    channels = _channels(data, str(attribute(graph, node, "layout") or "NCHW"))
    return math.prod(out) * kernel * kernel * channels


def _einsum(graph: Graph, node: int) -> int | None:
    """Return the product of the extents of all indices, once for each operand after the first."""
    equation = attribute(graph, node, "equation")
    if not isinstance(equation, str):
        return None
    shapes: list[tuple[int, ...]] = []
    for leaf in graph.leaves(graph.resolve(graph.operands[node][0])):
        type_ = graph.type_of(leaf)
        if isinstance(type_, TupleType) or not isinstance(type_, TensorType) or not type_.is_static:
            return None
        shapes.append(tuple(int(d) for d in type_.shape))
    terms = equation.replace(" ", "").split("->")[0].split(",")
    if len(terms) != len(shapes):
        return None
    extents: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        head, dots, tail = term.partition("...")
        # The axes under an ellipsis line up from the right, in every operand alike.
        spread = [f".{i}" for i in range(len(shape) - len(head) - len(tail), 0, -1)] if dots else []
        indices = [*head, *spread, *tail]
        if len(indices) != len(shape):
            return None
        for index, extent in zip(indices, shape, strict=True):
            extents[index] = max(extents.get(index, 1), extent)
    return math.prod(extents.values()) * max(len(shapes) - 1, 1)
