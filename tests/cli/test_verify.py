"""`surgery verify A B`: two models, items, tolerances, data from Python, exit states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.ran import Surgery

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = tanh(%x);
  %1 = add(%0, 1.5f);
  (nn.relu(%1), %0)
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.relay").write_text(NET)
    (tmp_path / "b.relay").write_text(NET.replace("1.5f", "1.501f"))
    return tmp_path


def test_two_models(surgery: Surgery, folder: Path) -> None:
    ran = surgery("verify", "a.relay", "b.relay", "--seed", "3", "--json")
    assert ran.status == 3, ran.err
    rows = ran.json["verification"]["outputs"]
    assert [(r["name"], r["passed"]) for r in rows] == [("out0", False), ("out1", True)]
    assert rows[0]["max_abs"] == pytest.approx(1e-3, rel=1e-2)
    ran = surgery("verify", "a.relay", "b.relay", "--tolerance", "out0=0,0.01")
    assert ran.status == 0, ran.err
    assert "equal within" in ran.out and "llvm, opt 3" in ran.out


def test_one_model_in_two_builds(surgery: Surgery, folder: Path) -> None:
    ran = surgery("verify", "a.relay", "--opt-a", "0")
    assert ran.status == 0 and "a  a.relay: llvm, opt 0" in ran.out


def test_many_items_say_which_differs(surgery: Surgery, folder: Path) -> None:
    (folder / "items").mkdir()
    for i, low in enumerate((-9, -9, 1)):  # relu hides what is below zero
        np.savez(folder / "items" / f"{i}.npz", x=np.full((2, 4), low, "float32"))
    (folder / "c.relay").write_text(NET.replace("1.5f", "0.0f"))
    (folder / "d.relay").write_text(NET.replace("1.5f", "0.1f"))
    ran = surgery("verify", "c.relay", "d.relay", "--inputs", "items", "--json")
    assert ran.status == 3 and ran.json["items"] == 3
    row = ran.json["verification"]["outputs"][0]
    assert row["reason"].endswith("(item 2)")


def test_data_from_python_needs_leave(surgery: Surgery, folder: Path) -> None:
    (folder / "loader.py").write_text(
        "import numpy as np\n\ndef inputs():\n    for i in range(4):\n"
        "        yield {'x': np.full((2, 4), i, 'float32')}\n"
    )
    arguments = ("verify", "a.relay", "a.relay", "--data", "loader.py")
    refused = surgery(*arguments)
    assert refused.status == 1 and "S241" in refused.err
    ran = surgery(*arguments, "--allow-code", "--json")
    assert ran.status == 0 and ran.json["items"] == 4
    (folder / "loader.py").write_text("def inputs():\n    yield 3\n")
    ran = surgery(*arguments, "--allow-code")
    assert ran.status == 1 and "S368" in ran.err and "item 0 is a int" in ran.err
    (folder / "loader.py").write_text("import sys\nsys.exit(0)\n")
    ran = surgery(*arguments, "--allow-code")
    assert ran.status == 1 and "S368" in ran.err and "SystemExit" in ran.err


def test_a_spec_and_a_built_folder(surgery: Surgery, folder: Path) -> None:
    (folder / "net.surgery").write_text('model "a.relay"\ncut after %0\nbuild opt 1\n')
    assert surgery("apply", "net.surgery").status == 0
    ran = surgery("verify", "a.relay", "net.out", "--seed", "0")
    assert ran.status == 0, ran.err
    assert "b  net.out: as built" in ran.out
    ran = surgery("verify", "b.relay", "net.surgery", "--opt-b", "0")
    assert ran.status == 3, ran.err


def test_wrong_usage(surgery: Surgery, folder: Path) -> None:
    assert surgery("verify", "a.relay").status == 1
    assert surgery("verify", "a.relay", "b.relay", "--model", "a.relay").status == 2
    assert surgery("verify", "a.relay", "b.relay", "--tolerance", "out0=1").status == 2
    ran = surgery("verify", "a.relay", "b.relay", "--tolerance", "ot0=1,1")
    assert ran.status == 1 and "S367" in ran.err and "did you mean 'out0'?" in ran.err
    assert surgery("verify", "a.relay", "b.relay", "--seed", "1", "--inputs", "x").status == 2


def test_only_another_framework_s_model_runs_in_its_framework(
    surgery: Surgery, folder: Path
) -> None:
    ran = surgery("verify", "a.relay", "b.relay", "--framework")
    assert ran.status == 1 and "S361" in ran.err and "a.relay" in ran.err
