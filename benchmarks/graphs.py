"""Pictures of models without a compiler: what the core works on, made by size."""

from __future__ import annotations

from surgery.graph import Graph, Kind, LazyColumn, Module, TensorType, ValueType

#: Ops in each layer of :func:`layered`: dense, add, relu and the multiplication with the mask.
LAYER_OPS = 4
_CALLS: list[Kind] = ["call"] * LAYER_OPS
_SHAPE = TensorType((1, 16), "float32")
_KERNEL = TensorType((16, 16), "float32")
_BIAS = TensorType((16,), "float32")


def layered(ops: int) -> Module:
    """Return a net of ``ops`` ops (a multiple of 4): dense, add and relu by layers, and a mask.

    Each layer has two weights of its own; the mask, computed once from an input, is used in every
    layer. Source names are ``net/layer_N/dense`` and so on.
    """
    layers = ops // LAYER_OPS
    kinds: list[Kind] = ["input", "input"]
    names_of: list[str | None] = ["x", "mask"]
    operands: list[tuple[int, ...]] = [(), ()]
    for layer in range(layers):
        kinds.extend(("param", "param"))
        names_of += (f"layer_{layer}_kernel", f"layer_{layer}_bias")
        operands += ((), ())
    size = len(kinds)
    op_names = [""] * size
    numbers: list[int | None] = [None] * size
    value = 0
    for layer in range(layers):
        at = len(kinds)
        kinds += _CALLS
        op_names += ("nn.dense", "add", "nn.relu", "multiply")
        operands += (
            (value, 2 + 2 * layer), (at, 3 + 2 * layer), (at + 1,), (at + 2, 1),
        )  # fmt: skip
        name = f"net/layer_{layer}"
        names_of += (f"{name}/dense", f"{name}/add", f"{name}/relu", f"{name}/mask")
        value = at + LAYER_OPS - 1
    numbers.extend(range(layers * LAYER_OPS))
    numbers[-1] = None  # a function's result is printed without a number
    total = len(kinds)

    def type_at(id_: int) -> ValueType:
        if kinds[id_] == "param":
            return _BIAS if id_ % 2 else _KERNEL
        return _SHAPE

    graph = Graph(
        kinds=kinds,
        ops=op_names,
        operands=operands,
        result=value,
        params=range(size),
        types=LazyColumn(total, type_at),
        names=names_of,
        numbers=numbers,
    )
    return Module(functions={"main": graph}, has_source_names=True)
