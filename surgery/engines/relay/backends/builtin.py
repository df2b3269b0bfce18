"""``via builtin NAME``: a codegen of the installed TVM itself, ``relay.ext.NAME``."""

from __future__ import annotations

from typing import Any

from surgery.diagnostics import error, nearest
from surgery.engines.relay.backends.region import Source, is_outlined, read_region
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay

_PREFIX = "relay.ext."


def installed() -> list[str]:
    """Return the names of TVM's own codegens that are here, sorted."""
    found = set()
    for name in tvm._ffi.registry.list_global_func_names():
        short = str(name).removeprefix(_PREFIX)
        if short != name and "." not in short:
            found.add(short)
    return sorted(found)


def checked(backend: str, name: str | None) -> str:
    """Return the name of a codegen that is here.

    Raises:
        SurgeryError: S419.
    """
    here = installed()
    if name in here:
        return str(name)
    close = nearest(name or "", here)
    raise error(
        "S419",
        f"backend {backend}: this TVM has no codegen {name}",
        reason=f"it has {', '.join(here)}" if here else "it was built without any",
        remedy=f"did you mean {' or '.join(close)}?"
        if close
        else f"install a TVM that has it, or write `backend {backend} {{ via tvm }}`",
    )


def compiled(function: Any, name: str) -> Any:
    """Have TVM's own codegen compile a region.

    Raises:
        SurgeryError: S468 it fails.
    """
    renamed = _renamed(function, name) if is_outlined(function) else function
    try:
        with diagnosed() as found:
            return tvm.get_global_func(_PREFIX + name)(renamed)
    except Exception as failure:
        symbol = function.attrs["global_symbol"]
        raise error(
            "S468",
            f"TVM's codegen {name} can't compile region {symbol}",
            reason=engine_error(failure, found),
            remedy=f"its own composites have names of its own: write `offload ... as NAME` with "
            f"the name that {name} knows",
        ) from failure


def _renamed(function: Any, name: str) -> Any:
    """Return a region whose compiler and composites have the names that the codegen looks for."""
    code = read_region(function)
    values: dict[Source, Any] = {("param", i): p for i, p in enumerate(function.params)}
    values |= {("constant", i): relay.Constant(a) for i, a in enumerate(code.constants)}
    for number, step in enumerate(code.steps):
        literal = step.call.op.with_attr("Composite", f"{name}.{step.name}")
        call = relay.Call(literal, [values[a] for a in step.arguments])
        several = len(step.output_types) > 1
        for place in range(len(step.output_types)):
            values["step", number, place] = relay.TupleGetItem(call, place) if several else call
    results = [values[r] for r in code.results]
    body = results[0] if len(results) == 1 else relay.Tuple(results)
    made = relay.Function(
        function.params, body, function.ret_type, function.type_params, function.attrs
    ).with_attr("Compiler", name)
    typed = relay.transform.InferType()(tvm.IRModule({relay.GlobalVar(code.symbol): made}))
    return typed[code.symbol]
