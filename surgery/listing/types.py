"""Types of a listing: their text, as a value of :mod:`surgery.graph.types`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from surgery.graph import UNKNOWN, Dim, OtherType, TensorType, TupleType, ValueType

#: Deeper types than this are kept as text: no model has them, and recursion over types is short.
MAX_NESTING = 64

_DTYPE = re.compile(r"(?:bool|handle|u?int\d+|float\d+|bfloat\d+|e\dm\d\w*)(?:x\d+)?")
_TENSOR = re.compile(r"Tensor\[\s*\((?P<dims>.*)\)\s*,\s*(?P<dtype>[^,()]+?)\s*\]", re.DOTALL)
_INTEGER = re.compile(r"(-?\d+)(?:i\d+)?")


@dataclass(frozen=True, slots=True)
class TypeText:
    """A type together with how Relay writes it.

    Attributes:
        value: The type.
        text: Its Relay text.
        nesting: How many brackets deep it goes.
    """

    value: ValueType
    text: str
    nesting: int = 0


@lru_cache(maxsize=4096)
def scalar(dtype: str) -> TensorType:
    """Return the type of a scalar."""
    return TensorType((), dtype)


@lru_cache(maxsize=4096)
def tensor(text: str) -> TypeText:
    """Return the type of ``Tensor[(1, ?, n), float32]``."""
    found = _TENSOR.fullmatch(text)
    if found is None:
        return TypeText(OtherType(text), text)
    dims = tuple(_dim(part) for part in _split(found["dims"]) if part)
    return TypeText(TensorType(dims, found["dtype"]), text)


def _dim(text: str) -> Dim:
    found = _INTEGER.fullmatch(text)
    return int(found[1]) if found else text


def _split(text: str) -> list[str]:
    """Split at the commas that stand in no bracket."""
    if "(" not in text:
        return [part.strip() for part in text.split(",")]
    parts: list[str] = []
    depth = start = 0
    for at, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


@lru_cache(maxsize=4096)
def named(text: str) -> TypeText:
    """Return the type of a bare word: a scalar, ``_``, or the name of a user's own type."""
    if _DTYPE.fullmatch(text):
        return TypeText(scalar(text), text)
    return TypeText(UNKNOWN if text == "_" else OtherType(text), text)


def tuple_of(parts: list[TypeText]) -> TypeText:
    """Return a tuple's type; beyond :data:`MAX_NESTING` only its text is kept."""
    nesting = 1 + max((p.nesting for p in parts), default=0)
    text = f"({parts[0].text},)" if len(parts) == 1 else f"({', '.join(p.text for p in parts)})"
    if nesting > MAX_NESTING:
        return TypeText(OtherType("(...)"), "(...)")
    return TypeText(TupleType(tuple(p.value for p in parts)), text, nesting)


def other(text: str, parts: list[TypeText]) -> TypeText:
    """Return a type that is kept as text; its parts say how deep it goes."""
    nesting = 1 + max((p.nesting for p in parts), default=0)
    if nesting > MAX_NESTING:
        return TypeText(OtherType("..."), "...")
    return TypeText(OtherType(text), text, nesting)
