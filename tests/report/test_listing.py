"""What `surgery show` lists."""

from surgery.graph import Module, Ref, Resolved
from surgery.report.listing import listed, show_json, show_table, show_text
from tests.report.plans import Draft, conv_plan, f32


def small(function: str = "main") -> Module:
    d = Draft()
    x = d.input("x", f32(2, 3))
    c = d.constant(f32())
    parts = d.tuple(x, x)
    first = d.field(parts, 0)
    total = d.call("add", first, c, type_=f32(2, 3), name="a/b/Add", rate=float("inf"))
    twice = d.call("multiply", total, total, type_=f32(2, 3))
    return Module(functions={function: d.graph(twice, function)})


def test_a_table_has_a_line_a_value_and_cuts_nothing() -> None:
    assert show_table(listed(small(), None)) == [
        "value       computed by          type                          users  name",
        "%x          input                float32(2,3)                      1",
        "constant 1  constant             float32()                         1",
        "%0          (%x, %x)             (float32(2,3), float32(2,3))      1",
        "%1          %0.0                 float32(2,3)                      1",
        "%2          add(%1, constant 1)  float32(2,3)                      1  a/b/Add",
        "result      multiply(%2, %2)     float32(2,3)                      0",
    ]


def test_text_is_a_line_a_value() -> None:
    assert list(show_text(listed(small(), None)))[4:] == [
        "%2 = add(%1, constant 1): float32(2,3)  # users 1, a/b/Add",
        "result = multiply(%2, %2): float32(2,3)  # users 0",
    ]


def test_data_holds_what_the_table_shows_and_more() -> None:
    values = show_json(listed(small(), None))
    assert values[4] == {
        "function": "main", "id": 4, "field": [], "number": 2, "value": "%2", "kind": "call",
        "op": "add", "operands": ["%1", "constant 1"], "type": "float32(2,3)", "shape": [2, 3],
        "dtype": "float32", "users": 1, "output": False, "name": "a/b/Add",
        "attrs": {"rate": "inf"},
    }  # fmt: skip
    assert values[2]["shape"] is None
    assert values[5]["output"] is True


def test_only_what_is_picked_is_listed_fields_too() -> None:
    module = conv_plan().module
    norm = module.main.by_number[1]
    picked = [
        Resolved(function="main", ref=Ref(norm, (1,))),
        Resolved(function="main", ref=Ref(norm)),
    ]
    lines = list(show_text(listed(module, picked)))
    assert lines[0].startswith("%1.1 = nn.batch_norm(%0, %gamma0, %beta0, %mu0, %var0).1: ")
    assert "float32(8)  # users 1, net/block_1/bn" in lines[0]
    assert len(lines) == 2


def test_functions_are_listed_one_after_another() -> None:
    module = Module(functions={**small("block").functions, **small().functions})
    lines = show_table(listed(module, None))
    assert lines[0] == "@block"
    assert lines[8:10] == ["", "@main"]
    assert any(line.startswith("@block:%2 ") for line in lines)


def test_a_scalar_is_shown_where_it_is_used() -> None:
    d = Draft()
    half = d.constant(f32())
    d.attrs[half] = {"value": 0.5}
    x = d.input("x", f32(2))
    module = Module(functions={"main": d.graph(d.call("multiply", x, half, type_=f32(2)))})
    assert [line.split()[0] for line in show_table(listed(module, None))] == [
        "value", "%x", "constant", "result",
    ]  # fmt: skip
    lines = list(show_text(listed(module, None, scalars=False)))
    assert lines == [
        "%x = input: float32(2)  # users 1",
        "result = multiply(%x, 0.5): float32(2)  # users 0",
    ]


def test_values_are_listed_in_the_order_of_their_numbers() -> None:
    d = Draft()
    x = d.input("x", f32(2))
    first = d.call("nn.relu", x, type_=f32(2))
    second = d.call("tanh", first, type_=f32(2))
    third = d.call("exp", second, type_=f32(2))
    d.numbers[first], d.numbers[second] = 1, 0
    module = Module(functions={"main": d.graph(third)})
    assert [line.split()[0] for line in show_text(listed(module, None))] == [
        "%x", "%0", "%1", "result",
    ]  # fmt: skip
