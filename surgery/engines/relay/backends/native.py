"""``via c``: a user's C functions, compiled and linked into the library, or next to it.

Everything that can be wrong with them is found here, before TVM compiles anything: the source
doesn't compile, a kernel is missing, it takes other arguments than its calls pass, something it
needs is not linked.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.engines.base import BackendBuild
from surgery.engines.relay.backends.region import RegionCode, Tensor
from surgery.engines.relay.backends.user_code import UserFile
from surgery.engines.shared_libraries import name_by_content, needed_beside
from surgery.source import Span

#: C types of elements; ``void`` where C has several for one: any pointer is taken.
C_TYPES: Mapping[str, str] = {
    "float32": "float", "float64": "double", "bool": "void", "float16": "void", "bfloat16": "void",
    **{f"{u}int{b}": f"{u}int{b}_t" for u in ("", "u") for b in (8, 16, 32, 64)},
}  # fmt: skip

_AT = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>[\w ]+): (?P<said>.*)$", re.M
)
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?([\w.$@]+)")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A C function that regions call."""

    symbol: str
    operands: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    @property
    def prototype(self) -> str:
        """The function as C declares it."""
        given = [f"const {_c(t)} *" for t in self.operands] + [f"{_c(t)} *" for t in self.outputs]
        return f"int32_t {self.symbol}({', '.join(given)})"


def kernels_of(regions: Sequence[RegionCode]) -> list[Kernel]:
    """Return the kernels that regions call, each once, by symbol."""
    found = {s.kernel: Kernel(s.kernel, s.operand_types, s.output_types)
             for r in regions for s in r.steps}  # fmt: skip
    return [found[k] for k in sorted(found)]


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
    name: str, backend: BackendBuild, kernels: Sequence[Kernel], folder: Path, scratch: Path
) -> Linked:
    """Compile a C backend and check it against the kernels that regions call.

    Args:
        folder: The output folder, which its paths are in.
        scratch: A folder for object files, by whose paths the result names them.

    Raises:
        SurgeryError: S414 no C compiler, S460 a file doesn't compile, S461 kernels are missing,
            S462 a kernel takes other arguments, S463 it doesn't link.
    """
    build = _Build(name, backend, kernels, folder, scratch)
    return build.run()


def c_compiler() -> str:
    """Return the C compiler.

    Raises:
        SurgeryError: S414.
    """
    named = os.environ.get("CC")
    for candidate in filter(None, (named, "cc", "gcc", "clang")):
        if shutil.which(shlex.split(candidate)[0]):
            return candidate
    raise error(
        "S414",
        "no C compiler was found",
        reason="a `via c` backend is compiled with one",
        remedy="install gcc or clang, or set CC to its path",
    )


class _Build:
    def __init__(
        self, name: str, backend: BackendBuild, kernels: Sequence[Kernel], folder: Path,
        scratch: Path,
    ) -> None:  # fmt: skip
        self.name, self.backend, self.kernels = name, backend, kernels
        self.folder, self.scratch = folder, scratch
        self.source = backend.sources[0]
        self.cc = shlex.split(c_compiler())
        self.cflags = ["-O3", "-fPIC", *_words(backend, "cflags")]
        self.ldflags = [*_words(backend, "ldflags"), "-lm"]

    @property
    def shown(self) -> str:
        return self.backend.shown.get(self.source, self.source)

    def run(self) -> Linked:
        objects: list[Path] = []
        there: list[str] = []  # what checks are linked with
        named: list[str] = []  # what the exported library is linked with
        beside: list[tuple[str, Path]] = []
        header = Path(self.source).suffix in (".h", ".hpp", ".hh")
        if not header:
            objects.append(self._compile())
        if self.backend.library is not None:
            library = self.folder / self.backend.library
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
        if not header and Path(self.source).suffix == ".c":
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
        return error(
            "S463",
            f"{self.shown} doesn't link",
            reason=self._without_paths(said[0]) if said else "the linker gave no reason",
            remedy="check `library` and `ldflags` of the backend",
        )

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
                remedy=f'name the library: `backend {self.name} {{ ...; ldflags="-lopenblas" }}`',
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
        return Diagnostic(
            code="S461",
            message=f"{where} has no kernel {kernel.symbol}",
            reason="the linker found no such symbol"
            + (" (is it static?)" if kernel.symbol in close else ""),
            remedy=f"define `{kernel.prototype}`; `surgery stub` writes it",
            notes=tuple(f"did you mean {c}?" for c in close if c != kernel.symbol),
        )

    def _check_calls(self) -> None:
        """Compile a call of each kernel with the types that regions pass."""
        lines = ["#include <stdint.h>", f'#include "{self.folder / self.source}"']
        first = len(lines) + 1
        for number, kernel in enumerate(self.kernels):
            types = [f"const {_c(t)} *" for t in kernel.operands]
            types += [f"{_c(t)} *" for t in kernel.outputs]
            given = ", ".join(f"{t}a{i}" for i, t in enumerate(types))
            passed = ", ".join(f"a{i}" for i in range(len(types)))
            lines.append(
                f"int32_t surgery_call_{number}({given}) {{ return {kernel.symbol}({passed}); }}"
            )
        program = self.scratch / f"{self.name}_calls.c"
        program.write_text("\n".join(lines) + "\n")
        strict = ["incompatible-pointer-types", "implicit-function-declaration", "int-conversion"]
        done = self._cc(
            [*self.cflags, "-Wno-error", *(f"-Werror={s}" for s in strict),
             "-fsyntax-only", str(program)]
        )  # fmt: skip
        if not done.returncode:
            return
        found = Collector()
        unfit: list[Diagnostic] = []
        seen: set[int] = set()
        for match in _AT.finditer(done.stderr):
            if "error" not in match["kind"]:
                continue
            line = int(match["line"]) - first
            if match["path"] != str(program) or not 0 <= line < len(self.kernels):
                span = self._span(match)
                found.add(Diagnostic(code="S460", message=f"{self.shown} doesn't compile",
                                     span=span, reason=_flagless(match["said"]),
                                     remedy="correct it and run again"))  # fmt: skip
            elif line not in seen:
                seen.add(line)
                unfit.append(self._unfit(self.kernels[line], match["said"]))
        # What a header that doesn't compile declares isn't known.
        found.raise_if_errors()
        for diagnostic in unfit:
            found.add(diagnostic)
        found.raise_if_errors()

    def _unfit(self, kernel: Kernel, said: str) -> Diagnostic:
        if "implicit declaration" in said or "undeclared" in said:
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


def _c(type_: Tensor) -> str:
    return C_TYPES.get(type_.dtype, "void")


def _words(backend: BackendBuild, key: str) -> list[str]:
    value = backend.options.get(key)
    return shlex.split(str(value)) if value is not None else []


def _flagless(said: str) -> str:
    """Return a compiler's message without the name of the warning it comes from."""
    return re.sub(r"\s*\[-W[\w=+-]+\]$", "", said)
