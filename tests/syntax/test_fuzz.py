"""Whatever a file holds: a spec comes out of it, or diagnostics with places inside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgery.diagnostics import SurgeryError, render
from surgery.source import Source
from surgery.syntax import (
    format_source,
    parse_pattern,
    parse_selector,
    parse_text,
    parse_yaml,
)

few = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
pieces = st.sampled_from(
    [
        *[
            "output",
            "cut",
            "after",
            "before",
            "layer_._3",
            "%42",
            "%3.*",
            "@f:%0",
            "as",
            "mask",
            "to",
            "offload",
            "pattern",
            "relu",
            "conv2d",
            ">",
            "|",
            "?",
            "*",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ";",
            ":",
            "=",
            ">=",
            "#",
            '"',
            "'",
            "\\",
            "${X}",
            "${",
            "$",
            're"',
            'name"',
            "const",
            "input",
            "x:*",
            "op",
            "first(",
            "where",
            "and",
            "or",
            "except",
            "expect",
            "3",
            "1e5",
            "optional",
            "build",
            "target",
            "llvm",
            "opt",
            "version:",
            "1",
            "steps:",
            "-",
            "&",
            "!",
            "%",
            "@",
            "`",
            "~",
            "---",
            "...",
            "{value:",
            "bind",
            "all",
            "params",
        ],
        "\n",
        "\n  ",
        " ",
        "\t",
        " ",
        "\u200b",
        "\x00",
        "\ud7ff",
        "- output %1 as a\n",
        "version: 1\nsteps:\n",
    ]
)
soups = st.lists(pieces, max_size=14).map(" ".join) | st.lists(pieces, max_size=14).map("".join)
texts = soups | st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


def survives(read: Callable[[Source], object], source: Source) -> None:
    try:
        read(source)
    except SurgeryError as failure:
        for diagnostic in failure.diagnostics:
            assert diagnostic.code.startswith("S1")
            assert diagnostic.message
            assert diagnostic.span is not None
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(source.text)
            assert source.path in render(diagnostic)


@few
@given(texts)
@pytest.mark.parametrize("read", [parse_text, parse_selector, parse_pattern])
def test_text(read: Callable[[Source], object], text: str) -> None:
    survives(read, Source(text, "x.surgery"))


@few
@given(texts)
def test_yaml(text: str) -> None:
    survives(parse_yaml, Source(text, "x.yaml"))


@few
@given(texts)
def test_yaml_steps(text: str) -> None:
    survives(parse_yaml, Source(f"version: 1\nsteps:\n  - {text}\n", "x.yaml"))


@few
@given(texts)
def test_yaml_json(text: str) -> None:
    survives(parse_yaml, Source(f'{{"version": 1, "steps": [{text}]}}', "x.json"))


@few
@given(texts)
def test_format_is_stable(text: str) -> None:
    try:
        once = format_source(Source(text, "x.surgery"))
    except SurgeryError:
        return
    assert format_source(Source(once, "x.surgery")) == once
    assert parse_text(once, {"X": "1"}) == parse_text(text, {"X": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "cut after " + "(" * 10_000 + "x" + ")" * 10_000,
        "offload pattern " + "relu(" * 10_000 + "x" + ")" * 10_000 + " to b",
        "set %1.axis = " + "[" * 10_000 + "]" * 10_000,
        "cut after " + "(" * 10_000,
        "cut after " + " or ".join(["x"] * 10_000),
        "cut after " + "first(" * 10_000 + "x",
    ],
)
def test_deep_text(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_text(text)
    assert caught.value.diagnostics[0].code in ("S105", "S106")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "version: 1\nsteps: " + "[" * 10_000 + "]" * 10_000,
        "version: 1\nbuild: " + "{a: " * 5_000 + "1" + "}" * 5_000,
        "".join(f"{' ' * i}a:\n" for i in range(200)),
    ],
)
def test_deep_yaml(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_yaml(text)
    assert caught.value.diagnostics[0].code == "S106"


def test_long_files_take_linear_time() -> None:
    statement = "output layer_._3/output/dense where users>1 as hidden optional\n"
    spec = parse_text(statement * 3_000 + "\n" * 30_000 + "  # end")
    assert len(spec.statements) == 3_000
    assert spec.statements[-1].span is not None
    assert spec.statements[-1].span.line == 3_000
