"""Regions of a partitioned module: functions of its own, and function literals within one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surgery.doctor.composites import Composite
from surgery.graph import Graph, Module


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """What of a region can be seen from outside.

    Attributes:
        graph: The function that it is, or that holds its literal.
        literal: Id of the literal; ``None`` for a function of its own.
        attrs: Its attributes.
        params: Ids of its parameters, in order.
        result: Id of what it returns.
        scope: The scope of its ops in ``graph``.
    """

    graph: Graph
    literal: int | None
    attrs: Mapping[str, object]
    params: tuple[int, ...]
    result: int
    scope: int

    @property
    def name(self) -> str:
        """Its function's name; of a literal ``FUNCTION:%N``."""
        if self.literal is None:
            return self.graph.function
        label = self.graph.label(self.literal)
        return f"{self.graph.function}:{label.removeprefix(f'@{self.graph.function}:')}"

    @property
    def backend(self) -> str:
        """The value of its ``Compiler``; may be empty."""
        return str(self.attrs["Compiler"])

    @property
    def symbol(self) -> str | None:
        """The name its code is linked under."""
        symbol = self.attrs.get("global_symbol")
        return None if symbol is None else str(symbol)


def function_region(graph: Graph) -> Boundary | None:
    """Return a function as a region; ``None`` for one that no backend compiles."""
    if graph.function_attrs.get("Compiler") is None:
        return None
    return Boundary(
        graph=graph,
        literal=None,
        attrs=graph.function_attrs,
        params=tuple(graph.params),
        result=graph.result,
        scope=0,
    )


def inline_regions(graph: Graph) -> list[Boundary]:
    """Return the function literals of a function that a backend compiles, in id order."""
    literals = [
        id_
        for id_, kind in enumerate(graph.kinds)
        if kind == "function" and graph.attrs[id_].get("Compiler") is not None
    ]
    if not literals:
        return []
    scopes = {s.owner: at for at, s in enumerate(graph.scope_table) if s.kind == "function"}
    params: dict[int, list[int]] = {}
    for id_, kind in enumerate(graph.kinds):
        if kind == "local":
            params.setdefault(graph.scopes[id_], []).append(id_)
    return [
        Boundary(
            graph=graph,
            literal=id_,
            attrs=graph.attrs[id_],
            params=tuple(params.get(scopes[id_], ())),
            result=graph.operands[id_][0],
            scope=scopes[id_],
        )
        for id_ in literals
        if id_ in scopes
    ]


def all_inline(module: Module) -> dict[str, Sequence[Boundary]]:
    """Return the literals that are regions, by the function that holds them."""
    return {name: inline_regions(graph) for name, graph in module.functions.items()}


def by_region(
    regions: Sequence[Boundary], found: Sequence[Composite]
) -> tuple[list[list[Composite]], list[Composite]]:
    """Sort composites of a function into its literals, and the rest of it.

    Returns:
        Those of each region, in the order of ``regions``, and those of none.
    """
    inside: list[list[Composite]] = [[] for _ in regions]
    rest: list[Composite] = []
    by_scope = {region.scope: held for region, held in zip(regions, inside, strict=True)}
    for composite in found:
        scope = composite.scope
        while scope and scope not in by_scope:
            scope = composite.graph.scope_table[scope].parent
        by_scope.get(scope, rest).append(composite)
    return inside, rest
