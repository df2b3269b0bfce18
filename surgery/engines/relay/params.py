"""Weights: read from TVM's params format, safetensors or npz, and written back.

A weight is never held twice: files are read and written tensor by tensor.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import Graph, TensorType
from surgery.source import file_sha256

if TYPE_CHECKING:
    from surgery.engines.relay.model import NDArray

#: First eight bytes of a file in TVM's own format (``kTVMNDArrayListMagic``, little-endian).
MAGIC = (0xF7E58D4F05049CB7).to_bytes(8, "little")

#: What each array in such a file begins with (``kTVMNDArrayMagic``).
_ARRAY_MAGIC = 0xDD5E40F096B4A13F

_SAFETENSORS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64",
    "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32",
    "uint64": "U64", "bool": "BOOL",
}  # fmt: skip
#: Names of element types by their code, bits and lanes: TVM takes long to write one.
_dtypes: dict[tuple[int, int, int], str] = {}
#: How many weights that don't fit are told one by one.
_SHOWN = 8
_HOW = "save the weights with tvm.runtime.save_param_dict_to_file, safetensors or numpy.savez"


def read_params(path: str) -> dict[str, NDArray]:
    """Read a weights file, by its content: TVM's format, safetensors or npz.

    Returns:
        TVM arrays by name, in the file's order. bfloat16 stays bfloat16.

    Raises:
        SurgeryError: S500 it can't be read, S501 it is empty, S515 it is no weights file or is
            cut off.
    """
    head = file_head(path, 9)
    if not head:
        raise error(
            "S501", f"the params file {path} is empty", remedy="write it again: it holds no bytes"
        )
    if head.startswith(b"PK"):
        return _read_npz(path)
    if head[8:9] == b"{":
        return _read_safetensors(path)
    if head.startswith(MAGIC[: len(head)]):
        return _read_tvm(path)
    raise error(
        "S515",
        f"{path} is not a params file",
        reason="it is neither TVM's params format, nor safetensors, nor npz",
        remedy=_HOW,
    )


def file_head(path: str, size: int) -> bytes:
    """Return a file's first bytes.

    Raises:
        SurgeryError: S500, with the operating system's reason.
    """
    try:
        with Path(path).open("rb") as file:
            return file.read(size)
    except OSError as failure:
        raise unreadable(path, failure) from failure


def unreadable(path: str, failure: OSError) -> SurgeryError:
    """Return the error for a file that can't be opened or read, naming similar files beside it."""
    place = Path(path)
    remedy = "check the path and its permissions"
    if isinstance(failure, FileNotFoundError):
        folder = place.parent
        beside = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        close = nearest(place.name, beside)
        remedy = "check the path; a relative one is relative to the working folder"
        if close:
            remedy = "did you mean " + " or ".join(str(folder / c) for c in close) + "?"
        elif not folder.is_dir():
            remedy = f"the folder {folder} does not exist"
    return error(
        "S500",
        f"can't read {path}",
        reason=failure.strerror or type(failure).__name__,
        remedy=remedy,
    )


def readable_sha256(path: str) -> str:
    """Return the SHA-256 of a file that the user named.

    Raises:
        SurgeryError: It can't be read.
    """
    try:
        return file_sha256(path)
    except OSError as failure:
        raise unreadable(path, failure) from failure


def _cut_off(path: str, what: str, reason: str) -> SurgeryError:
    return error(
        "S515",
        f"{path} starts like {what} but can't be read to its end",
        reason=reason,
        remedy=f"it is probably cut off: copy it again; or {_HOW}",
    )


def _read_tvm(path: str) -> dict[str, NDArray]:
    try:
        with Path(path).open("rb") as file:
            missing = _missing_bytes(file, Path(path).stat().st_size)
    except OSError as failure:
        raise unreadable(path, failure) from failure
    if missing:
        raise _cut_off(path, "a TVM params file", f"{missing} bytes are missing at its end")
    try:
        loaded = tvm().runtime.load_param_dict_from_file(path)
    except Exception as failure:
        raise _cut_off(path, "a TVM params file", engine_error(failure)) from failure
    return {str(name): array for name, array in loaded.items()}


