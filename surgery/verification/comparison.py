"""Numeric comparison of named outputs: how far apart, where, and whether within tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surgery.engines.base import Array
from surgery.graph import TensorType

Doubles = NDArray[np.float64]

#: What counts as equal when the user says nothing: ``|a - b| <= atol + rtol * |b|``.
DEFAULT_RTOL, DEFAULT_ATOL = 1e-4, 1e-5
#: Tighter for what is computed in double precision; only when the user says nothing.
_DOUBLE = (1e-7, 1e-9)
#: Types of few bits can't meet the usual tolerance: theirs are never narrower than this.
_COARSE = {"float16": (1e-2, 1e-3), "bfloat16": (5e-2, 1e-2)}
_FLOAT8 = (2.5e-1, 1.25e-1)
#: Elements that are compared at a time, to bound the memory of intermediate arrays.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputComparison:
    """How one output of the operated model compares with the original's.

    Numbers are over elements that are finite on both sides; ``None`` where there is nothing to
    measure (an output is missing, types differ, no element).

    Attributes:
        type: The original's type.
        passed: Whether it is within ``rtol`` and ``atol``.
        reason: Why it isn't (empty when it is).
        elements: Number of elements compared.
        max_abs, mean_abs: Largest and mean absolute difference.
        max_rel: Largest difference relative to the original, where that isn't zero.
        max_ulp: Largest distance in representable numbers of the type; for floats only.
        cosine: Cosine of the angle between the two as vectors; 1.0 when both are zero.
        mismatches: Elements out of tolerance, by numpy's ``isclose`` with NaN equal to NaN.
        nan_expected, nan_actual: NaN elements on each side.
        worst: Index of the element with the largest difference; ``None`` when nothing differs.
        actual_dtype: The operated model's element type, where floats of two types are compared.
    """

    name: str
    type: TensorType
    passed: bool
    reason: str = ""
    rtol: float = 0.0
    atol: float = 0.0
    elements: int = 0
    max_abs: float | None = None
    max_rel: float | None = None
    mean_abs: float | None = None
    max_ulp: int | None = None
    cosine: float | None = None
    mismatches: int = 0
    nan_expected: int = 0
    nan_actual: int = 0
    worst: tuple[int, ...] | None = None
    actual_dtype: str = ""

    @property
    def mismatch_fraction(self) -> float:
        return self.mismatches / self.elements if self.elements else 0.0

    def as_json(self) -> dict[str, object]:
        """Return the comparison as JSON-ready data."""
        return {
            "name": self.name,
            "shape": list(self.type.shape),
            "dtype": self.type.dtype,
            "actual_dtype": self.actual_dtype or self.type.dtype,
            "passed": self.passed,
            "reason": self.reason,
            "rtol": json_number(self.rtol),
            "atol": json_number(self.atol),
            "elements": self.elements,
            "max_abs": json_number(self.max_abs),
            "max_rel": json_number(self.max_rel),
            "mean_abs": json_number(self.mean_abs),
            "max_ulp": self.max_ulp,
            "cosine": json_number(self.cosine),
            "mismatches": self.mismatches,
            "mismatch_fraction": self.mismatch_fraction,
            "nan_expected": self.nan_expected,
            "nan_actual": self.nan_actual,
            "worst": None if self.worst is None else list(self.worst),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A comparison of two models on the same inputs.

    Attributes:
        rows: One an output, in the original's order; outputs it doesn't have come last.
        rtol, atol: Tolerances as asked for; each row holds those that were used for its type.
        inputs: Where the inputs came from (a file's name, ``seed 0``).
    """

    rows: tuple[OutputComparison, ...]
    rtol: float = DEFAULT_RTOL
    atol: float = DEFAULT_ATOL
    inputs: str = ""

    @property
    def passed(self) -> bool:
        return all(row.passed for row in self.rows)

    @property
    def max_abs(self) -> float:
        """The largest absolute difference of any output; 0 when none was measured."""
        return max((r.max_abs for r in self.rows if r.max_abs is not None), default=0.0)

    def as_json(self) -> dict[str, object]:
        """Return the verification as JSON-ready data."""
        return {
            "passed": self.passed,
            "rtol": json_number(self.rtol),
            "atol": json_number(self.atol),
            "inputs": self.inputs,
            "max_abs": json_number(self.max_abs),
            "outputs": [row.as_json() for row in self.rows],
        }


def json_number(value: float | None) -> float | str | None:
    """JSON has no infinity and no NaN: those are texts."""
    return value if value is None or math.isfinite(value) else str(value)


def tolerances(
    dtype: str, rtol: float | None = None, atol: float | None = None
) -> tuple[float, float]:
    """Return ``(rtol, atol)`` for an element type.

    What the user gave is used as it is, but for types of few bits, where it is widened to what
    they can hold; it is never narrowed. Integers and booleans are compared exactly.
    """
    if "float" not in dtype:
        return 0.0, 0.0
    double = dtype == "float64"
    default = _DOUBLE if double else (DEFAULT_RTOL, DEFAULT_ATOL)
    floor = _COARSE.get(dtype, _FLOAT8 if "float8" in dtype else (0.0, 0.0))
    return (
        max(default[0] if rtol is None else rtol, floor[0]),
        max(default[1] if atol is None else atol, floor[1]),
    )


