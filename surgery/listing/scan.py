"""A fast scan of a listing: what is bound where, and under which source name.

It finds statements and blocks by their punctuation alone, with one regular expression, and doesn't
look inside expressions. The loader compares its result for a user's file with that for TVM's own
print of the same model to carry the file's numbers and names over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from surgery.listing.names import Mention
from surgery.listing.notes import source_name
from surgery.listing.text import listing_text
from surgery.source import Source, Span

_MARKS = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|%\d+\s*=(?!=)|=>|[{};]|\blet\s+%|\bdef\s+@', re.DOTALL
)
_HEAD = re.compile(
    r"(?:\s|/\*.*?\*/|//[^\n]*\n)*(?:(?P<field>%[^\s(]+?\.\d+)(?=[\s;/})])|(?P<value>%[^\s(]+)\s*\(|(?P<var>%)"
    r"|(?P<callee>@?[^\W\d][\w./\-]*|match\?)\s*(?P<call>\()?|(?P<meta>meta\[)|(?P<tuple>\()"
    r"|(?P<literal>[-\d.]))",
    re.DOTALL,
)
_WORDS = {"if": "if", "fn": "fn", "match": "match", "match?": "match"}
#: The `=` of a let, past a type and its comment.
_EQUAL = re.compile(r"(?:/\*.*?\*/|[^=/])*?=", re.DOTALL)
_SPACE = re.compile(r"(?:\s|/\*.*?\*/|//[^\n]*\n)*", re.DOTALL)

BindingKind = Literal["parameter", "local", "let", "value", "result"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One value that a listing gives a number or a name, or the result of a block.

    Attributes:
        kind: A ``parameter`` of a ``def``, a ``local`` parameter of a function literal, a ``let``
            variable, a numbered ``value``, or the ``result`` of a body, branch or function literal.
        function: The ``def`` it is in (``main`` outside of any).
        number: The ``N`` of ``%N = ...``; ``None`` for other kinds.
        variable: The variable's name as written, without ``%``; ``None`` for values and results.
        head: What the value is: an op's name (``nn.dense``), ``@block``, ``fn`` (a literal),
            ``if``, ``match``, ``(`` (a tuple, a group), ``.`` (a field), ``%(`` (a call of a
            value), ``%`` (a variable or number), ``meta``, ``literal``; ``""`` for parameters.
        source_name: The name that its comment gives, if any.
        span: The place of ``%N``, of the variable's name (without ``%``), or of the result's start.
    """

    kind: BindingKind
    function: str
    number: int | None
    variable: str | None
    head: str
    source_name: str | None
    span: Span

    @property
    def line(self) -> int:
        return self.span.line


@dataclass(slots=True)
class _Entry:
    """A binding under construction."""

    kind: BindingKind
    number: int | None
    variable: str | None
    start: int
    end: int
    function: str
    head: str = ""
    grouped: bool = False
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """One pair of braces, while it is open."""

    start: int
    holds_result: bool = True
    pending: list[_Entry] = field(default_factory=list)


def scan_bindings(source: Source) -> list[Binding]:
    """Return every binding of a listing in text order (a result where its expression begins)."""
    listing = listing_text(source)
    entries = _statements(listing.plain, {d.start: d.name for d in listing.functions})
    entries += [
        _Entry(
            kind=d.kind, number=None, variable=d.name, start=d.start, end=d.end, function=d.function
        )
        for d in listing.declarations
        if d.kind == "parameter" or d.kind == "local"
    ]
    named = {d.start: d for d in listing.declarations if d.kind == "let"}
    for entry in entries:
        if entry.kind == "let" and entry.start in named:
            entry.variable, entry.end = named[entry.start].name, named[entry.start].end
            entry.head = _let_head(listing.plain, entry.end)
    entries.sort(key=lambda e: e.start)
    return [
        Binding(
            kind=e.kind,
            function=e.function,
            number=e.number,
            variable=e.variable,
            head=e.head,
            source_name=source_name(e.comments) if e.comments else None,
            span=Span(source, e.start, e.end),
        )
        for e in entries
    ]


