"""``tap``: the values of intermediates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.settings import Settings
from surgery.cli.specs import COMMAND_LINE, SUFFIXES, is_path, read_spec
from surgery.report import ValueRow, human_bytes, values_page, values_table
from surgery.syntax.ast import BindInput, Spec


def tap(
    session: Session,
    *,
    source: str,
    selectors: tuple[str, ...],
    every: bool,
    model: str | None,
    params: str | None,
    variables: Settings,
    binds: tuple[BindInput, ...],
    inputs: Path | None,
    seed: int | None,
    output: Path | None,
    html: Path | None,
    memory: int | None,
    target: str | None,
    opt_level: int | None,
    debug_executor: bool,
) -> Outcome:
    """Run ``surgery tap``."""
    if inputs is not None and seed is not None:
        raise click.UsageError("--inputs and --seed can't stand together")
    if not selectors and not every:
        raise click.UsageError("name the values to read (%42, a source name, ...), or give --all")
    is_spec = source.endswith(SUFFIXES) or not is_path(source)
    if model is not None and not is_spec:
        raise click.UsageError("--model goes with a spec; here the model is the argument itself")
    if binds and is_spec:
        raise click.UsageError("--bind goes with a model; a spec has `bind` of its own")
    given = read_spec(source, variables) if is_spec else None
    bound = Spec(statements=binds) if binds else None
    with session.progress() as progress, _no_inputs_is_usage(inputs is None and seed is None):
        tapped = api.tap(
            given.spec if given is not None else bound or source,
            selectors,
            every=every,
            model=source if bound is not None else model,
            params=params,
            base=None if given is None or given.path is None else given.path.parent,
            inputs=inputs,
            seed=seed,
            output=output,
            keep=False,
            memory=memory,
            target=target,
            opt_level=opt_level,
            debug_executor=debug_executor,
            progress=progress,
        )
    rows = [_row(value) for value in tapped.values]
    if html is not None:
        from surgery.recipe import write_atomic

        title = source if is_path(source) else COMMAND_LINE
        page = values_page(rows, title=f"Values of {title}", lead=[_how(tapped)])
        write_atomic(html, page.encode("utf-8"))
    notes = (*variables.unused(), *tapped.notes)
    return Outcome(
        document=lambda: {
            **tapped.as_json(),
            "saved": None if output is None else str(output),
            "report": None if html is None else str(html),
            "diagnostics": [n.as_json() for n in notes],
        },
        lines=lambda: _lines(tapped, rows, output, html),
        diagnostics=[n for n in notes if n.severity == "warning"],
    )


@contextmanager
def _no_inputs_is_usage(none: bool) -> Iterator[None]:
    """Make it wrong usage, not a faulty file, where no inputs are named at all."""
    try:
        yield
    except api.SurgeryError as failure:
        first = failure.diagnostics[0]
        if none and first.code == "S582":
            text = f"{first.message}. {first.reason} Give --inputs x.npz, or --seed 0 for random"
            raise click.UsageError(f"{text} ones") from failure
        raise


def _row(value: api.TappedValue) -> ValueRow:
    found = value.statistics
    return ValueRow(
        label=value.label,
        name=value.name,
        op=value.op,
        type=f"{value.type.dtype}({','.join(map(str, value.shape))})",
        elements=found.elements,
        nan=found.nan,
        infinite=found.infinite,
        minimum=found.minimum,
        maximum=found.maximum,
        mean=found.mean,
        std=found.std,
        histogram=found.histogram,
        kernel=value.kernel,
    )


def _how(tapped: api.Tapped) -> str:
    builds = "" if tapped.builds == 1 else f", in {tapped.builds} builds"
    peak = "" if tapped.peak_bytes is None else f"; memory {human_bytes(tapped.peak_bytes)} at most"
    how = f"inputs: {tapped.inputs}; {tapped.build.target}, opt {tapped.build.opt_level}"
    return f"{how}{builds}{peak}"


def _lines(
    tapped: api.Tapped, rows: list[ValueRow], output: Path | None, html: Path | None
) -> Iterator[str]:
    yield from values_table(rows)
    yield _how(tapped)
    if output is not None:
        yield f"wrote {output} and {api.manifest_path(output)}"
    if html is not None:
        yield f"wrote {html}"
