"""Reads ONNX files: what they declare is checked before anything of that size is allocated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from surgery.diagnostics import SurgeryError, error

#: Protobuf messages, typed loosely: the types that ``onnx`` ships depend on its version.
Model: TypeAlias = Any
Graph: TypeAlias = Any
Node: TypeAlias = Any
Tensor: TypeAlias = Any

#: Domains of the operators that ONNX itself defines.
STANDARD = ("", "ai.onnx")
#: Bits of an element by ONNX's number of its type, where two or more share a byte.
_PACKED = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}


def read(path: Path, *, weights: bool = True) -> Model:
    """Return the model, with its functions inlined.

    Args:
        path: The file.
        weights: Whether external data is read too.

    Raises:
        SurgeryError: S500 can't be read, S503 damaged, or sizes that the file can't hold.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load(str(path), load_external_data=False)
    except OSError as failure:
        raise error(
            "S500", f"cannot read {path}", reason=failure.strerror or str(failure)
        ) from failure
    except (DecodeError, ValueError, RuntimeError) as failure:
        raise damaged(path, str(failure)) from failure
    if not model.graph.output:
        raise damaged(path, "there is no graph with outputs in it")
    for tensor in tensors(model.graph):
        _check_size(tensor, path)
    if model.functions:
        from onnx import inliner

        model = inliner.inline_local_functions(model)
    if weights:
        load_weights(model, path)
    return model


def load_weights(model: Model, path: Path, limit: int | None = None) -> None:
    """Read the external data into a model.

    Args:
        model: The model, read from ``path``.
        path: Its file.
        limit: Tensors of more bytes stay where they are.

    Raises:
        SurgeryError: S503 it isn't where the model says.
    """
    from onnx.external_data_helper import load_external_data_for_tensor

    for tensor in tensors(model.graph):
        if is_external(tensor) and (limit is None or byte_size(tensor) <= limit):
            try:
                load_external_data_for_tensor(tensor, str(path.parent))
            except Exception as failure:  # the checker's own kinds, OSError, ValueError
                raise damaged(path, f"{tensor.name}: {failure}") from failure
            # 0 is "inside the message": without it, readers look for the file again.
            tensor.data_location = 0
            del tensor.external_data[:]


def damaged(path: Path, reason: str) -> SurgeryError:
    """Return the error about a file that can't be what it says."""
    return error(
        "S503",
        f"{path} is a damaged ONNX model",
        reason=reason.strip().splitlines()[0] if reason.strip() else "it can't be decoded",
        remedy="fetch or export the file again, with its external data beside it",
    )


def graphs(graph: Graph) -> Iterator[Graph]:
    """Yield a graph and the graphs inside its nodes (If, Loop, Scan)."""
    waiting = [graph]
    while waiting:
        current = waiting.pop()
        yield current
        for node in current.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    waiting.append(attribute.g)
                waiting.extend(attribute.graphs)


def tensors(graph: Graph) -> Iterator[Tensor]:
    """Yield the weights and constants of a graph and of those inside it."""
    for inner in graphs(graph):
        yield from inner.initializer
        for node in inner.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                yield from attribute.tensors


def byte_size(tensor: Tensor) -> int:
    """Return how many bytes a tensor's shape and type say it has."""
    from onnx import TensorProto, helper

    bits = _PACKED.get(TensorProto.DataType.Name(tensor.data_type))
    if bits is None:
        bits = 8 * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    return int(math.prod(tensor.dims) * bits + 7) // 8


def is_external(tensor: Tensor) -> bool:
    """Tell whether a tensor's bytes stand in another file."""
    return bool(tensor.data_location == 1)


def external_files(path: Path) -> Sequence[Path]:
    """Return the files of external data, in order of name."""
    model = read(path, weights=False)
    names = {
        entry.value
        for tensor in tensors(model.graph)
        if is_external(tensor)
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return [path.parent / name for name in sorted(names)]


def _check_size(tensor: Tensor, path: Path) -> None:
    """Refuse a tensor whose bytes aren't as many as its shape says.

    A few bytes can declare terabytes, which readers would allocate first.
    """
    from onnx import TensorProto, helper

    if tensor.data_type == TensorProto.STRING:
        return
    if any(dim < 0 for dim in tensor.dims):
        raise damaged(path, f"{tensor.name} has the shape {list(tensor.dims)}")
    try:
        name = TensorProto.DataType.Name(tensor.data_type)
        size = byte_size(tensor)
    except (KeyError, ValueError) as failure:
        raise damaged(path, f"{tensor.name} is of unknown type {tensor.data_type}") from failure
    if is_external(tensor):
        _check_external(tensor, path, size)
    elif tensor.HasField("raw_data"):
        if len(tensor.raw_data) != size:
            raise damaged(
                path,
                f"{tensor.name} declares {size} bytes as {list(tensor.dims)}, "
                f"and has {len(tensor.raw_data)}",
            )
    else:
        field = helper.tensor_dtype_to_field(tensor.data_type)
        held = len(getattr(tensor, field))
        count = math.prod(tensor.dims)
        # Complex numbers are two entries each; packed elements share one.
        expected = {count, 2 * count} if "COMPLEX" in name else {count, size}
        if held not in expected:
            raise damaged(
                path, f"{tensor.name} declares {count} elements as {list(tensor.dims)}, has {held}"
            )


def _check_external(tensor: Tensor, path: Path, size: int) -> None:
    told = {entry.key: entry.value for entry in tensor.external_data}
    folder = path.parent.resolve()
    file = (folder / told.get("location", "")).resolve()
    if not file.is_relative_to(folder):
        raise damaged(path, f"{tensor.name} lies outside its folder: {told.get('location')}")
    if not file.is_file():
        raise damaged(path, f"{tensor.name} lies in {told.get('location')!r}, which isn't there")
    try:
        offset = int(told.get("offset", 0))
        length = int(told.get("length", size))
    except ValueError as failure:
        raise damaged(path, f"{tensor.name}: {failure}") from failure
    if offset < 0 or length != size or offset + length > file.stat().st_size:
        raise damaged(
            path,
            f"{tensor.name} declares {size} bytes as {list(tensor.dims)}; {file.name} has "
            f"{file.stat().st_size} bytes, and it reads {length} from {offset} on",
        )
