"""Where TVM's own lowering goes wrong: tuples of inputs, sizes left open, lowering twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay
from tvm.relay.op import _make

import surgery.api as api

_X = np.random.default_rng(0).random((2, 3), dtype="float32")
_Y = np.random.default_rng(1).random((2, 3), dtype="float32")


def _outputs(folder: Path, function: Any, spec: str, **inputs: Any) -> dict[str, Any]:
    module = tvm.IRModule.from_expr(function)
    done = api.apply(api.parse_spec(spec), folder, model=module, build=True)
    assert done.plan.regions
    return dict(api.run(folder, inputs).outputs)


@pytest.mark.parametrize(
    "build", ["opt 0", "opt 1", "opt 3", "opt 3 config relay.FuseOps.max_depth=2"]
)
def test_inputs_reach_a_kernel_inside_a_tuple(tmp_path: Path, build: str) -> None:
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    body = relay.concatenate([x, relay.const(_Y), relay.exp(y), x], axis=1)
    spec = f"offload (op concatenate or op exp) to b\nbuild {build}"
    found = _outputs(tmp_path / "out", relay.Function([x, y], body), spec, x=_X, y=_Y)
    expected = np.concatenate([_X, _Y, np.exp(_Y), _X], axis=1)
    np.testing.assert_allclose(found["out0"], expected, rtol=1e-5)


@pytest.mark.parametrize("opt", [0, 3])
def test_topk_whose_results_stay_inside_or_leave(tmp_path: Path, opt: int) -> None:
    x = relay.var("x", shape=(2, 3))
    top = relay.topk(x, k=2, dtype="int64")
    lowest = relay.topk(relay.exp(x), k=1, is_ascend=True, dtype="int32")
    body = relay.Tuple([relay.exp(top[0]), top[1], lowest[0], lowest[1]])
    spec = f"offload (op topk or op exp) to b\nbuild opt {opt}"
    found = _outputs(tmp_path / "out", relay.Function([x], body), spec, x=_X)
    order = np.argsort(-_X, axis=1)
    np.testing.assert_allclose(found["out0"], np.exp(-np.sort(-_X, axis=1)[:, :2]), rtol=1e-5)
    assert np.array_equal(found["out1"], order[:, :2])
    np.testing.assert_allclose(found["out2"], np.exp(_X.min(axis=1, keepdims=True)), rtol=1e-5)
    assert np.array_equal(found["out3"], order[:, 2:])


@pytest.mark.parametrize(
    "offload",
    [
        "op concatenate",
        "(op concatenate or op stack)",
        "pattern concatenate",
        "(op relu or op stack)",
    ],
)
def test_the_tuple_an_op_takes_belongs_to_its_region(tmp_path: Path, offload: str) -> None:
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    pair = relay.Tuple([relay.nn.relu(x), y])
    inner = relay.TupleGetItem(relay.Tuple([pair, x]), 0)
    both = relay.multiply(_make.concatenate(inner, 1), _make.concatenate(pair, 1))
    body = relay.Tuple([both, relay.sum(_make.stack(pair, 0), axis=[0])])
    spec = f"offload {offload} to b\nbuild opt 3"
    found = _outputs(tmp_path / "out", relay.Function([x, y], body), spec, x=_X, y=_Y)
    np.testing.assert_allclose(found["out0"], np.concatenate([_X, _Y], axis=1) ** 2, rtol=1e-5)
    np.testing.assert_allclose(found["out1"], _X + _Y, rtol=1e-5)


def test_a_failure_of_the_original_is_not_laid_to_the_spec(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 3))
    pair = relay.Tuple([x, relay.nn.relu(x)])
    # TVM's graph executor passes the inner tuple's first tensor only, at level 0.
    inner = relay.TupleGetItem(relay.Tuple([pair, x]), 0)
    function = relay.Function([x], relay.exp(_make.concatenate(inner, 1)))
    spec = api.parse_spec("offload pattern exp to b\nbuild opt 0\nverify")
    with pytest.raises(api.SurgeryError) as caught:
        api.apply(spec, tmp_path / "out", model=tvm.IRModule.from_expr(function))
    (only,) = caught.value.diagnostics
    assert only.message.startswith("the original: ") and "without any surgery" in only.notes[-1]


def test_a_region_that_tvm_would_compute_twice_is_refused(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 3))
    parts = relay.split(relay.exp(x), 3, axis=1)
    double = relay.add(relay.tanh(parts[0]), relay.tanh(parts[0]))
    function = relay.Function([x], relay.Tuple([double, parts[1], parts[2]]))
    spec = "offload (op exp or op split) to b\nbuild opt 3"
    with pytest.raises(api.SurgeryError) as caught:
        _outputs(tmp_path / "out", function, spec, x=_X)
    assert "build disable SimplifyExpr" in caught.value.diagnostics[0].remedy
    found = _outputs(tmp_path / "out", function, f"{spec} disable SimplifyExpr", x=_X)
    np.testing.assert_allclose(found["out0"], 2 * np.tanh(np.exp(_X[:, :1])), rtol=1e-5)


@pytest.mark.parametrize("opt", [0, 3])
def test_a_kernel_that_cannot_be_lowered_twice(tmp_path: Path, opt: int) -> None:
    x = relay.var("x", shape=(1, 3, 4, 4))
    weight = np.random.default_rng(0).random((3, 4, 3, 3), dtype="float32")
    body = relay.nn.conv2d_transpose(x, relay.const(weight), kernel_size=(3, 3), channels=4)
    module = tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(body)))
    spec = f"offload pattern nn.conv2d_transpose>relu to b\nbuild opt {opt}\nverify"
    done = api.apply(api.parse_spec(spec), tmp_path / "out", model=module)
    assert done.verification is not None and done.verification.passed


def test_quantised_ops_at_level_0_say_which_level_they_need(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 3))
    body = relay.qnn.op.quantize(x, relay.const(0.1), relay.const(3), out_dtype="uint8")
    module = tvm.IRModule.from_expr(relay.Function([x], body))
    with pytest.raises(api.SurgeryError) as caught:
        api.apply(api.parse_spec("build opt 0"), tmp_path / "out", model=module)
    assert "`build opt 1` or higher" in caught.value.diagnostics[0].remedy
