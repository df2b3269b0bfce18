"""``surgery.open``: from a spec's ``pipeline`` statement, or as asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery
from surgery.api import parse_spec, pipeline_options
from surgery.diagnostics import SurgeryError
from surgery.recipe import RecipePipeline, read_recipe

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = nn.relu(%x);
  %1 = tanh(%0);
  (%1, %0)
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opening")
    (folder / "net.relay").write_text(NET)
    text = "cut after %0; output rename 0 as y; pipeline on threads depth 3; build executor vm"
    spec = parse_spec(text)
    return surgery.apply(spec, folder / "net.out", model=folder / "net.relay").folder


def test_one_and_many(built: Path) -> None:
    x = np.array([[-1, 0, 1, 2]] * 2, "float32")
    with surgery.open(built) as runner:
        assert (runner.options.on, runner.options.depth) == ("threads", 3)
        outputs = runner({"x": x})
        assert list(outputs) == ["y", "out1"]
        np.testing.assert_allclose(outputs["y"], np.tanh(np.maximum(x, 0)), rtol=1e-5)
        many = list(runner.map({"x": x + n} for n in range(20)))
        for n, found in enumerate(many):
            np.testing.assert_array_equal(found["out1"], np.maximum(x + n, 0))
        assert runner.statistics.items == 21
    with pytest.raises(SurgeryError) as caught:
        runner({"x": x})
    assert caught.value.exit_status == 1


def test_what_is_asked_comes_before_what_the_spec_says(built: Path) -> None:
    recipe = read_recipe(built)
    assert recipe.pipeline == RecipePipeline(on="threads", depth=3)
    on_processes = replace(recipe, pipeline=RecipePipeline(on="processes"))
    none = replace(recipe, pipeline=None)

    def of(which: Any, **asked: Any) -> tuple[str, int]:
        options = pipeline_options(which, **asked)
        return options.on, options.depth

    assert of(recipe) == ("threads", 3)
    assert of(recipe, on="processes", depth=1) == ("processes", 1)
    assert of(on_processes) == ("processes", 2)
    assert of(none) == ("threads", 2)
    assert pipeline_options(none, threads=2).threads == (2,)
    assert pipeline_options(none, threads=[1, 2]).threads == (1, 2)
    assert pipeline_options(none, affinity=[[0], range(1)]).affinity == ((0,), (0,))


def test_a_folder_that_is_not_built_or_was_changed(built: Path, tmp_path: Path) -> None:
    import shutil

    damaged = shutil.copytree(built, tmp_path / "net.out")
    library = damaged / "lib" / "stage1.so"
    library.write_bytes(library.read_bytes() + b"\0")
    for code in ("S555", "S586"):
        with pytest.raises(SurgeryError) as caught:
            surgery.open(damaged)
        assert caught.value.diagnostics[0].code == code
        library.unlink(missing_ok=True)
