"""A frozen graph made ready for TVM: what is used, its inputs' types, what can't be converted."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import error, nearest
from surgery.engines.relay.frontends.base import Request, check_bound, to_bind
from surgery.engines.relay.frontends.tensorflow_files import (
    PYTHON_OPS,
    Frozen,
    GraphDef,
    Port,
    freeze,
    plain,
    tensorflow,
)
from surgery.graph import TensorType

#: Written by today's TensorFlow for its own gradients; TVM hands them on to Relay's ops.
_FOREIGN = frozenset({"grad_a", "grad_b", "grad_x", "grad_y", "bad_indices_policy"})
_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_LEAVES = frozenset({"Placeholder", "Const"})
_VARIABLES = frozenset(
    {"ReadVariableOp", "ResourceGather", "Variable", "VariableV2", "VarHandleOp"}
)
_CONTROL = frozenset(
    {"While", "StatelessWhile", "If", "StatelessIf", "Case", "StatelessCase"}
    | {"Merge", "Switch", "NextIteration", "Exit", "Enter", "LoopCond"}
)
_INT32 = 3  # DT_INT32
#: Shapes, axes and masks have no more elements than this.
_SHAPES = 64
#: In TVM's table, but converted to other values: the first is only handed through.
_NOT_MEANT = frozenset({"DecodeJpeg", "Dilation2D"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What is converted: nodes in topological order, all of them needed."""

    graph: GraphDef
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    types: Mapping[str, TensorType]
    notes: Sequence[str]


def node_of(ref: str) -> str:
    return ref.lstrip("^").split(":")[0]


def settle(frozen: Frozen, path: Path, outputs: str = "") -> Frozen:
    """Return a graph whose functions are inlined and whose inputs and outputs are known.

    Raises:
        SurgeryError: S502 no outputs, S503 a node TensorFlow refuses, S540 ops it doesn't know.
    """
    graph = frozen.graph
    _known_ops(graph, path)
    if not frozen.outputs:
        ports = _wanted(graph, outputs, path) if outputs else _sinks(graph, path)
        inputs = [Port(name=n.name, ref=n.name) for n in graph.node if n.op == "Placeholder"]
        frozen = Frozen(graph=graph, inputs=inputs, outputs=ports, signature=frozen.signature)
    if any(n.op in _CALLS for n in graph.node):
        inlined = freeze(function_of(frozen), frozen.signature, [p.name for p in frozen.outputs])
        names = {p.ref: p.name for p in frozen.inputs}
        return Frozen(
            graph=inlined.graph,
            inputs=[Port(name=names.get(p.ref, p.name), ref=p.ref) for p in inlined.inputs],
            outputs=inlined.outputs,
            signature=(inlined.signature, frozen.signature),
        )
    return frozen


def function_of(frozen: Frozen) -> Any:
    """Return a frozen graph as a TensorFlow function of its inputs to a list of its outputs."""
    tf = tensorflow()

    def whole() -> None:
        tf.compat.v1.import_graph_def(frozen.graph, name="")

    wrapped = tf.compat.v1.wrap_function(whole, [])
    element = wrapped.graph.as_graph_element
    refs = [p.ref if ":" in p.ref else f"{p.ref}:0" for p in frozen.outputs]
    return wrapped.prune([element(f"{p.ref}:0") for p in frozen.inputs], [element(r) for r in refs])


def _known_ops(graph: GraphDef, path: Path) -> None:
    from tensorflow.python.framework import op_def_registry

    functions = {f.signature.name for f in graph.library.function}
    unknown: dict[str, list[str]] = {}
    for node in graph.node:
        if node.op not in functions and op_def_registry.get(node.op) is None:
            unknown.setdefault(node.op, []).append(node.name)
    if unknown:
        raise error(
            "S540",
            f"{path} has operators that TensorFlow itself doesn't know: {', '.join(unknown)}",
            reason="they come from a library of custom operators, or from another version",
            remedy="export the model without them",
            notes=_by_kind(unknown),
        )