def compare(
    actual: Mapping[str, Array],
    expected: Mapping[str, Array],
    *,
    rtol: float | None = None,
    atol: float | None = None,
    inputs: str = "",
    between_floats: bool = False,
) -> Verification:
    """Compare the outputs of two models by name.

    Args:
        actual: What the operated model gave.
        expected: What the original gave.
        rtol, atol: Tolerances relative to the original and absolute; by type when not given.
        inputs: Where the inputs came from, for the report.
        between_floats: Whether floats of two types are compared, within what the coarser can hold;
            otherwise another type is a difference.
    """
    compare_two = compare_floats if between_floats else compare_arrays
    rows = []
    for name, want in expected.items():
        want = np.asarray(want)
        if name in actual:
            rows.append(compare_two(name, np.asarray(actual[name]), want, rtol, atol))
        else:
            rows.append(
                OutputComparison(
                    name=name, type=_type(want), passed=False, reason="the operated model lacks it"
                )
            )
    rows += [
        OutputComparison(
            name=name,
            type=_type(np.asarray(value)),
            passed=False,
            reason="the original model does not have it",
        )
        for name, value in actual.items()
        if name not in expected
    ]
    return Verification(
        rows=tuple(rows),
        rtol=DEFAULT_RTOL if rtol is None else rtol,
        atol=DEFAULT_ATOL if atol is None else atol,
        inputs=inputs,
    )


def _type(array: Array) -> TensorType:
    return TensorType(array.shape, str(array.dtype))


def compare_arrays(
    name: str,
    actual: Array,
    expected: Array,
    rtol: float | None = None,
    atol: float | None = None,
) -> OutputComparison:
    """Compare two arrays; see :class:`OutputComparison` for what the numbers mean."""
    type_ = _type(expected)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return OutputComparison(
            name=name,
            type=type_,
            passed=False,
            reason=f"it has type {_type(actual)}, the original {type_}",
        )
    used = tolerances(type_.dtype, rtol, atol)
    sums = _Sums()
    measure = _measure_floats if "float" in type_.dtype else _measure_integers
    for offset, a, b in _chunks(actual, expected):
        measure(sums, offset, a, b, *used)
    size = expected.size
    reason = ""
    if sums.mismatches:
        reason = f"{sums.mismatches} of {size} elements differ"
        if "float" in type_.dtype:
            reason += f" by more than {used[1]:g} + {used[0]:g} * |original|"
    if sums.misplaced:
        reason += f", {sums.misplaced} of them in where they are NaN or infinite"
    measured = sums.finite > 0
    return OutputComparison(
        name=name,
        type=type_,
        passed=not sums.mismatches,
        reason=reason,
        rtol=used[0],
        atol=used[1],
        elements=size,
        max_abs=sums.max_abs if measured else None,
        max_rel=sums.max_rel if measured else None,
        mean_abs=sums.sum_abs / sums.finite if measured else None,
        max_ulp=sums.max_ulp if measured and _has_ulp(expected.dtype) else None,
        cosine=_cosine(actual, expected) if measured else None,
        mismatches=sums.mismatches,
        nan_expected=sums.nan_expected,
        nan_actual=sums.nan_actual,
        worst=None if sums.worst is None else _unravel(sums.worst, expected.shape),
    )


def compare_floats(
    name: str,
    actual: Array,
    expected: Array,
    rtol: float | None = None,
    atol: float | None = None,
) -> OutputComparison:
    """Compare two arrays as :func:`compare_arrays`, also floats of one type with those of another.

    The coarser type says how close they can be, and what a unit in the last place is.
    """
    types = str(actual.dtype), str(expected.dtype)
    if types[0] == types[1] or not all("float" in t for t in types):
        return compare_arrays(name, actual, expected, rtol, atol)
    used = [tolerances(t, rtol, atol) for t in types]
    coarse = min((actual.dtype, expected.dtype), key=lambda t: (t.itemsize, str(t)))
    # In the wider type, where a number that is too large for the other is no infinity.
    wide = np.float64 if "float64" in types else np.float32
    found = compare_arrays(
        name, actual.astype(wide), expected.astype(wide),
        max(u[0] for u in used), max(u[1] for u in used),
    )  # fmt: skip
    return replace(
        found, type=_type(expected), actual_dtype=types[0],
        max_ulp=_coarse_ulp(actual, expected, coarse),
    )  # fmt: skip


def _coarse_ulp(actual: Array, expected: Array, coarse: np.dtype[Any]) -> int | None:
    """Return the largest distance in representable numbers of the coarser of two types."""
    if not _has_ulp(coarse):
        return None
    with np.errstate(over="ignore"):
        a, b = actual.astype(coarse).reshape(-1), expected.astype(coarse).reshape(-1)
    finite = np.isfinite(a.astype(np.float64)) & np.isfinite(b.astype(np.float64))
    return _ulp(a[finite], b[finite]) if finite.any() else None


