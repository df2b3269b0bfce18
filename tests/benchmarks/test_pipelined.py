"""Turns of the pipeline benchmark: every contender gives what the unsplit model gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks import pipelined
from benchmarks.models import chain
from benchmarks.process import Measured
from benchmarks.tables import Table
from surgery.api import apply, parse_spec

CONTENDERS = (
    pipelined.ONE, pipelined.TWO, pipelined.IN_TURN, pipelined.THREADS, pipelined.PROCESSES,
)  # fmt: skip


def test_turns_of_a_chain(tmp_path: Path) -> None:
    module = chain(8)
    params = {"bias": np.array([1, -2, 3, -4], "float32")}
    for which, cut in (("whole", ""), ("flops", "cut after step/3;")):
        spec = parse_spec(f"{cut} bind all params; build opt 1")
        apply(spec, tmp_path / which, model=module, params=params)
    numbers = pipelined.pipeline_rates(str(tmp_path), CONTENDERS, items=5, rounds=3)
    assert list(numbers["seconds"]) == list(CONTENDERS)
    assert all(len(s) == 3 and min(s) > 0 for s in numbers["seconds"].values())
    assert set(numbers["furthest"].values()) == {0.0}
    assert {n: len(s) for n, s in numbers["stages"].items()} == {
        pipelined.ONE: 1, pipelined.TWO: 1, pipelined.THREADS: 2, pipelined.PROCESSES: 2,
    }  # fmt: skip


def test_ratios_are_of_the_same_turn() -> None:
    """A machine that is slow in one turn is slow for all; the goals are marked."""
    seconds = {
        pipelined.ONE: [2.0, 20.0, 2.0], pipelined.TWO: [1.2, 12.0, 1.2],
        pipelined.THREADS: [1.0, 10.0, 1.25],
    }  # fmt: skip
    numbers = {"seconds": seconds, "furthest": {pipelined.THREADS: 0.0}, "stages": {}}
    table = Table(name="pipeline", title="", reference="")
    pipelined._add(table, Measured(numbers=numbers), [pipelined.THREADS])
    one, two = table.rows
    assert (one.ours, one.reference, one.ratio, one.met) == (1.25, 2.0, 2.0, True)
    assert (two.ratio, two.met) == (1.2, True)
    assert two.what == "2 stages, threads / unsplit, 2 threads"
    pipelined._add(table, Measured(failure="dies of SIGKILL"), [])
    assert [r.note for r in table.missed] == ["dies of SIGKILL"]
