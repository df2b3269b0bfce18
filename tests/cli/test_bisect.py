"""`surgery bisect` end to end: text, JSON, reproducer and exit states."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.ran import Surgery

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = tanh(%x) /* span=net/squash:0:0 */;
  %1 = add(%0, 1.5f);
  nn.relu(%1)
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.relay").write_text(NET)
    (tmp_path / "b.relay").write_text(NET.replace("add(", "subtract("))
    return tmp_path


def test_the_first_difference(surgery: Surgery, folder: Path) -> None:
    options = ("a.relay", "b.relay", "--seed", "1", "--opt-a", "0", "--opt-b", "0")
    ran = surgery("bisect", *options, "--reproducer", "repro")
    assert ran.status == 3, ran.err
    text = ran.out
    assert "first value that differs:\n  b  %1 = subtract(%0, 1.5): float32(2,4)" in text
    assert "the op is another one: subtract in b, add in a" in text
    assert "%0     tanh  ok" in text and "DIFFERS first" in text
    assert "with the original's ops (--original) it passes" in text
    assert (folder / "repro" / "run.py").is_file()
    ran = surgery("bisect", *options, "--memory", "1K", "--json")
    assert ran.status == 3
    first = ran.json["first"]
    assert (first["value_a"], first["op_a"], first["op_b"]) == ("%1", "add", "subtract")
    assert [o["value_b"] for o in ran.json["operands"]] == ["%0"]
    assert ran.json["differs"] and ran.json["reproducer"] is None


def test_no_difference_and_wrong_usage(surgery: Surgery, folder: Path) -> None:
    ran = surgery("bisect", "a.relay", "--opt-b", "0", "--all")
    assert ran.status == 0, ran.err
    assert "no difference beyond tolerance: 3 values agree" in ran.out
    assert surgery("bisect", "a.relay").status == 1
    assert surgery("bisect", "a.relay", "b.relay", "--seed", "1", "--inputs", "x").status == 2
    assert surgery("bisect", "a.relay", "b.relay", "--memory", "much").status == 2
    assert surgery("bisect", "a.relay", "nowhere.json").status == 5
