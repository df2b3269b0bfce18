"""``surgery.log.json``: how an output folder came about, and the mark that surgery wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from surgery.diagnostics import Diagnostic
from surgery.recipe.atomic import write_atomic

LOG_NAME = "surgery.log.json"
_VERSION = 1


def write_log(
    folder: Path,
    *,
    versions: Mapping[str, str],
    timings: Mapping[str, float],
    warnings: Iterable[Diagnostic] = (),
) -> None:
    """Write the log of a run into an output folder.

    Args:
        versions: Version of each program that took part (``surgery``, ``tvm``, ``python``).
        timings: Wall time of each step, in seconds, in the order the steps ran.
        warnings: What the user was told.

    Raises:
        SurgeryError: S563.
    """
    before = _read(folder) or {}
    kept = {"files": before["files"]} if "files" in before else {}
    _write(
        folder,
        {
            "surgery_log": _VERSION,
            "versions": dict(sorted(versions.items())),
            "timings": {step: round(seconds, 6) for step, seconds in timings.items()},
            "warnings": [w.as_json() for w in warnings],
            **kept,
        },
    )


def record_files(folder: Path) -> None:
    """Note in the log which entries of a folder surgery wrote; nothing without a log."""
    data = _read(folder)
    if data is not None:
        own = {e.name for e in folder.iterdir()}
        # A rebuild's copy also holds what the user put there: the first record stays true.
        known = data.get("files")
        files = {*known, "lib"} & own if isinstance(known, list) else own
        _write(folder, {**data, "files": sorted(files)})


def logged_files(folder: Path) -> set[str] | None:
    """Return the entries of a folder that surgery wrote; ``None`` for one without its log.

    Empty when the log does not say.
    """
    data = _read(folder)
    if data is None:
        return None
    files = data.get("files")
    return {f for f in files if isinstance(f, str)} if isinstance(files, list) else set()


def _write(folder: Path, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    write_atomic(folder / LOG_NAME, text.encode("utf-8", "replace"))


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        data = json.loads((folder / LOG_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(data, dict) and isinstance(data.get("surgery_log"), int):
        return data
    return None
