"""Stages in Ray actors, on any machine of a cluster; values go from actor to actor.

This process holds references only: what a stage gives stays where it is until the stage that needs
it fetches it. The public outputs alone come here. No file system is shared: an actor is sent the
stage's library, and whatever lies beside it, through Ray.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import FromInput, FromStage, Recipe
from surgery.runtime.pipeline.base import WorkerLost
from surgery.runtime.pipeline.cluster import Connection, even_threads
from surgery.runtime.pipeline.items import closed
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.session import VALUES, RaySession, Reference, how_it_ended
from surgery.runtime.pipeline.slots import is_static, layout, no_memory
from surgery.runtime.pipeline.starting import CHUNK, StageActor
from surgery.runtime.pipeline.worker import decode_failure


@dataclass(slots=True, kw_only=True, eq=False)
class RaySlot:
    """The values of one item.

    Attributes:
        references: Where they are, by where they come from.
        homes: Node that each stage ran on for this item.
        results: The public outputs, fetched: views on the object store.
    """

    references: dict[FromInput | FromStage, Reference] = field(default_factory=dict)
    homes: dict[int, str] = field(default_factory=dict)
    results: dict[FromStage, Array] = field(default_factory=dict)

    def clear(self) -> None:
        self.references.clear()
        self.homes.clear()
        self.results.clear()


class RayBackend:
    """Runs each stage in a Ray actor.

    Args:
        recipe: What to run.
        folder: The output folder its libraries are in.
        options: Address, depth, retries, threads and timeout count here.

    Attributes:
        threads: The compiler's threads of each stage, which is as many CPUs of the cluster.

    Raises:
        SurgeryError: S564 no Ray, S565 no cluster, S566 a machine that can't run a stage, S573 an
            actor doesn't start; a library that can't be loaded or isn't this recipe's.
    """

    def __init__(self, recipe: Recipe, folder: Path, options: PipelineOptions) -> None:
        self.recipe = recipe
        self.folder = folder
        self.options = options
        stages = len(recipe.stages)
        count = options.depth * stages
        self.slots = tuple(RaySlot() for _ in range(count))
        store = (layout(recipe).size * (count + 1) if is_static(recipe) else 0) + 8 * CHUNK
        self.session = RaySession(Connection(options.address, workers=stages, store=store))
        self.workers: tuple[_RayWorker, ...] = ()
        try:
            with self.session.calling():
                cpus = self._cpus()
                self.threads = tuple(max(1, int(c)) for c in cpus)
                self.workers = tuple(_RayWorker(self, n, cpus[n]) for n in range(stages))
                for worker in self.workers:
                    worker.actor.wait_until_ready()
        except BaseException:
            self.close()
            raise

    def _cpus(self) -> list[float]:
        """Return how many CPUs each stage gets: as asked, else as the cluster's machines have."""
        stages, even = len(self.recipe.stages), 0.0
        if self.options.threads is None and not self.session.own:
            nodes = [n for n in self.session.ray.nodes() if n["Alive"]]
            even = even_threads([n["Resources"].get("CPU", 0.0) for n in nodes], stages)
        return [
            even
            if even and stage.threads is None
            else float(self.options.stage_threads(number, stages, stage.threads))
            for number, stage in enumerate(self.recipe.stages)
        ]

    def load(self, slot: RaySlot, inputs: Mapping[str, Array]) -> None:
        slot.clear()
        full = (self.session.errors.ObjectStoreFullError, self.session.errors.OutOfDiskError)
        try:
            with self.session.calling():
                for name, value in inputs.items():
                    slot.references[FromInput(input=name)] = self.session.ray.put(value)
        except WorkerLost:
            raise closed() from None
        except full as failure:
            raise _store_full(sum(v.nbytes for v in inputs.values())) from failure

    def unload(self, slot: RaySlot) -> dict[str, Array]:
        return {
            o.name: slot.results[FromStage(stage=o.stage, output=o.output)].copy()
            for o in self.recipe.outputs
        }

    def repair(self, slot: RaySlot, stage: int) -> None:
        """Compute again what a stage needs of values whose machines are gone.

        Raises:
            SurgeryError: A stage fails on them.
            WorkerLost: The worker of one was lost again.
        """
        alive = {n["NodeID"] for n in self.session.ray.nodes() if n["Alive"]}
        gone = [n for n in range(stage) if slot.homes[n] not in alive]
        for number in gone or range(stage):
            self.workers[number].redo(slot)

    def close(self) -> None:
        """End the actors, and the cluster where it is this process's own."""
        self.session.end()
        for worker in self.workers:
            worker.actor.end()
        self.session.close()
        for slot in self.slots:
            slot.clear()


@dataclass(slots=True, kw_only=True, eq=False)
class _Task:
    """A run of a stage on a slot that was begun.

    Attributes:
        actor: Which of the worker's actors runs it, counted from 1.
        home: The actor's node.
        references: Of the seconds it took, or of why it failed; then of the outputs.
    """

    slot: RaySlot
    actor: int = 0
    home: str = ""
    references: Sequence[Reference] = ()


