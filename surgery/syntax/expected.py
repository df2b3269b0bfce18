"""Says in words what a text that doesn't parse should have held."""

from __future__ import annotations

import re
from collections.abc import Iterable

from surgery.diagnostics import Diagnostic, nearest
from surgery.syntax.examples import EXAMPLES
from surgery.syntax.origin import Origin
from surgery.syntax.statements import Chunk


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Terminals that together begin something with a name of its own, widest first.
_GROUPS: tuple[tuple[frozenset[str], frozenset[str], str], ...] = (
    (
        frozenset({"NUMBERED", "RELATION", "RUN"}),
        _names(
            "NUMBERED VARIABLE RESULT RUN QUOTED_RUN VAR STRING REGEX _OP _INPUT _PARAM "
            "RELATION _NTH _BETWEEN LPAR"
        ),
        "a selector",
    ),
    (
        frozenset({"OP", "_CONST"}),
        _names("OP CAPTURE _CONST _INPUT_LEAF STAR VAR LPAR LBRACE LSQB"),
        "a pattern",
    ),
    (
        frozenset({"BARE", "TRUE"}),
        _names("INT FLOAT TRUE FALSE NONE BARE STRING VAR STAR LPAR LSQB"),
        "a value",
    ),
    (frozenset({"INT", "FLOAT"}), frozenset({"INT", "FLOAT", "VAR"}), "a number"),
    (frozenset({"KIND"}), frozenset({"KIND", "VAR"}), "the name of an op"),
    (frozenset({"PATH"}), frozenset({"PATH", "STRING"}), "a path"),
    (frozenset({"RUN"}), frozenset({"RUN", "STRING", "VAR"}), "a name"),
    (frozenset({"OP"}), frozenset({"OP", "VAR"}), "a name"),
    (frozenset({"BINDEE"}), frozenset({"BINDEE", "STRING"}), "the name of an input"),
)
_WORDS = {
    "$END": "the end of the statement",
    "KEY": "`NAME=`",
    "COMPARISON": "a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`)",
    "ATTR": "`.ATTRIBUTE`",
    "FIELD": "`.FIELD`",
    "DTYPE": "an element type",
    "MAYBE": "`?`",
    "STAR": "`*`",
    "STRING": "a string",
    "VAR": "`${NAME}`",
    "INT": "a whole number",
    "RUN": "a name",
    "_EQ": "`=`",
    "_SEMI": "`;`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "MORETHAN": "`>`",
    "VBAR": "`|`",
    "_AFTER_OUTPUT_ONLY": "`only`",
    "EACH_STAGE": "`each`",
    "_INPUT_LEAF": "`input`",
    "_ALSO": "`and`",
    "RELATION": "`first(`",
    "_NTH": "`nth(`",
    "_BETWEEN": "`between(`",
    "_INPLACE": "`inplace(`",
    "_TENSOR": "`Tensor[`",
}
#: Signs that only go on with what stands before: named last, and not when there is much else.
_CONTINUATIONS = _names(
    "MAYBE STAR LPAR LBRACE LSQB MORETHAN VBAR FIELD ATTR _SEMI COMMA _AND _OR _EXCEPT _WHERE _ALSO"
)
_WORD = re.compile(r"%?[\w.\/:@$-]+|\S")


def keywords(terminals: Iterable[str]) -> list[str]:
    """Return the keywords among some terminals."""
    words: list[str] = []
    for name in sorted(terminals):
        match name:
            case "WHERE_CUT":
                words += ["after", "before"]
            case "_AFTER_OUTPUT_ONLY":
                words.append("only")
            case "RELATION":
                words += ["first", "last", "inputs", "users"]
            case _:
                bare = name.strip("_").lower()
                if name.startswith("_") or name in ("EACH", "OPTIONAL"):
                    words.append(bare)
    return words


