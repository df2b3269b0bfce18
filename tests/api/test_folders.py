"""Work on an output folder that is not as surgery left it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import surgery
from surgery.api import parse_spec
from surgery.diagnostics import SurgeryError

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = nn.relu(%x);
  tanh(%0)
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folders")
    (folder / "net.relay").write_text(NET)
    spec = parse_spec("cut after %0; build target llvm")
    return surgery.apply(spec, folder / "net.out", model=folder / "net.relay").folder


def codes(built: Path) -> list[str]:
    with pytest.raises(SurgeryError) as caught:
        surgery.verify(built)
    assert caught.value.exit_status == 5
    return [d.code for d in caught.value.diagnostics]


def test_a_damaged_plan_is_said_so(built: Path, tmp_path: Path) -> None:
    assert surgery.verify(built).passed
    damaged = shutil.copytree(built, tmp_path / "net.out")
    plan = json.loads((damaged / "plan.json").read_text())
    del plan["outputs"][0]["path"]
    for text in ("{", "[]", "{}", '{"bind": 3, "verify": {}}', "\x00", json.dumps(plan)):
        (damaged / "plan.json").write_text(text)
        assert codes(damaged) == ["S557"], text
    (damaged / "plan.json").unlink()
    assert codes(damaged) == ["S557"]


def test_a_missing_library_is_said_before_the_original_is_built(
    built: Path, tmp_path: Path
) -> None:
    damaged = shutil.copytree(built, tmp_path / "net.out")
    (damaged / "lib" / "stage1.so").unlink()
    assert codes(damaged) == ["S586"]
