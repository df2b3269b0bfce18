"""``check`` and ``fmt``: what needs a spec's text only, without TVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surgery.cli.console import Outcome, Session
from surgery.cli.settings import Settings
from surgery.cli.specs import COMMAND_LINE, STDIN, is_path, read_stdin
from surgery.diagnostics import (
    EXIT_DONE,
    EXIT_FAULT,
    Collector,
    Diagnostic,
    SurgeryError,
    error,
    exit_status,
)
from surgery.source import Source
from surgery.syntax import format_source, load_spec, load_text, read_source
from surgery.syntax.ast import Model, Spec

Form = Literal["text", "yaml"]
_YAML = (".yaml", ".yml", ".json")


def check(
    session: Session,
    *,
    specs: Sequence[str],
    model: str | None,
    params: str | None,
    variables: Settings,
) -> Outcome:
    """Run ``surgery check``."""
    found = Collector()
    lines = []
    for spec in specs:
        here = _check_one(spec, model, params, variables)
        for diagnostic in here:
            found.add(diagnostic)
        wrong = sum(d.severity == "error" for d in here)
        name = spec if spec == "-" or is_path(spec) else COMMAND_LINE
        lines.append(f"{name}: {'ok' if not wrong else 'faulty'}")
    for diagnostic in variables.unused():
        found.add(diagnostic)
    errors = [d for d in found.found if d.severity == "error"]
    return Outcome(
        document=lambda: {"diagnostics": [d.as_json() for d in found.found]},
        lines=lambda: lines,
        diagnostics=found.found,
        status=exit_status(errors[0].code) if errors else EXIT_DONE,
    )


def _check_one(
    spec: str, model: str | None, params: str | None, variables: Mapping[str, str]
) -> list[Diagnostic]:
    try:
        if spec == "-":
            parsed = load_text(read_stdin(), variables)
        elif is_path(spec):
            parsed = load_spec(spec, variables)
        else:
            parsed = load_text(Source(spec, COMMAND_LINE), variables, form="text")
        if model is None and not _model_at_hand(parsed):
            return []
        # The planner is imported only where there is a model to check against.
        from surgery import api

        if spec != "-" and is_path(spec):
            return api.check(spec, variables, model=model, params=params)
        planned = api.plan(parsed, model=model, params=params)
    except SurgeryError as failure:
        return list(failure.diagnostics)
    return [n for n in planned.plan.notes if n.severity == "warning"]


def _model_at_hand(spec: Spec) -> bool:
    """Return whether the file that a spec's ``model`` statement names is there."""
    for statement in spec.statements:
        if isinstance(statement, Model):
            span = statement.span
            folder = Path(span.source.path).parent if span is not None else Path()
            return (folder / statement.path).is_file()
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Formatted:
    """One file's result: its new text, and where it goes (``None``: stdout)."""

    name: str
    target: Path | None
    text: str
    changed: bool


def fmt(session: Session, *, specs: Sequence[str], check_only: bool, form: Form | None) -> Outcome:
    """Run ``surgery fmt``: nothing is written unless every spec is right."""
    if specs.count("-") > 1:
        raise error("S595", "standard input can be read once only", remedy="give - once")
    found = Collector()
    results = []
    for spec in specs:
        try:
            results.append(_format_one(spec, form))
        except SurgeryError as failure:
            found.take(failure)
    found.raise_if_errors()
    if check_only:
        return _checked(results)
    for result in results:
        if result.target is not None and result.changed:
            from surgery.recipe import write_atomic

            write_atomic(result.target, result.text.encode("utf-8"))
    return Outcome(
        document=lambda: {"files": [_document(r) for r in results]},
        lines=lambda: [line for r in results for line in _report(r)],
    )


def _format_one(spec: str, form: Form | None) -> _Formatted:
    source = read_stdin() if spec == "-" else read_source(Path(spec), spec)
    text = format_source(source, to=form)
    if spec == "-":
        return _Formatted(name=STDIN, target=None, text=text, changed=text != source.text)
    own: Form = "yaml" if spec.endswith(_YAML) else "text"
    if form is None or form == own:
        return _Formatted(name=spec, target=Path(spec), text=text, changed=text != source.text)
    target = Path(spec).with_suffix(".yaml" if form == "yaml" else ".surgery")
    there = read_source(target, str(target)).text if target.exists() else None
    if there is not None and there != text:
        raise error(
            "S594",
            f"{target} is there already, with other content",
            remedy=f"remove it first, or print the result: surgery fmt --to {form} - < {spec}",
        )
    return _Formatted(name=spec, target=target, text=text, changed=there is None)


def _checked(results: Sequence[_Formatted]) -> Outcome:
    wrong = [
        Diagnostic(
            code="S596",
            message=f"{r.name} is not in canonical form",
            remedy=f"surgery fmt {r.name if r.target is not None else '-'}",
        )
        for r in results
        if r.changed
    ]
    return Outcome(
        document=lambda: {
            "files": [_document(r) for r in results],
            "diagnostics": [d.as_json() for d in wrong],
        },
        diagnostics=wrong,
        status=EXIT_FAULT if wrong else EXIT_DONE,
    )


def _document(result: _Formatted) -> dict[str, object]:
    return {
        "file": result.name,
        "changed": result.changed,
        "written": None if result.target is None else str(result.target),
        "text": result.text if result.target is None else None,
    }


def _report(result: _Formatted) -> list[str]:
    if result.target is None:
        return result.text.rstrip("\n").split("\n")
    if not result.changed:
        return [f"{result.target}: unchanged"]
    return [f"{result.target}: written"]
