"""What copying and pasting leaves around a listing: quoting, prompts, line numbers, colours.

It is blanked out, not cut out, so that every place in the text stays where the user sees it. Only
what can't be Relay is touched; anything else in between is a fault for the parser to name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from surgery.source import Source, Span

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
#: How a listing begins: a version line, a definition, a function alone, a comment.
_START = re.compile(r"\s*(?:#\[version|def\s+@|fn\s*[(\[<]|type\s+\w|extern\s|//|/\*)")
_QUOTE = re.compile(r"[ \t]*(?:(?:[>|][ \t]?)+|\+)")
_NUMBER = re.compile(r"[ \t]*(\d+)(?:[:.)\t]|[ \t]*[|│]|[ ](?=[ \t]*\S))[ \t]?")
_PROMPT = re.compile(r"[ \t]*(?:>>>|In \[\d*\]:|Out\[\d*\]:)[ \t]?")
#: A line with any of these may be Relay, and is never left out.
_RELAY = re.compile(r"[{}%@;]|//|/\*|\*/")


_BOUND = re.compile(r"(?:^|[;\n])\s*(%\d+(?=\s*=(?!=))|let(?=\s+%))")
_FUNCTION = re.compile(r"\b(?:def\s+@|fn\s*[(\[<])")


def begins_inside(source: Source) -> Span | None:
    """Return where a listing begins when that is inside a function, as an excerpt does."""
    first = _BOUND.search(source.text)
    if first is None or _FUNCTION.search(source.text, 0, first.start()):
        return None
    return Span(source, first.start(1), first.end(1))


@dataclass(frozen=True, slots=True)
class Pasted:
    """A listing as it was meant.

    Attributes:
        text: The listing; what was blanked out is spaces.
        notes: What was left out, for the user.
    """

    text: str
    notes: tuple[str, ...] = ()


def unpasted(text: str) -> Pasted:
    """Return a listing without what copying has put around it."""
    notes: list[str] = []
    if "\x1b[" in text:
        text = _COLOUR.sub("", text)
        notes.append("colour codes of a terminal were left out")
    if _is_plain(text):
        return Pasted(text, tuple(notes))
    lines = text.split("\n")
    for margin, what in ((_quoting(lines), "quoting"), (_numbering(lines), "line numbers")):
        if margin:
            lines = [_blanked(line, width) for line, width in zip(lines, margin, strict=True)]
            notes.append(f"{what} before each line was left out")
    first = next((i for i, line in enumerate(lines) if _starts(line)), None)
    if first is not None:
        prompt = _PROMPT.match(lines[first])
        left = [i for i, line in enumerate(lines[:first]) if line.strip()]
        if prompt:
            lines[first] = _blanked(lines[first], prompt.end())
            notes.append("a prompt was left out")
        left += _tail(lines, first)
        for index in left:
            lines[index] = " " * len(lines[index])
        if left:
            notes.append(f"{_listed([i + 1 for i in left])} isn't Relay and was left out")
    return Pasted("\n".join(lines), tuple(notes))


def _is_plain(text: str) -> bool:
    """Return whether a text begins and ends as a listing does."""
    head = text[:2000].lstrip("\ufeff \t\r\n")
    return bool(_START.match(head)) and text.rstrip()[-1:] in ("}", ")", ";", "]")


def _starts(line: str) -> bool:
    prompt = _PROMPT.match(line)
    return bool(_START.match(line, prompt.end() if prompt else 0))


def _quoting(lines: list[str]) -> list[int]:
    """Return the width of the quoting before each line; empty when not every line has it."""
    found = [_QUOTE.match(line) for line in lines if line.strip()]
    if not found or not all(found):
        return []
    return [m.end() if (m := _QUOTE.match(line)) else 0 for line in lines]


def _numbering(lines: list[str]) -> list[int]:
    """Return the width of the line numbers; empty unless they count every line."""
    found = [(i, _NUMBER.match(line)) for i, line in enumerate(lines) if line.strip()]
    offsets = {int(m[1]) - i if m else None for i, m in found}
    if len(found) < 2 or len(offsets) != 1 or None in offsets:
        return []
    return [m.end() if (m := _NUMBER.match(line)) else 0 for line in lines]


def _tail(lines: list[str], first: int) -> list[int]:
    """Return the lines after the last that may be Relay, where no metadata section follows."""
    if any(line.startswith(("#[metadata]", "METADATA:")) for line in lines):
        return []
    end = len(lines)
    while end > first + 1 and (not _RELAY.search(lines[end - 1]) or _PROMPT.match(lines[end - 1])):
        end -= 1
    return [i for i in range(end, len(lines)) if lines[i].strip()]


def _blanked(line: str, width: int) -> str:
    return " " * width + line[width:]


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
    return f"line {shown}" if len(numbers) == 1 else f"what stands on lines {shown}"
