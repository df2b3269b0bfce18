"""An interrupt stops the wait for TVM's work, never the work itself halfway."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from surgery.engines.relay.apart import apart, run_apart
from surgery.engines.relay.engine import RelayEngine


def test_results_and_errors_come_back() -> None:
    assert run_apart(lambda: threading.current_thread().name) == "surgery engine"

    def fails() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_apart(fails)


def test_an_interrupt_reaches_the_caller_at_once_and_spares_the_work() -> None:
    started, may_end, seen = threading.Event(), threading.Event(), []

    @apart
    def work(answer: int) -> int:
        started.set()
        try:
            may_end.wait(20)
        except BaseException as failure:
            seen.append(failure)
            raise
        seen.append(answer)
        return answer

    main = threading.main_thread().ident

    def interrupt() -> None:
        started.wait(20)
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work(7)
    assert time.monotonic() - begun < 10
    may_end.set()
    deadline = time.monotonic() + 10
    while not seen and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen == [7]


def test_all_that_a_compiler_does_for_long_is_apart() -> None:
    for name in ("load", "prepare", "operate", "save", "save_reference"):
        assert hasattr(getattr(RelayEngine, name), "__wrapped__"), name


def test_another_thread_works_itself() -> None:
    names: list[str] = []
    thread = threading.Thread(
        target=lambda: names.append(apart(lambda: threading.current_thread().name)()), name="mine"
    )
    thread.start()
    thread.join()
    assert names == ["mine"]
