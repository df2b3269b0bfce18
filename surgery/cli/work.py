"""``apply``, ``plan``, ``build``, ``run``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.settings import Settings
from surgery.cli.specs import read_spec
from surgery.diagnostics import EXIT_DIFFERS, EXIT_DONE, Diagnostic
from surgery.planning import Plan, plan_json
from surgery.report import (
    Section,
    comparison_lines,
    comparisons,
    human_seconds,
    number,
    outcome_sections,
    plan_sections,
    summary_line,
    table,
    tolerance,
)
from surgery.report.text import clean, plural

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import Recipe
    from surgery.runtime import RunResult
    from surgery.verification import Verification


def apply(
    session: Session,
    *,
    spec: str,
    output: Path | None,
    model: str | None,
    params: str | None,
    variables: Settings,
    build: bool | None,
    verify: bool | None,
    force: bool,
    allow_code: bool,
) -> Outcome:
    """Run ``surgery apply``."""
    if build is False and verify:
        raise click.UsageError("--verify needs a build: leave out --no-build")
    given = read_spec(spec, variables)
    unused = variables.unused()
    out = output if output is not None else given.output_folder(model)
    with session.progress() as progress:
        done = api.apply(
            given.spec,
            out,
            model=model,
            params=params,
            build=build,
            verify=verify,
            force=force,
            base=None if given.path is None else given.path.parent,
            spec_path=given.path,
            allow_code=allow_code,
            progress=progress,
        )
    return Outcome(
        document=lambda: {
            "out": str(out) if done.written else None,
            "plan": plan_json(done.plan),
            "verification": verification_json(done.verification),
            "passes": [check.as_json() for check in done.passes],
            "diagnostics": [n.as_json() for n in (*unused, *done.notes)],
        },
        lines=lambda: _applied(done, out),
        diagnostics=[*unused, *(n for n in done.notes if n.severity == "warning")],
        status=EXIT_DONE if done.written else EXIT_DIFFERS,
    )


def _applied(done: api.Applied, out: Path) -> Iterator[str]:
    yield from _sections(outcome_sections(done.plan))
    yield from _notes(n for n in done.notes if n.severity == "note")
    if done.passes:
        yield from _pass_lines(done.passes, done.pass_builds)
    if done.verification is not None:
        yield from verification_lines(done.verification)
    if done.written:
        yield f"wrote {out}: {summary_line(done.plan)}"
    elif done.passes and not done.passes[-1].passed:
        yield f"{out} was not written: {done.passes[-1].name} changes what the model computes"
    else:
        yield f"{out} was not written: the operated model differs from the original"
        yield "  `surgery bisect SPEC` finds the op or region at which it begins to"


def _pass_lines(passes: Sequence[api.PassCheck], builds: int) -> Iterator[str]:
    """Yield a table of what each pass did to the outputs."""
    yield f"passes ({plural(builds, 'build')} of the whole model):"
    rows = []
    for check in passes:
        found = check.verification
        if found is None:
            rows.append((check.name, str(check.ops), "", "the same ops"))
            continue
        verdict = "ok" if found.passed else "DIFFERS"
        rows.append((check.name, str(check.ops), number(found.max_abs), verdict))
    yield from table(("after", "ops", "max abs", ""), rows, "<>><", indent="  ")
    last = passes[-1]
    if last.verification is not None and not last.passed:
        yield from comparison_lines(comparisons(last.verification))
        if last.first is not None:
            yield from (f"  {line}" for line in _divergence_lines(last.name, last.first))
        else:
            yield clean(f"  where it begins isn't known: {last.unknown}")
    yield ""


def _divergence_lines(name: str, first: api.Divergence) -> Iterator[str]:
    found = first.finding
    named = f" ({found.name})" if found.name else ""
    yield clean(
        f"first at {found.label_b} {found.op_b}{named}, which was {found.label_a} {found.op_a} "
        f"before {name}: max abs {number(first.comparison.max_abs or 0.0)}"
    )
    if found.through:
        yield clean("or in what the pass put before it: " + ", ".join(found.through))


def plan(
    session: Session,
    *,
    spec: str,
    model: str | None,
    params: str | None,
    variables: Settings,
    explain: bool,
    allow_code: bool,
) -> Outcome:
    """Run ``surgery plan``."""
    given = read_spec(spec, variables)
    base = None if given.path is None else given.path.parent
    with session.progress() as progress:
        planned = api.plan(
            given.spec,
            model=model,
            params=params,
            base=base,
            allow_code=allow_code,
            progress=progress,
        )
    notes = (*variables.unused(), *planned.plan.notes)
    return Outcome(
        document=lambda: {"plan": planned.as_json(), "diagnostics": [n.as_json() for n in notes]},
        lines=lambda: _planned(planned.plan, explain),
        diagnostics=[n for n in notes if n.severity == "warning"],
    )


def _planned(made: Plan, full: bool) -> Iterator[str]:
    yield from _sections(plan_sections(made, full=full))
    yield from _notes(n for n in made.notes if n.severity == "note")
    yield summary_line(made)


def build(session: Session, *, recipe: Path, allow_code: bool, emit: api.Emit | None) -> Outcome:
    """Run ``surgery build``."""
    with session.progress() as progress:
        built = api.build(recipe, allow_code=allow_code, emit=emit, progress=progress)
    return Outcome(
        document=lambda: {
            "stages": [_stage_json(s) for s in built.stages],
            "diagnostics": [n.as_json() for n in built.notes],
        },
        lines=lambda: _built(built),
        diagnostics=built.notes,
    )


def _stage_json(stage: Any) -> dict[str, object]:
    return {"name": stage.name, "library": stage.library, "executor": stage.executor}


def _built(recipe: Recipe) -> list[str]:
    rows = [(s.name, s.library, f"{s.target} opt {s.opt_level}", s.executor) for s in recipe.stages]
    return table(("stage", "library", "target", "executor"), rows)


def run(
    session: Session,
    *,
    recipe: Path,
    inputs: Path | None,
    seed: int | None,
    output: Path | None,
    repeat: int,
    **pipeline: Any,
) -> Outcome:
    """Run ``surgery run``; ``pipeline``: how to drive the stages, as far as that is asked for."""
    from surgery.recipe import check_files, read_recipe, recipe_folder
    from surgery.runtime.pipeline.streams import one_item, open_stream

    if inputs is not None and seed is not None:
        raise click.UsageError("--inputs and --seed can't stand together")
    read = read_recipe(recipe)
    if inputs is None:
        stream = one_item(_made_up(recipe, seed))
    else:
        stream = open_stream(inputs, read.inputs)
    asked = {name: value for name, value in pipeline.items() if value is not None}
    if stream.single is None or asked or (read.pipeline is not None and repeat > 1):
        from surgery.cli.streaming import run_stream

        options = api.pipeline_options(read, **asked)
        where = recipe_folder(recipe)
        check_files(read, where, to_run=True)
        return run_stream(session, read, where, stream, options, output, repeat)
    result = api.run(recipe, stream.single, repeat=repeat)
    if output is not None:
        from surgery.runtime import save_npz

        save_npz(output, result.outputs)
    return Outcome(
        document=lambda: {
            "outputs": [_output_json(name, a) for name, a in result.outputs.items()],
            "seconds": list(result.seconds),
            "stage_seconds": [list(s) for s in result.stage_seconds],
            "saved": None if output is None else str(output),
            "diagnostics": [n.as_json() for n in recipe_notes(recipe)],
        },
        lines=lambda: _ran(result, output),
        diagnostics=recipe_notes(recipe),
    )


def recipe_notes(recipe: Path) -> tuple[Diagnostic, ...]:
    """Return what a recipe was read with: keys of a newer version that were ignored."""
    from surgery.recipe import read_recipe

    return read_recipe(recipe).notes


def _made_up(recipe: Path, seed: int | None) -> dict[str, Array]:
    from surgery.recipe import read_recipe, recipe_folder
    from surgery.runtime import random_inputs
    from surgery.verification import input_bounds

    read = read_recipe(recipe)
    if seed is None:
        names = ", ".join(f"{i.name}: {i.type}" for i in read.inputs)
        raise click.UsageError(
            f"no inputs are given: the model takes {names or 'none'}. "
            "Give --inputs x.npz, or --seed 0 for random ones"
        )
    # What the integers index is read off the operated model: token ids must stay in their table.
    module = api.load_picture(recipe_folder(recipe) / "module.json")
    return random_inputs(read.inputs, seed, input_bounds(module))


def _output_json(name: str, array: Array) -> dict[str, object]:
    low, high, mean = _statistics(array)
    return {
        "name": name, "shape": list(array.shape), "dtype": str(array.dtype),
        "min": low, "max": high, "mean": mean,
    }  # fmt: skip


def _statistics(array: Array) -> tuple[float | None, float | None, float | None]:
    """Return minimum, maximum and mean; ``None`` for an empty array."""
    import numpy as np

    if array.size == 0:
        return None, None, None
    values = np.asarray(array, dtype=np.float64)
    return float(values.min()), float(values.max()), float(values.mean())


def _ran(result: RunResult, output: Path | None) -> Iterator[str]:
    rows = []
    for name, array in result.outputs.items():
        shape = ",".join(map(str, array.shape))
        shown = ("" if v is None else number(v) for v in _statistics(array))
        rows.append((name, f"{array.dtype}({shape})", *shown))
    yield from table(("output", "type", "min", "max", "mean"), rows, "<<>>>")
    times = sorted(result.seconds)
    middle = times[len(times) // 2]
    text = f"time {human_seconds(middle)}"
    if len(times) > 1:
        text = (
            f"time of {len(times)} runs: median {human_seconds(middle)}, "
            f"min {human_seconds(times[0])}, max {human_seconds(times[-1])}"
        )
    stages = result.stage_seconds[-1]
    if len(stages) > 1:
        text += f" (stages {', '.join(map(human_seconds, stages))})"
    yield text
    if output is not None:
        yield f"wrote {output}"


def verification_json(found: Verification | None) -> object:
    """Return a comparison as JSON-ready data."""
    return None if found is None else found.as_json()


def verification_lines(found: Verification) -> Iterator[str]:
    """Yield a comparison as a table, with its verdict."""
    yield "verification:"
    yield from comparison_lines(comparisons(found))
    said = "equal within" if found.passed else "differs beyond"
    yield f"  {said} {tolerance(found)}"
    yield ""


def _sections(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        yield f"{section.title}:"
        yield from section.lines
        yield ""


def _notes(notes: Iterable[Diagnostic]) -> Iterator[str]:
    lines: list[str] = []
    for note in notes:
        lines.append(f"  {note.code}: {note.message}")
        lines += [f"      {text}" for text in (note.reason, *note.notes) if text]
        if note.remedy:
            lines.append(f"      try: {note.remedy}")
    if lines:
        yield from ("notes:", *lines, "")
