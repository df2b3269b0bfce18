"""The names a listing declares, and where they are used.

TVM prints a variable's name as it is, also when it holds characters that end a name for TVM's own
parser: ``%input:0``, ``%features.1.conv.bias``, ``%my input``. So which characters belong to a name
is only known from the place that declares it: a function's parameters, ``let``, ``free_var``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from surgery.source import Span

#: Names that the grammar's own terminals read.
REGULAR = re.compile(r"[^\W\d][\w/]*")

_DTYPE = r"(?:bool|handle|u?int\d+|float\d+|bfloat\d+|e\dm\d\w*)(?:x\d+)?\b"
_STRONG = rf"(?:Tensor\[|\(|fn\s*[(\[]|ref\(|{_DTYPE})"
_TYPE = rf"(?:{_STRONG}|[^\W\d]\w*(?=\s*[,)\[/=;(]))"
_RUN = r"[^\s,;()\[\]{}=%\"]+"

_RUN_ONLY = re.compile(_RUN)
_SITE = re.compile(
    r"def\s+@|fn\s*(?:\[[^\]\n]*\]\s*)?\(\s*(?=%)|let\s+%|free_var\s+%|/\*.*?\*/", re.DOTALL
)
_FUNCTION_NAME = re.compile(r"([^(\[\n]*)\s*(?:\[[^\]\n]*\]\s*)?\(\s*")
_TYPED = re.compile(rf"%({_RUN}):(?:\s+(?={_TYPE})|(?={_STRONG}))")
_UNTYPED = re.compile(rf"%({_RUN})(?=\s*(?:\)|/\*|,\s*(?:%|[\w.]+=|\))))")
_TYPED_WIDE = re.compile(rf"%((?:(?!,\s*%|\)\s*(?:\{{|->))[^\n])+?):\s+(?={_STRONG})")
_UNTYPED_WIDE = re.compile(r"%([^,)\n]+)(?=[,)])")
_LET = re.compile(rf"({_RUN})(?::\s+(?={_TYPE})|:(?={_STRONG})|(?<!:)\s*(?:/\*.*?\*/\s*)*=(?!=))")
_LET_WIDE = re.compile(rf"([^\n]+?)(?::\s+(?={_STRONG})|(?<!:)\s+=\s)")
_FREE = re.compile(rf"({_RUN})(?::\s+(?={_TYPE})|:(?={_STRONG})|(?<!:)\s*;)")
_FREE_WIDE = re.compile(rf"([^\n]+?)(?::\s+(?={_STRONG})|\s*;[ \t]*\n)")
_TENSOR = re.compile(r"Tensor\[\([^()\[\]]*\), \w+\]")
_TYPE_PART = re.compile(r"/\*|[()\[\],{}=;]")
_COMMENTS = re.compile(r"(?:\s*/\*.*?\*/)*\s*", re.DOTALL)
_MENTION = re.compile(r'/\*.*?\*/|"(?:[^"\\]|\\.)*"|(?<![^\s;,(){}])//[^\n]*|[%@]', re.DOTALL)

DeclarationKind = Literal["parameter", "local", "let", "free", "function"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One place that introduces a name.

    Attributes:
        kind: A ``parameter`` of a ``def``, a ``local`` parameter of a function literal, a ``let``
            or ``free_var`` variable, or the ``function`` of a ``def`` itself.
        name: The name as the file writes it, without ``%`` or ``@``.
        start: Offset of the name's first character (after the ``%`` or ``@``).
        function: The ``def`` it stands in (``main`` outside of any).
        header: Offset of the parameter list, the same for parameters of one function.
    """

    kind: DeclarationKind
    name: str
    start: int
    function: str
    header: int

    @property
    def end(self) -> int:
        return self.start + len(self.name)


def declarations(text: str, end: int) -> list[Declaration]:
    """Return every name that ``text[:end]`` declares, in order."""
    found: list[Declaration] = []
    function = "main"
    for site in _SITE.finditer(text, 0, end):
        before = text[site.start() - 1] if site.start() else " "
        word = site.group()
        if word.startswith("/*") or before.isalnum() or before in "_.%@/":
            continue
        at = site.end()
        match word[:2]:
            case "de":
                header = _FUNCTION_NAME.match(text, at, end)
                if header is None:
                    continue
                function = header[1].strip()
                found.append(
                    Declaration(
                        kind="function", name=function, start=at, function=function, header=at
                    )
                )
                found.extend(_parameters(text, header.end(), end, "parameter", function))
            case "fn":
                found.extend(_parameters(text, at, end, "local", function))
            case "le":
                name = _LET.match(text, at, end) or _LET_WIDE.match(text, at, end)
                found.extend(_named(name, "let", function))
            case _:
                name = _FREE.match(text, at, end) or _FREE_WIDE.match(text, at, end)
                found.extend(_named(name, "free", function))
    return found


