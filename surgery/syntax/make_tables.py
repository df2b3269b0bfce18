"""Writes ``grammar/spec.tables.json``: run it after each change of ``grammar/spec.lark``."""

from __future__ import annotations

import json
from pathlib import Path

from lark.grammar import Rule
from lark.lexer import TerminalDef

from surgery.syntax.tables import TABLES, build_parser, identity


def tables_text() -> str:
    """Return the parser's tables as JSON."""
    data, memo = build_parser().memo_serialize([TerminalDef, Rule])
    document = {"of": identity(), "tables": {"data": data, "memo": memo}}
    return json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n"


if __name__ == "__main__":
    checkout = Path(__file__).resolve().parents[2] / "grammar" / TABLES
    checkout.write_text(tables_text(), encoding="utf-8")
