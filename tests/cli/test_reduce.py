"""``surgery reduce``."""

from __future__ import annotations

from pathlib import Path

import pytest
import tvm

from tests.cli.ran import Surgery
from tests.verification.plants import bert

HAS_SOFTMAX = "if grep -q nn.softmax {model}; then echo found; exit 9; fi"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.json").write_text(tvm.ir.save_json(bert()))
    return tmp_path


def test_a_model_is_shrunk_to_the_op_that_fails(surgery: Surgery, folder: Path) -> None:
    ran = surgery("reduce", "net.json", "--check", HAS_SOFTMAX, "-o", "small")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split()[:4] == [lines[0].split()[0], "ops", "->", "1,"]
    assert "nn.softmax" in lines[1] and lines[2].endswith("exit state 9")
    assert "no single op can be taken out any more" in ran.out
    assert (folder / "small" / "module.json").is_file()
    again = surgery("reduce", "net.json", "--check", HAS_SOFTMAX, "-o", "small", "--json")
    assert again.status == 0, again.err
    assert (again.json["ops"], again.json["failure"]["state"]) == (1, 9)
    found = surgery("show", "small/module.json", "op nn.softmax", "--json")
    assert len(found.json["values"]) == 1


def test_what_is_wrong_is_said(surgery: Surgery, folder: Path) -> None:
    passes = surgery("reduce", "net.json", "--check", "true {model}", "-o", "small")
    assert passes.status == 1 and "S369" in passes.err
    none = surgery("reduce", "net.json", "-o", "small")
    assert none.status == 1 and "S371" in none.err
    assert surgery("reduce", "net.json", "--check", HAS_SOFTMAX).status == 2
    missing = surgery("reduce", "no.json", "--check", HAS_SOFTMAX, "-o", "small")
    assert missing.status == 5 and "S500" in missing.err
    (folder / "other").mkdir()
    (folder / "other" / "mine.txt").write_text("mine")
    taken = surgery("reduce", "net.json", "--check", HAS_SOFTMAX, "-o", "other")
    assert taken.status == 5 and (folder / "other" / "mine.txt").read_text() == "mine"
    assert not (folder / "small").exists()


def test_limits(surgery: Surgery, folder: Path) -> None:
    ran = surgery("reduce", "net.json", "--check", HAS_SOFTMAX, "-o", "small", "--max-runs", "4")
    assert ran.status == 0, ran.err
    assert "stopped (after 4 runs): a smaller one may fail too" in ran.out
