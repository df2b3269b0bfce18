"""Sizes, counts and tables."""

import pytest

from surgery.report.text import clean, few, human_bytes, human_seconds, number, plural, table


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (393216, "384.0 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (5 * 1024**4, "5.0 TiB"),
        (2**70, "1048576.0 PiB"),
        (None, "?"),
    ],
)
def test_human_bytes(size: int | None, text: str) -> None:
    assert human_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.345, "12.3 s"), (0.0456, "45.6 ms"), (3.2e-5, "32 us")]
)
def test_human_seconds(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_numbers_keep_four_digits_and_name_what_is_not_finite() -> None:
    assert [number(v) for v in (0.0, 1.23456e-7, 3.0, float("nan"), float("-inf"))] == [
        "0", "1.235e-07", "3", "nan", "-inf",
    ]  # fmt: skip


def test_plural() -> None:
    assert [plural(1, "op"), plural(2, "op"), plural(2, "box", "boxes")] == [
        "1 op", "2 ops", "2 boxes",
    ]  # fmt: skip


def test_clean_escapes_what_would_steer_a_terminal() -> None:
    assert clean("a\x1b[31mb\nc\u202ed") == "a\\x1b[31mb\\nc\\u202ed"
    assert clean("schön/層") == "schön/層"


def test_few_says_how_many_are_left_out() -> None:
    assert few(["a", "b", "c"], 2) == ["a", "b", "... and 1 more"]
    assert few(["a", "b", "c"], 3) == ["a", "b", "c"]
    assert few(["a", "b", "c"], None) == ["a", "b", "c"]


def test_table_aligns_and_never_cuts() -> None:
    long = "x" * 300
    lines = table(("name", "size"), [("a", "1"), (long, "10")], "<>", indent="  ")
    assert lines == [
        "  name" + " " * 298 + "size",
        "  a" + " " * 301 + "   1",
        f"  {long}    10",
    ]


def test_an_empty_table_without_titles_has_no_lines() -> None:
    assert table((), []) == []


def test_in_a_long_table_a_long_cell_shifts_its_own_line_only() -> None:
    lines = table((), [("a", "1")] * 20 + [("x" * 50, "2")], widest=10)
    assert lines[0] == "a" + " " * 11 + "1"
    assert lines[-1] == "x" * 50 + "  2"
