"""The page of values that were read, and their table."""

from __future__ import annotations

import re
from dataclasses import replace

from surgery.report import ValueRow, values_page, values_table
from tests.report.test_html import checked

ROW = ValueRow(
    label="%7", name="a/<b>", op="add", type="float32(2,2)", elements=4, nan=0, infinite=0,
    minimum=-1.0, maximum=3.0, mean=1.0, std=0.5, histogram=(1, 0, 3, 0),
)  # fmt: skip
EMPTY = replace(ROW, label="%8", elements=0, minimum=None, maximum=None, mean=None, std=None,
                histogram=())  # fmt: skip


def test_the_table_has_a_line_a_value() -> None:
    head, first, second = (line.split() for line in values_table([ROW, EMPTY]))
    assert head == ["value", "op", "type", "min", "max", "mean", "std", "NaN", "Inf", "name"]
    assert first == ["%7", "add", "float32(2,2)", "-1", "3", "1", "0.5", "0", "0", "a/<b>"]
    assert second[3:7] == ["-"] * 4


def test_bars_are_as_high_as_their_counts() -> None:
    page = values_page([ROW], title="t", lead=["inputs: x.npz"])
    checked(page)
    heights = [float(h) for h in re.findall(r'<rect [^>]*height="([\d.]+)"', page)]
    assert heights == [20.0, 60.0]  # empty bins have no bar
    assert [float(x) for x in re.findall(r'<line x1="([\d.]+)"', page)] == [60.0]  # zero
    assert "a/&lt;b&gt;" in page and "a/<b>" not in page
    assert page == values_page([ROW], title="t", lead=["inputs: x.npz"])


def test_what_is_not_finite_comes_first_and_nothing_to_draw_is_said() -> None:
    page = values_page([ROW, EMPTY, replace(EMPTY, elements=4, nan=4)], title="t")
    found = checked(page)
    assert found.ids.index("odd") < found.ids.index("values")
    assert "no element" in found.text and "no finite element" in found.text
    assert "odd" not in checked(values_page([ROW], title="t")).ids


def test_many_histograms_are_folded() -> None:
    rows = [replace(ROW, label=f"%{i}") for i in range(150)]
    page = values_page(rows, title="t")
    checked(page)
    assert page.count("<details>") == 3
    assert "%60 to %119" in page
