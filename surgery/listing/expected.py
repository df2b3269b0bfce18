"""What the parser could have read next, in words."""

from __future__ import annotations

from collections.abc import Collection

#: Terminals with which an expression begins; together they are "an expression".
_EXPRESSION = frozenset({"NUM", "VAR", "NAME", "GLOBAL", "META", "INT", "FLOAT", "LPAR", "FN"})
_VALUE = frozenset({"INTS", "INT", "FLOAT", "STRING", "NONE", "TRUE"})

_WORDS = {
    "BIND": "`%N = ...`", "NUM": "`%N`", "VAR": "a variable such as `%x`",
    "GLOBAL": "a function's name such as `@main`", "FIELD": "a field such as `.0`",
    "META": "`meta[...]`", "TENSOR": "a tensor type", "ATTR": "an attribute such as `axis=1`",
    "ARROW": "`->`", "IMPLIES": "`=>`", "INT": "an integer", "FLOAT": "a number",
    "INTS": "a list", "STRING": "a string", "NAME": "a name", "DEF": "`def`", "FN": "`fn`",
    "LET": "`let`", "IF": "`if`", "ELSE": "`else`", "TYPE": "`type`", "LPAR": "`(`",
    "RPAR": "`)`", "LBRACE": "`{`", "RBRACE": "`}`", "LBRACKET": "`[`", "RBRACKET": "`]`",
    "COMMA": "`,`", "SEMICOLON": "`;`", "COLON": "`:`", "EQUAL": "`=`",
    "$END": "the end of the text",
}  # fmt: skip

#: What closes or goes on comes first: that is what is usually forgotten.
_ORDER = ("SEMICOLON", "RBRACE", "RPAR", "RBRACKET", "COMMA", "EQUAL", "COLON", "LBRACE", "ELSE")


def in_words(terminals: Collection[str]) -> str:
    """Return a short phrase for a set of terminals: ``"`,` or `)`"``."""
    left = set(terminals)
    phrases: list[str] = []
    if left >= _EXPRESSION:
        # Statements and expressions begin alike; the rest of the set would only repeat that.
        left &= {"RPAR", "RBRACE", "DEF", "$END"}
        phrases.append("an expression")
    elif left >= _VALUE:
        left &= {"RBRACKET"}
        phrases.append("a value")
    elif {"TENSOR", "NAME", "LPAR", "FN"} <= left:
        left -= {"TENSOR", "NAME", "LPAR", "FN"}
        phrases.append("a type")
    ordered = [t for t in _ORDER if t in left] + sorted(left - set(_ORDER))
    phrases += [_WORDS[t] for t in ordered if t in _WORDS]
    phrases = phrases[:4]
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"
