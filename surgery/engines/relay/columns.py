"""Types and attributes of Relay objects, by address, as the core's plain values."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from surgery.engines.relay.reader import FLOAT, INT, NULL, OBJECT, STR, Reader
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import UNKNOWN, AttrValue, Dim, OtherType, TensorType, TupleType, ValueType

_Layout = tuple[tuple[str, bool], ...]
#: For each attribute class (by type index) its fields, and whether each is declared a ``bool``.
_layouts: dict[int, _Layout] = {}
#: Types by the text that Relay writes for them.
_types: dict[str, ValueType] = {}


def type_of(read: Reader, address: int) -> ValueType:
    """Return the checked type of the expression at an address."""
    checked = read.child("_checked_type_")(address)
    return convert_type(read, checked) if checked else UNKNOWN


def convert_type(read: Reader, address: int) -> ValueType:
    """Return the type at an address."""
    # To print a type is one call into TVM, to take it apart is several for each dimension.
    text = read.printed(address)
    known = _types.get(text)
    if known is None:
        known = _types[text] = _taken_apart(read, address)
    return known


def _taken_apart(read: Reader, address: int) -> ValueType:
    index = read.type_index(address)
    if index == read.index_of("relay.TensorType"):
        shape = read.array(read.child("shape")(address))
        return TensorType(tuple([_dim(read, d) for d in shape]), read.dtype(address))
    if index == read.index_of("TupleType"):
        fields = read.array(read.child("fields")(address))
        return TupleType(tuple([convert_type(read, f) for f in fields]))
    return OtherType(_as_text(read.wrap(address)))


def _as_text(type_: Any) -> str:
    """Return a type as Relay text writes it."""
    text = str(tvm().relay.astext(type_, False))
    return text.removeprefix('#[version = "0.0.5"]').strip()


def _dim(read: Reader, address: int) -> Dim:
    index = read.type_index(address)
    if index == read.index_of("IntImm"):
        return read.integer(address)
    return "?" if index == read.index_of("tir.Any") else str(read.wrap(address))


def attributes(read: Reader, address: int) -> Mapping[str, AttrValue]:
    """Return the attributes of a call or function at an address, defaults included."""
    owner = read.child("attrs")(address)
    if not owner:
        return {}
    index = read.type_index(owner)
    if index == read.index_of("DictAttrs"):
        return {str(k): plain(v) for k, v in read.wrap(owner).items()}
    layout = _layouts.get(index)
    if layout is None:
        # Not asked of the object: of some kinds TVM has no class in Python.
        infos = tvm().ir._ffi_api.AttrsListFieldInfo(read.wrap(owner))
        layout = _layouts[index] = tuple((str(i.name), _is_bool(i)) for i in infos)
    return {name: _field_value(read, owner, name, flag) for name, flag in layout}


def _is_bool(info: Any) -> bool:
    return str(info.type_info).partition(",")[0] == "bool"


def _field_value(read: Reader, owner: int, name: str, flag: bool) -> AttrValue:
    found = read.field(name)(owner)
    code = read.code
    if code == INT:
        return bool(found) if flag else found
    if code == FLOAT:
        return read.real
    if code == STR:
        return ctypes.string_at(found).decode("utf-8", "replace")
    if code == OBJECT:
        value = _object_value(read, found)
        read.release(found)
        return value
    if code == NULL:
        return None
    return plain(getattr(read.wrap(owner), name))


def _object_value(read: Reader, address: int) -> AttrValue:
    index = read.type_index(address)
    if index == read.index_of("Array"):
        return tuple([_object_value(read, e) if e else None for e in read.array(address)])
    if index == read.index_of("IntImm"):
        if read.text("dtype", address) == "bool":
            return bool(read.field("value")(address))
        return read.field("value")(address)
    if index == read.index_of("runtime.String"):
        return read.string(address)
    return plain(read.wrap(address))


def plain(value: Any) -> AttrValue:
    """Return a TVM value as bools, ints, floats, text, ``None`` and tuples; else its text."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return str(value)
    inner = getattr(type(value), "__name__", "")
    if inner in ("IntImm", "FloatImm", "BoxBool", "BoxInt", "BoxFloat", "StringImm"):
        found = value.value
        if str(getattr(value, "dtype", "")) == "bool" or inner == "BoxBool":
            return bool(found)
        return str(found) if isinstance(found, str) else found
    if inner in ("Array", "list", "tuple"):
        return tuple(plain(v) for v in value)
    if inner in ("Map", "dict"):
        return tuple((plain(k), plain(v)) for k, v in value.items())
    return str(value)


def scalar(read: Reader, address: int) -> AttrValue:
    """Return the value of the 0-d constant at an address (``None`` for any other constant).

    Floats as their own type prints them: 0.1 of float32, not 0.10000000149011612.
    """
    data = read.wrap(address).data
    if len(data.shape):
        return None
    value = data.numpy()
    if data.dtype == "bfloat16":  # numpy has no such type: the upper half of a float32
        import numpy as np

        value = (value.astype(np.uint32) << 16).view(np.float32)
    found: AttrValue = float(str(value[()])) if value.dtype.kind == "f" else value.item()
    return found
