"""What a search gives: matches, and the sites that nearly are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from surgery.graph import Graph, Ref
from surgery.pattern.program import LeafKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A leaf operand of a match: a kernel argument.

    Attributes:
        node: The node inside the match that reads it: a call, or a tuple literal.
        operand_index: Which of that node's operands it is.
        value: What is read, seen through ``field`` and ``let``. May be a whole tuple where an op
            takes one that isn't a literal.
        kind: What the pattern asks for there.
        name: The capture's name, if it has one.
    """

    node: int
    operand_index: int
    value: Ref
    kind: LeafKind = "any"
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A site where a pattern matches and may be taken out.

    Attributes:
        root: Its result (with field 0 of a batch_norm or dropout, or the field written).
        nodes: Everything inside, in the graph's post-order: calls, and the fields, tuple literals
            and (when asked for) annotations between them.
        ops: The calls in the pattern's order; the last one is the root.
        slots: The leaf operands in kernel order.
        captures: Ids that each named part stands for; a leaf's is its value's.
        notes: Which alternative was chosen, what a repeat took, where a free operand sits.
    """

    root: Ref
    nodes: tuple[int, ...]
    ops: tuple[int, ...]
    slots: tuple[Slot, ...]
    captures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


MissKind = Literal["legality", "alike", "attribute", "between", "shape"]
#: How telling each kind is, most telling first.
MISS_RANK: Final[Mapping[MissKind, int]] = {
    "legality": 0,
    "between": 1,
    "attribute": 2,
    "alike": 3,
    "shape": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A site that nearly matches.

    Attributes:
        node: The last op that fits (for display and order).
        matched: The calls that fit, ascending.
        reason: What doesn't, in one sentence without a full stop.
        kind: ``legality``: all ops are there, but the site can't be taken out; ``alike``: an op
            that does nearly the same; ``attribute``: an attribute, type, field or operand kind;
            ``between``: a ``let``, an annotation or another op stands between; ``shape``: an op
            isn't there.
        distant: Whether it is only the closest there is to a pattern that nothing comes near.
    """

    node: int
    matched: tuple[int, ...]
    reason: str
    kind: MissKind
    distant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of a search: both by id of the last op, near misses most telling first."""

    matches: tuple[Match, ...]
    near_misses: tuple[NearMiss, ...]


#: Attributes that a function literal has when it was taken out of a graph as one piece.
_OUTLINED_ATTRS = ("Composite", "PartitionedFromPattern", "Compiler", "Primitive")


def is_outlined(graph: Graph, node: int) -> bool:
    """Return whether a node lies inside a function literal that an earlier run took out.

    Also true of the literal itself, of calls of it, and of everything in a function that a
    backend compiles.
    """
    if graph.function_attrs.get("Compiler") is not None:
        return True
    if graph.kinds[node] == "call" and graph.ops[node] == "fn":
        callee = graph.operands[node][0]
        if graph.kinds[callee] == "function" and _is_composite(graph, callee):
            return True
    if graph.kinds[node] == "function" and _is_composite(graph, node):
        return True
    scope = graph.scopes[node]
    while scope:
        entry = graph.scope_table[scope]
        if entry.kind == "function" and entry.owner >= 0 and _is_composite(graph, entry.owner):
            return True
        scope = entry.parent
    return False


def outlined(graph: Graph) -> tuple[int, ...]:
    """Return the function literals that an earlier run took out, ascending."""
    return tuple(
        id_
        for id_, kind in enumerate(graph.kinds)
        if kind == "function" and _is_composite(graph, id_)
    )


def _is_composite(graph: Graph, function: int) -> bool:
    attrs = graph.attrs[function]
    return any(attrs.get(name) for name in _OUTLINED_ATTRS)


def tvm_name(graph: Graph, match: Match) -> str:
    """Return TVM's own name of a match's shape: ``reshape_nn.conv2d_add_nn.relu_``."""
    parts: list[str] = []
    fields: set[tuple[int, int]] = set()
    for id_ in match.nodes:
        match graph.kinds[id_]:
            case "tuple":
                parts.append("Tuple_")
            case "field":
                key = (graph.operands[id_][0], graph.fields[id_])
                if key not in fields:
                    fields.add(key)
                    parts.append(f"TupleGetItem{key[1]}_")
            case _:
                parts.append(f"{graph.ops[id_]}_")
    return "".join(parts)
