"""What is wrong with a listing, and where."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.codes.listing import CODES
from surgery.diagnostics import Diagnostic, SurgeryError, render
from surgery.listing import missing_required_attrs, prescan, read_listing, scan_bindings
from surgery.source import Source

DATA = Path(__file__).parent / "data"


def faults(text: str) -> list[tuple[str, int, int]]:
    """Return code, line and column of everything that reading a text reports."""
    with pytest.raises(SurgeryError) as failure:
        read_listing(Source(text, "model.relay"))
    assert failure.value.exit_status == 5
    return [place(d) for d in failure.value.diagnostics]


def place(found: Diagnostic) -> tuple[str, int, int]:
    assert found.span is not None
    assert found.reason
    assert found.remedy
    return found.code, found.span.line, found.span.column


def test_a_number_bound_more_than_once() -> None:
    (path,) = DATA.glob("47-*.relay")
    source = Source(path.read_text(), "model.relay")
    (found,) = prescan(source)
    assert found.code == "S522"
    assert found.message == "`%0` is bound on lines 3, 8 and 9"
    assert place(found) == ("S522", 8, 3)
    assert "silently use the first" in found.reason
    with pytest.raises(SurgeryError, match="lines 3, 8 and 9"):
        read_listing(source)


def test_equal_numbers_in_comments_and_strings_do_not_count() -> None:
    text = (
        "def @main(%x: float32) {\n"
        '  %0 = tanh(%x, k="%0 = {") /* %0 = { */; // %0 = }\n'
        "  %1 = exp(%0);\n  %1\n}\n"
    )
    assert prescan(Source(text)) == []
    assert len(read_listing(Source(text)).main.by_number) == 2


def test_duplicate_parameters() -> None:
    text = "def @main(%a:0: float32, %b: float32,\n          %a:0: float32) {\n  %b\n}\n"
    (found,) = prescan(Source(text))
    assert place(found) == ("S523", 2, 12)
    assert found.span is not None
    assert found.span.text == "a:0"
    assert found.notes == ("the first is on line 1, column 12",)


def test_functions_may_share_names_of_parameters() -> None:
    text = (
        "def @f(%x: float32) { %0 = fn (%x: float32) { %x }; %0(%x) }\n"
        "def @main(%x: float32) { @f(%x) }"
    )
    assert prescan(Source(text)) == []


def test_unbound_numbers() -> None:
    text = "def @f(%x: float32) { %0 = tanh(%x); %0 }\ndef @main(%x: float32) {\n  add(%0, %7)\n}"
    found = prescan(Source(text))
    assert [place(d) for d in found] == [("S524", 3, 7), ("S524", 3, 11)]
    assert "line 1, in another function" in found[0].reason
    assert "no line binds it" in found[1].reason


def test_a_number_bound_later_is_a_warning() -> None:
    text = "def @main(%x: float32) {\n  %1 = tanh(%0);\n  %0 = exp(%x);\n  %1\n}"
    (found,) = prescan(Source(text))
    assert (found.severity, place(found)) == ("warning", ("S530", 2, 13))
    assert read_listing(Source(text)).main.ops[-1] == "tanh"


def test_a_value_computed_from_itself() -> None:
    text = "def @main(%x: float32) {\n  %0 = tanh(%1);\n  %1 = exp(%0);\n  %1\n}"
    assert faults(text) == [("S524", 2, 13)]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("def @main(%x: float32) {\n  %0 = if (%x) {\n    tanh(%x)\n", ("S521", 2, 16)),
        ("def @main(%x: float32) {\n  tanh(%x)\n}\n}\n", ("S521", 4, 1)),
        ("def @main(%x: float32) {\n  tanh(%x) /* ty=flo", ("S521", 2, 12)),
        ('def @main(%x: float32) { %x }\n#[metadata]\n{\n  "root": 1, \n', ("S521", 4, 1)),
        ("def @main(%x: float32) { %x }\n#[metadata]\n[]\n", ("S521", 2, 12)),
    ],
)
def test_cut_off(text: str, where: tuple[str, int, int]) -> None:
    assert faults(text)[0][:2] == where[:2]
    if where[1] != 4 or "}" in text.splitlines()[3]:
        assert faults(text)[0] == where


@pytest.mark.parametrize(
    ("body", "line", "column", "expected"),
    [
        ("  %0 = tanh(%x)\n  %0\n", 3, 3, "`;`"),
        ("  %0 = add(%x %x);\n  %0\n", 2, 15, "`)`"),
        ("  %0 = tanh(%x,,);\n  %0\n", 2, 16, "an expression"),
        ("  tanh(%x, axis=);\n", 2, 17, "a value"),
        ("  let %a: = %x;\n  %a\n", 2, 11, "a type"),
        ("  if (%x) { %x }\n", 3, 1, "`else`"),
        ("  %0 = tanh(%x);\n", 3, 1, "an expression"),
        ("  $x\n", 2, 3, "no part of the language"),
    ],
)
def test_text_that_does_not_parse(body: str, line: int, column: int, expected: str) -> None:
    source = Source(f"def @main(%x: float32) {{\n{body}}}\n", "model.relay")
    with pytest.raises(SurgeryError) as failure:
        read_listing(source)
    (found,) = failure.value.diagnostics
    assert place(found) == ("S520", line, column)
    assert expected in found.reason
    assert f"model.relay:{line}:{column}" in render(found)


def test_undeclared_variables_suggest_the_nearest() -> None:
    with pytest.raises(SurgeryError) as failure:
        read_listing(Source("def @main(%input: float32) {\n  tanh(%inptu)\n}"))
    (found,) = failure.value.diagnostics
    assert place(found) == ("S525", 2, 8)
    assert found.notes == ("did you mean `%input`?",)


def test_a_variable_ends_with_its_block() -> None:
    text = (
        "def @main(%x: float32, %c: bool) {\n"
        "  %0 = if (%c) { let %a = %x; %a } else { %x };\n  %a\n}"
    )
    assert faults(text) == [("S525", 3, 3)]


def test_no_main() -> None:
    assert faults("def @f(%x: float32) { %x }") == [("S526", 1, 6)]
    assert faults("") == [("S526", 1, 1)]
    assert faults("// nothing here\n") == [("S526", 1, 1)]


def test_a_function_defined_twice() -> None:
    text = "def @main(%x: float32) { %x }\ndef @main(%x: float32) { %x }"
    assert faults(text) == [("S527", 2, 5)]


def test_a_field_that_a_tuple_does_not_have() -> None:
    assert faults("def @main(%t: (float32, bool)) {\n  %t.2\n}") == [("S528", 2, 5)]
    assert faults("def @main(%x: float32) {\n  %0 = (%x, foo(%x));\n  %0.2\n}") == [("S528", 3, 5)]


def test_dense_without_units() -> None:
    (path,) = DATA.glob("41-*.relay")
    (found,) = missing_required_attrs(Source(path.read_text(), "model.relay"))
    assert place(found) == ("S529", 3, 3)
    assert found.message == "`nn.dense` lacks its attribute `units`"
    assert "units=None" in found.remedy


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        ("nn.dense(%x, %y, units=None)", None),
        ('nn.dense(%x, %y, out_dtype="float32")', "`units`"),
        ("nn.dense(%x, %y, meta[relay.attrs.DenseAttrs][0])", None),
        ("nn.dense(%x, reshape(%y, newshape=[1]))", "`units`"),
        ("clip(%x)", "`a_min` and `a_max`"),
        ("my.nn.dense(%x, %y)", None),
        ("@reshape(%x)", None),
        ("%reshape(%x)", None),
        ("tanh(%x) /* nn.dense(%x) */", None),
    ],
)
def test_required_attributes(call: str, missing: str | None) -> None:
    found = missing_required_attrs(Source(f"def @main(%x, %y) {{ {call} }}"))
    assert [re.search("attributes? (.*)", d.message)[1] for d in found] == (  # type: ignore[index]
        [] if missing is None else [missing]
    )


def test_printed_models_lack_no_attribute() -> None:
    (path,) = DATA.glob("50-*.relay")
    # The listing's own `meta[relay.attrs...]` stand for attributes.
    assert missing_required_attrs(Source(path.read_text())) == []


def test_every_code_is_explained() -> None:
    folder = Path(__file__).resolve().parents[2] / "surgery" / "listing"
    used = {c for p in folder.glob("*.py") for c in re.findall(r'"(S5\d\d)"', p.read_text())}
    assert used == set(CODES)
    assert all(len(title) < 40 and len(text) > 80 for title, text in CODES.values())


WHOLE = [p.read_text() for p in sorted(DATA.glob("*.relay"))]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(WHOLE))
def test_damaged_text_never_fails_otherwise(seed: int, text: str) -> None:
    """Bits cut out of, doubled in, or thrown into real listings."""
    dice = random.Random(seed)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(text) + 1)
        size = dice.choice([1, 3, 20, 200])
        piece = dice.choice(["", text[at : at + size] * 2, dice.choice('(){}[];,=%@.:"/*0a é\n')])
        text = text[:at] + piece + text[at + size :]
    source = Source(text)
    missing_required_attrs(source)
    scan_bindings(source)
    try:
        module = read_listing(source)
    except SurgeryError as failure:
        for found in failure.diagnostics:
            assert found.code in CODES
            assert found.span is not None
            render(found)
        return
    for graph in module.functions.values():
        assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="def @main(%x:y)->{}=;,.0/*\"'[]#\n tanhifletfnmeta", max_size=80))
def test_arbitrary_text_never_fails_otherwise(text: str) -> None:
    source = Source(text)
    missing_required_attrs(source)
    scan_bindings(source)
    try:
        read_listing(source)
    except SurgeryError as failure:
        assert {d.code for d in failure.diagnostics} <= set(CODES)
