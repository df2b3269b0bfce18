"""Small nets, and faults planted in them: a wrong weight, a near twin of an op, an attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from tvm import relay

from surgery.graph import Graph

Expr = relay.Expr
Array = np.ndarray


def bert(layers: int = 2, hidden: int = 8, heads: int = 2, length: int = 4) -> tvm.IRModule:
    """A transformer on token ids, its weights constants."""
    rng = np.random.default_rng(5)

    def weight(*shape: int) -> Expr:
        return relay.const(rng.standard_normal(shape).astype("float32") / np.sqrt(shape[-1]))

    def norm(x: Expr) -> Expr:
        mean = relay.mean(x, -1, True)
        centred = relay.subtract(x, mean)
        variance = relay.mean(relay.multiply(centred, centred), -1, True)
        scaled = relay.divide(centred, relay.sqrt(relay.add(variance, relay.const(1e-5))))
        return relay.add(relay.multiply(scaled, weight(hidden)), weight(hidden))

    def dense(x: Expr, units: int) -> Expr:
        product = relay.nn.dense(x, weight(units, int(x_width[0])))
        x_width[0] = units
        return relay.add(product, weight(units))

    def split(x: Expr) -> Expr:
        return relay.transpose(
            relay.reshape(x, (length, heads, hidden // heads)), axes=[1, 0, 2]
        )  # fmt: skip

    ids = relay.var("ids", shape=(length,), dtype="int32")
    x = norm(relay.take(weight(11, hidden), ids, axis=0))
    x_width = [hidden]
    for _ in range(layers):
        q, k, v = (split(dense(x, hidden)) for _ in range(3))
        scores = relay.nn.batch_matmul(q, k)
        shares = relay.nn.softmax(relay.multiply(scores, relay.const(np.float32(0.5))), axis=-1)
        mixed = relay.nn.batch_matmul(shares, relay.transpose(v, axes=[0, 2, 1]))
        joined = relay.reshape(relay.transpose(mixed, axes=[1, 0, 2]), (length, hidden))
        x = norm(relay.add(dense(joined, hidden), x))
        inner = dense(x, 2 * hidden)
        inner = relay.multiply(inner, relay.sigmoid(inner))
        x = norm(relay.add(dense(inner, hidden), x))
    return named(module([ids], relay.tanh(dense(x, 3))))


def resnet(blocks: int = 3) -> tvm.IRModule:
    """A residual convolution net with several branches and a tuple, its weights constants."""
    rng = np.random.default_rng(6)

    def conv(x: Expr, out: int, inner: int, size: int = 3) -> Expr:
        shape = (out, inner, size, size)
        w = rng.standard_normal(shape).astype("float32") / np.sqrt(inner * size * size)
        y = relay.nn.conv2d(
            x, relay.const(w), padding=(size // 2,) * 2, channels=out, kernel_size=(size, size)
        )
        return relay.nn.bias_add(y, relay.const(rng.standard_normal(out).astype("float32")))

    data = relay.var("data", shape=(1, 3, 8, 8))
    x = relay.nn.relu(conv(data, 4, 3))
    for _ in range(blocks):
        y = relay.nn.relu(conv(x, 4, 4))
        y = relay.clip(conv(y, 4, 4), -1.5, 3.0)
        x = relay.nn.relu(relay.add(y, x))
    pooled = relay.nn.max_pool2d(x, (2, 2), (2, 2))
    halves = relay.split(pooled, 2, axis=1)
    joined = relay.concatenate([relay.multiply(halves[1], halves[0]), halves[0]], axis=1)
    flat = relay.nn.batch_flatten(relay.nn.leaky_relu(joined, 0.1))
    w = rng.standard_normal((5, 64)).astype("float32") / 8
    return named(module([data], relay.nn.softmax(relay.nn.dense(flat, relay.const(w)), axis=1)))


def module(inputs: list[Expr], body: Expr) -> tvm.IRModule:
    return relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function(inputs, body)))


class _Namer(relay.ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def visit_call(self, call: relay.Call) -> Expr:
        args = [self.visit(a) for a in call.args]
        source = relay.SourceName(f"c{self.count}")
        self.count += 1
        span = relay.Span(source, 0, 0, 0, 0)
        return relay.Call(call.op, args, call.attrs, None, span)


def named(net: tvm.IRModule) -> tvm.IRModule:
    """Return a net whose calls have the source names ``c0``, ``c1``, ... by their places."""
    main = net["main"]
    return module(list(main.params), _Namer().visit(main.body))


@dataclass(frozen=True)
class Plant:
    """A fault at one call of ``@main``, the one with the source name ``c{place}``."""

    kind: str
    place: int
    make: Callable[[relay.Call, list[Expr]], Expr]


_TWINS: dict[str, Callable[[list[Expr]], Expr]] = {
    "add": lambda a: relay.subtract(*a),
    "subtract": lambda a: relay.add(*a),
    "multiply": lambda a: relay.add(*a),
    "divide": lambda a: relay.multiply(*a),
    "sqrt": lambda a: relay.rsqrt(*a),
    "sigmoid": lambda a: relay.tanh(*a),
    "tanh": lambda a: relay.sigmoid(*a),
    "mean": lambda a: relay.max(a[0], -1, True),
    "nn.relu": lambda a: relay.nn.leaky_relu(a[0], 0.01),
    "nn.max_pool2d": lambda a: relay.nn.avg_pool2d(a[0], (2, 2), (2, 2)),
    "nn.softmax": lambda a: relay.nn.log_softmax(a[0], -1),
}
_ATTRIBUTES: dict[str, Callable[[list[Expr]], Expr]] = {
    "nn.softmax": lambda a: relay.nn.softmax(a[0], 0),
    "clip": lambda a: relay.clip(a[0], -1.4, 3.0),
    "nn.leaky_relu": lambda a: relay.nn.leaky_relu(a[0], 0.15),
    "nn.conv2d": lambda a: relay.nn.conv2d(a[0], a[1], padding=(2, 2), dilation=(2, 2)),
}


def _wrong_weight(call: relay.Call, args: list[Expr]) -> Expr:
    changed = []
    for arg in args:
        if isinstance(arg, relay.Constant) and arg not in changed:
            values = arg.data.numpy().copy()
            values.reshape(-1)[values.size // 2] += 1.5
            arg = relay.const(values)
        changed.append(arg)
    return relay.expr.CallWithFields(call, call.op, changed)


def plants(net: tvm.IRModule) -> list[Plant]:
    """Every fault that can be planted in a net."""
    found = []
    for place, call in enumerate(calls(net)):
        op = call.op.name
        if any(isinstance(a, relay.Constant) for a in call.args):
            found.append(Plant("weight", place, _wrong_weight))
        for kind, table in (("twin", _TWINS), ("attribute", _ATTRIBUTES)):
            if op in table:
                found.append(Plant(kind, place, lambda _, args, op=op, t=table: t[op](args)))
    return found


def calls(net: tvm.IRModule) -> list[relay.Call]:
    """Return the calls by their places."""
    found: dict[int, relay.Call] = {}

    def visit(expr: Expr) -> None:
        if isinstance(expr, relay.Call):
            found[int(expr.span.source_name.name[1:])] = expr

    relay.analysis.post_order_visit(net["main"], visit)
    return [found[place] for place in sorted(found)]


class _Planter(relay.ExprMutator):
    def __init__(self, old: relay.Call, plant: Plant) -> None:
        super().__init__()
        self.old, self.plant = old, plant

    def visit_call(self, call: relay.Call) -> Expr:
        args = [self.visit(a) for a in call.args]
        if call.same_as(self.old):
            return self.plant.make(call, args)
        return relay.expr.CallWithFields(call, call.op, args)


def planted(net: tvm.IRModule, plant: Plant) -> tvm.IRModule:
    """Return a net with one fault."""
    old = calls(net)[plant.place]
    main = net["main"]
    return module(list(main.params), _Planter(old, plant).visit(main.body))


# -- what they compute, in NumPy


def _softmax(x: Array, axis: int) -> Array:
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


def _conv(call: relay.Call, x: Array, w: Array) -> Array:
    pad, dilation = int(call.attrs.padding[0]), int(call.attrs.dilation[0])
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    height = x.shape[2] - dilation * (w.shape[2] - 1)
    width = x.shape[3] - dilation * (w.shape[3] - 1)
    total = np.zeros((1, w.shape[0], height, width), "float32")
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            top, left = i * dilation, j * dilation
            part = x[:, :, top : top + height, left : left + width]
            total += np.einsum("nchw,oc->nohw", part, w[:, :, i, j])
    return total


def _pool(x: Array, reduce: Callable[..., Array]) -> Array:
    n, c, h, w = x.shape
    return reduce(x.reshape(n, c, h // 2, 2, w // 2, 2), axis=(3, 5))


def _like(call: relay.Call, x: Array) -> Array:
    return x.reshape([int(d) for d in call.checked_type.shape])


_VALUES: dict[str, Callable[..., Any]] = {
    "add": lambda _, x, y: x + y,
    "subtract": lambda _, x, y: x - y,
    "multiply": lambda _, x, y: x * y,
    "divide": lambda _, x, y: x / y,
    "sqrt": lambda _, x: np.sqrt(x),
    "rsqrt": lambda _, x: 1 / np.sqrt(x),
    "sigmoid": lambda _, x: 0.5 * (1 + np.tanh(x / 2)),
    "tanh": lambda _, x: np.tanh(x),
    "mean": lambda _, x: x.mean(-1, keepdims=True),
    "max": lambda _, x: x.max(-1, keepdims=True),
    "take": lambda _, x, i: x[i],
    "reshape": _like,
    "nn.batch_flatten": _like,
    "transpose": lambda c, x: x.transpose([int(a) for a in c.attrs.axes]),
    "nn.dense": lambda _, x, w: x @ w.T,
    "nn.batch_matmul": lambda _, x, y: x @ y.transpose(0, 2, 1),
    "nn.softmax": lambda c, x: _softmax(x, int(c.attrs.axis)),
    "nn.log_softmax": lambda c, x: np.log(_softmax(x, int(c.attrs.axis))),
    "nn.conv2d": _conv,
    "nn.bias_add": lambda _, x, b: x + b.reshape(1, -1, 1, 1),
    "nn.relu": lambda _, x: np.maximum(x, 0),
    "nn.leaky_relu": lambda c, x: np.where(x > 0, x, x * np.float32(c.attrs.alpha)),
    "clip": lambda c, x: np.clip(x, c.attrs.a_min, c.attrs.a_max),
    "nn.max_pool2d": lambda _, x: _pool(x, np.max),
    "nn.avg_pool2d": lambda _, x: _pool(x, np.mean),
    "split": lambda _, x: tuple(np.split(x, 2, axis=1)),
    "concatenate": lambda _, parts: np.concatenate(parts, axis=1),
}


def values(graph: Graph, exprs: Sequence[Expr], inputs: Mapping[str, Array]) -> list[Any]:
    """Return every value of a net by id."""
    found: list[Any] = []
    for id_, expr in enumerate(exprs):
        operands = [found[o] for o in graph.operands[id_]]
        match graph.kinds[id_]:
            case "input":
                found.append(inputs[graph.names[id_] or ""])
            case "constant":
                found.append(expr.data.numpy())
            case "tuple":
                found.append(tuple(operands))
            case "field":
                found.append(operands[0][graph.fields[id_]])
            case _:
                found.append(_VALUES[graph.ops[id_]](expr, *operands))
    return found
