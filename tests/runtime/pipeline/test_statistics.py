"""Percentiles in little memory, and the time in which anything was under way."""

from __future__ import annotations

import time

import numpy as np

from surgery.runtime.pipeline.statistics import Histogram, Record


def test_percentiles_are_right_to_one_percent() -> None:
    values = np.random.default_rng(0).lognormal(-7, 2, 20_000)
    histogram = Histogram()
    for value in values:
        histogram.add(float(value))
    seen = histogram.times()
    for part, found in ((0.5, seen.p50), (0.9, seen.p90), (0.99, seen.p99)):
        exact = float(np.quantile(values, part, method="inverted_cdf"))
        assert abs(found / exact - 1) <= 0.01
    assert seen.max == values.max()
    assert abs(seen.mean / values.mean() - 1) < 1e-9
    assert len(histogram._bins) < 2_500


def test_nothing_and_next_to_nothing() -> None:
    histogram = Histogram()
    assert histogram.times().p50 == histogram.times().mean == 0
    histogram.add(0.0)
    assert histogram.times().p99 == 0


def test_only_the_time_in_which_something_was_inside_counts() -> None:
    record = Record(["a", "b"])
    assert record.statistics().seconds == 0
    first, second = record.entered(), record.entered()
    record.left(first, well=True)
    time.sleep(0.01)
    record.left(second, well=False)
    seen = record.statistics()
    time.sleep(0.02)
    assert record.statistics().seconds == seen.seconds >= 0.01
    assert seen.items == 1
    assert seen.throughput == 1 / seen.seconds
    record.stages[1].times.add(seen.seconds / 2)
    stages = record.statistics().stages
    assert [s.utilisation for s in stages] == [0, 0.5]
    record.entered()
    record.stop()
    after = record.statistics().seconds
    time.sleep(0.01)
    assert record.statistics().seconds == after
