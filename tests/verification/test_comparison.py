"""Comparison against numpy's own rule, and the numbers it reports."""

from __future__ import annotations

import json
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from surgery.verification import (
    OutputComparison,
    compare,
    compare_arrays,
    compare_floats,
    tolerances,
)
from surgery.verification.comparison import _CHUNK

SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)


def row(actual: Any, expected: Any, **kwargs: Any) -> OutputComparison:
    return compare_arrays("y", np.asarray(actual), np.asarray(expected), **kwargs)


@given(st.data(), st.sampled_from(["float32", "float64"]), SHAPES)
@settings(max_examples=200, deadline=None)
def test_agrees_with_numpy_allclose(data: st.DataObject, dtype: str, shape: Any) -> None:
    pool = st.sampled_from([0.0, -0.0, 1.0, 1.00005, 1.001, -3.5, 1e30, np.inf, -np.inf, np.nan])
    a = data.draw(arrays(dtype, shape, elements=pool))
    b = data.draw(arrays(dtype, shape, elements=pool))
    got = row(a, b, rtol=1e-4, atol=1e-5)
    with np.errstate(invalid="ignore", over="ignore"):
        wide_a, wide_b = a.astype("float64"), b.astype("float64")
        close = np.isclose(wide_a, wide_b, rtol=1e-4, atol=1e-5, equal_nan=True)
    assert got.mismatches == int((~close).sum())
    assert got.passed == bool(close.all()) == (got.reason == "")
    assert got.nan_actual == int(np.isnan(a).sum())
    finite = np.isfinite(a) & np.isfinite(b)
    if finite.any():
        difference = np.abs(wide_a[finite] - wide_b[finite])
        assert got.max_abs == difference.max()
        assert got.mean_abs == pytest.approx(difference.mean())
        assert (got.worst is None) == (got.max_abs == 0)
        if got.worst is not None:
            assert abs(wide_a[got.worst] - wide_b[got.worst]) == got.max_abs
    else:
        assert got.max_abs is got.mean_abs is got.max_rel is got.max_ulp is got.cosine is None


@given(st.data(), st.sampled_from(["int8", "int64", "uint64", "int32", "bool"]), SHAPES)
@settings(max_examples=100, deadline=None)
def test_integers_are_exact(data: st.DataObject, dtype: str, shape: Any) -> None:
    a, b = data.draw(arrays(dtype, shape)), data.draw(arrays(dtype, shape))
    got = row(a, b, rtol=1.0, atol=1e9)
    assert got.mismatches == int((a != b).sum())
    if a.size:
        exact = max(
            abs(int(p) - int(q))
            for p, q in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        )
        assert got.max_abs == float(exact)
    assert got.max_ulp is None


def test_numbers_of_one_example() -> None:
    got = row(np.array([[1.0, 2.0], [3.5, 0.0]], "float32"), np.array([[1, 2], [3, 0]], "float32"))
    assert got.max_abs == 0.5
    assert got.max_rel == pytest.approx(1 / 6)
    assert got.mean_abs == 0.125
    assert got.worst == (1, 0)
    assert got.mismatches == 1 and got.mismatch_fraction == 0.25 and got.elements == 4
    assert got.cosine == pytest.approx(15.5 / math.sqrt(17.25 * 14))
    assert got.reason == "1 of 4 elements differ by more than 1e-05 + 0.0001 * |original|"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_ulp(dtype: Any) -> None:
    def neighbours(value: float, steps: int) -> Any:
        size = np.dtype(dtype).itemsize
        bits = np.array([value], dtype).view(f"u{size}") + np.array(steps, f"u{size}")
        return bits.view(dtype)

    one = np.array([1.0], dtype)
    assert row(one, one).max_ulp == 0
    assert row(neighbours(1.0, 3), one).max_ulp == 3
    assert row(-neighbours(1.0, 3), -one).max_ulp == 3
    assert row(np.array([-0.0], dtype), np.array([0.0], dtype)).max_ulp == 0
    # From -tiny over both zeros to +tiny is two steps.
    tiny = neighbours(0.0, 1)
    assert row(tiny, -tiny).max_ulp == 2


def test_ulp_of_the_whole_range() -> None:
    largest = np.array([np.finfo("float64").max])
    got = row(largest, -largest)
    assert got.max_ulp == 2 * int(largest.view("u8")[0])
    assert got.max_abs == math.inf
    assert not got.passed
    json.dumps(got.as_json(), allow_nan=False)


