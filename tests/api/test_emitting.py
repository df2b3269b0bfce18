"""`build --emit pipeline-executor`: what is written is what TVM's own builder would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay
from tvm.contrib import graph_executor
from tvm.contrib.pipeline_executor import PipelineModule
from tvm.contrib.pipeline_executor_build import PipelineConfig

import surgery
from surgery.diagnostics import SurgeryError
from surgery.recipe import FromInput, Recipe, read_recipe

SPEC = """
output %0 as hidden
cut after %0
cut after %1
build opt 1
"""


@pytest.fixture
def module() -> Any:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    dense = relay.nn.dense(x, w)
    both = relay.add(relay.nn.relu(dense), dense)
    function = relay.Function([x, w], relay.Tuple([relay.exp(both), both]))
    return tvm.IRModule.from_expr(function)


@pytest.fixture
def folder(module: Any, tmp_path: Path) -> Path:
    weight = tvm.nd.array(np.random.default_rng(0).random((4, 4), dtype="float32"))
    surgery.apply(
        surgery.parse_spec(SPEC), tmp_path / "net.out", model=module, params={"w": weight}
    )
    return tmp_path / "net.out"


def _of_tvm(recipe: Recipe, folder: Path) -> dict[str, Any]:
    """Connect the stages in TVM's own class; return its configuration, as its builder writes it."""
    stages = [tvm.ir.load_json((folder / s.module).read_text()) for s in recipe.stages]
    config = PipelineConfig()
    for number, stage in enumerate(recipe.stages):
        module = config[stages[number]]
        for value in stage.inputs:
            into = module["input"][value.name]
            if isinstance(value.origin, FromInput):
                config["input"][value.origin.input].connect(into)
                continue
            source = recipe.stages[value.origin.stage]
            place = [o.name for o in source.outputs].index(value.origin.output)
            config[stages[value.origin.stage]]["output"][place].connect(into)
    for index, output in enumerate(recipe.outputs):
        source = recipe.stages[output.stage]
        place = [o.name for o in source.outputs].index(output.output)
        config[stages[output.stage]]["output"][place].connect(config["output"][str(index)])
    made = config.get_config()
    modules: list[Any] = [None] * len(stages)
    for connection in made["module_connection"].values():
        modules[connection["pipeline"]["mod_idx"]] = {**connection["pipeline"], "dev": "1,0"}
    return {**made, "module_connection": modules}


def _sorted(config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with what has no order of its own sorted."""
    modules = []
    for module in config["module_connection"]:
        outputs = [
            {**o, "dependencies": sorted(o["dependencies"], key=str)} for o in module["output"]
        ]
        modules.append({**module, "output": sorted(outputs, key=lambda o: o["output_idx"])})
    return {**config, "module_connection": modules}


def test_the_configuration_is_tvms_own(folder: Path) -> None:
    built = surgery.build(folder, emit="pipeline-executor")
    assert [n.code for n in built.notes] == ["S429"]
    at = folder / "lib" / "pipeline_executor"
    config = json.loads((at / "pipeline_config").read_text())
    assert _sorted(config) == _sorted(_of_tvm(read_recipe(folder), folder))


def test_tvms_own_reader_takes_it_as_far_as_it_goes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    surgery.build(folder, emit="pipeline-executor")
    at = folder / "lib" / "pipeline_executor"
    asked: list[tuple[str, str]] = []
    wanted: list[str] = []

    def lookup(name: str, allow_missing: bool = False) -> Any:
        wanted.append(name)
        return lambda load, pipeline: asked.append((load, pipeline))

    monkeypatch.setattr("tvm.contrib.pipeline_executor.get_global_func", lookup)
    with pytest.raises(TypeError):  # the module that this TVM can't make is asked for its functions
        PipelineModule.load_library(str(at / "config"))
    assert wanted == ["tvm.pipeline_executor.load"]
    assert asked == [((at / "load_config").read_text(), (at / "pipeline_config").read_text())]


def test_the_files_that_it_names_make_the_stages(folder: Path) -> None:
    x = np.random.default_rng(1).random((2, 4), dtype="float32")
    surgery.build(folder, emit="pipeline-executor")
    wanted = surgery.run(folder, {"x": x}).outputs
    at = folder / "lib" / "pipeline_executor"
    config = json.loads((at / "pipeline_config").read_text())
    stages = []
    for entry in json.loads((at / "load_config").read_text()):
        library = tvm.runtime.load_module(entry["lib_name"])
        stage = graph_executor.create(Path(entry["json_name"]).read_text(), library, tvm.cpu())
        stage.load_params(bytearray(Path(entry["params_name"]).read_bytes()))
        stages.append(stage)
    for given in config["input_connection"]:
        stages[given["mod_idx"]].set_input(given["module_interface_name"], x)
    found: dict[int, Any] = {}
    for number, stage in enumerate(stages):
        stage.run()
        for output in config["module_connection"][number]["output"]:
            value = stage.get_output(output["output_idx"])
            for reader in output["dependencies"]:
                if "global_output_index" in reader:
                    found[reader["global_output_index"]] = value.numpy()
                else:
                    stages[reader["mod_idx"]].set_input(reader["input_name"], value)
    assert sorted(found) == list(range(len(wanted)))
    for index, value in enumerate(wanted.values()):
        np.testing.assert_array_equal(found[index], value)


def test_without_it_a_build_leaves_none(folder: Path) -> None:
    surgery.build(folder, emit="pipeline-executor")
    assert not surgery.build(folder).notes
    assert not (folder / "lib" / "pipeline_executor").exists()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("cut after %0; output %0 as h; build format tar", "lib/stage0.tar"),
        ("cut after %0; build executor aot", "aot executor"),
        ("cut after %1; share %0 by recompute; build opt 1", "x goes to stage0 and stage1"),
    ],
)
def test_what_it_cant_run_is_said_before_anything_is_built(
    module: Any, tmp_path: Path, spec: str, said: str
) -> None:
    weight = tvm.nd.array(np.ones((4, 4), "float32"))
    out = tmp_path / "net.out"
    surgery.apply(surgery.parse_spec(spec), out, model=module, params={"w": weight}, build=False)
    with pytest.raises(SurgeryError) as caught:
        surgery.build(out, emit="pipeline-executor")
    assert {d.code for d in caught.value.diagnostics} == {"S428"}
    assert said in caught.value.diagnostics[0].reason
    assert not (out / "lib").exists()
