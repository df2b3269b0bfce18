"""Every code that the language reports is explained, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import surgery.syntax
from surgery.codes.syntax import CODES


def test_codes_are_explained() -> None:
    for code, (title, paragraph) in CODES.items():
        assert code.startswith(("S1", "S54"))
        assert title and not title.endswith(".")
        assert len(paragraph) > 60


def test_codes_in_use_are_those_explained() -> None:
    folder = Path(surgery.syntax.__file__).parent
    sources = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert set(re.findall(r'"(S\d{3})"', sources)) == set(CODES)
