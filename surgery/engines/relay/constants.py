"""Constants inside kernels: data that the library brings along, in place of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
tir = tvm.tir

#: Constants from this size on (bytes) are handed to LLVM as 16-bit words, see `compact`.
_LARGE = 4096


def pointer(name: str, dtype: str) -> Any:
    """Return a variable that points to elements of a dtype."""
    return tir.Var(name, tvm.ir.PointerType(tvm.ir.PrimType(dtype), "global"))


def constant(variable: Any, array: Any, body: Any) -> Any:
    """Return a statement in which a pointer variable holds the address of a NumPy array's data."""
    flat = array.reshape(-1)
    if str(flat.dtype) == "bool":
        flat = flat.view("int8")  # TVM's own way of putting booleans into a kernel fails
    elif _is_large(flat):
        flat = flat.view("int16")
    dtype = str(flat.dtype)
    raw = pointer(f"{variable.name}_{dtype}", dtype)
    address = tir.call_intrin("handle", "tir.reinterpret", raw)
    inner = tir.LetStmt(variable, address, body)
    return tir.AllocateConst(raw, dtype, [flat.size], tvm.nd.array(flat), inner)


def embedded(entry: Any, arrays: Sequence[Any], first: int) -> Any:
    """Put arrays inside a PrimFunc, in place of its parameters from ``first`` on.

    Args:
        arrays: TVM arrays of the parameters' types.
    """
    body, buffers = entry.body, dict(entry.buffer_map.items())
    for param, array in zip(entry.params[first : first + len(arrays)], arrays, strict=True):
        buffer = buffers.pop(param)
        body = constant(buffer.data, array.numpy(), body)
    params = [*entry.params[:first], *entry.params[first + len(arrays) :]]
    return tir.PrimFunc(params, body, entry.ret_type, buffers, entry.attrs)


def compact(kernel: Any) -> Any:
    """Rewrite a kernel's large constants as 16-bit words.

    LLVM keeps one object for each distinct element: millions for a weight matrix of floats, at
    most 65,536 for words. The bytes are the same.
    """

    def rewrite(statement: Any) -> Any:
        if statement.data is None:
            return None
        array = statement.data.numpy().reshape(-1)
        return constant(statement.buffer_var, array, statement.body) if _is_large(array) else None

    body = tir.stmt_functor.ir_transform(kernel.body, None, rewrite, ["tir.AllocateConst"])
    return kernel.with_body(body)


def _is_large(array: Any) -> bool:
    return bool(array.nbytes >= _LARGE and array.nbytes % 2 == 0 and array.dtype.itemsize >= 2)
