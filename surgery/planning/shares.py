"""``share S by ...`` and ``recompute constants``: which values are computed again."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import Graph, Resolved, runtime_dependent
from surgery.planning.crossing import COMPUTING, Division
from surgery.syntax import ast


def recomputed_nodes(
    graph: Graph, statements: Sequence[ast.Statement], resolved: Sequence[Sequence[Resolved]]
) -> frozenset[int]:
    """Return the ids that consumer stages compute again instead of receiving.

    ``recompute constants`` goes first, wherever it stands: a ``share`` statement speaks of single
    values, so it decides for these.

    Args:
        resolved: What the selectors of each statement picked.
    """
    chosen: set[int] = set()
    if any(isinstance(s, ast.Recompute) for s in statements):
        depends = runtime_dependent(graph)
        chosen.update(i for i, k in enumerate(graph.kinds) if k in COMPUTING and not depends[i])
    for statement, picked in zip(statements, resolved, strict=True):
        if isinstance(statement, ast.Share):
            nodes = _nodes(graph, picked)
            if statement.by == "recompute":
                chosen |= nodes
            else:
                chosen -= nodes
    return frozenset(chosen)


def note_idle_shares(
    graph: Graph,
    statements: Sequence[ast.Statement],
    texts: Sequence[str],
    resolved: Sequence[Sequence[Resolved]],
    division: Division,
    found: Collector,
) -> None:
    """Warn of statements that decide nothing: no value of theirs crosses."""
    crossing = {c.ref.node for c in division.crossings}.union(*division.recomputed)
    for statement, text, picked in zip(statements, texts, resolved, strict=True):
        if isinstance(statement, ast.Recompute):
            idle = not any(division.recomputed)
            what = "No value that depends on no runtime input"
        elif isinstance(statement, ast.Share) and picked:
            idle = crossing.isdisjoint(_nodes(graph, picked))
            what = "None of its values"
        else:
            continue
        if idle:
            found.add(
                Diagnostic(
                    code="S298",
                    severity="warning",
                    message=f"`{text}` changes nothing",
                    span=statement.span,
                    reason=f"{what} crosses from one stage to another.",
                    remedy="leave it out, or name a value that the plan lists as crossing",
                )
            )


def _nodes(graph: Graph, resolved: Sequence[Resolved]) -> set[int]:
    """Return the nodes of ``@main`` that a statement picked."""
    mine = (r for r in resolved if r.function == graph.function)
    return {graph.resolve(r.ref.node).node for r in mine}
