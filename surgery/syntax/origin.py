"""Where parsed text comes from, and what its ``${NAME}`` variables stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surgery.diagnostics import error, nearest
from surgery.source import Source, Span

VARIABLE_NAME = re.compile(r"[^\W\d]\w*")
WHOLE_VARIABLE = re.compile(r"\$\{[^\W\d]\w*\}")
_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*)(\}?)")


@dataclass(frozen=True, slots=True)
class Origin:
    """Maps offsets in a parsed text to places in the file that holds it.

    Attributes:
        source: The user's file.
        offsets: For each character of the parsed text its offset in ``source``, when the text isn't
            ``source.text`` itself: a scalar of a YAML file, with its escapes and folds undone.
    """

    source: Source
    offsets: Sequence[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """Return the place of the characters ``[start, end)`` of the parsed text."""
        if self.offsets is None:
            return Span(self.source, start, end)
        if not self.offsets:
            return Span(self.source, 0, 0)
        last = len(self.offsets) - 1
        if start > last:
            after = self.offsets[last] + 1
            return Span(self.source, after, after)
        first = self.offsets[start]
        return Span(
            self.source, first, max(self.offsets[min(max(end - 1, start), last)] + 1, first)
        )


class KeptInt(int):
    """A whole number still written as ``${NAME}``: only ``fmt`` reads a spec that way."""

    text: str

    def __new__(cls, text: str) -> KeptInt:
        kept = super().__new__(cls, 0)
        kept.text = text
        return kept


class KeptFloat(float):
    """A number still written as ``${NAME}``: only ``fmt`` reads a spec that way."""

    text: str

    def __new__(cls, text: str) -> KeptFloat:
        kept = super().__new__(cls, 0.0)
        kept.text = text
        return kept


@dataclass(frozen=True, slots=True)
class Variables:
    """The values of ``${NAME}``, or none at all: then references stay as they are written.

    A value only ever stands for text inside one value. It is put in after parsing, so whatever it
    holds (``;``, quotes, keywords) can't become structure.
    """

    values: Mapping[str, str] | None

    @property
    def kept(self) -> bool:
        return self.values is None

    def substitute(self, text: str, span: Span) -> str:
        """Return ``text`` with its references replaced; ``$${`` stands for a plain ``${``.

        Raises:
            SurgeryError: ``S107`` for an unknown name, ``S108`` for a malformed reference.
        """
        if "${" not in text:
            return text

        def value(match: re.Match[str]) -> str:
            if match.group() == "$${":
                return match.group() if self.values is None else "${"
            name, closed = match.group(1), match.group(2)
            if not closed or not VARIABLE_NAME.fullmatch(name):
                raise error(
                    "S108",
                    f"`{match.group()}` is not a reference to a variable",
                    span,
                    reason="a reference is `${NAME}`: a letter or `_`, then letters, digits or `_`",
                    remedy="write `$${` where the text itself holds `${`",
                )
            if self.values is None:
                return match.group()
            if name not in self.values:
                raise _unknown(name, self.values, span)
            return self.values[name]

        return _REFERENCE.sub(value, text)


def _unknown(name: str, values: Mapping[str, str], span: Span) -> Exception:
    close = nearest(name, values)
    known = ", ".join(sorted(values)[:10])
    return error(
        "S107",
        f"the variable `${{{name}}}` has no value",
        span,
        reason=f"the variables set are: {known}" if values else "no variables are set",
        remedy=(f"did you mean `${{{close[0]}}}`? Otherwise " if close else "")
        + f"set it with `--set {name}=VALUE`",
    )


def escape_references(text: str) -> str:
    """Return text that :meth:`Variables.substitute` turns back into ``text``."""
    return text.replace("${", "$${")
