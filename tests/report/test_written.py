"""The report of an output folder, and verification rows as shown."""

from pathlib import Path

import numpy as np

from surgery.report.terminal import comparison_lines
from surgery.report.written import comparisons, tolerance, write_report
from surgery.verification import compare
from tests.report.plans import conv_plan


def test_rows_hold_every_measured_difference() -> None:
    expected = {"a": np.array([1.0, 2.0], "float32"), "b": np.array([1, 2], "int32")}
    actual = {"a": np.array([1.0, 2.5], "float32"), "b": np.array([1, 2], "int32")}
    found = compare(actual, expected, inputs="seed 0")
    first, second = comparisons(found)
    assert (first.name, first.passed) == ("a: float32(2)", False)
    assert first.cells["max abs"] == "0.5"
    assert first.cells["out of tolerance"] == "1 of 2"
    assert second.passed
    assert second.cells["max abs"] == "0"
    assert tolerance(found).endswith("inputs from seed 0")
    lines = comparison_lines([first, second])
    assert "DIFFERS" in lines[1]
    assert "ok" in lines[2]


def test_nan_is_said() -> None:
    nan = {"a": np.array([np.nan, 1.0], "float32")}
    (row,) = comparisons(compare(nan, nan))
    assert "NaN: 1 in the original, 1 here" in row.note


def test_write_report_is_deterministic_and_utf8(tmp_path: Path) -> None:
    values = {"a": np.zeros(3, "float32")}
    for name in ("one.html", "two.html"):
        write_report(
            tmp_path / name, conv_plan(), verification=compare(values, values),
            versions={"surgery": "0.1.0"},
        )  # fmt: skip
    first = (tmp_path / "one.html").read_bytes()
    assert first == (tmp_path / "two.html").read_bytes()
    assert b"<h1>surgery on conv.json</h1>" in first
    assert "equal within tolerance" in first.decode("utf-8")
