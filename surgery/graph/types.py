"""Types of values, engine-neutral."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

#: A dimension: its extent, or the name the engine prints for one that isn't static (``?``, ``n``).
Dim = int | str

_BITS = re.compile(r"(\d+)")


def dtype_bits(dtype: str) -> int:
    """Return the width of one element in bits (``bool`` is 8; vectors ``float32x4`` multiply)."""
    if dtype == "bool":
        return 8
    lanes = 1
    base, _, suffix = dtype.partition("x")
    if suffix.isdigit():
        lanes = int(suffix)
    found = _BITS.search(base)
    return (int(found.group(1)) if found else 32) * lanes


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor: its shape (outermost dimension first) and element type (``float32``).

    A listing without types has tensors of dtype ``?``.
    """

    shape: tuple[Dim, ...]
    dtype: str

    @property
    def is_static(self) -> bool:
        return all(isinstance(d, int) for d in self.shape)

    @property
    def nbytes(self) -> int | None:
        """Size in bytes, or ``None`` when a dimension is not static."""
        if not self.is_static:
            return None
        return (math.prod(int(d) for d in self.shape) * dtype_bits(self.dtype) + 7) // 8

    def __str__(self) -> str:
        if self.dtype == "?":
            return "?"
        return f"{self.dtype}({','.join(str(d) for d in self.shape)})"


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple of values, possibly nested."""

    fields: tuple[ValueType, ...]

    def __str__(self) -> str:
        return f"({', '.join(str(f) for f in self.fields)})"


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type the core never looks into: a function, a reference, an algebraic data type."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class UnknownType:
    """No type is known: an untyped listing."""

    def __str__(self) -> str:
        return "?"


ValueType = TensorType | TupleType | OtherType | UnknownType
UNKNOWN = UnknownType()


def field_type(type_: ValueType, path: tuple[int, ...]) -> ValueType:
    """Return the type of a (nested) field; :data:`UNKNOWN` where the tuple's type is unknown.

    Raises:
        IndexError: The path names a field that the type does not have.
    """
    for index in path:
        match type_:
            case TupleType(fields=fields):
                type_ = fields[index]
            case UnknownType():
                return UNKNOWN
            case _:
                raise IndexError(index)
    return type_


def leaf_paths(type_: ValueType, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return the path of every tensor in a (nested) tuple, left to right; ``[()]`` for a tensor."""
    if not isinstance(type_, TupleType):
        return [path]
    return [p for i, f in enumerate(type_.fields) for p in leaf_paths(f, (*path, i))]
