"""Cuts: which stage computes which op."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from surgery.diagnostics import Diagnostic, SurgeryError, error
from surgery.graph import Graph, Ref, Resolved, ancestors, mark_ancestors, needed, path
from surgery.planning.crossing import COMPUTING
from surgery.source import Span
from surgery.syntax.ast import Cut


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRequest:
    """One place to cut at, its values resolved.

    Attributes:
        text: The statement, or of a chosen place the ``cut after`` that would take it.
        nodes: Ids of the body to cut after, or before.
        span: Where the statement was written.
    """

    text: str
    nodes: tuple[int, ...]
    where: Literal["after", "before"] = "after"
    span: Span | None = None


def request(graph: Graph, cut: Cut, text: str, resolved: Sequence[Resolved]) -> CutRequest:
    """Check what a cut's selector picked.

    Raises:
        SurgeryError: S270 for a value in another function, S271 for one that only exists in a
            branch.
    """
    nodes: list[int] = []
    for value in resolved:
        if value.function != graph.function:
            raise error(
                "S270",
                f"{text}: the value is inside @{value.function}",
                cut.span,
                reason="A stage is a part of @main; a function is called as a whole.",
                remedy=f"cut after a call of @{value.function} in @main instead, or inline it "
                "first with `prepare Inline`",
            )
        node = value.ref.node
        owner = graph.owner(node)
        if owner != node and len(resolved) == 1:
            raise conditional(graph, node, cut.span, "a cut point")
        nodes.append(owner)
    return CutRequest(text=text, nodes=tuple(dict.fromkeys(nodes)), where=cut.where, span=cut.span)


def conditional(graph: Graph, node: int, span: Span | None, what: str) -> SurgeryError:
    """Return the refusal of a value that lives inside a branch or a function literal."""
    scope = graph.scope_table[graph.scopes[node]]
    owner = graph.owner(node)
    if graph.kinds[owner] == "opaque":
        what_it_is = graph.ops[owner] or "construct"
        return error(
            "S271",
            f"{graph.label(node)} is inside a {what_it_is}",
            span,
            reason=f"Surgery does not look into {graph.label(owner)} ({what_it_is}): it can be "
            "moved as a whole only.",
            remedy=f"use {graph.label(owner)}, or import the model with its loops unrolled",
        )
    if scope.kind == "function":
        message = f"{graph.label(node)} is inside a function literal"
        reason = f"It exists once a call of {graph.label(owner)}, not in @main itself."
    else:
        message = f"{graph.label(node)} is conditional"
        reason = (
            f"It is computed only in the `{scope.kind}` branch of {graph.label(scope.owner)}, "
            f"so it can't be {what}."
        )
    return error(
        "S271",
        message,
        span,
        reason=reason,
        remedy=f"use {graph.label(owner)}, which always exists",
    )


def assign(
    graph: Graph, cuts: Sequence[CutRequest], outputs: Iterable[Ref]
) -> tuple[array[int], int]:
    """Give every live computing node its stage.

    Stage ``k`` holds all that cut ``k``'s values depend on and that no earlier stage holds; the
    last stage holds the rest of what the outputs need.

    Returns:
        The stage of each node (-1: leaf, structure, or dead) and the number of stages.

    Raises:
        SurgeryError: S272 when a cut's values are computed before the cut written ahead of it
            (the path is a note); S273 when a stage would be empty.
    """
    size = len(graph)
    stage_of = array("i", [-1]) * size
    live = ancestors(graph, (r.node for r in outputs))
    kinds = graph.kinds
    failures: list[Diagnostic] = []
    # What lies before a cut lies before every later one: each node is visited for one cut only.
    visited = bytearray(size)
    for index, cut in enumerate(cuts):
        fresh = 0
        for id_ in _before(graph, cut, visited):
            if live[id_] and kinds[id_] in COMPUTING:
                stage_of[id_] = index
                fresh += 1
        if not fresh:
            failures.extend(_empty(graph, cuts, index, stage_of, live).diagnostics)
    last = len(cuts)
    rest = 0
    for id_ in range(size):
        if live[id_] and stage_of[id_] < 0 and kinds[id_] in COMPUTING:
            stage_of[id_] = last
            rest += 1
    if cuts and not rest and not failures:
        cut = cuts[-1]
        failures.append(
            Diagnostic(
                code="S273",
                message=f"nothing is left after `{cut.text}`",
                span=cut.span,
                reason="Every output is already computed by the stages before it.",
                remedy="cut earlier, or leave this cut out",
            )
        )
    if failures:
        raise SurgeryError(failures)
    return stage_of, last + 1


def _before(graph: Graph, cut: CutRequest, visited: bytearray) -> list[int]:
    """Return what a cut's stage may hold beyond what is visited, and mark it so."""
    if cut.where == "after":
        return mark_ancestors(graph, cut.nodes, visited)
    # `before` leaves out the chosen values and what depends on them. Ids that could matter lie
    # between the first and the last of them: all that comes before the last has a smaller id.
    last = max(cut.nodes)
    later = set(cut.nodes)
    stack = list(cut.nodes)
    while stack:
        for user in graph.users[stack.pop()]:
            if user <= last and user not in later:
                later.add(user)
                stack.append(user)
    edge: list[int] = []
    inside = set(cut.nodes)
    stack = list(cut.nodes)
    while stack:
        for operand in needed(graph, stack.pop()):
            if operand not in later:
                edge.append(operand)
            elif operand not in inside:
                inside.add(operand)
                stack.append(operand)
    return mark_ancestors(graph, edge, visited)


