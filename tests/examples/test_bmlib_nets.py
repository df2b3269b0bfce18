"""Real nets on the example library: the kernels fit their specs; one net is run and compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import surgery.api as api
from surgery.stubs import symbols_in

ROOT = Path(__file__).parents[2]
BMLIB = ROOT / "examples" / "bmlib"
NETS = {
    "cls": "rapidocr_cls",
    "resnet18": "onnx_resnet18",
    "mobilenet": "mobilenet",
    "bert": "tf_bert_12l",
}
#: All convolutions (and the ResNet's classifier); of each of BERT's 12 layers 5 dense layers, one
#: with gelu, and the attention.
CALLS = {"cls": 53, "resnet18": 21, "mobilenet": 27, "bert": 84}


def prepared(net: str, work: Path) -> Path:
    """Make a net's model and weights as a user of the examples does."""
    script = str(ROOT / "examples" / "prepare_models.py")
    done = subprocess.run(
        [sys.executable, script, "--work", str(work), NETS[net]],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Path(done.stdout.strip())


@pytest.mark.parametrize("net", NETS)
def test_the_kernels_are_those_of_the_spec(net: str, tmp_path: Path) -> None:
    model = prepared(net, tmp_path)
    weights = model.with_suffix(".params")
    made = api.stub(
        api.load_spec(ROOT / "specs" / f"bmlib_{net}.surgery"), tmp_path / "stub",
        model=model, params=weights if weights.exists() else None,
    )  # fmt: skip
    assert sum(len(k.sites) for k in made.kernels) == CALLS[net]
    header, source = (BMLIB / "kernels" / f"{net}{suffix}" for suffix in (".h", ".c"))
    assert (tmp_path / "stub" / header.name).read_text() == header.read_text()
    symbols = [k.symbol for k in made.kernels]
    assert list(symbols_in(source.read_text(), symbols)) == symbols
    assert "NOT_FILLED_IN" not in source.read_text()


def test_a_trained_net_gives_its_known_result_in_a_fresh_process(tmp_path: Path) -> None:
    model = prepared("cls", tmp_path)
    build = tmp_path / "lib"
    subprocess.run(
        ["make", "-s", "-C", str(BMLIB), f"BUILD={build}", f"PYTHON={sys.executable}",
         str(build / "libbmlib_cls.so")],
        check=True,
    )  # fmt: skip
    text = (ROOT / "specs" / "bmlib_cls.surgery").read_text()
    spec = api.parse_spec(text.replace("../examples/bmlib/build", str(build)))
    out = tmp_path / "cls.out"
    applied = api.apply(
        spec, out, model=model, base=ROOT / "specs", build=True, verify=False
    )  # fmt: skip
    assert sum(len(r.composites) for r in applied.plan.regions) == CALLS["cls"]
    recipe = json.loads((out / "recipe.json").read_text())
    with np.load(ROOT / "examples" / "models" / "rapidocr_cls.io.npz") as known:
        np.savez(tmp_path / "in.npz", x=known["in:x"])
        wanted = known["out:0"]
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / "run_library.py"),
         str(out / recipe["stages"][0]["library"]), str(tmp_path / "in.npz"),
         str(tmp_path / "out.npz")],
        check=True,
    )  # fmt: skip
    with np.load(tmp_path / "out.npz") as results:
        np.testing.assert_allclose(results["arr_0"], wanted, rtol=1e-4, atol=1e-5)
