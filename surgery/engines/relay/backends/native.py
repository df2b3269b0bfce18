"""``via c``: a user's C functions, compiled and linked into the library, or next to it.

Everything that can be wrong with them is found here, before TVM compiles anything: the source
doesn't compile, a kernel is missing, it takes other arguments than its calls pass, something it
needs is not linked.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.engines.base import BackendBuild
from surgery.engines.compilers import c_compiler
from surgery.engines.relay.backends.kernels import Calls, Kernel, is_cxx, is_header
from surgery.engines.relay.backends.user_code import UserFile
from surgery.engines.shared_libraries import name_by_content, needed_beside
from surgery.source import Span

_AT = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>[\w ]+): (?P<said>.*)$", re.M
)
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?([\w.$@]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What the linker of the exported library is given, and what must stand beside that.

    Attributes:
        objects: Compiled sources and static libraries.
        flags: Further arguments.
        beside: Shared libraries to copy next to the exported one: file by the name it is found by.
    """

    objects: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()
    beside: tuple[tuple[str, Path], ...] = ()


def compiled(
    name: str,
    backend: BackendBuild,
    kernels: Sequence[Kernel],
    folder: Path,
    scratch: Path,
    cross: Sequence[str] = (),
) -> Linked:
    """Compile a C backend and check it against the kernels that regions call.

    Args:
        folder: The output folder, which its paths are in.
        scratch: A folder for object files, by whose paths the result names them.
        cross: The compiler, where it isn't that of this machine.

    Raises:
        SurgeryError: S414 no C compiler, S460 a file doesn't compile, S461 kernels are missing,
            S462 a kernel takes other arguments, S463 it doesn't link.
    """
    build = _Build(name, backend, kernels, folder, scratch, cross)
    return build.run()


