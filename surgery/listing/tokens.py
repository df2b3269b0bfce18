"""The tokenizer: the grammar's terminals, the file's own names, comments bound to their token."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lark.lexer import PatternStr, TerminalDef

from surgery.diagnostics import error
from surgery.listing.text import ListingText

_WORD = re.compile(r"[^\W\d]\w*")
_SPACE = re.compile(r"\s*")


class Token:
    """One token.

    Attributes:
        type: Name of its terminal.
        value: Its text.
        start: Offset of its first character.
        notes: The comments that belong to it, as written.
    """

    __slots__ = ("notes", "start", "type", "value")

    def __init__(self, type_: str, value: str, start: int) -> None:
        self.type = type_
        self.value = value
        self.start = start
        self.notes: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        return self.start + len(self.value)


_START = Token("$START", "", 0)


class Tokenizer:
    """Cuts a listing into tokens.

    Args:
        terminals: The grammar's terminals in the order of the grammar. Of those with the highest
            priority that match, the first wins.
    """

    def __init__(self, terminals: Sequence[TerminalDef]) -> None:
        self._words: dict[str, str] = {}
        self._marks: dict[str, str] = {}
        patterns: list[str] = []
        for terminal in sorted(terminals, key=lambda t: -t.priority):
            text = terminal.pattern.value
            if not isinstance(terminal.pattern, PatternStr):
                if terminal.name != "WS":
                    patterns.append(f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})")
            elif _WORD.fullmatch(text):
                self._words[text] = terminal.name
            elif len(text) > 1:
                patterns.append(f"(?P<{terminal.name}>{re.escape(text)})")
            else:
                self._marks[text] = terminal.name
        marks = "".join(re.escape(mark) for mark in self._marks)
        self._match = re.compile(rf"\s*(?:{'|'.join(patterns)}|(?P<MARK>[{marks}]))").match

    def tokens(self, listing: ListingText) -> Iterator[Token]:
        """Yield the tokens of a listing's Relay part.

        Raises:
            SurgeryError: ``S520`` at a character that begins no token.
        """
        return self._run(listing, listing.text, listing.end)

    def type_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of a type from a comment."""
        return self._run(None, text, len(text))

    def _run(self, listing: ListingText | None, text: str, end: int) -> Iterator[Token]:
        match, marks, words = self._match, self._marks, self._words
        names = listing.names if listing is not None and listing.names.irregular else None
        token = _START
        at = 0
        while True:
            found = match(text, at, end)
            if found is None:
                break
            kind = found.lastgroup or ""
            value = found.group(kind)
            at = found.end()
            if kind == "MARK":
                kind = marks[value]
            elif kind == "NAME":
                kind = words.get(value, "NAME")
            elif kind == "COMMENT":
                # After `;` only what stands on the same line speaks of the statement before it.
                start = at - len(value)
                if token is _START:
                    continue
                if token.type != "SEMICOLON" or "\n" not in text[token.end : start]:
                    token.notes += (value,)
                continue
            elif names is not None and (kind == "VAR" or kind == "GLOBAL"):
                start = at - len(value)
                stop = names.end(text, start + 1)
                if stop > start + 1:
                    at = stop
                    value = text[start:stop]
            if token is not _START:
                yield token
            token = Token(kind, value, at - len(value))
        if token is not _START:
            yield token
        rest = _SPACE.match(text, at, end)
        at = rest.end() if rest else at
        if at < end and listing is not None:
            raise error(
                "S520",
                f"`{text[at]}` is not Relay text",
                listing.span(at, at + 1),
                reason="no part of the language begins with this character",
                remedy="give the listing as TVM prints it: `print(mod)` or `mod.astext()`",
            )
        if at < end:
            raise ValueError(text[at])
