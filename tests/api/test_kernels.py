"""``tap --debug-executor``: kernels as TVM makes them, and which values of the model they give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.api.tapping import Tapped
from surgery.diagnostics import SurgeryError
from tests.engines.relay.test_naming import conv_nets
from tests.verification.plants import bert, module, resnet

NETS = {"bert": bert, "resnet": resnet}


def read(net: tvm.IRModule, opt: int, *selectors: str) -> Tapped:
    return surgery.tap(net, selectors, seed=0, opt_level=opt, debug_executor=True)


# At level 3 TVM can't build the split of packed channels in `resnet`.
@pytest.mark.parametrize(
    ("name", "opt"), [(n, o) for n in NETS for o in range(4) if (n, o) != ("resnet", 3)]
)
def test_values_of_kernels_are_the_values_of_the_model(name: str, opt: int) -> None:
    net = NETS[name]()
    tapped = surgery.tap(net, every=True, seed=0, opt_level=opt, debug_executor=True)
    expected = surgery.tap(net, every=True, seed=0, opt_level=0)
    right = {v.ref: expected.arrays[v.key] for v in expected.values}
    assert len(tapped.values) > (4 if opt else 20)
    for value in tapped.values:
        assert value.kernel.startswith(("tvmgen_default_", "reshape_nop"))
        array = tapped.arrays[value.key]
        np.testing.assert_allclose(array, right[value.ref], rtol=1e-3, atol=1e-4)
    (left_out,) = [n for n in tapped.notes if n.code == "S372"] if opt else [None]
    if left_out is not None:
        assert left_out.severity == "warning" and "inside a fused kernel" in left_out.reason


def test_folded_scales_are_not_taken_for_the_convolution_s_own_result() -> None:
    """At level 3 the scale of a batch_norm is in the weights: no kernel gives the bare conv2d."""
    model = conv_nets(2)
    names = [f"block_{i}/{op}" for i in range(2) for op in ("conv", "bn", "add")]
    tapped = surgery.tap(model, [*names, "head/softmax"], seed=0, opt_level=3, debug_executor=True)
    given = {v.name for v in tapped.values}
    assert "head/softmax" in given and not given & {"block_0/conv", "block_1/conv"}
    expected = surgery.tap(model, [*given], seed=0, opt_level=0)
    for value in expected.values:
        np.testing.assert_allclose(
            tapped.arrays[value.key], expected.arrays[value.key], rtol=1e-3, atol=1e-4
        )


def test_a_packed_value_is_given_as_the_model_has_it() -> None:
    model = conv_nets(2)
    tapped = surgery.tap(model, ["block_0/add"], seed=0, opt_level=3, debug_executor=True)
    (value,) = tapped.values
    assert value.shape == (1, 4, 6, 6)
    expected = surgery.tap(model, ["block_0/add"], seed=0, opt_level=0)
    np.testing.assert_allclose(
        tapped.arrays[value.key], expected.arrays[value.key], rtol=1e-3, atol=1e-4
    )


def chain() -> tvm.IRModule:
    x = relay.var("x", shape=(2, 4))
    w = relay.const(np.eye(4, dtype="float32"))
    return module([x], relay.tanh(relay.exp(relay.nn.relu(relay.nn.dense(x, w)))))


def test_what_is_inside_a_kernel_is_said() -> None:
    tapped = read(chain(), 1, "%1", "result")
    assert [v.label for v in tapped.values] == ["result"]
    (note,) = tapped.notes
    assert note.code == "S372"
    assert note.reason.startswith(f"%1 is inside {tapped.values[0].kernel}")
    with pytest.raises(SurgeryError) as caught:
        read(chain(), 1, "%1", "%2")
    (only,) = caught.value.diagnostics
    assert only.code == "S372" and "%2 is inside" in only.reason
    assert [v.label for v in read(chain(), 0, "%1", "%2").values] == ["%1", "%2"]


def test_what_the_graph_executor_does_not_run_is_refused() -> None:
    x, flag = relay.var("x", shape=(2, 4)), relay.var("flag", shape=(), dtype="bool")
    net = module([x, flag], relay.nn.relu(relay.If(flag, relay.exp(x), relay.tanh(x))))
    with pytest.raises(SurgeryError) as caught:
        read(net, 1, "result")
    assert caught.value.diagnostics[0].code == "S373"


# -- NaN and infinity


def negative() -> tvm.IRModule:
    x = relay.var("x", shape=(2, 4))
    logarithm = relay.log(relay.subtract(x, relay.const(np.float32(1.0))))
    return module([x], relay.tanh(relay.multiply(logarithm, relay.const(np.float32(2.0)))))


def test_the_first_value_that_is_not_finite_is_named() -> None:
    zeros = {"x": np.zeros((2, 4), "float32")}
    tapped = surgery.tap(negative(), every=True, inputs=zeros)
    (note,) = [n for n in tapped.notes if n.code == "S374"]
    assert note.severity == "warning" and note.message.startswith("3 of 4 values")
    assert note.reason == "The first is %1, log: 8 NaN, 0 infinite of 8."
    assert note.remedy == "look at its operands: they are finite"
    some = surgery.tap(negative(), ["%2"], inputs=zeros)
    (note,) = [n for n in some.notes if n.code == "S374"]
    assert "The first is %2, multiply: 8 NaN" in note.reason and "begins there" in note.remedy


def test_finite_values_are_nothing_to_warn_of(tmp_path: Path) -> None:
    assert surgery.tap(chain(), every=True, seed=0).notes == ()
