"""Small pieces of plain text: sizes, counts, types, signatures and aligned tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from surgery.graph import Graph, TensorType, ValueType
from surgery.planning.model import Region

Align = Literal["<", ">"]
#: From how many rows on a table's columns stay narrow.
MANY_ROWS = 12
_FLOPS = ("FLOPs", "kFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
#: How many of a region's constants are listed.
EMBEDDED_SHOWN = 16
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
#: Control characters would let a name from a model file rewrite the terminal.
_CONTROL = {c: f"\\x{c:02x}" for c in (*range(0x20), *range(0x7F, 0xA0))} | {
    0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x2028: "\\u2028", 0x2029: "\\u2029",
    **{c: f"\\u{c:04x}" for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}  # fmt: skip


def human_bytes(size: int | None) -> str:
    """Return a size in binary units: ``512 B``, ``384.0 KiB``; ``?`` when it is not known."""
    if size is None:
        return "?"
    value, unit = float(size), 0
    while value >= 1023.95 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    return f"{size} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def human_flops(count: int) -> str:
    """Return a count of operations in decimal units: ``11.2 GFLOPs``."""
    value, unit = float(count), 0
    while value >= 999.5 and unit < len(_FLOPS) - 1:
        value /= 1000
        unit += 1
    return f"{value:.3g} {_FLOPS[unit]}" if unit else plural(count, "FLOP")


def human_seconds(seconds: float) -> str:
    """Return a duration with three significant digits in s, ms or us."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def number(value: float) -> str:
    """Return a measured number in four significant digits (``nan`` and ``inf`` as such)."""
    return "0" if value == 0 else f"{value:.4g}" if math.isfinite(value) else str(value)


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return ``1 op``, ``2 ops``, ``3 boxes``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def clean(text: str) -> str:
    """Return text with control characters escaped, safe to print on one line of a terminal."""
    return text.translate(_CONTROL) if not text.isprintable() else text


def nbytes(type_: ValueType) -> int | None:
    """Return a tensor's size in bytes; ``None`` for what isn't a tensor of static shape."""
    return type_.nbytes if isinstance(type_, TensorType) else None


def embedded(graph: Graph, region: Region, *, names: bool = True) -> str:
    """Return what a region holds inside, with sizes and values; ``''`` for nothing.

    ``embeds 3 constants (1.2 KiB): w 1.1 KiB, b 128 B, input_scale=0.1``.

    Args:
        names: Whether to say how constants are called.
    """
    inside = [c for c in region.constants if c.embedded]
    if not inside:
        return ""
    sizes = [c.type.nbytes for c in inside]
    known = [s for s in sizes if s is not None]
    total = human_bytes(sum(known) if len(known) == len(sizes) else None)
    listed = []
    for constant, size in zip(inside, sizes, strict=True):
        value = graph.scalar(constant.node)
        name = constant.name if names else ""
        listed.append(name + (f"={value}" if value else f" {human_bytes(size)}"))
    some = ", ".join(few(listed, EMBEDDED_SHOWN))
    return f"embeds {plural(len(inside), 'constant')} ({total}): {some}"


def few(items: Sequence[str], limit: int | None, more: str = "more") -> list[str]:
    """Return the first ``limit`` items and, when some are left out, a line that says how many."""
    if limit is None or len(items) <= limit:
        return list(items)
    return [*items[:limit], f"... and {len(items) - limit} {more}"]


def name_list(names: Sequence[str], limit: int | None, room: int = 60) -> str:
    """Return names in one line: ``a, b (+3)`` when they are more than ``limit``.

    Args:
        limit: How many names to show at most; ``None`` for all.
        room: With a limit, stop before the line is longer than this (the first name always stays).
    """
    shown: list[str] = []
    for name in names:
        if limit is not None and shown:
            used = sum(len(n) + 2 for n in shown) + len(name)
            if len(shown) == limit or used > room:
                break
        shown.append(name)
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" (+{rest})" if rest else "")


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: str = "",
    indent: str = "",
    widest: int = 60,
) -> list[str]:
    """Return aligned columns, two spaces apart; nothing is ever cut or wrapped.

    Args:
        headers: Column titles; empty for no title line.
        rows: Cells, one sequence a row.
        align: ``<`` or ``>`` a column (left where missing).
        indent: What each line starts with.
        widest: In a table of many rows no column is made wider than this: a longer cell shifts
            the rest of its own line only, and the other lines stay readable.
    """
    cells = [[clean(c) for c in row] for row in rows]
    lines = [list(headers), *cells] if headers else cells
    if not lines:
        return []
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if len(lines) > MANY_ROWS:
        widths = [min(width, widest) for width in widths]
    align = align.ljust(len(widths), "<")
    return [
        (
            indent
            + "  ".join(
                cell.rjust(width) if side == ">" else cell.ljust(width)
                for cell, width, side in zip(line, widths, align, strict=False)
            )
        ).rstrip()
        for line in lines
    ]
