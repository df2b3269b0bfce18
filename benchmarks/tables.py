"""The table of a benchmark, and how it is printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from benchmarks.process import Measured

Unit = Literal["s", "MB", "x", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison.

    Attributes:
        what: What was measured.
        ours: Ours, in ``unit``; ``None`` when it failed.
        reference: What it is compared with, in the same run; ``None`` when there is none.
        ratio: The number that the target speaks of.
        target: The target in words; empty for a number that is only told.
        met: Whether it is met; ``None`` without a target.
        note: What else to know, such as why something failed.
    """

    what: str
    ours: float | None = None
    reference: float | None = None
    unit: Unit = "s"
    ratio: float | None = None
    target: str = ""
    met: bool | None = None
    note: str = ""


@dataclass(slots=True, kw_only=True)
class Table:
    """A benchmark's result."""

    name: str
    title: str
    reference: str
    rows: list[Row] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def missed(self) -> list[Row]:
        return [row for row in self.rows if row.met is False]


def compared(
    what: str,
    ours: Measured,
    reference: Measured | None = None,
    *,
    faster: float | None = None,
    within: float | None = None,
    relative: bool = False,
    note: str = "",
) -> Row:
    """Return the row that compares CPU times.

    Args:
        faster: The target: the reference takes at least this many times as long (the ratio is
            reference / ours).
        within: The target: ours takes at most this many times as long as the reference (the ratio
            is ours / reference).
        relative: Give the ratio as ours / reference although there is no target.
    """
    target = f">= {faster:g}x faster" if faster is not None else ""
    target = f"<= {within:g}x" if within is not None else target
    if ours.failure:
        return Row(what=what, target=target, met=False, note=f"ours fails: {ours.failure}")
    if reference is None:
        return Row(what=what, ours=ours.cpu, note=note)
    if reference.failure:
        return Row(
            what=what,
            ours=ours.cpu,
            target=target if target else "ours works",
            met=None if target else True,
            note=f"the reference fails: {reference.failure}",
        )
    inverse = relative or within is not None
    quotient = ours.cpu / reference.cpu if inverse else reference.cpu / ours.cpu
    met = None
    if faster is not None:
        met = quotient >= faster
    elif within is not None:
        met = quotient <= within
    return Row(
        what=what, ours=ours.cpu, reference=reference.cpu, ratio=quotient, target=target, met=met,
        note=note,
    )  # fmt: skip


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the slope of a straight line through ``(log size, log time)``: 1 is linear."""
    xs, ys = [math.log(s) for s in sizes], [math.log(t) for t in times]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def scaling(what: str, points: Sequence[tuple[int, Measured]], limit: float) -> Row:
    """Return the row that tells how the time grows with the size."""
    target = f"exponent <= {limit:g}"
    failed = next(((s, m) for s, m in points if m.failure), None)
    if failed is not None:
        return Row(
            what=what, target=target, met=False, note=f"fails at {failed[0]}: {failed[1].failure}"
        )
    slope = exponent([s for s, _ in points], [m.cpu for _, m in points])
    times = ", ".join(f"{s}: {_number(m.cpu)} s" for s, m in points)
    return Row(what=what, unit="", ratio=slope, target=target, met=slope <= limit, note=times)


def rendered(table: Table) -> str:
    """Return a table as aligned text, with what is missed said in words below it."""
    head = ("", "ours", "reference", "ratio", "target", "met")
    lines = [head]
    for row in table.rows:
        met = {True: "yes", False: "NO", None: ""}[row.met]
        unit = f" {row.unit}" if row.unit else ""
        lines.append(
            (
                row.what,
                "" if row.ours is None else _number(row.ours) + unit,
                "" if row.reference is None else _number(row.reference) + unit,
                "" if row.ratio is None else f"{row.ratio:.2f}",
                row.target,
                met,
            )
        )
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = [f"{table.name}: {table.title}", f"  reference: {table.reference}"]
    for line, note in zip(lines, ["", *(r.note for r in table.rows)], strict=True):
        cells = [line[0].ljust(widths[0])]
        cells += [c.rjust(w) for c, w in zip(line[1:4], widths[1:4], strict=True)]
        cells += [c.ljust(w) for c, w in zip(line[4:], widths[4:], strict=True)]
        text.append("  " + "  ".join([*cells, note]).rstrip())
    for row in table.missed:
        text.append(f"  MISSED: {row.what}: {row.target}{f' ({row.note})' if row.note else ''}")
    return "\n".join(text)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"
