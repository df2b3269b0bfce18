"""``surgery``: a declarative, checked-in language for graph surgery on compiler graphs.

Importing this package imports no TVM (and no numpy); each name below is loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surgery.api import (
        Applied,
        Bisection,
        Checkup,
        Compared,
        Compiled,
        Planned,
        Reduced,
        Tapped,
        apply,
        bisect,
        build,
        check,
        compare_models,
        compile,
        examine,
        import_model,
        load_model,
        load_picture,
        load_spec,
        open,
        parse_spec,
        plan,
        reduce,
        run,
        stub,
        tap,
        verify,
    )
    from surgery.diagnostics import Diagnostic, SurgeryError

_API = (
    "Applied", "Bisection", "Checkup", "Compared", "Compiled", "Planned", "Reduced", "Tapped",
    "apply", "bisect", "build", "check", "compare_models", "compile", "examine", "import_model",
    "load_model", "load_picture", "load_spec", "open", "parse_spec", "plan", "reduce", "run",
    "stub", "tap", "verify",
)  # fmt: skip
_DIAGNOSTICS = ("Diagnostic", "SurgeryError")

__all__ = [
    "Applied", "Bisection", "Checkup", "Compared", "Compiled", "Diagnostic", "Planned",
    "Reduced", "SurgeryError", "Tapped", "apply", "bisect", "build", "check", "compare_models",
    "compile", "examine", "import_model", "load_model", "load_picture", "load_spec", "open",
    "parse_spec", "plan", "reduce", "run", "stub", "tap", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    import importlib

    if name in _API:
        return getattr(importlib.import_module("surgery.api"), name)
    if name in _DIAGNOSTICS:
        return getattr(importlib.import_module("surgery.diagnostics"), name)
    raise AttributeError(f"module 'surgery' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
