"""Where each character of a YAML scalar stands in the file."""

from __future__ import annotations

import re

from surgery.source import Span

_PREFIX = re.compile(r"(?:[&!][^\s]*\s+)*")
_BLANK = re.compile(r"\s*")
_HEX_ESCAPES = {"x": 4, "u": 6, "U": 10}


def scalar_offsets(span: Span, text: str, style: str | None) -> list[int]:
    """Return for each character of ``text`` its offset in the file.

    Args:
        span: The scalar as written, its anchor, quotes and block header included.
        text: What YAML reads from it.
        style: ``None`` for plain, a quote, or ``|`` or ``>``.
    """
    raw = span.source.text
    prefix = _PREFIX.match(raw, span.start, span.end)
    start = prefix.end() if prefix else span.start
    match style:
        case "|":
            return _literal(raw, _after_header(raw, start), span.end, text)
        case ">":
            begin = _after_header(raw, start)
            blank = _BLANK.match(raw, begin, span.end)
            return _flow(raw, blank.end() if blank else begin, span.end, text, None)
        case "'" | '"':
            return _flow(raw, start + 1, span.end, text, style)
        case _:
            return _flow(raw, start, span.end, text, None)


def _after_header(raw: str, start: int) -> int:
    """Return where the first line of a block scalar begins."""
    stop = raw.find("\n", start)
    return len(raw) if stop < 0 else stop + 1


def _literal(raw: str, at: int, end: int, text: str) -> list[int]:
    """Pair the lines of a ``|`` scalar: each is the file's line without the indentation."""
    offsets: list[int] = []
    for line in text.split("\n"):
        stop = raw.find("\n", at)
        stop = len(raw) if stop < 0 else stop
        first = max(stop - len(line), at)
        offsets.extend(min(first + i, end) for i in range(len(line)))
        offsets.append(min(stop, end))
        at = stop + 1
    return offsets[: len(text)]


def _flow(raw: str, at: int, end: int, text: str, quote: str | None) -> list[int]:
    """Walk text and file side by side through folded lines and escapes."""
    offsets: list[int] = []
    for index, character in enumerate(text):
        while quote == '"' and raw.startswith("\\\n", at):
            at = _skip_blank(raw, at + 1, end)
        offsets.append(min(at, max(end - 1, 0)))
        if quote == '"' and raw.startswith("\\", at):
            at += _HEX_ESCAPES.get(raw[at + 1 : at + 2], 2)
        elif quote == "'" and raw.startswith("''", at):
            at += 2
        elif character in " \n" and raw[at : at + 1].isspace():
            stop = _skip_blank(raw, at, end)
            if "\n" not in raw[at:stop]:
                at += 1
            elif text[index + 1 : index + 2] not in (" ", "\n"):
                at = stop
        else:
            at += 1
    return offsets


def _skip_blank(raw: str, at: int, end: int) -> int:
    match = _BLANK.match(raw, at, end)
    return match.end() if match else at
