"""What values of a picture are, computed with NumPy: independent of TVM and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from surgery.graph import Graph, Ref, ancestors

Array = np.ndarray
Attrs = Mapping[str, Any]


def _windows(x: Array, size: Sequence[int], attrs: Attrs, fill: float) -> Array:
    """Return ``(N, C, OH, OW, KH, KW)`` windows of an NCHW array."""
    top, left, bottom, right = attrs["padding"]
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    down, across = attrs["strides"]
    return sliding_window_view(padded, tuple(size), axis=(2, 3))[:, :, ::down, ::across]


def _conv2d(attrs: Attrs, x: Array, w: Array) -> Array:
    assert attrs["dilation"] == (1, 1)
    groups = attrs["groups"]
    windows = _windows(x, w.shape[2:], attrs, 0.0)
    n, c, height, width = windows.shape[:4]
    windows = windows.reshape(n, groups, c // groups, height, width, *w.shape[2:])
    kernels = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    made = np.einsum("ngchwij,gocij->ngohw", windows, kernels, optimize=True)
    return made.reshape(n, w.shape[0], height, width)


def _batch_norm(attrs: Attrs, x: Array, gamma: Array, beta: Array, mean: Array, var: Array) -> Any:
    assert attrs["axis"] == 1
    scale = gamma / np.sqrt(var + attrs["epsilon"])
    across = (1, -1, *[1] * (x.ndim - 2))
    return ((x - mean.reshape(across)) * scale.reshape(across) + beta.reshape(across),)


def _softmax(attrs: Attrs, x: Array) -> Array:
    e = np.exp(x - x.max(axis=attrs["axis"], keepdims=True))
    return e / e.sum(axis=attrs["axis"], keepdims=True)


def _batch_matmul(attrs: Attrs, a: Array, b: Array) -> Array:
    assert (attrs["transpose_a"], attrs["transpose_b"]) == (False, True)
    return a @ b.swapaxes(1, 2)


def _take(attrs: Attrs, x: Array, at: Array) -> Array:
    assert attrs["mode"] == "clip" and attrs["axis"] == 0
    return x[np.clip(at, 0, len(x) - 1)]


OPS: Mapping[str, Callable[..., Any]] = {
    "add": lambda _, a, b: a + b,
    "cast": lambda attrs, a: a.astype(attrs["dtype"]),
    "clip": lambda attrs, a: np.clip(a, attrs["a_min"], attrs["a_max"]),
    "copy": lambda _, a: a,
    "divide": lambda _, a, b: a / b,
    "expand_dims": lambda attrs, a: np.expand_dims(a, attrs["axis"]),
    "full": lambda attrs, a: np.full(attrs["shape"], a, attrs["dtype"]),
    "mean": lambda attrs, a: a.mean(axis=attrs["axis"], keepdims=attrs["keepdims"]),
    "multiply": lambda _, a, b: a * b,
    "nn.batch_matmul": _batch_matmul,
    "nn.batch_norm": _batch_norm,
    "nn.bias_add": lambda attrs, a, b: a + b.reshape(1, -1, *[1] * (a.ndim - 2)),
    "nn.conv2d": _conv2d,
    "nn.dense": lambda _, a, b: a @ b.T,
    "nn.global_avg_pool2d": lambda _, a: a.mean(axis=(2, 3), keepdims=True),
    "nn.max_pool2d": lambda attrs, a: _windows(a, attrs["pool_size"], attrs, -np.inf).max((4, 5)),
    "nn.relu": lambda _, a: np.maximum(a, 0),
    "nn.softmax": _softmax,
    "power": lambda _, a, b: a**b,
    "subtract": lambda _, a, b: a - b,
    "take": _take,
    "transpose": lambda attrs, a: a.transpose(attrs["axes"]),
}


def evaluate(graph: Graph, refs: Sequence[Ref], leaves: Mapping[int, Array]) -> dict[Ref, Array]:
    """Compute tensors of a function from its inputs, weights and constants.

    Args:
        leaves: By id.
    """
    needed = ancestors(graph, [r.node for r in refs])
    known: dict[int, Any] = dict(leaves)

    def value(ref: Ref) -> Any:
        found = known[ref.node]
        for index in ref.path:
            found = found[index]
        return found

    for id_ in range(len(graph)):
        if not needed[id_] or id_ in known or graph.kinds[id_] != "call":
            continue
        operands = [value(graph.resolve(o)) for o in graph.operands[id_]]
        if graph.ops[id_] == "reshape":
            known[id_] = operands[0].reshape([int(d) for d in graph.types[id_].shape])
        else:
            known[id_] = OPS[graph.ops[id_]](graph.attrs[id_], *operands)
    return {ref: value(ref) for ref in refs}
