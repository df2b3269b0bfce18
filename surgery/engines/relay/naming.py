"""Source names that a pass dropped, written back into the module it made."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from surgery.engines.relay.adopt import checked, copied
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import Graph, Ref, inherited_names

if TYPE_CHECKING:
    from surgery.engines.relay.model import Expr, IRModule


def unnamed(graph: Graph) -> int:
    """Return how many ops of a graph have no source name."""
    return sum(
        kind == "call" and not name for kind, name in zip(graph.kinds, graph.names, strict=True)
    )


def _op_names(graph: Graph) -> set[str]:
    return {n for n, kind in zip(graph.names, graph.kinds, strict=True) if n and kind == "call"}


def carried_names(
    before: Graph, before_exprs: Sequence[Expr], after: Graph, after_exprs: Sequence[Expr]
) -> dict[int, str]:
    """Return the names, by id, of ops that had one before a pass and have none after it."""
    if unnamed(after) <= unnamed(before) and _op_names(before) <= _op_names(after):
        return {}
    return inherited_names(before, after, _array_of(before_exprs), _array_of(after_exprs))


def _array_of(exprs: Sequence[Expr]) -> Callable[[int], Hashable]:
    def key(id_: int) -> Hashable:
        # A pass that makes a constant anew still shares its array.
        tensor = exprs[id_].data.handle.contents
        return tensor.data, tensor.byte_offset

    return key


def named_module(
    ir: IRModule, main: Graph, exprs: Sequence[Expr], names: Mapping[int, str], path: str
) -> IRModule:
    """Return a module whose ``main`` has these source names, by id, in the spans of its calls.

    A ``main`` with ``let`` stays as it is: a rebuild would turn it into dataflow.
    """
    if "let" in main.kinds:
        return ir
    from surgery.engines.relay.rebuild import Rebuilder  # it imports TVM

    relay = tvm().relay
    spans = {id_: relay.Span(relay.SourceName(n), 0, 0, 0, 0) for id_, n in names.items()}
    function = ir["main"]
    (body,) = Rebuilder(graph=main, exprs=exprs, spans=spans).values([Ref(main.result)])
    made = copied(ir)
    made["main"] = relay.Function(
        function.params, body, function.ret_type, function.type_params, function.attrs,
        function.span,
    )  # fmt: skip
    return checked(made, path)
