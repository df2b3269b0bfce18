"""Real nets on the example backends: kernels fit their specs; libraries run by TVM alone, equal."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay
from tvm.contrib import graph_executor

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


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all nets' models and weights."""
    return tmp_path_factory.mktemp("work")


def prepared(net: str, work: Path) -> Path:
    """Make a net's model and weights, if they aren't there, as a user of the examples does."""
    script = str(ROOT / "examples" / "prepare_models.py")
    done = subprocess.run(
        [sys.executable, script, "--work", str(work), NETS[net]],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Path(done.stdout.strip())


@pytest.mark.parametrize("net", NETS)
def test_the_kernels_are_those_of_the_spec(net: str, work: Path, tmp_path: Path) -> None:
    model = prepared(net, work)
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
    assert "not filled in" not in source.read_text()


def made_library(net: str, build: Path) -> None:
    """Make a net's kernels, in a folder of the test's."""
    subprocess.run(
        ["make", "-s", "-C", str(BMLIB), f"BUILD={build}", f"PYTHON={sys.executable}",
         str(build / f"libbmlib_{net}.so")],
        check=True,
    )  # fmt: skip


def offloaded(
    spec: str, model: Path, folder: Path, params: Path | None = None
) -> tuple[api.Applied, Path]:
    """Apply one of the specs; return what was done, and the library alone in another folder."""
    text = (ROOT / "specs" / f"{spec}.surgery").read_text()
    if spec.startswith("bmlib_"):
        made_library(spec.removeprefix("bmlib_"), folder / "made")
        text = text.replace("../examples/bmlib/build", str(folder / "made"))
    out = folder / "net.out"
    applied = api.apply(
        api.parse_spec(text), out, model=model, params=params, base=ROOT / "specs", build=True,
        verify=False, allow_code=spec.startswith("te_"),
    )  # fmt: skip
    recipe = json.loads((out / "recipe.json").read_text())
    (out / "lib").rename(folder / "alone")
    shutil.rmtree(out)
    shutil.rmtree(folder / "made", ignore_errors=True)
    return applied, folder / "alone" / Path(recipe["stages"][0]["library"]).name


def run_alone(library: Path, inputs: dict[str, np.ndarray], folder: Path) -> list[np.ndarray]:
    """Run a library in a process that imports TVM and NumPy only."""
    np.savez(folder / "in.npz", **inputs)
    script = str(ROOT / "examples" / "run_library.py")
    files = [str(folder / "in.npz"), str(folder / "out.npz")]
    subprocess.run([sys.executable, "-I", script, str(library), *files], check=True)
    with np.load(folder / "out.npz") as results:
        return [results[name] for name in results.files]


def run_by_tvm(
    model: Path, params: Path, inputs: dict[str, np.ndarray], opt_level: int
) -> list[np.ndarray]:
    """Build a net as it is by TVM alone, and run it."""
    weights = relay.load_param_dict(params.read_bytes())
    with tvm.transform.PassContext(opt_level=opt_level):
        built = relay.build(tvm.ir.load_json(model.read_text()), target="llvm", params=weights)
    runner = graph_executor.GraphModule(built["default"](tvm.cpu()))
    runner.run(**inputs)
    return [runner.get_output(i).numpy() for i in range(runner.get_num_outputs())]


def test_a_trained_net_gives_its_known_result_in_a_fresh_process(
    work: Path, tmp_path: Path
) -> None:
    applied, library = offloaded("bmlib_cls", prepared("cls", work), tmp_path)
    assert sum(len(r.composites) for r in applied.plan.regions) == CALLS["cls"]
    with np.load(ROOT / "examples" / "models" / "rapidocr_cls.io.npz") as known:
        (found,) = run_alone(library, {"x": known["in:x"]}, tmp_path)
        np.testing.assert_allclose(found, known["out:0"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("net", "data"), [("resnet18", "pixel_values"), ("mobilenet", "data")])
def test_a_convolution_net_equals_itself_built_by_tvm(
    net: str, data: str, work: Path, tmp_path: Path
) -> None:
    model = prepared(net, work)
    params = model.with_suffix(".params")
    applied, library = offloaded(f"bmlib_{net}", model, tmp_path, params)
    assert sum(len(r.composites) for r in applied.plan.regions) == CALLS[net]
    value = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype("float32")
    found = run_alone(library, {data: value}, tmp_path)
    for one, other in zip(found, run_by_tvm(model, params, {data: value}, 1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())


#: Token ids of the BERT.
TOKENS = {"x": np.random.default_rng(0).integers(0, 30000, (1, 128)).astype("int32")}


@pytest.fixture(scope="module")
def two_layers(
    work: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, list[np.ndarray]]:
    """Return the first two layers of the BERT: model, weights and what TVM alone computes."""
    folder = tmp_path_factory.mktemp("two_layers")
    whole = prepared("bert", work)
    done = api.apply(
        api.parse_spec("output only last(layer_._1) as hidden"), folder / "net.out", model=whole,
        params=whole.with_suffix(".params"), build=False, verify=False,
    )  # fmt: skip
    (stage,) = done.recipe.stages
    model, params = (folder / "net.out" / f for f in (stage.module, stage.params))
    return model, params, run_by_tvm(model, params, TOKENS, 1)


@pytest.mark.parametrize("spec", ["bmlib_bert", "te_bert"])
def test_layers_of_a_bert_equal_themselves_built_by_tvm(
    spec: str, two_layers: tuple[Path, Path, list[np.ndarray]], tmp_path: Path
) -> None:
    model, params, wanted = two_layers
    applied, library = offloaded(spec, model, tmp_path, params)
    calls = Counter(c.name for r in applied.plan.regions for c in r.composites)
    assert sorted(calls.values()) == [2, 2, 10]  # gelu, attention and dense layers
    for one, other in zip(run_alone(library, TOKENS, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())
