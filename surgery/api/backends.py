"""The files that backends' kernels come from: found beside the spec, copied into the folder."""

from __future__ import annotations

import ast as python
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.engines.base import LOWERINGS_GROUP
from surgery.engines.shared_libraries import needed_beside
from surgery.planning import Plan, installed_lowerings
from surgery.source import Span
from surgery.syntax import ast

if TYPE_CHECKING:
    from surgery.recipe import FileReference, Recipe

_HEADERS = (".h", ".hh", ".hpp")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendFiles:
    """The files of one backend.

    Attributes:
        source: The file that the backend names; ``None`` for a kind that has none.
        others: What that one includes or imports, from beside it.
        library: The prebuilt library.
        needed: The shared libraries that this one needs, from beside it.
        span: Of the backend's statement.
    """

    name: str
    source: Path | None = None
    others: tuple[Path, ...] = ()
    library: Path | None = None
    needed: tuple[Path, ...] = ()
    span: Span | None = None

    def placed(self) -> dict[str, Path]:
        """Return the files by their path in the output folder, the source first.

        Files keep their places relative to each other, so that they find each other.
        """
        code = [*([] if self.source is None else [self.source]), *self.others]
        placed: dict[str, Path] = {}
        if code:
            top = Path(os.path.commonpath([p.parent for p in code]))
            placed = {self._at(p.relative_to(top)): p for p in code}
        if self.library is not None:
            placed[self.library_place] = self.library
            placed |= {self._at(Path(p.name)): p for p in self.needed}
        return placed

    @property
    def library_place(self) -> str:
        """Path of the library in the output folder."""
        assert self.library is not None
        return self._at(Path(self.library.name))

    def _at(self, path: Path) -> str:
        return f"backends/{self.name}/{path.as_posix()}"


def backend_faults(spec: ast.Spec, base: Path | None) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a spec's backends: S240, S242 statements, S531 files."""
    found = Collector()
    for statement in _backends(spec):
        found_here = _incomplete(statement)
        if found_here is not None:
            found.add(found_here)
            continue
        for path in (_source(statement), statement.library):
            if path is not None:
                file = _beside(statement, path, base)
                if not file.is_file() or not os.access(file, os.R_OK):
                    found.add(_no_file(statement, path, file))
    return tuple(found.found)


def backend_files(spec: ast.Spec, base: Path | None) -> dict[str, BackendFiles]:
    """Find the files of a spec's backends.

    Args:
        base: The folder relative paths start from, for statements that are in no file.

    Raises:
        SurgeryError: S240, S242, S531.
    """
    faults = backend_faults(spec, base)
    if faults:
        raise SurgeryError(faults)
    files: dict[str, BackendFiles] = {}
    for statement in _backends(spec):
        named = _source(statement)
        source = None if named is None else _beside(statement, named, base)
        others: list[Path] = []
        if source is not None:
            follow = _imported if statement.kind == "te" else _included
            others = [p for p in _closure(source, follow) if p != source]
        library = None
        if statement.library is not None:
            library = _beside(statement, statement.library, base)
        files[statement.name] = BackendFiles(
            name=statement.name,
            source=source,
            others=tuple(others),
            library=library,
            needed=() if library is None else needed_beside(library),
            span=statement.span,
        )
    return files


def copy_backends(
    files: Mapping[str, BackendFiles], out: Path, target: Path
) -> dict[str, list[FileReference]]:
    """Copy the files of backends into an output folder.

    Args:
        out: The folder to write into.

    Returns:
        For each backend its files in the folder, with their hashes.

    Raises:
        SurgeryError: S532 the system refuses.
    """
    from surgery.recipe import FileReference, file_sha256

    sources: dict[str, list[FileReference]] = {}
    for name, backend in files.items():
        sources[name] = []
        for place, path in backend.placed().items():
            copy = out / place
            try:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                sources[name].append(FileReference(path=place, sha256=file_sha256(copy)))
            except OSError as failure:
                raise error(
                    "S532",
                    f"{path} can't be copied to {target / place}",
                    backend.span,
                    reason=failure.strerror or str(failure),
                ) from failure
    return sources


def shown_paths(files: Mapping[str, BackendFiles]) -> dict[str, str]:
    """Return what the user calls each copied file, by its path in the output folder."""
    here = Path.cwd()
    return {
        place: str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
        for backend in files.values()
        for place, path in backend.placed().items()
    }


def code_notes(plan: Plan, allow_code: bool) -> tuple[Diagnostic, ...]:
    """Return a note for each backend of a plan that runs Python code when a stage is built."""
    used = {r.backend for r in plan.regions}
    return tuple(
        Diagnostic(
            code="S241",
            severity="note",
            message=f"backend {b.name} runs Python code when a stage is built: {b.source}",
            remedy="" if allow_code else "read it, then `surgery apply --allow-code`",
        )
        for b in plan.backends
        if b.kind == "te" and b.name in used and not installed_lowerings(b.kind, b.source)
    )


def check_code_allowed(recipe_or_plan: Recipe | Plan, allow_code: bool) -> None:
    """Refuse to run a spec's Python code unless it was allowed.

    Raises:
        SurgeryError: S241.
    """
    if allow_code:
        return
    if isinstance(recipe_or_plan, Plan):
        used = {r.backend for r in recipe_or_plan.regions}
        names = [
            b.name for b in recipe_or_plan.backends
            if b.kind == "te" and not installed_lowerings(b.kind, b.source)
        ]  # fmt: skip
    else:
        used = {b.name for b in recipe_or_plan.backends if b.regions}
        names = [b.name for b in recipe_or_plan.backends if b.kind == "te" and b.module is None]
    for name in names:
        if name in used:
            raise error(
                "S241",
                f"backend {name} runs Python code, which was not allowed",
                reason="its lowerings are run when a stage is compiled, with your rights",
                remedy="read them, then add --allow-code (allow_code=True in Python)",
            )


