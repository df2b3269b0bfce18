"""Targets: whether this TVM knows one, and can compile for it."""

from __future__ import annotations

from typing import Any

from surgery.diagnostics import error, nearest
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()


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
