"""What a pipeline is made of: slots that hold an item's values, and workers that run a stage.

:class:`surgery.runtime.pipeline.driver.Pipeline` drives all backends alike: one thread of this
process a stage, first in, first out, so results keep their order whatever the backend. It alone
knows of items, retries, limits, errors and statistics. A backend (``threads.py``,
``processes.py``, ...) says only where an item's values are (a *slot*) and how a stage is run on a
slot (a *worker*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from surgery.engines.base import Array

#: A backend's own idea of where the values of one item are; opaque to the driver.
S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class WorkerLost(Exception):
    """A worker is gone (killed, crashed, its machine lost); what it was doing may be done again.

    The text says what is known of how it ended: ``killed by SIGKILL``.
    """


class StageWorker(Protocol[S_contra]):
    """Runs one stage. Called by one thread of the driver only, but for :meth:`interrupt`."""

    @property
    def ahead(self) -> int:
        """How many slots may be begun before the first of them is finished; 1 or more."""

    def begin(self, slot: S_contra) -> None:
        """Start the stage on a slot, or queue it behind those that were begun before.

        Never raises for a fault of the stage or worker: :meth:`finish` does, as it must be known
        which item is at fault.
        """

    def finish(self) -> float:
        """Wait for the slot begun first; its outputs are in the slot then.

        Returns:
            Seconds that the stage itself was busy with it.

        Raises:
            SurgeryError: The stage failed on this slot (that it is this stage, and which item, is
                added by the driver). The worker goes on with the slots begun after it.
            WorkerLost: The worker is gone, and with it whatever was begun. The driver then calls
                :meth:`restart`, and begins everything again.
        """

    def restart(self) -> None:
        """Replace a lost worker; it has nothing to do then.

        Raises:
            SurgeryError: It can't be started.
        """

    def interrupt(self) -> bool:
        """Make a :meth:`finish` that takes too long raise :class:`WorkerLost`.

        Called from another thread.

        Returns:
            False when there is no way (a thread of this process): ``ahead`` is 1 then.
        """


class PipelineBackend(Protocol[S]):
    """Where a pipeline runs. Its ``__init__`` starts the workers and raises what is wrong.

    An implementation keeps to this:

    * A slot's values stay readable until the slot is loaded again: a stage may run twice on it.
    * Slots are reused, so memory is bounded by the number of slots.
    * :meth:`close` never hangs, works after any fault, also twice, and leaves nothing behind:
      no process, no shared memory, no actor.
    * Ctrl-C reaches the parent only: workers ignore it, and end when the parent does.
    """

    @property
    def workers(self) -> tuple[StageWorker[S], ...]:
        """The workers, one a stage, in order. All are ready."""

    @property
    def slots(self) -> tuple[S, ...]:
        """The slots; how many was said when the backend was made."""

    def load(self, slot: S, inputs: Mapping[str, Array]) -> None:
        """Put an item's inputs (checked, all of them) into a slot. Called by any one thread."""

    def unload(self, slot: S) -> dict[str, Array]:
        """Return the public outputs, in the recipe's order: arrays that the caller owns.

        Called by one thread, while others load, begin and finish other slots.
        """

    def close(self) -> None:
        """End the workers and give back the slots. A :meth:`StageWorker.finish` that waits ends."""
