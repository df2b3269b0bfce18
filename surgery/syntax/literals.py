"""Quoted text: reading it, and writing it so that it reads back the same."""

from __future__ import annotations

import re

from surgery.diagnostics import error
from surgery.source import Span

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|.)", re.DOTALL)
_PAIR = re.compile(r"\\(.)|([\"\n\r\t])", re.DOTALL)


def unquote(written: str, span: Span) -> str:
    """Return what a quoted string stands for.

    Raises:
        SurgeryError: ``S104`` for an escape that has no meaning.
    """

    def plain(match: re.Match[str]) -> str:
        body = match.group(1)
        if len(body) > 1:
            code = int(body[2:-1], 16)
            if code <= 0x10FFFF and not 0xD800 <= code < 0xE000:
                return chr(code)
        if body in _ESCAPES:
            return _ESCAPES[body]
        raise error(
            "S104",
            f"`\\{body}` has no meaning in a string",
            span,
            reason='a string knows `\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\u{HEX}`',
            remedy="write `\\\\` for a backslash",
        )

    return _ESCAPE.sub(plain, written[1:-1]) if "\\" in written else written[1:-1]


def quote(text: str) -> str:
    """Return a string in double quotes that :func:`unquote` turns back into ``text``."""
    return '"' + "".join(_WRITTEN.get(c) or _visible(c) for c in text) + '"'


def _visible(character: str) -> str:
    plain = character.isprintable()
    return character if plain else f"\\u{{{ord(character):x}}}"


def unquote_regex(written: str) -> str:
    """Return the regular expression of ``re"..."``; only the quote is escaped."""
    return normal_regex(written[3:-1])


def normal_regex(regex: str) -> str:
    r"""Return a regular expression of the same meaning that ``re"..."`` can hold.

    ``\"`` and ``"`` mean the same in an expression, as do ``\n`` and the character itself.
    """

    def simpler(match: re.Match[str]) -> str:
        escaped, control = match.groups()
        if escaped is None:
            return control if control == '"' else _WRITTEN[control]
        if escaped in "\"'":
            return str(escaped)
        return "\\" + _WRITTEN.get(escaped, escaped)[-1:] if escaped in "\n\r\t" else match.group()

    return _PAIR.sub(simpler, regex)


def quote_regex(regex: str) -> str:
    """Return ``re"..."`` for a regular expression in normal form."""

    def escape(match: re.Match[str]) -> str:
        return match.group() if match.group(1) is not None else "\\" + match.group(2)

    return 're"' + _PAIR.sub(escape, regex) + '"'
