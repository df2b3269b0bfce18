"""Names and literals that a C compiler (or Python) accepts, made from a model's."""

from __future__ import annotations

import math
import re

from surgery.graph import AttrValue, TensorType

#: C types by element type. ``bool`` is a byte; 16-bit floats are passed as their bits.
_C_TYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "bool": "uint8_t",
    **{f"{s}int{n}": f"{s}int{n}_t" for s in ("", "u") for n in (8, 16, 32, 64)},
}

_C_KEYWORDS = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default
    delete do double else enum extern false float for friend goto if inline int long mutable
    namespace new not nullptr operator or private protected public register restrict return short
    signed sizeof static struct switch template this throw true try typedef typeof union unsigned
    using virtual void volatile while xor
    """.split()  # noqa: SIM905
)


def c_type(type_: TensorType) -> str:
    """Return the C type of a tensor's elements; ``void`` for what C has no type for."""
    return _C_TYPES.get(type_.dtype, "void")


def identifier(text: str) -> str:
    """Return a C identifier made from any name."""
    made = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
    if made[0].isdigit() or made in _C_KEYWORDS:
        made = f"_{made}" if made[0].isdigit() else f"{made}_"
    return made


def unique_identifier(text: str, used: set[str]) -> str:
    """Return a C identifier that isn't in ``used``, and add it."""
    stem = made = identifier(text)
    number = 2
    while made in used:
        made = f"{stem}_{number}"
        number += 1
    used.add(made)
    return made


def python_name(text: str) -> str:
    """Return a Python identifier: what ``via te`` calls the function of a composite."""
    made = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{made}" if made[:1].isdigit() else made


def comment(text: str) -> str:
    """Return text that neither ends a C comment nor begins one."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())


def c_literal(value: AttrValue) -> str:
    """Return a C literal of an attribute's value; empty for what has none (``None``, ``''``)."""
    match value:
        case bool():
            return str(int(value))
        case int():
            return str(value) if -(2**31) < value < 2**31 else f"{value}LL"
        case float():
            if math.isnan(value):
                return "NAN"
            if math.isinf(value):
                return "INFINITY" if value > 0 else "(-INFINITY)"
            return repr(value)
        case str() if value:
            return '"' + "".join(_escape(c) for c in value) + '"'
        case _:
            return ""


def _escape(character: str) -> str:
    if character in '"\\?':  # ?? begins a trigraph
        return "\\" + character
    if character.isascii() and character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "replace"))
