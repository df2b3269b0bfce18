"""The LALR parser of ``grammar/spec.lark``, from tables computed beforehand where they fit.

Computing the tables takes lark four times as long as loading them, and every ``surgery check`` would
pay it. ``grammar/spec.tables.json`` is plain data, made by ``python -m surgery.syntax.tables``. It
names the grammar and the lark release it was made of; with any other the parser is built afresh.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from surgery.diagnostics import SurgeryError
from surgery.syntax.resources import grammar_text

GRAMMAR = "spec.lark"
TABLES = "spec.tables.json"
STARTS = ("statement", "selector", "pattern")


def build_parser() -> lark.Lark:
    """Return the parser, built from the grammar."""
    return lark.Lark(
        grammar_text(GRAMMAR),
        parser="lalr",
        lexer="contextual",
        start=list(STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
    )


@cache
def parser() -> lark.Lark:
    """Return the parser, made once in a process."""
    try:
        document = json.loads(grammar_text(TABLES))
    except SurgeryError:
        return build_parser()
    if document["of"] != _identity():
        return build_parser()
    tables: dict[str, Any] = document["tables"]
    # JSON knows text keys only; states, tokens and memo entries are numbered.
    table = tables["data"]["parser"]["parser"]
    table["tokens"] = {int(k): v for k, v in table["tokens"].items()}
    table["states"] = {
        int(state): {int(token): action for token, action in row.items()}
        for state, row in table["states"].items()
    }
    memo = {int(k): v for k, v in tables["memo"].items()}
    loaded: lark.Lark = lark.Lark._load_from_dict(tables["data"], memo)
    return loaded


def tables_text() -> str:
    """Return what ``grammar/spec.tables.json`` has to hold."""
    data, memo = build_parser().memo_serialize([TerminalDef, Rule])
    document = {"of": _identity(), "tables": {"data": data, "memo": memo}}
    return json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n"


def _identity() -> dict[str, str]:
    digest = sha256(grammar_text(GRAMMAR).encode()).hexdigest()
    return {"grammar": digest, "lark": lark.__version__}


if __name__ == "__main__":
    checkout = Path(__file__).resolve().parents[2] / "grammar" / TABLES
    checkout.write_text(tables_text(), encoding="utf-8")
