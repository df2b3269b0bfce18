"""Items on their way through a pipeline, their jobs, and what is said of their faults."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import RecipeStage

S = TypeVar("S")
T = TypeVar("T")


#: Seconds that a thread waits at a stretch. A signal that another thread was given, or that came
#: just before the wait, would not wake the main one: Ctrl-C must not wait for the next item.
STRETCH = 0.1


def wait_for(queue: SimpleQueue[T]) -> T:
    """Take the next of a queue, as long as that may take."""
    while True:
        try:
            return queue.get(timeout=STRETCH)
        except Empty:
            continue


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """No item from ``count`` on will come, and why if that is a fault."""

    count: int
    failure: BaseException | None = None


class Job:
    """One ``map`` or call: where its results go, and how many items may be under way.

    Args:
        limit: Items that may be under way, or out and not taken.
        numbered: Whether messages say which item they are about.
    """

    def __init__(self, limit: int, numbered: bool) -> None:
        self.cancelled = False
        self.fails_at: int | None = None
        self.results: SimpleQueue[dict[str, Array] | End] = SimpleQueue()
        self._numbered = numbered
        self._room = threading.Semaphore(limit)

    def enter(self) -> bool:
        """Wait until one more item may be under way; False when none is wanted any more."""
        self._room.acquire()
        return not self.cancelled and self.fails_at is None

    def delivered(self) -> None:
        self._room.release()

    def cancel(self) -> None:
        self.cancelled = True
        self._room.release()

    def name(self, index: int) -> str:
        """Return what to call an item at the start of a message."""
        return f"item {index}: " if self._numbered else ""


@dataclass(slots=True, kw_only=True, eq=False)
class Item(Generic[S]):
    """One set of inputs on its way.

    Attributes:
        entered: When it entered, for the record.
        begun: Whether the stage that it is at has been given it.
        keeps_slot: Whether its slot may still be written to when it leaves.
    """

    job: Job
    index: int
    slot: S
    entered: float
    failure: BaseException | None = None
    begun: bool = False
    keeps_slot: bool = False

    @property
    def name(self) -> str:
        return self.job.name(self.index)

    @property
    def wanted(self) -> bool:
        fails_at = self.job.fails_at
        ahead = fails_at is None or self.index < fails_at
        return ahead and self.failure is None and not self.job.cancelled

    def fail(self, failure: BaseException) -> None:
        """Give the item up, and those of its job that come after it."""
        self.failure = failure
        if self.job.fails_at is None or self.index < self.job.fails_at:
            self.job.fails_at = self.index


def of_item(failure: SurgeryError, name: str) -> SurgeryError:
    """Say of a failure which item it is about."""
    return SurgeryError([replace(d, message=f"{name}{d.message}") for d in failure.diagnostics])


def of_stage(stage: RecipeStage, name: str, failure: SurgeryError, tries: int = 1) -> SurgeryError:
    """Say of a failure which stage and which item it is about, and how often it was tried."""
    first, *rest = failure.diagnostics
    notes = [*first.notes, f"in stage {stage.name!r} ({stage.library})"]
    if tries > 1:
        notes.append(f"it was tried {tries} times")
    message = f"{name}stage {stage.name!r}: {first.message}"
    return SurgeryError((replace(first, message=message, notes=tuple(notes)), *rest))


def unforeseen(failure: Exception) -> SurgeryError:
    """Return a diagnostic of an exception that no engine explains."""
    lines = str(failure).strip().splitlines() or [type(failure).__name__]
    return error(
        "S587",
        "it failed",
        reason="out of memory" if isinstance(failure, MemoryError) else lines[-1],
        remedy="build it again with `surgery build`",
    )


def too_long(limit: float) -> SurgeryError:
    return error(
        "S574",
        f"it took longer than {limit:g} s",
        reason="the limit that was asked for",
        remedy="allow more with --timeout, or look for a kernel that hangs",
    )


def closed() -> SurgeryError:
    return error(
        "S575",
        "the runner is closed",
        reason="its `with` block has ended, or close() was called",
        remedy="use it inside the block, or open another",
    )
