"""Where the files are that a spec names."""

from __future__ import annotations

from pathlib import Path

import pytest

import surgery
from surgery.diagnostics import SurgeryError
from surgery.syntax import parse

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = nn.relu(%x);
  tanh(%0)
}
"""


def test_a_model_that_an_included_file_names_is_beside_that_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "net.relay").write_text(NET)
    (tmp_path / "sub" / "model.surgery").write_text('model "net.relay"\n')
    (tmp_path / "a.surgery").write_text('include "sub/model.surgery"\noutput %0 as h\n')
    spec = surgery.load_spec(tmp_path / "a.surgery")
    for base in (None, tmp_path):
        assert [o.name for o in surgery.plan(spec, base=base).plan.outputs] == ["out0", "h"]


def test_an_include_that_nobody_read_is_refused(tmp_path: Path) -> None:
    spec = parse('include "a.surgery"\noutput %0 as h\n', "text")
    with pytest.raises(SurgeryError) as caught:
        surgery.plan(spec, model=tmp_path / "net.relay")
    assert [d.code for d in caught.value.diagnostics] == ["S257"]
