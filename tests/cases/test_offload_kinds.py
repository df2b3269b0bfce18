"""More situations of the kinds 02, 14, 15, 20, 22: other operands, branches, dtypes, users."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tvm
from tvm import relay

import surgery.api as api
from surgery.planning import Plan
from surgery.report.model import region_kernels
from tests.cases.support import reasons

HEAD = '#[version = "0.0.5"]\n'
X = "Tensor[(1, 4, 8, 8), float32]"
W = "Tensor[(4, 4, 1, 1), float32]"
CONV = "padding=[0, 0, 0, 0], channels=4, kernel_size=[1, 1]"


def written(text: str, folder: Path) -> Path:
    path = folder / "model.relay"
    path.write_text(HEAD + text)
    return path


def planned(text: str, spec: str, folder: Path) -> Plan:
    return api.plan(api.parse_spec(spec), model=written(text, folder)).plan


def applied(text: str, spec: str, folder: Path) -> Plan:
    done = api.apply(
        api.parse_spec(spec), folder / "out", model=written(text, folder), build=True, verify=True
    )
    assert done.verification is not None and done.verification.passed
    return done.plan


def test_14_what_no_boundary_reaches_is_offloaded_whatever_its_place(tmp_path: Path) -> None:
    """A branch beside the boundary is listed after it, and doesn't depend on it."""
    plan = planned(
        """def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(8, 8), float32]) {
          %0 = nn.dense(%x, %w, units=8);
          %1 = nn.relu(%0);
          %2 = argmax(%1, axis=[1]);
          %3 = take(%w, %2, axis=0);
          %4 = nn.dense(%3, %w, units=8);
          %5 = nn.relu(%4);
          %6 = nn.dense(%1, %w, units=8);
          %7 = nn.relu(%6);
          (%5, %7)
        }""",
        "offload pattern dense>relu to bmlib until op argmax expect 2",
        tmp_path,
    )
    assert reasons(plan) == {"%4": "after boundary %2"}
    assert [c.name for r in plan.regions for c in r.composites] == ["bmlib.dense_relu"] * 2


def test_15_every_user_and_every_output_is_named(tmp_path: Path) -> None:
    text = f"""def @main(%x: {X}, %w: {W}, %b: Tensor[(4), float32]) {{
      %0 = nn.conv2d(%x, %w, {CONV});
      %1 = nn.bias_add(%0, %b);
      %2 = nn.relu(%1);
      %3 = exp(%0);
      %4 = (%2, %1);
      %5 = concatenate(%4, axis=1);
      (%5, %3, %1)
    }}"""
    spec = "offload pattern conv2d>bias_add>relu to bmlib optional; output %0 as raw"
    assert reasons(planned(text, spec, tmp_path)) == {
        "%2": "%0 (nn.conv2d) is used outside the match by: output `raw` that the spec adds, "
        "%3 (exp); %1 (nn.bias_add) is used outside the match by: output 2, %5 (concatenate)"
    }


def test_20_consumers_that_need_a_type_get_one(tmp_path: Path) -> None:
    """``split`` and ``where`` are typed from what the region's function returns."""
    plan = applied(
        """def @main(%a: Tensor[(6, 4), float32]) {
          %0 = multiply(%a, %a);
          %1 = nn.relu(%0);
          %2 = split(%1, indices_or_sections=2, axis=0);
          %3 = %2.0;
          %4 = %2.1;
          %5 = greater(%3, 0.5f);
          where(%5, %3, %4)
        }""",
        "offload pattern multiply>relu to bmlib; offload pattern greater to other",
        tmp_path,
    )
    assert [r.symbol for r in plan.regions] == ["bmlib_multiply_relu_0", "other_greater_0"]
    assert [a.name for a in plan.regions[0].arguments] == ["a", "a_1"], "one arity, whatever reads"


