"""The thread of one stage: has the worker run items in order, and tries again what fails."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from surgery.diagnostics import SurgeryError, error
from surgery.recipe import RecipeStage
from surgery.runtime.pipeline.base import StageWorker, WorkerLost
from surgery.runtime.pipeline.items import Item, closed, of_stage, too_long, unforeseen
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.statistics import StageRecord

S = TypeVar("S")


class StageDriver(Generic[S]):
    """Drives a stage's worker.

    Args:
        part: The stage, for messages.
        worker: Who runs it.
        options: ``retries`` and ``timeout`` count here.
        record: Where its runs are counted.
        is_closed: Whether the pipeline is being closed.
        pass_on: Where an item goes next; ``None`` when no more will come.

    Attributes:
        inbox: Items for this stage; ``None`` ends the thread.
    """

    def __init__(
        self,
        part: RecipeStage,
        worker: StageWorker[S],
        options: PipelineOptions,
        record: StageRecord,
        is_closed: Callable[[], bool],
        pass_on: Callable[[Item[S] | None], None],
    ) -> None:
        self.inbox: SimpleQueue[Item[S] | None] = SimpleQueue()
        self._part = part
        self._worker = worker
        self._options = options
        self._record = record
        self._is_closed = is_closed
        self._pass_on = pass_on
        self._begun: deque[Item[S]] = deque()
        # What is waited for, and since when: what the limit of time is for.
        self._at: tuple[Item[S], float] | None = None
        self._late: Item[S] | None = None
        self._lost = False
        self._abandoned = False
        # Held where it is decided whether an item has ended or is given up.
        self._ending = threading.Lock()

    @property
    def abandoned(self) -> bool:
        """Whether its thread was left behind in a kernel that doesn't return."""
        return self._abandoned

    def drive(self) -> None:
        """Run until the inbox gives ``None``, or the stage is given up."""
        while True:
            while len(self._begun) < self._worker.ahead:
                try:
                    item = self.inbox.get(block=not self._begun)
                except Empty:
                    break
                if item is None:
                    self._pass_on(None)
                    return
                self._begun.append(item)
                self._begin(item)
            item = self._begun[0]
            if item.begun:
                self._finish(item)
            with self._ending:
                self._at = None
                if self._abandoned:
                    return
            self._begun.popleft()
            self._pass_on(item)

    def look(self) -> SurgeryError | None:
        """Deal with an item that takes longer than the limit. Called from another thread.

        Returns:
            What to say of the stage from then on, when its thread had to be left behind.
        """
        at, limit = self._at, self._options.timeout
        if at is None or limit is None or time.monotonic() - at[1] <= limit:
            return None
        item, _ = at
        self._late = item
        if self._worker.interrupt():
            return None
        with self._ending:
            if self._at is not at:
                return None  # it has just ended
            self._abandoned = True
            self._at = None
        failure = of_stage(self._part, item.name, too_long(limit))
        item.fail(failure)
        # The thread may still write to the slot, so nobody else gets it.
        item.keeps_slot = True
        self._pass_on(item)
        threading.Thread(
            target=self._skip, args=(failure,), name="surgery skips", daemon=True
        ).start()
        return failure

    def _skip(self, failure: SurgeryError) -> None:
        """Pass everything by, in the place of the thread that was left behind."""
        while (item := self.inbox.get()) is not None:
            item.fail(item.failure or failure)
            self._pass_on(item)
        self._pass_on(None)

    def _begin(self, item: Item[S]) -> None:
        item.begun = False
        if not item.wanted or self._is_closed():
            return
        try:
            if self._lost:
                self._worker.restart()
                self._lost = False
                self._record.restarts += 1
            self._worker.begin(item.slot)
            item.begun = True
        except SurgeryError as failure:
            item.fail(of_stage(self._part, item.name, failure))
        except Exception as failure:
            item.fail(of_stage(self._part, item.name, unforeseen(failure)))

    def _finish(self, item: Item[S]) -> None:
        """Wait for the first item that was begun; try it again as often as is asked."""
        tries = 0
        while item.begun:
            self._at = item, time.monotonic()
            failure: SurgeryError | None
            try:
                self._record.times.add(self._worker.finish())
                return
            except WorkerLost as lost:
                failure = self._was_lost(item, lost)
            except SurgeryError as caught:
                failure = caught
            except Exception as caught:
                failure = unforeseen(caught)
            with self._ending:
                self._at = None
                if self._abandoned:
                    return
            if self._is_closed():
                item.fail(closed())
                return
            if failure is not None:
                tries += 1
                if tries > self._options.retries or not item.wanted:
                    item.fail(of_stage(self._part, item.name, failure, tries))
                    if not self._lost:
                        return
                self._lost = True
            # What is still wanted of all that was begun is begun again, in its order.
            for other in self._begun:
                self._begin(other)

    def _was_lost(self, item: Item[S], lost: WorkerLost) -> SurgeryError | None:
        """Return what to say of a lost worker; nothing where the item had no part in it."""
        self._lost = True
        late, self._late = self._late, None
        if late is not None:
            return too_long(self._options.timeout or 0.0) if late is item else None
        return error(
            "S572",
            "its worker was lost",
            reason=str(lost),
            remedy="with retries (`--retries 1`) it is started again and goes on"
            if not self._options.retries
            else "look for what the stage's kernels do with the values of this item",
        )
