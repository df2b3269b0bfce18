"""Every diagnostic code: a short title and a paragraph, for ``surgery explain``."""

from __future__ import annotations

from surgery.codes import (
    backends,
    balance,
    cli,
    doctor,
    frontend_onnx,
    frontends,
    listing,
    match,
    pipeline,
    planning,
    recipe,
    relay_build,
    relay_load,
    syntax,
    tables,
    targets,
    verification,
)


def _merge(*parts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    merged: dict[str, tuple[str, str]] = {}
    for table in parts:
        twice = merged.keys() & table.keys()
        assert not twice, f"codes explained twice: {sorted(twice)}"
        merged |= table
    return dict(sorted(merged.items()))


#: Code -> (title, paragraph), in order of code.
CODES = _merge(
    syntax.CODES,
    match.CODES,
    planning.CODES,
    balance.CODES,
    relay_build.CODES,
    relay_load.CODES,
    frontends.CODES,
    backends.CODES,
    listing.CODES,
    recipe.CODES,
    pipeline.CODES,
    cli.CODES,
    doctor.CODES,
    frontend_onnx.CODES,
    tables.CODES,
    targets.CODES,
    verification.CODES,
)

__all__ = ["CODES"]
