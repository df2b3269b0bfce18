"""`surgery apply`, `plan`, `build`, `run`, `verify` on a small model, end to end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.cli.ran import ROOT, Surgery

DATA = Path(__file__).parent / "data"
SPEC = """model "net.relay"
output %0 as hidden
cut after %1
offload pattern add>softmax to bmlib
build target "llvm"
verify seed 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "net.relay", tmp_path)
    (tmp_path / "net.surgery").write_text(SPEC)
    return tmp_path


def test_plan_prints_all_it_decided_and_writes_nothing(surgery: Surgery, folder: Path) -> None:
    before = sorted(p.name for p in folder.iterdir())
    ran = surgery("plan", "net.surgery")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert "  output %0 as hidden  [net.surgery:2:1]" in lines
    assert "      %0 = nn.dense(%x, %w): float32(2,4)  net/block_0/dense" in lines
    start = lines.index("crossing values:")
    rows = [line.split() for line in lines[start + 2 : start + 4]]
    assert [(r[1], r[2], r[5:8]) for r in rows] == [
        ("%0", "float32(2,4)", ["0", "->", "1"]),
        ("%1", "float32(2,4)", ["0", "->", "1"]),
    ]
    assert any(line.startswith("  bmlib_add_softmax_0(") for line in lines)
    assert lines[-1].startswith("2 outputs (1 added), 2 stages, 2 crossing values (64 B), 1 region")
    assert sorted(p.name for p in folder.iterdir()) == before


def test_plan_as_json_is_the_plan_document(surgery: Surgery, folder: Path) -> None:
    ran = surgery("plan", "net.surgery", "--json")
    assert ran.status == 0
    plan = ran.json["plan"]
    assert ran.json["ok"] is True
    assert [o["name"] for o in plan["outputs"]][1:] == ["hidden"]
    assert [c["bytes"] for c in plan["crossings"]] == [32, 32]


def test_a_one_liner_with_a_model_is_a_whole_spec(surgery: Surgery, folder: Path) -> None:
    ran = surgery("plan", "output %0 as h; cut after block_0", "--model", "net.relay", "--json")
    assert ran.status == 0, ran.err
    assert len(ran.json["plan"]["stages"]) == 2


def test_explain_shows_rejected_sites_in_full(surgery: Surgery, folder: Path) -> None:
    spec = "offload pattern dense>relu to bmlib optional"
    ran = surgery("plan", spec, "--model", "net.relay", "--explain")
    assert ran.status == 0, ran.err
    assert "rejected near-misses:" in ran.out
    assert "%0 (nn.dense) is used outside the match by: %2 (add)" in ran.out
    assert "matched so far: " in ran.out


def test_several_faults_are_all_reported(surgery: Surgery, folder: Path) -> None:
    (folder / "bad.surgery").write_text('model "net.relay"\noutput %9 as a\ncut after blok_0\n')
    ran = surgery("plan", "bad.surgery")
    assert ran.status == 1
    assert ran.out == ""
    assert "--> bad.surgery:2:8" in ran.err
    assert "--> bad.surgery:3:11" in ran.err
    assert "block_0" in ran.err


def test_apply_writes_verifies_and_its_folder_builds_runs_and_verifies(
    surgery: Surgery, folder: Path
) -> None:
    ran = surgery("apply", "net.surgery")
    assert ran.status == 0, ran.err
    assert "wrote net.out: 2 outputs (1 added), 2 stages" in ran.out
    assert "equal within rtol" in ran.out
    assert "surgery: building" in ran.err
    out = folder / "net.out"
    assert {"recipe.json", "plan.json", "report.html", "lib", "stages"} <= {
        p.name for p in out.iterdir()
    }
    assert (
        json.loads((out / "plan.json").read_text())
        == surgery("plan", "net.surgery", "--json").json["plan"]
    )

    values = np.random.default_rng(0).normal(size=(2, 4)).astype("float32")
    weights = np.eye(4, dtype="float32")
    np.savez(folder / "x.npz", x=values, w=weights)
    ran = surgery("run", "net.out", "--inputs", "x.npz", "-o", "y.npz", "--repeat", "3")
    assert ran.status == 0, ran.err
    assert "time of 3 runs: median" in ran.out
    assert "wrote y.npz" in ran.out
    with np.load(folder / "y.npz") as found:
        np.testing.assert_allclose(found["hidden"], values, rtol=1e-6)
        both = np.maximum(values, 0) + values
        expected = np.exp(both) / np.exp(both).sum(-1, keepdims=True)
        (other,) = set(found.files) - {"hidden"}
        np.testing.assert_allclose(found[other], expected, rtol=1e-5)

    ran = surgery("run", "net.out", "--seed", "3", "--json")
    assert ran.status == 0, ran.err
    assert [o["shape"] for o in ran.json["outputs"]] == [[2, 4], [2, 4]]
    assert surgery("run", "net.out").status == 2

    ran = surgery("build", "net.out", "-q")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    ran = surgery("verify", "net.out", "--json")
    assert ran.status == 0, ran.err
    assert ran.json["verification"]["passed"] is True
    assert [o["passed"] for o in ran.json["verification"]["outputs"]] == [True, True]


