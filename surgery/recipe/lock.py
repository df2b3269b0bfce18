"""Who may write an output folder now: a lock beside it, and signals that come at a bad moment."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from surgery.diagnostics import error


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM, SIGHUP); unwinds like Ctrl-C."""


class FolderLock:
    """An exclusive lock on a folder. The kernel lets go of it when the process dies.

    Args:
        path: The lock file, beside the folder.
        folder: What to call the folder in a message.
    """

    def __init__(self, path: Path, folder: str) -> None:
        self._path = path
        self._folder = folder
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock now.

        Raises:
            SurgeryError: S562, someone else holds it.
            OSError: The lock file can't be made.
        """
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            descriptor = os.open(self._path, flags, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Its last holder may have removed the file between our open and our lock.
                if self._is_current(descriptor):
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, str(os.getpid()).encode())
                    self._descriptor = descriptor
                    return
            except BlockingIOError:
                holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
                raise error(
                    "S562",
                    f"{self._folder} is being written by another surgery"
                    + (f" (process {holder})" if holder else ""),
                    reason="two runs that write one folder would mix their files",
                    remedy="wait until it is done, or write to another folder with -o",
                ) from None
            finally:
                if self._descriptor is None:
                    os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go of the lock and remove its file; nothing happens when it isn't held."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)
        self._descriptor = None


_ENDING = (signal.SIGTERM, signal.SIGHUP)


class EndingSignals:
    """Turns the signals that end a process into :class:`Terminated`, so that clean-up runs.

    Only in the main thread, and only for signals nobody else has a handler for.
    """

    def __init__(self) -> None:
        self._changed: list[signal.Signals] = []

    def install(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)
                self._changed.append(number)

    def restore(self) -> None:
        for number in self._changed:
            signal.signal(number, signal.SIG_DFL)
        self._changed.clear()


def _end(number: int, frame: FrameType | None) -> None:
    raise Terminated(signal.Signals(number).name)


@contextmanager
def unbroken() -> Iterator[None]:
    """Let a few renames happen together: a signal that comes meanwhile is too late and dropped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for number in (signal.SIGINT, *_ENDING):
        handler = signal.getsignal(number)
        if handler is not None:  # None: installed by C code, and can't be put back from here
            before[number] = handler
            signal.signal(number, _too_late)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _too_late(number: int, frame: FrameType | None) -> None:
    return None
