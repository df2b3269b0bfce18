"""Open an output folder to run many items through its stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surgery.recipe import PipelineOn, Recipe
    from surgery.runtime.pipeline import PipelineOptions, PipelineRunner


def open(
    folder: str | Path,
    *,
    on: PipelineOn | None = None,
    depth: int | None = None,
    retries: int = 0,
    threads: int | Sequence[int] | None = None,
    affinity: Sequence[Sequence[int]] | None = None,
    timeout: float | None = None,
    address: str | None = None,
) -> PipelineRunner:
    """Open the stages of an output folder as a pipeline.

    ``runner(inputs)`` runs one item, ``runner.map(items)`` many, in order; use it in a ``with``
    block. ``runner.statistics`` says how busy each stage was.

    Args:
        on: ``threads``, ``processes`` or ``ray``. By default what the spec's ``pipeline`` statement
            says, else threads.
        depth: Items in flight for each stage; by default what the spec says, else 2.
        retries: How often an item is tried again by a stage that failed on it or lost its worker.
        threads: The compiler's threads for each stage, or one number for all; by default the CPUs
            are shared out evenly.
        affinity: CPUs of each stage; by default all.
        timeout: Seconds that a stage may take for an item; by default any.
        address: ``HOST:PORT`` of a Ray cluster, or ``auto``; by default the one that the program is
            connected to or ``RAY_ADDRESS`` names, else one is started for the runner.

    Raises:
        SurgeryError: S55x the folder is damaged, S586 not built, S57x no such pipeline can be.
    """
    from surgery.recipe import check_files, read_recipe, recipe_folder
    from surgery.runtime.pipeline import PipelineRunner

    recipe, where = read_recipe(folder), recipe_folder(folder)
    options = pipeline_options(
        recipe,
        on=on,
        depth=depth,
        retries=retries,
        threads=threads,
        affinity=affinity,
        timeout=timeout,
        address=address,
    )
    check_files(recipe, where, to_run=True)
    return PipelineRunner(recipe, where, options)


def pipeline_options(
    recipe: Recipe,
    *,
    on: PipelineOn | None = None,
    depth: int | None = None,
    retries: int = 0,
    threads: int | Sequence[int] | None = None,
    affinity: Sequence[Sequence[int]] | None = None,
    timeout: float | None = None,
    address: str | None = None,
) -> PipelineOptions:
    """Return how to drive a recipe: as asked, where nothing is asked as its spec says.

    Raises:
        SurgeryError: S578 no pipeline can be so.
    """
    from surgery.runtime.pipeline import DEFAULT_DEPTH, PipelineOptions

    said = recipe.pipeline
    if depth is None and said is not None:
        depth = said.depth
    if on is None:
        on = "threads" if said is None else said.on
    return PipelineOptions(
        on=on,
        depth=DEFAULT_DEPTH if depth is None else depth,
        retries=retries,
        threads=_each(threads),
        affinity=None if affinity is None else tuple(tuple(cpus) for cpus in affinity),
        timeout=timeout,
        address=address,
    )


def _each(threads: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if threads is None:
        return None
    return (threads,) if isinstance(threads, int) else tuple(threads)
