"""Stages in threads of this process: TVM releases the interpreter lock while a stage runs.

Values stay where they are from stage to stage: each stage reads and writes the slots' memory itself
where its graph allows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from surgery.engines.base import Array, Engine, StageRunner
from surgery.engines.runnable import check_runnable
from surgery.recipe import FromStage, Recipe
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.slots import (
    Slot,
    aligned_memory,
    is_static,
    layout,
    slots_in_memory,
)
from surgery.runtime.runner import check_results, in_stage


class ThreadsBackend:
    """Runs each stage in the driver's own thread of it.

    Args:
        recipe: What to run.
        folder: The output folder its libraries are in.
        engine: Who loads them.
        options: Depth, threads and affinity count here.

    Raises:
        SurgeryError: S423 a stage is for another machine; S576 no memory; a library
            that can't be loaded or isn't this recipe's.
    """

    def __init__(
        self, recipe: Recipe, folder: Path, engine: Engine, options: PipelineOptions
    ) -> None:
        check_runnable(recipe.stages, engine)
        self._recipe = recipe
        count = options.depth * len(recipe.stages)
        static = is_static(recipe)
        if static:
            plan = layout(recipe)
            self.slots = slots_in_memory(plan, aligned_memory(plan.size * count), count)
        else:
            self.slots = tuple(Slot(number=n) for n in range(count))
        self.workers = tuple(
            _ThreadWorker(recipe, number, folder, engine, options, self.slots, static)
            for number in range(len(recipe.stages))
        )

    def load(self, slot: Slot, inputs: Mapping[str, Array]) -> None:
        slot.load(inputs)

    def unload(self, slot: Slot) -> dict[str, Array]:
        return slot.unload(self._recipe)

    def close(self) -> None:
        """Do nothing: threads end with the driver, and memory with its last user."""


class _ThreadWorker:
    """Runs a stage where :meth:`finish` is called."""

    ahead = 1

    def __init__(
        self,
        recipe: Recipe,
        number: int,
        folder: Path,
        engine: Engine,
        options: PipelineOptions,
        slots: Sequence[Slot],
        static: bool,
    ) -> None:
        self._recipe = recipe
        self._number = number
        self._stage = recipe.stages[number]
        self._folder = folder
        self._engine = engine
        self._slots = slots
        self._static = static
        self._threads = options.stage_threads(
            number, len(recipe.stages), recipe.stages[number].threads
        )
        self._cpus = options.affinity[number] if options.affinity is not None else ()
        self._limited = False
        self._next: Slot | None = None
        self._runs: list[Callable[[], None]] = []
        self.restart()

    def restart(self) -> None:
        stage = self._stage
        with in_stage(stage):
            runner = self._engine.open_stage(
                self._folder, stage.library, stage.executor, [i.name for i in stage.inputs]
            )
            self._runs = [self._bind(runner, slot) for slot in self._slots]

    def _bind(self, runner: StageRunner, slot: Slot) -> Callable[[], None]:
        """Return a run of the stage on a slot."""
        stage, values = self._stage, slot.values
        origins = [FromStage(stage=self._number, output=o.name) for o in stage.outputs]
        if self._static:
            return runner.bind(
                {i.name: values[i.origin] for i in stage.inputs}, [values[o] for o in origins]
            )

        def run() -> None:
            results = runner({i.name: values[i.origin] for i in stage.inputs})
            check_results(stage, results)
            values.update(zip(origins, results, strict=True))

        return run

    def begin(self, slot: Slot) -> None:
        self._next = slot

    def finish(self) -> float:
        if not self._limited:
            self._limited = True
            self._engine.limit_threads(self._threads, self._cpus)
        assert self._next is not None
        start = time.perf_counter()
        self._runs[self._next.number]()
        return time.perf_counter() - start

    def interrupt(self) -> bool:
        return False
