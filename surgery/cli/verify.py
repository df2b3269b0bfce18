"""``surgery verify``: a recipe against its original, or two models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.importing import types
from surgery.cli.work import recipe_notes, verification_json, verification_lines
from surgery.diagnostics import EXIT_DIFFERS, EXIT_DONE
from surgery.report.text import clean, plural

if TYPE_CHECKING:
    from surgery.api.comparing import Compared, Tolerance
    from surgery.syntax.ast import BindInput


def verify(
    session: Session,
    *,
    recipe: str,
    other: str | None,
    inputs: Path | None,
    seed: int | None,
    data: Path | None,
    model: str | None,
    params: str | None,
    rtol: float | None,
    atol: float | None,
    tolerances: Mapping[str, Tolerance],
    allow_code: bool,
    framework: bool,
    binds: tuple[BindInput, ...],
    **builds: Any,
) -> Outcome:
    """Run ``surgery verify``; ``builds``: how to load and build each side."""
    from surgery.api.comparing import compare_models
    from surgery.api.sides import is_model

    if sum(x is not None for x in (inputs, seed, data)) > 1:
        raise click.UsageError("of --inputs, --seed and --data only one can stand")
    asked = [name for name, value in builds.items() if value is not None]
    two = other is not None or asked or data is not None or tolerances or framework
    if not two and not is_model(recipe):
        return _with_original(session, Path(recipe), model, params, inputs, seed, rtol, atol)
    if model is not None or params is not None:
        option = "--model" if model is not None else "--params"
        raise click.UsageError(
            f"{option} is for a recipe alone; two models are A and B, their weights --params-a "
            "and --params-b"
        )
    with session.progress() as progress:
        found = compare_models(
            recipe,
            other,
            inputs=inputs,
            data=data,
            seed=seed or 0,
            rtol=rtol,
            atol=atol,
            tolerances=tolerances,
            allow_code=allow_code,
            types=types(binds),
            framework=framework,
            progress=progress,
            **builds,
        )
    return Outcome(
        document=lambda: {
            "a": found.a.shown,
            "b": found.b.shown,
            "items": found.items,
            "by_position": found.by_position,
            "verification": verification_json(found.verification),
            "diagnostics": [],
        },
        lines=lambda: _lines(found),
        status=EXIT_DONE if found.verification.passed else EXIT_DIFFERS,
    )


def _with_original(
    session: Session,
    recipe: Path,
    model: str | None,
    params: str | None,
    inputs: Path | None,
    seed: int | None,
    rtol: float | None,
    atol: float | None,
) -> Outcome:
    with session.progress() as progress:
        found = api.verify(
            recipe,
            model=model,
            params=params,
            inputs=inputs,
            seed=seed,
            rtol=rtol,
            atol=atol,
            progress=progress,
        )
    return Outcome(
        document=lambda: {
            "verification": verification_json(found),
            "diagnostics": [n.as_json() for n in recipe_notes(recipe)],
        },
        lines=lambda: verification_lines(found),
        diagnostics=recipe_notes(recipe),
        status=EXIT_DONE if found.passed else EXIT_DIFFERS,
    )


def _lines(found: Compared) -> Iterator[str]:
    yield "compared:"
    for letter, side in (("a", found.a), ("b", found.b)):
        yield clean(f"  {letter}  {side.shown}: {side.how}")
        for note in side.notes:
            yield clean(f"     {note}")
    yield clean(f"  inputs: {found.verification.inputs}; {plural(found.items, 'item')}")
    if found.by_position:
        yield "  outputs are paired by position: their names differ"
    yield ""
    yield from verification_lines(found.verification)