def test_22_a_residual_that_descends_from_elsewhere_is_an_operand(tmp_path: Path) -> None:
    plan = applied(
        f"""def @main(%x: {X}, %w: {W}, %s: {X}) {{
          %0 = nn.conv2d(%x, %w, {CONV});
          %1 = nn.relu(%0);
          %2 = exp(%s);
          %3 = add(%2, %1);
          %4 = cast(%3, dtype="float64");
          reshape(%4, newshape=[1, -1])
        }}""",
        "offload pattern conv2d>elementwise*>reshape to bmlib",
        tmp_path,
    )
    (region,) = plan.regions
    (call,) = region_kernels(plan, region)
    assert call.endswith(" with x, w, lhs=%2")
    assert region.notes[-1] == "elementwise*: %1 (nn.relu), %3 (add), %4 (cast)"
    assert str(region.output_types[0]) == "float64(1,256)"


def test_22_an_op_on_a_path_beside_the_chain_keeps_the_site_out(tmp_path: Path) -> None:
    text = f"""def @main(%x: {X}, %w: {W}) {{
      %0 = nn.conv2d(%x, %w, {CONV});
      %1 = nn.relu(%0);
      %2 = mean(%1, axis=[2, 3], keepdims=True);
      %3 = multiply(%1, %2);
      reshape(%3, newshape=[1, -1])
    }}"""
    plan = planned(text, "offload pattern conv2d>elementwise*>reshape to bmlib optional", tmp_path)
    assert reasons(plan) == {
        "result": "%1 (nn.relu) is used outside the match by: %2 (mean)",
    }


def test_35_an_extern_op_with_constant_operands(tmp_path: Path) -> None:
    """Non-maximum suppression: TVM can't put its two scalars into the kernel of a region."""
    boxes = relay.var("x", shape=(1, 5, 6))
    valid = relay.vision.get_valid_counts(boxes, 0.0, id_index=0, score_index=1)
    kept = relay.vision.non_max_suppression(
        valid[1], valid[0], valid[2], -1, 0.5, force_suppress=True, top_k=2, return_indices=False
    )
    model = tmp_path / "detector.json"
    model.write_text(tvm.ir.save_json(tvm.IRModule.from_expr(relay.Function([boxes], kept))))
    done = api.apply(
        api.parse_spec("offload op vision.* to lib expect 1"),
        tmp_path / "out",
        model=model,
        build=True,
        verify=True,
    )
    assert done.verification is not None and done.verification.passed
    (region,) = done.plan.regions
    assert len(region.composites) == 1


def test_35_an_op_that_names_a_float_can_be_built_and_offloaded(tmp_path: Path) -> None:
    """Linear resizing: LLVM refuses what TVM 0.19 writes for it (named_values.py)."""
    image = relay.var("x", shape=(1, 2, 4, 4))
    resized = relay.nn.relu(relay.image.resize2d(image, size=(8, 8)))
    model = tmp_path / "resize.json"
    model.write_text(tvm.ir.save_json(tvm.IRModule.from_expr(relay.Function([image], resized))))
    plain = api.apply(api.parse_spec("build opt 3"), tmp_path / "plain", model=model, build=True)
    (tmp_path / "lowerings.py").write_text(
        "from tvm import topi\n"
        "def resize2d(call, inputs):\n"
        "    a = call.op.body.attrs\n"
        "    return topi.image.resize2d(inputs[0], [0.0] * 4, [int(s) for s in a.size],\n"
        "        layout=a.layout, method=a.method, rounding_method=a.rounding_method,\n"
        "        coordinate_transformation_mode=a.coordinate_transformation_mode)\n"
    )
    spec = tmp_path / "net.surgery"
    spec.write_text('backend b { via te "lowerings.py" }\noffload op image.resize2d to b\n')
    done = api.apply(
        api.load_spec(spec),
        tmp_path / "out",
        model=model,
        build=True,
        verify=True,
        allow_code=True,
    )
    data = {"x": np.random.default_rng(1).standard_normal((1, 2, 4, 4)).astype("float32")}
    left, right = (api.run(d.folder, data).outputs for d in (plain, done))
    for name, value in left.items():
        np.testing.assert_allclose(value, right[name], rtol=1e-5, atol=1e-6)
    assert len(done.plan.regions) == 1
