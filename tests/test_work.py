"""The counting of work: what it sees, and that it leaves nothing behind."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.work import work


def python(size: int) -> None:
    def step() -> None: ...

    for _ in range(size):
        step()


def c(size: int) -> None:
    for i in range(size):
        abs(i)


def generator(size: int) -> None:
    def steps() -> Iterator[int]:
        for i in range(size):  # noqa: UP028 - each item is a resumption of this frame
            yield i

    for _ in steps():
        pass


@pytest.mark.parametrize("function", [python, c, generator])
def test_every_call_counts_once(function: Callable[[int], None]) -> None:
    _, few = work(lambda: function(5))
    _, many = work(lambda: function(1005))
    assert many - few == 1000


def test_it_gives_the_result_and_the_same_count_again() -> None:
    found = {work(lambda: sorted(range(100), key=lambda n: -n)[0]) for _ in range(3)}
    ((result, count),) = found
    assert result == 99 and count >= 100


def test_the_profiler_and_the_collector_are_as_before_also_after_a_fault() -> None:
    def before(*_: object) -> None: ...

    outer = sys.getprofile()
    sys.setprofile(before)
    try:
        with pytest.raises(ZeroDivisionError):
            work(lambda: 1 // 0)
        assert sys.getprofile() is before
    finally:
        sys.setprofile(outer)
    assert gc.isenabled()
    gc.disable()
    try:
        work(lambda: None)
        assert not gc.isenabled()
    finally:
        gc.enable()
