"""Build options: whether this TVM knows the target, the configuration keys and the passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgery.diagnostics import Diagnostic, SurgeryError, error, nearest
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.planning.model import BuildPlan
from surgery.syntax.ast import Value

tvm = load_tvm()


def option_faults(asked: BuildPlan, will_build: bool) -> Iterator[tuple[str, Diagnostic]]:
    """Check build options before any work is done.

    Args:
        will_build: Whether this TVM is to compile for the target, or only to know it.

    Yields:
        The option's text (a target, a key, a pass) and what is wrong with it.
    """
    try:
        target = parsed_target(asked.target)
        if will_build:
            check_enabled(target)
            if asked.format == "so":
                from surgery.engines.relay.machine import linker  # which reads targets by this

                linker(asked.target)
    except SurgeryError as failure:
        yield asked.target, failure.diagnostics[0]
    for key, value in asked.config:
        try:
            checked_config({key: value})
        except SurgeryError as failure:
            yield key, failure.diagnostics[0]
    for name in asked.disable:
        try:
            check_passes([name])
        except SurgeryError as failure:
            yield name, failure.diagnostics[0]


def checked_target(text: str) -> Any:
    """Return a target this TVM can compile for, host included.

    Raises:
        SurgeryError: S410.
    """
    target = parsed_target(text)
    check_enabled(target)
    return target


def parsed_target(text: str) -> Any:
    """Return a target that TVM knows, host included.

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
    _check_processor(text, target)
    return target


def _check_processor(text: str, target: Any) -> None:
    """Refuse a processor that LLVM doesn't know: TVM takes a generic one then, and goes on.

    Raises:
        SurgeryError: S410.
    """
    asked = str(target.attrs.get("mcpu", "") or "")
    known = tvm.get_global_func("target.llvm_get_cpu_archlist", allow_missing=True)
    if str(target.kind.name) != "llvm" or known is None or asked in ("", "generic"):
        return
    triple = target.attrs.get("mtriple")
    names = sorted(
        map(str, known(tvm.target.Target(f"llvm -mtriple={triple}" if triple else "llvm")))
    )
    if not names or asked in names:
        return
    close = nearest(asked, names)
    if asked == "native" and not triple:
        close = [str(tvm.get_global_func("target.llvm_get_system_cpu")())]
    raise error(
        "S410",
        f'"{text}" is for no processor that LLVM knows',
        reason=f"`-mcpu={asked}`: TVM would compile for a generic one",
        remedy=f"write {' or '.join(f'-mcpu={c}' for c in close)}"
        if close
        else "leave -mcpu out, or write a name that LLVM has for it",
    )


def check_enabled(target: Any) -> None:
    """Check that this TVM was built with what compiles for a target.

    Raises:
        SurgeryError: S410.
    """
    kind = str(target.kind.name)
    # C needs nothing at run time, and TVM doesn't know of it there.
    if (
        not (kind == "c" or tvm.runtime.enabled(kind))
        or tvm.get_global_func(f"target.build.{kind}", allow_missing=True) is None
    ):
        raise error(
            "S410",
            f"this TVM cannot compile for {kind}",
            reason=f"it was built without {kind}",
            remedy='write `build target "llvm"`, or install a TVM that has it',
        )


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
