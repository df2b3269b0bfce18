"""What people look at: terminal text, pictures, and the page in an output folder."""

from surgery.report.drawing import Drawing, draw
from surgery.report.html import model_page, plan_page
from surgery.report.layout import svg
from surgery.report.listing import drawn, listed, show_json, show_table, show_text
from surgery.report.model import Comparison
from surgery.report.naming import name_tree, tree_json, tree_lines
from surgery.report.terminal import (
    Section,
    comparison_lines,
    outcome_sections,
    plan_sections,
    summary_line,
)
from surgery.report.text import clean, human_bytes, human_seconds, number, table
from surgery.report.values import ValueRow, values_page, values_table
from surgery.report.written import comparisons, tolerance, write_report

__all__ = [
    "Comparison", "Drawing", "Section", "ValueRow", "clean", "comparison_lines", "comparisons",
    "draw", "drawn", "human_bytes", "human_seconds", "listed", "model_page", "name_tree", "number",
    "outcome_sections", "plan_page", "plan_sections", "show_json", "show_table", "show_text",
    "summary_line", "svg", "table", "tolerance", "tree_json", "tree_lines", "values_page",
    "values_table", "write_report",
]  # fmt: skip
