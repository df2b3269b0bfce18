"""Targets, levels, threads, formats and executors of stages, from spec to run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.recipe import read_recipe
from surgery.source import Source
from surgery.syntax import parse_text

X = np.random.default_rng(1).standard_normal((2, 4)).astype("float32")
AARCH64 = "llvm -mtriple=aarch64-linux-gnu"


@pytest.fixture
def model() -> dict[str, Any]:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    dense = relay.nn.dense(x, w)
    module = tvm.IRModule.from_expr(relay.Function([x, w], relay.exp(relay.nn.relu(dense))))
    weight = np.random.default_rng(0).random((4, 4), dtype="float32")
    return {"model": module, "params": {"w": tvm.nd.array(weight)}}


def _apply(text: str, out: Path, model: dict[str, Any], **options: Any) -> surgery.Applied:
    return surgery.apply(parse_text(Source(text, "net.surgery")), out, **model, **options)


def _faults(work: Any) -> tuple[Diagnostic, ...]:
    with pytest.raises(SurgeryError) as caught:
        work()
    return caught.value.diagnostics


@pytest.mark.parametrize(
    "build", ["build format tar", "build format mlf", "build executor aot", "build executor vm"]
)
def test_a_folder_of_any_format_is_verified_moved_built_again_and_run(
    model: dict[str, Any], tmp_path: Path, build: str
) -> None:
    text = f"cut after %0\n{build}\nstage 0 opt 1 threads 1\nverify seed 0"
    done = _apply(text, tmp_path / "net.out", model)
    assert done.verification is not None and done.verification.passed
    stages = done.recipe.stages
    assert [(s.opt_level, s.threads) for s in stages] == [(1, 1), (3, None)]
    wanted = surgery.run(tmp_path / "net.out", {"x": X}).outputs["out0"]
    shutil.move(tmp_path / "net.out", tmp_path / "moved.out")
    shutil.rmtree(tmp_path / "moved.out" / "lib")
    again = surgery.build(tmp_path / "moved.out")
    assert [s.sha256[s.library] for s in read_recipe(tmp_path / "moved.out").stages] == [
        s.sha256[s.library] for s in again.stages
    ]
    found = surgery.run(tmp_path / "moved.out", {"x": X}).outputs["out0"]
    np.testing.assert_array_equal(found, wanted)
    with surgery.open(tmp_path / "moved.out") as runner:
        for result in runner.map([{"x": X}] * 3):
            np.testing.assert_array_equal(result["out0"], wanted)


def test_a_stage_for_another_machine_is_built_but_not_run(
    model: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "net.out"
    text = f'cut after %0\nbuild format tar\nstage 1 on "{AARCH64}"'
    done = _apply(text, out, model)
    (note,) = [n for n in done.notes if n.code == "S422"]
    assert note.severity == "note" and "stage 1" in note.message and "aarch64" in note.reason
    assert [s.target for s in done.recipe.stages] == ["llvm", AARCH64]
    for work in (
        lambda: surgery.run(out, {"x": X}),
        lambda: surgery.open(out),
        lambda: surgery.open(out, on="processes"),
    ):
        (found,) = _faults(work)
        assert found.code == "S423" and "stage1" in found.message and "aarch64" in found.reason


def test_what_cant_run_here_isnt_compared_and_nothing_is_written(
    model: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "net.out"
    text = f'build target "{AARCH64}" format tar\nverify seed 0'
    (found,) = _faults(lambda: _apply(text, out, model))
    assert found.code == "S423" and found.span is not None and found.span.line == 2
    assert not out.exists()
    assert _apply(text, out, model, verify=False).written


def test_a_processor_that_lacks_instructions_runs_nothing_of_it(
    model: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "net.out"
    _apply('build target "llvm -mcpu=sapphirerapids"', out, model)
    mine = {"sse2"}
    features = tvm.get_global_func("target.llvm_get_cpu_features")
    get = tvm.get_global_func

    def of(target: Any) -> Any:
        return features(target) if "sapphirerapids" in str(target) else mine

    def lookup(name: str, **options: Any) -> Any:
        return of if name == "target.llvm_get_cpu_features" else get(name, **options)

    monkeypatch.setattr(tvm, "get_global_func", lookup)
    (found,) = _faults(lambda: surgery.run(out, {"x": X}))
    assert found.code == "S423" and "amx" in found.reason


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('stage 0 on "llwm"', "S410", 1),
        ('build opt 1\nstage 0 on "cuda"', "S410", 2),
        ('build opt 1\nstage 0 on "llvm -mtriple=riscv64-unknown-freebsd"', "S424", 2),
        ("stage 0 opt 1\nstage 0 opt 2", "S140", 2),
        ("stage 0 threads 0", "S110", 1),
    ],
)
def test_what_is_wrong_is_said_at_the_statement(
    model: dict[str, Any], tmp_path: Path, text: str, code: str, line: int
) -> None:
    found = _faults(lambda: _apply(text, tmp_path / "net.out", model, build=True))[0]
    assert found.code == code and found.span is not None and found.span.line == line
    assert not (tmp_path / "net.out").exists()
