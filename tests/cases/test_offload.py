"""Situations 02, 15, 16, 20-24, 28, 30, 32, 33, 35: offload."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.diagnostics import SurgeryError
from surgery.planning import plan_json, signature
from surgery.report import plan_sections
from surgery.report.model import sites_line
from tests.cases.support import (
    applied,
    fault,
    faults,
    model,
    notes,
    planned,
    reasons,
)

CONV = "offload pattern conv2d>bias_add>relu to bmlib"


def weights_file(number: str, inputs: set[str], path: Path) -> Path:
    """Write seeded values for all parameters of a text model but its runtime inputs."""
    rng = np.random.default_rng(1)
    function = relay.fromtext(model(number).read_text())["main"]
    values = {
        p.name_hint: tvm.nd.array(
            np.abs(rng.standard_normal([int(d) for d in p.type_annotation.shape])).astype(
                p.type_annotation.dtype
            )
        )
        for p in function.params
        if p.name_hint not in inputs
    }
    path.write_bytes(relay.save_param_dict(values))
    return path


def operated(out: Path) -> tvm.IRModule:
    return tvm.ir.load_json((out / "module.json").read_text())


def check_arity(module: tvm.IRModule, symbol: str, backend: str = "bmlib") -> relay.Function:
    """Check a region: its call's, its own and its composite's parameters agree one by one."""
    region = module[symbol]
    assert region.attrs["Compiler"] == backend and region.attrs["global_symbol"] == symbol
    inner = region.body
    assert isinstance(inner, relay.Call) and isinstance(inner.op, relay.Function)
    assert list(inner.args) == list(region.params)
    assert len(inner.op.params) == len(region.params)
    for outer, own in zip(region.params, inner.op.params, strict=True):
        assert outer.checked_type == own.checked_type
        assert isinstance(outer.checked_type, tvm.ir.TensorType)
    free = set(relay.analysis.free_vars(inner.op.body))
    assert free <= set(inner.op.params)
    calls: list[relay.Call] = []

    def visit(expr: relay.Expr) -> None:
        called = expr.op if isinstance(expr, relay.Call) else None
        if isinstance(called, relay.GlobalVar) and called.name_hint == symbol:
            calls.append(expr)

    for function in module.functions.values():
        relay.analysis.post_order_visit(function, visit)
    assert calls
    for call in calls:
        assert [a.checked_type for a in call.args] == [p.checked_type for p in region.params]
    return inner.op


def test_02_constants_stay_inside_whatever_matches_them(tmp_path: Path) -> None:
    params = weights_file("02", {"data"}, tmp_path / "w.params")
    for bind in ("", "bind all params\n"):
        text = f"{bind}offload pattern reshape>conv2d>add>batch_norm>relu to bmlib"
        done = applied("02", text, tmp_path / "out", params=params)
        (region,) = done.plan.regions
        assert [a.name for a in region.arguments] == ["data"]
        assert [c.name for c in region.constants] == [
            "bias", "weight", "gamma", "beta", "mean", "var",
        ]  # fmt: skip
        assert region.pattern == "reshape_nn.conv2d_add_nn.batch_norm_TupleGetItem0_nn.relu_"
        assert signature(done.plan.module, region).endswith(
            "(data: float32(1,8,6,6)) -> float32(1,8,6,6)"
        )
        composite = check_arity(operated(tmp_path / "out"), region.symbol)
        assert composite.attrs["PartitionedFromPattern"] == region.pattern
        assert len(composite.params) == 1


def test_02_either_operand_order_matches(tmp_path: Path) -> None:
    text = model("02").read_text().replace("add(%0, %1)", "add(%1, %0)")
    swapped = tmp_path / "swapped.relay"
    swapped.write_text(text)
    spec = "offload pattern reshape>conv2d>add>bn>relu to bmlib expect 1"
    done = applied("02", spec, tmp_path / "out", model=swapped)
    assert "operand" in " ".join(done.plan.regions[0].notes)


def test_02_another_field_of_batch_norm_keeps_the_site_out(tmp_path: Path) -> None:
    text = model("02").read_text().replace("  nn.relu(%4)", "  %5 = nn.relu(%4);\n  (%5, %3.1)")
    other = tmp_path / "other.relay"
    other.write_text(text)
    spec = api.parse_spec("offload pattern reshape>conv2d>add>bn>relu to bmlib optional")
    plan = api.plan(spec, model=other).plan
    assert not plan.regions
    assert any("%3" in reason for reason in reasons(plan).values())


def test_15_a_value_used_outside_keeps_its_site_out(tmp_path: Path) -> None:
    done = applied("15", CONV, tmp_path / "out")
    assert len(done.plan.regions) == 1
    assert reasons(done.plan) == {"%2": "%1 (nn.bias_add) is used outside the match by: output 1"}
    assert "S285" in {d.code for d in faults("15", f"{CONV} require all")}
    # The order of the statements doesn't matter.
    for text in (f"{CONV} optional; output %4 as y", f"output %4 as y; {CONV} optional"):
        why = "%4 (nn.bias_add) is used outside the match by: output `y` that the spec adds"
        assert reasons(planned("15", text))["%5"] == why


def test_16_an_operand_that_is_an_interior_value() -> None:
    only = fault("16", "offload pattern conv2d>add>relu to bmlib")
    assert only.code == "S283" and "an op inside the match" in only.notes[0]
    plan = planned("16", "offload pattern relu(add(c:conv2d(*, *), c)) to bmlib")
    (region,) = plan.regions
    assert [a.name for a in region.arguments] == ["x", "w"]


def test_20_the_consumer_of_a_region_is_typed(tmp_path: Path) -> None:
    done = applied("20", "offload pattern greater to bmlib", tmp_path / "out")
    region = operated(tmp_path / "out")[done.plan.regions[0].symbol]
    assert str(region.ret_type) == "Tensor[(7), bool]"
    only = fault("20", "offload pattern argwhere>squeeze to bmlib")
    assert "no static shape" in only.notes[0]


def test_21_what_is_outlined_already_is_opaque(tmp_path: Path) -> None:
    plan = planned("21", "offload pattern add to bmlib")
    assert not plan.regions and "0 new sites (1 already outlined)" in notes(plan)
    applied("21", "offload pattern leaky_relu to bmlib", tmp_path / "out")


def test_21_a_second_run_finds_nothing_new(tmp_path: Path) -> None:
    applied("15", CONV, tmp_path / "out")
    plan = planned("15", CONV)
    again = api.plan(api.parse_spec(CONV), model=tmp_path / "out" / "module.json").plan
    assert not again.regions
    assert f"0 new sites ({len(plan.regions)} already outlined)" in notes(again)


def test_22_any_elementwise_ops_between(tmp_path: Path) -> None:
    done = applied("22", "offload pattern conv2d>elementwise*>reshape to bmlib", tmp_path / "out")
    (region,) = done.plan.regions
    assert "%1 (nn.bias_add), %2 (nn.relu)" in region.notes[0]
    assert [a.name for a in region.arguments] == ["x", "w", "b"]


def test_23_dense_is_not_matmul_but_says_so(tmp_path: Path) -> None:
    plan = planned("23", "offload pattern dense>relu to bmlib")
    assert len(plan.regions) == 1
    told = reasons(plan)
    assert "write dense|matmul to include it" in told["%1"]
    assert "looks alike" in told["result"]
    both = applied("23", "offload pattern dense|matmul>relu to bmlib", tmp_path / "out").plan
    (region,) = both.regions
    assert [c.pattern for c in region.composites] == ["nn.matmul_nn.relu_", "nn.dense_nn.relu_"]
    assert region.notes == (
        "dense|matmul: %0 (nn.matmul), transpose_a=false, transpose_b=false",
        "dense|matmul: %3 (nn.dense), transpose_a=false, transpose_b=true",
    )
    advice = "%6 nn.batch_matmul>result nn.relu looks alike; write dense|matmul|batch_matmul"
    assert reasons(both)["result"] == f"{advice} to include it"
    assert fault("23", "offload pattern dens>relu to bmlib").code == "S230"


def test_24_a_layout_that_a_pass_changed() -> None:
    found = faults("24", f"prepare ConvertLayout(NCHW)\n{CONV}")
    assert {"S283", "S287"} <= {d.code for d in found}
    warning = next(d for d in found if d.code == "S287")
    assert "matches 1 site before" in warning.message
    only = fault("24", CONV.replace("conv2d", "conv2d{data_layout=NCHW}"))
    assert "data_layout is NHWC, pattern wants NCHW" in only.notes[0]


def test_28_the_field_that_goes_on_must_be_written() -> None:
    assert "write topk.1" in fault("28", "offload pattern topk>cast to bmlib").notes[0]
    only = fault("28", "offload pattern topk.1>cast to bmlib")
    assert "used outside the match" in only.notes[0]


@pytest.mark.parametrize("constants", ["embed", "pass"])
def test_30_constants_inside_or_passed(constants: str, tmp_path: Path) -> None:
    params = weights_file("30", {"x"}, tmp_path / "w.params")
    text = f"{CONV} constants {constants}"
    done = applied("30", text, tmp_path / "out", params=params)
    (region,) = done.plan.regions
    assert [a.name for a in region.arguments] == ["x"]
    assert [c.name for c in region.constants] == ["w", "b"]
    composite = check_arity(operated(tmp_path / "out"), region.symbol)
    inside = constants == "embed"
    assert len(composite.params) == (1 if inside else 3)
    assert done.plan.stages[0].params == (() if inside else ("w", "b"))


def test_32_a_region_that_is_left_and_entered_again() -> None:
    only = fault("32", "offload (%0 or result) to bmlib")
    assert only.code == "S281"
    assert "%0 (nn.relu) -> %1 (max) -> %2 (greater) -> %3 (if) -> result (add)" in only.reason


def test_33_sites_are_found_in_every_function(tmp_path: Path) -> None:
    done = applied("33", "offload pattern add>relu to bmlib", tmp_path / "out")
    assert [r.function for r in done.plan.regions] == ["block"]
    check_arity(operated(tmp_path / "out"), done.plan.regions[0].symbol)
    told = [r for r in reasons(done.plan).values() if "bound by let %b" in r]
    assert told and all("`prepare ToGraphNormalForm`" in r for r in told)
    # One region changes both calls.
    lines = [line for s in plan_sections(done.plan) for line in s.lines]
    assert any("@block is called 2 times" in line for line in lines)


def test_35_a_region_returns_one_flat_tuple(tmp_path: Path) -> None:
    done = applied("35", "offload (%0 or %1 or %2 or %3) to bmlib", tmp_path / "out")
    region = operated(tmp_path / "out")[done.plan.regions[0].symbol]
    fields = region.ret_type.fields
    assert len(fields) == 5
    assert all(isinstance(f, tvm.ir.TensorType) for f in fields)
    check_arity(operated(tmp_path / "out"), done.plan.regions[0].symbol)


def test_15_the_plan_counts_sites_and_regions() -> None:
    plan = planned("15", CONV)
    assert sites_line(plan, 0) == "1 of 2 sites, in 1 region"
    only = fault("15", f"{CONV} expect 2")
    assert only.code == "S216"
    assert only.message.endswith("takes 1 site in 1 region, 2 expected")
    assert only.reason == "`expect` counts sites, also where several become one region."
    assert any("%1 (nn.bias_add)" in n for n in only.notes), "why it isn't two"


def test_23_two_sites_in_one_region_are_two_sites() -> None:
    spec = "offload pattern dense|matmul>relu to bmlib expect 2"
    plan = planned("23", spec)
    assert sites_line(plan, 0) == "2 of 3 sites, in 1 region"
    assert plan_json(plan)["statements"] == [{
        "text": spec.replace("dense|matmul>", "(dense|matmul)>"),
        "place": {"file": "<command line>", "line": 1, "column": 1},
        "resolved": [],
        "sites": {"taken": 2, "rejected": 1, "kept_out": 0, "regions": 1},
    }]  # fmt: skip
    assert fault("23", spec.replace("2", "1")).message.endswith(
        "takes 2 sites in 1 region, 1 expected"
    )


def test_15_nothing_matches_and_all_are_required() -> None:
    only = fault("15", f"output %4 as y; {CONV} require all")
    assert only.code == "S285" and "takes 0 of 2 sites" in only.message
    only = fault("15", f"output %4 as y; {CONV} expect 2")
    assert only.code == "S216" and only.message.endswith("takes 0 sites, 2 expected")


def test_21_what_is_outlined_counts_only_if_it_is_the_same(tmp_path: Path) -> None:
    only = fault("21", "offload pattern add>relu to bmlib")
    assert only.code == "S283", "the composite holds an add alone"
    only = fault("21", "offload pattern add to bmlib expect 2")
    assert only.code == "S216" and only.message.endswith(
        "takes 1 site, already outlined, 2 expected"
    )
    applied("15", CONV, tmp_path / "out")
    again = tmp_path / "out" / "module.json"
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec("offload pattern conv2d>bias_add>relu>tanh to bmlib"), model=again)
    assert [d.code for d in caught.value.diagnostics] == ["S283"]
    selected = api.parse_spec("offload op nn.relu to bmlib optional")
    assert len(api.plan(selected, model=again).plan.regions) == 1


def test_21_ops_that_a_pass_has_fused_are_named(tmp_path: Path) -> None:
    module = relay.transform.InferType()(relay.fromtext(model("22").read_text()))
    fused = tmp_path / "fused.json"
    fused.write_text(tvm.ir.save_json(relay.transform.FuseOps(2)(module)))
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec(CONV), model=fused)
    (only,) = caught.value.diagnostics
    assert only.reason is not None
    assert only.reason.startswith("Every nn.conv2d, every nn.bias_add, every nn.relu is inside")


def test_21_a_module_that_tvm_partitioned_builds(tmp_path: Path) -> None:
    """Several composites and ops of none in one region: TVM's own passes make such."""
    text = model("15").read_text().replace("(%5, %1)", "exp(%5)")
    passes = relay.transform
    pattern = relay.dataflow_pattern
    bias = pattern.is_op("nn.bias_add")(
        pattern.is_op("nn.conv2d")(pattern.wildcard(), pattern.wildcard()), pattern.wildcard()
    )
    module = relay.fromtext(text)
    for each in (
        passes.InferType(),
        passes.MergeComposite([("dnnl.block", pattern.is_op("nn.relu")(bias))]),
        passes.AnnotateTarget(["dnnl"]),
        passes.MergeCompilerRegions(),
        passes.PartitionGraph(),
        passes.InferType(),
    ):
        module = each(module)
    partitioned = tmp_path / "partitioned.json"
    partitioned.write_text(tvm.ir.save_json(module))
    spec = f"{CONV.replace('bmlib', 'dnnl')} expect 2"
    done = applied("15", spec, tmp_path / "out", model=partitioned, build=True)
    assert not done.plan.regions
    assert "0 new sites (2 already outlined)" in notes(done.plan)


