"""Whole models of each framework: imported, cut, built, run; equal to their own framework."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
# Of a value's largest part; float32 sums of some thousand products, in another order.
RTOL = ATOL = 1e-3
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
    folder: Path, path: Path, binds: Sequence[str], inputs: Path, *more: str
) -> list[str]:
    """Cut a model in two, build it, and compare both with the framework; return outputs' names."""
    cache, out = folder / "cache", folder / "out"
    bound = [word for bind in binds for word in ("--bind", bind)]
    text = (
        f'model "{path}"; ' + "".join(f"bind {b}; " for b in binds) + "cut into 2 stages by flops"
    )
    surgery(cache, "apply", f"{text}; verify", "-o", out, "--inputs", inputs, *more)
    stages = json.loads((out / "recipe.json").read_text(encoding="utf-8"))["stages"]
    assert len(stages) == 2 and all((out / stage["library"]).is_file() for stage in stages)
    found = surgery(
        cache, "verify", path, out, "--framework", *bound, "--inputs", inputs, "--json",
        "--rtol", str(RTOL), "--atol", str(ATOL), *more,
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
