"""Throughput of stages side by side against the unsplit model: contenders take turns.

A turn keeps the pipeline full: items go in before and after those that are timed, so what counts
is the rate that a long stream settles at. All contenders are open at once in one process and idle
in the others' turns; a busy machine thus slows all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.process import ROOT, Measured, run_piece
from benchmarks.tables import Row, Table

Numbers = dict[str, Any]

ONE, TWO = "unsplit, 1 thread", "unsplit, 2 threads"
IN_TURN = "2 stages, one after the other, 1 thread"
THREADS, PROCESSES, RAY = "2 stages, threads", "2 stages, processes", "2 stages, ray"
BY_TIME = "2 stages by time, threads"
#: Which folder each contender runs, and how. The stages get one thread each.
_OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    ONE: ("whole", {"threads": 1}),
    TWO: ("whole", {"threads": 2}),
    THREADS: ("flops", {"on": "threads", "threads": 1}),
    BY_TIME: ("time", {"on": "threads", "threads": 1}),
    PROCESSES: ("flops", {"on": "processes", "threads": 1}),
    RAY: ("flops", {"on": "ray", "threads": 1}),
}
_CUTS = {"whole": "", "flops": "cut into 2 stages by flops", "time": "cut into 2 stages by time"}
MODEL = "tf_bert_12l"
_ITEMS = 4  # different inputs, over and over


def pipeline_build(folder: str, which: str, opt: int) -> Numbers:
    """Build the 12-layer TensorFlow BERT, as it is or cut in two."""
    from examples.prepare_models import prepare
    from surgery.api import apply, parse_spec

    model = prepare(MODEL, ROOT / "examples" / "made")
    text = f'{_CUTS[which]}; recompute constants; bind all params; build target "llvm" opt {opt}'
    if which == "whole":
        text = text.replace("; recompute constants", "")
    done = apply(
        parse_spec(text), Path(folder) / which, model=model, params=model.with_suffix(".params")
    )
    balance = done.plan.balance
    return {"costs": [] if balance is None else [float(c) for c in balance.costs]}


def pipeline_rates(folder: str, contenders: Sequence[str], items: int, rounds: int) -> Numbers:
    """Seconds for an item of each contender in each round; how far its results are from ONE's."""
    import numpy as np

    from surgery.recipe import read_recipe

    (taken,) = read_recipe(Path(folder) / "whole").inputs
    generator = np.random.default_rng(0)
    inputs = [
        {taken.name: generator.integers(0, 1000, taken.shape).astype(taken.dtype)}
        for _ in range(_ITEMS)
    ]
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    furthest = dict.fromkeys(contenders, 0.0)
    busy: dict[str, list[float]] = {}
    with ExitStack() as stack:
        maps = {name: _opened(stack, Path(folder), name) for name in contenders}
        expected = list(maps[ONE][0](iter(inputs)))
        for round_ in range(rounds):
            # Turns go forwards and backwards: what drifts meanwhile evens out.
            for name in contenders if round_ % 2 == 0 else reversed(contenders):
                run, lead = maps[name]
                results = run(islice(cycle(inputs), items + 2 * lead))
                found = list(islice(results, lead))
                start = time.perf_counter()
                found += islice(results, items)
                seconds[name].append((time.perf_counter() - start) / items)
                found += results
                for outputs, wanted in zip(found, cycle(expected), strict=False):
                    for output, value in wanted.items():
                        far = float(np.abs(outputs[output] - value).max())
                        furthest[name] = max(furthest[name], far)
        for name, (run, _) in maps.items():
            statistics = getattr(getattr(run, "__self__", None), "statistics", None)
            if statistics is not None:
                busy[name] = [s.times.p50 for s in statistics.stages]
    return {"seconds": seconds, "furthest": furthest, "stages": busy}


Map = Callable[[Iterator[Any]], Iterator[Any]]


def _opened(stack: ExitStack, folder: Path, name: str) -> tuple[Map, int]:
    """Open a contender; return its way of running many, and how many items fill it."""
    import surgery

    if name == IN_TURN:
        from surgery.recipe import read_recipe
        from surgery.runtime import Runner

        recipe = read_recipe(folder / "flops")
        stages = tuple(replace(s, threads=1) for s in recipe.stages)
        runner = Runner(replace(recipe, stages=stages), folder / "flops")
        return lambda items: map(runner, items), 1
    which, options = _OPEN[name]
    opened = stack.enter_context(surgery.open(folder / which, **options))
    return opened.map, len(opened.recipe.stages)


def pipeline(quick: bool, say: Callable[[str], None]) -> Table:
    """Return the table of throughputs."""
    table = Table(
        name="pipeline",
        title="the 12-layer TensorFlow BERT, many items, wall seconds for an item (median of the "
        "turns; ratios turn by turn)",
        reference="the unsplit model, in the same run",
    )
    opt, items, rounds = (1, 4, 2) if quick else (3, 6, 3)
    folders = ("whole", "flops") if quick else ("whole", "flops", "time")
    with TemporaryDirectory(prefix="surgery-") as scratch:
        for which in folders:
            say(f"pipeline, building: {which}")
            built = run_piece("pipeline_build", folder=scratch, which=which, opt=opt)
            if built.failure:
                table.rows.append(Row(what=f"set-up: {which}", met=False, note=built.failure))
                return table
        contenders = [ONE, TWO, IN_TURN, THREADS, PROCESSES]
        if "time" in folders:
            contenders.insert(4, BY_TIME)
        say("pipeline, taking turns")
        rates = run_piece(
            "pipeline_rates", folder=scratch, contenders=contenders, items=items, rounds=rounds
        )
        _add(table, rates, contenders[1:])
        if find_spec("ray") is not None:
            say("pipeline, ray")
            contenders = [ONE, TWO, THREADS, RAY]
            rates = run_piece(
                "pipeline_rates", folder=scratch, contenders=contenders, items=items,
                rounds=2,
            )  # fmt: skip
            _add(table, rates, [RAY])
    return table


def _add(table: Table, rates: Measured, shown: Sequence[str]) -> None:
    """Add the rows of contenders against the unsplit model."""
    if rates.failure:
        table.rows.append(Row(what="turns", met=False, note=rates.failure))
        return
    seconds: dict[str, list[float]] = rates.numbers["seconds"]
    for name in shown:
        stages = rates.numbers["stages"].get(name, ())
        notes = [f"stages {' and '.join(f'{s:.2f}' for s in stages)} s"] if len(stages) > 1 else []
        notes.append(f"{rates.numbers['furthest'][name]:.1e} at most from the unsplit results")
        table.rows.append(_row(seconds, name, ONE, 1.8 if name == THREADS else None, notes))
        if name in (THREADS, BY_TIME, PROCESSES, RAY):
            table.rows.append(_row(seconds, name, TWO, 1.0 if name == THREADS else None, ()))


def _row(
    seconds: dict[str, list[float]], name: str, against: str, least: float | None,
    notes: Sequence[str],
) -> Row:  # fmt: skip
    ratio = median(a / b for a, b in zip(seconds[against], seconds[name], strict=True))
    return Row(
        what=f"{name} / {against}",
        ours=median(seconds[name]),
        reference=median(seconds[against]),
        ratio=ratio,
        target="" if least is None else f">= {least:g}x as many items",
        met=None if least is None else ratio >= least,
        note="; ".join(notes),
    )
