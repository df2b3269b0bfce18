"""``explain`` and ``schema``: what surgery says about itself."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Literal

import click

from surgery.cli.console import Outcome, Session, json_text
from surgery.diagnostics import nearest

_GROUPS = {
    "1": "syntax and schema",
    "2": "selectors and plan",
    "3": "surgery",
    "4": "engine and build",
    "5": "files",
}


def explain(session: Session, *, code: str | None) -> Outcome:
    """Run ``surgery explain``."""
    from surgery.codes import CODES

    if code is None:
        return Outcome(
            document=lambda: {"codes": {c: title for c, (title, _) in CODES.items()}},
            lines=lambda: _all_codes(CODES),
        )
    key = code.strip().upper()
    key = key if key.startswith("S") else "S" + key
    if key not in CODES:
        close = nearest(key, CODES) or sorted(CODES, key=lambda c: _distance(c, key))[:3]
        raise click.UsageError(
            f"there is no diagnostic {code!r}; nearest: {', '.join(close)}. "
            "`surgery explain` without a code lists all"
        )
    title, text = CODES[key]
    return Outcome(
        document=lambda: {"code": key, "title": title, "text": text},
        lines=lambda: [f"{key}: {title}", *textwrap.wrap(text, 88, break_long_words=False)],
    )


def _all_codes(codes: Mapping[str, tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    group = ""
    for code, (title, _) in codes.items():
        if code[1] != group:
            group = code[1]
            lines += [*([""] if lines else []), f"S{group}xx {_GROUPS.get(group, '')}:"]
        lines.append(f"  {code}  {title}")
    return lines


def _distance(code: str, wanted: str) -> int:
    digits = "".join(c for c in wanted if c.isdigit())
    return abs(int(code[1:]) - int(digits or 0))


def schema(session: Session, *, what: Literal["spec", "recipe"]) -> Outcome:
    """Run ``surgery schema``."""
    if what == "spec":
        from surgery.syntax import spec_schema

        document = spec_schema()
    else:
        from surgery.recipe import recipe_schema

        document = recipe_schema()
    return Outcome(
        document=lambda: {"schema": document},
        lines=lambda: [json_text(document).rstrip("\n")],
    )
