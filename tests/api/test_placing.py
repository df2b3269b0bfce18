"""What the engine refuses is said at its place in the spec, all at once, before any work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
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


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.relay"
    path.write_text(NET)
    return path


def faults(failure: SurgeryError) -> list[tuple[str, int, str]]:
    """Return code, line and marked text of each finding."""
    return [
        (d.code, d.span.line, d.span.source.text[d.span.start : d.span.end])
        for d in failure.diagnostics
        if d.span is not None
    ]


def test_misspelt_build_options_stand_with_the_other_faults(net: Path) -> None:
    spec = parse_spec(
        'output %9 as a\nbuild target "llvmm"\nbuild config relay.FuseOps.max_dept=3 '
        "disable FuseOp\ncut after %8"
    )
    with pytest.raises(SurgeryError) as caught:
        surgery.plan(spec, model=net)
    assert faults(caught.value) == [
        ("S200", 1, "%9"),
        ("S410", 2, "llvmm"),
        ("S411", 3, "relay.FuseOps.max_dept"),
        ("S412", 3, "FuseOp"),
        ("S200", 4, "%8"),
    ]
    assert caught.value.exit_status == 1


def test_build_options_of_a_yaml_spec_have_places(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(
        "version: 1\nmodel: net.relay\nbuild:\n  target: llvmm\n  disable: [FuseOps, FuseOp]\n"
    )
    with pytest.raises(SurgeryError) as caught:
        surgery.plan(surgery.load_spec(path))
    assert faults(caught.value) == [("S410", 4, "llvmm"), ("S412", 5, "FuseOp")]


def test_a_target_of_another_machine_is_wrong_only_where_it_is_built(net: Path) -> None:
    spec = parse_spec('build target "cuda -arch=sm_80"')
    assert surgery.plan(spec, model=net).plan.build.target.startswith("cuda")
    with pytest.raises(SurgeryError) as caught:
        surgery.apply(spec, net.parent / "out", model=net)
    assert [d.code for d in caught.value.diagnostics] == ["S410"]
    assert not (net.parent / "out").exists()


def test_prepare_and_bind_are_refused_at_their_statements(net: Path) -> None:
    for text, code, marked in (
        ("output %0 as a\nprepare FoldConstant, FoldConstat", "S403", "FoldConstat"),
        ("output %0 as a\nprepare ToMixedPrecision(1, 2, 3)", "S405", "ToMixedPrecision"),
        ("output %0 as a\nbind x: float64(2,4)", "S406", "bind x: float64(2,4)"),
    ):
        with pytest.raises(SurgeryError) as caught:
            surgery.plan(parse_spec(text), model=net)
        assert faults(caught.value) == [(code, 2, marked)]
        assert caught.value.exit_status == 1


def test_inputs_to_verify_on_are_checked_before_the_stages_are_built(net: Path) -> None:
    np.savez(net.parent / "x.npz", x=np.zeros((2, 4)))
    spec = net.parent / "net.surgery"
    for file, code in (("x.npz", "S585"), ("no.npz", "S580")):
        spec.write_text(f'model "net.relay"\nverify inputs "{file}"\n')
        steps: list[str] = []
        with pytest.raises(SurgeryError) as caught:
            surgery.apply(
                surgery.load_spec(spec), net.parent / "out",
                progress=lambda event, done=None, total=None, to=steps: to.append(event),
            )  # fmt: skip
        assert faults(caught.value) == [(code, 2, file)]
        assert caught.value.exit_status == 5
        assert not [s for s in steps if s.startswith("building")]
