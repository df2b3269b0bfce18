"""Literals of a listing: numbers, strings, attribute values."""

from __future__ import annotations

import re

from surgery.graph import AttrValue, TensorType
from surgery.listing.types import scalar

_NUMBER = re.compile(
    r"(?P<digits>-?(?:nan|inf|[\d.]+(?:[eE][-+]?\d+)?))(?P<kind>[fiu]?)(?P<bits>\d*)"
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|[\s\S])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_KINDS = {"f": "float", "i": "int", "u": "uint"}


def number(text: str) -> tuple[int | float, TensorType]:
    """Return the value and the scalar type of ``1f``, ``-0.5f16``, ``7``, ``5i64``, ``nanf``."""
    found = _NUMBER.fullmatch(text)
    assert found is not None, text
    digits, kind, bits = found["digits"], found["kind"], found["bits"]
    real = kind == "f" or not digits.lstrip("-").isdigit()
    dtype = f"{_KINDS[kind or ('f' if real else 'i')]}{bits or 32}"
    return (float(digits) if real else int(digits)), scalar(dtype)


def string(text: str) -> str:
    """Return what a quoted string says."""
    body = text[1:-1]
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "x" and len(code) == 3:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)


def integers(text: str) -> tuple[AttrValue, ...]:
    """Return the value of ``[1, -1, 768]``."""
    return tuple(map(int, text[1:-1].split(",")))
