"""``surgery reduce``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from surgery.cli.console import Outcome, Session
from surgery.cli.importing import types
from surgery.cli.settings import Settings
from surgery.cli.specs import SUFFIXES, is_path, read_spec
from surgery.diagnostics import EXIT_DONE, EXIT_INTERRUPTED
from surgery.report import human_seconds
from surgery.report.text import clean, few, plural

if TYPE_CHECKING:
    from surgery.api.reducing import Reduced
    from surgery.syntax import ast

_OPS_SHOWN = 20


def reduce(
    session: Session,
    *,
    source: str,
    output: Path,
    inputs: Path | None,
    seed: int | None,
    variables: Settings,
    binds: tuple[ast.BindInput, ...],
    **options: Any,
) -> Outcome:
    """Run ``surgery reduce``."""
    from surgery.api.reducing import reduce as shrink

    if inputs is not None and seed is not None:
        raise click.UsageError("--inputs and --seed can't stand together")
    what: str | ast.Spec = source
    base = None
    if source.endswith(SUFFIXES) or not is_path(source):
        given = read_spec(source, variables)
        what, base = given.spec, None if given.path is None else given.path.parent
    with session.progress() as progress:
        done = shrink(
            what,
            output,
            base=base,
            inputs=inputs,
            seed=seed or 0,
            types=types(binds),
            progress=progress,
            **options,
        )
    return Outcome(
        document=lambda: {**done.as_json(), "diagnostics": []},
        lines=lambda: _lines(done),
        status=EXIT_INTERRUPTED if done.stopped == "interrupted" else EXIT_DONE,
    )


def _lines(done: Reduced) -> Iterator[str]:
    took = f"{plural(done.runs, 'run')} of the check, {human_seconds(done.seconds)}"
    yield f"{plural(done.ops_before, 'op')} -> {done.ops}, in {took}"
    for line in few(done.described, _OPS_SHOWN):
        yield clean(f"  {line}")
    yield clean(f"it fails as the whole model does: {done.failure}")
    if done.stopped:
        yield f"stopped ({done.stopped}): a smaller one may fail too"
    else:
        yield "no single op can be taken out any more"
    yield from (clean(f"note: {note}") for note in done.notes)
    yield f"wrote {done.folder}"
