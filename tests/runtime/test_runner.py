"""Running a recipe: stages wired by name, checked, timed, and forgotten when done with."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import Recipe, RecipeStage, StageInput, with_library_hashes, write_recipe
from surgery.recipe.model import FromStage, RecipeOutput, StageOutput
from surgery.runtime import Runner, run, save_npz
from tests.recipe.plans import two_stage_recipe

Stage = Callable[[Mapping[str, Array]], list[Array]]


class FakeEngine:
    """An engine whose libraries are Python functions, by file name."""

    def __init__(self, **stages: Stage) -> None:
        self.stages = stages
        self.opened: list[tuple[str, str, tuple[str, ...]]] = []

    def open_stage(self, folder: Path, library: str, executor: str, inputs: Sequence[str]) -> Stage:
        self.opened.append((library, executor, tuple(inputs)))
        return self.stages[Path(library).stem]


def relu(inputs: Mapping[str, Array]) -> list[Array]:
    return [np.maximum(inputs["x"], np.float32(0))]


def double(inputs: Mapping[str, Array]) -> list[Array]:
    return [np.add(inputs["mask"], inputs["mask"])]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    """The two-stage recipe in ``tmp_path``, with stand-ins for its libraries."""
    recipe = two_stage_recipe(tmp_path)
    (tmp_path / "lib").mkdir()
    for stage in recipe.stages:
        (tmp_path / stage.library).write_bytes(b"library")
    recipe = with_library_hashes(recipe, tmp_path)
    write_recipe(recipe, tmp_path)
    return recipe


X = np.array([[-1, 2, -3, 4]], "float32")


def run_with(folder: Path, inputs: Any = None, repeat: int = 1, **stages: Stage) -> Any:
    engine: Any = FakeEngine(**{"stage0": relu, "stage1": double, **stages})
    return run(folder, {"x": X} if inputs is None else inputs, repeat, engine)


def fault(work: Callable[[], object]) -> Any:
    with pytest.raises(SurgeryError) as failure:
        work()
    return failure.value.diagnostics[0]


@pytest.mark.usefixtures("recipe")
def test_outputs_by_name_in_order(tmp_path: Path) -> None:
    result = run_with(tmp_path, repeat=3)
    assert list(result.outputs) == ["out0", "hidden", "again"]
    np.testing.assert_array_equal(result.outputs["out0"], [[0, 4, 0, 8]])
    np.testing.assert_array_equal(result.outputs["hidden"], [[0, 2, 0, 4]])
    np.testing.assert_array_equal(result.outputs["again"], [[0, 2, 0, 4]])
    assert len(result.seconds) == 3 and [len(s) for s in result.stage_seconds] == [2, 2, 2]
    for whole, parts in zip(result.seconds, result.stage_seconds, strict=True):
        assert whole >= sum(parts) > 0


def test_engine_is_told_what_to_open(recipe: Recipe, tmp_path: Path) -> None:
    engine = FakeEngine(stage0=relu, stage1=double)
    Runner(recipe, tmp_path, engine)  # type: ignore[arg-type]
    assert engine.opened == [
        ("lib/stage0.so", "graph", ("x",)),
        ("lib/stage1.so", "graph", ("mask",)),
    ]


def test_a_stage_with_threads_of_its_own_runs_where_they_are(
    recipe: Recipe, tmp_path: Path
) -> None:
    limits: dict[int, int] = {}
    ran: list[int | None] = []

    class Limited(FakeEngine):
        def limit_threads(self, count: int, cpus: Sequence[int] = ()) -> None:
            limits[threading.get_ident()] = count

    def noted(stage: Stage) -> Stage:
        def run(inputs: Mapping[str, Array]) -> list[Array]:
            ran.append(limits.get(threading.get_ident()))
            return stage(inputs)

        return run

    stages = (recipe.stages[0], replace(recipe.stages[1], threads=3))
    engine: Any = Limited(stage0=noted(relu), stage1=noted(double))
    runner = Runner(replace(recipe, stages=stages), tmp_path, engine)
    for _ in range(2):
        np.testing.assert_array_equal(runner({"x": X})["out0"], [[0, 4, 0, 8]])
    assert ran == [None, 3, None, 3]
    assert threading.get_ident() not in limits


@pytest.mark.usefixtures("recipe")
def test_inputs_from_a_file_and_recipe_by_file(tmp_path: Path) -> None:
    save_npz(tmp_path / "x.npz", {"x": X})
    result = run_with(tmp_path / "recipe.json", tmp_path / "x.npz")
    np.testing.assert_array_equal(result.outputs["out0"], [[0, 4, 0, 8]])


@pytest.mark.usefixtures("recipe")
def test_inputs_are_checked_before_anything_is_loaded(tmp_path: Path) -> None:
    assert fault(lambda: run_with(tmp_path, {"X": X})).code in {"S582", "S583"}
    assert fault(lambda: run_with(tmp_path, {"x": X.astype("float64")})).code == "S585"
    assert fault(lambda: run_with(tmp_path, {"x": X[0]})).code == "S584"
    assert fault(lambda: run_with(tmp_path, tmp_path / "no.npz")).code == "S580"
    assert fault(lambda: run_with(tmp_path, repeat=0)).code == "S589"


@pytest.mark.usefixtures("recipe")
def test_not_built(tmp_path: Path) -> None:
    (tmp_path / "lib/stage1.so").unlink()
    found = fault(lambda: run_with(tmp_path))
    assert found.code == "S586" and "surgery build" in found.remedy
    assert "'stage1'" in found.message


@pytest.mark.usefixtures("recipe")
def test_replaced_library_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "lib/stage1.so").write_bytes(b"another")
    assert fault(lambda: run_with(tmp_path)).code == "S555"


@pytest.mark.usefixtures("recipe")
def test_libraries_alone_are_enough(tmp_path: Path) -> None:
    import shutil

    shutil.rmtree(tmp_path / "stages")
    assert list(run_with(tmp_path).outputs) == ["out0", "hidden", "again"]


@pytest.mark.usefixtures("recipe")
def test_failing_stage_is_named(tmp_path: Path) -> None:
    def fail(inputs: Mapping[str, Array]) -> list[Array]:
        raise RuntimeError("Traceback (most recent call last):\n  C++ stuff\nout of range")

    found = fault(lambda: run_with(tmp_path, stage1=fail))
    assert found.code == "S587" and "'stage1'" in found.message
    assert found.reason == "out of range"

    def refuse(inputs: Mapping[str, Array]) -> list[Array]:
        raise error("S450", "no such device", notes=["first"])

    found = fault(lambda: run_with(tmp_path, stage0=refuse))
    assert found.code == "S450"
    assert found.notes == ("first", "in stage 'stage0' (lib/stage0.so)")

    def exhaust(inputs: Mapping[str, Array]) -> list[Array]:
        raise MemoryError

    assert fault(lambda: run_with(tmp_path, stage0=exhaust)).reason == "out of memory"


@pytest.mark.usefixtures("recipe")
@pytest.mark.parametrize(
    "results",
    [
        [],
        [np.zeros((1, 4), "float64")],
        [np.zeros((4,), "float32")],
        [np.zeros((1, 5), "float32")],
        [np.zeros((1, 4), "float32")] * 2,
    ],
)
def test_library_of_another_recipe(tmp_path: Path, results: list[Array]) -> None:
    found = fault(lambda: run_with(tmp_path, stage0=lambda _: results))
    assert found.code == "S588" and "hidden: float32(1,4)" in found.reason


def test_interrupt_is_passed_on(recipe: Recipe, tmp_path: Path) -> None:
    def stop(inputs: Mapping[str, Array]) -> list[Array]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with(tmp_path, stage0=stop)


def chain(recipe: Recipe, length: int, read: Mapping[int, tuple[int, ...]]) -> Recipe:
    """Return a recipe of ``length`` stages; stage ``i`` reads the outputs of stages ``read[i]``."""
    (first, _) = recipe.stages
    stages: list[RecipeStage] = []
    for i in range(length):
        inputs: tuple[StageInput, ...] = tuple(
            StageInput(
                name=f"v{j}", shape=(1, 4), dtype="float32", origin=FromStage(stage=j, output="v")
            )
            for j in read.get(i, ())
        )
        out = StageOutput(name="v", shape=(1, 4), dtype="float32", public=i == length - 1)
        stages.append(
            replace(
                first, name=f"s{i}", inputs=inputs or first.inputs, outputs=(out,),
                library=f"lib/s{i}.so",
            )
        )  # fmt: skip
    last = RecipeOutput(name="y", shape=(1, 4), dtype="float32", stage=length - 1, output="v")
    return replace(recipe, stages=tuple(stages), outputs=(last,), backends=())


def test_crossing_values_are_freed_after_their_last_use(recipe: Recipe, tmp_path: Path) -> None:
    """Stage 0 feeds stages 1 and 3; its value lives until 3 has run, and no longer."""
    recipe = chain(recipe, 5, {1: (0,), 2: (1,), 3: (0, 2), 4: (3,)})
    made: dict[int, weakref.ref[Array]] = {}
    alive: list[list[int]] = []

    def stage(number: int) -> Stage:
        def work(inputs: Mapping[str, Array]) -> list[Array]:
            gc.collect()
            alive.append([n for n, value in made.items() if value() is not None])
            result = sum(inputs.values(), np.full((1, 4), number, "float32"))
            made[number] = weakref.ref(result)
            return [result]

        return work

    for s in recipe.stages:
        (tmp_path / s.library).write_bytes(b"")
    engine: Any = FakeEngine(**{f"s{i}": stage(i) for i in range(5)})
    outputs = Runner(recipe, tmp_path, engine)({"x": X})
    #        X+0 -> +1 -> +2 ; 3 adds X+0 again ; +4
    np.testing.assert_array_equal(outputs["y"], 2 * X + 10)
    assert alive == [[], [0], [0, 1], [0, 2], [3]]


def test_output_of_an_early_stage_is_kept(recipe: Recipe, tmp_path: Path) -> None:
    recipe = chain(recipe, 3, {1: (0,), 2: (1,)})
    early = RecipeOutput(name="early", shape=(1, 4), dtype="float32", stage=0, output="v")
    recipe = replace(recipe, outputs=(early, *recipe.outputs))
    for s in recipe.stages:
        (tmp_path / s.library).write_bytes(b"")

    def add_one(inputs: Mapping[str, Array]) -> list[Array]:
        return [sum(inputs.values(), np.ones((1, 4), "float32"))]

    engine: Any = FakeEngine(s0=add_one, s1=add_one, s2=add_one)
    outputs = Runner(recipe, tmp_path, engine)({"x": X})
    np.testing.assert_array_equal(outputs["early"], X + 1)
    np.testing.assert_array_equal(outputs["y"], X + 3)
