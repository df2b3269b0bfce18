"""Small ONNX models, made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def classifier(path: Path, *, batch: int | str = 1) -> Path:
    """Write a convolution, a relu, a pooling and a classifier; return the file."""
    rng = np.random.default_rng(0)
    weights = {
        "conv.weight": rng.normal(size=(4, 3, 3, 3)).astype("float32"),
        "conv.bias": rng.normal(size=4).astype("float32"),
        "fc.weight": rng.normal(size=(4, 5)).astype("float32"),
        "fc.bias": rng.normal(size=5).astype("float32"),
    }
    nodes = [
        helper.make_node(
            "Conv", ["image", "conv.weight", "conv.bias"], ["c"], "net/conv", pads=[1, 1, 1, 1]
        ),
        helper.make_node("Relu", ["c"], ["r"], "net/relu"),
        helper.make_node("GlobalAveragePool", ["r"], ["p"], "net/pool"),
        helper.make_node("Flatten", ["p"], ["f"], "net/flatten"),
        helper.make_node("Gemm", ["f", "fc.weight", "fc.bias"], ["logits"], "head/fc"),
        helper.make_node("Softmax", ["logits"], ["shares"], "head/softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [batch, 3, 8, 8])],
        [helper.make_tensor_value_info("shares", TensorProto.FLOAT, [batch, 5])],
        [numpy_helper.from_array(v, n) for n, v in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path
