"""`surgery show`."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.ran import Surgery

DATA = Path(__file__).parent / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "net.relay", tmp_path)
    return tmp_path


def test_a_model_is_a_table_of_numbered_values(surgery: Surgery, folder: Path) -> None:
    ran = surgery("show", "net.relay")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split() == ["value", "computed", "by", "type", "users", "name"]
    assert "%1      nn.relu(%0)       float32(2,4)      1  net/block_0/relu" in lines
    assert any(line.startswith("result  nn.softmax(%2)") for line in lines)


def test_a_selector_picks(surgery: Surgery, folder: Path) -> None:
    ran = surgery("show", "net.relay", "block_0", "--format", "text")
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == [
        "%0 = nn.dense(%x, %w): float32(2,4)  # users 2, net/block_0/dense",
        "%1 = nn.relu(%0): float32(2,4)  # users 1, net/block_0/relu",
    ]
    ran = surgery("show", "net.relay", "op nn.conv2d")
    assert ran.status == 1
    assert ran.out == ""


def test_json_either_way(surgery: Surgery, folder: Path) -> None:
    by_format = surgery("show", "net.relay", "op nn.*", "--format", "json").json
    assert by_format == surgery("show", "net.relay", "op nn.*", "--json").json
    assert [v["value"] for v in by_format["values"]] == ["%0", "%1", "result"]
    assert by_format["values"][1]["attrs"] == {}


def test_a_spec_shows_its_model_after_prepare(surgery: Surgery, folder: Path) -> None:
    (folder / "a.surgery").write_text(
        'model "net.relay"\nlet first = block_0\ncut after first\noutput %77 as nothing\n'
    )
    ran = surgery("show", "a.surgery", "first", "--format", "text")
    assert ran.status == 0, ran.err
    assert len(ran.out.splitlines()) == 2


def test_a_model_and_a_plan_as_pictures(surgery: Surgery, folder: Path) -> None:
    ran = surgery("show", "net.relay", "--format", "svg")
    assert ran.status == 0, ran.err
    assert ElementTree.fromstring(ran.out).tag == "{http://www.w3.org/2000/svg}svg"
    (folder / "a.surgery").write_text('model "net.relay"\ncut after block_0\n')
    ran = surgery("show", "a.surgery", "--format", "svg", "-o", "a.svg")
    assert (ran.status, ran.out) == (0, "wrote a.svg\n")
    assert 'class="node crossing"' in (folder / "a.svg").read_text()
    page = surgery("show", "a.surgery", "--format", "html").out
    assert page.startswith("<!DOCTYPE html>")
    assert "Crossing values" in page
    page = surgery("show", "net.relay", "block_0", "--format", "html").out
    assert "Values of @main" in page


def test_a_model_that_is_not_there(surgery: Surgery) -> None:
    ran = surgery("show", "nothing.relay")
    assert ran.status == 5
    assert "nothing.relay" in ran.err


def test_names_as_a_tree(surgery: Surgery, folder: Path) -> None:
    ran = surgery("show", "net.relay", "--names", "tree")
    assert ran.status == 0, ran.err
    assert [line.split() for line in ran.out.splitlines()[:4]] == [
        ["name", "ops", "computed", "by"],
        ["net", "4"],
        ["block_0", "2"],
        ["dense", "1", "nn.dense"],
    ]
    by_json = surgery("show", "net.relay", "block_0", "--names", "tree", "--json").json
    assert [(n["name"], n["ops"]) for n in by_json["names"]["main"]] == [
        ("net", 2), ("net/block_0", 2), ("net/block_0/dense", 1), ("net/block_0/relu", 1),
    ]  # fmt: skip
    assert "block_0" in surgery("show", "net.relay", "--names", "tree", "--depth", "2").out
    assert surgery("show", "net.relay", "--depth", "2").status == 2
    assert surgery("show", "net.relay", "--names", "tree", "--format", "svg").status == 2
