"""Splits a text spec into its statements, before any of them is parsed.

A statement ends at ``;`` or at a newline; an indented line goes on with the statement before it, and
so does everything inside brackets. Offsets are those of the text itself, so spans are exact. As each
statement is parsed on its own, a fault in one hides no fault in another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

#: Brackets deeper than this are refused: nothing real is, and what follows may recurse over the AST.
MAX_DEPTH = 64

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)"""
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\n)|(?P<semi>;)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<blank>[ \t\r\f\v]+)"""
    r"""|(?P<word>[^"'\#\n;()\[\]{} \t\r\f\v]+)"""
)
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


@dataclass(slots=True, kw_only=True)
class Chunk:
    """One statement: ``[start, end)`` of the text, without separators and outer comments."""

    start: int
    end: int
    faults: list[Fault] = field(default_factory=list)


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
    """Split a text into statements, or check it as a single one (``whole``)."""
    tokens = [_Token(m.lastgroup or "word", m.start(), m.end()) for m in _TOKEN.finditer(text)]
    partners = _match_brackets(text, tokens)
    chunks: list[Chunk] = []
    comments: list[Comment] = []
    current: Chunk | None = None
    base: int | None = None
    depth = 0
    braces = 0
    line_is_empty = True
    for index, token in enumerate(tokens):
        if token.kind == "newline":
            line_is_empty = True
            if current is not None and not whole and depth == 0 and _ends_at(text, token.end, base):
                current = None
            continue
        if token.kind == "blank":
            continue
        if token.kind == "comment":
            comments.append(Comment(start=token.start, end=token.end, own_line=line_is_empty))
            continue
        if token.kind == "semi" and not whole and braces == 0:
            current, depth, line_is_empty = None, 0, False
            continue
        if current is None:
            current = Chunk(start=token.start, end=token.end)
            chunks.append(current)
            if line_is_empty:
                indent = token.start - (text.rfind("\n", 0, token.start) + 1)
                base = indent if base is None else min(base, indent)
            base = base or 0
        line_is_empty = False
        current.end = token.end
        if token.kind == "string":
            if not _is_closed(text, token):
                current.faults.append(Fault(kind="string", start=token.start, end=token.end))
        elif token.kind == "open":
            if partners[index] is None:
                current.faults.append(Fault(kind="unclosed", start=token.start, end=token.end))
            else:
                depth += 1
                braces += text[token.start] == "{"
                if depth == MAX_DEPTH + 1:
                    current.faults.append(Fault(kind="depth", start=token.start, end=token.end))
        elif token.kind == "close":
            if partners[index] is None:
                current.faults.append(Fault(kind="unopened", start=token.start, end=token.end))
            else:
                depth = max(0, depth - 1)
                braces = max(0, braces - (text[token.start] == "}"))
    return Layout(chunks=tuple(chunks), comments=tuple(comments))


def _match_brackets(text: str, tokens: list[_Token]) -> list[int | None]:
    """Return for each token the index of its partner; ``None`` where it has none."""
    partners: list[int | None] = [None] * len(tokens)
    open_now: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            open_now.append(index)
        elif token.kind == "close":
            wanted = _PAIRS[text[token.start]]
            if open_now and text[tokens[open_now[-1]].start] == wanted:
                partner = open_now.pop()
                partners[partner], partners[index] = index, partner
    return partners


def _ends_at(text: str, at: int, base: int | None) -> bool:
    """Tell whether a statement ends before the line that begins at ``at``."""
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        content = line.lstrip(" \t\r\f\v")
        if content and not content.startswith("#"):
            indent = len(line) - len(content)
            return indent <= (base or 0) and content[0] not in _PAIRS
        at = stop + 1
    return True


def _is_closed(text: str, token: _Token) -> bool:
    """Tell whether a string token ends with the quote that began it."""
    body = text[token.start + 1 : token.end]
    quote = text[token.start]
    if not body.endswith(quote):
        return False
    before = body[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0
