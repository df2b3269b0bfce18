"""Executors and formats of stages: the same numbers from each, also by `tvmc run`."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tvm import relay

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.engines.base import BackendBuild
from surgery.engines.relay import machine
from surgery.graph import Ref
from tests.engines.relay.plans import Ask, Site, array, ids, make_model, make_plan
from tests.engines.relay.stages import ENGINE, build_all, run_all, stage_build

X = np.random.default_rng(0).standard_normal((2, 4)).astype("float32")
AARCH64 = "llvm -mtriple=aarch64-linux-gnu"
#: ELF's ``e_machine``.
EM_AARCH64 = 183


def _model() -> Any:
    """A model that returns an op's result, a reshape, an input, the same value twice, a tuple's."""
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    dense = relay.nn.dense(x, w)
    both = relay.concatenate([x, dense], 0)
    results = [relay.nn.relu(dense), relay.reshape(dense, (8,)), x, dense, dense, both]
    return make_model(relay.Function([x, w], relay.Tuple(results)), {"w": array(4, 4)})


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    model = _model()
    plan = make_plan(model)
    ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, lambda _: None)
    return tmp_path


def _build(folder: Path, library: str, **options: Any) -> Path:
    ENGINE.build_stage(
        stage_build(folder, "stages/0/module.json", "stages/0/params.bin", library, **options)
    )
    return folder / library


def _fault(folder: Path, library: str, **options: Any) -> Diagnostic:
    with pytest.raises(SurgeryError) as caught:
        _build(folder, library, **options)
    assert not list(folder.glob("lib/*"))
    (found,) = caught.value.diagnostics
    return found


def _expected() -> list[Any]:
    dense = X @ array(4, 4).T
    return [np.maximum(dense, 0), dense.reshape(8), X, dense, dense, np.concatenate([X, dense])]


def _agree(found: list[Any]) -> None:
    for got, wanted in zip(found, _expected(), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize(
    ("executor", "ending"),
    [
        ("aot", "so"), ("graph", "tar"), ("aot", "tar"), ("vm", "tar"),
        ("graph", "mlf.tar"), ("aot", "mlf.tar"),
    ],
)  # fmt: skip
def test_every_executor_and_format_gives_the_same(
    saved: Path, executor: str, ending: str, opt: int
) -> None:
    library = f"lib/stage.{ending}"
    path = _build(saved, library, executor=executor, opt_level=opt)
    first = path.read_bytes()
    stage = ENGINE.open_stage(saved, library, executor, ["x"])
    found = stage({"x": X})
    _agree(found)
    buffers = [np.zeros_like(f) for f in found]
    run = stage.bind({"x": X}, buffers)
    run()
    _agree(buffers)
    if executor != "vm":  # which TVM writes in another order each time
        _build(saved, library, executor=executor, opt_level=opt)
        assert path.read_bytes() == first


def test_an_aot_stage_is_told_what_it_lacks(saved: Path) -> None:
    _build(saved, "lib/stage.so", executor="aot")
    stage = ENGINE.open_stage(saved, "lib/stage.so", "aot", ["x"])
    for inputs in ({}, {"x": X.astype("float64")}, {"x": X[:1]}):
        with pytest.raises(SurgeryError) as caught:
            stage(inputs)
        assert caught.value.diagnostics[0].code == "S433"
    with pytest.raises(SurgeryError) as caught:
        stage.bind({"x": X}, [X])
    assert caught.value.diagnostics[0].code == "S588"


@pytest.mark.parametrize(
    ("executor", "ending"), [("graph", "tar"), ("graph", "mlf.tar"), ("vm", "tar")]
)
def test_regions_are_in_every_format(tmp_path: Path, executor: str, ending: str) -> None:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    dense = relay.nn.dense(x, w)
    model = make_model(relay.Function([x, w], relay.exp(relay.nn.relu(dense))), {"w": array(4, 4)})
    graph = model.module.main
    nodes = [*ids(graph, "nn.dense"), *ids(graph, "nn.relu")]
    plan = make_plan(model, Ask(sites=[Site(nodes=nodes)]))
    ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, lambda _: None)
    library = f"lib/stage.{ending}"
    ENGINE.build_stage(
        stage_build(tmp_path, "stages/0/module.json", None, library, executor=executor)
    )
    (found,) = ENGINE.open_stage(tmp_path, library, executor, ["x"])({"x": X})
    np.testing.assert_allclose(found, np.exp(_expected()[0]), rtol=1e-5)


def _tvmc(package: Path, folder: Path) -> dict[str, Any]:
    np.savez(folder / "x.npz", x=X)
    done = subprocess.run(
        [sys.executable, "-m", "tvm.driver.tvmc", "run", "--inputs", folder / "x.npz",
         "--outputs", folder / "y.npz", package],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with np.load(folder / "y.npz") as read:
        return dict(read)


def test_tvmc_runs_a_package(saved: Path) -> None:
    found = _tvmc(_build(saved, "lib/stage.tar"), saved)
    _agree([found[f"output_{i}"] for i in range(len(found))])


def test_the_model_library_format(saved: Path) -> None:
    path = _build(saved, "lib/stage.mlf.tar")
    with tarfile.open(path) as tar:
        names = tar.getnames()
        held = tar.extractfile("metadata.json")
        assert held is not None
        metadata = json.load(held)
    assert "codegen/host/lib/lib0.o" in names and "parameters/default.params" in names
    assert "executor-config/graph/default.graph" in names and "src/default.relay" in names
    assert metadata["version"] == 7
    model = metadata["modules"]["default"]
    assert (model["executors"], model["target"]) == (["graph"], ["llvm"])
    sizes = {s.get("input_binding"): s["size_bytes"] for s in model["memory"]["sids"]}
    assert sizes["x"] == 2 * 4 * 4
    (main,) = model["memory"]["functions"]["main"]
    assert main["device"] == 1 and main["io_size_bytes"] >= 2 * 4 * 4


# -- other machines


def _machines(path: Path) -> set[int]:
    """Return the ``e_machine`` of all object files in a package."""
    found = set()
    with tarfile.open(path) as tar:
        for member in tar:
            held = tar.extractfile(member)
            assert held is not None
            data = held.read()
            if member.name.endswith(".tar"):
                inner = path.with_name("inner.tar")
                inner.write_bytes(data)
                found |= _machines(inner)
            elif member.name.endswith(".o"):
                assert data[:4] == b"\x7fELF"
                found.add(int.from_bytes(data[18:20], "little"))
    return found


@pytest.mark.parametrize("executor", ["graph", "aot", "vm"])
def test_object_code_for_another_machine(saved: Path, executor: str) -> None:
    path = _build(saved, "lib/stage.tar", target=AARCH64, executor=executor)
    assert _machines(path) == {EM_AARCH64}


def test_object_code_for_another_machine_in_the_model_library_format(saved: Path) -> None:
    assert _machines(_build(saved, "lib/stage.mlf.tar", target=AARCH64)) == {EM_AARCH64}


def test_a_shared_library_for_another_machine_takes_a_linker(
    saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CXX", raising=False)
    found = _fault(saved, "lib/stage.so", target=AARCH64)
    assert found.code == "S424" and "format tar" in found.remedy
    assert "aarch64-linux-gnu-g++" in found.reason
    # A compiler of that name is taken: this one only writes down what it is asked for.
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "aarch64-linux-gnu-g++"
    tool.write_text(
        '#!/bin/sh\n[ "$1" = -dumpmachine ] && echo aarch64-linux-gnu && exit\n'
        'while [ "$1" != -o ]; do shift; done\necho "$@" > "$2"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    path = _build(saved, "lib/stage.so", target="llvm -mtriple=aarch64-unknown-linux-gnu")
    assert "lib0.o" in path.read_text()


def test_c_backends_take_a_cross_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    x = relay.var("x", shape=(2, 4))
    model = make_model(relay.Function([x], relay.nn.relu(x)))
    plan = make_plan(model, Ask(sites=[Site(nodes=ids(model.module.main, "nn.relu"))]))
    (tmp_path / "k.c").write_text("")
    ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, lambda _: None)
    build = stage_build(
        tmp_path, "stages/0/module.json", None, "lib/stage.tar", target=AARCH64,
        backends={"bmlib": BackendBuild(kind="c", sources=("k.c",))},
    )  # fmt: skip
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SurgeryError) as caught:
        ENGINE.build_stage(build)
    (found,) = caught.value.diagnostics
    assert found.code == "S426" and "aarch64-linux-gnu-gcc" in found.reason


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("llvm", ""),
        ("c", ""),
        (AARCH64, "aarch64"),
        ("llvm -mtriple=x86_64-pc-windows-msvc", "windows"),
        ("llvm -mtriple=x86_64-linux-gnu", "" if machine.here().startswith("x86_64") else "x86"),
    ],
)
def test_what_this_machine_runs(target: str, said: str) -> None:
    reason = ENGINE.unrunnable(target)
    assert said in reason and bool(reason) is bool(said)


def test_results_of_stages_built_for_aot_are_those_of_the_whole(tmp_path: Path) -> None:
    model = _model()
    (dense,) = ids(model.module.main, "nn.dense")
    plan = make_plan(model, Ask(cuts=[[Ref(dense)]]))
    build_all(model, plan, tmp_path, executor="aot")
    _agree(run_all(plan, tmp_path, {"x": X}, "aot"))