def test_16_a_value_that_two_ops_of_a_pattern_read(tmp_path: Path) -> None:
    """Swish: a chain can't say it, and is told what can."""
    model = tmp_path / "swish.relay"
    model.write_text(
        """#[version = "0.0.5"]
        def @main(%x: Tensor[(2, 8), float32], %w: Tensor[(8, 8), float32]) {
          %0 = nn.dense(%x, %w, units=8);
          %1 = sigmoid(%0);
          multiply(%0, %1)
        }"""
    )
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec("offload pattern dense>sigmoid>multiply to lib"), model=model)
    (only,) = caught.value.diagnostics
    assert "written `v:nn.dense(...)` in one place and `v` in the other" in only.notes[0]
    spec = api.parse_spec("offload pattern multiply(v:nn.dense(*, *), sigmoid(v)) to lib expect 1")
    done = api.apply(spec, tmp_path / "out", model=model, build=True, verify=True)
    assert done.verification is not None and done.verification.passed
    assert len(done.plan.regions[0].composites[0].nodes) == 3


def test_20_a_dynamic_input_is_bound(tmp_path: Path) -> None:
    model = tmp_path / "any.relay"
    model.write_text(
        """#[version = "0.0.5"]
        def @main(%x: Tensor[(?, 8), float32], %w: Tensor[(8, 8), float32]) {
          %0 = nn.dense(%x, %w, units=8);
          nn.relu(%0)
        }"""
    )
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec("offload pattern dense>relu to lib"), model=model)
    (only,) = caught.value.diagnostics
    assert "has no static shape" in only.notes[0] and "bind x: DTYPE(...)" in (only.remedy or "")
    spec = api.parse_spec("bind x: float32(2, 8); offload pattern dense>relu to lib expect 1")
    done = api.apply(spec, tmp_path / "out", model=model, build=True, verify=True)
    assert done.verification is not None and done.verification.passed


def test_21_ops_that_were_fused_are_not_selected_again(tmp_path: Path) -> None:
    model = tmp_path / "inline.relay"
    model.write_text(
        """#[version = "0.0.5"]
        def @main(%x: Tensor[(4), float32]) {
          %1 = fn (%a: Tensor[(4), float32], Primitive=1, Compiler="c", global_symbol="sum") {
            add(%a, %a)
          };
          %1(%x)
        }"""
    )
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec("offload op add to lib"), model=model)
    (only,) = caught.value.diagnostics
    assert only.code == "S283" and "fused or outlined before" in (only.reason or "")
