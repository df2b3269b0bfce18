"""Every code of these rooms is explained, and every explanation is of a code that is raised."""

from __future__ import annotations

import re
from pathlib import Path

import surgery
from surgery.codes import pipeline, recipe

ROOT = Path(surgery.__file__).parent
CODES = recipe.CODES | pipeline.CODES


def test_codes_raised_and_explained_are_the_same() -> None:
    files = [
        p
        for room in ("recipe", "runtime", "verification", "api")
        for p in (ROOT / room).rglob("*.py")
    ]
    raised = {c for f in files for c in re.findall(r'"(S5[5-8]\d)"', f.read_text())}
    assert raised == set(CODES)
    assert all("S550" <= code <= "S589" for code in CODES)


def test_explanations_are_whole() -> None:
    for title, paragraph in CODES.values():
        assert title and not title.endswith(".")
        assert len(paragraph) > 60 and paragraph.endswith(".")
