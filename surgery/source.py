"""Places in the files a user wrote: the text, a span of it, and line/column arithmetic."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, eq=False)
class Source:
    """One text a user gave: a spec file, a Relay listing, a command-line one-liner.

    Attributes:
        text: The whole text, newlines as ``\\n``.
        path: What to call it in a message: a path as the user gave it, or ``<command line>``.
    """

    text: str
    path: str = "<text>"

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based ``(line, column)`` of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a 1-based line and column (clamped to the text)."""
        starts = self._line_starts
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + max(column, 1) - 1, len(self.text))

    def line(self, number: int) -> str:
        """Return the text of a 1-based line, without its newline."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range ``[start, end)`` of characters in a :class:`Source`."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of ``other``."""
        return Span(self.source, self.start, other.end)


def spanned() -> Span | None:
    """Field default for AST nodes: a place that takes no part in equality, hashing or repr."""
    value: Span | None = field(default=None, compare=False, repr=False)
    return value


def file_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes as 64 hexadecimal digits, read in pieces.

    Raises:
        OSError: The file can't be read.
    """
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
