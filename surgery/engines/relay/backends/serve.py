"""Makes the backends of a stage ready: a codegen for each, and what the linker needs."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from surgery.diagnostics import Collector, SurgeryError, error
from surgery.engines.base import BackendBuild, StageBuild
from surgery.engines.relay.backends import builtin, native
from surgery.engines.relay.backends.calls import Invoke, c_call, calling, packed_call
from surgery.engines.relay.backends.kernels import kernels_of
from surgery.engines.relay.backends.lowering import Lowerings
from surgery.engines.relay.backends.region import read_region
from surgery.engines.relay.codegen import Codegen, compile_region, target
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.machine import c_compiler
from surgery.engines.relay.named_values import NO_CSE, compiling, current
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """How a stage's regions become code.

    Attributes:
        codegens: A codegen for each backend of the stage's regions, by the backend's name.
        linked: What C backends add to the link of the library.
        foreign: Whether a codegen of TVM's own is among them, which may rely on copies of its
            constants in the library.
    """

    codegens: Mapping[str, Codegen]
    linked: tuple[native.Linked, ...] = ()
    foreign: bool = False

    @property
    def link_options(self) -> tuple[str, ...]:
        """Arguments for the linker of the exported library."""
        if not self.linked:
            return ()
        objects = [str(o) for linked in self.linked for o in linked.objects]
        # Its kernels call their own helpers, not those of another library in the process.
        return (*objects, *(f for linked in self.linked for f in linked.flags), "-Wl,-Bsymbolic")

    def objects(self) -> list[Path]:
        """Return what C backends add to a package of object code, which isn't linked here.

        Raises:
            SurgeryError: S427 it takes more than object code.
        """
        found: list[Path] = []
        for linked in self.linked:
            static = [o.name for o in linked.objects if o.suffix != ".o"]
            more = [*static, *(f for f in linked.flags if f not in ("-lm", "-lstdc++"))]
            if more:
                raise error(
                    "S427",
                    f"a package of object code can't hold what a backend links: {more[0]}",
                    reason="it holds object files only, which are linked where it is loaded",
                    remedy="write `build format so`, or give the backend's C sources",
                )
            found += linked.objects
        return found


def prepare_backends(stage: StageBuild, module: Any, scratch: Path) -> Served:
    """Compile, load and check what the regions of a stage's module need.

    Args:
        scratch: A folder for object files, kept until the library is exported.

    Raises:
        SurgeryError: Everything wrong with the backends: S419, S460 to S468.
    """
    codegens: dict[str, Codegen] = {}
    linked: list[native.Linked] = []
    foreign = False
    found = Collector()
    for name, functions in _by_backend(module).items():
        backend = stage.backends.get(name)
        if backend is None:
            # A codegen that someone registered for a backend the plan knows nothing of stays.
            if tvm.get_global_func(f"relay.ext.{name}", allow_missing=True) is None:
                codegens[name] = compile_region
            else:
                foreign = True
            continue
        try:
            match backend.kind:
                case "tvm":
                    codegens[name] = compile_region
                case "te":
                    if backend.module is not None:
                        lowerings = Lowerings.installed(backend.module)
                    else:
                        path = stage.folder / backend.sources[0]
                        lowerings = Lowerings.load(path, _shown(backend))
                    codegens[name] = partial(_compiled, invoke=lowerings.invoke)
                    _try_all(lowerings, functions, found)
                case "c":
                    regions = [read_region(f) for f in functions]
                    kernels = kernels_of(regions)
                    cross = c_compiler(stage.target)
                    linked.append(
                        native.compiled(name, backend, kernels, stage.folder, scratch, cross)
                    )
                    codegens[name] = partial(_compiled, invoke=c_call)
                case "packed":
                    codegens[name] = partial(_compiled, invoke=packed_call)
                case "builtin":
                    own = builtin.checked(name, backend.builtin)
                    codegens[name] = partial(builtin.compiled, name=own)
                    foreign = True
        except SurgeryError as failure:
            found.take(failure)
    found.raise_if_errors()
    return Served(codegens=codegens, linked=tuple(linked), foreign=foreign)


def copy_beside(served: Served, folder: Path) -> None:
    """Copy shared libraries next to the library that was linked with them.

    Raises:
        SurgeryError: S469 another library of the same name is there.
        OSError: They can't be written.
    """
    for linked in served.linked:
        for name, library in linked.beside:
            there = folder / name
            if there.exists() and not filecmp.cmp(there, library, shallow=False):
                raise error(
                    "S469",
                    f"two backends bring a library {name}, and they differ",
                    reason="both are looked up by that name, beside the exported library",
                    remedy="rename one of them, or link it statically",
                )
            half = there.with_name(f".{name}.{os.getpid()}")
            shutil.copyfile(library, half)
            half.replace(there)


def _by_backend(module: Any) -> dict[str, list[Any]]:
    """Return the region functions of a module by backend, both in order of their names."""
    found: dict[str, list[Any]] = {}
    for variable in sorted(module.functions, key=lambda v: str(v.name_hint)):
        function = module.functions[variable]
        attrs = function.attrs
        if attrs is not None and "Compiler" in attrs:
            found.setdefault(str(attrs["Compiler"]), []).append(function)
    return dict(sorted(found.items()))


def _shown(backend: BackendBuild) -> str:
    source = backend.sources[0]
    return backend.shown.get(source, source)


def _try_all(lowerings: Lowerings, functions: Iterable[Any], found: Collector) -> None:
    """Run every lowering once, so that all that is wrong with them is said at once."""
    tried: set[str] = set()
    for function in functions:
        for step in read_region(function).steps:
            if step.kernel in tried:
                continue
            tried.add(step.kernel)
            try:
                with target():
                    lowerings.kernel(step)
            except SurgeryError as failure:
                found.take(failure)


def _compiled(function: Any, invoke: Invoke) -> Any:
    """Compile a region whose code is one PrimFunc.

    Raises:
        SurgeryError: S420.
    """
    code = read_region(function)
    device = target()

    def once() -> Any:
        with device:
            made = calling(code, invoke).with_attr("global_symbol", code.symbol)
            return tvm.build(tvm.IRModule({tvm.ir.GlobalVar(code.symbol): made}), target=device)

    context = current()
    context["config"] |= NO_CSE  # a pass that is cubic in the number of constants
    try:
        with diagnosed() as found:
            return compiling(once, **context)
    except (tvm.TVMError, ValueError, TypeError) as failure:
        raise error(
            "S420",
            f"region {code.symbol} cannot be compiled",
            reason=engine_error(failure, found),
            remedy="look at what its lowerings compute; surgery calls TVM's compiler with it as "
            "it is",
        ) from failure
