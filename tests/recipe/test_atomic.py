"""Single files, written whole or not at all; and the log."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.recipe import atomic_file, write_atomic, write_log
from tests.recipe.crash import die, run_until_step


def test_new_file_with_parents(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a" / "b.txt", b"one")
    write_atomic(tmp_path / "a" / "b.txt", b"two")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"two"
    assert os.listdir(tmp_path / "a") == ["b.txt"]


def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    write_atomic(real, b"one")
    real.chmod(0o600)
    link.symlink_to(real)
    write_atomic(link, b"two")
    assert link.is_symlink() and real.read_bytes() == b"two"
    assert real.stat().st_mode & 0o777 == 0o600


def test_failure_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_atomic(path, b"old")
    with pytest.raises(KeyboardInterrupt), atomic_file(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    with pytest.raises(SurgeryError) as failure, atomic_file(path) as file:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert failure.value.diagnostics[0].code == "S563"
    assert "space" in failure.value.diagnostics[0].remedy
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["x"]


def test_killed_at_every_step(tmp_path: Path) -> None:
    step, reached = 0, True
    while reached:
        step += 1
        path = tmp_path / f"{step}.txt"
        path.write_bytes(b"old")
        reached = run_until_step(step, lambda p=path: write_atomic(p, b"new"), die)  # type: ignore[misc]
        assert path.read_bytes() in (b"old", b"new")
    assert path.read_bytes() == b"new"
    assert step > 2


def test_folder_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(SurgeryError) as failure:
        write_atomic(tmp_path, b"")
    assert failure.value.diagnostics[0].code == "S561"


def test_file_in_place_of_a_parent(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(SurgeryError) as failure:
        write_atomic(tmp_path / "x" / "y", b"")
    assert failure.value.diagnostics[0].code == "S563"


def test_pipes_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomic(pipe, b"through")
    reader.join(10)
    assert got == [b"through"]
    assert not pipe.is_file(), "it is still a pipe"


def test_log(tmp_path: Path) -> None:
    warning = Diagnostic(code="S299", message="careful", severity="warning")
    write_log(
        tmp_path,
        versions={"tvm": "0.19.0", "surgery": "0.1.0"},
        timings={"load": 0.123456789, "cut": 1.0},
        warnings=[warning],
    )
    data = json.loads((tmp_path / "surgery.log.json").read_text())
    assert data["versions"] == {"surgery": "0.1.0", "tvm": "0.19.0"}
    assert list(data["timings"].items()) == [("load", 0.123457), ("cut", 1.0)]
    assert data["warnings"][0]["code"] == "S299"
