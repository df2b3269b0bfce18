"""Runs an output folder: its stages in order, in this process, each fed from those before."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array, Engine, StageRunner
from surgery.engines.runnable import check_runnable
from surgery.recipe import (
    FromInput,
    FromStage,
    Recipe,
    RecipeStage,
    check_files,
    read_recipe,
    recipe_folder,
)
from surgery.runtime.inputs import check_inputs, numpy_dtype
from surgery.runtime.npz import load_npz


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run gave.

    Attributes:
        outputs: Public outputs by name, in the recipe's order, of the last repeat.
        seconds: Wall time of each repeat.
        stage_seconds: For each repeat the wall time of each stage.
    """

    outputs: dict[str, Array]
    seconds: tuple[float, ...]
    stage_seconds: tuple[tuple[float, ...], ...]


def check_built(recipe: Recipe, folder: Path) -> None:
    """Check that every stage of a recipe has a library.

    Raises:
        SurgeryError: S586 a stage isn't built.
    """
    for stage in recipe.stages:
        if not (folder / stage.library).is_file():
            raise error(
                "S586",
                f"stage {stage.name!r} of {folder} is not built: there is no {stage.library}",
                remedy=f"run `surgery build {folder}`",
            )


class Runner:
    """A recipe with its libraries loaded; call it with inputs to run it.

    Args:
        recipe: What to run.
        folder: The output folder its libraries are in.
        engine: Who loads them; by default the one that the recipe names.

    Raises:
        SurgeryError: S586 a stage isn't built, S423 it is for another machine, or what the engine
            finds wrong with a library.
    """

    def __init__(
        self, recipe: Recipe, folder: str | os.PathLike[str], engine: Engine | None = None
    ) -> None:
        self.recipe = recipe
        folder = Path(folder)
        check_built(recipe, folder)
        if engine is None:
            from surgery.engines import get_engine

            engine = get_engine(recipe.engine)
        check_runnable(recipe.stages, engine)
        self._stages: list[StageRunner] = []
        for stage in recipe.stages:
            with in_stage(stage):
                opened = engine.open_stage(
                    folder, stage.library, stage.executor, [i.name for i in stage.inputs]
                )
            if stage.threads is not None:
                opened = _InThreads(opened, engine, stage.threads)
            self._stages.append(opened)
        self._unused_after = _last_uses(recipe)

    def __call__(self, inputs: Mapping[str, object]) -> dict[str, Array]:
        """Run once; return the public outputs by name, in order.

        Raises:
            SurgeryError: S582-S585 for inputs; S587 a stage failed; S588 a stage gave something
                other than the recipe says.
        """
        return self.timed(inputs)[0]

    def timed(self, inputs: Mapping[str, object]) -> tuple[dict[str, Array], tuple[float, ...]]:
        """Run once; return the public outputs and the seconds each stage took."""
        recipe = self.recipe
        values: dict[FromInput | FromStage, Array] = {
            FromInput(input=name): value
            for name, value in check_inputs(recipe.inputs, inputs).items()
        }
        seconds = []
        for number, (stage, run) in enumerate(zip(recipe.stages, self._stages, strict=True)):
            fed = {i.name: values[i.origin] for i in stage.inputs}
            start = time.perf_counter()
            with in_stage(stage):
                results = run(fed)
            seconds.append(time.perf_counter() - start)
            del fed
            check_results(stage, results)
            for output, value in zip(stage.outputs, results, strict=True):
                values[FromStage(stage=number, output=output.name)] = value
            for origin in self._unused_after[number]:
                values.pop(origin, None)
        outputs = {
            o.name: values[FromStage(stage=o.stage, output=o.output)] for o in recipe.outputs
        }
        return outputs, tuple(seconds)


