"""Kernels that name a float (linear and cubic resizing) or a vector compile everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery.api as api
from surgery.engines import get_engine
from surgery.engines.relay.named_values import NO_CSE, compiling
from surgery.planning import BuildPlan
from surgery.planning.fusion import fused_groups

tvm = pytest.importorskip("tvm")
relay = tvm.relay
X = np.random.default_rng(5).standard_normal((1, 2, 5, 7)).astype("float32")


def doubled(value: np.ndarray) -> np.ndarray:
    """Return an image at twice its size, half-pixel centres: 1/4 and 3/4 of each two neighbours."""
    for axis in (2, 3):
        length = value.shape[axis]
        at = np.clip((np.arange(2 * length) + 0.5) / 2 - 0.5, 0, length - 1)
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if a == axis else 1 for a in range(4)])
        high = np.minimum(low + 1, length - 1)
        value = value.take(low, axis) * (1 - part) + value.take(high, axis) * part
    return value


GROWN = doubled(np.maximum(-X, 0))


def module() -> Any:
    x = relay.var("x", shape=X.shape)
    grown = relay.image.resize2d(relay.nn.relu(relay.negative(x)), (10, 14), method="linear")
    return tvm.IRModule.from_expr(relay.Function([x], relay.tanh(relay.negative(grown))))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The model, and its input."""
    path, inputs = tmp_path / "model.json", tmp_path / "x.npz"
    path.write_text(tvm.ir.save_json(module()), encoding="utf-8")
    np.savez(inputs, x=X)
    return path, inputs


def test_tvm_itself_refuses_it() -> None:
    # When it doesn't any more, named_values.py can go.
    with tvm.transform.PassContext(opt_level=3), pytest.raises(tvm.TVMError, match="#dbg_declare"):
        relay.build(module(), "llvm")


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("executor", ["graph", "vm", "aot"])
def test_stages(tmp_path: Path, files: tuple[Path, Path], opt: int, executor: str) -> None:
    model, inputs = files
    spec = api.parse_spec(f"build opt {opt} executor {executor}; cut after op nn.relu")
    done = api.apply(spec, tmp_path / "out", model=model)
    found = api.verify(done.folder, inputs=inputs)
    assert found.passed
    (value,) = api.run(done.folder, inputs).outputs.values()
    np.testing.assert_allclose(value, np.tanh(-GROWN), rtol=1e-5, atol=1e-6)


def test_regions(tmp_path: Path, files: tuple[Path, Path]) -> None:
    model, inputs = files
    spec = api.parse_spec(
        "backend lib { via tvm }; offload pattern image.resize2d>negative>tanh to lib; build"
    )
    done = api.apply(spec, tmp_path / "out", model=model)
    plan = json.loads((done.folder / "plan.json").read_text(encoding="utf-8"))
    assert len(plan["regions"]) == 1
    assert api.verify(done.folder, inputs=inputs).passed


@pytest.mark.parametrize("options", [{}, {"debug_executor": True}, {"every": True}])
@pytest.mark.parametrize("opt", [0, 3])
def test_taps(files: tuple[Path, Path], opt: int, options: dict[str, Any]) -> None:
    model, inputs = files
    # What TVM's own kernels compute at opt 3 has no resize alone: it is fused.
    names = [] if options else ["op image.resize2d", "op tanh"]
    names = ["op tanh"] if "debug_executor" in options else names
    found = api.tap(model, names, inputs=inputs, opt_level=opt, **options)
    values = {v.op: found.arrays[v.key] for v in found.values}
    assert "tanh" in values and ("debug_executor" in options or "image.resize2d" in values)
    for op, value in (("image.resize2d", GROWN), ("tanh", np.tanh(-GROWN))):
        np.testing.assert_allclose(values.get(op, value), value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opt", [0, 3])
def test_times(opt: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    engine = get_engine("relay")
    model = engine.adopt(module(), {})
    graph = model.module.main
    groups = fused_groups(graph, [i for i, k in enumerate(graph.kinds) if k == "call"])
    found = engine.time_groups(model, groups, BuildPlan(opt_level=opt), lambda *_: None)
    assert found.measured and all(found.nanoseconds) and not found.reasons


def test_only_this_fault_is_tried_again() -> None:
    tried: list[Any] = []

    def failing() -> None:
        config = tvm.transform.PassContext.current().config
        tried.append({str(name): int(value) for name, value in config.items()})
        raise tvm.TVMError(said)

    said = "something else"
    with pytest.raises(tvm.TVMError):
        compiling(failing, {})
    assert tried == [{}]
    said, tried[:] = "#dbg_declare", []
    own = {"relay.FuseOps.max_depth": 4}
    with pytest.raises(tvm.TVMError):
        compiling(failing, own)
    whole = {**NO_CSE, "tir.disable_vectorize": True}
    assert tried == [own, {**own, **NO_CSE}, {**own, **whole}]
    tried.clear()
    with pytest.raises(tvm.TVMError):
        compiling(failing, NO_CSE)
    assert tried == [NO_CSE, whole]


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("op", ["floor_divide", "floor_mod"])
def test_named_vectors(tmp_path: Path, opt: int, op: str) -> None:
    x, y = (relay.var(n, shape=(4, 8), dtype="int32") for n in "xy")
    ir = tvm.IRModule.from_expr(relay.Function([x, y], getattr(relay, op)(x, y)))
    path = tmp_path / "model.json"
    path.write_text(tvm.ir.save_json(ir), encoding="utf-8")
    random = np.random.default_rng(2)
    a = random.integers(-9, 10, (4, 8)).astype("int32")
    b = random.choice(np.array([-3, -2, 1, 4], "int32"), (4, 8))
    done = api.apply(api.parse_spec(f"build opt {opt}"), tmp_path / "out", model=path)
    (value,) = api.run(done.folder, {"x": a, "y": b}).outputs.values()
    np.testing.assert_array_equal(value, a // b if op == "floor_divide" else a % b)
