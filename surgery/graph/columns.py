"""Columns of a graph that are computed when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class LazyColumn(Sequence[T], Generic[T]):
    """A column that computes an entry when it is first asked for."""

    __slots__ = ("_compute", "_known", "_size")

    def __init__(self, size: int, compute: Callable[[int], T]) -> None:
        self._size = size
        self._compute = compute
        self._known: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._size))]
        try:
            return self._known[index]
        except KeyError:
            if not 0 <= index < self._size:
                raise IndexError(index) from None
            value = self._known[index] = self._compute(index)
            return value


class BulkColumn(Sequence[T], Generic[T]):
    """A column whose entries are all computed together, at the first look at any of them."""

    __slots__ = ("_compute", "_size", "_values")

    def __init__(self, size: int, compute: Callable[[], Sequence[T]]) -> None:
        self._size = size
        self._compute = compute
        self._values: Sequence[T] | None = None

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if self._values is None:
            self._values = self._compute()
        return self._values[index]


class ConstantColumn(Sequence[T], Generic[T]):
    """A column that holds the same value everywhere."""

    __slots__ = ("_size", "_value")

    def __init__(self, size: int, value: T) -> None:
        self._size = size
        self._value = value

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._value] * len(range(*index.indices(self._size)))
        if not 0 <= index < self._size:
            raise IndexError(index)
        return self._value