def phrase(terminals: Iterable[str]) -> str:
    """Return ``a selector, `each` or `only` `` for what may stand at a place."""
    left = set(terminals)
    parts: list[str] = []
    for needed, covered, name in _GROUPS:
        if needed <= left and name not in parts:
            parts.append(name)
            left -= covered
    if "WHERE_CUT" in left:
        left = left - {"WHERE_CUT"} | {"AFTER", "BEFORE"}
    rest = left - _CONTINUATIONS
    if len(rest) + len(parts) <= 2:
        rest = left
    parts += sorted(
        dict.fromkeys(_WORDS.get(name, f"`{name.strip('_').lower()}`") for name in rest),
        key=lambda word: (word in ("the end of the statement",), not word.startswith("`"), word),
    )
    if len(parts) > 12:
        parts = [*parts[:11], "..."]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def unexpected(
    text: str, offset: int, chunk: Chunk, terminals: Iterable[str], origin: Origin, example: str
) -> Diagnostic:
    """Return the finding for a statement that stops making sense at ``offset``."""
    end = chunk.end
    wanted = set(terminals)
    offset = _skip_blank(text, offset, end)
    reason = f"expected {phrase(wanted)}" if wanted else ""
    remedy = f"write for example: {example}"
    if offset >= end:
        last = max(end - 1, chunk.start)
        return Diagnostic(
            code="S102",
            message="the statement ends too early",
            span=origin.span(last, end),
            reason=reason,
            remedy=remedy,
        )
    match = _WORD.match(text, offset, end)
    word = match.group() if match else text[offset]
    span = origin.span(offset, offset + len(word))
    close = nearest(word, keywords(wanted), limit=1) if word[0].isalpha() else []
    before = text[chunk.start : offset].rpartition("\n")
    if before[1] and not before[2].strip() and word in EXAMPLES:
        reason = "the line is indented, so it goes on with the statement before it" + (
            f": {reason}" if reason else ""
        )
        remedy = f"begin the line at the margin when `{word}` is a statement of its own"
    elif close:
        remedy = f"did you mean `{close[0]}`? For example: {example}"
    elif word.startswith(".."):
        remedy = (
            "there are no ranges: from one value to another is `between(%2, result)`; an offload "
            f"that stops at a value is `offload ... until %2`; {remedy}"
        )
    elif word.startswith("%") and not word[1:].isdigit():
        remedy = f"`%` is followed by a number or a name, as `surgery show` lists it; {remedy}"
    elif word.startswith("$"):
        remedy = f"a variable is written `${{NAME}}` and stands for a value only; {remedy}"
    return Diagnostic(
        code="S100",
        message=f"`{_shown(word)}` does not belong here",
        span=span,
        reason=reason,
        remedy=remedy,
    )


def unknown_statement(word: str, start: int, origin: Origin) -> Diagnostic:
    """Return the finding for a statement that begins with no known keyword."""
    span = origin.span(start, start + len(word))
    close = nearest(word, EXAMPLES, limit=1) if word[0].isalpha() else []
    if close:
        remedy = f"did you mean `{close[0]}`? For example: {EXAMPLES[close[0]]}"
    elif word == "def":
        remedy = "this looks like a Relay model: give it by `model`, or by `--model`"
    elif word.startswith(("%", "@")):
        remedy = f"say what to do with it: {EXAMPLES['output']}"
    else:
        remedy = "indent the line when it goes on with the statement before it"
    return Diagnostic(
        code="S101",
        message=f"`{_shown(word)}` begins no statement",
        span=span,
        reason=f"a statement begins with one of: {', '.join(EXAMPLES)}",
        remedy=remedy,
    )


def _shown(word: str) -> str:
    if not word.isprintable():
        return " ".join(f"U+{ord(character):04X}" for character in word[:4])
    return word if len(word) <= 40 else word[:39] + "…"


def _skip_blank(text: str, offset: int, end: int) -> int:
    """Return the first place from ``offset`` that is neither blank nor in a comment."""
    while offset < end:
        if text[offset].isspace():
            offset += 1
        elif text[offset] == "#":
            stop = text.find("\n", offset, end)
            offset = end if stop < 0 else stop
        else:
            break
    return offset
