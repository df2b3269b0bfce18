"""Fields read from memory are the fields that TVM gives, and TVM is asked where that is unsure."""

from __future__ import annotations

from typing import Any

import pytest
import tvm
from tvm import relay

from surgery.engines.relay import memory
from surgery.engines.relay.copying import copy_call
from surgery.engines.relay.reader import OBJECT, Reader, reader


def address(value: Any) -> int:
    return int(value.handle.value)


def sample() -> relay.Function:
    x = relay.var("x", shape=(2, 6), dtype="int8")
    wide = relay.cast(x, "bfloat16")
    parts = relay.split(wide, 3, axis=1)
    joined = relay.concatenate([parts[0], parts[2]], axis=1)
    flag = relay.var("flag", shape=(), dtype="bool")
    chosen = relay.If(flag, joined, relay.negative(joined))
    bound = relay.var("bound")
    body = relay.Let(bound, chosen, relay.add(bound, relay.const(1, "bfloat16")))
    module = tvm.IRModule.from_expr(relay.Function([x, flag], body))
    return relay.transform.InferType()(module)["main"]


def objects() -> list[Any]:
    found: list[Any] = []
    relay.analysis.post_order_visit(sample(), found.append)
    return found


def test_every_type_index_is_that_of_tvm() -> None:
    read = Reader()
    ask = read._ask_type_index()
    for value in objects():
        assert read.type_index(address(value)) == ask(address(value))


@pytest.mark.parametrize(
    "name", ["op", "args", "span", "_checked_type_", "body", "value", "cond", "tuple_value"]
)
def test_a_field_is_the_one_that_tvm_gives(name: str) -> None:
    read = Reader()
    child, field = read.child(name), read.field(name)
    kept = objects()
    having = [o for o in kept if name in (*dir(o), "_checked_type_") and not is_op(o)]
    assert having
    for _ in range(3):  # the first look finds the place, the later ones use it
        for value in having:
            expected = field(address(value))
            if expected:
                read.release(expected)
            assert child(address(value)) == expected


def is_op(value: Any) -> bool:
    return isinstance(value, tvm.ir.Op)


def test_arrays_texts_and_numbers_are_those_of_tvm() -> None:
    read = Reader()
    for size in (0, 1, 3, 5, 40):
        array = tvm.runtime.convert([f"é{i}/" * i for i in range(size)])
        assert [read.string(e) for e in read.array(address(array))] == list(array)
    for number in (0, -1, 7, 2**40, -(2**40)):
        assert read.integer(address(tvm.tir.IntImm("int64", number))) == number
    for dtype in ("float32", "float16", "bfloat16", "bool", "uint8", "int64", "float32x4"):
        assert read.dtype(address(tvm.ir.TensorType((3, 1), dtype))) == dtype


def test_these_are_read_from_memory() -> None:
    # The suite must notice when another TVM makes everything fall back to asking.
    read = reader()
    assert read.type_index.__module__ == memory.__name__
    for bound in (read.type_index, read.array, read.string, read.dtype, read.integer):
        assert "bind_" in bound.__qualname__


def test_tvm_is_asked_where_a_value_stands_nowhere_or_twice() -> None:
    pair = relay.Tuple([])
    same = relay.If(pair, pair, pair)
    asked: list[int] = []

    def ask(at: int) -> int:
        asked.append(at)
        return address(pair)

    read = memory.bind_child(ask, lambda: True, lambda _: 1)
    for _ in range(3):
        assert read(address(same)) == address(pair)
    assert len(asked) == 3, "three fields hold it: which is meant can't be told"

    elsewhere = memory.bind_child(lambda _: 1 << 40, lambda: True, lambda _: 2)
    assert [elsewhere(address(same)) for _ in range(2)] == [1 << 40] * 2

    def elements(_: int) -> list[int]:
        return [1, 2, 3]

    array = tvm.runtime.convert(["a"])
    assert memory.bind_array(elements, [address(array)]) is elements
    strings = reader().array(address(array))
    assert memory.bind_string(lambda _: "no such text", strings)(strings[0]) == "no such text"
    number = tvm.tir.IntImm("int64", 5)
    assert memory.bind_word(lambda _: 1 << 50, [address(number)])(address(number)) == 1 << 50
    assert memory.bind_half(lambda _: "?", [address(number)] * 2)(address(number)) == "?"


def test_an_integer_is_not_taken_for_an_object() -> None:
    reading = Reader()
    field = relay.TupleGetItem(relay.Tuple([]), 0)
    read = reading.field("index")
    assert read(address(field)) == 0
    assert reading.code != OBJECT


@pytest.mark.parametrize("count", [1, 4, 16, 17, 40])
def test_a_copied_call_keeps_all_but_its_operands(count: int) -> None:
    old_args = [relay.var(f"a{i}", shape=(2,)) for i in range(count)]
    new_args = [relay.var(f"b{i}", shape=(2,)) for i in range(count)]
    span = relay.Span(relay.SourceName("layer/op"), 0, 0, 0, 0)
    attrs = relay.nn.softmax(old_args[0]).attrs
    old = relay.Call(relay.op.get("nn.softmax"), old_args, attrs, None, span)
    new = copy_call()(old, new_args)
    assert new.op.same_as(old.op)
    assert new.attrs.same_as(old.attrs)
    assert new.span.source_name.name == "layer/op"
    assert [a.name_hint for a in new.args] == [a.name_hint for a in new_args]
    assert [a.name_hint for a in old.args] == [a.name_hint for a in old_args]
    assert type(new) is relay.Call


def test_a_copied_call_is_freed_with_its_last_user() -> None:
    array = tvm.nd.array([1.0])
    held = relay.const(array)
    for _ in range(1000):
        copy_call()(relay.negative(held), [held])
    assert held.handle.value == address(held)
    assert use_count(held) == 1


def use_count(value: Any) -> int:
    # The reference counter is the half word after the type index.
    return int(memory._halves[(address(value) >> 2) + 1])
