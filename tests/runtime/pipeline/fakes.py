"""An engine whose libraries are Python functions, and a recipe to run them with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.recipe import Recipe, with_library_hashes, write_recipe
from surgery.runtime.pipeline import PipelineOptions, PipelineRunner, open_pipeline
from tests.recipe.plans import two_stage_recipe

Array = Any
Stage = Callable[[Mapping[str, Array]], list[Array]]


class FakeStage:
    """A stage that is a function; ``bind`` copies."""

    def __init__(self, run: Stage) -> None:
        self._run = run

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        return self._run(inputs)

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        def run() -> None:
            for there, result in zip(outputs, self._run(inputs), strict=True):
                np.copyto(there, result)

        return run


class FakeEngine:
    """An engine whose libraries are Python functions, by file name."""

    def __init__(self, **stages: Stage) -> None:
        self.stages: dict[str, Stage] = {"stage0": relu, "stage1": double, **stages}
        self.opened: list[str] = []
        self.limits: dict[str, tuple[int, tuple[int, ...]]] = {}

    def open_stage(self, folder: Path, library: str, executor: str, inputs: Sequence[str]) -> Any:
        self.opened.append(Path(library).stem)
        return FakeStage(self.stages[Path(library).stem])

    def limit_threads(self, count: int, cpus: Sequence[int] = ()) -> None:
        self.limits[threading.current_thread().name] = count, tuple(cpus)


def relu(inputs: Mapping[str, Array]) -> list[Array]:
    return [np.maximum(inputs["x"], np.float32(0))]


def double(inputs: Mapping[str, Array]) -> list[Array]:
    return [np.add(inputs["mask"], inputs["mask"])]


def made(folder: Path) -> Recipe:
    """Write the two-stage recipe into a folder, with stand-ins for its libraries."""
    recipe = two_stage_recipe(folder)
    (folder / "lib").mkdir()
    for stage in recipe.stages:
        (folder / stage.library).write_bytes(b"library")
    recipe = with_library_hashes(recipe, folder)
    write_recipe(recipe, folder)
    return recipe


def opened(folder: Path, *, engine: Any = None, **options: Any) -> PipelineRunner:
    """Open a folder with a fake engine."""
    return open_pipeline(folder, PipelineOptions(**options), engine or FakeEngine())


def item(number: float) -> dict[str, Array]:
    """Return the inputs of an item, which its outputs tell."""
    return {"x": np.array([[number, -number, 1, -1]], "float32")}


def number(outputs: Mapping[str, Array]) -> float:
    """Return which item outputs are of; check that they are right."""
    found = float(outputs["hidden"][0, 0])
    np.testing.assert_array_equal(outputs["hidden"], [[found, 0, 1, 0]])
    np.testing.assert_array_equal(outputs["out0"], [[2 * found, 0, 2, 0]])
    return found


def fault(work: Callable[[], object]) -> Diagnostic:
    """Return the diagnostic that work ends with."""
    with pytest.raises(SurgeryError) as failure:
        work()
    return failure.value.diagnostics[0]
