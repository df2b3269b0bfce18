"""This process's connection to Ray: to a cluster that is there, or to one of its own.

A process has one connection at most, so the runners that are open share it; the last one that is
closed ends it. A connection that the user's own program had made before is used, and left alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

from surgery.diagnostics import SurgeryError, error

#: Bytes of an own cluster's object store: the least that Ray takes, and the most that is asked for.
#: What doesn't fit is kept on disk meanwhile.
LEAST_STORE = 80 << 20
MOST_STORE = 2 << 30
#: Seconds that a cluster may take to accept a connection.
KNOCK = 10.0
#: The socket of an own cluster is this much longer than its folder; the system allows 107.
_SOCKET = 68

_lock = threading.Lock()
_shared: _Shared | None = None


@dataclass(slots=True, kw_only=True)
class _Shared:
    """The connection, and how many use it.

    Attributes:
        own: Whether it is to a cluster of this process's own.
        end: What ends it.
    """

    address: str | None
    own: bool
    end: Callable[[], None]
    users: int = 0


class Connection:
    """One user's hold on the connection.

    Args:
        address: ``HOST:PORT`` or ``auto`` for a cluster that is there. None: the connection that
            the program has made, else what ``RAY_ADDRESS`` says, else a cluster of its own on this
            machine.
        workers: Processes that an own cluster should have ready.
        store: Bytes that an own cluster's object store should hold.

    Attributes:
        ray: The package.
        own: Whether the cluster is this process's own.

    Raises:
        SurgeryError: S564 Ray isn't installed, S565 the cluster can't be reached or started.
    """

    def __init__(self, address: str | None, *, workers: int, store: int) -> None:
        self.ray = _import()
        global _shared
        with _lock:
            if _shared is None:
                _shared = _connect(self.ray, address, workers, store)
            elif address not in (None, _shared.address):
                raise _elsewhere(address, _shared.address)
            _shared.users += 1
            self._shared: _Shared | None = _shared
            self.own = _shared.own

    def close(self) -> None:
        """Let go of the connection; the last one ends it, and an own cluster with it."""
        global _shared
        with _lock:
            if self._shared is None:
                return
            self._shared.users -= 1
            if not self._shared.users:
                _shared = None
                self._shared.end()
            self._shared = None


def _import() -> Any:
    # An actor without GPUs leaves the machine's alone; Ray warns that it will, on each start. It
    # prints what fails where nobody asks for a value, too; the pipeline asks for another.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    try:
        import ray
    except ImportError as failure:
        raise error(
            "S564",
            "Ray is not installed",
            reason=f"a pipeline `on ray` needs it ({failure})",
            remedy="pip install 'surgery[ray]', or run it `--on threads` or `--on processes`",
        ) from failure
    return ray


def _connect(ray: Any, address: str | None, workers: int, store: int) -> _Shared:
    if ray.is_initialized():
        there = str(ray.get_runtime_context().gcs_address)
        if address not in (None, "auto", there):
            raise _elsewhere(address, there)
        return _Shared(address=there, own=False, end=lambda: None)
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    if address != "local":
        with _unreachable(f"the Ray cluster at {address} can't be reached"), _quietly(ray):
            _knock(address)
            ray.init(address=address, logging_level="ERROR", log_to_driver=False)
        return _Shared(address=address, own=False, end=ray.shutdown)
    folder = _own_folder()

    def end() -> None:
        ray.shutdown(wait_for_processes=True)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    try:
        with (
            _unreachable("no Ray cluster can be started on this machine"), _quietly(ray),
            _unbroken(),
        ):  # fmt: skip
            ray.init(
                address="local",
                num_cpus=workers,
                num_gpus=0,
                object_store_memory=min(max(store, LEAST_STORE), MOST_STORE),
                include_dashboard=False,
                logging_level="ERROR",
                log_to_driver=False,
                _temp_dir=folder,
            )
    except BaseException:  # Ctrl-C, too: what has been started is ended
        with suppress(Exception):
            end()
        raise
    return _Shared(address=None, own=True, end=end)


def _knock(address: str) -> None:
    """Raise :class:`OSError` where nothing answers; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK).close()


def _own_folder() -> str | None:
    """Return a new folder for an own cluster's files; None where its sockets' paths are too long.

    Ray itself keeps the files of ended clusters for ever.
    """
    if len(tempfile.gettempdir()) + len("/surgery-ray-12345678") + _SOCKET > 107:
        return None
    return tempfile.mkdtemp(prefix="surgery-ray-")


@contextmanager
def _unreachable(message: str) -> Iterator[None]:
    try:
        yield
    except Exception as failure:
        lines = [text for text in map(str.strip, str(failure).splitlines()) if text]
        raise error(
            "S565",
            message,
            reason=lines[0] if lines else type(failure).__name__,
            remedy="start one with `ray start --head` and give its address, HOST:PORT; without an "
            "address surgery starts one for the run",
        ) from failure


@contextmanager
def _quietly(ray: Any) -> Iterator[None]:
    """Keep what Ray's start does to a process to what is needed."""
    # It has no business with usage statistics, and none with the program's own signals.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM) if main else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
        # Ray prints what its machines report of lost workers to standard output, which is for
        # results. What was lost is said by the pipeline.
        with suppress(AttributeError):
            ray._private.worker._worker_logs_enabled = False


@contextmanager
def _unbroken() -> Iterator[None]:
    """Hold a first Ctrl-C back: a cluster that is half started could not be ended."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if pressed:
            before(number, frame)
        pressed.append(number)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def _elsewhere(asked: str | None, there: str | None) -> SurgeryError:
    return error(
        "S565",
        f"the Ray cluster at {asked} can't be reached",
        reason="this process is connected to "
        + (f"the one at {there}" if there is not None else "one of its own")
        + ", and can only be to one at a time",
        remedy="close what uses it first, or use another process",
    )


def even_threads(cpus: Sequence[float], stages: int) -> float:
    """Return how many CPUs each stage can have on machines with so many.

    As many whole ones as leave every stage a machine; a part of one where there are fewer CPUs than
    stages.
    """
    whole = [float(each) for each in range(int(max(cpus, default=0)), 0, -1)]
    for each in (*whole, *(1 / part for part in range(2, stages + 1))):
        if sum(int(count / each) for count in cpus) >= stages:
            return each
    return 0.0
