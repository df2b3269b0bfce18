"""Functions that every framework has, and that TVM computes in another way."""

from __future__ import annotations

import math
from typing import Any


def half_to_even(value: Any, dtype: str) -> Any:
    """Return a rounded value, halves to the even neighbour; TVM's own round takes them from zero.

    Args:
        value: A Relay expression.
        dtype: Its type; whole numbers stay as they are.
    """
    from tvm import relay

    if not dtype.startswith("float"):
        return value
    two, half = relay.const(2, dtype), relay.const(0.5, dtype)
    middle = relay.equal(relay.abs(relay.subtract(value, relay.floor(value))), half)
    even = relay.multiply(two, relay.round(relay.divide(value, two)))
    return relay.where(middle, even, relay.round(value))


def gelu_by_tanh(data: Any, dtype: str) -> Any:
    """Return Gelu by tanh (Hendrycks, 2016); TVM's importers compute it by erf all the same."""
    from tvm import relay

    cubic = relay.power(data, relay.const(3.0, dtype)) * relay.const(0.044715, dtype)
    inner = relay.const(math.sqrt(2.0 / math.pi), dtype) * (data + cubic)
    return relay.const(0.5, dtype) * data * (relay.const(1.0, dtype) + relay.tanh(inner))
