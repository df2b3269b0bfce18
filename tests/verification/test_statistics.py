"""Statistics of tensors, against numpy's own and on what isn't finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from surgery.verification import statistics as module
from surgery.verification.statistics import BINS, statistics_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"]
)
def test_against_numpy(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 7)
    drawn = (RNG.standard_normal((5, 6)) * 3).clip(0 if dtype == "uint8" else -9, 9)
    array = (drawn > 0 if dtype == "bool" else drawn).astype(dtype)
    found, wide = statistics_of(array), array.astype("float64")
    assert (found.elements, found.nan, found.infinite) == (30, 0, 0)
    assert found.zeros == int((wide == 0).sum())
    assert (found.minimum, found.maximum) == (wide.min(), wide.max())
    assert found.mean == pytest.approx(wide.mean(), rel=1e-12)
    assert found.std == pytest.approx(wide.std(), rel=1e-12)
    assert list(found.histogram) == list(np.histogram(wide, BINS)[0])


def test_what_is_not_finite_is_counted_and_left_out() -> None:
    array = np.array([1.0, np.nan, np.inf, -np.inf, 3.0, 0.0, np.nan], "float32")
    found = statistics_of(array)
    assert (found.elements, found.nan, found.infinite, found.zeros) == (7, 2, 2, 1)
    assert (found.minimum, found.maximum, found.mean) == (0.0, 3.0, pytest.approx(4 / 3))
    assert sum(found.histogram) == 3


@pytest.mark.parametrize("array", [np.zeros((0, 3), "float32"), np.full(4, np.nan)])
def test_nothing_finite(array: np.ndarray) -> None:
    found = statistics_of(array)
    assert (found.minimum, found.maximum, found.mean, found.std) == (None,) * 4
    assert found.histogram == ()
    assert found.nan == array.size


def test_one_value_and_scalars() -> None:
    found = statistics_of(np.full((2, 2), 0.1, "float32"))
    value = float(np.float32(0.1))
    assert (found.minimum, found.maximum, found.mean, found.std) == (value, value, value, 0.0)
    assert found.histogram == (4,)
    assert statistics_of(np.float32(2)).mean == 2.0


def test_the_largest_numbers_do_not_overflow_the_mean() -> None:
    found = statistics_of(np.array([1.7e308, 1.7e308, -1.7e308, 1.7e308]))
    assert found.mean == pytest.approx(8.5e307)
    assert found.std is not None
    assert found.histogram == (4,)
    assert math.isinf(found.std)  # beyond double precision
