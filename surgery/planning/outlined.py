"""What earlier passes have taken out of a model already, as an offload statement sees it."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.graph import Graph, Module
from surgery.pattern import Program, is_outlined, outlined
from surgery.planning.sites import OffloadRequest


def already_outlined(module: Module, request: OffloadRequest) -> int:
    """Count the composites in a model that the statement would have made.

    They are the backend's own, or no backend's (``PartitionedFromPattern`` alone), and hold what
    the statement asks for: the selected ops, or ops that its pattern could have taken. How the ops
    hang together isn't looked at again.
    """
    selected = {(value.function, value.ref.node) for value in request.resolved}
    count = 0
    for name, graph in module.functions.items():
        literals = [n for n in outlined(graph) if _belongs(graph, n, request.backend)]
        if not literals:
            continue
        held = _calls(graph, literals)
        for literal in literals:
            inside = held[literal]
            if request.resolved:
                taken = any((name, node) in selected for node in (literal, *inside))
                taken |= any((name, user) in selected for user in graph.users[literal])
            elif request.pattern is not None:
                ops = [graph.ops[node] for node in inside]
                taken = any(_could_take(program, ops) for program in request.pattern.programs)
            else:
                taken = True
            count += taken
    return count


def _belongs(graph: Graph, literal: int, backend: str) -> bool:
    attrs = graph.attrs[literal]
    composite = attrs.get("Composite")
    if composite is None:
        return bool(attrs.get("PartitionedFromPattern"))
    return isinstance(composite, str) and composite.startswith(f"{backend}.")


def _calls(graph: Graph, literals: Sequence[int]) -> dict[int, list[int]]:
    """Return the calls directly inside each function literal."""
    found: dict[int, list[int]] = {literal: [] for literal in literals}
    table = graph.scope_table
    for node, kind in enumerate(graph.kinds):
        scope = graph.scopes[node]
        if kind == "call" and scope and table[scope].kind == "function":
            mine = found.get(table[scope].owner)
            if mine is not None:
                mine.append(node)
    return found


def _could_take(program: Program, ops: Sequence[str]) -> bool:
    """Return whether each op can be an element, and each element that must be there an op."""
    needed = [e for e in program.elements if e.skip is None]
    return (
        len(needed) <= len(ops)
        and all(any(c.takes(op) for e in program.elements for c in e.choices) for op in ops)
        and all(any(c.takes(op) for op in ops for c in e.choices) for e in needed)
    )


def open_ops(module: Module) -> frozenset[str]:
    """Return the kinds of ops outside of everything that earlier passes took out or fused."""
    found: set[str] = set()
    for graph in module.functions.values():
        if graph.function_attrs.get("Compiler") is not None:
            continue
        hides = bool(outlined(graph))
        found.update(
            op
            for node, op in enumerate(graph.ops)
            if op and op not in found and not (hides and is_outlined(graph, node))
        )
    return frozenset(found)
