"""What a table says of its numbers."""

from __future__ import annotations

import pytest

from benchmarks.process import Measured, run_command, run_piece
from benchmarks.tables import Table, compared, exponent, rendered, scaling


def seconds(cpu: float) -> Measured:
    return Measured(cpu=cpu, wall=cpu)


def test_a_ratio_is_met_or_missed() -> None:
    met = compared("a", seconds(1), seconds(3), faster=3)
    assert (met.ratio, met.met) == (3.0, True)
    assert compared("a", seconds(1.01), seconds(3), faster=3).met is False
    within = compared("a", seconds(3), seconds(2), within=1.5)
    assert (within.ratio, within.met) == (1.5, True)
    assert compared("a", seconds(3.1), seconds(2), within=1.5).met is False


def test_a_reference_that_fails_leaves_ours_standing() -> None:
    row = compared("a", seconds(2), Measured(failure="dies of SIGSEGV"))
    assert row.met is True
    assert row.ours == 2
    assert "SIGSEGV" in row.note


def test_ours_failing_is_missed_whatever_the_reference_does() -> None:
    row = compared("a", Measured(failure="RecursionError"), Measured(failure="too"))
    assert row.met is False
    assert row.ours is None


def test_the_exponent_is_the_slope() -> None:
    assert exponent([1, 10, 100], [2, 20, 200]) == pytest.approx(1)
    assert exponent([1, 10, 100], [2, 200, 20000]) == pytest.approx(2)
    row = scaling("growth", [(10, seconds(1)), (100, seconds(20))], 1.15)
    assert row.met is False
    assert row.ratio == pytest.approx(1.301, abs=1e-3)


def test_what_is_missed_is_said_in_words() -> None:
    table = Table(name="cut", title="t", reference="r")
    table.rows = [compared("fast", seconds(1), seconds(9), faster=3)]
    assert "MISSED" not in rendered(table)
    table.rows.append(compared("slow", seconds(9), seconds(9), faster=3))
    assert "MISSED: slow: >= 3x faster" in rendered(table)


def test_a_process_that_dies_is_a_failure_with_its_reason() -> None:
    died = run_command(["-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"])
    assert died.failure == "dies of SIGSEGV"
    raised = run_command(["-c", "raise ValueError('too deep')"])
    assert raised.failure == "ValueError: too deep"
    assert run_piece("no_such_piece").failure.startswith("AttributeError")


def test_a_command_is_measured_whole() -> None:
    found = run_command(["-c", "x = bytearray(50_000_000)\nprint(sum(range(3_000_000)))"])
    assert found.failure == ""
    assert found.numbers["out"].strip() == str(sum(range(3_000_000)))
    assert found.cpu > 0.01
    assert found.peak > 50_000_000
