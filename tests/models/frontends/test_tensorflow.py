"""Whole models of TensorFlow and Keras (random weights): Relay computes what TensorFlow does."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.models
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="no tensorflow")
@pytest.mark.parametrize("name", ["bert", "distilbert", "gpt2", "ResNet50", "MobileNetV2"])
def test_whole_model(tmp_path: Path, name: str) -> None:
    # TensorFlow can't be imported where TVM is already.
    if name in ("bert", "distilbert", "gpt2"):
        pytest.importorskip("tf_keras")
        if importlib.util.find_spec("transformers") is None:
            pytest.skip("no transformers")
    script = Path(__file__).with_name("whole_tensorflow.py")
    done = subprocess.run(
        [sys.executable, str(script), name, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