def _let_head(text: str, at: int) -> str:
    """Return the head of a let's value; ``at`` is the end of the variable's name."""
    equal = _EQUAL.search(text, at)
    return _head(text, equal.end()) if equal else ""


def _statements(text: str, functions: dict[int, str]) -> list[_Entry]:
    entries: list[_Entry] = []
    frames = [_Frame(0)]
    function = "main"
    comments: list[str] = []  # those that stand one after the other right before this place
    gap = 0  # where the last of them ends
    closed: _Entry | None = None
    closed_at = 0
    for mark in _MARKS.finditer(text):
        word = mark.group()
        at = mark.start()
        first = word[0]
        if first == "/":
            if closed is not None and "\n" not in text[closed_at:at]:
                closed.comments.append(word)
                continue
            if text[gap:at].strip():
                comments = []
            comments.append(word)
            gap = mark.end()
            continue
        closed = None
        frame = frames[-1]
        if first == "%":
            number = word[1:-1].rstrip()
            entry = _Entry("value", int(number), None, at, at + 1 + len(number), function)
            entry.head = _head(text, mark.end())
            entries.append(entry)
            frame.pending.append(entry)
        elif first == "l":
            entry = _Entry("let", None, None, mark.end(), mark.end(), function)
            entries.append(entry)
            frame.pending.append(entry)
        elif first == ";":
            if frame.pending:
                closed = frame.pending.pop()
                closed_at = mark.end()
                # `%1 = (let ...; value /* name */);`: the group's value is the last one in it.
                if text[gap:at].strip() == (")" if closed.grouped else ""):
                    closed.comments += comments
                if frame.pending:
                    frame.pending[-1].grouped = True
            frame.start = mark.end()
        elif first == "{":
            frames.append(_Frame(mark.end(), not _is_map(text, at)))
        elif first == "}" and len(frames) > 1:
            frames.pop()
            if frame.holds_result:
                said = comments if not text[gap:at].strip() else []
                entries.append(_result(text, frame.start, function, said))
        elif word == "=>":
            frame.holds_result = False
        elif first == "d":
            function = functions.get(mark.end(), function)
            frames = [_Frame(mark.end())]
        comments = []
        gap = mark.end()
    return entries


def _result(text: str, start: int, function: str, comments: list[str]) -> _Entry:
    space = _SPACE.match(text, start)
    start = space.end() if space else start
    entry = _Entry("result", None, None, start, start + 1, function, _head(text, start))
    entry.comments = list(comments)
    return entry


def _is_map(text: str, at: int) -> bool:
    """Return whether a ``{`` opens an attribute's value or a type's constructors, not a block."""
    before = text[max(0, at - 200) : at].rstrip()
    if before.endswith("=") or before.endswith(("[", ",", "(")):
        return True
    return re.search(r"(?:^|\n)\s*type\s+\w+\s*(?:\[[^\]]*\])?$", before) is not None


def _head(text: str, at: int) -> str:
    found = _HEAD.match(text, at)
    if found is None:
        return ""
    match found.lastgroup:
        case "field":
            return "."
        case "value":
            return "%("
        case "var":
            return "%"
        case "tuple":
            return "("
        case "meta":
            return "meta"
        case "literal":
            return "literal"
        case _:
            callee = found["callee"]
            if callee in _WORDS:
                return _WORDS[callee]
            if callee in ("True", "False"):
                return "literal"
            return callee


def parameter_names(source: Source) -> list[Binding]:
    """Return the parameters of every ``def``, in text order, names and places without ``%``."""
    return [b for b in scan_bindings(source) if b.kind == "parameter"]


def variable_mentions(source: Source) -> list[Mention]:
    """Return every place where a declared variable or function stands: declarations and uses.

    For rewriting names: the places exclude the ``%`` or ``@`` and lie outside comments and
    strings. Numbers (``%3``) are no names.
    """
    return listing_text(source).mentions()