def test_nan_and_infinity() -> None:
    nan, inf = math.nan, math.inf
    both = np.array([nan, inf, -inf, 1.0], "float32")
    got = row(both, both)
    assert got.passed and (got.nan_expected, got.nan_actual) == (1, 1)
    assert got.max_abs == 0 and got.cosine == 1.0
    got = row(np.array([1.0, inf, nan], "float32"), np.array([nan, -inf, 1.0], "float32"))
    assert got.mismatches == 3 and got.max_abs is None
    assert "3 of them in where they are NaN or infinite" in got.reason


def test_shape_and_type_differ() -> None:
    got = row(np.zeros((2, 1), "float32"), np.zeros((1, 2), "float32"))
    assert not got.passed and got.reason == "it has type float32(2,1), the original float32(1,2)"
    assert not row(np.zeros(2, "float64"), np.zeros(2, "float32")).passed


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_empty_arrays_are_equal(shape: tuple[int, ...]) -> None:
    for dtype in ("float32", "int32", "bool"):
        got = row(np.zeros(shape, dtype), np.zeros(shape, dtype))
        assert got.passed and got.elements == 0 and got.max_abs is None and got.worst is None


def test_scalars_and_strides() -> None:
    assert row(np.float32(2), np.float32(3)).worst == ()
    values = np.arange(12, dtype="float32").reshape(3, 4)
    assert row(values.T, values.T.copy()).passed
    assert row(values[:, ::-1], values[:, ::-1].copy()).max_abs == 0


def test_cosine_of_extremes() -> None:
    huge, tiny = np.array([1e300, 1e300]), np.array([1e-300, 1e-300])
    assert row(huge, tiny).cosine == pytest.approx(1.0)
    assert row(huge, -huge).cosine == pytest.approx(-1.0)
    assert row(np.zeros(2), np.zeros(2)).cosine == 1.0
    assert row(np.ones(2), np.zeros(2)).cosine == 0.0


def test_more_than_one_chunk() -> None:
    size = 2 * _CHUNK + 5
    expected = np.linspace(1, 2, size, dtype="float32")
    actual = expected.copy()
    actual[_CHUNK + 7] += 1
    actual[-1] = np.nan
    got = row(actual, expected)
    assert got.mismatches == 2 and got.worst == (_CHUNK + 7,)
    assert got.max_abs == pytest.approx(1.0) and got.nan_actual == 1
    assert got.mean_abs == pytest.approx(1.0 / (size - 1), rel=1e-6)


def test_tolerances_by_type() -> None:
    assert tolerances("float32") == (1e-4, 1e-5)
    assert tolerances("float64")[0] < 1e-4 < tolerances("float16")[0] < tolerances("bfloat16")[0]
    assert tolerances("int64", 1.0, 1.0) == tolerances("bool") == (0.0, 0.0)
    # What the user says holds, wider or tighter ...
    assert tolerances("float32", 1e-7, 0.0) == (1e-7, 0.0)
    assert tolerances("float64", 1e-2, 1e-3) == (1e-2, 1e-3)
    assert tolerances("float32", rtol=1e-2) == (1e-2, 1e-5)
    # ... but for types that can't meet it.
    assert tolerances("float16", 1e-7, 0.0) == tolerances("float16")
    assert tolerances("float16", 0.5, 0.5) == (0.5, 0.5)
    assert tolerances("float8_e4m3fn")[0] > tolerances("bfloat16")[0]


def test_outputs_by_name() -> None:
    one, two = np.ones(2, "float32"), np.full(2, 2, "float32")
    result = compare(
        {"c": two, "a": one, "new": one}, {"a": one, "b": two, "c": two}, inputs="seed 0"
    )
    assert [(r.name, r.passed) for r in result.rows] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("new", False),
    ]
    assert not result.passed
    assert result.rows[1].reason == "the operated model lacks it"
    assert result.rows[3].reason == "the original model does not have it"
    assert compare({"a": one}, {"a": one}).passed


def test_json() -> None:
    result = compare({"a": np.ones(3, "float32")}, {"a": np.ones(3, "float32")}, rtol=1e-3)
    data = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert data["passed"] is True and data["rtol"] == 1e-3 and data["max_abs"] == 0
    assert data["outputs"][0]["name"] == "a" and data["outputs"][0]["shape"] == [3]


def test_between_two_types_of_floats_what_is_too_large_for_one_differs() -> None:
    large = np.full(4, 1e6, "float32")
    half = np.full(4, np.inf, "float16")
    for a, b in ((half, large), (large, half)):
        found = compare_floats("y", a, b)
        assert not found.passed and found.mismatches == 4, found.reason
    close = np.array([1.0, 2.0, 65504.0], "float32")
    found = compare_floats("y", close.astype("float16"), close * np.float32(1.001))
    assert found.passed and found.max_ulp == 1 and found.actual_dtype == "float16"
    assert not compare_floats("y", close.astype("float16"), close * np.float32(1.1)).passed
