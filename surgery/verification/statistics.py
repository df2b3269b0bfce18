"""What a tensor's values look like: extremes, moments, what isn't finite, and a histogram."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surgery.engines.base import Array
from surgery.verification.comparison import json_number

#: Bins of a histogram, of equal width from the smallest finite value to the largest.
BINS = 40
#: Elements that are looked at together, to bound the memory of their conversion.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Of the elements of one tensor; all but the counts are over its finite elements.

    Attributes:
        elements: Number of elements.
        nan, infinite: How many are NaN, and infinite (of either sign).
        zeros: How many are zero.
        minimum, maximum, mean, std: ``None`` when no element is finite; ``std`` is that of the
            whole population. Booleans count as 0 and 1.
        histogram: Counts of :data:`BINS` bins from ``minimum`` to ``maximum``; of one bin when
            these are equal; empty when no element is finite.
    """

    elements: int
    nan: int
    infinite: int
    zeros: int
    minimum: float | None
    maximum: float | None
    mean: float | None
    std: float | None
    histogram: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        """Return the statistics as JSON-ready data."""
        return {
            "elements": self.elements,
            "nan": self.nan,
            "inf": self.infinite,
            "zeros": self.zeros,
            "min": json_number(self.minimum),
            "max": json_number(self.maximum),
            "mean": json_number(self.mean),
            "std": json_number(self.std),
            "histogram": list(self.histogram),
        }


def statistics_of(array: Array) -> Statistics:
    """Return the statistics of a real tensor of any shape and element type.

    Computed in double precision with numpy's pairwise sums; the deviation in a second pass, about
    the mean.
    """
    nan = infinite = zeros = finite = 0
    low, high, total = math.inf, -math.inf, 0.0
    for chunk in _chunks(array):
        good = chunk[np.isfinite(chunk)]
        nan += int(np.count_nonzero(np.isnan(chunk)))
        infinite += int(np.count_nonzero(np.isinf(chunk)))
        zeros += int(chunk.size - np.count_nonzero(chunk))
        finite += good.size
        if good.size:
            low, high = min(low, float(good.min())), max(high, float(good.max()))
            with np.errstate(over="ignore"):
                total += float(good.sum())
    if not finite:
        return Statistics(
            elements=array.size, nan=nan, infinite=infinite, zeros=zeros,
            minimum=None, maximum=None, mean=None, std=None, histogram=(),
        )  # fmt: skip
    # The mean of numbers is between them, whatever rounding says; a sum may overflow.
    mean = min(max(total / finite, low), high) if math.isfinite(total) else _mean(array, finite)
    squares = 0.0
    bins = BINS if high > low and math.isfinite(high - low) else 1
    counts = np.zeros(bins, np.int64)
    for chunk in _chunks(array):
        good = chunk[np.isfinite(chunk)]
        with np.errstate(over="ignore"):
            squares += float(((good - mean) ** 2).sum())
        if bins == 1:
            counts[0] += good.size
        else:
            counts += np.histogram(good, bins, (low, high))[0]
    return Statistics(
        elements=array.size,
        nan=nan,
        infinite=infinite,
        zeros=zeros,
        minimum=low,
        maximum=high,
        mean=mean,
        std=math.sqrt(squares / finite),
        histogram=tuple(int(c) for c in counts),
    )


def _mean(array: Array, finite: int) -> float:
    """Return the mean of numbers whose sum overflows."""
    return math.fsum(float((chunk[np.isfinite(chunk)] / finite).sum()) for chunk in _chunks(array))


def _chunks(array: Array) -> Iterator[NDArray[np.float64]]:
    flat: NDArray[Any] = np.asarray(array).reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield flat[start : start + _CHUNK].astype(np.float64)
