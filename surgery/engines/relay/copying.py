"""Copies ``relay.Call`` objects with other operands: what a rebuild consists of."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from surgery.engines.relay.reader import NULL, OBJECT, Reader, reader

CopyCall = Callable[[Any, list[Any]], Any]

#: How many operands a call may have for its copy to be made with arguments laid out once.
_OPERANDS = 16


class _Local(threading.local):
    copy: CopyCall | None = None


_local = _Local()


def copy_call() -> CopyCall:
    """Return this thread's function that copies a call with other operands.

    ``copy(call, operands)`` keeps op, attributes, type arguments and span. It does what
    ``relay.expr.CallWithFields`` does, at a quarter of the cost.
    """
    if _local.copy is None:
        _local.copy = _bind(reader())
    return _local.copy


def _bind(read: Reader) -> CopyCall:
    module, call, release = read.module, read.invoke, read.release
    check, value = read.check, (ctypes.c_int64 * 1)()
    code = (ctypes.c_int * 1)()
    operands, codes = (ctypes.c_int64 * _OPERANDS)(), (ctypes.c_int * _OPERANDS)()
    codes[:] = [OBJECT] * _OPERANDS
    given = (ctypes.c_int64 * 7)()
    given_codes = (ctypes.c_int * 7)(OBJECT, NULL, OBJECT, NULL, NULL, NULL, NULL)
    to_array = module.get_global_func("runtime.Array").handle.value
    copy = module.get_global_func("relay.ir.CallWithFields").handle.value
    at = [ctypes.addressof(x) for x in (operands, codes, value, code, given, given_codes)]
    at_operands, at_codes, at_value, at_code, at_given, at_given_codes = at
    cls, slow, pointer = module.relay.Call, module.relay.expr.CallWithFields, ctypes.c_void_p

    def copied(
        old: Any, values: list[Any], _keep: object = (operands, codes, given, given_codes, code)
    ) -> Any:
        size = len(values)
        if size > _OPERANDS:
            return slow(old, None, values)
        for index, expr in enumerate(values):
            operands[index] = expr.handle.value
        if call(to_array, at_operands, at_codes, size, at_value, at_code):
            check(-1)
        made_array = value[0]
        given[0], given[2] = old.handle.value, made_array
        failed = call(copy, at_given, at_given_codes, 7, at_value, at_code)
        release(made_array)
        if failed:
            check(-1)
        made = cls.__new__(cls)
        made.handle = pointer(value[0])
        return made

    return copied
