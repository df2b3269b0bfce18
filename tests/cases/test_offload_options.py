"""Situations 14, 18, 25, 44: boundaries, in-place kernels, annotations, quantised models."""

from __future__ import annotations

from pathlib import Path

import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.planning import Plan
from surgery.report.model import region_kernels, region_remarks
from tests.cases.support import applied, fault, faults, model, planned, reasons


def region_values(plan: Plan) -> list[list[str]]:
    return [
        [plan.module.functions[r.function].label(n) for n in c.nodes]
        for r in plan.regions
        for c in r.composites
    ]


def test_14_what_depends_on_a_boundary_stays_on_the_host(tmp_path: Path) -> None:
    done = applied("14", "offload pattern dense>relu to bmlib until %2", tmp_path / "out")
    assert region_values(done.plan) == [["%0", "%1"]]
    assert reasons(done.plan) == {"%4": "after boundary %2"}
    assert [r.excluded for r in done.plan.rejected] == [True]


def test_14_keep_and_between_say_the_same(tmp_path: Path) -> None:
    kept = planned("14", "offload pattern dense>relu to bmlib\nkeep (%4 or %3) on host")
    assert region_values(kept) == [["%0", "%1"]]
    assert reasons(kept) == {"result": "%4 stays on the host (`keep %4 or %3 on host`)"}
    only = planned("14", "offload pattern dense>relu to bmlib only between(%3, result)")
    assert region_values(only) == [["%4", "result"]]
    assert reasons(only) == {"%0": "outside `only between(%3, result)`"}


def test_14_a_boundary_that_leaves_nothing_is_a_warning() -> None:
    plan = planned("14", "offload pattern dense>relu to bmlib until input x")
    assert not plan.regions
    (note,) = [n for n in plan.notes if n.code == "S283"]
    assert note.severity == "warning" and "matches nothing that is free" in note.message


def test_18_a_residual_that_lives_on_is_not_overwritten(tmp_path: Path) -> None:
    text = "offload pattern relu(add(conv2d(*, *), residual:*)) to bmlib inplace(residual)"
    done = applied("18", f"backend bmlib {{ via tvm; merge=off }}\n{text}", tmp_path / "out")
    first, second = (r.composites[0] for r in done.plan.regions)
    assert first.inplace == second.inplace == ()
    assert (
        "residual is not in place: %0 is also operand 0 of nn.conv2d in the kernel and is also an "
        "output"
    ) in first.notes
    assert "residual is not in place: %x is an input: its buffer is the caller's" in second.notes
    # Both sites have the arity of the pattern, though two leaves of the first read one value.
    assert [len(c.operands) for c in (first, second)] == [3, 3]


def test_18_a_capture_that_the_pattern_lacks() -> None:
    only = fault("18", "offload pattern add(conv2d(*, *), residual:*) to bmlib inplace(residul)")
    assert only.code == "S296" and only.remedy == "write inplace(residual)"


def test_25_annotations_are_seen_through_when_asked(tmp_path: Path) -> None:
    told = fault("25", "offload pattern relu>relu to bmlib")
    assert told.code == "S283" and "annotation.stop_fusion" in told.notes[0]
    done = applied("25", "offload pattern relu>relu to bmlib ignore annotations", tmp_path / "out")
    (region,) = done.plan.regions
    module = tvm.ir.load_json((tmp_path / "out" / "module.json").read_text())
    names: list[str] = []

    def visit(expr: relay.Expr) -> None:
        if isinstance(expr, relay.Call) and isinstance(expr.op, tvm.ir.Op):
            names.append(expr.op.name)

    relay.analysis.post_order_visit(module[region.symbol].body.op, visit)
    assert names == ["nn.relu", "nn.relu"]


QNN = "offload pattern qnn.conv2d>bias_add>requantize>clip to bmlib"


def test_44_scales_are_embedded_and_named_by_role(tmp_path: Path) -> None:
    done = applied("44", QNN, tmp_path / "out")
    (region,) = done.plan.regions
    assert [a.name for a in region.arguments] == ["x"]
    names = [c.name for c in region.constants]
    assert names[:6] == [
        "weight", "input_zero_point", "kernel_zero_point", "input_scale", "kernel_scale", "bias",
    ]  # fmt: skip
    assert names[6:] == ["input_scale_1", "input_zero_point_1", "output_scale", "output_zero_point"]
    assert all(c.embedded for c in region.constants)


def test_44_a_scale_that_is_computed_keeps_its_site_out(tmp_path: Path) -> None:
    text = model("44").read_text()
    text = text.replace("%x: Tensor[(1, 4, 8, 8), int8] /* ty=Tensor[(1, 4, 8, 8), int8] */",
                        "%x: Tensor[(1, 4, 8, 8), int8], %s: Tensor[(), float32]")  # fmt: skip
    text = text.replace("qnn.requantize(%1, 0.01f /* ty=float32 */", "qnn.requantize(%1, %s")
    other = tmp_path / "scale.relay"
    other.write_text(text)
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec(QNN), model=other)
    (only,) = caught.value.diagnostics
    assert "input_scale of %2 (qnn.requantize) is not constant: %s" in only.notes[0]


def test_44_a_model_without_quantised_ops_says_so() -> None:
    told = fault("14", QNN)
    assert told.code == "S283" and "The model has no qnn ops" in told.reason
    found = faults("44", f"prepare Legalize(FTVMQnnCanonicalize)\n{QNN}")
    assert {d.code for d in found} == {"S283", "S287"}
    assert any("The model has no qnn ops" in d.reason for d in found)


def test_14_boundaries_are_not_ids_of_the_model_before_prepare() -> None:
    spec = "prepare SimplifyInference\noffload pattern conv2d>relu to bmlib until %2"
    assert {d.code for d in faults("14", spec)} == {"S283"}


def test_18_remarks_and_operands_say_which_kernel_call_they_are_of() -> None:
    spec = "offload pattern relu(add(conv2d(*, *), residual:*)) to bmlib inplace(residual)"
    plan = planned("18", spec)
    (region,) = plan.regions
    assert region_remarks(plan, region) == [
        "%3: residual = %0",
        "%3: residual is not in place: %0 is also operand 0 of nn.conv2d in the kernel and is "
        "also an output",
        "%6: residual = %x",
        "%6: residual is not in place: %x is an input: its buffer is the caller's",
    ]
    first, second = region_kernels(plan, region)
    assert first.endswith(" with data=%0, w, data=%0")
    assert second.endswith(" with %3, w, residual=%x")
