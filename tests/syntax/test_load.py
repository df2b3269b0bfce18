"""Spec files: reading them, and splicing what they include."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.syntax import ast, load_spec


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def failure(path: Path) -> tuple[Diagnostic, ...]:
    with pytest.raises(SurgeryError) as caught:
        load_spec(path)
    return caught.value.diagnostics


def test_includes_are_spliced_in_place(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_surgery="output %1\ninclude sub/one.yaml\noutput %4\n",
        sub__one_yaml='version: 1\ninclude: two.surgery\nsteps: ["output %3"]\n',
        sub__two_surgery="output %2 as ${NAME}\n",
    )
    spec = load_spec(tmp_path / "main.surgery", {"NAME": "x"})
    numbers = [s.items[0].selector for s in spec.statements if isinstance(s, ast.Output)]
    assert numbers == [ast.Numbered(number=i) for i in (1, 2, 3, 4)]
    span = spec.statements[1].span
    assert span is not None
    assert span.source.path == str(tmp_path / "sub" / "two.surgery")


def test_a_file_included_twice_counts_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_surgery="include a.surgery; include b.surgery",
        a_surgery="include c.surgery",
        b_surgery="include ./c.surgery",
        c_surgery="let x = %1",
    )
    assert load_spec(tmp_path / "main.surgery").statements == (
        ast.Let(name="x", selector=ast.Numbered(number=1)),
    )


def test_circle(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_surgery="include a.surgery",
        a_surgery="include b.surgery",
        b_surgery="output %1\ninclude a.surgery",
    )
    (diagnostic,) = failure(tmp_path / "main.surgery")
    assert diagnostic.code == "S547"
    assert diagnostic.reason == "a.surgery -> b.surgery -> a.surgery"
    assert diagnostic.span is not None
    assert (diagnostic.span.source.path, diagnostic.span.line) == (str(tmp_path / "b.surgery"), 2)


def test_faults_of_all_files_are_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_surgery="cut afer x\ninclude a.surgery\ninclude gone.surgery\nlet n = %1",
        a_surgery="let n = %2\nkeep",
    )
    found = [
        (d.code, d.span and Path(d.span.source.path).name)
        for d in failure(tmp_path / "main.surgery")
    ]
    assert sorted(found) == [
        ("S100", "main.surgery"),
        ("S102", "a.surgery"),
        ("S141", "main.surgery"),
        ("S545", "main.surgery"),
    ]


def test_missing_file_names_a_similar_one(tmp_path: Path) -> None:
    write(tmp_path, bert_surgery="output %1")
    with pytest.raises(SurgeryError) as caught:
        load_spec(tmp_path / "brt.surgery")
    assert caught.value.exit_status == 5
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "S545"
    assert "bert.surgery" in diagnostic.remedy


@pytest.mark.parametrize("name", [".", "a\0b"])
def test_unreadable(tmp_path: Path, name: str) -> None:
    assert failure(tmp_path / name)[0].code == "S545"


def test_no_text(tmp_path: Path) -> None:
    write(tmp_path, m_surgery=b"output %1\n\xff\xfe")
    (diagnostic,) = failure(tmp_path / "m.surgery")
    assert diagnostic.code == "S546"
    assert "line 2" in diagnostic.reason


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    write(tmp_path, m_surgery=b"\xef\xbb\xbfoutput %1\r\n  as a\r\ncut after x\r\n")
    spec = load_spec(tmp_path / "m.surgery")
    assert [s.span and s.span.line for s in spec.statements] == [1, 3]


def test_json_is_yaml(tmp_path: Path) -> None:
    write(
        tmp_path, m_json='{\n\t"version": 1,\n\t"steps": ["output %1", {"cut": {"after": "x"}}]\n}'
    )
    spec = load_spec(tmp_path / "m.json")
    assert [type(s) for s in spec.statements] == [ast.Output, ast.Cut]
