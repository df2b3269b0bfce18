"""TVM's work in a thread of its own, where a signal can't hit it.

Python runs signal handlers in the main thread, wherever that is. In a callback beneath TVM's frames
a Ctrl-C would be taken for a failed pass, be printed and dropped, or crash the process. So the main
thread only waits: there it arrives at once, and unwinds surgery's own frames.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: Stack of a thread, bytes, like a main thread's usual one or larger. Only what is used is taken.
USUAL = 64 << 20

_stack_lock = threading.Lock()


def run_apart(work: Callable[[], T], stack: int = USUAL) -> T:
    """Run work in a thread with a stack of its own; return its result or raise what it raised.

    An interrupt of the wait leaves the thread behind: it ends with its call, or with the process.
    """
    results: list[T] = []
    failures: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            results.append(context.run(work))
        except BaseException as failure:
            failures.append(failure)

    with _stack_lock:
        before = threading.stack_size(stack)
        try:
            thread = threading.Thread(target=run, name="surgery engine", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    while thread.is_alive():
        # Not without end: a signal just before the wait would not wake it.
        thread.join(0.1)
    if failures:
        raise failures[0]
    return results[0]


def apart(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function run apart when the main thread calls it; other threads get no signals."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        return run_apart(lambda: function(*args, **kwargs))

    return call