class _Build:
    def __init__(
        self, name: str, backend: BackendBuild, kernels: Sequence[Kernel], folder: Path,
        scratch: Path, cross: Sequence[str],
    ) -> None:  # fmt: skip
        self.name, self.backend, self.kernels = name, backend, kernels
        self.folder, self.scratch = folder, scratch
        self.source = backend.sources[0]
        self.cc = list(cross) or c_compiler()
        self.cflags = ["-O3", "-fPIC", *_words(backend, "cflags")]
        library = ["-lstdc++"] if is_cxx(self.source) else []
        self.ldflags = [*_words(backend, "ldflags"), *library, "-lm"]

    @property
    def shown(self) -> str:
        return self.backend.shown.get(self.source, self.source)

    def run(self) -> Linked:
        objects: list[Path] = []
        there: list[str] = []  # what checks are linked with
        named: list[str] = []  # what the exported library is linked with
        beside: list[tuple[str, Path]] = []
        header = is_header(self.source)
        if not header:
            objects.append(self._compile())
        if self.backend.library is not None:
            library = self.folder / self.backend.library
            if not library.stat().st_size:  # to a linker: a script that names nothing
                shown = self._path(self.backend.library)
                raise error("S463", f"{shown} is empty", remedy="build the library again")
            if library.suffix == ".a":
                objects.append(library)
            else:
                # What a library needs is linked and loaded with it: it may not say itself where to
                # look. By bare names, so that no path of this machine is written down.
                name, others = name_by_content(library), needed_beside(library)
                needs = [f"-l:{other.name}" for other in others]
                there = [f"-L{library.parent}", f"-l:{library.name}", *needs]
                named = [f"-L{self.scratch}", f"-L{library.parent}", "-Wl,-rpath,$ORIGIN"]
                named += ["-Wl,--push-state,--no-as-needed", f"-l:{name}", *needs]
                named += ["-Wl,--pop-state"]
                beside = [(name, library), *((other.name, other) for other in others)]
        if header:
            self._check_calls()
        self._check_symbols(objects, [*there, *self.ldflags])
        if not header:
            self._check_calls()
        if there:
            self._stand_in(beside[0][0])
        return Linked(objects=tuple(objects), flags=(*named, *self.ldflags), beside=tuple(beside))

    def _stand_in(self, name: str) -> None:
        """Make a library of that name with these kernels, to link with in place of the real one.

        A linker writes down the name that a library gives itself, which others may have too.
        """
        source = self.scratch / f"{name}.c"
        source.write_text("".join(f"void {k.symbol}(void) {{}}\n" for k in self.kernels))
        made = str(self.scratch / name)
        done = self._cc(
            [
                "-w",
                "-fno-builtin",
                "-shared",
                "-fPIC",
                f"-Wl,-soname,{name}",
                str(source),
                "-o",
                made,
            ]
        )
        if done.returncode:
            raise self._unlinked(done.stderr)

    def _unlinked(self, stderr: str) -> SurgeryError:
        said = [x for x in stderr.splitlines() if "warning" not in x and x.strip()]
        reason = self._without_paths(said[0]) if said else "the linker gave no reason"
        remedy = "check `library` and `ldflags` of the backend"
        other = re.match(r"skipping incompatible (\S+)", reason)
        if other is not None:
            reason = f"{other[1]} is built for another machine than this one"
            remedy = "build it for this machine, or run surgery where it is for"
        return error("S463", f"{self.shown} doesn't link", reason=reason, remedy=remedy)

    def _compile(self) -> Path:
        made = self.scratch / f"{self.name}.o"
        done = self._cc([*self.cflags, "-c", self.source, "-o", str(made)])
        if done.returncode:
            span, said, notes = self._first_error(done.stderr)
            raise error(
                "S460",
                f"{self.shown} doesn't compile",
                span,
                reason=said,
                remedy="correct it and run again; its compiler is "
                f"`{' '.join([*self.cc, *self.cflags])}`",
                notes=notes,
            )
        return made

    def _cc(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.cc, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )

    def _first_error(self, said: str) -> tuple[Span | None, str, tuple[str, ...]]:
        """Return the place and text of a compiler's first error, and its notes on that."""
        for match in _AT.finditer(said):
            if "error" not in match["kind"]:
                continue
            notes = []
            for after in _AT.finditer(said, match.end()):
                if "error" in after["kind"] or "warning" in after["kind"]:
                    break
                notes.append(f"{self._path(after['path'])}:{after['line']}: {after['said']}")
            return self._span(match), _flagless(match["said"]), tuple(notes)
        lines = [line for line in said.splitlines() if line.strip()]
        return None, lines[0].strip() if lines else "the compiler gave no reason", ()

    def _path(self, path: str) -> str:
        return self.backend.shown.get(os.path.normpath(path), path)

    def _span(self, match: re.Match[str]) -> Span | None:
        file = self.folder / match["path"]
        if not file.is_file():
            return None
        column = int(match["column"]) if match["column"] else None
        return UserFile(file, self._path(match["path"])).span(int(match["line"]), column)

    def _check_symbols(self, objects: Sequence[Path], flags: Sequence[str]) -> None:
        """Link a program that needs every kernel: the linker names what is missing."""
        lines = [f"extern int {k.symbol}();" for k in self.kernels]
        table = ", ".join(f"(void *)&{k.symbol}" for k in self.kernels) or "0"
        lines += [f"void *kernels[] = {{{table}}};", "int main(void) { return kernels[0] == 0; }"]
        program = self.scratch / f"{self.name}_symbols.c"
        program.write_text("\n".join(lines) + "\n")
        done = self._cc(
            ["-w", "-fno-builtin", str(program), *map(str, objects), *flags,
             "-o", str(self.scratch / f"{self.name}_symbols")]
        )  # fmt: skip
        if not done.returncode:
            return
        wanted = {k.symbol: k for k in self.kernels}
        undefined = dict.fromkeys(_UNDEFINED.findall(done.stderr))
        missing = [wanted[s] for s in undefined if s in wanted]
        # TVM's runtime is there when the library is loaded.
        others = [s for s in undefined if s not in wanted and not s.startswith("TVM")]
        if missing:
            raise SurgeryError([self._missing(k, objects) for k in missing])
        if others:
            raise error(
                "S463",
                f"{self.shown} needs {', '.join(others[:4])}, which nothing defines",
                reason="the linker found no such symbol",
                remedy="name the library: "
                f'`backend {self.name} {{ ...; ldflags="{_library(others)}" }}`',
            )
        if not undefined:
            raise self._unlinked(done.stderr)

    def _without_paths(self, said: str) -> str:
        """Return a linker's line with the user's own paths in it."""
        for path in (*self.backend.sources, *filter(None, [self.backend.library])):
            said = said.replace(str(self.folder / path), self._path(path))
        said = said.replace(f"{self.scratch}/", "").replace(f"{self.folder}/", "")
        return re.sub(r"^\S*\bld(?:\.\w+)?: ?", "", said.strip())

    def _missing(self, kernel: Kernel, objects: Sequence[Path]) -> Diagnostic:
        where = self.backend.library if self.backend.library and not objects else self.source
        where = self.backend.shown.get(where, where)
        text = UserFile(self.folder / self.source, "").source.text
        close = nearest(kernel.symbol, sorted(set(re.findall(r"\b(\w+)\s*\(", text))))
        linkage = 'extern "C" ' if is_cxx(self.source) else ""
        unseen = ""
        if kernel.symbol in close:
            unseen = 'is it extern "C"?' if linkage else "is it static?"
        return Diagnostic(
            code="S461",
            message=f"{where} has no kernel {kernel.symbol}",
            reason="the linker found no such symbol" + (f" ({unseen})" if unseen else ""),
            remedy=f"define `{linkage}{kernel.prototype}`; `surgery stub` writes it",
            notes=tuple(f"did you mean {c}?" for c in close if c != kernel.symbol),
        )

    def _check_calls(self) -> None:
        """Compile a call of each kernel with the types that regions pass."""
        calls = Calls(self.kernels, str(self.folder / self.source))
        program = self.scratch / f"{self.name}_calls{'.cpp' if calls.cxx else '.c'}"
        program.write_text(calls.text)
        strict = ["incompatible-pointer-types", "implicit-function-declaration", "int-conversion"]
        errors = [] if calls.cxx else [f"-Werror={s}" for s in strict]
        done = self._cc([*self.cflags, "-Wno-error", *errors, "-fsyntax-only", str(program)])
        found = Collector()
        unfit: dict[int, str] = {}
        refused: set[int] = set()
        for match in _AT.finditer(done.stderr):
            if "error" not in match["kind"]:
                continue
            line = int(match["line"])
            called = calls.at(line) if match["path"] == str(program) else None
            if called is None:
                span = self._span(match)
                found.add(Diagnostic(code="S460", message=f"{self.shown} doesn't compile",
                                     span=span, reason=_flagless(match["said"]),
                                     remedy="correct it and run again"))  # fmt: skip
            else:
                refused.add(line)
                if called >= 0:
                    unfit.setdefault(called, match["said"])
        # What a header that doesn't compile declares isn't known.
        found.raise_if_errors()
        for kernel, said in sorted({**calls.misread(refused), **unfit}.items()):
            found.add(self._unfit(self.kernels[kernel], said))
        found.raise_if_errors()

    def _unfit(self, kernel: Kernel, said: str) -> Diagnostic:
        if "implicit declaration" in said or "declared" in said:
            return Diagnostic(
                code="S461",
                message=f"{self.shown} declares no kernel {kernel.symbol}",
                reason="regions call it",
                remedy=f"declare `{kernel.prototype};`; `surgery stub` writes it",
            )
        file = UserFile(self.folder / self.source, self.shown)
        at = re.search(rf"\b{re.escape(kernel.symbol)}\s*\(", file.source.text)
        return Diagnostic(
            code="S462",
            message=f"{self.shown}: {kernel.symbol} doesn't take what its calls pass",
            span=None
            if at is None
            else Span(file.source, at.start(), at.start() + len(kernel.symbol)),
            reason=_flagless(said).replace("surgery_call_", "call "),
            remedy=f"write it as `{kernel.prototype}`",
            notes=tuple(
                f"{what} {i}: {t}"
                for what, types in (("operand", kernel.operands), ("output", kernel.outputs))
                for i, t in enumerate(types)
            ),
        )


def _words(backend: BackendBuild, key: str) -> list[str]:
    value = backend.options.get(key)
    return shlex.split(str(value)) if value is not None else []


def _library(symbols: Sequence[str]) -> str:
    """Return a linker flag that may bring symbols: C++'s own for those of C++."""
    cxx = any(s.startswith(("_Z", "__cxa", "__gxx")) for s in symbols)
    return "-lstdc++" if cxx else "-lopenblas"


def _flagless(said: str) -> str:
    """Return a compiler's message without the name of the warning it comes from."""
    return re.sub(r"\s*\[-(?:W[\w=+-]+|fpermissive)\]$", "", said)
