"""The report that lands in an output folder, and the numbers of a verification as shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.planning import relative
from surgery.planning.model import Plan
from surgery.report.html import plan_page
from surgery.report.model import Comparison
from surgery.report.text import number

if TYPE_CHECKING:
    from surgery.recipe import Recipe
    from surgery.verification import Verification


def comparisons(verification: Verification) -> list[Comparison]:
    """Return a verification's rows ready to show: every measured difference as text."""
    rows = []
    for row in verification.rows:
        measured = {
            "max abs": row.max_abs,
            "mean abs": row.mean_abs,
            "max rel": row.max_rel,
            "max ulp": row.max_ulp,
            "cosine": row.cosine,
        }
        cells = {title: "" if v is None else number(v) for title, v in measured.items()}
        cells["out of tolerance"] = f"{row.mismatches} of {row.elements}" if row.elements else ""
        notes = [row.reason] if row.reason else []
        if row.actual_dtype:
            notes.append(f"{row.actual_dtype} here")
        if row.nan_expected or row.nan_actual:
            notes.append(f"NaN: {row.nan_expected} in the original, {row.nan_actual} here")
        rows.append(
            Comparison(
                name=f"{row.name}: {row.type}", passed=row.passed, cells=cells,
                note="; ".join(notes),
            )
        )  # fmt: skip
    return rows


def tolerance(verification: Verification) -> str:
    """Return what a verification allowed and on which inputs, in words."""
    text = f"rtol {verification.rtol:g}, atol {verification.atol:g}"
    return text + (f", inputs from {verification.inputs}" if verification.inputs else "")


def write_report(
    path: str | Path,
    plan: Plan,
    *,
    recipe: Recipe | None = None,
    verification: Verification | None = None,
    versions: Mapping[str, str] | None = None,
) -> None:
    """Write ``report.html``.

    Args:
        path: The file to write.
        recipe: The recipe of the same folder: the page is named after its spec, if that is a file.
        verification: How the operated model compares; ``None`` when that wasn't asked for.
        versions: Versions of the programs that took part, by name.

    Raises:
        OSError: The file can't be written.
    """
    model = relative(plan.model_path)
    named = recipe is not None and not recipe.spec.path.startswith("<")
    page = plan_page(
        plan,
        title=recipe.spec.path if recipe is not None and named else f"surgery on {model}",
        comparisons=None if verification is None else comparisons(verification),
        tolerance="" if verification is None else tolerance(verification),
        versions=versions,
        notes=() if recipe is None else recipe.notes,
    )
    Path(path).write_text(page, encoding="utf-8", newline="\n")