class _RayWorker:
    """A stage's actor; replaced when it is lost, by this stage's thread or one that needs it."""

    ahead = 2  # the next item's values are fetched while the actor is at one

    def __init__(self, backend: RayBackend, number: int, cpus: float) -> None:
        self._backend = backend
        self._session = backend.session
        self._number = number
        self._stage = backend.recipe.stages[number]
        self._cpus = 0.0 if backend.session.own else cpus
        self._origins = [FromStage(stage=number, output=o.name) for o in self._stage.outputs]
        public = {(o.stage, o.output) for o in backend.recipe.outputs}
        self._public = [(o.stage, o.output) in public for o in self._origins]
        self._begun: deque[_Task] = deque()
        self._lock = threading.RLock()  # held while the actor is replaced
        # Actors are counted from 1: which is there, which are known to be lost, which failed.
        self._generation, self._lost, self._faulty = 1, 0, 0
        self.actor = self._new_actor()

    def _new_actor(self) -> StageActor:
        backend, threads = self._backend, self._backend.threads[self._number]
        return StageActor(
            self._session, backend.recipe, backend.folder, self._number, threads, self._cpus
        )

    def begin(self, slot: RaySlot) -> None:
        task = _Task(slot=slot)
        self._begun.append(task)
        with suppress(WorkerLost), self._session.calling():
            self._submit(task)

    def _submit(self, task: _Task) -> None:
        with self._lock:
            actor, task.actor = self.actor, self._generation
        task.home = actor.home
        values = [task.slot.references[i.origin] for i in self._stage.inputs]
        run = actor.handle.ask.options(num_returns=1 + len(self._origins))
        task.references = run.remote("run", *values)

    def finish(self) -> float:
        task = self._begun[0]
        with self._session.calling():
            try:
                seconds = self._finish_repaired(task)
            except SurgeryError:
                self._faulty = task.actor  # should it be tried again
                self._begun.popleft()
                raise
        self._begun.popleft()
        return seconds

    def _finish_repaired(self, task: _Task) -> float:
        """Finish a run; as often as retries allow, have what it needs computed again."""
        tries = 0
        while True:
            try:
                if tries:
                    self._backend.repair(task.slot, self._number)
                    self._submit(task)
                return self._finish(task)
            except self._session.errors.ObjectLostError as lost:
                if tries == self._backend.options.retries:
                    raise _value_lost(tries) from lost
                tries += 1

    def _finish(self, task: _Task, until: float | None = None) -> float:
        """Wait for a run; put what it gave into its slot."""
        state, *outputs = task.references
        given = list(zip(self._origins, outputs, strict=True))
        fetched = [g for g, public in zip(given, self._public, strict=True) if public]
        try:
            said = self._session.get(state, until)
            if isinstance(said, bytes):
                raise decode_failure(said)
            results = self._fetch([reference for _, reference in fetched], task)
        except self._session.signs_of_loss as lost:
            raise self._was_lost(task, how_it_ended(lost, self.actor.shown)) from lost
        except self._session.errors.ObjectStoreFullError as full:
            raise _store_full(sum(o.type.nbytes or 0 for o in self._stage.outputs)) from full
        for (origin, _), result in zip(fetched, results, strict=True):
            task.slot.results[origin] = result
        task.slot.references.update(given)
        task.slot.homes[self._number] = task.home
        return float(said)

    def _fetch(self, references: Sequence[Reference], task: _Task) -> list[Array]:
        if not references:
            return []
        try:
            return list(self._session.get(references, stretch=VALUES))
        except self._session.errors.ObjectLostError as lost:
            text = "its machine is gone, and with it what the stage gave"
            raise self._was_lost(task, text) from lost

    def _was_lost(self, task: _Task, text: str) -> WorkerLost:
        self._lost = max(self._lost, task.actor)
        return WorkerLost(text)

    def redo(self, slot: RaySlot) -> None:
        """Run the stage again on a slot of a later stage, whose thread calls this.

        Raises:
            SurgeryError: It fails.
            WorkerLost: Its actor is lost, again.
        """
        limit = self._backend.options.timeout
        for last in (False, True):
            with self._lock:
                self._replace(self._lost)
            task = _Task(slot=slot)
            self._submit(task)
            try:
                self._finish(task, None if limit is None else time.monotonic() + limit)
                return
            except self._session.errors.GetTimeoutError as late:
                self.interrupt()
                raise self._was_lost(task, "an earlier stage took too long, again") from late
            except WorkerLost:  # it may have been lost long before, and nobody had noticed
                if last:
                    raise

    def restart(self) -> None:
        with self._session.calling(), self._lock:
            self._begun.clear()
            self._replace(max(self._lost, self._faulty))

    def _replace(self, gone: int) -> None:
        """Start another actor, unless that was done since actor ``gone``. The lock is held."""
        if self._generation > gone:
            return
        self.actor.end()
        try:
            self.actor = self._new_actor()
            self._generation += 1
            self.actor.wait_until_ready()
        except WorkerLost:
            raise closed() from None
        except SurgeryError:
            self._lost = self._generation  # there is none
            raise

    def interrupt(self) -> bool:
        self.actor.end()
        return True


def _store_full(size: int) -> SurgeryError:
    return no_memory(size, "Ray's object store is full, and so is the disk it moves values to")


def _value_lost(retries: int) -> SurgeryError:
    return error(
        "S572",
        "a value that it needs was lost",
        reason="the machine of an earlier stage is gone, and with it what that stage gave",
        remedy="look for why machines of the cluster go away"
        if retries
        else "with retries (`--retries 1`) it is computed again",
    )
