"""A small NumPy interpreter of Relay: what an operated module computes, without building it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tvm
from tvm import relay

Value = Any  # an array, or a tuple of values


def _batch_norm(call: relay.Call, args: list[Value]) -> Value:
    data, gamma, beta, mean, var = args
    shape = [1, -1] + [1] * (data.ndim - 2)
    scale = gamma / np.sqrt(var + np.float32(call.attrs.epsilon))
    return (data - mean.reshape(shape)) * scale.reshape(shape) + beta.reshape(shape), mean, var


def _split(call: relay.Call, args: list[Value]) -> Value:
    return tuple(np.split(args[0], int(call.attrs.indices_or_sections), axis=int(call.attrs.axis)))


OPS = {
    "nn.relu": lambda c, a: np.maximum(a[0], 0),
    "tanh": lambda c, a: np.tanh(a[0]),
    "negative": lambda c, a: -a[0],
    "add": lambda c, a: a[0] + a[1],
    "multiply": lambda c, a: a[0] * a[1],
    "subtract": lambda c, a: a[0] - a[1],
    "nn.dense": lambda c, a: a[0] @ a[1].T,
    "reshape": lambda c, a: a[0].reshape([int(d) for d in c.checked_type.shape]),
    "concatenate": lambda c, a: np.concatenate(a[0], axis=int(c.attrs.axis)),
    "split": _split,
    "nn.batch_norm": _batch_norm,
    # What passes put in place of a batch_norm or a tanh.
    "sqrt": lambda c, a: np.sqrt(a[0]),
    "divide": lambda c, a: a[0] / a[1],
    "fast_tanh": lambda c, a: np.tanh(a[0]),
    "expand_dims": lambda c, a: a[0].reshape([int(d) for d in c.checked_type.shape]),
    "squeeze": lambda c, a: a[0].reshape([int(d) for d in c.checked_type.shape]),
}


def _operands(expr: relay.Expr) -> list[relay.Expr]:
    match expr:
        case relay.Tuple():
            return list(expr.fields)
        case relay.TupleGetItem():
            return [expr.tuple_value]
        case relay.Call():
            return list(expr.args)
    return []


def evaluate(module: tvm.IRModule, function: relay.Function, arguments: list[Value]) -> Value:
    """Compute a function on NumPy arguments."""
    known: dict[relay.Expr, Value] = dict(zip(function.params, arguments, strict=True))
    order: list[relay.Expr] = []
    relay.analysis.post_order_visit(function.body, order.append)
    for expr in order:
        # The inside of a function literal is visited here too, where its operands are unknown: it
        # is computed when the literal is called.
        if expr in known or not all(operand in known for operand in _operands(expr)):
            continue
        match expr:
            case relay.Constant():
                known[expr] = expr.data.numpy()
            case relay.Tuple():
                known[expr] = tuple(known[f] for f in expr.fields)
            case relay.TupleGetItem():
                known[expr] = known[expr.tuple_value][expr.index]
            case relay.Call():
                if isinstance(expr.op, relay.GlobalVar | relay.Function):
                    args = [known[a] for a in expr.args]
                    callee = module[expr.op] if isinstance(expr.op, relay.GlobalVar) else expr.op
                    known[expr] = evaluate(module, callee, args)
                else:
                    known[expr] = OPS[expr.op.name](expr, [known[a] for a in expr.args])
    return known[function.body]


def outputs(module: tvm.IRModule, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Compute ``@main`` on named inputs; results flattened."""
    main = module["main"]
    result = evaluate(module, main, [inputs[p.name_hint] for p in main.params])
    flat: list[np.ndarray] = []
    stack = [result]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack.extend(reversed(value))
        else:
            flat.append(value)
    return flat
