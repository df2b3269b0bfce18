"""A page of values that were read: a table, and a histogram of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surgery.report.html import grid, page, safe
from surgery.report.text import number, plural, table

#: Histograms of more values than this are folded behind a heading, part by part.
SHOWN = 60
_COLUMNS = ("value", "op", "type", "min", "max", "mean", "std", "NaN", "Inf", "name", "kernel")
_WIDTH, _HEIGHT = 240, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One tensor as people look at it.

    Attributes:
        label, name, op, type: What it is: ``%42``, its source name, its op, ``float32(1,128)``.
        minimum, maximum, mean, std: Over finite elements; ``None`` when there are none.
        elements, nan, infinite: Counts.
        histogram: Counts of bins of equal width from ``minimum`` to ``maximum``.
        kernel: The kernel that computed it, where kernels were read.
    """

    label: str
    name: str
    op: str
    type: str
    elements: int
    nan: int
    infinite: int
    minimum: float | None
    maximum: float | None
    mean: float | None
    std: float | None
    histogram: Sequence[int]
    kernel: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        measured = (self.minimum, self.maximum, self.mean, self.std)
        shown = ("-" if v is None else number(v) for v in measured)
        counts = (str(self.nan), str(self.infinite))
        return (self.label, self.op, self.type, *shown, *counts, self.name, self.kernel)


def values_table(rows: Sequence[ValueRow]) -> list[str]:
    """Return aligned columns for a terminal, one line a value."""
    shown = _shown(rows)
    return table(_COLUMNS[:shown], (row.cells[:shown] for row in rows), "<<<>>>>>>", widest=40)


def _shown(rows: Sequence[ValueRow]) -> int:
    """Return how many columns there are: the last one is for what was read from kernels."""
    return len(_COLUMNS) - (not any(row.kernel for row in rows))


def values_page(rows: Sequence[ValueRow], *, title: str, lead: Sequence[str] = ()) -> str:
    """Return a page, readable without scripts or network; the same rows give the same bytes.

    Args:
        title: What the page is about.
        lead: Sentences about how the values came about.
    """
    columns = [
        (">" if c in ("min", "max", "mean", "std", "NaN", "Inf") else ".") + c[:1].upper() + c[1:]
        for c in _COLUMNS[: _shown(rows)]
    ]
    shown = _shown(rows)
    odd = [row for row in rows if row.nan or row.infinite]
    sections = [
        ("odd", "Values that aren't finite", grid(columns, [row.cells[:shown] for row in odd])),
        ("values", "Values", grid(columns, [row.cells[:shown] for row in rows])),
        ("histograms", "Histograms", _histograms(rows)),
    ]
    said = "".join(f"<p>{safe(sentence)}</p>" for sentence in lead)
    return page(title, f"<p>{plural(len(rows), 'value')}</p>{said}", sections)


def _histograms(rows: Sequence[ValueRow]) -> str:
    figures = [_figure(row) for row in rows]
    if len(figures) <= SHOWN:
        return _shelf(figures)
    parts = []
    for start in range(0, len(rows), SHOWN):
        part = rows[start : start + SHOWN]
        heading = f"{part[0].label} to {part[-1].label}"
        body = _shelf(figures[start : start + SHOWN])
        parts.append(f"<details><summary>{safe(heading)}</summary>{body}</details>")
    return "\n".join(parts)


def _shelf(figures: Sequence[str]) -> str:
    return (
        '<div style="display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));'
        f'gap:1rem">{"".join(figures)}</div>'
    )


def _figure(row: ValueRow) -> str:
    """Return one histogram with its range beneath; heights are relative to its fullest bin."""
    caption = (
        f'<figcaption><code>{safe(row.label)}</code> <span class="soft">'
        f"{safe(row.name or row.op)}</span></figcaption>"
    )
    if not row.histogram or row.minimum is None or row.maximum is None:
        what = "no element" if not row.elements else "no finite element"
        return f'<figure style="margin:0">{caption}<p class="soft">{what}</p></figure>'
    most = max(row.histogram)
    width = _WIDTH / len(row.histogram)
    bars = "".join(
        f'<rect x="{i * width:.2f}" y="{_HEIGHT - height:.2f}" width="{max(width - 0.5, 0.5):.2f}" '
        f'height="{height:.2f}"/>'
        for i, count in enumerate(row.histogram)
        # What is there at all can be seen.
        if (height := max(_HEIGHT * count / most, 1.0) if count else 0.0)
    )
    zero = ""
    if row.minimum < 0 < row.maximum:
        at = -row.minimum / (row.maximum - row.minimum) * _WIDTH
        zero = (
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="0" y2="{_HEIGHT}" stroke="var(--soft)" '
            'stroke-dasharray="2 2"/>'
        )
    low, high = number(row.minimum), number(row.maximum)
    about = f"Histogram of {row.label} from {low} to {high}"
    return (
        f'<figure style="margin:0;min-width:0;overflow-wrap:anywhere">{caption}'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{safe(about)}" '
        f'style="width:100%;border-bottom:1px solid var(--rule)" preserveAspectRatio="none">'
        f'<g fill="var(--link)">{bars}</g>{zero}</svg>'
        '<div class="soft" style="display:flex;justify-content:space-between">'
        f"<span>{low}</span><span>{high}</span></div></figure>"
    )
