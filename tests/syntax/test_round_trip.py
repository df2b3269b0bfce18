"""AST -> text -> AST and AST -> YAML -> AST, over everything the language can say."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgery.diagnostics import Collector
from surgery.source import Source
from surgery.syntax import (
    ast,
    format_source,
    parse_pattern,
    parse_selector,
    parse_text,
    parse_yaml,
    print_pattern,
    print_selector,
    print_spec,
    print_statement,
    print_yaml,
)
from surgery.syntax.conflicts import find_conflicts
from tests.syntax.strategies import patterns, selectors, statements

few = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@few
@given(selectors)
def test_selector(selector: ast.Selector) -> None:
    text = print_selector(selector)
    assert parse_selector(text) == selector
    assert print_selector(parse_selector(text)) == text


@few
@given(patterns)
def test_pattern(pattern: ast.Pattern) -> None:
    assert parse_pattern(print_pattern(pattern)) == pattern


@settings(few, max_examples=250)
@given(statements)
def test_statement(statement: ast.Statement) -> None:
    text = print_statement(statement)
    assert "\n" not in text
    assert parse_text(text).statements == (statement,)


def consistent(candidates: list[ast.Statement]) -> tuple[ast.Statement, ...]:
    """Leave out statements that contradict an earlier one."""
    kept: list[ast.Statement] = []
    for candidate in candidates:
        found = Collector()
        find_conflicts([*kept, candidate], found)
        if not found.has_errors:
            kept.append(candidate)
    return tuple(kept)


specs = st.lists(statements, max_size=6).map(lambda s: ast.Spec(statements=consistent(s)))


@few
@given(specs)
def test_spec_as_text(spec: ast.Spec) -> None:
    text = print_spec(spec)
    assert parse_text(text) == spec
    assert print_spec(parse_text(text)) == text
    assert format_source(Source(text, "x.surgery")) == text


def order_free(spec: ast.Spec) -> list[str]:
    return sorted(map(repr, spec.statements))


@settings(few, max_examples=100)
@given(specs)
def test_spec_as_yaml(spec: ast.Spec) -> None:
    text = print_yaml(spec)
    back = parse_yaml(text)
    assert order_free(back) == order_free(spec)
    assert print_yaml(back) == text
    assert format_source(Source(text, "x.yaml")) == text


@few
@given(specs)
def test_there_and_back(spec: ast.Spec) -> None:
    as_yaml = format_source(Source(print_spec(spec), "x.surgery"), to="yaml")
    assert order_free(parse_yaml(as_yaml)) == order_free(spec)
    as_text = format_source(Source(as_yaml, "x.yaml"), to="text")
    assert order_free(parse_text(as_text)) == order_free(spec)
