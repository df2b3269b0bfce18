"""A fault of TVM 0.19 with its LLVM: it can't compile code that names a float or a vector.

TVM writes debug information (``#dbg_declare``) for every value that a kernel's code names; LLVM 22
takes none for floating-point numbers and for vectors, and refuses the whole library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
T = TypeVar("T")

_REFUSED: Final = "#dbg_declare"
#: Leaves out the pass that names floats: it computes once what a kernel has twice, as
#: image.resize2d by linear interpolation does, and what resizing is fused with. LLVM finds common
#: subexpressions itself.
NO_CSE: Final[dict[str, Any]] = {"tir.disable_cse_tir": True}
#: Leaves vectors to LLVM: the quotient and remainder of integers that floor_divide and floor_mod
#: name are numbers then.
_NO_VECTORS: Final[dict[str, Any]] = {**NO_CSE, "tir.disable_vectorize": True}


def compiling(compile_: Callable[[], T], config: Mapping[str, Any], **context: Any) -> T:
    """Return what is compiled in a pass context, without those passes where it must be.

    Args:
        compile_: Compiles in the current pass context.
        config: The context's options.
        context: What else the context is made of.

    Raises:
        TVMError: Of the last that was tried.
    """

    def tried(options: Mapping[str, Any]) -> T:
        with tvm.transform.PassContext(config=dict(options), **context):
            return compile_()

    tries: list[dict[str, Any]] = []
    for more in (dict[str, Any](), NO_CSE, _NO_VECTORS):
        if (options := {**config, **more}) not in tries:
            tries.append(options)
    for options in tries[:-1]:
        try:
            return tried(options)
        except tvm.TVMError as failure:
            if _REFUSED not in str(failure):
                raise
    return tried(tries[-1])


def current() -> dict[str, Any]:
    """Return what the current pass context is made of, for one like it."""
    now = tvm.transform.PassContext.current()
    return {
        "opt_level": now.opt_level,
        "required_pass": now.required_pass,
        "disabled_pass": now.disabled_pass,
        "config": dict(now.config),
    }
