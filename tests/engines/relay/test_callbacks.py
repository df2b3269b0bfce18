"""A callback gets the very object that TVM calls it with, and its failure is TVM's failure."""

from __future__ import annotations

from typing import Any

import pytest
import tvm
from tvm import relay

from surgery.engines.relay.callbacks import TextCallback
from surgery.engines.relay.reader import reader
from surgery.engines.relay.view import MARK, marked_text


def model() -> tvm.IRModule:
    x = relay.var("x", shape=(2, 4))
    flag = relay.var("flag", shape=(), dtype="bool")
    parts = relay.split(relay.tanh(x), 2, axis=1)
    y = relay.var("y", shape=(2, 2))
    inner = relay.Function([y], relay.exp(y))
    chosen = relay.If(flag, relay.Call(inner, [parts[0]]), parts[1] + relay.const(1.0))
    function = relay.Function([x, flag], relay.Tuple([chosen, relay.negative(chosen)]))
    return relay.transform.InferType()(tvm.IRModule.from_expr(function))


def test_a_marked_text_is_what_a_python_function_would_mark() -> None:
    module = model()
    leaves = (relay.Var, relay.Constant, tvm.ir.Op, relay.GlobalVar)

    def mark(expr: Any) -> str:
        return "" if isinstance(expr, leaves) else f"{MARK}{expr.handle.value}"

    assert marked_text(module) == str(relay.astext(module, False, mark))


def test_a_callback_gets_an_object_passed_plainly_too() -> None:
    seen: list[int] = []

    def text(address: int) -> bytes:
        seen.append(address)
        return "é".encode()

    callback = TextCallback(text)
    value = relay.var("x")
    assert str(callback.packed(value)) == "é"
    assert seen == [value.handle.value]


def test_a_failing_callback_fails_the_call() -> None:
    def text(_: int) -> bytes:
        raise ValueError("no text here")

    callback = TextCallback(text)
    with pytest.raises(tvm.TVMError, match="no text here"):
        callback.packed(relay.var("x"))


def test_the_objects_live_on() -> None:
    module = model()
    first = marked_text(module)
    assert marked_text(module) == first
    assert reader().type_index(module["main"].body.handle.value) == reader().index_of("relay.Tuple")
