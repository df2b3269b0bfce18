"""Regions of several kernel calls, from spec to numbers: in place, tuples, functions, branches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.planning import Plan

SCRIBBLER = """\
#include <stdint.h>

static void block(const float *data, const float *r, const float *weight, float *output) {
    for (int n = 0; n < 2; n++)
        for (int o = 0; o < 4; o++) {
            float sum = r[n * 4 + o];
            for (int i = 0; i < 4; i++) sum += data[n * 4 + i] * weight[o * 4 + i];
            output[n * 4 + o] = sum;
        }
}

/* May overwrite r, and does. */
int32_t bm_block_k0(const float *data, float *r, const float *weight, float *output) {
    block(data, r, weight, output);
    for (int i = 0; i < 8; i++) r[i] = 1e9f;
    return 0;
}

/* May not. */
int32_t bm_block_k1(const float *data, const float *r, const float *weight, float *output) {
    block(data, r, weight, output);
    return 0;
}
"""
TYPE = relay.TensorType((2, 4), "float32")


def dense(value: relay.Expr, seed: int) -> relay.Expr:
    weight = np.random.default_rng(seed).standard_normal((4, 4)).astype("float32")
    return relay.nn.dense(value, relay.const(weight), units=4)


def applied(model: tvm.IRModule, text: str, out: Path) -> Plan:
    """Apply, build and verify a spec; return its plan."""
    done = api.apply(api.parse_spec(text), out, model=model, verify=True)
    assert done.verification is not None and done.verification.passed
    return done.plan


def kernels(plan: Plan) -> list[list[str]]:
    return [[c.kernel for c in r.composites] for r in plan.regions]


def test_kernels_that_overwrite_where_it_is_safe_change_no_number(tmp_path: Path) -> None:
    x = relay.var("x", TYPE)
    residual = relay.tanh(x)
    first = relay.add(dense(relay.exp(residual), 0), residual)
    # The first sum is read by the second block's dense and by its add; then by nobody.
    second = relay.add(dense(relay.nn.relu(first), 1), first)
    # The second sum is an output, so the last block must leave it alone.
    third = relay.add(dense(relay.nn.relu(second), 2), second)
    model = tvm.IRModule.from_expr(relay.Function([x], relay.Tuple([third, second])))
    source = tmp_path / "bm.c"
    source.write_text(SCRIBBLER)
    text = (
        f'backend bm {{ via c "{source}" }}\n'
        "offload pattern add(dense(*, *), r:*) to bm as block inplace(r)\nbuild opt 3"
    )
    plan = applied(model, text, tmp_path / "out")
    assert kernels(plan) == [["bm_block_k0"], ["bm_block_k0"], ["bm_block_k1"]]
    # With the relu between in regions too, all is one region; the sums stay inside it.
    relu = (
        "\nint32_t bm_relu_k0(const float *data, float *output) {\n"
        "    for (int i = 0; i < 8; i++) output[i] = data[i] > 0 ? data[i] : 0;\n"
        "    return 0;\n}\n"
    )
    source.write_text(SCRIBBLER + relu)
    plan = applied(model, text + "\noffload pattern relu to bm", tmp_path / "whole")
    assert kernels(plan) == [
        ["bm_block_k0", "bm_relu_k0", "bm_block_k0", "bm_relu_k0", "bm_block_k1"]
    ]


def test_dropout_and_batch_norm_between(tmp_path: Path) -> None:
    x = relay.var("x", TYPE)
    stats = [relay.const(np.full(4, v, "float32")) for v in (1.5, 0.25, 0.5, 2.0)]
    value = relay.nn.dropout(dense(x, 0))
    value = relay.nn.relu(value)
    value = relay.nn.batch_norm(dense(value, 1), *stats)[0]
    model = tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(value)))
    plan = applied(
        model,
        "offload pattern dense>dropout>relu to bm\noffload pattern dense>bn>relu to bm",
        tmp_path / "out",
    )
    assert [[c.name for c in r.composites] for r in plan.regions] == [
        ["bm.dense_dropout_relu", "bm.dense_batch_norm_relu"]
    ]


def test_functions_and_branches(tmp_path: Path) -> None:
    a = relay.var("a", TYPE)
    block = relay.Function([a], relay.nn.relu(dense(relay.nn.relu(dense(a, 0)), 1)), TYPE)
    module = tvm.IRModule({"block": block})
    called = module.get_global_var("block")
    x, c = relay.var("x", TYPE), relay.var("c", relay.TensorType((), "bool"))
    head = relay.nn.relu(dense(called(x), 2))
    yes = relay.nn.relu(dense(relay.nn.relu(dense(head, 3)), 4))
    body = relay.nn.relu(dense(called(relay.If(c, yes, relay.tanh(head))), 5))
    module["main"] = relay.Function([x, c], body)
    plan = applied(module, "offload pattern dense>relu to bm", tmp_path / "out")
    # Sites merge within @block, within the branch, and nowhere across.
    assert sorted((r.function, len(r.composites)) for r in plan.regions) == [
        ("block", 2), ("main", 1), ("main", 1), ("main", 2),
    ]  # fmt: skip
    assert plan.stages[0].executor == "vm"


def test_a_layout_change_between_pattern_ops_is_named() -> None:
    x = relay.var("x", shape=(1, 4, 4, 4))
    conv = relay.nn.conv2d(x, relay.const(np.ones((4, 4, 1, 1), "float32")), kernel_size=(1, 1),
                           channels=4)  # fmt: skip
    moved = relay.layout_transform(conv, "NCHW", "NHWC")
    model = tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(moved)))
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec("offload pattern conv2d>relu to bm"), model=model)
    assert "layout_transform" in caught.value.diagnostics[0].notes[0]
    planned = api.plan(
        api.parse_spec("offload pattern conv2d to bm\noffload pattern relu to bm\n"
                       "offload pattern layout_transform to bm"), model=model,
    )  # fmt: skip
    assert [len(r.composites) for r in planned.plan.regions] == [3]


def test_results_of_several_sites_and_stages(tmp_path: Path) -> None:
    x = relay.var("x", TYPE)
    first = relay.nn.relu(dense(x, 0))
    second = relay.nn.relu(dense(first, 1))
    third = relay.nn.relu(dense(second, 2))
    body = relay.add(relay.tanh(first), relay.add(second, third))
    model = tvm.IRModule.from_expr(relay.Function([x], body))
    text = "cut after %3\noutput %1 as first\noffload pattern dense>relu to bm constants pass"
    plan = applied(model, text, tmp_path / "out")
    assert [(r.stage, len(r.composites), len(r.outputs)) for r in plan.regions] == [
        (0, 2, 2), (1, 1, 1),
    ]  # fmt: skip


def test_a_result_that_is_a_reshape_of_another_one(tmp_path: Path) -> None:
    # TVM's AOT executor lets a reshape share its operand's buffer, and wrote one of the two only.
    x = relay.var("x", TYPE)
    first = relay.nn.relu(relay.tanh(x))
    second = relay.reshape(first, (4, 2))
    third = relay.reshape(second, (8,))
    body = relay.Tuple([relay.tanh(first), relay.tanh(second), relay.exp(third)])
    model = tvm.IRModule.from_expr(relay.Function([x], body))
    plan = applied(model, "offload (op reshape or op nn.relu) to bm\nbuild opt 1", tmp_path / "out")
    assert [len(r.outputs) for r in plan.regions] == [3]
