"""Listings as people paste them: quoted, numbered, with prompts and fences around."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import surgery.api as api
from surgery.diagnostics import SurgeryError
from surgery.listing import read_listing, unpasted
from surgery.source import Source

LISTING = """\
def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.dense(%x, %w, units=None) /* layer_._0/MatMul */ /* ty=Tensor[(1, 4), float32] */;

  %1 = nn.relu(%0) /* layer_._0/Relu */ /* ty=Tensor[(1, 4), float32] */;
  add(%1, %x) /* ty=Tensor[(1, 4), float32] */
}
"""
_LINES = LISTING.splitlines()
_COLOURED = LISTING.replace("def", "\x1b[38;5;28mdef\x1b[39m").replace("add", "\x1b[1madd\x1b[0m")

PASTED = {
    "quoted": textwrap.indent(LISTING, "> ", lambda _: True),
    "quoted twice": textwrap.indent(LISTING, ">> "),
    "quoted, blank lines not": textwrap.indent(LISTING, "> "),
    "a table's bar": textwrap.indent(LISTING, "| "),
    "a diff": textwrap.indent(LISTING, "+"),
    "numbered": "\n".join(f"{i:3}: {line}" for i, line in enumerate(_LINES, 1)),
    "numbered by cat -n": "\n".join(f"{i:6}\t{line}" for i, line in enumerate(_LINES, 1)),
    "numbered behind bars": "\n".join(f"{i:4} | {line}" for i, line in enumerate(_LINES, 1)),
    "numbered by bat": "\n".join(f"{i:4} │ {line}" for i, line in enumerate(_LINES, 1)),
    "python": f">>> print(mod)\n{LISTING}\n>>> ",
    "ipython": f"In [3]: print(mod)\n{LISTING}\nIn [4]:",
    "ipython, one line": f"Out[3]: {LISTING}",
    "shell": f"$ python dump.py\nWARNING:root:one\n{LISTING}user:~/net$ ",
    "markdown": f"The model:\n```\n{LISTING}```\nThanks",
    "coloured": _COLOURED,
    "metadata hint": LISTING + "// meta data omitted. you can use show_meta_data=True\n",
}


@pytest.mark.parametrize("kind", PASTED)
def test_what_copying_leaves_is_left_out(kind: str) -> None:
    found = unpasted(PASTED[kind])
    graph = read_listing(Source(found.text)).main
    expected = read_listing(Source(LISTING)).main
    assert [n.op for n in graph] == [n.op for n in expected]
    assert list(graph.names) == list(expected.names)
    assert list(graph.numbers) == list(expected.numbers)
    assert list(graph.types) == list(expected.types)
    assert bool(found.notes) == (kind != "metadata hint")


def test_places_stay_where_they_are() -> None:
    text = textwrap.indent(f"noise\n{LISTING}", "> ", lambda _: True)
    found = unpasted(text)
    assert len(found.text) == len(text)
    assert found.text.index("%1 =") == text.index("%1 =")
    assert found.notes == (
        "quoting before each line was left out",
        "line 1 isn't Relay and was left out",
    )


@pytest.mark.parametrize(
    "text",
    [
        LISTING,
        '#[version = "0.0.5"]\n' + LISTING,
        LISTING.replace("def @main", "fn "),
        "// a comment\n" + LISTING,
        LISTING + "\n#[metadata]\n{\n}\n",
        "nothing of this is Relay",
        "",
    ],
)
def test_nothing_else_is_touched(text: str) -> None:
    assert unpasted(text).text == text
    assert not unpasted(text).notes


def test_lines_in_between_are_left_for_the_parser_to_name() -> None:
    text = LISTING.replace("  add(", "  ...\n  add(")
    assert unpasted(f"$ cat x\n{text}").text.count("...") == 1


def test_a_pasted_model_is_applied_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "m.relay"
    path.write_text(PASTED["shell"])
    done = api.apply(api.parse_spec("cut after layer_._0; verify"), tmp_path / "out", model=path)
    assert done.verification is not None and done.verification.passed
    assert any("lines 1, 2, 9 isn't Relay" in n.message for n in done.notes + done.plan.notes)


def test_the_inside_of_a_function_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.relay"
    path.write_text("\n".join(_LINES[1:-1]))
    spec = api.parse_spec("cut after layer_._0")
    plan = api.plan(spec, model=path).plan
    assert [plan.module.main.label(c.ref) for c in plan.crossings] == ["%1"]
    with pytest.raises(SurgeryError) as caught:
        api.apply(spec, tmp_path / "out", model=path)
    (only,) = caught.value.diagnostics
    assert only.code == "S521" and only.message.endswith("begins inside a function")
    assert only.span is not None and (only.span.line, only.span.column) == (1, 3)


def test_a_refused_listing_is_refused_at_its_own_place(tmp_path: Path) -> None:
    path = tmp_path / "m.relay"
    path.write_text(PASTED["quoted"].replace("%1, %x", "%7, %x"))
    with pytest.raises(SurgeryError) as caught:
        api.load_picture(path)
    (only,) = caught.value.diagnostics
    assert only.span is not None and only.span.line == 5
