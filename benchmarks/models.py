"""Relay models to measure on, made by size: a BERT, a ResNet, chains, and one with heavy weights.

Their tensors are small, since only the number of ops matters to surgery. Weights are function
parameters, every op carries a source name, and the BERT's attention mask is used in every layer,
as in the models that frontends import.
"""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relay

#: Ops of the BERT outside its layers, and in each layer.
BERT_PROLOGUE_OPS = 2
BERT_LAYER_OPS = 75
#: ``add`` ops in each layer of the BERT; a layer's last op is its last ``add``.
BERT_LAYER_ADDS = 14
#: Sites of ``conv2d > bn > relu`` in each block of the ResNet, and outside the blocks.
RESNET_BLOCK_SITES = 6
RESNET_OTHER_SITES = 2

_SEQUENCE, _HEADS, _HEAD = 8, 2, 4
_HIDDEN = _HEADS * _HEAD
_CHANNELS, _EXTENT = 4, 8


class _Builder:
    """Collects a function's parameters and gives every op its source name."""

    def __init__(self) -> None:
        self.params: list[Any] = []

    def var(self, name: str, *shape: int) -> Any:
        variable = relay.var(name, shape=shape, dtype="float32")
        self.params.append(variable)
        return variable

    def named(self, call: Any, name: str) -> Any:
        span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
        return relay.expr.CallWithFields(call, None, None, None, None, None, span)

    def module(self, body: Any) -> tvm.IRModule:
        typed = tvm.IRModule.from_expr(relay.Function(self.params, body))
        return relay.transform.InferType()(typed)


def bert(layers: int) -> tvm.IRModule:
    """Return a typed BERT-like encoder of ``2 + 75 * layers`` ops.

    Inputs: ``embedding`` float32 (1, 8, 8) and ``attention_mask`` float32 (1, 1, 1, 8); everything
    else is a weight. Source names are ``bert/encoder/layer_._N/...``.
    """
    build = _Builder()
    hidden = build.var("embedding", 1, _SEQUENCE, _HIDDEN)
    mask = build.var("attention_mask", 1, 1, 1, _SEQUENCE)
    inverse = build.named(relay.subtract(relay.const(1.0), mask), "bert/sub")
    bias = build.named(relay.multiply(inverse, relay.const(-10000.0)), "bert/mul")
    for layer in range(layers):
        hidden = _bert_layer(build, hidden, bias, layer)
    return build.module(hidden)


def _bert_layer(build: _Builder, hidden: Any, bias: Any, layer: int) -> Any:
    at, weights = f"bert/encoder/layer_._{layer}", f"bert/encoder/layer_{layer}"

    def op(call: Any, name: str) -> Any:
        return build.named(call, f"{at}/{name}")

    def dense(value: Any, name: str, units: int, depth: int, *, turned: bool = False) -> Any:
        flat = op(relay.reshape(value, (_SEQUENCE, depth)), f"{name}/Tensordot/Reshape")
        if turned:
            stored = build.var(f"{weights}/{name}/kernel", depth, units)
            kernel = op(relay.transpose(stored, (1, 0)), f"{name}/Tensordot/MatMul")
        else:
            kernel = build.var(f"{weights}/{name}/kernel", units, depth)
        product = op(relay.nn.dense(flat, kernel, units=units), f"{name}/Tensordot/MatMul")
        shaped = op(relay.reshape(product, (1, _SEQUENCE, units)), f"{name}/Tensordot")
        return op(relay.add(shaped, build.var(f"{weights}/{name}/bias", units)), f"{name}/BiasAdd")

    def heads(value: Any, name: str) -> Any:
        split = op(relay.reshape(value, (1, -1, _HEADS, _HEAD)), f"{name}/Reshape")
        return op(relay.transpose(split, (0, 2, 1, 3)), f"{name}/transpose")

    def norm(value: Any, name: str) -> Any:
        mean = op(relay.mean(value, axis=[2], keepdims=True), f"{name}/moments/mean")
        off = op(relay.subtract(value, mean), f"{name}/moments/SquaredDifference")
        square = op(relay.multiply(off, off), f"{name}/moments/SquaredDifference")
        variance = op(relay.mean(square, axis=[2], keepdims=True), f"{name}/moments/variance")
        raised = op(relay.add(variance, relay.const(1e-12)), f"{name}/batchnorm/add")
        root = op(relay.power(raised, relay.const(-0.5)), f"{name}/batchnorm/Rsqrt")
        gamma = build.var(f"{weights}/{name}/gamma", _HIDDEN)
        scale = op(relay.multiply(root, gamma), f"{name}/batchnorm/mul")
        shift = op(relay.multiply(mean, scale), f"{name}/batchnorm/mul_2")
        scaled = op(relay.multiply(value, scale), f"{name}/batchnorm/mul_1")
        beta = build.var(f"{weights}/{name}/beta", _HIDDEN)
        rest = op(relay.subtract(beta, shift), f"{name}/batchnorm/sub")
        return op(relay.add(scaled, rest), f"{name}/batchnorm/add_1")

    me = "attention/self"
    query = heads(dense(hidden, f"{me}/query", _HIDDEN, _HIDDEN), f"{me}/query")
    key = heads(dense(hidden, f"{me}/key", _HIDDEN, _HIDDEN), f"{me}/key")
    one = op(relay.reshape(query, (_HEADS, _SEQUENCE, _HEAD)), f"{me}/MatMul")
    two = op(relay.reshape(key, (_HEADS, _SEQUENCE, _HEAD)), f"{me}/MatMul")
    raw = op(relay.nn.batch_matmul(one, two), f"{me}/MatMul")
    scores = op(relay.reshape(raw, (1, _HEADS, _SEQUENCE, _SEQUENCE)), f"{me}/MatMul")
    scores = op(relay.divide(scores, relay.const(2.0)), f"{me}/truediv")
    scores = op(relay.add(scores, bias), f"{me}/Add")
    weights_of = op(relay.nn.softmax(scores), f"{me}/Softmax")
    value = heads(dense(hidden, f"{me}/value", _HIDDEN, _HIDDEN), f"{me}/value")
    one = op(relay.reshape(value, (_HEADS, _SEQUENCE, _HEAD)), f"{me}/MatMul_1")
    two = op(relay.reshape(weights_of, (_HEADS, _SEQUENCE, _SEQUENCE)), f"{me}/MatMul_1")
    one = op(relay.transpose(one, (0, 2, 1)), f"{me}/MatMul_1")
    raw = op(relay.nn.batch_matmul(two, one), f"{me}/MatMul_1")
    context = op(relay.reshape(raw, (1, _HEADS, _SEQUENCE, _HEAD)), f"{me}/MatMul_1")
    context = op(relay.transpose(context, (0, 2, 1, 3)), f"{me}/transpose_3")
    context = op(relay.reshape(context, (1, -1, _HIDDEN)), f"{me}/Reshape_3")
    attended = dense(context, "attention/output/dense", _HIDDEN, _HIDDEN)
    attended = op(relay.add(attended, hidden), "attention/output/add")
    attended = norm(attended, "attention/output/LayerNorm")

    wide = 2 * _HIDDEN
    inner = dense(attended, "intermediate/dense", wide, _HIDDEN, turned=True)
    gelu = "intermediate/Gelu"
    part = op(relay.erf(op(relay.divide(inner, relay.const(1.41421)), f"{gelu}/truediv")), gelu)
    half = op(relay.multiply(relay.const(0.5), inner), f"{gelu}/mul")
    inner = op(
        relay.multiply(half, op(relay.add(relay.const(1.0), part), f"{gelu}/add")), f"{gelu}/mul_1"
    )
    result = dense(inner, "output/dense", _HIDDEN, wide, turned=True)
    return norm(op(relay.add(result, attended), "output/add"), "output/LayerNorm")


