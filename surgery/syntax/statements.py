"""Splits a text spec into its statements, before any of them is parsed.

A statement ends at ``;`` or at a newline; an indented line goes on with the statement before it,
and so does everything inside brackets. Offsets are those of the text itself, so spans are exact. As
each statement is parsed on its own, a fault in one hides no fault in another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from surgery.syntax.examples import EXAMPLES

#: Brackets deeper than this are refused: nothing real is, and printing recurses over the AST.
MAX_DEPTH = 64

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)"""
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<semi>;)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<blank>[^\S\n]+)"""
    r"""|(?P<word>[^"'\#;()\[\]{}\s]+)"""
)
#: A word that blanks and no `=` follow.
_STATEMENT = re.compile(r"(\w+)(?:[ \t]+(?!=)|\n|$)")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment; ``own_line`` when nothing else stands on its line."""

    start: int
    end: int
    own_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A bracket or quote that has no partner, or brackets too deep."""

    kind: Literal["unclosed", "unopened", "string", "depth"]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One statement: ``[start, end)`` of the text, without separators and outer comments."""

    start: int
    end: int
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The statements and comments of a text, each in order."""

    chunks: tuple[Chunk, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    start: int
    end: int


def split(text: str, *, whole: bool = False) -> Layout:
    """Split a text into statements, or take it as a single one (``whole``)."""
    chunks: list[Chunk] = []
    comments: list[Comment] = []
    tokens: list[_Token] = []
    base: int | None = None
    depth = braces = 0
    content = 0
    line_is_empty = True

    def close() -> None:
        nonlocal depth, braces
        if tokens:
            faults = _bracket_faults(text, tokens)
            chunks.append(Chunk(start=tokens[0].start, end=tokens[-1].end, faults=faults))
            tokens.clear()
        depth = braces = 0

    for match in _TOKEN.finditer(text):
        token = _Token(match.lastgroup or "word", match.start(), match.end())
        match token.kind:
            case "blank":
                continue
            case "newline":
                line_is_empty = True
                if tokens and not whole and token.end > content:
                    content = _content(text, token.end)
                    if _ends_before(text, content, base or 0, depth > 0):
                        close()
                continue
            case "comment":
                comments.append(Comment(start=token.start, end=token.end, own_line=line_is_empty))
                continue
            case "semi" if not whole and braces == 0:
                close()
                line_is_empty = False
                continue
            case "open":
                depth += 1
                braces += text[token.start] == "{"
            case "close":
                depth = max(0, depth - 1)
                braces = max(0, braces - (text[token.start] == "}"))
            case _:
                pass
        if not tokens and line_is_empty:
            indent = token.start - (text.rfind("\n", 0, token.start) + 1)
            base = indent if base is None else min(base, indent)
        line_is_empty = False
        tokens.append(token)
    close()
    return Layout(chunks=tuple(chunks), comments=tuple(comments))


def _bracket_faults(text: str, tokens: list[_Token]) -> tuple[Fault, ...]:
    """Return what is wrong with the brackets and quotes of one statement, in order."""
    faults: list[Fault] = []
    open_now: list[_Token] = []
    too_deep = False
    for token in tokens:
        if token.kind == "string" and not _is_closed(text, token):
            faults.append(Fault(kind="string", start=token.start, end=token.end))
        elif token.kind == "open":
            open_now.append(token)
            if len(open_now) > MAX_DEPTH and not too_deep:
                too_deep = True
                faults.append(Fault(kind="depth", start=token.start, end=token.end))
        elif token.kind == "close":
            if open_now and text[open_now[-1].start] == _PAIRS[text[token.start]]:
                open_now.pop()
            else:
                faults.append(Fault(kind="unopened", start=token.start, end=token.end))
    faults += [Fault(kind="unclosed", start=t.start, end=t.end) for t in open_now]
    return tuple(sorted(faults, key=lambda fault: fault.start))


def _content(text: str, at: int) -> int:
    """Return where the first line from ``at`` that isn't blank or a comment has its content."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        content = line.lstrip()
        if content and not content.startswith("#"):
            return stop - len(content)
        at = stop + 1
    return len(text)


def _ends_before(text: str, content: int, base: int, inside: bool) -> bool:
    """Tell whether a statement ends before the line of ``content``, or goes on there.

    Inside brackets only a line that clearly begins a statement ends it, so that a forgotten bracket
    doesn't swallow the rest of the file.
    """
    if content >= len(text):
        return True
    indent = content - (text.rfind("\n", 0, content) + 1)
    if indent > base or text[content] in _PAIRS:
        return False
    if not inside:
        return True
    word = _STATEMENT.match(text, content)
    return word is not None and word[1] in EXAMPLES


def _is_closed(text: str, token: _Token) -> bool:
    """Tell whether a string token ends with the quote that began it."""
    body = text[token.start + 1 : token.end]
    quote = text[token.start]
    if not body.endswith(quote):
        return False
    before = body[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0
