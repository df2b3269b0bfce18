"""How much a function does, counted instead of timed: the same on a busy machine as on an idle one.

Only ``benchmarks/`` measures seconds. A test states how the work grows with its input, or how much
of it an op costs.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


def work(function: Callable[[], T]) -> tuple[T, int]:
    """Call ``function`` and count the calls made meanwhile.

    Counted are calls of Python functions, each resumption of a generator, and calls of functions
    written in C; of this thread only. Not seen is what makes no call: the steps inside one C
    function (``x in some_list``) and loops of plain operators.

    Args:
        function: What to run; build its input before.

    Returns:
        What it returned, and the number of calls, its own and the one that ends the counting
        included.
    """
    count = 0

    def seen(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    # A collection may call back into Python (hypothesis listens), whenever it pleases.
    collecting, before = gc.isenabled(), sys.getprofile()
    gc.disable()
    sys.setprofile(seen)
    try:
        result = function()
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()
    return result, count
