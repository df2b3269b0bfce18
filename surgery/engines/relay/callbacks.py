"""Functions that TVM calls for every expression, without a Python object for each."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from surgery.engines.relay.reader import RVALUE, STR
from surgery.engines.relay.tvm_import import tvm


class TextCallback:
    """A TVM function of one object that returns text.

    Attributes:
        packed: The ``tvm.runtime.PackedFunc``. It lives no longer than this object.
    """

    def __init__(self, text_of: Callable[[int], bytes]) -> None:
        """Make the function.

        Args:
            text_of: Gets the object's address, borrowed, and returns UTF-8 text.
        """
        module = tvm()
        from tvm._ffi._ctypes.types import TVMPackedCFunc
        from tvm._ffi.base import _LIB, check_call

        lib = ctypes.PyDLL(_LIB._name, handle=_LIB._handle)
        set_return = lib.TVMCFuncSetReturn
        set_return.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
        fail = lib.TVMAPISetLastError
        fail.argtypes = [ctypes.c_char_p]
        value, code = (ctypes.c_char_p * 1)(), (ctypes.c_int * 1)(STR)
        at_value, at_code = ctypes.addressof(value), ctypes.addressof(code)
        word, half = ctypes.c_int64, ctypes.c_int

        def run(arguments: int, codes: int, _count: int, result: int, _resource: int) -> int:
            try:
                given = word.from_address(arguments).value
                if half.from_address(codes).value == RVALUE:
                    # A temporary of C++ comes as the place of its reference.
                    given = word.from_address(given).value
                value[0] = text_of(given)
            except Exception as failure:
                fail(str(failure).encode())
                return -1
            return int(set_return(result, at_value, at_code, 1))

        pointer = ctypes.c_void_p
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, ctypes.c_int, pointer, pointer)
        self._kept = (prototype(run), value, code)
        handle = pointer()
        check_call(
            _LIB.TVMFuncCreateFromCFunc(
                ctypes.cast(self._kept[0], TVMPackedCFunc), None, None, ctypes.byref(handle)
            )
        )
        self.packed: Any = module.runtime.PackedFunc(handle, False)
