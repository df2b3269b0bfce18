"""``verify each``: after every pass the model is compared with what it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.api.each import PassChecker
from surgery.engines import get_engine
from surgery.engines.relay.adopt import adopt
from tests.verification.plants import module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    w, v = (relay.const(rng.normal(size=(4, 4)).astype("float32")) for _ in range(2))
    x = relay.var("x", shape=(2, 4))
    norm = [relay.const(rng.uniform(0.5, 1, size=4).astype("float32")) for _ in range(4)]
    y = relay.nn.relu(relay.nn.dense(x, w))
    y = relay.TupleGetItem(relay.nn.batch_norm(y, *norm).astuple(), 0)
    net = module([x], relay.tanh(relay.add(relay.nn.dense(y, v), y)))
    (tmp_path / "net.json").write_text(tvm.ir.save_json(net))
    return tmp_path


def applied(folder: Path, text: str) -> surgery.Applied:
    return surgery.apply(surgery.parse_spec(text), folder / "out", base=folder)


def test_every_pass_is_checked_and_what_changes_nothing_is_not_built(folder: Path) -> None:
    done = applied(
        folder,
        'model "net.json"; prepare FoldConstant, SimplifyInference, FastMath\n'
        "output %0 as first; offload pattern dense to lib; cut after %0; verify each",
    )
    assert done.written
    changed = {c.name: c.verification is not None for c in done.passes}
    assert changed == {
        "FoldConstant": False, "SimplifyInference": True, "FastMath": True,
        "surgery.ExposeOutputs": True, "surgery.OutlineRegions": False,
        "surgery.SplitStages": changed["surgery.SplitStages"], "surgery.InferType": False,
    }  # fmt: skip
    assert all(c.passed for c in done.passes)
    exposed = next(c for c in done.passes if c.name == "surgery.ExposeOutputs")
    assert exposed.verification is not None
    assert [r.name for r in exposed.verification.rows] == ["out0", "first"]
    simplified = next(c for c in done.passes if c.name == "SimplifyInference")
    assert simplified.verification is not None
    assert simplified.verification.rows[0].elements == 8 and simplified.ops > 5


def test_a_pass_that_changes_the_values_is_named_with_the_op(folder: Path) -> None:
    done = applied(
        folder, 'model "net.json"; prepare FoldConstant, FastMath; verify each rtol 1e-9 atol 1e-9'
    )
    assert not done.written and not (folder / "out").exists()
    last = done.passes[-1]
    assert (last.name, last.passed) == ("FastMath", False)
    assert [c.name for c in done.passes] == ["FoldConstant", "FastMath"]
    assert last.first is not None
    assert (last.first.finding.op_a, last.first.finding.op_b) == ("tanh", "fast_tanh")
    assert done.verification is None, "nothing is built after it"


def test_mixed_precision_is_compared_within_what_half_can_hold(folder: Path) -> None:
    done = applied(folder, 'model "net.json"; prepare ToMixedPrecision; verify each')
    check = done.passes[0]
    assert check.verification is not None and check.passed
    (row,) = check.verification.rows
    assert (row.type.dtype, row.actual_dtype, row.rtol) == ("float32", "float16", 1e-2)
    assert 0 < row.max_abs < 0.1


def broken(kind: str) -> Callable[[tvm.IRModule], tvm.IRModule]:
    def change(ir: tvm.IRModule) -> tvm.IRModule:
        main = ir["main"]
        wrong = {"scaled": lambda e: relay.multiply(e, relay.const(1.01)), "half": relay.nn.relu}
        return module(list(main.params), wrong[kind](main.body))

    return change


@pytest.mark.parametrize("kind", ["scaled", "half"])
def test_a_fault_in_a_pass_of_surgery_itself_is_found(folder: Path, kind: str) -> None:
    planned = surgery.plan(surgery.parse_spec('model "net.json"; verify each'), base=folder)
    assert planned.model is not None
    checker = PassChecker(
        engine=get_engine("relay"), plan=planned.plan, origin="test",
        inputs={"x": np.random.default_rng(1).normal(size=(2, 4)).astype("float32")},
        tell=lambda *_a, **_k: None,
    )  # fmt: skip
    right = planned.model.ir  # type: ignore[attr-defined]
    checks = list(
        checker.operated(
            planned.model,
            [("first", right), ("second", broken(kind)(right)), ("third", right)],
        )
    )
    assert [(c.name, c.passed) for c in checks] == [("first", True), ("second", False)]
    assert checks[0].verification is None


def test_weights_that_are_bound_are_the_same_before(folder: Path) -> None:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    net = adopt(module([x, w], relay.exp(relay.nn.dense(x, w))), {"w": np.ones((4, 4), "float32")})
    done = surgery.apply(
        surgery.parse_spec("bind all params; prepare FoldConstant, FastMath; verify each"),
        folder / "bound", model=net,
    )  # fmt: skip
    assert done.written and [c.name for c in done.passes][:2] == ["FoldConstant", "FastMath"]
