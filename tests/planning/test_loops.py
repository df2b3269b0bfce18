"""A loop is a recursive let: seen, named, and refused where it would have to be rebuilt."""

from __future__ import annotations

from pathlib import Path

import pytest

import surgery.api as api
from surgery.diagnostics import Diagnostic, SurgeryError

LOOP = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = nn.relu(%x);
  let %loop = fn (%i: int32, %acc: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] {
    %1 = less(%i, 3);
    if (%1) {
      %2 = add(%i, 1);
      %3 = add(%acc, %0);
      %loop(%2, %3)
    } else {
      %acc
    }
  };
  %4 = %loop(0, %0);
  exp(%4)
}
"""


def _faults(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    path = folder / "loop.relay"
    path.write_text(LOOP)
    with pytest.raises(SurgeryError) as caught:
        api.plan(api.parse_spec(text), model=path)
    return caught.value.diagnostics


@pytest.mark.parametrize("text", ["cut after %4", "output %4 as y"])
def test_a_value_after_a_loop_is_inside_the_recursive_let(tmp_path: Path, text: str) -> None:
    (only,) = _faults(tmp_path, text)
    assert only.code == "S271"
    assert only.message == "%4 is inside a recursive let"
    assert "does not look into result (recursive let)" in only.reason


@pytest.mark.parametrize("text", ["pattern relu", "pattern exp", "op add", "pattern add"])
def test_offloading_in_a_loop_is_refused_by_the_plan(tmp_path: Path, text: str) -> None:
    (only,) = _faults(tmp_path, f"offload {text} to b")
    assert only.code == "S283"
    assert "inside a recursive let" in only.notes[0]


def test_a_model_with_a_loop_is_built_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "loop.relay"
    path.write_text(LOOP)
    done = api.apply(api.parse_spec("verify"), tmp_path / "out", model=path)
    assert done.verification is not None and done.verification.passed
    assert done.recipe.stages[0].executor == "vm"