def _sinks(graph: GraphDef, path: Path) -> list[Port]:
    read = {node_of(ref) for node in graph.node for ref in node.input}
    left = _LEAVES | {"NoOp", "Assert", "PlaceholderWithDefault"}
    ends = [n for n in graph.node if n.name not in read and n.op not in left]
    if not ends:
        raise error(
            "S502",
            f"{path} computes nothing",
            reason="no node of the graph is an output: every one is read by another, or a constant",
            remedy="name the outputs: the option outputs",
        )
    counts = _output_counts(graph, path)
    return [
        Port(name=plain(f"{n.name}:{k}"), ref=f"{n.name}:{k}")
        for n in ends
        for k in range(counts[n.name])
    ]


def _wanted(graph: GraphDef, outputs: str, path: Path) -> list[Port]:
    counts = _output_counts(graph, path)
    ports = []
    for ref in (part.strip() for part in outputs.split(",")):
        name, _, slot = ref.partition(":")
        place = int(slot) if slot.isdigit() else 0
        if counts.get(name, 0) <= place:
            raise error(
                "S543",
                f"{path} has no tensor {ref}",
                remedy="outputs are names of nodes, with :1 for a second result",
                notes=nearest(name, counts),
            )
        ports.append(Port(name=plain(f"{name}:{place}"), ref=f"{name}:{place}"))
    return ports


def _output_counts(graph: GraphDef, path: Path) -> dict[str, int]:
    return {op.name: len(op.outputs) for op in _imported(graph, path).get_operations()}


def _imported(graph: GraphDef, path: Path) -> Any:
    """Return the graph as TensorFlow reads it: attributes checked, shapes inferred."""
    tf = tensorflow()
    whole = tf.Graph()
    copy = type(graph)()
    copy.CopyFrom(graph)  # TensorFlow fills in attributes where it reads
    try:
        with whole.as_default():
            tf.compat.v1.import_graph_def(copy, name="")
    except (ValueError, tf.errors.OpError) as failure:
        raise error(
            "S503",
            f"TensorFlow refuses the graph in {path}",
            reason=str(failure).strip().splitlines()[0],
            remedy="export it again; where inputs were bound, check their shapes",
        ) from failure
    return whole


def prepare(frozen: Frozen, request: Request, supported: frozenset[str]) -> Ready:
    """Cut a graph to what its outputs need and give every input its type.

    Raises:
        SurgeryError: S503 damaged, S540 operators without a conversion, S541 inputs without a type.
    """
    graph = _needed(frozen)
    _supported(graph, request.path, supported)
    used = {n.name for n in graph.node}
    inputs = [p for p in frozen.inputs if p.ref in used]
    types = _types(graph, inputs, request, [p.name for p in frozen.inputs])
    if _fold_shapes(graph, request.path):
        graph = _needed(Frozen(graph=graph, outputs=frozen.outputs))
    notes = [
        f"input {p.name} is left out: no output depends on it"
        for p in frozen.inputs
        if p.ref not in used
    ]
    return Ready(graph=graph, inputs=inputs, outputs=frozen.outputs, types=types, notes=notes)


def _needed(frozen: Frozen) -> GraphDef:
    """Return the nodes that outputs need, operands first; order of the file where it is free.

    Control edges only order side effects, of which a frozen graph has none. What a placeholder
    has as its default is what TensorFlow computes with when nobody feeds it.
    """
    from tensorflow.core.framework import graph_pb2

    by_name = {n.name: n for n in frozen.graph.node}
    needed: set[str] = set()
    waiting = [node_of(p.ref) for p in frozen.outputs]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting.extend(node_of(r) for r in by_name[name].input if not r.startswith("^"))
    missing: dict[str, int] = {}
    readers: dict[str, list[str]] = {}
    for name in needed:
        operands = {node_of(r) for r in by_name[name].input if not r.startswith("^")}
        missing[name] = len(operands)
        for operand in operands:
            readers.setdefault(operand, []).append(name)
    place = {n.name: i for i, n in enumerate(frozen.graph.node)}
    ready = deque(sorted((n for n, count in missing.items() if not count), key=place.__getitem__))
    made = graph_pb2.GraphDef()
    made.versions.CopyFrom(frozen.graph.versions)
    made.library.CopyFrom(frozen.graph.library)
    while ready:
        node = made.node.add()
        node.CopyFrom(by_name[ready.popleft()])
        _clean(node)
        for reader in sorted(readers.get(node.name, ()), key=place.__getitem__):
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    # What is in a cycle never gets ready: loops of TensorFlow 1, which the caller refuses by name.
    for name in sorted(needed - {n.name for n in made.node}, key=place.__getitem__):
        made.node.add().CopyFrom(by_name[name])
    return made


