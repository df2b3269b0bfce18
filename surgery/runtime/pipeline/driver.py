"""Drives items through the stages: one thread a stage, first in, first out, on any backend.

An item takes a slot, goes from stage to stage, and leaves it at the end: its results are copied out
by a thread of the pipeline's own. So slots are only ever held by the pipeline, and nothing that a
caller does, or doesn't do, with results can stop it; a caller that takes none is given no more than
one for each slot. Failed items go on through the stages, which skip them: order is kept, and what
came before them is delivered first.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from surgery.diagnostics import SurgeryError
from surgery.engines.base import Array
from surgery.recipe import Recipe
from surgery.runtime.inputs import check_inputs
from surgery.runtime.pipeline.base import PipelineBackend
from surgery.runtime.pipeline.items import End, Item, Job, closed, of_item, unforeseen, wait_for
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.stage import StageDriver
from surgery.runtime.pipeline.statistics import PipelineStatistics, Record

S = TypeVar("S")

#: Seconds that closing waits for the pipeline's threads; one in a kernel can't be stopped.
CLOSING = 5.0
#: How often a limit of time is looked at, in parts of it.
_LOOKS = 4


class Pipeline(Generic[S]):
    """Stages that run side by side.

    Args:
        recipe: What to run.
        backend: Where; closed with the pipeline.
        options: How. ``retries`` and ``timeout`` are the driver's; the rest is the backend's.
    """

    def __init__(
        self, recipe: Recipe, backend: PipelineBackend[S], options: PipelineOptions
    ) -> None:
        self.recipe = recipe
        self._backend = backend
        self._timeout = options.timeout
        self._record = Record([s.name for s in recipe.stages])
        self._done: SimpleQueue[Item[S] | None] = SimpleQueue()
        self._free: SimpleQueue[S | None] = SimpleQueue()
        self._limit = len(backend.slots)
        for slot in backend.slots:
            self._free.put(slot)
        self._lock = threading.Lock()
        self._jobs: set[Job] = set()
        self._closed = False
        self._broken: SurgeryError | None = None
        stages: list[StageDriver[S]] = []
        following: Callable[[Item[S] | None], None] = self._done.put
        for part, worker, record in reversed(
            list(zip(recipe.stages, backend.workers, self._record.stages, strict=True))
        ):
            stage = StageDriver(part, worker, options, record, lambda: self._closed, following)
            stages.insert(0, stage)
            following = stage.inbox.put
        self._stages = tuple(stages)
        self._threads = [
            *(
                threading.Thread(target=s.drive, name=f"surgery {p.name}", daemon=True)
                for s, p in zip(stages, recipe.stages, strict=True)
            ),
            threading.Thread(target=self._collect, name="surgery results", daemon=True),
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError:  # the system gives no more threads
            self._threads = [t for t in self._threads if t.ident is not None]
            self.close()
            raise
        # No thread may be in a kernel when the interpreter goes down.
        atexit.register(self.close)

    @property
    def statistics(self) -> PipelineStatistics:
        return self._record.statistics()

    def run(self, inputs: Mapping[str, object]) -> dict[str, Array]:
        """Run one item; any number of threads may do so at once.

        Raises:
            SurgeryError: S582-S585 for inputs; a stage failed; S575 the pipeline is closed.
        """
        job = self._open_job(1, numbered=False)
        try:
            self._submit(job, 0, inputs)
            result = wait_for(job.results)
            if isinstance(result, End):
                raise result.failure or closed()
            return result
        finally:
            self._close_job(job)

    def map(self, items: Iterable[Mapping[str, object]]) -> Iterator[dict[str, Array]]:
        """Run many items; yield their outputs in order.

        The iterable is read by a thread of its own, no further ahead than there are slots. It
        starts with the first ``next``. Closing the iterator drops what is under way.

        Raises:
            SurgeryError: As :meth:`run`, with the number of the item; results of the items before
                it come first. What the iterable raises comes at its place likewise.
        """
        self._check_usable()
        return self._map(items)

    def _map(self, items: Iterable[Mapping[str, object]]) -> Iterator[dict[str, Array]]:
        job = self._open_job(self._limit, numbered=True)
        try:
            feeder = threading.Thread(
                target=self._feed, args=(job, items), name="surgery inputs", daemon=True
            )
            feeder.start()
            count = 0
            end: End | None = None
            while end is None or count < end.count:
                result = wait_for(job.results)
                if isinstance(result, End):
                    if end is None or result.count < end.count:
                        end = result
                    continue
                count += 1
                job.delivered()
                yield result
            if end.failure is not None or job.cancelled:
                raise end.failure or closed()
        finally:
            self._close_job(job)

    def close(self, patience: float | None = None) -> None:
        """End everything. Never hangs; what is under way ends with S575. May be called twice.

        Args:
            patience: Seconds to wait for a thread that is in a kernel; by default some.
        """
        with self._lock:
            first, self._closed = not self._closed, True
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
            job.results.put(End(count=0, failure=closed()))
        if not first:
            return
        atexit.unregister(self.close)
        self._free.put(None)
        for stage in self._stages:
            stage.inbox.put(None)
        self._backend.close()
        until = time.monotonic() + (CLOSING if patience is None else patience)
        left = {t for t, s in zip(self._threads, self._stages, strict=False) if s.abandoned}
        for thread in self._threads:
            if thread is not threading.current_thread() and thread not in left:
                thread.join(max(0.0, until - time.monotonic()))
        self._record.stop()

    @property
    def stuck(self) -> bool:
        """Whether a thread of a closed pipeline is still in a kernel that doesn't return."""
        return self._closed and any(t.is_alive() for t in self._threads)

    # -- jobs

    def _check_usable(self) -> None:
        if self._closed:
            raise closed()
        if self._broken is not None:
            raise self._broken

    def _open_job(self, limit: int, *, numbered: bool) -> Job:
        with self._lock:
            self._check_usable()
            job = Job(limit, numbered)
            self._jobs.add(job)
            return job

    def _close_job(self, job: Job) -> None:
        job.cancel()
        with self._lock:
            self._jobs.discard(job)

    def _feed(self, job: Job, items: Iterable[Mapping[str, object]]) -> None:
        """Send what an iterable gives on its way; in a thread of its own."""
        count = 0
        failure: BaseException | None = None
        try:
            source = iter(items)
            while job.enter():
                try:
                    inputs = next(source)
                except StopIteration:
                    break
                self._submit(job, count, inputs)
                count += 1
        except BaseException as caught:
            failure = caught
            if not isinstance(caught, SurgeryError):
                caught.add_note(f"raised by what gives the inputs, for item {count}")
        finally:
            job.results.put(End(count=count, failure=failure))

    def _submit(self, job: Job, index: int, inputs: Mapping[str, object]) -> None:
        """Check an item's inputs, put them into the next free slot and send it on its way."""
        try:
            checked = check_inputs(self.recipe.inputs, inputs)
        except SurgeryError as failure:
            raise of_item(failure, job.name(index)) from failure
        slot = wait_for(self._free)
        if slot is None:
            self._free.put(None)  # for the next one who waits
            self._check_usable()
            raise closed()
        entered = self._record.entered()
        try:
            self._backend.load(slot, checked)
        except BaseException:
            self._record.left(entered, well=False)
            self._free.put(slot)
            raise
        self._stages[0].inbox.put(Item(job=job, index=index, slot=slot, entered=entered))

    # -- the thread of results

    def _collect(self) -> None:
        pause = None if self._timeout is None else min(1.0, self._timeout / _LOOKS)
        while True:
            try:
                item = self._done.get(timeout=pause)
                if item is None:
                    return
                self._deliver(item)
            except Empty:
                pass
            if self._timeout is not None and not self._closed:
                self._look()

    def _deliver(self, item: Item[S]) -> None:
        outputs: dict[str, Array] | None = None
        if item.wanted:
            try:
                outputs = self._backend.unload(item.slot)
            except SurgeryError as failure:
                item.fail(of_item(failure, item.name))
            except Exception as failure:
                item.fail(of_item(unforeseen(failure), item.name))
        self._record.left(item.entered, well=outputs is not None)
        if not item.keeps_slot:
            self._free.put(item.slot)
        if outputs is not None:
            item.job.results.put(outputs)
        elif item.failure is not None:
            item.job.results.put(End(count=item.index, failure=item.failure))

    def _look(self) -> None:
        for stage in self._stages:
            failure = stage.look()
            if failure is not None:
                self._broken = failure
                self._free.put(None)
