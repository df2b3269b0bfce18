"""Reads TVM objects through TVM's C interface, by address.

A Relay graph holds thousands of small objects. Reading them as Python objects costs an
allocation, a type lookup and a destructor each; reading the same fields through ``TVMFuncCall``
with arguments that are laid out once costs a tenth. Addresses are borrowed: the caller keeps the
root expression alive, which keeps everything below it alive.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from surgery.engines.relay.tvm_import import tvm

# Type codes of the C interface (tvm/runtime/c_runtime_api.h).
INT, FLOAT, NULL, OBJECT, STR, RVALUE = 0, 2, 4, 8, 11, 14

Field = Callable[[int], int]


class Reader:
    """The C interface, bound once a process."""

    def __init__(self) -> None:
        module = tvm()
        from tvm._ffi._ctypes.object import OBJECT_TYPE
        from tvm._ffi.base import _LIB, check_call

        self.module = module
        self.check = check_call
        self._classes = OBJECT_TYPE
        self._echo = module.get_global_func("testing.echo")
        # PyDLL keeps the interpreter lock: calls are far shorter than handing it over twice.
        lib = ctypes.PyDLL(_LIB._name, handle=_LIB._handle)
        self.release: Callable[[int], int] = lib.TVMObjectFree
        lib.TVMObjectFree.argtypes = [ctypes.c_void_p]
        self._retain = lib.TVMObjectRetain
        self._retain.argtypes = [ctypes.c_void_p]
        self.invoke = lib.TVMFuncCall
        self.invoke.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
            ctypes.c_void_p,
        ]  # fmt: skip
        self._type_index = lib.TVMObjectGetTypeIndex
        self._type_index.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._key_index = lib.TVMObjectTypeKey2Index
        self._key_index.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self._get_attr = module.get_global_func("node.NodeGetAttr")
        self._item = module.get_global_func("runtime.ArrayGetItem")
        self._size = module.get_global_func("runtime.ArraySize")
        self._ffi_string = module.get_global_func("runtime.GetFFIString")
        self._value = (ctypes.c_int64 * 1)()
        self._code = (ctypes.c_int * 1)()
        self._uint = (ctypes.c_uint * 1)()
        self._fields: dict[str, Field] = {}
        self._children: dict[str, Field] = {}
        self._indices: dict[str, int] = {}
        self.type_index: Callable[[int], int] = self._bind_type_index()
        self.array: Callable[[int], list[int]] = self._bind_array()
        self.string: Callable[[int], str] = self._bind_string()
        self.integer: Callable[[int], int] = self.field("value")
        self.printed: Callable[[int], str] = self._bind_printed()

    def dtype(self, address: int) -> str:
        """Return the element type of a tensor type or constant."""
        return self.text("dtype", address)

    @property
    def code(self) -> int:
        """Type code of what the last field read returned."""
        return self._code[0]

    @property
    def real(self) -> float:
        """What the last field read returned, seen as a float."""
        return ctypes.c_double.from_buffer(self._value).value

    def index_of(self, type_key: str) -> int:
        """Return the type index of a type key (``relay.Call``), -1 when TVM has no such type."""
        known = self._indices.get(type_key)
        if known is None:
            failed = self._key_index(type_key.encode(), ctypes.addressof(self._uint))
            known = self._indices[type_key] = -1 if failed else self._uint[0]
        return known

    def field(self, name: str) -> Field:
        """Return a function that reads a field of an object at an address.

        It returns an integer, or an object's address (0 for none) which the caller owns and must
        :attr:`release`; :attr:`code` tells which.
        """
        known = self._fields.get(name)
        if known is None:
            known = self._fields[name] = self._bind_field(name)
        return known

    def child(self, name: str) -> Field:
        """Return a function that reads an object field and gives its address, borrowed."""
        known = self._children.get(name)
        if known is None:
            read, release = self.field(name), self.release

            def borrow(address: int) -> int:
                found = read(address)
                if found:
                    release(found)
                return found

            known = self._children[name] = borrow
        return known

    def text(self, name: str, address: int) -> str:
        """Return a field that holds text, of whichever of TVM's two kinds."""
        found = self.field(name)(address)
        if self.code == OBJECT:
            text = self.string(found)
            self.release(found)
            return text
        return ctypes.string_at(found).decode("utf-8", "replace") if self.code == STR else ""

    def wrap(self, address: int) -> Any:
        """Return the Python object for an address (it keeps the object alive from then on)."""
        cls = self._classes.get(self.type_index(address))
        self._retain(address)
        made = (cls or self.module.Object).__new__(cls or self.module.Object)
        made.handle = ctypes.c_void_p(address)
        # A type that this table doesn't hold gets its Python class from TVM itself.
        return made if cls is not None else self._echo(made)

    def _bind_field(self, name: str) -> Field:
        text = ctypes.create_string_buffer(name.encode())
        values = (ctypes.c_int64 * 2)(0, ctypes.addressof(text))
        codes = (ctypes.c_int * 2)(OBJECT, STR)
        call, function = self.invoke, self._get_attr.handle.value
        at_values, at_codes = ctypes.addressof(values), ctypes.addressof(codes)
        value, code = self._value, self._code
        at_value, at_code = ctypes.addressof(value), ctypes.addressof(code)
        check = self.check

        def read(address: int, _keep: object = (text, codes)) -> int:
            values[0] = address
            if call(function, at_values, at_codes, 2, at_value, at_code):
                check(-1)
            return value[0] if code[0] != NULL else 0

        return read

    def _bind_array(self) -> Callable[[int], list[int]]:
        values = (ctypes.c_int64 * 2)()
        codes = (ctypes.c_int * 2)(OBJECT, INT)
        call, release = self.invoke, self.release
        size, item = self._size.handle.value, self._item.handle.value
        at_values, at_codes = ctypes.addressof(values), ctypes.addressof(codes)
        value, code = self._value, self._code
        at_value, at_code = ctypes.addressof(value), ctypes.addressof(code)
        check = self.check

        def read(address: int, _keep: object = codes) -> list[int]:
            """Return the addresses of an array's elements, borrowed from the array."""
            values[0] = address
            if call(size, at_values, at_codes, 1, at_value, at_code):
                check(-1)
            count = value[0]
            found = []
            for index in range(count):
                values[1] = index
                if call(item, at_values, at_codes, 2, at_value, at_code):
                    check(-1)
                element = value[0] if code[0] != NULL else 0
                found.append(element)
                if element:
                    release(element)
            return found

        return read

    def _bind_type_index(self) -> Callable[[int], int]:
        index = (ctypes.c_uint * 1)()
        at_index = ctypes.addressof(index)
        get = self._type_index

        def read(address: int) -> int:
            get(address, at_index)
            return index[0]

        return read

    def _bind_string(self) -> Callable[[int], str]:
        values = (ctypes.c_int64 * 1)()
        codes = (ctypes.c_int * 1)(OBJECT)
        at_values, at_codes = ctypes.addressof(values), ctypes.addressof(codes)
        at_value, at_code = ctypes.addressof(self._value), ctypes.addressof(self._code)
        call, function, value = self.invoke, self._ffi_string.handle.value, self._value
        string_at = ctypes.string_at
        check = self.check

        def read(address: int, _keep: object = codes) -> str:
            """Return the text of a TVM string object."""
            values[0] = address
            if call(function, at_values, at_codes, 1, at_value, at_code):
                check(-1)
            return string_at(value[0]).decode("utf-8", "replace")

        return read

    def _bind_printed(self) -> Callable[[int], str]:
        values, codes = (ctypes.c_int64 * 1)(), (ctypes.c_int * 1)(OBJECT)
        at_values, at_codes = ctypes.addressof(values), ctypes.addressof(codes)
        value, code = self._value, self._code
        at_value, at_code = ctypes.addressof(value), ctypes.addressof(code)
        show = self.module.get_global_func("relay.ir.PrettyPrint")
        call, function, check = self.invoke, show.handle.value, self.check
        string, release = self.string, self.release

        def read(address: int, _keep: object = (codes, show)) -> str:
            """Return an object as Relay text."""
            values[0] = address
            if call(function, at_values, at_codes, 1, at_value, at_code):
                check(-1)
            found = value[0]
            text = string(found)
            release(found)
            return text

        return read


class _Local(threading.local):
    reader: Reader | None = None


_local = _Local()


def reader() -> Reader:
    """Return this thread's reader (its argument buffers are not to be shared)."""
    if _local.reader is None:
        _local.reader = Reader()
    return _local.reader
