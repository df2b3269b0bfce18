"""The LALR parser of ``grammar/spec.lark``, from tables computed beforehand where they fit.

Computing the tables takes lark four times as long as loading them, and every ``surgery check``
would pay it. ``grammar/spec.tables.json`` is plain data, made by
``python -m surgery.syntax.make_tables``. It names the grammar and the lark release it was made of;
with any other the parser is built afresh.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import Any

import lark

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
    if document["of"] != identity():
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
    load: Any = lark.Lark._load_from_dict
    loaded: lark.Lark = load(tables["data"], memo)
    return loaded


def identity() -> dict[str, str]:
    """Return what tables have to be made of to be used."""
    digest = sha256(grammar_text(GRAMMAR).encode()).hexdigest()
    return {"grammar": digest, "lark": lark.__version__}
