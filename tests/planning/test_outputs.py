"""Outputs: names, order, what is already one, and what can't be one."""

from __future__ import annotations

import pytest

from surgery.graph import Module
from tests.graphs import GraphBuilder
from tests.planning.test_stages import fault, plan_of

F = "float32(2,4)"


def three() -> Module:
    """%0 = add(x, b); %1 = relu(%0); %2 = tanh(%1); result = (%1, %1, %2)."""
    b = GraphBuilder()
    x, bias = b.input("x", F), b.input("b", F)
    first = b.call("add", x, bias, type=F, name="net/add")
    second = b.call("nn.relu", first, type=F, name="net/relu")
    third = b.call("tanh", second, type=F, name="net/tanh")
    return b.module(b.tuple(second, second, third))


def names(module: Module, text: str) -> list[tuple[str, int]]:
    return [(o.name, o.index) for o in plan_of(module, text).outputs]


def test_kept_outputs_stay_in_place_and_new_ones_follow_in_order() -> None:
    assert names(three(), "output %0 as sum; output %2 as last") == [
        ("out0", 0), ("out1", 1), ("last", 2), ("sum", 3),
    ]  # fmt: skip


def test_an_output_that_is_one_already_gets_the_name_and_no_copy() -> None:
    plan = plan_of(three(), "output %1 as a")
    assert [(o.name, o.index) for o in plan.outputs] == [("a", 0), ("out1", 1), ("out2", 2)]
    assert any(n.code == "S264" and "already output 0 and 1" in n.message for n in plan.notes)


def test_two_names_for_one_value_are_one_output() -> None:
    assert names(three(), "output %0 as a, %0 as c") == [
        ("out0", 0), ("out1", 1), ("out2", 2), ("a", 3), ("c", 3),
    ]  # fmt: skip


def test_only_drop_and_rename() -> None:
    assert names(three(), "output only %0 as sum") == [("sum", 0)]
    assert names(three(), "output drop 1") == [("out0", 0), ("out2", 1)]
    assert names(three(), "output drop out0; output rename 2 as logits") == [
        ("out1", 0), ("logits", 1),
    ]  # fmt: skip


def test_each_fills_the_template() -> None:
    assert names(three(), 'output only each net as "{op}_{number}"') == [
        ("add_0", 0), ("nn.relu_1", 1), ("tanh_2", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("output %0 as a; output %2 as a", "S267"),
        ("output %0 as x", "S268"),
        ("output drop 7", "S260"),
        ("output drop nothing", "S260"),
        ("output drop 0; output drop 1; output drop 2", "S266"),
        ('output each net as "{colour}"', "S263"),
    ],
)
def test_refused(text: str, code: str) -> None:
    assert code in {d.code for d in fault(three(), text).diagnostics}


def test_a_name_taken_twice_names_both_values() -> None:
    (only,) = fault(three(), "output %0 as a; output only %2 as a").diagnostics
    assert "%0" in only.reason and "%2" in only.reason


def test_inputs_pass_through_with_a_warning() -> None:
    plan = plan_of(three(), "output %x as same")
    assert plan.outputs[-1].name == "same"
    assert any(n.code == "S265" and n.severity == "warning" for n in plan.notes)
    assert [o.name for o in plan.stages[0].outputs][-1] == "same"


def test_a_tuple_is_refused_with_its_fields_but_for_all_of_them() -> None:
    b = GraphBuilder()
    split = b.call("split", b.input("x", "float32(2,8)"), type=f"{F};{F}")
    left = b.field(split, 0)
    module = b.module(b.call("tanh", left, type=F))
    (only,) = fault(module, "output %0 as both").diagnostics
    assert only.code == "S262" and "%1 or %0.1" in only.remedy
    assert names(module, "output %0.* as part") == [("out0", 0), ("part_0", 1), ("part_1", 2)]
    assert names(module, "output %0.0 as a; output %1 as b")[1:] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    "template", ["{name.upper}", "{name.x}", "{name[x]}", "{op:d}", "{", "{0}"]
)
def test_a_template_that_cannot_be_filled_in(template: str) -> None:
    failure = fault(three(), f'output each op tanh as "{template}"')
    assert [d.code for d in failure.diagnostics if d.severity == "error"] == ["S263"]
