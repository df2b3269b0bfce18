"""Conversion in a process of its own: cache, what fails, what is missing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import surgery
from surgery.api.bisecting import bisect
from surgery.api.comparing import compare_models
from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends import conversion, registry
from surgery.engines.relay.frontends.base import Package
from surgery.graph import TensorType
from tests.engines.relay.frontends.onnx_nets import classifier

IMAGE = {"image": TensorType((1, 3, 8, 8), "float32")}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("SURGERY_CACHE", str(place))
    return place


def codes(failure: pytest.ExceptionInfo[SurgeryError]) -> list[str]:
    return [d.code for d in failure.value.diagnostics]


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.exists() else []


def test_a_model_is_converted_once(tmp_path: Path, cache: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    said: list[str] = []
    first = surgery.load_model(path, progress=lambda event, *_: said.append(event))
    assert any("converting" in event for event in said)
    (entry,) = entries(cache)
    said.clear()
    second = surgery.load_model(path, progress=lambda event, *_: said.append(event))
    assert not said and entries(cache) == [entry]
    main = second.module.main
    assert [main.names[i] for i in range(len(main))] == list(first.module.main.names)
    assert second.path == str(path) and second.foreign == "ONNX"
    # Another content, or other bound types, are other conversions.
    classifier(tmp_path / "net.onnx", batch="n")
    surgery.load_model(path, inputs=IMAGE)
    surgery.load_model(path, inputs={"image": TensorType((2, 3, 8, 8), "float32")})
    assert len(entries(cache)) == 3


def test_names_weights_and_outputs_are_the_framework_s(tmp_path: Path) -> None:
    model = surgery.load_model(classifier(tmp_path / "net.onnx"))
    main = model.module.main
    named = {main.ops[i]: main.names[i] for i in range(len(main)) if main.kinds[i] == "call"}
    assert named["nn.conv2d"] == "net/conv" and named["nn.softmax"] == "head/softmax"
    weights = {main.names[i] for i in main.params if main.kinds[i] == "param"}
    assert weights == {"conv.weight", "conv.bias", "fc.weight", "fc.bias"}
    assert model.module.output_names == ("shares",)
    plan = surgery.plan(surgery.parse_spec("output net/relu as mid"), model=model).plan
    assert [o.name for o in plan.outputs] == ["shares", "mid"]


def test_a_damaged_entry_is_converted_again(tmp_path: Path, cache: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    surgery.load_model(path)
    (entry,) = entries(cache)
    (entry / "conversion.json").unlink()
    assert surgery.load_model(path).module.main.ops.count("nn.conv2d") == 1
    assert (entry / "conversion.json").is_file()


def test_without_a_cache_nothing_is_kept(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURGERY_CACHE", "off")
    surgery.load_model(classifier(tmp_path / "net.onnx"))
    assert not entries(cache)


def test_the_cache_keeps_within_its_size(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = classifier(tmp_path / "net.onnx", batch="n")
    monkeypatch.setenv("SURGERY_CACHE_GIB", "0.00001")
    for batch in (1, 2, 3):
        surgery.load_model(path, inputs={"image": TensorType((batch, 3, 8, 8), "float32")})
    assert len(entries(cache)) == 1


def test_open_dimensions_are_bound_by_the_spec(tmp_path: Path) -> None:
    path = classifier(tmp_path / "net.onnx", batch="n")
    with pytest.raises(SurgeryError) as caught:
        surgery.load_model(path)
    assert codes(caught) == ["S535"]
    assert "bind image: float32(?,3,8,8)" in caught.value.diagnostics[0].remedy
    text = f'model "{path}"; bind image: float32(2,3,8,8); cut after net/pool; verify'
    done = surgery.apply(surgery.parse_spec(text), tmp_path / "out")
    assert done.written and done.recipe.inputs[0].type == TensorType((2, 3, 8, 8), "float32")
    assert [o.name for o in done.recipe.outputs] == ["shares"]
    assert surgery.verify(tmp_path / "out").passed


def test_what_is_missing_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = classifier(tmp_path / "net.onnx")
    frontend = registry.recognise(path)
    assert frontend is not None
    absent = Package(distribution="onnx-not-there", module="onnx_not_there", tested=">=1")
    monkeypatch.setattr(type(frontend), "packages", (absent,))
    monkeypatch.setattr(registry, "frontends", lambda: (_Other(frontend, (absent,)),))
    with pytest.raises(SurgeryError) as caught:
        surgery.load_model(path)
    assert codes(caught) == ["S537"]
    assert caught.value.diagnostics[0].remedy == "pip install 'surgery[onnx]'"


class _Other:
    """A frontend with other packages."""

    def __init__(self, frontend: Any, packages: tuple[Package, ...]) -> None:
        self._frontend, self.packages = frontend, packages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._frontend, name)


def test_an_untried_version_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = classifier(tmp_path / "net.onnx")
    frontend = registry.recognise(path)
    old = Package(distribution="onnx", module="onnx", tested="<1")
    monkeypatch.setattr(registry, "frontends", lambda: (_Other(frontend, (old,)),))
    (warning,) = surgery.load_model(path).warnings
    assert warning.startswith("onnx ") and "was never tried" in warning


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "out of memory"),
        ("import os; os.write(1, b'the framework says so'); os._exit(3)", "the framework says so"),
    ],
)
def test_a_worker_that_dies_is_said(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    path = classifier(tmp_path / "net.onnx")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        f"import sys\nif 'surgery.engines.relay.frontends.worker' in sys.orig_argv:\n    {code}\n"
    )
    real = conversion._environment

    def environment() -> Mapping[str, str]:
        found = dict(real())
        found["PYTHONPATH"] = os.pathsep.join([str(broken), found["PYTHONPATH"]])
        return found

    monkeypatch.setattr(conversion, "_environment", environment)
    with pytest.raises(SurgeryError) as caught:
        surgery.load_model(path)
    assert codes(caught) == ["S538"]
    assert said in caught.value.diagnostics[0].reason
    assert not entries(cache)


def test_files_that_are_damaged_are_said(tmp_path: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(SurgeryError) as caught:
        surgery.load_model(path)
    assert codes(caught) == ["S503"]
    with pytest.raises(SurgeryError) as caught:
        surgery.load_model(classifier(tmp_path / "net.onnx"), tmp_path / "other.params")
    assert codes(caught) == ["S518"]


def test_it_equals_what_onnx_runtime_computes(tmp_path: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    found = compare_models(path)
    assert found.verification.passed and found.a.framework
    assert [r.name for r in found.verification.rows] == ["shares"]
    every = bisect(path, opt_a=1, opt_b=1, complete=True)
    assert not every.differs
    # Each node's result, as ONNX Runtime has it.
    assert len(every.search.measured) == 6


def test_a_wrong_weight_is_found_against_onnx_runtime(tmp_path: Path, cache: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    surgery.load_model(path)
    (entry,) = entries(cache)
    weights = load_file(entry / "params.safetensors")
    weights["conv.weight"][1] *= 1.5
    save_file(weights, entry / "params.safetensors")
    found = bisect(path, opt_a=1, opt_b=1)
    assert found.finding is not None and found.finding.name == "net/conv"
    assert not compare_models(path).verification.passed


def test_import_writes_what_reads_back_the_same(tmp_path: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    done = surgery.import_model(path, tmp_path / "m.json", tmp_path / "p.bin")
    assert done.params == tmp_path / "p.bin"
    whole = surgery.import_model(path, tmp_path / "whole.json")
    assert whole.params is None
    for a, params in ((tmp_path / "m.json", tmp_path / "p.bin"), (tmp_path / "whole.json", None)):
        same = compare_models(path, a, params_b=params, opt_a=1, opt_b=1)
        assert same.verification.passed and same.verification.max_abs == 0
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["attrs"]["tvm_version"]


def test_values_are_tapped_by_name(tmp_path: Path) -> None:
    path = classifier(tmp_path / "net.onnx")
    image = np.random.default_rng(3).normal(size=(1, 3, 8, 8)).astype("float32")
    tapped = surgery.tap(path, ["net/pool"], inputs={"image": image})
    assert tapped.arrays["net/pool"].shape == (1, 4, 1, 1)