def test_a_difference_is_state_3_and_printed(surgery: Surgery, folder: Path) -> None:
    spec = "cut after %1; build target llvm"
    assert surgery("apply", spec, "--model", "net.relay", "-o", "net.out").status == 0
    # The same interface, other numbers: as if a stage had been built wrong.
    other = (folder / "net.relay").read_text().replace("add(%1", "subtract(%1")
    (folder / "other.relay").write_text(other)
    assert surgery("apply", spec, "--model", "other.relay", "-o", "other.out").status == 0
    recipe = json.loads((folder / "net.out" / "recipe.json").read_text())
    wrong = json.loads((folder / "other.out" / "recipe.json").read_text())
    library = recipe["stages"][1]["library"]
    shutil.copy(folder / "other.out" / library, folder / "net.out" / library)
    recipe["stages"][1]["sha256"][library] = wrong["stages"][1]["sha256"][library]
    (folder / "net.out" / "recipe.json").write_text(json.dumps(recipe))
    ran = surgery("verify", "net.out")
    assert ran.status == 3, ran.err
    assert "DIFFERS" in ran.out
    assert "differs beyond rtol 0.0001" in ran.out
    ran = surgery("verify", "net.out", "--json")
    assert (ran.status, ran.json["ok"]) == (3, False)


def test_apply_as_json_keeps_stdout_clean(surgery: Surgery, folder: Path) -> None:
    ran = surgery("apply", "net.surgery", "--no-build", "-o", "a/b", "--json")
    assert ran.status == 0, ran.err
    assert ran.json["out"] == "a/b"
    assert ran.json["verification"] is None
    assert (folder / "a" / "b" / "recipe.json").is_file()
    assert not (folder / "a" / "b" / "lib").exists()


def test_a_foreign_folder_is_kept_unless_forced(surgery: Surgery, folder: Path) -> None:
    (folder / "net.out").mkdir()
    (folder / "net.out" / "thesis.tex").write_text("precious")
    ran = surgery("apply", "net.surgery", "--no-build")
    assert ran.status == 5
    assert (folder / "net.out" / "thesis.tex").read_text() == "precious"
    assert surgery("apply", "net.surgery", "--no-build", "--force").status == 0
    assert not (folder / "net.out" / "thesis.tex").exists()


def test_no_model_at_all_says_how_to_name_one(surgery: Surgery) -> None:
    ran = surgery("plan", "output %0 as x")
    assert ran.status == 1
    assert "--model" in ran.err


# Moments in TVM's own passes and in its Python schedules, where a Ctrl-C once was a failed pass.
@pytest.mark.parametrize(
    ("step", "delay"),
    [("building stage", 0.0), ("building stage", 0.3), ("building the original", 0.15)],
)
def test_ctrl_c_leaves_the_previous_output_and_no_half_folder(
    surgery: Surgery, folder: Path, step: str, delay: float
) -> None:
    assert surgery("apply", "net.surgery", "--no-build", "--no-verify").status == 0
    before = (folder / "net.out" / "recipe.json").read_bytes()
    entries = {p.name for p in folder.iterdir() if "lock" not in p.name}
    running = subprocess.Popen(
        [sys.executable, "-m", "surgery", "apply", "net.surgery"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TOPHUB_LOCATION": "NONE"},
    )  # fmt: skip
    assert running.stderr is not None
    for line in running.stderr:
        if step in line:
            break
    time.sleep(delay)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert out == ""
    assert err.splitlines()[-1] == (
        "interrupted: nothing was written, the previous output is intact"
    )
    assert "Traceback" not in err
    assert (folder / "net.out" / "recipe.json").read_bytes() == before
    assert {p.name for p in folder.iterdir() if "lock" not in p.name} == entries
