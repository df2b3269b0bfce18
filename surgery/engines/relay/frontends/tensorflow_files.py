"""Reads TensorFlow's files into one form: a frozen graph, its inputs and its outputs."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends.base import Request

#: TensorFlow ships no types that are worth having: these names only say what is meant.
GraphDef: TypeAlias = Any

#: A tensor of more bytes than this is only believed where the file is about as large.
_LARGE = 256 << 20
_CALL = re.compile(r"^((Stateful)?PartitionedCall(_\d+)?/)+(?=.)")
#: Ops that call Python, which a saved graph can't bring along.
PYTHON_OPS = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """An input or output of a frozen graph.

    Attributes:
        name: What the user calls it.
        ref: The tensor: ``node`` of an input, ``node:0`` of an output.
    """

    name: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """A graph in which every variable is a constant.

    Attributes:
        graph: The GraphDef.
        inputs, outputs: Empty where the file doesn't tell: placeholders, and nodes nobody reads.
        signature: The function it was frozen from (kept alive: it owns the variables).
    """

    graph: GraphDef
    inputs: Sequence[Port] = ()
    outputs: Sequence[Port] = ()
    signature: Any = None


def tensorflow() -> Any:
    """Return the ``tensorflow`` package, imported quietly and before TVM.

    Raises:
        SurgeryError: S402 TVM is loaded already, in the way that crashes TensorFlow.
    """
    if "tensorflow" not in sys.modules and "tvm" in sys.modules:
        raise error(
            "S402",
            "TensorFlow can't be imported into a process that runs TVM",
            reason="both bring an LLVM, and crash unless TensorFlow comes first",
            remedy="import tensorflow before the first use of TVM",
        )
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    # oneDNN's kernels round differently from one machine to the next.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    import tensorflow as module

    return module


def is_saved_model(path: Path) -> bool:
    return any((path / f"saved_model.{end}").is_file() for end in ("pb", "pbtxt"))


def folder_of(path: Path) -> Path | None:
    """Return the SavedModel folder that a path stands for, or ``None``: it is a GraphDef."""
    folder = path.parent if path.name in ("saved_model.pb", "saved_model.pbtxt") else path
    return folder if folder.is_dir() and is_saved_model(folder) else None


def looks_like_graph(head: bytes) -> bool:
    """Tell whether a file starts like a GraphDef: a node, which starts with its name and op."""
    text = head.lstrip()
    if text.startswith(b"node {") or text.startswith(b"node{"):
        return True
    place = 0
    if head[:1] != b"\x0a":
        return False
    try:
        _, place = _varint(head, 1)
        if head[place] != 0x0A:
            return False
        length, place = _varint(head, place + 1)
        name = head[place : place + length]
        place += length
        if head[place] != 0x12:
            return False
        length, place = _varint(head, place + 1)
        op = head[place : place + length]
        return bool(name) and name.isascii() and op.decode("ascii").isidentifier()
    except (IndexError, ValueError):
        return False


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
    raise ValueError("a varint of more than 64 bits")


def read(request: Request) -> Frozen:
    """Read and freeze a GraphDef or SavedModel; nothing in it is run.

    Raises:
        SurgeryError: S500-S503 not there or damaged, S542 Python inside, S543 several signatures,
            S544 sizes that can't be.
    """
    folder = folder_of(request.path)
    return _saved_model(folder, request) if folder else Frozen(graph=_graph_def(request.path))


def _graph_def(path: Path) -> GraphDef:
    tensorflow()
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import graph_pb2

    data = path.read_bytes()
    if not data:
        raise error("S501", f"{path} is empty", remedy="write the frozen graph again")
    graph = graph_pb2.GraphDef()
    try:
        if data.lstrip()[:4] == b"node" or path.suffix == ".pbtxt":
            text_format.Parse(data.decode("utf-8"), graph)
        else:
            graph.ParseFromString(data)
    except (DecodeError, text_format.ParseError, UnicodeDecodeError) as failure:
        raise error(
            "S503",
            f"{path} is no whole TensorFlow graph",
            reason=f"TensorFlow stops reading it: {str(failure).splitlines()[0]}",
            remedy="copy or export it again: a frozen GraphDef, or a SavedModel folder",
        ) from failure
    if not graph.node:
        raise error(
            "S502",
            f"{path} holds no TensorFlow graph",
            reason="as a GraphDef it reads, but without a single node",
            remedy="name a frozen GraphDef (graph.as_graph_def().SerializeToString())",
        )
    check_nodes(graph, path, len(data))
    return graph


def check_nodes(graph: GraphDef, path: Path, size: int) -> None:
    """Refuse a graph whose nodes don't hang together, before anything allocates for it.

    Raises:
        SurgeryError: S503 doubled or missing nodes, S544 a constant larger than its file.
    """
    names = [node.name for node in graph.node]
    known = set(names)
    if len(known) < len(names):
        twice = next(n for i, n in enumerate(names) if n in names[:i])
        raise error(
            "S503",
            f"{path}: two nodes are called {twice}",
            reason="nodes are found by their names",
            remedy="export the graph again",
        )
    for node in graph.node:
        if not node.name or not node.op:
            raise error("S503", f"{path}: a node without a name or op", remedy="export it again")
        for ref in node.input:
            if ref.lstrip("^").split(":")[0] not in known:
                raise error(
                    "S503",
                    f"{path}: node {node.name} reads {ref}, which isn't in the graph",
                    reason="the file was cut off, or nodes were taken out",
                    remedy="export it again; extract_sub_graph keeps what the outputs need",
                )
        if node.op == "Const":
            _check_constant(node, path, size)


def _check_constant(node: Any, path: Path, size: int) -> None:
    tf = tensorflow()
    tensor = node.attr["value"].tensor
    elements = 1
    for dim in tensor.tensor_shape.dim:
        if dim.size < 0:
            raise error("S503", f"{path}: constant {node.name} has no fixed shape")
        elements *= int(dim.size)
    with suppress(TypeError):
        width = int(tf.dtypes.as_dtype(tensor.dtype).size)
        if elements * width > max(_LARGE, 16 * size):
            raise error(
                "S544",
                f"{path}: constant {node.name} claims {elements * width:,} bytes",
                reason=f"the whole file has {size:,}",
                remedy="export the graph again; one that fills itself belongs behind a Fill node",
            )


def _saved_model(folder: Path, request: Request) -> Frozen:
    tf = tensorflow()
    from google.protobuf.message import DecodeError
    from tensorflow.python.saved_model import loader_impl

    try:
        # Read as data first: what calls Python is refused before anything is loaded.
        proto = loader_impl.parse_saved_model(str(folder))
        _refuse_python(folder, proto)
        loaded = tf.saved_model.load(str(folder))
    except SurgeryError:
        raise
    except (OSError, ValueError, KeyError, DecodeError, tf.errors.OpError) as failure:
        reason = str(failure).strip().splitlines() or [type(failure).__name__]
        raise error(
            "S503",
            f"{folder} can't be loaded as a SavedModel",
            reason=reason[0],
            remedy="export it again (tf.saved_model.save), and copy the whole folder: "
            "saved_model.pb and variables/",
        ) from failure
    function = _signature(folder, loaded.signatures, request.options)
    return freeze(function, loaded)


def _refuse_python(folder: Path, proto: Any) -> None:
    found: list[str] = []
    for meta in proto.meta_graphs:
        nodes = [*meta.graph_def.node]
        for function in meta.graph_def.library.function:
            nodes.extend(function.node_def)
        found.extend(f"{n.op}: {n.name}" for n in nodes if n.op in PYTHON_OPS)
    if found:
        raise error(
            "S542",
            f"{folder} calls Python",
            reason="py_function keeps its code in the process that made the model",
            remedy="write that part with TensorFlow's ops and export again",
            notes=sorted(set(found)),
        )


def _signature(folder: Path, signatures: Mapping[str, Any], options: Mapping[str, str]) -> Any:
    wanted = options.get("signature")
    names = sorted(n for n in signatures if not n.startswith("__"))
    lines = []
    for name in names:
        given = ", ".join(sorted(signatures[name].structured_input_signature[1]))
        given_back = ", ".join(sorted(signatures[name].structured_outputs))
        lines.append(f"{name}: {given} -> {given_back}")
    if wanted is None:
        if len(names) == 1:
            return signatures[names[0]]
        wanted = "serving_default"
    if wanted in names:
        return signatures[wanted]
    reason = "it has several signatures, none of them serving_default" if names else ""
    raise error(
        "S543",
        f"{folder} has no signature {wanted}",
        reason=reason or "it was saved without signatures: there is no function to convert",
        remedy="say which: the option signature"
        if names
        else "save it with tf.saved_model.save(model, folder, signatures=function)",
        notes=lines,
    )


def freeze(function: Any, owner: Any = None, outputs: Sequence[str] = ()) -> Frozen:
    """Freeze a concrete function; ``outputs`` names what it returns, when it returns a list."""
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    # Conditionals stay single nodes, which can be named to the user; lowered they would be many.
    frozen = convert_variables_to_constants_v2(function, lower_control_flow=False)
    made = function.structured_outputs
    if isinstance(made, dict):
        outputs = sorted(made)
    graph = frozen.graph.as_graph_def()
    short = _uncalled([n.name for n in graph.node], _variables(function))
    for node in graph.node:
        node.name = short[node.name]
        inputs = [_renamed(ref, short) for ref in node.input]
        del node.input[:]
        node.input.extend(inputs)
    refs = [_renamed(t.name, short) for t in frozen.outputs]
    names = list(outputs) if len(outputs) == len(refs) else [plain(r) for r in refs]
    order = [t.name.split(":")[0] for t in frozen.inputs]
    return Frozen(
        graph=graph,
        inputs=[Port(name=n, ref=short[n]) for n in order],
        outputs=[Port(name=n, ref=r) for n, r in zip(names, refs, strict=True)],
        signature=(function, owner),
    )


def _variables(function: Any) -> dict[str, str]:
    """Return the name of each variable by the name of the node that stands for it.

    A SavedModel calls those nodes ``unknown``, ``unknown_0``, in order of their first use.
    """
    captured = list(function.captured_inputs)
    nodes = function.inputs[len(function.inputs) - len(captured) :]
    named = [(v.handle, str(v.name)) for v in function.graph.variables]
    found: dict[str, str] = {}
    for outer, inner in zip(captured, nodes, strict=True):
        for handle, name in named:
            if handle is outer:
                found[inner.name.split(":")[0]] = name.split(":")[0]
    return found


def _uncalled(names: Sequence[str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return names without the calls that they were inlined from, where they stay unique.

    A SavedModel is one call of a function in another: ``StatefulPartitionedCall/model/dense``.
    """
    short = {name: variables.get(name) or _CALL.sub("", name) for name in names}
    counts = Counter(short.values())
    # Back to its own name where it clashes, which may clash with what another is cut down to.
    wanted = {n: s if counts[s] == 1 else n for n, s in short.items()}
    return wanted if len(set(wanted.values())) == len(names) else {n: n for n in names}


def _renamed(ref: str, names: Mapping[str, str]) -> str:
    mark = "^" if ref.startswith("^") else ""
    name, colon, slot = ref.removeprefix("^").partition(":")
    return f"{mark}{names[name]}{colon}{slot}"


def plain(ref: str) -> str:
    """Return a tensor's name without the ``:0`` of a first output."""
    return ref.removesuffix(":0")
