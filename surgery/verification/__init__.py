"""Does the operated model compute what the original does? Numbers, and inputs to get them with."""

from surgery.verification.bisect import Measured, Search, compare_values, search
from surgery.verification.bounds import input_bounds
from surgery.verification.comparison import (
    DEFAULT_ATOL,
    DEFAULT_RTOL,
    OutputComparison,
    Verification,
    compare,
    compare_arrays,
    compare_floats,
    tolerances,
)
from surgery.verification.matching import Matching, Pair, match_graphs
from surgery.verification.statistics import Statistics, statistics_of
from surgery.verification.tap import Backends, tap_batches, tap_stream, tap_values, value_bytes

__all__ = [
    "DEFAULT_ATOL", "DEFAULT_RTOL", "Backends", "Matching", "Measured", "OutputComparison",
    "Pair", "Search", "Statistics", "Verification", "compare", "compare_arrays", "compare_floats",
    "compare_values",
    "input_bounds", "match_graphs", "search", "statistics_of", "tap_batches", "tap_stream",
    "tap_values", "tolerances", "value_bytes",
]  # fmt: skip
