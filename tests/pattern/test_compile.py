"""Patterns that can't be meant: each error at its place, with what to write instead."""

from __future__ import annotations

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.pattern import compile_pattern
from surgery.syntax import parse_pattern


def refused(text: str, **named: str) -> Diagnostic:
    definitions = {name: parse_pattern(body) for name, body in named.items()}
    with pytest.raises(SurgeryError) as failure:
        compile_pattern(parse_pattern(text), definitions)
    (diagnostic,) = failure.value.diagnostics
    return diagnostic


def place(diagnostic: Diagnostic) -> str:
    assert diagnostic.span is not None
    return diagnostic.span.text


def test_an_unknown_op_names_the_nearest() -> None:
    found = refused("conv2d>rleu")
    assert (found.code, found.message) == ("S230", "there is no op `rleu`")
    assert "nn.relu" in found.remedy
    assert place(found) == "rleu"
    assert found.span is not None
    assert found.span.column == 8


def test_an_unknown_op_may_be_a_misspelt_pattern() -> None:
    assert "conv_block" in refused("conv_blok>relu", conv_block="conv2d>relu").remedy


def test_an_ambiguous_short_name_lists_the_candidates() -> None:
    found = refused("conv>relu")
    assert found.code == "S230"
    assert found.message == "`conv` could be nn.conv1d, nn.conv2d, nn.conv3d or qnn.conv2d"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("conv2d(*, *, *)", "nn.conv2d takes 2 operands, the pattern gives 3"),
        ("add(conv2d)", "add takes 2 operands, the pattern gives 1"),
        ("relu()", "nn.relu takes 1 operand, the pattern gives 0"),
        ("bn(*, *, *, *, *, *)", "nn.batch_norm takes 5 operands, the pattern gives 6"),
    ],
)
def test_a_wrong_number_of_operands(text: str, message: str) -> None:
    found = refused(text)
    assert (found.code, found.message) == ("S231", message)


@pytest.mark.parametrize("text", ["bn(*)", "layer_norm(*)", "qnn.conv2d(*, *)", "requantize(*)"])
def test_parameters_of_an_op_may_be_left_out(text: str) -> None:
    assert len(compile_pattern(parse_pattern(text)).programs) == 1


@pytest.mark.parametrize("text", ["*", "x:*", "const", "(relu>tanh?)?"])
def test_a_pattern_needs_an_op(text: str) -> None:
    if text == "(relu>tanh?)?":
        assert refused("relu?>tanh?").code == "S232"
        assert refused("elementwise*").code == "S232"
    else:
        assert refused(text).code == "S232"


def test_an_unknown_attribute_names_the_nearest() -> None:
    found = refused("conv2d{group=1}>relu")
    assert (found.code, found.message) == ("S233", "nn.conv2d has no attribute `group`")
    assert "groups" in found.remedy
    assert refused("relu{axis=1}").message == "nn.relu has no attribute `axis`"
    assert refused("dense(*{units=4}, *)").message == "a leaf has no attribute `units`"


def test_an_order_needs_numbers() -> None:
    assert refused("conv2d{data_layout>NCHW}").code == "S233"
    assert refused("conv2d{shape>(1,2)}").code == "S233"


def test_captures_that_could_mean_several_values() -> None:
    found = refused("add(x:*, multiply(x:*, sigmoid(x)))")
    assert (found.code, found.message) == ("S235", "`x` could mean several captures")


def test_named_patterns_that_use_themselves() -> None:
    found = refused("a", a="b>relu", b="a>tanh")
    assert (found.code, found.reason) == ("S238", "The chain is a -> b -> a.")


def test_a_pattern_may_have_the_name_of_the_op_it_uses() -> None:
    definitions = {"relu": parse_pattern("relu>tanh")}
    (program,) = compile_pattern(parse_pattern("relu"), definitions).programs
    assert [e.written for e in program.elements] == ["relu", "tanh"]


def test_a_named_pattern_takes_no_operands() -> None:
    assert refused("block(*)", block="conv2d>relu").code == "S236"


def test_a_leaf_has_no_place_in_a_chain() -> None:
    found = refused("x:*>relu")
    assert (found.code, place(found)) == ("S237", "x:*")


def test_patterns_are_bounded() -> None:
    assert refused(">".join(["relu"] * 101)).code == "S239"
    many = ">".join(["((relu>tanh)|exp)"] * 8)
    assert refused(many).code == "S239"
    assert len(compile_pattern(parse_pattern(">".join(["relu"] * 100))).programs[0]) == 100


def test_single_op_alternatives_cost_no_readings() -> None:
    (program,) = compile_pattern(parse_pattern(">".join(["(relu|clip)"] * 20))).programs
    assert len(program) == 20
