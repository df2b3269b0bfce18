"""The grammar and schema files that ship with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from surgery.diagnostics import error

_PACKAGE = Path(__file__).resolve().parent.parent
#: In a wheel the files lie inside the package; in a checkout at its top level.
_FOLDERS = (_PACKAGE / "_grammar", _PACKAGE.parent / "grammar")


@cache
def grammar_text(name: str) -> str:
    """Return the text of a file of ``grammar/``, for example ``spec.lark``.

    Raises:
        SurgeryError: ``S548`` when the installation lacks the file.
    """
    for folder in _FOLDERS:
        file = folder / name
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise error(
        "S548",
        f"this installation lacks its file `grammar/{name}`",
        reason="the package was installed incompletely or changed after installation",
        remedy="install surgery again",
    )
