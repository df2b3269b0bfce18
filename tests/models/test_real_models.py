"""Real imports: a 12-layer TensorFlow BERT and a trained OCR classifier from a PyPI package."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"
OCR_SPEC = """
offload pattern conv2d>bn>(relu|clip)? to bmlib as conv_bn
offload pattern conv2d>add to bmlib as conv_bias
cut after nth(op conv2d, 15)
cut after nth(op conv2d, 35)
build opt 1
"""


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert") / "bert.json"
    path.write_bytes(lzma.decompress((MODELS / "tf_bert_12l.json.xz").read_bytes()))
    return path


def without_places(value: object) -> object:
    if isinstance(value, dict):
        return {k: without_places(v) for k, v in value.items() if k != "place"}
    return [without_places(v) for v in value] if isinstance(value, list) else value


def test_two_values_cross_the_cut_of_a_bert(bert: Path) -> None:
    spec = api.load_spec(ROOT / "specs" / "bert_split.yaml")
    plan = api.plan(spec, model=bert).plan
    graph = plan.module.main
    assert [(c.name, str(c.type), graph.label(c.ref)) for c in plan.crossings] == [
        ("mask", "float32(1,1,1,128)", "%41"),
        ("hidden", "float32(1,128,768)", "%338"),
    ]
    mask, hidden = plan.crossings
    assert (mask.type.nbytes, hidden.type.nbytes) == (512, 393216)
    assert len(mask.uses) == 8  # once a later layer
    assert [s.op_count for s in plan.stages] == [339, 641]


def test_the_text_and_the_yaml_form_give_one_plan(bert: Path) -> None:
    plans = [
        without_places(api.plan(api.load_spec(ROOT / "specs" / name), model=bert).as_json())
        for name in ("bert_split.yaml", "bert_split.surgery")
    ]
    assert plans[0] == plans[1]


def test_the_printed_text_of_a_bert_is_the_same_model(bert: Path, tmp_path: Path) -> None:
    # TVM itself can't read this text: its names hold `_._` and its numbers are what it prints.
    listing = tmp_path / "bert.relay"
    text = tvm.ir.load_json(bert.read_text()).astext()
    listing.write_text(text)
    spec = "output %41 as mask; cut after layer_._3"
    from_text = api.plan(api.parse_spec(spec), model=listing).plan
    from_json = api.plan(api.parse_spec(spec), model=bert).plan
    assert [c.name for c in from_text.crossings] == [c.name for c in from_json.crossings]
    assert [s.nodes for s in from_text.stages] == [s.nodes for s in from_json.stages]
    one, two = from_text.module.main, from_json.module.main
    assert [one.names[i] for i in one.by_number.values()] == [
        two.names[i] for i in two.by_number.values()
    ]


def test_all_dense_layers_of_a_bert_are_offloaded(bert: Path) -> None:
    spec = "output %41 as mask; cut after layer_._3; offload pattern dense>reshape>add to bmlib"
    planned = api.plan(api.parse_spec(f"{spec} expect 72"), model=bert)
    assert planned.model is not None and planned.engine is not None
    operated = planned.engine.operate(planned.model, planned.plan)
    for region in planned.plan.regions:
        function = operated[region.symbol]
        assert len(function.params) == len(region.arguments) == 3
        assert list(function.body.args) == list(function.params)
    passes = api.compile(spec, model=bert).passes
    assert all(isinstance(p, tvm.transform.Pass) for p in passes)
    with tvm.transform.PassContext(opt_level=3):
        again = tvm.transform.Sequential(list(passes))(tvm.ir.load_json(bert.read_text()))
    assert tvm.ir.structural_equal(again, operated)


def test_a_trained_classifier_in_three_stages_reproduces_its_scores(tmp_path: Path) -> None:
    model = MODELS / "rapidocr_cls.json.xz"
    out = tmp_path / "ocr.out"
    done = api.apply(api.parse_spec(OCR_SPEC), out, model=model, verify=True)
    assert done.verification is not None and done.verification.passed
    assert len(done.plan.stages) == 3
    assert sum(len(r.composites) for r in done.plan.regions) >= 50
    with np.load(MODELS / "rapidocr_cls.io.npz") as io:
        inputs, scores = {"x": io["in:x"]}, io["out:0"]
    outputs = api.run(out, inputs).outputs
    np.testing.assert_allclose(outputs["out0"], scores, rtol=1e-4, atol=1e-5)
    recipe = json.loads((out / "recipe.json").read_text())
    assert all((out / s["library"]).is_file() for s in recipe["stages"])


def test_a_library_runs_in_a_process_that_never_imports_surgery(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data, weight = relay.var("data", shape=(1, 8, 6, 6)), relay.var("weight", shape=(8, 8, 1, 1))
    names = ("bias", "gamma", "beta", "mean", "var")
    channel = {n: relay.var(n, shape=(8,)) for n in names}
    conv = relay.nn.conv2d(data, weight, channels=8, kernel_size=(1, 1))
    biased = relay.add(relay.reshape(channel["bias"], (1, 8, 1, 1)), conv)
    normal = relay.nn.batch_norm(biased, *(channel[n] for n in names[1:]))
    function = relay.Function([data, weight, *channel.values()], relay.nn.relu(normal[0]))
    values = {n: rng.random(8, dtype="float32") + np.float32(0.5) for n in names}
    values["weight"] = rng.standard_normal((8, 8, 1, 1)).astype("float32")
    out = tmp_path / "out"
    done = api.apply(
        api.parse_spec(
            "bind all params; offload pattern reshape>conv2d>add>bn>relu to bmlib; build"
        ),
        out,
        model=tvm.IRModule.from_expr(function),
        params=values,
    )
    (region,) = done.recipe.backends[0].regions
    assert [i.name for i in region.inputs] == ["data"] and len(region.constants) == 6
    x = rng.standard_normal((1, 8, 6, 6)).astype("float32")
    np.savez(tmp_path / "in.npz", data=x)
    subprocess.run(
        [
            sys.executable, "-I", str(ROOT / "examples" / "run_library.py"),
            str(out / "lib" / "stage0.so"), str(tmp_path / "in.npz"), str(tmp_path / "out.npz"),
        ],
        check=True,
    )  # fmt: skip
    with np.load(tmp_path / "out.npz") as results:
        actual = results["arr_0"]

    def shaped(name: str) -> np.ndarray:
        return values[name].reshape(1, 8, 1, 1)

    conv_value = np.einsum("oi,nihw->nohw", values["weight"][:, :, 0, 0], x)
    scale = shaped("gamma") / np.sqrt(shaped("var") + 1e-5)
    expected = (conv_value + shaped("bias") - shaped("mean")) * scale + shaped("beta")
    np.testing.assert_allclose(actual, np.maximum(expected, 0), rtol=1e-4, atol=1e-5)
