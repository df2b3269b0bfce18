"""ONNX's own tests of its operators: converted and equal, or refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends.base import Request
from surgery.graph import TensorType
from tests.engines.relay.frontends import built

onnx = pytest.importorskip("onnx")

from onnx import ModelProto, TensorProto, numpy_helper  # noqa: E402

from surgery.engines.relay.frontends.onnx import FRONTEND  # noqa: E402

#: Inputs behind the first of these, and whole numbers of all, are weights in models that people
#: have; ONNX's tests give them while the model runs.
FIXED = frozenset(
    {"Clip", "ConvInteger", "DequantizeLinear", "MatMulInteger", "NonMaxSuppression", "OneHot"}
    | {"Pad", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "Range", "Resize", "Upsample"}
)
#: What TVM's kernels compute otherwise, by a part of the test's name.
OTHERWISE = {
    "bernoulli": "random numbers",
    "DOUBLE_to_FLOAT16": "infinity becomes NaN in TVM's cast",
    "mod_float_edge_cases_fmod_0": "infinity and zero as divisors",
    "iou_threshold_boundary": "TVM takes a box out at the threshold, not above it",
    "reduce_min_empty_set": "the largest finite number in place of infinity",
    "reduce_max_empty_set": "the smallest finite number in place of infinity",
    "reduce_sum_empty_set_non_reduced": "TVM compiles no reduction without a result",
    "top_k_uint64": "TVM sorts no uint64",
    "nan_robustness": "the maximum of infinities below is the smallest finite number",
    "fullymasked": "the maximum of infinities below is the smallest finite number",
    "structural_empty": "the maximum of infinities below is the smallest finite number",
    "qk_matmul_output_mode3_softmax_precision": "the same",
    "resize_downsample_scales_linear_align_corners": "as ONNX Runtime, not as the test has it",
    "resize_downsample_scales_cubic_align_corners": "as ONNX Runtime, not as the test has it",
}
#: Values that aren't tensors, types without arithmetic, results whose shapes are computed.
LEFT_OUT = ("seq", "optional", "_opt", "bf16", "bfloat16", "BFLOAT16", "window")


def cases() -> Mapping[str, Any]:
    from onnx.backend.test.case.node import collect_testcases

    found = {case.name: case for case in collect_testcases(None)}
    return {n: c for n, c in found.items() if not any(part in n for part in LEFT_OUT)}


CASES = cases()


def array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def fixed(case: Any) -> tuple[Any, dict[str, Any]]:
    """Return the model with weights in it, and the other inputs."""
    model = ModelProto()
    model.CopyFrom(case.model)
    inputs = dict(
        zip([i.name for i in model.graph.input], map(array, case.data_sets[0][0]), strict=False)
    )
    kinds = {node.op_type for node in model.graph.node}
    for place, name in enumerate(list(inputs)):
        whole = inputs[name].dtype.kind in "iu" and "expanded" not in case.name
        if place and (kinds & FIXED or whole):
            value = next(i for i in model.graph.input if i.name == name)
            model.graph.input.remove(value)
            model.graph.initializer.append(numpy_helper.from_array(inputs.pop(name), name))
    return model, inputs


@pytest.mark.models
@pytest.mark.parametrize("name", CASES)
def test_operator(name: str, tmp_path: Path) -> None:
    model, inputs = fixed(CASES[name])
    path = tmp_path / "one.onnx"
    onnx.save(model, path)
    types = {n: TensorType(a.shape, str(a.dtype)) for n, a in inputs.items()}
    try:
        made = FRONTEND.convert(Request(path=path, inputs=types), built.quiet)
    except SurgeryError as failure:
        (found,) = failure.diagnostics
        assert found.code in ("S534", "S535", "S536") and found.reason and found.remedy
        return
    if any(part in name for part in OTHERWISE):
        return
    wanted = [array(value) for value in CASES[name].data_sets[0][1]]
    results = built.run(made, inputs)
    assert len(results) == len(wanted)
    for result, right in zip(results, wanted, strict=True):
        assert (result.shape, result.dtype) == (right.shape, right.dtype)
        half = right.dtype == "float16"
        np.testing.assert_allclose(
            result, right, rtol=5e-3 if half else 1e-3, atol=5e-3 if half else 5e-4
        )
