"""Running built stages: names, shapes, copies, and what is wrong with a library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tvm import relay

from surgery.codes.relay_build import CODES
from surgery.diagnostics import Diagnostic, SurgeryError
from tests.engines.relay.plans import agree, array, make_model, make_plan
from tests.engines.relay.stages import ENGINE, build_all

FEED = {"x": array(2, 3), "y": array(3, seed=1)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two builds of one model, one an executor."""
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(3,))
    model = make_model(relay.Function([x, y], relay.Tuple([relay.add(x, y), relay.exp(y)])))
    where = tmp_path_factory.mktemp("built")
    for executor in ("graph", "vm"):
        build_all(model, make_plan(model), where / executor, executor=executor)
    return where


def _open(folder: Path, executor: str) -> Any:
    return ENGINE.open_stage(folder / executor, "lib/stage0.so", executor, ["x", "y"])


def _fault(work: Any) -> Diagnostic:
    with pytest.raises(SurgeryError) as caught:
        work()
    (found,) = caught.value.diagnostics
    assert found.code in CODES
    assert "\n" not in found.message + found.reason
    return found


@pytest.mark.parametrize("executor", ["graph", "vm"])
def test_inputs_by_name_and_outputs_in_order(folder: Path, executor: str) -> None:
    runner = _open(folder, executor)
    expected = [FEED["x"] + FEED["y"], np.exp(FEED["y"])]
    first = runner(dict(reversed(FEED.items())))
    agree(first, expected)
    # A later run does not change what an earlier one returned.
    runner({"x": FEED["x"] * 3, "y": FEED["y"] * 2})
    agree(first, expected)


@pytest.mark.parametrize("executor", ["graph", "vm"])
def test_a_missing_input_is_named_with_what_was_given(folder: Path, executor: str) -> None:
    runner = _open(folder, executor)
    found = _fault(lambda: runner({"x": FEED["x"], "yy": FEED["y"]}))
    assert found.code == "S433"
    assert "input y is missing" in found.message
    assert "yy" in found.remedy


def test_a_wrong_shape_or_dtype(folder: Path) -> None:
    runner = _open(folder, "graph")
    found = _fault(lambda: runner({**FEED, "x": FEED["x"].astype("float64")}))
    assert found.code == "S433"
    assert "astype('float32')" in found.remedy
    found = _fault(lambda: runner({**FEED, "x": FEED["x"].T}))
    assert "float32[3, 2]" in found.message
    assert "float32[2, 3]" in found.message


def test_the_vm_checks_types_when_it_runs(folder: Path) -> None:
    runner = _open(folder, "vm")
    assert _fault(lambda: runner({**FEED, "x": FEED["x"].T})).code == "S434"


def test_libraries_that_are_missing_broken_or_something_else(folder: Path, tmp_path: Path) -> None:
    open_ = ENGINE.open_stage
    found = _fault(lambda: open_(tmp_path, "lib/none.so", "graph", []))
    assert found.code == "S430"
    assert "surgery build" in found.remedy
    (tmp_path / "broken.so").write_bytes(b"\x7fELF and nothing more")
    assert _fault(lambda: open_(tmp_path, "broken.so", "graph", [])).code == "S431"
    for built, asked in (("graph", "vm"), ("vm", "graph")):
        found = _fault(lambda b=built, a=asked: open_(folder / b, "lib/stage0.so", a, []))
        assert found.code == "S432"