def _fold_shapes(graph: GraphDef, path: Path) -> int:
    """Replace what is computed from shapes alone by its value; return how many nodes.

    A graph saved for any batch is full of it. TVM would build and run a module for each to find
    the value; TensorFlow's shape inference has it. Only whole numbers: no weight is touched.
    """
    tf = tensorflow()
    from tensorflow.python.client import pywrap_tf_session

    whole = _imported(graph, path)
    folded = 0
    for node in graph.node:
        outputs = whole.get_operation_by_name(node.name).outputs
        if node.op in _LEAVES or len(outputs) != 1:
            continue
        tensor = outputs[0]
        count = tensor.shape.num_elements()
        if not (tensor.dtype.is_integer or tensor.dtype.is_bool) or not 0 < (count or 0) <= _SHAPES:
            continue
        with whole._c_graph.get() as c_graph:
            value = pywrap_tf_session.TF_TryEvaluateConstant_wrapper(
                c_graph, tensor._as_tf_output()
            )
        if value is None:
            continue
        node.op = "Const"
        del node.input[:]
        for key in list(node.attr):
            del node.attr[key]
        node.attr["dtype"].type = tensor.dtype.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tensor.dtype, tensor.shape))
        folded += 1
    return folded


def _clean(node: Any) -> None:
    kept = [r for r in node.input if not r.startswith("^")]
    del node.input[:]
    node.input.extend(kept)
    for key in [k for k in node.attr if k.startswith("_") or k in _FOREIGN]:
        del node.attr[key]
    if node.op == "TopKV2":
        # Types of the places: 32 bits, as TVM has it, or TVM refuses; and of k.
        for key in ("index_type", "Tk"):
            if key in node.attr and (key == "Tk" or node.attr[key].type == _INT32):
                del node.attr[key]
    if node.op == "PlaceholderWithDefault":
        node.op = "Identity"
        node.attr["T"].CopyFrom(node.attr["dtype"])
        del node.attr["dtype"], node.attr["shape"]


def _supported(graph: GraphDef, path: Path, supported: frozenset[str]) -> None:
    bad: dict[str, list[str]] = {}
    for node in graph.node:
        text = node.op == "Const" and _is_text(node)
        if text or (node.op not in _LEAVES and not _convertible(node.op, supported)):
            bad.setdefault("Const of strings" if text else node.op, []).append(node.name)
    if not bad:
        return
    kinds = set(bad)
    if kinds & _VARIABLES:
        reason = "the graph isn't frozen: its weights are variables, kept in another file"
        remedy = "name the SavedModel folder, or freeze it (convert_variables_to_constants_v2)"
    elif kinds & _CONTROL:
        reason = "loops and conditionals of TensorFlow can't be cut or built as one static graph"
        remedy = "unroll them before exporting"
    else:
        reason = "TVM 0.19 has no conversion for them"
        remedy = "export the model without them"
    ends = _last_good(graph, {name for names in bad.values() for name in names})
    if ends:
        shown = ", ".join(repr(e) for e in ends[:4])
        remedy += (
            ", or only the part before them: "
            f"tf.compat.v1.graph_util.extract_sub_graph(graph_def, [{shown}])"
        )
    raise error(
        "S540",
        f"{path} has operators that can't be converted: {', '.join(sorted(bad))}",
        reason=reason,
        remedy=remedy,
        notes=_by_kind(bad),
    )


