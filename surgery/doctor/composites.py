"""Composites of a partitioned module: function literals that stand for one kernel of a backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surgery.graph import Graph

#: What MergeComposite writes on the function literals it makes.
_MARKS = ("Composite", "PartitionedFromPattern")


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """One call of a composite.

    Attributes:
        graph: The function it is in.
        literal: Id of the function literal.
        call: Id of the call.
        params: Ids of the literal's parameters, in order.
        arguments: Ids of what it is called with, in order.
        scope: The literal's scope in ``graph``.
    """

    graph: Graph
    literal: int
    call: int
    params: tuple[int, ...]
    arguments: tuple[int, ...]
    scope: int

    @property
    def name(self) -> str:
        """The value of its ``Composite`` attribute, ``''`` when it has none."""
        return str(self.graph.attrs[self.literal].get("Composite") or "")

    @property
    def shape(self) -> str:
        """The value of its ``PartitionedFromPattern`` attribute, ``''`` when it has none."""
        return str(self.graph.attrs[self.literal].get("PartitionedFromPattern") or "")

    @property
    def title(self) -> str:
        """What to call it in a message."""
        number = self.graph.numbers[self.literal]
        shown = "" if number is None else f" (%{number})"
        return f"composite {self.name or self.shape}{shown}"

    @property
    def result(self) -> int:
        """Id of what the literal returns."""
        return self.graph.operands[self.literal][0]


def composites(graph: Graph) -> list[Composite]:
    """Return every call of a composite in a function, in id order."""
    literals = {
        id_
        for id_, kind in enumerate(graph.kinds)
        if kind == "function" and any(graph.attrs[id_].get(mark) for mark in _MARKS)
    }
    if not literals:
        return []
    scopes = {
        entry.owner: index
        for index, entry in enumerate(graph.scope_table)
        if entry.kind == "function" and entry.owner in literals
    }
    params: dict[int, list[int]] = {scope: [] for scope in scopes.values()}
    for id_, kind in enumerate(graph.kinds):
        if kind == "local" and graph.scopes[id_] in params:
            params[graph.scopes[id_]].append(id_)
    found: list[Composite] = []
    for id_, kind in enumerate(graph.kinds):
        if kind != "call" or graph.ops[id_] != "fn":
            continue
        callee, *arguments = graph.operands[id_]
        literal = graph.resolve(callee).node
        if literal in literals:
            scope = scopes.get(literal, 0)
            found.append(
                Composite(
                    graph=graph,
                    literal=literal,
                    call=id_,
                    params=tuple(params.get(scope, ())),
                    arguments=tuple(arguments),
                    scope=scope,
                )
            )
    return found


def bodies(found: Sequence[Composite]) -> dict[int, Graph | None]:
    """Return the inside of each composite as a graph of its own, by id of its literal.

    ``None`` for a body that holds branches or further function literals. All composites are of
    one function; its nodes are looked through once.
    """
    if not found:
        return {}
    graph = found[0].graph
    by_scope: dict[int, list[int]] = {c.scope: [] for c in found if c.scope}
    for id_, scope in enumerate(graph.scopes):
        if scope in by_scope:
            by_scope[scope].append(id_)
    nested = {entry.parent for entry in graph.scope_table[1:]}
    return {
        c.literal: None if c.scope in nested or not c.scope else _body(c, by_scope[c.scope])
        for c in found
    }


def _body(composite: Composite, inside: Sequence[int]) -> Graph:
    graph = composite.graph
    # What the body takes from around it (a constant) becomes a leaf of the graph.
    outside = {o for i in inside for o in graph.operands[i]} - set(inside)
    outside |= {composite.result} - set(inside)
    ids = sorted({*inside, *outside})
    new = {old: at for at, old in enumerate(ids)}
    kinds = [
        graph.kinds[i]
        if i not in outside and graph.kinds[i] != "local"
        else ("constant" if graph.kinds[i] in ("constant", "param") else "input")
        for i in ids
    ]
    return Graph(
        kinds=kinds,
        ops=[graph.ops[i] for i in ids],
        operands=[() if i in outside else tuple(new[o] for o in graph.operands[i]) for i in ids],
        result=new[composite.result],
        params=[new[p] for p in composite.params],
        types=[graph.types[i] for i in ids],
        attrs=[graph.attrs[i] for i in ids],
        fields={new[i]: graph.fields[i] for i in ids if i in graph.fields},
    )


def ops_in_order(body: Graph) -> list[int]:
    """Return the calls of a composite's body, operands first."""
    return [i for i, kind in enumerate(body.kinds) if kind == "call"]


def post_order(body: Graph) -> list[int]:
    """Return the calls that a body's result needs as TVM visits them: operands in their order."""
    found: list[int] = []
    seen: set[int] = set()
    stack = [(body.result, False)]
    while stack:
        id_, left = stack.pop()
        if left:
            if body.kinds[id_] == "call":
                found.append(id_)
        elif id_ not in seen:
            seen.add(id_)
            stack.append((id_, True))
            stack += [(o, False) for o in reversed(body.operands[id_])]
    return found


def argument_label(graph: Graph, id_: int, moving: bytearray) -> str:
    """Return what a composite is called with, as a message says it.

    Args:
        moving: :func:`surgery.graph.runtime_dependent` of the region.
    """
    ref = graph.resolve(id_)
    if graph.kinds[ref.node] == "constant":
        return "a constant"
    own = graph.label(ref).removeprefix(f"@{graph.function}:")
    return own if moving[ref.node] else f"{own}, which depends on no input"
