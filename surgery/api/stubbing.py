"""``stub``: skeletons of the kernels that a spec needs, written where the spec looks for them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from surgery.api.plans import plan
from surgery.api.reading import ModelLike, Progress
from surgery.planning import Plan
from surgery.stubs import (
    Kernel,
    Language,
    StubFile,
    backends_of,
    default_language,
    kernels_of,
    stub_files,
)
from surgery.syntax import ast


@dataclass(frozen=True, slots=True, kw_only=True)
class StubWritten:
    """One file of a stub.

    Attributes:
        path: Where it is.
        action: What was done: a source that was there is ``kept`` unless ``force`` or ``append``
            was given, and so is a header that no stub made.
        backend: The backend it belongs to.
        missing: Kernels that a kept file doesn't define, so far; those that were appended.
    """

    path: Path
    action: Literal["written", "replaced", "appended", "kept"]
    backend: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stubbed:
    """What ``stub`` did."""

    plan: Plan
    files: tuple[StubWritten, ...]
    kernels: tuple[Kernel, ...]


def stub(
    spec: ast.Spec,
    out: str | Path | None = None,
    *,
    model: ModelLike | None = None,
    params: Any = None,
    base: Path | None = None,
    backend: str | None = None,
    language: Language | None = None,
    force: bool = False,
    append: bool = False,
    progress: Progress | None = None,
) -> Stubbed:
    """Write a header and a source skeleton, or lowerings, for the kernels of a spec's plan.

    Args:
        out: The folder to write to, by bare file names. By default the files go where the spec's
            ``backend`` statement looks for them, seen from ``base`` (the current folder).
        backend: Only this backend; all that regions go to when not given.
        language: ``c`` or ``te``; by default what the backend's statement says.
        force: Replace sources that are there. A header that a stub made is always made again.
        append: Add the kernels that a source lacks at its end, and leave the rest as it is.

    Raises:
        SurgeryError: S259 nothing to make a stub of; S258 unknown types; as :func:`plan`.
    """
    made = plan(spec, model=model, params=params, base=base, progress=progress).plan
    written: list[StubWritten] = []
    kernels: list[Kernel] = []
    for chosen in backends_of(made, backend):
        tongue = language or default_language(chosen)
        of_backend = kernels_of(made, chosen.name)
        kernels.extend(of_backend)
        for file in stub_files(made, chosen, tongue):
            named = Path(file.path)
            place = (
                Path(os.path.normpath(Path(base or "") / named))
                if out is None
                else Path(out, named.name)
            )
            written.append(_write(file, place, chosen.name, force, append))
    return Stubbed(plan=made, files=tuple(written), kernels=tuple(kernels))


def _write(file: StubFile, place: Path, backend: str, force: bool, append: bool) -> StubWritten:
    from surgery.recipe.atomic import write_atomic, write_error

    new = file.text.encode("utf-8", errors="replace")
    if not place.is_file():
        write_atomic(place, new)
        return StubWritten(path=place, action="written", backend=backend)
    try:
        there = place.read_bytes()
    except OSError as failure:
        raise write_error(place, failure) from failure
    text = there.decode("utf-8", errors="replace")
    if force or file.replaces(text):
        write_atomic(place, new)
        return StubWritten(path=place, action="replaced", backend=backend)
    missing = file.missing_in(text)
    if append and missing and not file.generated:
        write_atomic(place, file.appended(there, missing))
        return StubWritten(path=place, action="appended", backend=backend, missing=missing)
    return StubWritten(path=place, action="kept", backend=backend, missing=missing)
