"""Makes a Relay text readable for TVM's parser: variable names it can't read get safe ones.

TVM prints a variable's name as it is, and its parser then reads only letters, digits, ``_`` and
``/``. Lines stay lines; columns map back to the user's text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from surgery.listing import variable_mentions
from surgery.source import Source

_SAFE = re.compile(r"[A-Za-z_]\w*(?:/\w+)*", re.ASCII)
#: Words that TVM's tokenizer takes for its own, also behind a ``%``.
_RESERVED = frozenset(
    ("def", "let", "if", "fn", "free_var", "else", "match", "type", "extern", "ref")
)


@dataclass(frozen=True, slots=True)
class Mangled:
    """A text that TVM can read.

    Attributes:
        text: The text, with as many lines as the original.
        originals: Original name of each name that was changed.
        shifts: Offsets in ``text`` where a changed name ends, each with how much longer than the
            original everything before it has become.
    """

    text: str
    originals: Mapping[str, str]
    shifts: tuple[tuple[int, int], ...]

    def original_offset(self, offset: int) -> int:
        """Return the place in the original of an offset in :attr:`text`."""
        at = bisect_right(self.shifts, (offset, 1 << 62)) - 1
        return offset - (self.shifts[at][1] if at >= 0 else 0)


def mangle(source: Source) -> Mangled:
    """Give every variable and function that TVM's parser can't read a name that it can."""
    found = variable_mentions(source)
    names = dict.fromkeys(m.name for m in found)
    safe = {name for name in names if _readable(name)}
    renamed = _safe_names([n for n in names if n not in safe], safe)
    text = source.text
    if not renamed:
        return Mangled(text, {}, ())
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []
    done = length = 0
    for mention in found:
        new = renamed.get(mention.name)
        if new is None:
            continue
        start, end = mention.span.start, mention.span.end
        pieces += (text[done:start], new)
        length += start - done + len(new)
        done = end
        if len(new) != len(mention.name):
            shifts.append((length, length - end))
    pieces.append(text[done:])
    return Mangled("".join(pieces), {new: old for old, new in renamed.items()}, tuple(shifts))


def _readable(name: str) -> bool:
    return bool(_SAFE.fullmatch(name)) and name not in _RESERVED


def _safe_names(unsafe: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a distinct safe name for each unsafe one, as like it as can be."""
    used = set(taken)
    counts: dict[str, int] = {}
    renamed = {}
    for name in unsafe:
        stem = re.sub(r"[^A-Za-z0-9_/]", "_", name)
        if not _readable(stem):
            stem = "v_" + re.sub(r"\W", "_", stem)
        new = stem
        while new in used:
            counts[stem] = counts.get(stem, 0) + 1
            new = f"{stem}_{counts[stem]}"
        used.add(new)
        renamed[name] = new
    return renamed
