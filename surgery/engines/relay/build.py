"""Compiles one saved stage into one library."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import StageBuild
from surgery.engines.compilers import cxx_compiler
from surgery.engines.relay.aot import aot_options, for_aot
from surgery.engines.relay.apart import apart, run_apart
from surgery.engines.relay.backends.serve import Served, copy_beside, prepare_backends
from surgery.engines.relay.codegen import known_fault, region_target, registered
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.machine import linker
from surgery.engines.relay.named_values import compiling
from surgery.engines.relay.options import check_passes, checked_config
from surgery.engines.relay.packages import MLF, Compiled, is_package, write_package
from surgery.engines.relay.params import read_params
from surgery.engines.relay.target import checked_target
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay

T = TypeVar("T")

#: Values in one function from which TVM's own recursion may not fit the usual 8 MB stack.
DEEP = 1000
#: Stack for a deep build, bytes: memory is only taken as far as it is used.
STACK = 1 << 30
#: A disk with less than this free, in bytes, is full.
_FULL = 1 << 16


def build_stage(stage: StageBuild) -> None:
    """Compile a saved stage; the library appears whole or not at all.

    An interrupt ends the wait, and removes what was written so far.

    Raises:
        SurgeryError: S410 bad target, S411 unknown configuration key, S412 unknown pass,
            S413 executor, S414, S424, S426 no compiler, S425 no such package, S427 what a package
            can't hold, S415 the compilation fails, S416 the saved module
            can't be read, S417 the library can't be written; S419 and S460 to S469 what is wrong
            with a backend, S420 and S421 with a region of TVM's own.
    """
    # Not in the output folder: on a full disk LLVM ends the process instead of reporting it.
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        apart(_build_stage)(stage, Path(scratch))


def _build_stage(stage: StageBuild, scratch: Path) -> None:
    target = checked_target(stage.target)
    config = checked_config(stage.config)
    check_passes(stage.disabled_passes)
    if stage.executor not in ("graph", "aot", "vm"):
        raise error(
            "S413",
            f"there is no executor {stage.executor}",
            reason="stages are compiled for TVM's graph executor, its AOT executor or its VM",
            remedy="write `build executor graph`, `aot` or `vm`",
        )
    if stage.executor == "vm" and stage.library.endswith(MLF):
        raise no_mlf_of_vm()
    # Packages are linked where they are loaded.
    linked = not is_package(stage.library)
    compiler = (linker(stage.target) or cxx_compiler()) if linked else ()
    module = _read_module(stage.folder / stage.module)
    params = read_params(str(stage.folder / stage.params)) if stage.params else {}

    def work() -> None:
        with quiet(), region_target(stage.target), failing() as found:
            served = prepare_backends(stage, module, scratch)
            with registered(served.codegens):
                compiled = _compile(stage, module, params, target, config, served, found)
                _write(compiled, stage, scratch, served, compiler)

    deep = any(len(traverse(f).kinds) > DEEP for f in module.functions.values())
    if deep:
        on_large_stack(work)
    else:
        work()


def _compile(
    stage: StageBuild,
    module: Any,
    params: Mapping[str, Any],
    target: Any,
    config: Mapping[str, Any],
    served: Served,
    found: list[Any],
) -> Compiled:
    relay_text = module.astext(show_meta_data=False) if stage.library.endswith(MLF) else ""
    graph: str | None = None
    weights: Mapping[str, Any] = {}
    memory: Mapping[str, Any] = {}
    # Below opt 1 TVM leaves out a pass that its VM cannot do without.
    required = ["ToANormalForm"] if stage.executor == "vm" else []
    aot = stage.executor == "aot"

    def work() -> Any:
        if stage.executor == "vm":
            return relay.vm.compile(module, target=target, params=dict(params))
        return relay.build(
            for_aot(module, target) if aot else module,
            target=target,
            params=dict(params),
            **(aot_options() if aot else {}),
        )

    built = compiling(
        work,
        config,
        opt_level=stage.opt_level,
        disabled_pass=list(stage.disabled_passes),
        required_pass=required,
    )
    if stage.executor == "vm":
        library = built.mod
    else:
        library, memory = built.module, dict(built.function_metadata.items())
        if not aot:
            graph, weights = built.get_graph_json(), built.get_params()
    if not served.foreign:
        _drop_second_weights(library)
    return Compiled(
        module=library,
        code=library.imported_modules[0] if graph is not None else library,
        graph=graph,
        params=weights,
        memory=memory,
        relay=relay_text,
        target=stage.target,
    )


def _write(
    compiled: Compiled, stage: StageBuild, scratch: Path, served: Served, compiler: Sequence[str]
) -> None:
    """Write a library into the output folder: whole or not at all."""
    path = stage.folder / stage.library
    half = path.with_name(f".{os.getpid()}.{path.name}")
    # Object code and library both hold the weights.
    saved = [stage.module] if stage.params is None else [stage.module, stage.params]
    size = sum((stage.folder / name).stat().st_size for name in saved)
    try:
        # The folder is gone when the run was interrupted meanwhile: it must not come back.
        _require_space(scratch, size)
        _require_space(stage.folder, size)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if is_package(stage.library):
                write_package(half, compiled, stage.executor, served.objects(), scratch)
            else:
                compiled.module.export_library(
                    str(half),
                    cc=compiler[0],
                    options=[*compiler[1:], *served.link_options],
                    workspace_dir=str(scratch),
                )
        except RuntimeError:
            _require_space(scratch, _FULL)  # what the linker says of it is many lines
            _require_space(stage.folder, _FULL)
            raise
        copy_beside(served, path.parent)
        half.replace(path)
    except OSError as failure:
        raise error(
            "S417",
            f"cannot write {stage.library}",
            reason=failure.strerror or str(failure),
            remedy="check that the folder is writable and has space left",
        ) from failure
    finally:
        half.unlink(missing_ok=True)


def _require_space(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _drop_second_weights(library: Any) -> None:
    """Take out the module that holds all weights once more, for codegens that ask for them.

    TVM puts one around the code of any model with regions; ours have their constants inside.
    """
    loaders = [m for m in library.imported_modules if m.type_key == "const_loader"]
    if len(loaders) != 1 or len(library.imported_modules) != 1:
        return
    inner = list(loaders[0].imported_modules)
    if not inner or any(m.type_key != "llvm" for m in inner):
        return
    for module in inner[1:]:
        inner[0].import_module(module)
    tvm.get_global_func("runtime.ModuleClearImports")(library)
    library.import_module(inner[0])


def no_mlf_of_vm() -> SurgeryError:
    return error(
        "S425",
        "the Model Library Format has no place for TVM's VM",
        reason="it holds stages of the graph executor and of the AOT executor",
        remedy="write `build format tar` or `format so`",
    )


def _read_module(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else "it is not text"
        raise error(
            "S416", f"cannot read {path}", reason=reason or "", remedy="run `surgery apply` again"
        ) from failure
    try:
        module = tvm.ir.load_json(text)
    except (tvm.TVMError, ValueError) as failure:
        raise error(
            "S416",
            f"{path} is no module of this TVM",
            reason=engine_error(failure),
            remedy="run `surgery apply` again with the TVM that is installed now",
        ) from failure
    if not isinstance(module, tvm.IRModule):
        raise error("S416", f"{path} holds no module", remedy="run `surgery apply` again")
    return module


# -- surroundings


@contextmanager
def failing() -> Iterator[list[Any]]:
    """Turn what TVM raises into one finding; those of surgery pass through."""
    with diagnosed() as found:
        try:
            yield found
        except (SurgeryError, KeyboardInterrupt):
            raise
        except Exception as failure:
            inner = _surgery_error(failure)
            if inner is not None:
                raise inner from failure
            raise error(
                "S415",
                "TVM cannot compile the stage",
                reason=engine_error(failure, found),
                remedy=known_fault(failure)
                or "try `build opt 2` or lower, or `build executor vm`; the stage's "
                "module.relay shows what was compiled",
            ) from failure


def _surgery_error(failure: BaseException) -> SurgeryError | None:
    """Find the error that a region's codegen raised beneath TVM's frames."""
    at: BaseException | None = failure
    while at is not None:
        if isinstance(at, SurgeryError):
            return at
        at = at.__cause__ or at.__context__
    return None


@contextmanager
def quiet() -> Iterator[None]:
    """Compile with TVM's default schedules and without its remarks on missing tuning logs."""
    scope = tvm.autotvm.GLOBAL_SCOPE
    before, scope.silent = scope.silent, True
    loggers = [logging.getLogger(name) for name in ("autotvm", "te_compiler", "strategy", "topi")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with tvm.autotvm.FallbackContext():
            yield
    finally:
        scope.silent = before
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def on_large_stack(work: Callable[[], T]) -> T:
    """Run work in a thread whose stack holds TVM's recursion over deep graphs."""
    return run_apart(work, STACK)
