"""Which files a backend's kernels go to."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from surgery.diagnostics import error, nearest
from surgery.planning.model import Plan, PlannedBackend
from surgery.stubs.c_code import GENERATED, definition, header, skeleton
from surgery.stubs.kernels import Kernel, Language, kernels_of
from surgery.stubs.names import identifier
from surgery.stubs.te_code import functions, lowerings

#: Comments and literals of C.
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
#: A prototype, and a definition.
_DECLARED = re.compile(r"\b([A-Za-z_]\w*)\s*\([^(){};]*\)\s*;")
_DEFINED = re.compile(r"\b([A-Za-z_]\w*)\s*\([^(){};]*\)\s*\{")


@dataclass(frozen=True, slots=True, kw_only=True)
class StubFile:
    """One file to write.

    Attributes:
        path: Where the spec looks for it, relative to the spec's folder (POSIX), when the spec
            names a file; else a plain name.
        text: Its content.
        generated: Made again by each run; otherwise it is the user's once it is there.
        parts: Its kernels, each as text of its own, by the symbol that the file is to define.
    """

    path: str
    text: str
    generated: bool
    parts: Mapping[str, str]

    def replaces(self, there: str) -> bool:
        """Return whether it may take the place of a file that is there: what a stub made."""
        return self.generated and GENERATED in there

    def missing_in(self, there: str) -> tuple[str, ...]:
        """Return the symbols that a file which is there lacks."""
        python = PurePosixPath(self.path).suffix == ".py"
        defined = (names_in if python else symbols_in)(there, tuple(self.parts))
        return tuple(s for s in self.parts if s not in defined)

    def appended(self, there: bytes, symbols: Sequence[str]) -> bytes:
        """Return a file that is there, as it is, with the kernels of some symbols at its end."""
        text = "".join(self.parts[s] for s in symbols)
        if there and not there.endswith(b"\n"):
            text = f"\n{text}"
        if b"\r\n" in there:
            text = text.replace("\n", "\r\n")
        return there + text.encode("utf-8", errors="replace")


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
        made = {n: "\n".join(["", "", *f, ""]) for n, f in functions(kernels).items()}
        return (StubFile(path=path, text=text, generated=False, parts=made),)
    place = PurePosixPath(source or f"{identifier(backend.name)}.c")
    if place.suffix in (".h", ".hh", ".hpp"):
        head, body = place, place.with_suffix(".c" if place.suffix == ".h" else ".cpp")
    else:
        head, body = place.with_suffix(".h"), place
    text = header(backend.name, model, kernels, head.name)
    parts = {k.symbol: "\n".join(["", *definition(k), ""]) for k in kernels}
    return (
        StubFile(path=str(head), text=text, generated=True, parts=parts),
        StubFile(
            path=str(body),
            text=skeleton(backend.name, kernels, head.name, body.name),
            generated=False,
            parts=parts,
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
    """Return those symbols that a C source seems to define: it names them outside its comments.

    A macro may define them, so that they needn't stand before a parenthesis.
    """
    code = _NO_CODE.sub(" ", text)
    words = set(re.findall(r"\b[A-Za-z_]\w*", code)) - set(_DECLARED.findall(code))
    words |= set(_DEFINED.findall(code))
    return tuple(s for s in symbols if s in words)


def names_in(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return those names that a Python module seems to define, at its top level."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        found = set(re.findall(r"^(?:def\s+)?([^\W\d]\w*)\s*[(=]", text, re.M))
        return tuple(n for n in names if n in found)
    found = set()
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                found |= {i.asname or i.name for i in imported}
            case _:
                found |= {n.id for n in ast.walk(node)
                          if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
    return tuple(names if "*" in found else (n for n in names if n in found))