def _backends(spec: ast.Spec) -> Iterator[ast.Backend]:
    return (s for s in spec.statements if isinstance(s, ast.Backend))


def _source(statement: ast.Backend) -> str | None:
    if statement.kind not in ("te", "c") or installed_lowerings(statement.kind, statement.source):
        return None
    return statement.source


def _incomplete(statement: ast.Backend) -> Diagnostic | None:
    name = statement.name
    reason = remedy = ""
    module = installed_lowerings(statement.kind, statement.source)
    if module is not None:
        if module not in _entry_points():
            return _not_installed(statement, module)
        return _unknown_option(statement)
    match statement:
        case ast.Backend(kind="te", source=None):
            reason, remedy = "no file of lowerings is named", 'via te "lowerings.py"'
        case ast.Backend(kind="c", source=None):
            reason, remedy = "no C file is named", f'via c "{name}.c"'
        case ast.Backend(kind="builtin", source=None):
            reason, remedy = "no codegen of TVM is named", "via builtin dnnl"
        case ast.Backend(kind="c", source=str(source), library=None):
            if Path(source).suffix in _HEADERS:
                reason = f"{source} only declares its kernels"
                remedy = f'via c "{source}"; library "lib{name}.so"'
        case ast.Backend(kind="tvm" | "packed", source=str(source)):
            reason, remedy = f"`via {statement.kind}` reads no {source}", f"via {statement.kind}"
        case ast.Backend(library=str(library)) if statement.kind != "c":
            reason = f"`via {statement.kind}` links no {library}"
            remedy = f'via c "{name}.h"; library "{library}"'
    if not reason:
        return _unknown_option(statement)
    return Diagnostic(
        code="S240",
        message=f"the backend {name} can't be built from what its statement says",
        span=statement.span,
        reason=reason,
        remedy=f"write `backend {name} {{ {remedy} }}`",
    )


def _unknown_option(statement: ast.Backend) -> Diagnostic | None:
    """Return what is wrong with a backend's options: S240 a key that it has not, odd quotes."""
    known = ["merge", *(("cflags", "ldflags") if statement.kind == "c" else ())]
    for key, value in statement.options:
        if key not in known:
            close = nearest(key, known)
            return Diagnostic(
                code="S240",
                message=f"the backend {statement.name} has no option {key}",
                span=statement.span,
                reason=f"the options of `via {statement.kind}` are {', '.join(known)}",
                remedy=f"did you mean {' or '.join(close)}?" if close else "leave it out",
            )
        try:
            shlex.split(str(value))
        except ValueError as failure:
            return Diagnostic(
                code="S240",
                message=f"{key} of the backend {statement.name} can't be split into flags",
                span=statement.span,
                reason=str(failure),
                remedy="write it as on a command line: flags apart by spaces, quotations closed",
            )
    return None


def _entry_points() -> list[str]:
    from importlib.metadata import entry_points

    return sorted({e.name for e in entry_points(group=LOWERINGS_GROUP)})


def _not_installed(statement: ast.Backend, module: str) -> Diagnostic:
    known = _entry_points()
    close = nearest(module, known)
    file = f'a file ends in .py: `via te "{module}.py"`'
    if Path(module).suffix or "/" in module:
        file = "a file of lowerings is Python and ends in .py"
    return Diagnostic(
        code="S242",
        message=f"no installed package has lowerings {module}",
        span=statement.span,
        reason=f"the entry points of the group {LOWERINGS_GROUP} are {', '.join(known) or 'none'}",
        remedy=f"did you mean {' or '.join(close)}?" if close else file,
    )


def _no_file(statement: ast.Backend, path: str, file: Path) -> Diagnostic:
    fault = "is no file" if file.exists() else "does not exist"
    if file.is_dir():
        fault = "is a folder"
    elif file.is_file():
        fault = "may not be read"
    return Diagnostic(
        code="S531",
        message=f"{path} {fault}",
        span=statement.span,
        reason=f"the kernels of the backend {statement.name} come from it",
        remedy="paths are relative to the spec; `surgery stub SPEC` writes files to start from",
    )


def _beside(statement: ast.Backend, path: str, base: Path | None) -> Path:
    written = Path(statement.span.source.path) if statement.span is not None else None
    folder = written.parent if written is not None and written.is_file() else base
    return Path(os.path.abspath((folder or Path()) / path))


def _closure(source: Path, follow: object) -> list[Path]:
    """Return a file and all that it leads to, each once, in the order they are met."""
    assert callable(follow)
    found = [source]
    for path in found:
        found.extend(p for p in follow(path) if p not in found)
    return found


def _included(path: Path) -> Sequence[Path]:
    """Return the files beside a C file that it includes; others are the compiler's to find."""
    text = path.read_text(encoding="utf-8", errors="replace")
    named = [Path(os.path.abspath(path.parent / n)) for n in _INCLUDE.findall(text)]
    return list(dict.fromkeys(p for p in named if p.is_file()))


def _imported(path: Path) -> Sequence[Path]:
    """Return the modules beside a Python file that it imports."""
    try:
        tree = python.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError):
        return ()  # the build says where
    names: list[str] = []
    for node in python.walk(tree):
        if isinstance(node, python.Import):
            names += [a.name for a in node.names]
        elif isinstance(node, python.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    beside = [path.parent / f"{n.partition('.')[0]}.py" for n in names]
    return list(dict.fromkeys(p for p in beside if p.is_file()))
