"""Which files a backend's kernels go to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from surgery.diagnostics import error, nearest
from surgery.planning.model import Plan, PlannedBackend
from surgery.stubs.c_code import header, skeleton
from surgery.stubs.kernels import Kernel, Language, kernels_of
from surgery.stubs.names import identifier
from surgery.stubs.te_code import lowerings


@dataclass(frozen=True, slots=True, kw_only=True)
class StubFile:
    """One file to write.

    Attributes:
        path: Where the spec looks for it, relative to the spec's folder (POSIX), when the spec
            names a file; else a plain name.
        text: Its content.
        generated: Made again by each run; otherwise it is the user's once it is there.
    """

    path: str
    text: str
    generated: bool


def backends_of(plan: Plan, wanted: str | None = None) -> tuple[PlannedBackend, ...]:
    """Return the backends that regions go to, in the plan's order; only ``wanted`` if given.

    Raises:
        SurgeryError: S259 there is nothing to make a stub of.
    """
    used = {region.backend for region in plan.regions}
    found = tuple(b for b in plan.backends if b.name in used)
    if wanted is not None:
        found = tuple(b for b in found if b.name == wanted)
    if not found:
        what = "kernel" if wanted is None else f"kernel of backend {wanted}"
        close = nearest(wanted or "", used)
        raise error(
            "S259",
            f"the plan calls no {what}",
            reason=f"Its regions go to {', '.join(sorted(used))}." if used else "It has no region.",
            remedy=f"did you mean --backend {close[0]}?"
            if close
            else "add `offload pattern P to B`; `surgery plan --explain` shows what matches",
        )
    return found


def default_language(backend: PlannedBackend) -> Language:
    """Return what a backend's kernels are written in: Python for ``via te``, else C."""
    return "te" if backend.kind == "te" else "c"


def stub_files(plan: Plan, backend: PlannedBackend, language: Language) -> tuple[StubFile, ...]:
    """Return a backend's files: the C header and source, or the lowerings.

    Raises:
        SurgeryError: S258 a kernel's types aren't known: the model is a bare listing.
    """
    kernels = kernels_of(plan, backend.name)
    _check_types(kernels)
    model = PurePosixPath(plan.model_path.replace("\\", "/")).name
    source = backend.source if default_language(backend) == language else None
    if language == "te":
        # An installed package's lowerings are named without a suffix: they are no file to write.
        path = source if source is not None and source.endswith(".py") else "lowerings.py"
        text = lowerings(backend.name, model, kernels)
        return (StubFile(path=path, text=text, generated=False),)
    place = PurePosixPath(source or f"{identifier(backend.name)}.c")
    if place.suffix in (".h", ".hh", ".hpp"):
        head, body = place, place.with_suffix(".c" if place.suffix == ".h" else ".cpp")
    else:
        head, body = place.with_suffix(".h"), place
    return (
        StubFile(
            path=str(head), text=header(backend.name, model, kernels, head.name), generated=True
        ),
        StubFile(
            path=str(body),
            text=skeleton(backend.name, kernels, head.name, body.name),
            generated=False,
        ),
    )


def _check_types(kernels: Sequence[Kernel]) -> None:
    for kernel in kernels:
        for parameter in kernel.parameters:
            if parameter.type.dtype == "?" or not parameter.type.is_static:
                raise error(
                    "S258",
                    f"the type of {parameter.name} of kernel {kernel.symbol} isn't known",
                    reason=f"The plan says {parameter.type}: the model has no types there.",
                    remedy="save the model with `tvm.ir.save_json(mod)` after `InferType`",
                )


def symbols_in(text: str, symbols: Sequence[str]) -> tuple[str, ...]:
    """Return those symbols that a C source or a Python module seems to define or call."""
    words = set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", text))
    return tuple(s for s in symbols if s in words)
