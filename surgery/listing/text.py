"""A listing's text, taken apart once: metadata section, declared names, text fit for scanning."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from surgery.listing.names import (
    Declaration,
    Mention,
    Names,
    declarations,
    is_confusing,
    mentions_in,
)
from surgery.source import Source, Span

_METADATA = re.compile(r"^(?:#\[metadata\]|METADATA:)[ \t]*$", re.MULTILINE)
_HIDDEN = re.compile(
    r'/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|(?<![^\s;,(){}])//[^\n]*|^\#(?!\[)[^\n]*',
    re.DOTALL | re.MULTILINE,
)


class ListingText:
    """One listing.

    Attributes:
        source: Where the text came from.
        text: The whole text.
        end: Offset at which the Relay part ends (where the metadata section starts).
        metadata: Offset of the metadata section's JSON, or ``None`` when there is no section.
        declarations: Every name the text declares, in order.
        names: The same names, for finding mentions.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        section = _METADATA.search(self.text)
        self.end = section.start() if section else len(self.text)
        self.metadata = section.end() if section else None
        self.declarations: list[Declaration] = declarations(self.text, self.end)
        self.names = Names(self.declarations)

    @cached_property
    def functions(self) -> list[Declaration]:
        """The ``def`` of each function, in order."""
        return [d for d in self.declarations if d.kind == "function"]

    @cached_property
    def plain(self) -> str:
        """The Relay part, with names that would confuse a scanner blotted out.

        Offsets are those of the text: each such name is replaced by as many letters.
        """
        text = self.text[: self.end]
        if not self.names.confusing:
            return text
        pieces: list[str] = []
        at = 0
        for start, end in mentions_in(text, self.end, self.names):
            if is_confusing(text[start:end]):
                pieces += (text[at:start], "v" * (end - start))
                at = end
        pieces.append(text[at:])
        return "".join(pieces)

    @cached_property
    def code(self) -> str:
        """:attr:`plain` with comments and strings blanked as well; newlines stay."""
        return _HIDDEN.sub(_blank, self.plain)

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def mentions(self) -> list[Mention]:
        """Return every place where a declared name stands, in order."""
        return [
            Mention(sigil=self.text[s - 1], name=self.text[s:e], span=self.span(s, e))
            for s, e in mentions_in(self.text, self.end, self.names)
        ]


def _blank(found: re.Match[str]) -> str:
    hidden = found.group()
    if "\n" not in hidden:
        return " " * len(hidden)
    return "\n".join(" " * len(line) for line in hidden.split("\n"))


@lru_cache(maxsize=2)
def listing_text(source: Source) -> ListingText:
    """Return a source taken apart. The last two are kept: each is asked for several times."""
    return ListingText(source)