def _named(
    name: re.Match[str] | None, kind: DeclarationKind, function: str
) -> Iterator[Declaration]:
    if name is not None:
        start = name.start(1)
        yield Declaration(kind=kind, name=name[1], start=start, function=function, header=start)


def _parameters(
    text: str, at: int, end: int, kind: DeclarationKind, function: str
) -> Iterator[Declaration]:
    header = at
    while text.startswith("%", at):
        name = _TYPED.match(text, at, end)
        typed = name is not None
        if name is None:
            name = _UNTYPED.match(text, at, end)
        if name is None:
            name = _TYPED_WIDE.match(text, at, end)
            typed = name is not None
        if name is None:
            name = _UNTYPED_WIDE.match(text, at, end)
        if name is None:
            return
        yield Declaration(
            kind=kind, name=name[1], start=name.start(1), function=function, header=header
        )
        at = _type_end(text, name.end(), end) if typed else name.end()
        at = _after(_COMMENTS, text, at, end)
        if not text.startswith(",", at):
            return
        at = _after(_COMMENTS, text, at + 1, end)


def _after(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    found = pattern.match(text, at, end)
    return found.end() if found else at


def _type_end(text: str, at: int, end: int) -> int:
    """Return the offset after the type that begins at ``at``."""
    plain = _TENSOR.match(text, at, end)
    if plain:
        return plain.end()
    depth = 0
    for part in _TYPE_PART.finditer(text, at, end):
        mark = part.group()
        if mark in "([":
            depth += 1
        elif mark in ")]" and depth:
            depth -= 1
        elif depth == 0:
            return part.start()
    return end


class Names:
    """The names a text declares, for finding where a mention of one ends."""

    def __init__(self, declarations: Sequence[Declaration]) -> None:
        # Where a name is declared, its end is known: `%a: Tensor[...]` is no mention of `a:`.
        self._ends = {d.start: d.end for d in declarations}
        self.declared = frozenset(d.name for d in declarations)
        irregular = [n for n in self.declared if not REGULAR.fullmatch(n)]
        #: Whether any name needs more than the grammar's own terminals.
        self.irregular = bool(irregular)
        # Names with spaces, brackets and the like, by their first plain run: their lengths.
        lengths: dict[str, set[int]] = {}
        for name in irregular:
            run = _RUN_ONLY.match(name)
            first = run.group() if run else ""
            if first != name:
                lengths.setdefault(first, set()).add(len(name))
        self._lengths = {k: sorted(v, reverse=True) for k, v in lengths.items()}
        #: Whether :func:`is_confusing` holds for any.
        self.confusing = any(is_confusing(name) for name in self.declared)

    def end(self, text: str, start: int) -> int:
        """Return where the declared name that begins at ``start`` ends, the longest that fits.

        Returns:
            The offset after it, or ``start`` when no declared name begins there.
        """
        known = self._ends.get(start)
        if known is not None:
            return known
        run = _RUN_ONLY.match(text, start)
        word = run.group() if run else ""
        declared = self.declared
        for length in self._lengths.get(word, ()):
            if text[start : start + length] in declared:
                return start + length
        size = len(word)
        while size:
            if word[:size] in declared and not (size < len(word) and _joins(word[size])):
                return start + size
            size -= 1
        return start


def is_confusing(name: str) -> bool:
    """Return whether a scanner that knows no names would take part of a name for something else."""
    return "//" in name or not REGULAR.fullmatch(name)


def _joins(character: str) -> bool:
    return character.isalnum() or character in "_/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One place where a variable or global function stands: declared or used.

    Attributes:
        sigil: ``%`` or ``@``.
        name: The name as the file writes it, without the sigil.
        span: The place of the name, without the sigil.
    """

    sigil: str
    name: str
    span: Span


def mentions_in(text: str, end: int, names: Names) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of every declared name's mention outside comments and strings.

    ``start`` is that of the name, after its sigil.
    """
    search = _MENTION.search
    at = 0
    while found := search(text, at, end):
        at = found.end()
        if found.group() in ("%", "@"):
            stop = names.end(text, at)
            if stop > at:
                yield at, stop
                at = stop
