"""Which values an input may take: inputs that end up as indices must stay within what they index.

Random token ids drawn from the whole of ``int32`` would all be out of bounds, and a compiled
``take`` clips or reads beside its table; so made-up inputs need the extents of the tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from surgery.graph import Graph, Module, TensorType

#: A value: the function it is in, and its id.
_Value = tuple[str, int]

#: Ops whose results are values of these operands (a tuple operand: of any of its fields).
_PASSES: Mapping[str, tuple[int, ...]] = dict.fromkeys(
    (
        "annotation.stop_fusion", "broadcast_to", "broadcast_to_like", "cast", "cast_like", "ceil",
        "clip", "collapse_sum_like", "concatenate", "contrib_reverse_reshape", "copy",
        "device_copy", "dyn.broadcast_to", "dyn.expand_dims", "dyn.reshape", "dyn.squeeze",
        "dyn.strided_slice", "dyn.tile", "expand_dims", "floor", "gather",
        "gather_nd", "identity", "layout_transform", "max", "meshgrid", "min", "nn.batch_flatten",
        "repeat", "reshape", "reshape_like", "reverse", "reverse_sequence", "round",
        "slice_like", "sliding_window", "sort", "split", "squeeze", "stack", "strided_slice",
        "take", "tile", "transpose", "trunc",
    ),
    (0,),
) | {
    "where": (1, 2),
    "maximum": (0, 1),
    "minimum": (0, 1),
    "scatter_elements": (0, 2),
    "scatter_nd": (0, 2),
}  # fmt: skip

_INDEXING = {
    "adv_index", "gather", "gather_nd", "one_hot", "scatter", "scatter_add", "scatter_elements",
    "scatter_nd", "take",
}  # fmt: skip


def input_bounds(module: Module) -> dict[str, tuple[int, int]]:
    """Return ``[low, high)`` of every model input whose values are used as indices.

    An input counts when its values reach the indices of ``take``, ``gather``, ``gather_nd``,
    ``one_hot``, ``scatter`` or advanced indexing unchanged (through reshapes, casts, selections,
    function calls and the like). Of several uses the smallest extent holds. Linear in the model:
    uses are followed from the smallest extent up, so the first visit of a value is its bound.
    """
    uses = [
        (extent, (name, operand))
        for name, graph in module.functions.items()
        for extent, operand in _index_uses(graph)
    ]
    uses.sort()
    calls = _call_sites(module)
    locals_ = {name: _local_parameters(graph) for name, graph in module.functions.items()}
    seen = {name: bytearray(len(graph)) for name, graph in module.functions.items()}
    bounds: dict[str, tuple[int, int]] = {}
    for extent, start in uses:
        stack = [start]
        while stack:
            name, id_ = stack.pop()
            if seen[name][id_]:
                continue
            seen[name][id_] = 1
            graph = module.functions[name]
            if name == "main" and graph.kinds[id_] == "input":
                bounds[graph.names[id_] or ""] = (0, extent)
            stack.extend(_sources(module, (name, id_), calls, locals_[name]))
    main = module.main
    return {n: bounds[n] for n in (main.names[p] or "" for p in main.params) if n in bounds}


def _index_uses(graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield ``(extent, operand id)`` for each operand that a call uses as indices."""
    for id_, op in enumerate(graph.ops):
        if op not in _INDEXING or graph.kinds[id_] != "call":
            continue
        operands = graph.operands[id_]
        match op:
            case "take":
                shape, axis = _shape(graph, operands[0]), graph.attrs[id_].get("axis")
                yield from _along(shape, axis, operands[1], flat=axis is None)
            case "gather":
                shape, axis = _shape(graph, operands[0]), graph.attrs[id_].get("axis", 0)
                yield from _along(shape, axis, operands[1])
            case "scatter_elements" | "scatter" | "scatter_add":
                shape, axis = _shape(graph, operands[0]), graph.attrs[id_].get("axis", 0)
                yield from _along(shape, axis, operands[1])
            case "gather_nd" | "scatter_nd":
                yield from _per_row(graph, id_, operands[0], operands[1])
            case "one_hot":
                depth = graph.attrs[id_].get("depth")
                if isinstance(depth, int) and depth > 0:
                    yield depth, operands[0]
            case "adv_index" if graph.kinds[operands[0]] == "tuple":
                data, *indices = graph.operands[operands[0]]
                for axis, index in enumerate(indices):
                    yield from _along(_shape(graph, data), axis, index)
            case _:
                pass


