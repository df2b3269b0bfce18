"""Trained models of two frameworks: imported, cut, built, run, and equal to their frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

import surgery
from surgery.api.comparing import compare_models
from surgery.graph import TensorType

pytestmark = pytest.mark.usefixtures("own_cache")
DATA = Path(__file__).parent / "data"
CLASSIFIER, FACE = DATA / "rapidocr_cls.onnx", DATA / "face_short_range.tflite"
IMAGE = {"x": TensorType((1, 3, 48, 192), "float32")}


def test_an_ocr_net_of_onnx(tmp_path: Path) -> None:
    text = (
        f'model "{CLASSIFIER}"; bind x: float32(1,3,48,192); cut into 2 stages by flops; '
        "build opt 1; verify"
    )
    done = surgery.apply(surgery.parse_spec(text), tmp_path / "out")
    assert done.written and len(done.recipe.stages) == 2
    assert [o.name for o in done.recipe.outputs] == ["save_infer_model/scale_0.tmp_1"]
    found = compare_models(CLASSIFIER, tmp_path / "out", types=IMAGE)
    assert found.verification.passed
    by_framework = compare_models(CLASSIFIER, opt_a=1, opt_b=1, types=IMAGE)
    assert by_framework.a.framework and by_framework.verification.passed


def test_every_op_of_it_has_the_name_of_its_node() -> None:
    model = surgery.load_model(CLASSIFIER, inputs=IMAGE)
    main = model.module.main
    assert all(main.names[i] for i, kind in enumerate(main.kinds) if kind == "call")
    # A node without a name goes by what it computes, whatever else is in the file.
    assert set(model.foreign_values) >= {n for n in main.names if n and n.startswith("p2o.")}


def test_a_face_detector_of_tflite(tmp_path: Path) -> None:
    found = compare_models(FACE, opt_a=1, opt_b=1)
    assert found.a.framework and found.verification.passed
    assert [r.name for r in found.verification.rows] == ["regressors", "classificators"]
    text = f'model "{FACE}"; cut into 2 stages by flops; build opt 1; verify'
    done = surgery.apply(surgery.parse_spec(text), tmp_path / "out")
    assert done.written and len(done.recipe.stages) == 2


def test_weights_of_tflite_have_the_file_s_names() -> None:
    model = surgery.load_model(FACE)
    assert {"conv2d/Kernel", "conv2d/Bias"} <= model.params.keys()
    plan = surgery.plan(surgery.parse_spec("output last(conv2d_3) as inner"), model=model).plan
    assert plan.outputs[-1].name == "inner"


@pytest.mark.parametrize("size", [0, 7, 8, 100, 5000, 100_000])
def test_a_tflite_file_that_is_cut_off(tmp_path: Path, size: int) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(FACE.read_bytes()[:size])
    with pytest.raises(surgery.SurgeryError) as caught:
        surgery.load_model(path)
    assert caught.value.diagnostics[0].code in ("S501", "S503", "S540")


def test_what_tflite_fixes_can_not_be_bound_otherwise() -> None:
    with pytest.raises(surgery.SurgeryError) as caught:
        surgery.load_model(FACE, inputs={"input": TensorType((2, 128, 128, 3), "float32")})
    assert caught.value.diagnostics[0].code == "S541"
    with pytest.raises(surgery.SurgeryError) as caught:
        surgery.load_model(FACE, inputs={"image": TensorType((1, 128, 128, 3), "float32")})
    assert caught.value.diagnostics[0].reason == "its inputs are input"