def _missing_bytes(file: BinaryIO, size: int) -> int:
    """Return by how much a file in TVM's format is too short (at least).

    TVM's own reader takes a file that ends within an array, and leaves the rest of the array's
    memory as it found it. The layout is that of ``SaveParams`` and ``NDArray::Save``.
    """

    def number(width: int = 8) -> int:
        return int.from_bytes(file.read(width), "little")

    file.seek(16)  # magic, reserved
    for _ in range(number()):
        length = number()
        if file.tell() + length > size:
            return file.tell() + length - size
        file.seek(length, os.SEEK_CUR)
    for _ in range(number()):
        file.seek(24, os.SEEK_CUR)  # magic, reserved, device
        rank = number(4)
        file.seek(4 + 8 * rank, os.SEEK_CUR)  # dtype, shape
        file.seek(number(), os.SEEK_CUR)
        if file.tell() > size:
            break
    return max(0, file.tell() - size)


def _read_safetensors(path: str) -> dict[str, NDArray]:
    from safetensors import SafetensorError, safe_open

    dtypes = {code: name for name, code in _SAFETENSORS.items()}
    arrays: dict[str, NDArray] = {}
    try:
        # The library checks the header. It maps the file, so that a tensor taken from it would be
        # in memory twice; the bytes are read to where they belong instead.
        with safe_open(path, framework="numpy") as file, Path(path).open("rb") as raw:
            size = int.from_bytes(raw.read(8), "little")
            header = json.loads(raw.read(size))
            for name in file.keys():  # noqa: SIM118 - not a mapping
                entry = header[name]
                if entry["dtype"] not in dtypes:
                    raise error(
                        "S515",
                        f"{path}: the tensor '{name}' can't be read",
                        reason=f"TVM has no element type {entry['dtype']}",
                        remedy="store it as one of " + ", ".join(_SAFETENSORS),
                    )
                array = tvm().nd.empty(tuple(entry["shape"]), dtypes[entry["dtype"]])
                raw.seek(8 + size + entry["data_offsets"][0])
                raw.readinto(_memory(array))
                arrays[name] = array
    except SafetensorError as failure:
        raise _cut_off(path, "a safetensors file", str(failure)) from failure
    except OSError as failure:
        raise unreadable(path, failure) from failure
    return arrays


def _read_npz(path: str) -> dict[str, NDArray]:
    import numpy as np

    name = ""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {}
            for name in file.files:
                arrays[name] = tvm().nd.array(file[name])
            return arrays
    except (OSError, zipfile.BadZipFile, EOFError, zipfile.LargeZipFile) as failure:
        raise _cut_off(path, "an npz file", str(failure)) from failure
    except (TypeError, ValueError, RuntimeError) as failure:
        raise error(
            "S515",
            f"{path}: the array '{name}' can't be read",
            reason=engine_error(failure),
            remedy="store plain numeric arrays: numpy.savez(path, **{name: array})",
        ) from failure


def check_params(graph: Graph, params: Mapping[str, NDArray], path: str) -> dict[str, NDArray]:
    """Compare weights with the types of the parameters of the model they are for.

    Args:
        graph: The model's ``main``.
        params: The weights read.
        path: The weights file, for messages.

    Returns:
        The weights the model has, in the model's order.

    Raises:
        SurgeryError: S510, a finding for each weight of another shape or dtype (the first few).
    """
    ids = {str(graph.names[i]): i for i in graph.params}
    faults: list[SurgeryError] = []
    kept: dict[str, NDArray] = {}
    for name, id_ in ids.items():
        array = params.get(name)
        if array is None:
            continue
        kept[name] = array
        type_ = graph.types[id_]
        given = _array_type(array)
        if isinstance(type_, TensorType) and not _fits(type_, given):
            faults.append(_mismatch(path, name, type_, given))
    if faults:
        shown = [d for fault in faults[:_SHOWN] for d in fault.diagnostics]
        if len(faults) > _SHOWN:
            more = f"{len(faults) - _SHOWN} more weights don't fit either"
            shown[-1] = replace(shown[-1], notes=(*shown[-1].notes, more))
        raise SurgeryError(shown)
    return kept


def _array_type(array: NDArray) -> TensorType:
    raw = array.handle.contents
    code = raw.dtype
    key = (code.type_code, code.bits, code.lanes)
    if key not in _dtypes:
        _dtypes[key] = str(array.dtype)
    return TensorType(tuple([raw.shape[i] for i in range(raw.ndim)]), _dtypes[key])


