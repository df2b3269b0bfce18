"""Compiles one saved stage into one library."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.base import StageBuild
from surgery.engines.relay.apart import run_apart
from surgery.engines.relay.backends.serve import Served, copy_beside, prepare_backends
from surgery.engines.relay.codegen import known_fault, region_target, registered
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.params import read_params
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.syntax.ast import Value

tvm = load_tvm()
relay = tvm.relay

T = TypeVar("T")

#: Values in one function from which TVM's own recursion may not fit the usual 8 MB stack.
DEEP = 1000
#: Stack for a deep build, bytes: memory is only taken as far as it is used.
STACK = 1 << 30


def build_stage(stage: StageBuild) -> None:
    """Compile a saved stage; the library appears whole or not at all.

    Raises:
        SurgeryError: S410 bad target, S411 unknown configuration key, S412 unknown pass,
            S413 executor, S414 no C++ compiler, S415 the compilation fails, S416 the saved module
            can't be read, S417 the library can't be written; S419 and S460 to S469 what is wrong
            with a backend, S420 and S421 with a region of TVM's own.
    """
    target = checked_target(stage.target)
    config = checked_config(stage.config)
    check_passes(stage.disabled_passes)
    if stage.executor not in ("graph", "vm"):
        raise error(
            "S413",
            f"executor {stage.executor} is not supported yet",
            reason="stages are compiled for TVM's graph executor or its VM",
            remedy="write `build executor graph` or `build executor vm`",
        )
    check_compiler()
    module = _read_module(stage.folder / stage.module)
    params = read_params(str(stage.folder / stage.params)) if stage.params else {}

    def work() -> None:
        with (
            quiet(),
            region_target(stage.target),
            tempfile.TemporaryDirectory(prefix="surgery-") as scratch,
            _failing() as found,
        ):
            served = prepare_backends(stage, module, Path(scratch))
            with registered(served.codegens):
                _compile(stage, module, params, target, config, served, found)

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
) -> None:
    # Below opt 1 TVM leaves out a pass that its VM cannot do without.
    required = ["ToANormalForm"] if stage.executor == "vm" else []
    with tvm.transform.PassContext(
        opt_level=stage.opt_level,
        config=dict(config),
        disabled_pass=list(stage.disabled_passes),
        required_pass=required,
    ):
        if stage.executor == "vm":
            library = relay.vm.compile(module, target=target, params=dict(params)).mod
        else:
            library = relay.build(module, target=target, params=dict(params)).module
    if not served.foreign:
        _drop_second_weights(library)
    path = stage.folder / stage.library
    half = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        # Gone when the run was interrupted while TVM compiled: it must not come back.
        stage.folder.stat()
        path.parent.mkdir(parents=True, exist_ok=True)
        # TVM's own scratch folder would outlive a run that is killed or interrupted.
        with tempfile.TemporaryDirectory(prefix=".link-", dir=path.parent) as scratch:
            library.export_library(
                str(half), options=list(served.link_options), workspace_dir=scratch
            )
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


# -- options


def checked_target(text: str) -> Any:
    """Return a target this TVM can compile for, host included.

    Raises:
        SurgeryError: S410.
    """
    try:
        target = tvm.target.Target(text, host=text)
    except (tvm.TVMError, ValueError, TypeError) as failure:
        kind = text.split()[0] if text.split() else ""
        kinds = sorted(str(k) for k in tvm.target.Target.list_kinds())
        close = [] if kind in kinds else nearest(kind, kinds)
        raise error(
            "S410",
            f'"{text}" is not a target of TVM',
            reason=engine_error(failure),
            remedy=f"did you mean {' or '.join(close)}?"
            if close
            else 'write `build target "llvm"`',
        ) from failure
    kind = str(target.kind.name)
    if (
        not tvm.runtime.enabled(kind)
        or tvm.get_global_func(f"target.build.{kind}", allow_missing=True) is None
    ):
        raise error(
            "S410",
            f"this TVM cannot compile for {kind}",
            reason=f"it was built without {kind}",
            remedy='write `build target "llvm"`, or install a TVM that has it',
        )
    return target


def checked_config(config: Mapping[str, Value]) -> dict[str, Any]:
    """Return ``PassContext`` options, checked by name and type.

    Raises:
        SurgeryError: S411.
    """
    known = {str(k) for k in tvm.transform.PassContext.list_configs()}
    checked: dict[str, Any] = {}
    for key, value in config.items():
        if key not in known:
            close = nearest(key, sorted(known))
            raise error(
                "S411",
                f"TVM has no configuration {key}",
                remedy=f"did you mean {' or '.join(close)}?"
                if close
                else "look at `tvm.transform.PassContext.list_configs()`",
            )
        checked[key] = list(value) if isinstance(value, tuple) else value
        try:
            tvm.transform.PassContext(config={key: checked[key]})
        except (tvm.TVMError, ValueError, TypeError, AttributeError) as failure:
            raise error(
                "S411",
                f"configuration {key} does not take {value!r}",
                reason=engine_error(failure),
                remedy="give it a value of the type it has",
            ) from failure
    return checked


def check_passes(names: Sequence[str]) -> None:
    """Check that the passes to disable exist.

    Raises:
        SurgeryError: S412.
    """
    if not names:
        return
    known = set()
    for name in tvm._ffi.registry.list_global_func_names():
        for prefix, shown in (("relay._transform.", ""), ("tir.transform.", "tir.")):
            if name.startswith(prefix):
                known.add(shown + name[len(prefix) :])
    for name in names:
        if name not in known:
            close = nearest(name, sorted(known))
            raise error(
                "S412",
                f"TVM has no pass {name}",
                reason="a pass that does not exist cannot be disabled",
                remedy=f"did you mean {' or '.join(close)}?" if close else "",
            )


def check_compiler() -> None:
    """Check that there is a C++ compiler to link a library with.

    Raises:
        SurgeryError: S414.
    """
    if not tvm.contrib.cc.get_cc():
        raise error(
            "S414",
            "no C++ compiler was found",
            reason="TVM links each library with one",
            remedy="install g++ or clang++, or set CXX to its path",
        )


# -- surroundings


@contextmanager
def _failing() -> Iterator[list[Any]]:
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
