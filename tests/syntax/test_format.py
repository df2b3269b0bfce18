"""``format_source``: canonical form, comments, and from one form to the other."""

from __future__ import annotations

import pytest

from surgery.diagnostics import SurgeryError
from surgery.source import Source
from surgery.syntax import format_source

LOOSE = """\


# head
  # indented head

output   %1   as a;cut after b   # trailing
offload pattern   # above
  # and this
  conv2d > relu   to b # end
keep %1 # one
# own
;; 
   # at the end


"""
TIGHT = """\
# head
# indented head

output %1 as a
cut after b  # trailing
# above
# and this
offload pattern conv2d>relu to b  # end
keep %1 on host  # one
# own

# at the end
"""


def test_text_keeps_comments_and_single_blank_lines() -> None:
    assert format_source(Source(LOOSE, "x.surgery")) == TIGHT
    assert format_source(Source(TIGHT, "x.surgery")) == TIGHT


def test_comments_alone() -> None:
    assert format_source(Source("  # a\n\n\n#b  ", "x.surgery")) == "# a\n\n#b\n"
    assert format_source(Source("", "x.surgery")) == ""


def test_a_hash_in_a_string_is_no_comment() -> None:
    text = 'model "a#b.json"\n'
    assert format_source(Source(text, "x.surgery")) == text


YAML = """\
# head
version:   1
steps:
  - output   %1 as   a   # trailing
  # own
  - "cut after \\"x\\"  "
  - {cut: {after: y}}
  - |
    keep   %1
  - bind x: float32(1,128)
build:   {target: llvm}


"""


def test_yaml_keeps_layout_and_comments() -> None:
    expected = YAML.replace("output   %1 as   a", "output %1 as a").replace('"x\\"  "', '"x\\""')
    assert format_source(Source(YAML, "x.yaml")) == expected.rstrip() + "\n"


def test_yaml_in_flow_style() -> None:
    text = "version: 1\nsteps: [output   %1, cut   after x]\n"
    once = format_source(Source(text, "x.yaml"))
    assert once == 'version: 1\nsteps: ["output %1", "cut after x"]\n'
    json = '{"version": 1,\n\t"steps": ["output   %1"]}\n'
    assert format_source(Source(json, "x.json")) == json.replace("   ", " ")


def test_to_yaml_and_to_text() -> None:
    as_yaml = format_source(Source(TIGHT, "x.surgery"), to="yaml")
    assert as_yaml.startswith("version: 1\nsteps:\n  - output %1 as a\n")
    as_text = format_source(Source(YAML, "x.yaml"), to="text")
    assert as_text == (
        'output %1 as a\ncut after "x"\ncut after y\nkeep %1 on host\nbind x: float32(1, 128)\n'
        'build target "llvm"\n'
    )


def test_the_form_can_be_given() -> None:
    assert format_source(Source("version: 1", "-"), form="yaml") == "version: 1\n"


@pytest.mark.parametrize("name", ["x.surgery", "x.yaml"])
def test_a_wrong_spec_is_not_formatted(name: str) -> None:
    with pytest.raises(SurgeryError):
        format_source(Source("cut afer x", name))