def _shape(graph: Graph, id_: int) -> tuple[int | None, ...]:
    type_ = graph.type_of(graph.resolve(id_))
    if not isinstance(type_, TensorType):
        return ()
    return tuple(d if isinstance(d, int) else None for d in type_.shape)


def _along(
    shape: tuple[int | None, ...], axis: object, operand: int, *, flat: bool = False
) -> Iterator[tuple[int, int]]:
    extent: int | None = None
    if flat:
        static = [d for d in shape if d is not None]
        extent = math.prod(static) if shape and len(static) == len(shape) else None
    elif isinstance(axis, int) and -len(shape) <= axis < len(shape):
        extent = shape[axis]
    if extent:
        yield extent, operand


def _per_row(graph: Graph, id_: int, data: int, indices: int) -> Iterator[tuple[int, int]]:
    """Row ``i`` of the indices is for axis ``batch_dims + i``; one array, so the least holds."""
    shape, rows = _shape(graph, data), _shape(graph, indices)[:1]
    batch = graph.attrs[id_].get("batch_dims", 0)
    if not rows or rows[0] is None or not isinstance(batch, int):
        return
    extents = [d for d in shape[batch : batch + rows[0]] if d]
    if extents:
        yield min(extents), indices


def _call_sites(module: Module) -> dict[str, list[_Value]]:
    """For each ``@function`` the calls of it anywhere."""
    sites: dict[str, list[_Value]] = {}
    for name, graph in module.functions.items():
        for id_, op in enumerate(graph.ops):
            if op.startswith("@") and graph.kinds[id_] == "call":
                sites.setdefault(op[1:], []).append((name, id_))
    return sites


def _local_parameters(graph: Graph) -> dict[int, tuple[int, int]]:
    """For each parameter of a function literal the literal's id and the parameter's place."""
    if len(graph.scope_table) == 1:
        return {}
    found: dict[int, tuple[int, int]] = {}
    counts: dict[int, int] = {}
    for id_, kind in enumerate(graph.kinds):
        if kind == "local":
            owner = graph.scope_table[graph.scopes[id_]].owner
            found[id_] = (owner, counts.get(owner, 0))
            counts[owner] = counts.get(owner, 0) + 1
    return found


def _sources(
    module: Module,
    value: _Value,
    calls: Mapping[str, list[_Value]],
    locals_: Mapping[int, tuple[int, int]],
) -> Iterator[_Value]:
    """Yield the values whose elements a value takes over unchanged."""
    name, id_ = value
    graph = module.functions[name]
    operands = graph.operands[id_]
    match graph.kinds[id_]:
        case "call":
            op = graph.ops[id_]
            if op.startswith("@") and op[1:] in module.functions:
                yield op[1:], module.functions[op[1:]].result
            elif op == "fn":
                yield name, operands[0]
            else:
                for position in _PASSES.get(op, ()):
                    if position < len(operands):
                        yield name, operands[position]
        case "field":
            yield name, graph.resolve(id_).node
        case "tuple" | "let":
            yield from ((name, operand) for operand in operands)
        case "if":
            yield from ((name, operand) for operand in operands[1:])
        case "function":
            yield name, operands[0]
        case "local" if id_ in locals_:
            literal, place = locals_[id_]
            for user in graph.users[literal]:
                if graph.ops[user] == "fn" and graph.operands[user][0] == literal:
                    yield name, graph.operands[user][place + 1]
        case "input" | "param" if name in calls:
            place = graph.params.index(id_)
            for caller, site in calls[name]:
                yield caller, module.functions[caller].operands[site][place]
        case _:
            pass