class _InThreads:
    """A stage that has a number of threads of its own: it runs in a thread that nothing else uses.

    Engines keep the number for each thread that runs stages; the caller's stays as it is.
    """

    def __init__(self, stage: StageRunner, engine: Engine, threads: int) -> None:
        self._stage = stage
        # Ends with this object.
        self._thread = ThreadPoolExecutor(
            1, "surgery stage", initializer=engine.limit_threads, initargs=(threads,)
        )

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        return self._thread.submit(self._stage, inputs).result()

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        run = self._stage.bind(inputs, outputs)
        return lambda: self._thread.submit(run).result()


@contextmanager
def in_stage(stage: RecipeStage) -> Iterator[None]:
    """Say in which stage something went wrong."""
    note = f"in stage {stage.name!r} ({stage.library})"
    try:
        yield
    except SurgeryError as failure:
        first, *rest = failure.diagnostics
        raise SurgeryError((replace(first, notes=(*first.notes, note)), *rest)) from failure
    except Exception as failure:
        lines = str(failure).strip().splitlines() or [type(failure).__name__]
        raise error(
            "S587",
            f"stage {stage.name!r} failed",
            reason="out of memory" if isinstance(failure, MemoryError) else lines[-1],
            remedy="build it again with `surgery build`",
            notes=(note,),
        ) from failure


def _last_uses(recipe: Recipe) -> list[list[FromInput | FromStage]]:
    """For each stage the values that no later stage and no public output needs."""
    last: dict[FromInput | FromStage, int] = {}
    for number, stage in enumerate(recipe.stages):
        for value in stage.inputs:
            last[value.origin] = number
        for output in stage.outputs:
            last[FromStage(stage=number, output=output.name)] = number
    for public in recipe.outputs:
        last.pop(FromStage(stage=public.stage, output=public.output), None)
    unused: list[list[FromInput | FromStage]] = [[] for _ in recipe.stages]
    for origin, number in last.items():
        unused[number].append(origin)
    return unused


def check_results(stage: RecipeStage, results: list[Array]) -> None:
    """A library that does not belong to the recipe is found here, not in wrong numbers later."""
    got = [f"{r.dtype}({','.join(map(str, r.shape))})" for r in results]
    fits = len(results) == len(stage.outputs) and all(
        len(r.shape) == len(o.shape)
        and r.dtype == numpy_dtype(o.dtype)
        and all(not isinstance(w, int) or w == h for w, h in zip(o.shape, r.shape, strict=True))
        for o, r in zip(stage.outputs, results, strict=True)
    )
    if not fits:
        raise error(
            "S588",
            f"the library of stage {stage.name!r} does not belong to this recipe",
            reason=f"it gave {', '.join(got) or 'nothing'}; the recipe says "
            + ", ".join(f"{o.name}: {o.type}" for o in stage.outputs),
            remedy="build it again with `surgery build`",
        )


def run(
    path: str | os.PathLike[str],
    inputs: Mapping[str, object] | str | os.PathLike[str],
    repeat: int = 1,
    engine: Engine | None = None,
) -> RunResult:
    """Run the model of an output folder.

    Args:
        path: The folder, or its ``recipe.json``.
        inputs: Arrays by name, or the path of an ``.npz`` file of them.
        repeat: How often, for timing.

    Raises:
        SurgeryError: A recipe, file or input at fault, or a stage that failed.
    """
    if repeat < 1:
        raise error("S589", f"a run cannot be repeated {repeat} times", remedy="give 1 or more")
    recipe, folder = read_recipe(path), recipe_folder(path)
    given = inputs if isinstance(inputs, Mapping) else load_npz(inputs)
    checked = check_inputs(recipe.inputs, given)
    check_files(recipe, folder, to_run=True)
    runner = Runner(recipe, folder, engine)
    seconds: list[float] = []
    stage_seconds: list[tuple[float, ...]] = []
    outputs: dict[str, Array] = {}
    for _ in range(repeat):
        start = time.perf_counter()
        outputs, stages = runner.timed(checked)
        seconds.append(time.perf_counter() - start)
        stage_seconds.append(stages)
    return RunResult(outputs=outputs, seconds=tuple(seconds), stage_seconds=tuple(stage_seconds))
