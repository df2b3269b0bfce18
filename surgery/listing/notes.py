"""What comments say: ``/* ty=... span=NAME:0:0 */``, ``/* a/b/Add */``."""

from __future__ import annotations

import re

_TYPED = re.compile(r"ty=(?P<type>.*?)(?:\s+span=(?P<span>.*))?", re.DOTALL)
_PLACE = re.compile(r"(?P<name>.*?)(?::(?P<line>\d+):(?P<column>\d+))?", re.DOTALL)
_TENSOR = re.compile(r"(?:Tensor\[\(.*\), \w+\]|(?:bool|u?int\d+|float\d+|bfloat\d+)(?:x\d+)?)")
_PLAIN = re.compile(r"[^\s=(){}]+")
#: A text that TVM parsed: its spans are places in that text.
_PARSED = ("from_string", "GeneratedSource", "GlobalImportsFile")


def inner(comment: str) -> str:
    """Return a comment's text without its marks."""
    if comment.startswith("/*"):
        return comment[2:].removesuffix("*/").strip()
    return comment.lstrip("/#").strip()


def read_note(comment: str) -> tuple[str | None, str | None]:
    """Return the type's text and the source name that a comment gives, each ``None`` if absent.

    A span's ``:LINE:COLUMN`` is taken off. Spans with a real line are places in a text that TVM
    parsed (``from_string:3:5``), not names.
    """
    text = inner(comment)
    if text.startswith("ty="):
        found = _TYPED.fullmatch(text)
        assert found is not None
        return found["type"], _name(found["span"])
    if text.startswith("span="):
        return None, _name(text[5:])
    if _TENSOR.fullmatch(text):
        return text, None
    if _PLAIN.fullmatch(text):
        return None, _name(text)
    return None, None


def _name(span: str | None) -> str | None:
    if not span:
        return None
    found = _PLACE.fullmatch(span.strip())
    assert found is not None
    name: str = found["name"]
    if name.startswith(_PARSED) or int(found["line"] or 0) > 0:
        return None
    return name or None


def source_name(comments: list[str] | tuple[str, ...]) -> str | None:
    """Return the first source name that several comments of one expression give."""
    return next((name for name in (read_note(c)[1] for c in comments) if name), None)