def _empty(
    graph: Graph,
    cuts: Sequence[CutRequest],
    index: int,
    stage_of: Sequence[int],
    live: bytearray,
) -> SurgeryError:
    """Say why the stage that ends at a cut is empty."""
    cut = cuts[index]
    for earlier in range(index):
        for here in cut.nodes:
            for there in cuts[earlier].nodes:
                found = path(graph, here, there)
                if len(found) > 1:
                    shown = " -> ".join(_brief(graph, found))
                    return error(
                        "S272",
                        f"`{cut.text}` needs a value of a later stage: cuts are in the wrong order",
                        cut.span,
                        reason=f"{graph.label(here)} is computed before {graph.label(there)}, "
                        f"where `{cuts[earlier].text}` cuts.",
                        remedy=f"write `{cut.text}` before `{cuts[earlier].text}`",
                        notes=[f"path: {shown}"],
                    )
    if cut.nodes and not any(live[n] for n in cut.nodes):
        reason = "No output of the model depends on it."
    elif index and all(stage_of[n] >= 0 for n in cut.nodes if graph.kinds[n] in COMPUTING):
        reason = f"All it holds is already in the stage that ends at `{cuts[index - 1].text}`."
    else:
        reason = "Only inputs, weights and constants lie before it; they belong to every stage."
    return error(
        "S273",
        f"the stage that ends at `{cut.text}` would be empty",
        cut.span,
        reason=reason,
        remedy="cut after a value that some op computes, or leave this cut out",
    )


def idle(cut: CutRequest) -> Diagnostic:
    """Return the refusal of a stage that passes nothing on, as others compute it all again."""
    return Diagnostic(
        code="S273",
        message=f"the stage that ends at `{cut.text}` would compute nothing that is used",
        span=cut.span,
        reason="No output of the model is in it, and `share ... by recompute` has the other stages "
        "compute again all that they need of it.",
        remedy="leave this cut out, or have one of its values sent (`share S by transfer`)",
    )


def _brief(graph: Graph, ids: Sequence[int], limit: int = 8) -> list[str]:
    labels = [f"{graph.label(i)} ({graph.ops[i] or graph.kinds[i]})" for i in ids]
    if len(labels) > limit:
        half = limit // 2
        labels = [*labels[:half], f"... {len(labels) - limit} more ...", *labels[-half:]]
    return labels
