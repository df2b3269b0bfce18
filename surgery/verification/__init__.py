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

__all__ = [
    "DEFAULT_ATOL", "DEFAULT_RTOL", "OutputComparison", "Verification", "compare",
    "compare_arrays", "input_bounds", "tolerances",
]  # fmt: skip
