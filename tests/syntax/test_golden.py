"""Each stage of the language on one spec that holds all of it.

``SURGERY_UPDATE_GOLDEN=1 pytest tests/syntax/test_golden.py`` writes the files anew; read the
difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from surgery.source import Source
from surgery.syntax import ast, format_source, parse_text, parse_yaml, print_spec, print_yaml

FOLDER = Path(__file__).parent / "golden"
TEXT = (FOLDER / "statements.surgery").read_text(encoding="utf-8")
SPEC = parse_text(Source(TEXT, "statements.surgery"))


def agree(name: str, written: str) -> None:
    file = FOLDER / name
    if os.environ.get("SURGERY_UPDATE_GOLDEN"):
        file.write_text(written, encoding="utf-8")
    assert written == file.read_text(encoding="utf-8")


def test_tree() -> None:
    agree("statements.ast", "".join(f"{statement!r}\n" for statement in SPEC.statements))


def test_canonical_text() -> None:
    agree("statements.canonical.surgery", print_spec(SPEC))


def test_formatted_text() -> None:
    agree("statements.formatted.surgery", format_source(Source(TEXT, "statements.surgery")))


def test_yaml() -> None:
    agree("statements.yaml", print_yaml(SPEC))


def test_all_forms_say_the_same() -> None:
    canonical = (FOLDER / "statements.canonical.surgery").read_text(encoding="utf-8")
    assert parse_text(canonical) == SPEC
    formatted = (FOLDER / "statements.formatted.surgery").read_text(encoding="utf-8")
    assert parse_text(formatted) == SPEC
    yaml = parse_yaml((FOLDER / "statements.yaml").read_text(encoding="utf-8"))
    assert sorted(map(repr, yaml.statements)) == sorted(map(repr, SPEC.statements))


def test_mapping_forms_say_the_same() -> None:
    yaml = parse_yaml((FOLDER / "mappings.yaml").read_text(encoding="utf-8"))
    assert sorted(map(repr, yaml.statements)) == sorted(map(repr, SPEC.statements))


def test_every_statement_is_there() -> None:
    here = {type(statement) for statement in SPEC.statements}
    assert here == set(ast.Statement.__args__) - {ast.Include, ast.CutInto}


@pytest.mark.parametrize("statement", SPEC.statements, ids=lambda s: type(s).__name__)
def test_spans(statement: ast.Statement) -> None:
    span = statement.span
    assert span is not None
    assert parse_text(span.text).statements == (statement,)
