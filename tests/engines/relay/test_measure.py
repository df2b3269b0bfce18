"""Times of groups of ops: measured once, kept, and used to balance a cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery.api as api
from surgery.diagnostics import SurgeryError
from surgery.engines import get_engine
from surgery.engines.base import EngineModel
from surgery.engines.relay import measure
from surgery.planning import BuildPlan
from surgery.planning.fusion import fused_groups

tvm = pytest.importorskip("tvm")
relay = tvm.relay


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep times in a folder of the test, and measure briefly."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(measure, "REPEATS", 3)
    monkeypatch.setattr(measure, "LEAST_MILLISECONDS", 2)
    return tmp_path / "cache" / "surgery" / "times"


def dear_first() -> Any:
    """A matrix product of 2 GFLOPs, then seven elementwise ops apart from each other."""
    x = relay.var("x", shape=(256, 2048))
    value = relay.nn.dense(x, relay.var("w", shape=(2048, 2048)))
    for _ in range(7):
        value = relay.annotation.stop_fusion(relay.tanh(value))
    return tvm.IRModule.from_expr(relay.nn.relu(value))


def weights() -> dict[str, Any]:
    return {"w": tvm.nd.array(np.zeros((2048, 2048), "float32"))}


def adopted() -> EngineModel:
    return get_engine("relay").adopt(dear_first(), weights())


def groups_of(model: EngineModel) -> list[tuple[int, ...]]:
    graph = model.module.main
    return fused_groups(graph, [i for i, k in enumerate(graph.kinds) if k == "call"])


def timed(model: EngineModel, **options: Any) -> Any:
    told: list[tuple[Any, ...]] = []
    found = get_engine("relay").time_groups(
        model, groups_of(model), BuildPlan(**options), lambda *a: told.append(a)
    )
    return found, told


def test_a_kernel_is_measured_once_and_then_known(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = adopted()
    first, told = timed(model)
    # dense; tanh; stop_fusion; the last relu: seven tanh share a kernel, and so on.
    assert (first.measured, first.cached, first.reasons) == (4, 0, {})
    assert told[0] == ("timing ops", 0, 4) and told[-1] == ("timing ops", 4, 4)
    assert all(t and t > 0 for t in first.nanoseconds)
    dense = first.nanoseconds[0]
    assert dense > 5 * max(first.nanoseconds[1:])
    assert len(list(cache.iterdir())) == 4

    def no_build(*_: object, **__: object) -> None:
        raise AssertionError("the cache was not used")

    monkeypatch.setattr(measure.relay, "build", no_build)
    again, told = timed(model)
    assert (again.measured, again.cached, told) == (0, 4, [])
    assert again.nanoseconds == first.nanoseconds
    # Other options are other kernels.
    other, _ = timed(model, opt_level=1)
    assert other.cached == 0 and "the cache was not used" in other.reasons[0]


def test_a_broken_cache_is_noted_and_measured_again(cache: Path) -> None:
    model = adopted()
    timed(model)
    broken, empty, *_ = sorted(cache.iterdir())
    broken.write_text("{")
    empty.write_text(json.dumps({"nanoseconds": -3}))
    again, _ = timed(model)
    assert (again.measured, again.cached) == (2, 2)
    assert len(again.notes) == 2 and "measured again" in again.notes[0]
    assert timed(model)[0].cached == 4


def test_a_cache_that_cannot_be_written_is_noted(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file stands where the folder should be")
    found, _ = timed(adopted())
    assert found.measured == 4
    assert any("can't be kept" in n for n in found.notes)


def test_a_balanced_cut_by_time_puts_the_dear_op_alone() -> None:
    planned = api.plan(
        api.parse_spec("cut into 2 stages by time"), model=dear_first(), params=weights()
    )
    balance = planned.plan.balance
    assert balance is not None and balance.by == "time"
    graph = planned.plan.module.main
    assert [graph.ops[n] for n in planned.plan.stages[0].nodes] == [
        "nn.dense",
        "tanh",
    ]  # one kernel
    document = planned.as_json()["balance"]
    assert isinstance(document, dict) and document["unit"] == "ns"
    again = api.plan(
        api.parse_spec("cut into 2 stages by time"), model=dear_first(), params=weights()
    )
    assert again.as_json() == planned.as_json()


def test_checking_a_spec_measures_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure.relay, "build", None)
    (tmp_path / "net.json").write_text(tvm.ir.save_json(dear_first()))
    spec = tmp_path / "net.surgery"
    spec.write_text('model "net.json"\ncut into 2 stages by time\n')
    assert api.check(spec) == []
    assert not cache.exists()


def test_what_cannot_be_built_alone_is_estimated_and_named() -> None:
    x = relay.var("x", shape=(64, 64))
    condition = relay.var("c", shape=(), dtype="bool")
    value = relay.tanh(relay.exp(relay.nn.dense(x, relay.var("w", shape=(64, 64)))))
    value = relay.If(condition, relay.exp(value), relay.tanh(value))
    module = tvm.IRModule.from_expr(relay.nn.dense(value, relay.var("v", shape=(64, 64))))
    plan = api.plan(api.parse_spec("cut into 2 stages by time"), model=module).plan
    assert plan.balance is not None
    assert any("estimated from their FLOPs" in n for n in plan.balance.notes)
    assert all(plan.balance.costs)


def test_a_norm_is_measured_as_the_scale_and_shift_that_it_becomes() -> None:
    x = relay.var("x", shape=(1, 8, 16, 16))
    value = relay.nn.conv2d(
        x, relay.var("w", shape=(8, 8, 1, 1)), channels=8, kernel_size=(1, 1)
    )  # fmt: skip
    four = [relay.var(n, shape=(8,)) for n in ("gamma", "beta", "mean", "var")]
    value = relay.nn.batch_norm(value, *four)[0]
    model = get_engine("relay").adopt(
        tvm.IRModule.from_expr(value), {n: tvm.nd.array(np.ones(s, "float32")) for n, s in (
            ("w", (8, 8, 1, 1)), ("gamma", 8), ("beta", 8), ("mean", 8), ("var", 8))},
    )  # fmt: skip
    graph = model.module.main
    whole = [i for i, k in enumerate(graph.kinds) if k == "call"]
    found = get_engine("relay").time_groups(
        model, fused_groups(graph, whole), BuildPlan(), lambda *_: None
    )
    assert (found.measured, found.reasons, len(found.nanoseconds)) == (1, {}, 1)


def test_where_nothing_can_be_measured_the_spec_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise tvm.TVMError("no schedule")

    monkeypatch.setattr(measure.relay, "build", broken)
    text = "cut into 2 stages by time"
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec(text), model=dear_first(), params=weights())
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is not None) == ("S279", True)
    assert "no schedule" in found.reason


@pytest.mark.parametrize("target", ["llvm -mtriple=aarch64-linux-gnu", "cuda"])
def test_a_target_of_another_machine_is_refused(target: str) -> None:
    text = f'cut into 2 stages by time; build target "{target}"'
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec(text), model=dear_first(), params=weights())
    codes = {d.code for d in caught.value.diagnostics}
    assert codes <= {"S279", "S410"} and all(d.span for d in caught.value.diagnostics)


def test_instructions_that_this_processor_lacks_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = tvm.get_global_func

    def plain(name: str, *rest: Any, **options: Any) -> Any:
        if name == "target.llvm_get_system_cpu":
            return lambda: "x86-64"
        return real(name, *rest, **options)

    if not str(real("target.llvm_get_system_triple")()).startswith("x86_64"):
        pytest.skip("x86 names")
    monkeypatch.setattr(measure.tvm, "get_global_func", plain)
    with pytest.raises(SurgeryError, match="S279") as caught:
        timed(adopted(), target="llvm -mcpu=skylake-avx512")
    assert "avx" in caught.value.diagnostics[0].reason


def test_groups_are_those_that_tvm_fuses() -> None:
    """As many kernels as FuseOps makes of a net of convolutions, norms and residual sums."""
    from tvm.relay.testing import resnet

    module, _ = resnet.get_workload(num_layers=18, image_shape=(3, 64, 64))
    model = get_engine("relay").adopt(module)
    graph = model.module.main
    mine = fused_groups(graph, [i for i, k in enumerate(graph.kinds) if k == "call"])
    passes = tvm.transform.Sequential(
        [relay.transform.InferType(), relay.transform.SimplifyInference(),
         relay.transform.InferType(), relay.transform.FoldConstant()]
    )  # fmt: skip
    simple = passes(module)
    # The norms' own arithmetic on weights is folded in a build that knows them.
    fused = relay.transform.FuseOps(3)(relay.transform.InferType()(simple))
    kernels: list[tuple[str, ...]] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Call) and isinstance(expr.op, relay.Function):
            ops: list[str] = []
            relay.analysis.post_order_visit(
                expr.op.body,
                lambda e: ops.append(e.op.name) if isinstance(e, relay.Call) else None,
            )
            kernels.append(tuple(ops))

    relay.analysis.post_order_visit(fused["main"], visit)
    heavy = {"nn.conv2d", "nn.dense", "nn.max_pool2d", "nn.global_avg_pool2d", "nn.softmax"}
    theirs = sorted(o for k in kernels for o in k if o in heavy)
    ours = [[graph.ops[i] for i in g if graph.ops[i] in heavy] for g in mine]
    assert sorted(o for g in ours for o in g) == theirs
    assert all(len(g) <= 1 for g in ours)
