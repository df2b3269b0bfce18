"""Build options: whether this TVM knows the target, the configuration keys and the passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgery.diagnostics import Diagnostic, SurgeryError, error, nearest
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.machine import linker
from surgery.engines.relay.target import check_enabled, parsed_target
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
