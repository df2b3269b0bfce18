"""`surgery run` of many items: pipelines from the command line, and every way they end early."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from surgery.cli.main import main
from surgery.runtime import load_npz, save_npz
from tests.cli.ran import ROOT, Ran, Surgery
from tests.runtime.pipeline import faulty


@pytest.fixture
def inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Surgery:
    """Run the command line in this process, which has the compiler already."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        status = main(arguments)
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return run


def batch(path: Path, *values: float) -> str:
    save_npz(path, {"x": np.stack([faulty.item(v)["x"] for v in values])})
    return str(path)


def test_a_batch_in_one_file(inside: Surgery, harm: Path, tmp_path: Path) -> None:
    inputs = batch(tmp_path / "in.npz", *range(40))
    ran = inside("run", str(harm), "--inputs", inputs, "-o", "out.npz")
    assert ran.status == 0, ran.err
    assert "stage1     40 " in ran.out
    assert "40 items on threads in " in ran.out
    assert ran.out.endswith("wrote out.npz\n")
    assert "surgery: running" in ran.err
    (found,) = load_npz(tmp_path / "out.npz").values()
    assert [row[0, 0] for row in found] == [2 * n for n in range(40)]


def test_what_json_says(inside: Surgery, harm: Path, tmp_path: Path) -> None:
    inputs = batch(tmp_path / "in.npz", *range(6))
    ran = inside(
        "run", str(harm), "--inputs", inputs, "--repeat", "2", "--depth", "3", "--threads", "1",
        "--json",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    document = ran.json
    assert document["items"] == document["statistics"]["items"] == 12
    assert document["pipeline"] == {
        "on": "threads", "depth": 3, "retries": 0, "threads": [1, 1], "affinity": None,
        "timeout": None, "address": None,
    }  # fmt: skip
    stages = document["statistics"]["stages"]
    assert [(s["name"], s["items"], s["restarts"]) for s in stages] == [
        ("stage0", 12, 0), ("stage1", 12, 0),
    ]  # fmt: skip
    assert all(0 < s["utilisation"] <= 1 for s in stages)
    latency = document["statistics"]["latency"]
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["max"]
    (output,) = document["outputs"]
    assert (output["shape"], output["min"], output["max"]) == ([1, 4], 0, 10)


def test_a_folder_through_processes(inside: Surgery, harm: Path, tmp_path: Path) -> None:
    """The statement of the spec is what a run does when it isn't told otherwise."""
    recipe = json.loads((harm / "recipe.json").read_text())
    other = tmp_path / "net.out"
    other.mkdir()
    (other / "lib").symlink_to(harm / "lib")
    recipe["pipeline"] = {"on": "processes", "depth": 2}
    (other / "recipe.json").write_text(json.dumps(recipe))
    (tmp_path / "in").mkdir()
    for n in range(12):
        save_npz(tmp_path / "in" / f"i{n}.npz", faulty.item(n))
    ran = inside("run", "net.out", "--inputs", "in", "-o", "out", "--json")
    assert ran.status == 0, ran.err
    assert ran.json["pipeline"]["on"] == "processes"
    for n in range(12):
        assert faulty.number(load_npz(tmp_path / "out" / f"i{n}.npz")) == n


def test_one_item_repeatedly(inside: Surgery, harm: Path, tmp_path: Path) -> None:
    save_npz(tmp_path / "in.npz", faulty.item(3))
    run = ("run", str(harm), "--inputs", "in.npz", "--json")
    assert "seconds" in inside(*run).json
    assert inside(*run, "--repeat", "3", "--on", "threads").json["items"] == 3


def test_faults_say_what_there_is_so_far(inside: Surgery, harm: Path, tmp_path: Path) -> None:
    inputs = batch(tmp_path / "in.npz", 0, 1, 2, faulty.RAISES, 4)
    ran = inside("run", str(harm), "--inputs", inputs, "-o", "out")
    assert ran.status == 4
    assert "error[S434]: item 3: stage 'stage1': " in ran.err
    assert "note: 3 items had been run; 3 files are in out" in ran.err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "000000.npz", "000001.npz", "000002.npz",
    ]  # fmt: skip
    ran = inside("run", str(harm), "--inputs", inputs, "-o", "out.npz")
    assert "note: 3 items had been run; out.npz was not written" in ran.err
    ran = inside("run", str(harm), "--inputs", inputs, "-o", "out")
    assert (ran.status, "error[S561]" in ran.err) == (5, True)


def test_a_stage_that_hangs_in_a_thread(surgery: Surgery, harm: Path, tmp_path: Path) -> None:
    inputs = batch(tmp_path / "in.npz", 0, faulty.HANGS, 2)
    start = time.monotonic()
    ran = surgery("run", str(harm), "--inputs", inputs, "--timeout", "0.5", "--json")
    assert ran.status == 4
    (found,) = ran.json["diagnostics"]
    assert found["code"] == "S574"
    assert found["message"] == "item 1: stage 'stage1': it took longer than 0.5 s"
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    ("option", "value", "status"),
    [
        ("--threads", "1,0", 2), ("--threads", "x", 2), ("--affinity", "0/x", 2),
        ("--affinity", "0-", 2), ("--depth", "0", 2), ("--timeout", "0", 2),
        ("--threads", "1,1,1", 1), ("--affinity", "0/99999", 1), ("--affinity", "1-0/0", 1),
    ],
)  # fmt: skip
def test_options_that_cannot_be(
    inside: Surgery, harm: Path, tmp_path: Path, option: str, value: str, status: int
) -> None:
    save_npz(tmp_path / "in.npz", faulty.item(3))
    ran = inside("run", str(harm), "--inputs", "in.npz", option, value)
    assert ran.status == status
    assert ("S578" if status == 1 else "S590") in ran.err


def children(pid: int) -> list[int]:
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("on", ["threads", "processes"])
def test_ctrl_c(harm: Path, tmp_path: Path, on: str) -> None:
    """Also in a kernel that hangs. Nothing is left: no process, no segment of shared memory."""
    inputs = batch(tmp_path / "in.npz", 0, 1, faulty.HANGS, 3)
    before = set(os.listdir("/dev/shm"))
    command = ["run", str(harm), "--inputs", inputs, "-o", "out", "--on", on]
    process = subprocess.Popen(
        [sys.executable, "-m", "surgery", *command], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TOPHUB_LOCATION": "NONE"},
    )  # fmt: skip
    until = time.monotonic() + 100
    while not (tmp_path / "out" / "000001.npz").exists() and time.monotonic() < until:
        time.sleep(0.02)
    workers = children(process.pid) if on == "processes" else []
    assert len(workers) == (2 if on == "processes" else 0)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "interrupted: 2 items had been run; 2 files are in out"
    assert "Traceback" not in said
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert set(os.listdir("/dev/shm")) <= before
