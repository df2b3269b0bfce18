"""Finds statements of one spec that can't both hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from surgery.diagnostics import Collector, Diagnostic
from surgery.syntax import ast

_WORDS = {
    "Build": "build",
    "StageOn": "stage",
    "Verify": "verify",
    "Pipeline": "pipeline",
    "Let": "let",
    "PatternDef": "pattern",
    "Backend": "backend",
}


def find_conflicts(statements: Iterable[ast.Statement], found: Collector) -> None:
    """Report definitions of one name and settings that contradict each other, both places named."""
    names: dict[tuple[str, str], ast.Statement] = {}
    settings: dict[str, tuple[Any, ast.Statement]] = {}
    for statement in statements:
        match statement:
            case ast.Let(name=name) | ast.PatternDef(name=name) | ast.Backend(name=name):
                kind = type(statement).__name__
                first = names.setdefault((kind, name), statement)
                if first is not statement:
                    _report(
                        found,
                        "S141",
                        f"`{_WORDS[kind]} {name}` is defined twice",
                        first,
                        statement,
                        "give one of them another name, or remove it",
                    )
            case ast.BindInput(name=name):
                _settle(found, settings, f"type of input `{name}`", statement, _type(statement))
            case ast.Build() | ast.StageOn() | ast.Verify() | ast.Pipeline():
                for what, value in _settings(statement):
                    _settle(found, settings, what, statement, value)
            case ast.Model():
                value = (statement.path, statement.params)
                _settle(found, settings, "model", statement, value)
            case ast.CutInto():
                value = (statement.stages, statement.by, statement.within)
                _settle(found, settings, "number of stages", statement, value)
            case _:
                pass


def _settings(
    statement: ast.Build | ast.StageOn | ast.Verify | ast.Pipeline,
) -> Iterable[tuple[str, Any]]:
    """Yield what a statement sets: a name for messages, and the value."""
    kind = _WORDS[type(statement).__name__]
    prefix = f"{kind} {statement.stage}" if isinstance(statement, ast.StageOn) else kind
    for field in fields(statement):
        value = getattr(statement, field.name)
        if field.name in ("span", "stage") or value in (None, False, ()):
            continue
        if field.name == "config":
            for key, setting in value:
                yield f"{prefix} config {key}", setting
        elif field.name != "disable":
            yield f"{prefix} {field.name}", value


def _type(statement: ast.BindInput) -> str:
    return f"{statement.dtype}{statement.shape}"


def _settle(
    found: Collector,
    settings: dict[str, tuple[Any, ast.Statement]],
    what: str,
    statement: ast.Statement,
    value: Any,
) -> None:
    before, first = settings.setdefault(what, (value, statement))
    if before != value:
        _report(
            found,
            "S140",
            f"the {what} is set twice, to different values",
            first,
            statement,
            "keep one of them",
        )


def _report(
    found: Collector,
    code: str,
    message: str,
    first: ast.Statement,
    second: ast.Statement,
    remedy: str,
) -> None:
    notes: tuple[str, ...] = ()
    if first.span is not None:
        span = first.span
        notes = (f"first at {span.source.path}:{span.line}:{span.column}",)
    found.add(Diagnostic(code=code, message=message, span=second.span, notes=notes, remedy=remedy))