@dataclass(slots=True)
class _Sums:
    """What is gathered over chunks."""

    finite: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    sum_abs: float = 0.0
    max_ulp: int = 0
    mismatches: int = 0
    misplaced: int = 0
    nan_expected: int = 0
    nan_actual: int = 0
    worst: int | None = None

    def difference(self, offset: int, absolute: Array, original: Array) -> None:
        """Take in the differences of finite elements (float64); ``offset`` is per element."""
        if absolute.size == 0:
            return
        self.finite += absolute.size
        self.sum_abs += float(absolute.sum())
        largest = float(absolute.max())
        if largest > self.max_abs:
            self.max_abs = largest
            self.worst = offset
        scale = np.abs(original)
        nonzero = scale > 0
        if nonzero.any():
            with np.errstate(over="ignore"):
                relative = absolute[nonzero] / scale[nonzero]
            self.max_rel = max(self.max_rel, float(relative.max()))


def _chunks(actual: Array, expected: Array) -> Iterator[tuple[int, Array, Array]]:
    a, b = actual.reshape(-1), expected.reshape(-1)
    for offset in range(0, b.size, _CHUNK):
        yield offset, a[offset : offset + _CHUNK], b[offset : offset + _CHUNK]


def _measure_floats(
    sums: _Sums, offset: int, actual: Array, expected: Array, rtol: float, atol: float
) -> None:
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    sums.nan_actual += int(nan_a.sum())
    sums.nan_expected += int(nan_b.sum())
    finite = np.isfinite(a) & np.isfinite(b)
    special = ~finite
    misplaced = int((special & ~((nan_a & nan_b) | (a == b))).sum())
    sums.misplaced += misplaced
    where = np.flatnonzero(finite)
    a, b = a[where], b[where]
    with np.errstate(over="ignore"):
        absolute = np.abs(a - b)
        sums.mismatches += misplaced + int((absolute > atol + rtol * np.abs(b)).sum())
    if where.size:
        sums.difference(offset + int(where[int(absolute.argmax())]), absolute, b)
        if _has_ulp(expected.dtype):
            sums.max_ulp = max(sums.max_ulp, _ulp(actual[where], expected[where]))


def _measure_integers(
    sums: _Sums, offset: int, actual: Array, expected: Array, rtol: float, atol: float
) -> None:
    sums.mismatches += int((actual != expected).sum())
    if expected.dtype.kind == "b":
        absolute = (actual != expected).astype(np.float64)
    else:
        # The difference of two integers of one width always fits the unsigned type of that width.
        bits = np.dtype(f"u{expected.dtype.itemsize}")
        high, low = np.maximum(actual, expected), np.minimum(actual, expected)
        absolute = (high.astype(bits) - low.astype(bits)).astype(np.float64)
    sums.difference(offset + int(absolute.argmax()), absolute, expected.astype(np.float64))


def _has_ulp(dtype: np.dtype[Any]) -> bool:
    return "float" in str(dtype) and dtype.itemsize in (2, 4, 8)


def _ulp(actual: Array, expected: Array) -> int:
    """Return the largest count of representable numbers between two arrays of finite floats."""
    size = expected.dtype.itemsize
    unsigned = np.dtype(f"u{size}")
    sign = unsigned.type(1 << (8 * size - 1))

    def ordered(values: Array) -> Array:
        # Sign and magnitude to one ascending scale, with both zeros at one place.
        bits = np.ascontiguousarray(values).view(unsigned)
        magnitude = bits & ~sign
        return np.asarray(np.where(bits & sign, sign - magnitude, sign + magnitude))

    a, b = ordered(actual), ordered(expected)
    return int((np.maximum(a, b) - np.minimum(a, b)).max())


def _cosine(actual: Array, expected: Array) -> float:
    """Return the cosine over elements finite on both sides, scaled so that squares stay finite."""
    scales = [0.0, 0.0]
    for a, b in _finite_chunks(actual, expected):
        scales = [max(scales[0], float(np.abs(a).max())), max(scales[1], float(np.abs(b).max()))]
    if not all(scales):
        return 1.0 if not any(scales) else 0.0
    dot = norm_a = norm_b = 0.0
    for a, b in _finite_chunks(actual, expected):
        a, b = a / scales[0], b / scales[1]
        dot += float(a @ b)
        norm_a += float(a @ a)
        norm_b += float(b @ b)
    return max(-1.0, min(1.0, dot / (math.sqrt(norm_a) * math.sqrt(norm_b))))


def _finite_chunks(actual: Array, expected: Array) -> Iterator[tuple[Doubles, Doubles]]:
    for _, some_a, some_b in _chunks(actual, expected):
        a, b = some_a.astype(np.float64), some_b.astype(np.float64)
        finite = np.isfinite(a) & np.isfinite(b)
        if finite.any():
            yield a[finite], b[finite]


def _unravel(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(index, shape)) if shape else ()
