"""Does the operated model compute what the original does? Numbers, and inputs to get them with."""

from surgery.verification.bounds import input_bounds
from surgery.verification.comparison import (
    DEFAULT_ATOL,
    DEFAULT_RTOL,
    OutputComparison,
    Verification,
    compare,
    compare_arrays,
    tolerances,
)
from surgery.verification.tap import Backends, tap_batches, tap_values, value_bytes

__all__ = [
    "DEFAULT_ATOL", "DEFAULT_RTOL", "Backends", "OutputComparison", "Verification", "compare",
    "compare_arrays", "input_bounds", "tap_batches", "tap_values", "tolerances", "value_bytes",
]  # fmt: skip
