"""Makes an ONNX graph ready for TVM's importer, and says what that can't convert."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from surgery.diagnostics import error
from surgery.engines.relay.frontends.base import to_bind
from surgery.engines.relay.frontends.onnx_files import STANDARD, Graph, Model, Node, Tensor, graphs
from surgery.graph import TensorType

#: Whole-number initializers up to this many elements are shapes, axes and masks: constants.
_SMALL = 4096
#: Operators whose inputs after the first are parameters that TVM wants to know: scales of
#: Resize, bounds of Clip, quantisation.
_KNOWN_INPUTS = frozenset(
    {"Resize", "Upsample", "Clip", "Pad", "Dropout", "OneHot", "Range", "QuantizeLinear"}
    | {"DequantizeLinear", "QLinearConv", "QLinearMatMul", "QLinearAdd", "NonMaxSuppression"}
)
#: TVM computes only the first result of these; what the second is.
ONE_RESULT = {"Dropout": "its mask", "MaxPool": "places of the largest"}
_LISTED = 8


def opset(model: Model) -> int:
    """Return the version of ONNX's own operators that a model is written in."""
    versions = [o.version for o in model.opset_import if o.domain in STANDARD]
    return int(versions[0]) if versions else 1


def name_nodes(graph: Graph) -> int:
    """Call each node without a name after its first output, and return how many there were.

    Names of values are unique, and stay when an unrelated node is added.
    """
    count = 0
    for inner in graphs(graph):
        for node in inner.node:
            if not node.name:
                node.name = next((name for name in node.output if name), node.op_type)
                count += 1
    return count


def plain_constants(graph: Graph) -> None:
    """Write the numbers of Constant nodes as tensors, the only form that TVM reads."""
    import numpy as np
    from onnx import helper, numpy_helper

    kinds = {"value_float": "float32", "value_floats": "float32"}
    kinds |= {"value_int": "int64", "value_ints": "int64"}
    for inner in graphs(graph):
        for node in inner.node:
            if node.op_type != "Constant" or node.domain not in STANDARD:
                continue
            for attribute in node.attribute:
                if attribute.name in kinds:
                    value = helper.get_attribute_value(attribute)
                    tensor = numpy_helper.from_array(np.asarray(value, kinds[attribute.name]))
                    attribute.CopyFrom(helper.make_attribute("value", tensor))


def drop_unread_results(graph: Graph) -> None:
    """Take away second results that nobody reads, where TVM computes the first only."""
    for inner in graphs(graph):
        read = {name for node in inner.node for name in reads(node)}
        read |= {value.name for value in inner.output}
        for node in inner.node:
            if node.op_type in ONE_RESULT and not read.intersection(node.output[1:]):
                del node.output[1:]


def lift_weights(graph: Graph) -> None:
    """Make the Constant nodes that hold weights initializers: they become parameters, with names.

    Paddle's exporter, among others, writes all its weights as nodes.
    """
    known = _known_inputs(graph)
    lifted = []
    for node in graph.node:
        if node.op_type != "Constant" or node.domain not in STANDARD:
            continue
        tensor = next((a.t for a in node.attribute if a.name == "value"), None)
        if tensor is None or node.output[0] in known or math.prod(tensor.dims) < 2:
            continue
        if not _is_constant(tensor, False):
            tensor.name = node.output[0]
            lifted.append((node, tensor))
    if lifted:
        gone = {id(node) for node, _ in lifted}
        graph.initializer.extend(tensor for _, tensor in lifted)
        kept = [node for node in graph.node if id(node) not in gone]
        del graph.node[:]
        graph.node.extend(kept)


def _known_inputs(graph: Graph) -> set[str]:
    """Return the values that TVM must know while it converts their readers."""
    return {
        name
        for node in graph.node
        if node.op_type in _KNOWN_INPUTS
        for name in node.input[1:]
        if name
    }


def settle_constants(graph: Graph) -> None:
    """Make the initializers that TVM must know while it converts Constant nodes.

    TVM keeps the others as parameters of ``main``; of shapes, axes and scales it then says that
    "dynamic" ones aren't supported.
    """
    from onnx import helper

    for inner in graphs(graph):
        known = _known_inputs(inner)
        small = [t for t in inner.initializer if _is_constant(t, t.name in known)]
        names = {tensor.name for tensor in small}
        nodes = [
            helper.make_node("Constant", [], [t.name], name=t.name, value=t) for t in small
        ] + list(inner.node)
        kept = [t for t in inner.initializer if t.name not in names]
        given = {t.name for t in inner.initializer}
        inputs = [value for value in inner.input if value.name not in given]
        del inner.initializer[:], inner.node[:], inner.input[:]
        inner.initializer.extend(kept)
        inner.node.extend(nodes)
        # Until IR version 3, initializers were inputs also.
        inner.input.extend(inputs)


def _is_constant(tensor: Tensor, known: bool) -> bool:
    from onnx import TensorProto

    size = math.prod(tensor.dims)
    floats = {
        getattr(TensorProto, name) for name in ("FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16", "STRING")
    }
    return size <= _SMALL and (known or size == 0 or tensor.data_type not in floats)


