"""A recipe opened for many runs: what ``surgery.open`` gives."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from surgery.engines.base import Array, Engine
from surgery.recipe import Recipe, check_files, read_recipe, recipe_folder
from surgery.runtime.pipeline.base import PipelineBackend
from surgery.runtime.pipeline.driver import Pipeline
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.statistics import PipelineStatistics
from surgery.runtime.runner import check_built


class PipelineRunner:
    """The built stages of an output folder, loaded, side by side.

    Call it with inputs for one item, or :meth:`map` it over many. Use it in a ``with`` block, or
    close it. Any threads may use it at once, also while a ``map`` is under way: their items share
    the stages. Arrays it returns are the caller's; what it is given it copies.

    Args:
        recipe: What to run.
        folder: The output folder its libraries are in.
        options: How.
        engine: Who loads the libraries; by default the one that the recipe names.

    Attributes:
        recipe: What it runs.
        options: How; `threads` as the machines of a Ray cluster have them.

    Raises:
        SurgeryError: S586 a stage isn't built; S564-S566 no Ray, or none that fits; S57x the
            pipeline can't be; what the engine finds wrong with a library.
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: str | os.PathLike[str],
        options: PipelineOptions,
        engine: Engine | None = None,
    ) -> None:
        self.recipe = recipe
        folder = Path(folder)
        options.check_stages(len(recipe.stages))
        check_built(recipe, folder)
        backend, self.options = _backend(recipe, folder, options, engine)
        try:
            self._pipeline = Pipeline(recipe, backend, options)
        except BaseException:
            backend.close()
            raise
        self._forgotten = weakref.finalize(self, _close_apart, self._pipeline)
        self._forgotten.atexit = False

    def __call__(self, inputs: Mapping[str, object]) -> dict[str, Array]:
        """Run one item; return the public outputs by name, in the recipe's order.

        Raises:
            SurgeryError: S582-S585 for inputs; S434, S587 a stage failed; S572 its worker was lost;
                S574 it took too long; S575 the runner is closed.
        """
        return self._pipeline.run(inputs)

    def map(self, items: Iterable[Mapping[str, object]]) -> Iterator[dict[str, Array]]:
        """Run many items; yield the outputs of each, in order.

        The iterable is read by a thread of its own, up to ``depth`` times the number of stages
        items ahead of what was taken. Nothing starts before the first ``next``; an iterator that
        is closed, or forgotten, drops what is under way.

        Raises:
            SurgeryError: As for one item, naming the item (from 0), once the results of all items
                before it were given. What the iterable raises comes at its place likewise.
        """
        results = self._pipeline.map(items)
        return self._mapped(results)

    def _mapped(self, results: Iterator[dict[str, Array]]) -> Iterator[dict[str, Array]]:
        # A frame that holds this runner: the last reference to it may be the iterator's.
        yield from results

    @property
    def statistics(self) -> PipelineStatistics:
        """What it did since it was opened."""
        return self._pipeline.statistics

    @property
    def stuck(self) -> bool:
        """Whether, though closed, a thread is still in a kernel that doesn't return."""
        return self._pipeline.stuck

    def close(self) -> None:
        """End the workers. What is under way ends with S575. May be called twice; never hangs."""
        self._end(None)

    def _end(self, patience: float | None) -> None:
        self._forgotten.detach()
        self._pipeline.close(patience)

    def __enter__(self) -> PipelineRunner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Who presses Ctrl-C doesn't want to wait for what a stage is at.
        self._end(0.2 if kind is not None and issubclass(kind, KeyboardInterrupt) else None)


def open_pipeline(
    path: str | os.PathLike[str], options: PipelineOptions, engine: Engine | None = None
) -> PipelineRunner:
    """Open an output folder, or its ``recipe.json``, for many runs.

    Raises:
        SurgeryError: S55x a recipe or file at fault; else as :class:`PipelineRunner`.
    """
    recipe, folder = read_recipe(path), recipe_folder(path)
    check_files(recipe, folder, to_run=True)
    return PipelineRunner(recipe, folder, options, engine)


def _close_apart(pipeline: Pipeline[Any]) -> None:
    """Close what was forgotten. The garbage collector may be at work under any lock of its own."""
    threading.Thread(target=pipeline.close, name="surgery closes", daemon=True).start()


def _backend(
    recipe: Recipe, folder: Path, options: PipelineOptions, engine: Engine | None
) -> tuple[PipelineBackend[Any], PipelineOptions]:
    """Return what the pipeline runs on, and the options as they turned out there."""
    if options.on == "threads":
        from surgery.engines import get_engine
        from surgery.runtime.pipeline.threads import ThreadsBackend

        threads = ThreadsBackend(recipe, folder, engine or get_engine(recipe.engine), options)
        return threads, options
    if options.on == "processes":
        from surgery.runtime.pipeline.processes import ProcessesBackend

        return ProcessesBackend(recipe, folder, options), options
    from surgery.runtime.pipeline.rays import RayBackend

    actors = RayBackend(recipe, folder, options)
    return actors, replace(options, threads=actors.threads)
