"""The Python door: what is found where, what is refused, what is left alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.diagnostics import SurgeryError

SPEC = 'model "net.json" params "net.params"\noutput %0 as pre\ncut after %0\nbuild opt 0\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder as users keep it: a spec, its model and its weights."""
    folder = tmp_path / "project"
    folder.mkdir()
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    function = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    (folder / "net.json").write_text(tvm.ir.save_json(module))
    weight = tvm.nd.array(np.random.default_rng(0).random((4, 4), dtype="float32"))
    (folder / "net.params").write_bytes(relay.save_param_dict({"w": weight}))
    (folder / "net.surgery").write_text(SPEC)
    return folder


def applied(project: Path) -> surgery.Applied:
    spec = surgery.load_spec(project / "net.surgery")
    return surgery.apply(spec, project / "net.out", spec_path=project / "net.surgery")


def test_the_documented_steps(project: Path) -> None:
    spec = surgery.load_spec(project / "net.surgery")
    assert [s.op_count for s in surgery.plan(spec).plan.stages] == [1, 1]
    assert all(isinstance(p, tvm.transform.Pass) for p in surgery.compile(spec).passes)
    done = surgery.apply(spec, project / "net.out")
    assert done.written and done.recipe.outputs[1].name == "pre"
    x = np.ones((2, 4), "float32")
    outputs = surgery.run(project / "net.out", {"x": x}).outputs
    np.testing.assert_allclose(outputs["out0"], np.maximum(outputs["pre"], 0))
    assert surgery.build(project / "net.out") == surgery.build(project / "net.out")
    assert surgery.verify(project / "net.out", seed=7).passed


def test_a_folder_is_verified_from_anywhere_and_after_a_move(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied(project)
    monkeypatch.chdir(project.parent)
    assert surgery.verify(project / "net.out").passed
    moved = project.parent / "moved"
    shutil.move(project, moved)
    assert surgery.verify(moved / "net.out").passed


@pytest.mark.parametrize(("name", "code"), [("net.json", "S570"), ("net.params", "S571")])
def test_another_original_is_refused(project: Path, name: str, code: str) -> None:
    applied(project)
    file = project / name
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(SurgeryError) as changed:
        surgery.verify(project / "net.out")
    assert changed.value.diagnostics[0].code == code
    file.unlink()
    with pytest.raises(SurgeryError) as gone:
        surgery.verify(project / "net.out")
    assert "isn't at hand" in gone.value.diagnostics[0].message


def test_a_plan_holds_no_path_of_this_machine(project: Path) -> None:
    spec = surgery.load_spec(project / "net.surgery")
    here = surgery.plan(spec).as_json()
    done = subprocess.run(
        [sys.executable, "-m", "surgery", "plan", "net.surgery", "--json"],
        cwd=project, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert str(project) not in done.stdout
    assert here["model"] == "net.json"


def test_a_difference_is_not_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = applied(project).folder
    kept = {p.name: p.read_bytes() for p in before.iterdir() if p.is_file()}
    from surgery.engines.relay.execute import GraphRunner

    run = GraphRunner.__call__

    def wrong(self: GraphRunner, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        results = run(self, inputs)
        return [r + 1 for r in results] if "v0" in inputs or "pre" in inputs else results

    monkeypatch.setattr(GraphRunner, "__call__", wrong)
    spec = surgery.parse_spec(SPEC, path=str(project / "net.surgery"))
    done = surgery.apply(spec, project / "net.out", base=project, verify=True)
    assert done.verification is not None and not done.verification.passed and not done.written
    assert {p.name: p.read_bytes() for p in before.iterdir() if p.is_file()} == kept


def test_no_model_is_named() -> None:
    with pytest.raises(SurgeryError) as caught:
        surgery.plan(surgery.parse_spec("output %0 as a"))
    assert caught.value.diagnostics[0].code == "S251"


def test_binding_what_is_not_there(project: Path) -> None:
    for text, code in (
        ('bind param "nothing*"', "S254"),
        ("bind y: float32(1,2)", "S255"),
        ("bind all params", None),
    ):
        spec = surgery.parse_spec(text)
        model, params = project / "net.json", project / "net.params"
        if code is None:
            plan = surgery.plan(spec, model=model, params=params).plan
            assert plan.bind_params == ("w",) and not plan.stages[0].params
            continue
        with pytest.raises(SurgeryError) as caught:
            surgery.plan(spec, model=model, params=params)
        assert caught.value.diagnostics[0].code == code


def test_check_without_tvm_checks_the_syntax(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from surgery.diagnostics import error
    from surgery.engines.relay.engine import RelayEngine

    def missing(self: RelayEngine, path: str, *_: object, **__: object) -> None:
        raise error("S400", "TVM is not installed")

    monkeypatch.setattr(RelayEngine, "load", missing)
    (only,) = surgery.check(project / "net.surgery")
    assert (only.code, only.severity) == ("S256", "note")