def input_types(
    graph: Graph, bound: Mapping[str, TensorType], path: Path
) -> Mapping[str, TensorType]:
    """Return the type of each input; what the file leaves open is taken from ``bound``.

    Raises:
        SurgeryError: S535 open dimensions, or a binding that the file contradicts.
    """
    from onnx import helper

    given = {tensor.name for tensor in graph.initializer}
    types: dict[str, TensorType] = {}
    opened: list[str] = []
    for value in graph.input:
        if value.name in given:
            continue
        if not value.type.HasField("tensor_type"):
            raise error(
                "S535",
                f"input {value.name} of {path} is not a tensor",
                reason=f"it is a {value.type.WhichOneof('value')}",
                remedy="export the model with tensors as inputs",
            )
        described = value.type.tensor_type
        dtype = str(helper.tensor_dtype_to_np_dtype(described.elem_type))
        # Paddle's exporter writes -1 for a dimension that is open.
        dims = [
            d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None
            for d in described.shape.dim
        ]
        known = ",".join("?" if d is None else str(d) for d in dims)
        told = f"{dtype}({known})"
        wanted = bound.get(value.name)
        if wanted is None:
            if None in dims or not described.HasField("shape"):
                opened.append(f"{value.name}: {told}")
            types[value.name] = TensorType(
                shape=tuple(d if d is not None else -1 for d in dims), dtype=dtype
            )
            continue
        fits = wanted.dtype == dtype and wanted.is_static
        if described.HasField("shape"):
            fits = fits and len(dims) == len(wanted.shape)
            fits = fits and all(d in (None, w) for d, w in zip(dims, wanted.shape, strict=False))
        if not fits:
            raise error(
                "S535",
                f"input {value.name} of {path} can't be bound to {wanted}",
                reason=f"in the file it is {told}",
                remedy=to_bind([f"{value.name}: {told}"]),
            )
        types[value.name] = wanted
    unknown = sorted(bound.keys() - types.keys())
    if unknown:
        raise error(
            "S535",
            f"{path} has no input {', '.join(unknown)}",
            remedy=f"its inputs: {', '.join(types) or 'none'}",
        )
    if opened:
        raise error(
            "S535",
            f"{path} leaves dimensions of its inputs open",
            reason="TVM needs their sizes to convert it",
            remedy=to_bind(opened),
        )
    return types


def refuse_unsupported(
    graph: Graph, supported: Collection[str], why: Mapping[str, str], path: Path
) -> None:
    """List every node that TVM can't convert, and which part of the model does without them.

    Args:
        graph: The graph.
        supported: Operators that TVM converts.
        why: Reason by name of a node which it would convert wrongly.
        path: Where the graph was read from.

    Raises:
        SurgeryError: S534 there are such nodes.
    """
    kinds: dict[str, list[str]] = defaultdict(list)
    bad: set[str] = set()
    for inner in graphs(graph):
        for node in inner.node:
            if node.domain not in STANDARD:
                kind = f"{node.domain}.{node.op_type}"
            elif node.op_type not in supported:
                kind = node.op_type
            elif node.name in why:
                kind = f"{node.op_type} ({why[node.name]})"
            else:
                continue
            kinds[kind].append(node.name)
            bad.add(node.name)
    if not kinds:
        return
    raise error(
        "S534",
        f"{path} has operators that TVM 0.19 can't convert",
        reason="; ".join(f"{kind}: {_some(names)}" for kind, names in sorted(kinds.items())),
        remedy=_extraction(graph, bad) or "export the model without them",
    )


def _extraction(graph: Graph, bad: set[str]) -> str:
    """Return how to extract the largest part before, or behind, the nodes called ``bad``."""
    nodes = list(graph.node)
    wrong = [node for node in nodes if any(n.name in bad for n in _with_inner(node))]
    if not wrong:
        return ""
    after = _spread(nodes, wrong, reads, _makes)
    before = _spread(nodes[::-1], wrong, _makes, reads)
    prefix = [n for n in nodes if id(n) not in after and n.op_type != "Constant"]
    suffix = [n for n in nodes if id(n) not in before and n.op_type != "Constant"]
    given = {t.name for t in graph.initializer} | {
        name for n in nodes if n.op_type == "Constant" for name in n.output
    }
    declared = [v.name for v in graph.input if v.name not in given]
    ends = [v.name for v in graph.output]
    part, word = (prefix, "before") if len(prefix) >= len(suffix) else (suffix, "behind")
    if not part:
        return ""
    inside = {id(n) for n in part}
    made = {name for n in part for name in n.output if name}
    read_here = list(dict.fromkeys(name for n in part for name in reads(n)))
    inputs = [name for name in read_here if name not in made and name not in given]
    read_there = {name for n in nodes if id(n) not in inside for name in reads(n)}
    outputs = [
        name for n in part for name in n.output if name and (name in read_there or name in ends)
    ]
    if not outputs or (not inputs and declared):
        return ""
    return (
        f"the {len(part)} nodes {word} them can be converted: "
        f"onnx.utils.extract_model('IN', 'OUT', {inputs!r}, {outputs!r})"
    )


def reads(node: Node) -> list[str]:
    """Return the values that a node reads, also those which graphs inside it take from outside."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for outer in [*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs]:
            names += [name for g in graphs(outer) for n in g.node for name in n.input if name]
    return names


def _makes(node: Node) -> list[str]:
    return [name for name in node.output if name]


def _spread(
    nodes: Sequence[Node],
    start: Sequence[Node],
    takes: Callable[[Node], list[str]],
    gives: Callable[[Node], list[str]],
) -> set[int]:
    """Return the ids of ``start`` and of what depends on it, nodes being in order."""
    reached = {id(node) for node in start}
    values = {name for node in start for name in gives(node)}
    for node in nodes:
        if id(node) in reached or not values.isdisjoint(takes(node)):
            reached.add(id(node))
            values.update(gives(node))
    return reached


def _with_inner(node: Node) -> list[Node]:
    found = [node]
    for attribute in node.attribute:
        for outer in [*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs]:
            found += [n for g in graphs(outer) for n in g.node]
    return found


def _some(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
