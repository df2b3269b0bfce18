"""Comparing what a model holds with what a spec asks for."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final

from surgery.graph.types import TensorType
from surgery.syntax.ast import Comparison, Star, Value

Wanted = Value | Star | tuple[Value | Star, ...]

_ORDER: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def equal(found: object, wanted: object) -> bool:
    """Return whether a value is what was asked for.

    A wildcard fits anything. One number fits a tuple that repeats it (``strides=2`` fits
    ``(2, 2)``). Floats compare at single precision: text keeps six digits.
    """
    if isinstance(wanted, Star):
        return True
    if isinstance(found, tuple):
        if isinstance(wanted, tuple):
            return len(found) == len(wanted) and all(
                equal(f, w) for f, w in zip(found, wanted, strict=True)
            )
        if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
            return bool(found) and all(equal(f, wanted) for f in found)
        return False
    if isinstance(wanted, tuple):
        return False
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        if isinstance(found, int) and isinstance(wanted, int):
            return found == wanted
        return math.isclose(found, wanted, rel_tol=1e-5, abs_tol=0.0)
    if found is None or wanted is None:
        return found is wanted or (found is None and wanted == "None")
    return found == wanted


def holds(found: object, comparison: Comparison, wanted: Wanted) -> bool:
    """Return whether ``found comparison wanted``; an order between non-numbers never holds."""
    if comparison == "=":
        return equal(found, wanted)
    if comparison == "!=":
        return not equal(found, wanted)
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return _ORDER[comparison](found, wanted)
    return False


def is_ordered(comparison: Comparison, wanted: Wanted) -> bool:
    """Return whether a comparison can hold at all: an order needs a number."""
    return comparison in ("=", "!=") or (
        isinstance(wanted, (int, float)) and not isinstance(wanted, bool)
    )


def shape_fits(type_: TensorType, wanted: Wanted) -> bool:
    """Return whether a shape fits: ``*`` is any extent, ``?`` one that isn't static."""
    if isinstance(wanted, Star):
        return True
    dims = wanted if isinstance(wanted, tuple) else (wanted,)
    if len(dims) != len(type_.shape):
        return False
    for have, want in zip(type_.shape, dims, strict=True):
        if isinstance(want, Star) or have == want:
            continue
        if want == "?" and not isinstance(have, int):
            continue
        return False
    return True


def shown(value: object) -> str:
    """Return a value the way a spec writes it."""
    match value:
        case Star():
            return "*"
        case bool():
            return "true" if value else "false"
        case tuple():
            inner = ",".join(shown(v) for v in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case _:
            return str(value)
