"""Whether stages are compiled for this machine: asked before anything of them is loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from surgery.diagnostics import Collector, Diagnostic
from surgery.engines.base import Engine

#: Targets that are always this machine; no compiler need be asked.
_HERE = ("llvm", "c")


class _Stage(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def target(self) -> str: ...


def unrunnable(engine: Engine, target: str) -> str:
    """Return why this machine can't run the code for a target, or ''."""
    return "" if target in _HERE else engine.unrunnable(target)


def check_runnable(stages: Iterable[_Stage], engine: Engine, doing: str = "run") -> None:
    """Check that this machine can run all stages: foreign code would end the process.

    Args:
        doing: What is refused otherwise.

    Raises:
        SurgeryError: S423, for each stage that it can't run.
    """
    found = Collector()
    for stage in stages:
        reason = unrunnable(engine, stage.target)
        if reason:
            found.add(
                Diagnostic(
                    code="S423",
                    message=f"{stage.name} can't be {doing} here",
                    reason=reason,
                    remedy="leave the comparison out (`--no-verify`), and compare on that machine: "
                    "`surgery verify` on the folder"
                    if doing == "verified"
                    else "run the folder on that machine, or build the stage for this one: "
                    '`stage N on "llvm"`, `build target "llvm"`',
                )
            )
    found.raise_if_errors()