def output_shapes(ready: Ready, path: Path) -> list[tuple[int, ...] | None]:
    """Return the shape of each output as TensorFlow infers it; ``None`` where it can't."""
    element = _imported(ready.graph, path).as_graph_element
    shapes = [element(p.ref).shape for p in ready.outputs]
    return [tuple(s.as_list()) if s.is_fully_defined() else None for s in shapes]


def _is_text(node: Any) -> bool:
    return bool(tensorflow().dtypes.as_dtype(node.attr["dtype"].type).name == "string")


def _convertible(op: str, supported: frozenset[str]) -> bool:
    unmeant = op in _NOT_MEANT or op in PYTHON_OPS or op in _CONTROL or op.startswith("TensorArray")
    return op in supported and not unmeant


def _by_kind(kinds: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{op} ({len(names)}): {', '.join(names)}" for op, names in sorted(kinds.items())]


def _last_good(graph: GraphDef, bad: set[str]) -> list[str]:
    """Return the computed nodes before the first ``bad`` ones, which depend on none of them."""
    tainted: set[str] = set()
    for node in graph.node:
        if node.name in bad or any(node_of(r) in tainted for r in node.input):
            tainted.add(node.name)
    op = {n.name: n.op for n in graph.node}
    ends = dict.fromkeys(
        name
        for node in graph.node
        if node.name in tainted
        for name in map(node_of, node.input)
        if name not in tainted and op[name] not in _LEAVES
    )
    return list(ends)


def _types(
    graph: GraphDef, inputs: Sequence[Port], request: Request, known: Sequence[str]
) -> dict[str, TensorType]:
    tf = tensorflow()
    check_bound(request, known)
    by_name = {n.name: n for n in graph.node}
    types: dict[str, TensorType] = {}
    lacking: list[str] = []
    for port in inputs:
        attr = by_name[port.ref].attr
        dtype = str(tf.dtypes.as_dtype(attr["dtype"].type).name)
        proto = attr["shape"].shape
        # One saved without a shape has neither dimensions nor the mark of an unknown rank.
        rankless = proto.unknown_rank or "shape" not in attr
        shape = None if rankless else tuple(int(d.size) for d in proto.dim)
        bound = request.inputs.get(port.name)
        if bound is None:
            if shape is None or any(d < 0 for d in shape):
                dims = "..." if shape is None else ",".join("?" if d < 0 else str(d) for d in shape)
                lacking.append(f"{port.name}: {dtype}({dims})")
                continue
            bound = TensorType(shape, dtype)
        agree(port.name, bound, shape, dtype, request.path)
        del attr["shape"].shape.dim[:]
        attr["shape"].shape.unknown_rank = False
        for extent in bound.shape:
            attr["shape"].shape.dim.add().size = int(extent)
        attr["shape"].shape.SetInParent()
        types[port.ref] = bound
    all_bound(lacking, request.path)
    return types


def all_bound(lacking: Sequence[str], path: Path) -> None:
    """Refuse inputs of open shapes, all at once; ``lacking`` are the lines to fill in."""
    if lacking:
        raise error(
            "S541",
            f"{path} leaves dimensions of its inputs open",
            reason="Relay is built for one shape; what stands as ? below is up to the caller",
            remedy=to_bind(lacking),
        )


def agree(
    name: str, bound: TensorType, shape: tuple[int, ...] | None, dtype: str, path: Path
) -> None:
    """Refuse a bound type that contradicts the file (``-1`` in ``shape``: left open).

    Raises:
        SurgeryError: S541 another dtype, rank or extent.
    """
    fits = shape is None or (
        len(shape) == len(bound.shape)
        and all(d < 0 or d == b for d, b in zip(shape, bound.shape, strict=True))
    )
    if bound.dtype == dtype and fits and bound.is_static:
        return
    dims = "any shape" if shape is None else ",".join("?" if d < 0 else str(d) for d in shape)
    raise error(
        "S541",
        f"{name} can't be {bound}",
        reason=f"{path} has it as {dtype}({dims})",
        remedy="bind only dimensions that the file leaves open (?), to whole numbers",
    )