def resnet(blocks: int) -> tvm.IRModule:
    """Return a typed ResNet-like net with ``2 + 6 * blocks`` sites of ``conv2d > bn > relu``.

    Between any two sites stands an op that no backend takes (``sigmoid``), so that TVM's
    ``MergeCompilerRegions`` leaves the sites apart and both ways find the same regions. A block
    has 25 ops. Input: ``data`` float32 (1, 4, 8, 8).
    """
    build = _Builder()
    value = build.var("data", 1, _CHANNELS, _EXTENT, _EXTENT)
    value = _site(build, value, "stem")
    for block in range(blocks):
        start = value
        for site in range(RESNET_BLOCK_SITES):
            value = _site(build, value, f"block_{block}/conv_{site}")
        value = build.named(relay.add(value, start), f"block_{block}/add")
    return build.module(_site(build, value, "head"))


def _site(build: _Builder, value: Any, name: str) -> Any:
    weight = build.var(f"{name}/weight", _CHANNELS, _CHANNELS, 1, 1)
    conv = relay.nn.conv2d(value, weight, kernel_size=(1, 1), channels=_CHANNELS)
    statistics = [build.var(f"{name}/{s}", _CHANNELS) for s in ("gamma", "beta", "mean", "var")]
    normal = relay.nn.batch_norm(build.named(conv, f"{name}/Conv"), *statistics).astuple()
    field = relay.TupleGetItem(build.named(normal, f"{name}/BatchNorm"), 0)
    active = build.named(relay.nn.relu(field), f"{name}/Relu")
    return build.named(relay.sigmoid(active), f"{name}/Sigmoid")


def chain(ops: int) -> tvm.IRModule:
    """Return a typed chain of ``ops`` ops: ``add`` and ``relu`` in turn, named ``step/N``.

    Input: ``x`` float32 (4,); one weight, ``bias`` float32 (4,).
    """
    build = _Builder()
    value, bias = build.var("x", 4), build.var("bias", 4)
    for step in range(ops):
        call = relay.nn.relu(value) if step % 2 else relay.add(value, bias)
        value = build.named(call, f"step/{step}")
    return build.module(value)


def heavy(weights: int, rows: int, columns: int) -> tvm.IRModule:
    """Return a typed net of ``weights`` dense layers, each weight float32 (``columns``, ``rows``).

    Odd layers turn the shape back: (1, rows) -> (1, columns) -> (1, rows). Source names are
    ``layer_N``, weights ``layer_N_weight``.
    """
    build = _Builder()
    value = build.var("x", 1, rows)
    for layer in range(weights):
        into, out = (rows, columns) if layer % 2 == 0 else (columns, rows)
        weight = build.var(f"layer_{layer}_weight", out, into)
        product = relay.nn.dense(value, weight, units=out)
        value = build.named(relay.nn.relu(build.named(product, f"layer_{layer}")), f"layer_{layer}")
    return build.module(value)


def weight_names(module: tvm.IRModule, inputs: tuple[str, ...]) -> dict[str, Any]:
    """Return a zero array for every parameter of ``main`` that isn't a runtime input."""
    import numpy as np

    found = {}
    for variable in module["main"].params:
        name = str(variable.name_hint)
        if name not in inputs:
            shape = [int(d) for d in variable.type_annotation.shape]
            found[name] = tvm.nd.array(np.zeros(shape, "float32"))
    return found