def _fits(type_: TensorType, given: TensorType) -> bool:
    return (
        type_.dtype == given.dtype
        and len(type_.shape) == len(given.shape)
        and all(
            not isinstance(a, int) or a == b for a, b in zip(type_.shape, given.shape, strict=True)
        )
    )


def _mismatch(path: str, name: str, type_: TensorType, given: TensorType) -> SurgeryError:
    what = "dtype" if type_.dtype != given.dtype else "shape"
    return error(
        "S510",
        f"{path}: the weight '{name}' is {given}, but the model needs {type_}",
        reason=f"the {what} differs: these weights belong to another model, or were converted",
        remedy="give the params file that was saved together with this model",
    )


def original_name(text_name: str, known: Mapping[str, Any]) -> str:
    """Return what a variable was called before TVM printed it.

    TVM puts a ``v`` before what doesn't begin with a letter: ``_x`` is printed as ``v_x`` and
    ``1x`` as ``v1x``. Only the weights' own names tell such a name from one that has a ``v``.
    """
    rest = text_name[1:]
    first = rest[:1]
    printed = text_name[:1] == "v" and first and not (first.isascii() and first.isalpha())
    return rest if printed and text_name not in known and rest in known else text_name


def write_params(path: str | Path, params: Mapping[str, NDArray]) -> None:
    """Write weights in TVM's params format, straight from their own memory, in the given order.

    TVM's own writer takes five times as long, and orders many weights by their addresses. The
    layout is that of ``SaveParams`` and ``SaveDLTensor``.

    Raises:
        SurgeryError: S514 it can't be written.
    """
    names = [name.encode() for name in params]
    head = MAGIC + bytes(8) + len(names).to_bytes(8, "little")
    head += b"".join(len(name).to_bytes(8, "little") + name for name in names)
    head += len(names).to_bytes(8, "little")
    try:
        with Path(path).open("wb") as file:
            file.write(head)
            for array in params.values():
                memory = _memory(array)
                file.write(_array_head(array, len(memory)))
                file.write(memory)
    except OSError as failure:
        raise _unwritable(path, failure) from failure


def _array_head(array: NDArray, size: int) -> bytes:
    raw = array.handle.contents
    rank, type_ = raw.ndim, raw.dtype
    return struct.pack(
        f"<QQiiiBBH{rank}qq",
        _ARRAY_MAGIC, 0, 1, 0, rank, type_.type_code, type_.bits, type_.lanes,  # device: CPU 0
        *(raw.shape[i] for i in range(rank)), size,
    )  # fmt: skip


def write_safetensors(path: str | Path, params: Mapping[str, NDArray]) -> None:
    """Write weights as safetensors, straight from their own memory.

    Raises:
        SurgeryError: S514 it can't be written, or has a dtype that safetensors doesn't know.
    """
    header: dict[str, object] = {}
    end = 0
    for name, array in params.items():
        dtype = _SAFETENSORS.get(str(array.dtype))
        if dtype is None:
            raise error(
                "S514",
                f"'{name}' is {array.dtype}, which safetensors does not have",
                remedy="write TVM's params format instead",
            )
        start, end = end, end + _nbytes(array)
        shape = [int(d) for d in array.shape]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    try:
        with Path(path).open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for array in params.values():
                file.write(_memory(array))
    except OSError as failure:
        raise _unwritable(path, failure) from failure


def _unwritable(path: str | Path, failure: OSError) -> SurgeryError:
    return error(
        "S514",
        f"can't write {path}",
        reason=failure.strerror or type(failure).__name__,
        remedy="check the folder, its permissions and the space left",
    )


def _nbytes(array: NDArray) -> int:
    return TensorType(tuple(int(d) for d in array.shape), str(array.dtype)).nbytes or 0


def _memory(array: NDArray) -> ctypes.Array[ctypes.c_uint8]:
    """Return an array's own bytes, not a copy (it must be in the CPU's memory, contiguous)."""
    raw = array.handle.contents
    address = (raw.data or 0) + raw.byte_offset
    return (ctypes.c_uint8 * _nbytes(array)).from_address(address)
