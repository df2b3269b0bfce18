"""%60 and %80 of real models are what NumPy computes; all of a BERT fits into two gigabytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery.api as api
from examples.prepare_models import prepare
from surgery.engines import get_engine
from tests.models.numpy_graph import evaluate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def loaded(name: str, folder: Path) -> Any:
    """Return one of the example models, or TVM's ResNet-50 with random weights."""
    engine = get_engine("relay")
    if name == "resnet50":
        from tvm.relay.testing import resnet

        module, params = resnet.get_workload(num_layers=50, image_shape=(3, 224, 224))
        return engine.adopt(module, params)
    path = prepare(name, folder)
    weights = path.with_suffix(".params")
    return engine.load(str(path), str(weights) if weights.exists() else None)


@pytest.mark.parametrize(
    ("name", "opt"),
    [
        ("rapidocr_cls", 1),
        pytest.param("onnx_resnet18", 3, marks=pytest.mark.models),
        pytest.param("resnet50", 3, marks=pytest.mark.models),
        pytest.param("tf_bert_12l", 1, marks=pytest.mark.models),
    ],
)
def test_values_are_what_numpy_computes(folder: Path, name: str, opt: int) -> None:
    engine = get_engine("relay")
    model = loaded(name, folder)
    graph = model.module.main
    given = [graph.names[p] for p in graph.params if graph.kinds[p] == "input"]
    selectors = ["%60", "%80", "%20", *(f'%"{n}"' for n in given)]
    tapped = api.tap(model, selectors, seed=0, opt_level=opt)
    by_label = {v.label: v for v in tapped.values}
    fixed = [i for i, k in enumerate(graph.kinds) if k in ("constant", "param")]
    leaves = dict(engine.weights(model, fixed))
    for parameter in graph.params:
        if graph.kinds[parameter] == "input":
            leaves[parameter] = tapped.arrays[by_label[graph.label(parameter)].key]
    wanted = [by_label[label] for label in ("%20", "%60", "%80")]
    expected = evaluate(graph, [v.ref for v in wanted], leaves)
    for value in wanted:
        right = expected[value.ref]
        scale = float(np.abs(right).max())
        assert scale > 0
        np.testing.assert_allclose(
            tapped.arrays[value.key], right, rtol=1e-3, atol=1e-4 * scale, err_msg=value.label
        )


@pytest.mark.models
def test_everything_in_a_bert_stays_within_the_bound(folder: Path, tmp_path: Path) -> None:
    path = prepare("tf_bert_12l", folder)
    arguments = [
        "tap", str(path), "--params", str(path.with_suffix(".params")), "--all", "--seed", "0",
        "--memory", "2G", "-o", str(tmp_path / "all.npz"), "--json",
    ]  # fmt: skip
    # The measurement is the kernel's, of the whole process, in KiB.
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'surgery', *sys.argv[1:]])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
        "sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path,
        check=False, env={**os.environ, "PYTHONPATH": str(ROOT), "TOPHUB_LOCATION": "NONE"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    values = {v["key"]: v for v in found["values"]}
    assert len(values) == 980
    assert int(done.stderr.split()[-1]) * 1024 < 2 << 30
    assert (found["builds"], found["diagnostics"]) == (1, [])
    nbytes = 0
    with np.load(tmp_path / "all.npz") as saved:
        for key in saved.files:
            nbytes += saved[key].nbytes
            assert list(saved[key].shape) == values[key]["shape"]
    assert nbytes > 8e8  # far from what is left beside the compiler
