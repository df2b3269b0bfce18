"""Places in a user's own files, as messages show them."""

from __future__ import annotations

import traceback
from pathlib import Path

from surgery.source import Source, Span


class UserFile:
    """A file of a backend: where it is, and what its user calls it.

    Args:
        path: The file that is read.
        shown: The path its user knows it by.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.path = path
        self.source = Source(path.read_text(encoding="utf-8", errors="replace"), shown)

    def span(self, line: int, column: int | None = None) -> Span:
        """Return the span of a 1-based line, from its first word or a 1-based column on."""
        text = self.source.line(line)
        first = len(text) - len(text.lstrip()) + 1 if column is None else column
        start = self.source.offset(line, first)
        end = self.source.offset(line, len(text.rstrip()) + 1)
        return Span(self.source, start, max(end, start + 1))

    def raised_at(self, failure: BaseException) -> Span | None:
        """Return the innermost place in this file that an exception came through."""
        if isinstance(failure, SyntaxError) and failure.filename == str(self.path):
            return self.span(failure.lineno or 1, failure.offset or None)
        lines = [
            f.lineno
            for f in traceback.extract_tb(failure.__traceback__)
            if f.filename == str(self.path)
        ]
        return self.span(lines[-1]) if lines and lines[-1] else None
