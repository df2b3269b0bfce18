"""`surgery tap` end to end: table, files, page, JSON and exit states."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.cli.ran import Surgery

DATA = Path(__file__).parent / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "net.relay", tmp_path)
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "x.npz",
        x=rng.standard_normal((2, 4), "float32"),
        w=rng.standard_normal((4, 4), "float32"),
    )
    return tmp_path


def test_a_table_a_file_and_a_page(surgery: Surgery, folder: Path) -> None:
    ran = surgery(
        "tap", "net.relay", "%1", "*/block_?/*", "--inputs", "x.npz", "-o", "v.npz",
        "--html", "v.html",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert " ".join(lines[0].split()) == "value op type min max mean std NaN Inf name"
    assert [[*line.split()[:3], line.split()[-1]] for line in lines[1:4]] == [
        ["%0", "nn.dense", "float32(2,4)", "net/block_0/dense"],
        ["%1", "nn.relu", "float32(2,4)", "net/block_0/relu"],
        ["%2", "add", "float32(2,4)", "net/block_1/add"],
    ]
    assert lines[4].startswith("inputs: x.npz; llvm, opt 3")
    assert "wrote v.npz and v.npz.json" in lines
    given, found = np.load(folder / "x.npz"), np.load(folder / "v.npz")
    dense = given["x"] @ given["w"].T
    np.testing.assert_allclose(found["net/block_0/dense"], dense, rtol=1e-5)
    np.testing.assert_allclose(found["net/block_1/add"], np.maximum(dense, 0) + dense, rtol=1e-5)
    assert (folder / "v.html").read_text().count("<figure") == 3


def test_json_and_a_spec(surgery: Surgery, folder: Path) -> None:
    ran = surgery(
        "tap", "build opt 0", "%0", "--model", "net.relay", "--seed", "1", "--json"
    )  # fmt: skip
    assert ran.status == 0, ran.err
    found = ran.json
    assert (found["ok"], found["opt_level"], found["inputs"]) == (True, 0, "random, seed 1")
    assert [(v["key"], v["value"], v["shape"]) for v in found["values"]] == [
        ("net/block_0/dense", "%0", [2, 4])
    ]
    assert sum(found["values"][0]["statistics"]["histogram"]) == 8


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("%9", "--seed", "0"), 1, "S200"),
        (("%0",), 2, "--seed 0 for random"),
        (("--seed", "0"), 2, "--all"),
        (("%0", "--seed", "0", "--inputs", "x.npz"), 2, "can't stand together"),
        (("%0", "--seed", "0", "--memory", "lots"), 2, "is not a size"),
        (("%0", "--seed", "0", "--model", "net.relay"), 2, "--model goes with a spec"),
        (("%0", "--inputs", "none.npz"), 5, "S580"),
        (("%0", "--seed", "0", "--target", "nonsense"), 1, "S410"),
        (("%0", "--seed", "0", "-o", "net.relay/v.npz"), 5, "S563"),
    ],
)
def test_what_is_wrong_is_said(
    surgery: Surgery, folder: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    ran = surgery("tap", "net.relay", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_kernels_as_they_are(surgery: Surgery, folder: Path) -> None:
    ran = surgery(
        "tap", "net.relay", "%1", "result", "--inputs", "x.npz", "--debug-executor", "--opt", "1"
    )
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split()[-1] == "kernel"
    assert lines[1].split()[0] == "result"
    assert lines[1].split()[-1].startswith("tvmgen_default_fused_nn_softmax")
    assert "warning[S372]: %1 is no result of a kernel" in ran.err and "inside tvmgen" in ran.err
    found = surgery(
        "tap", "net.relay", "--all", "--inputs", "x.npz", "--debug-executor", "--opt", "0", "--json"
    ).json
    assert [v["value"] for v in found["values"]] == ["%0", "%1", "%2", "result"]
    assert all(v["kernel"] for v in found["values"])
