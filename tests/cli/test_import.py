"""`surgery import`, `--bind` and the cache, end to end, on a trained OCR net of ONNX."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from tests.cli.ran import ROOT, Surgery

NET = str(ROOT / "tests/engines/relay/frontends/data/rapidocr_cls.onnx")
BIND = ("--bind", "x: float32(1,3,48,192)")
OUTPUT = "save_infer_model/scale_0.tmp_1"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SURGERY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("weights", ["net.params", "net.safetensors", None])
def test_a_model_and_its_weights(surgery: Surgery, tmp_path: Path, weights: str | None) -> None:
    params = [] if weights is None else ["--params", weights]
    ran = surgery("import", NET, *BIND, "-o", "net.json", *params, "--json")
    assert ran.status == 0, ran.err
    assert ran.json["inputs"] == [{"name": "x", "type": "float32(1,3,48,192)"}]
    assert ran.json["outputs"] == [OUTPUT] and ran.json["params"] == weights
    again = [] if weights is None else ["--params-b", weights]
    same = surgery(
        "verify", NET, "net.json", *BIND, "--framework", *again, "--opt-b", "1", "--json"
    )
    assert same.status == 0, same.out + same.err
    assert same.json["verification"]["passed"]
    shown = surgery("show", "net.json", 'last("Conv@0")', "--format", "json")
    assert shown.status == 0 and "Conv@0" in shown.out, shown.err


def test_sizes_that_are_open_are_asked_for(surgery: Surgery, tmp_path: Path) -> None:
    ran = surgery("import", NET, "-o", "net.json")
    assert ran.status == 5
    assert "--bind 'x: float32(?,3,?,?)'" in ran.err and "Traceback" not in ran.err
    assert not (tmp_path / "net.json").exists()
    other = surgery("import", NET, "--bind", "y: float32(1)", "-o", "net.json")
    assert other.status == 5 and "its inputs: x" in other.err


def test_a_model_is_converted_once(surgery: Surgery, cache: Path) -> None:
    first = surgery("show", NET, "%1", *BIND)
    assert first.status == 0 and "converting" in first.err
    entries = sorted(p for p in cache.rglob("*") if p.is_file())
    assert entries
    second = surgery("show", NET, "%1", *BIND)
    assert second.out == first.out and "converting" not in second.err
    # A file of the same content is the same model, whatever it is called.
    third = surgery("show", NET, "%1", *BIND, "--no-cache")
    assert third.out == first.out and "converting" in third.err


def test_no_cache_keeps_nothing(surgery: Surgery, cache: Path) -> None:
    assert surgery("show", NET, "%1", *BIND, "--no-cache").status == 0
    assert not cache.exists() or not [p for p in cache.rglob("*") if p.is_file()]


def packed(path: Path, **members: bytes) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name.replace("__", "."))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def test_the_archive_of_a_model_of_tvmc(surgery: Surgery, tmp_path: Path) -> None:
    assert surgery("import", NET, *BIND, "-o", "net.json", "--params", "net.params").status == 0
    model, params = (tmp_path / n for n in ("net.json", "net.params"))
    packed(tmp_path / "net.tar", model__json=model.read_bytes(), model__params=params.read_bytes())
    os.remove(params)
    same = surgery("verify", NET, "net.tar", *BIND, "--framework", "--opt-b", "1")
    assert same.status == 0, same.out + same.err
    applied = surgery(
        "apply", 'model "net.tar"; cut into 2 stages by flops; build opt 1; verify', "-o", "out"
    )
    assert applied.status == 0, applied.err
    assert surgery("verify", "out").status == 0


def test_archives_that_hold_no_model(surgery: Surgery, tmp_path: Path) -> None:
    packed(tmp_path / "a.tar", mod__so=b"x", mod__json=b"{}", mod__params=b"")
    ran = surgery("show", "a.tar")
    assert ran.status == 5 and "compiled package" in ran.err
    whole = packed(tmp_path / "b.tar", model__json=b"{" + b" " * 9000).read_bytes()
    ran = surgery("show", "b.tar")
    assert ran.status == 5 and "b.tar/model.json" in ran.err, ran.err
    (tmp_path / "c.tar").write_bytes(whole[:4000])
    ran = surgery("show", "c.tar")
    assert ran.status == 5 and "cut off" in ran.err and "Traceback" not in ran.err


def test_a_spec_of_another_framework_s_model_is_reduced(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "net.surgery").write_text(
        f'model "{NET}"\nbind x: float32(1,3,48,192)\noutput "Conv@0" as hidden\n'
    )
    check = "grep -q nn.global_avg_pool2d {model} && exit 3 || exit 0"
    ran = surgery("reduce", "net.surgery", "--check", check, "-o", "small", "--json")
    assert ran.status == 0, ran.err
    assert ran.json["ops"] == 1
    spec = (tmp_path / "small" / "spec.surgery").read_text()
    assert spec.startswith('model "module.json"') and "bind" not in spec
    alone = surgery("reduce", NET, *BIND, "--check", check, "-o", "alone", "--json")
    assert alone.status == 0 and alone.json["ops"] == 1, alone.err
