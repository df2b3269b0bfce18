"""What the operands of a site are to its ops, and which must be constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surgery.graph import Graph
from surgery.graph.ops import is_quantisation, operand_role
from surgery.planning.sites import Site, Slot


def slot_role(graph: Graph, site: Site, slot: Slot) -> str:
    """Return what an operand is to the op that takes it (``weight``), or ''.

    An element of a tuple that the site makes has the role of the tuple, in the singular.
    """
    if graph.kinds[slot.node] != "tuple":
        return operand_role(graph.ops[slot.node], slot.operand)
    for user in graph.users[slot.node]:
        if user in site.nodes and graph.kinds[user] == "call":
            index = list(graph.operands[user]).index(slot.node)
            role = operand_role(graph.ops[user], index)
            return role.removesuffix("s") if is_quantisation(role) else role
    return ""


def quantisation_fault(
    graph: Graph, site: Site, runtime_dependent: Callable[[], Sequence[int]]
) -> str:
    """Return which scale or zero point of a quantised op is no constant, or ''.

    Args:
        runtime_dependent: Gives :func:`surgery.graph.runtime_dependent` of the graph.
    """
    for slot in site.slots:
        role = slot_role(graph, site, slot)
        if not is_quantisation(role) or graph.kinds[slot.value.node] in ("constant", "param"):
            continue
        taker = next(
            (u for u in graph.users[slot.node] if u in site.nodes)
            if graph.kinds[slot.node] == "tuple"
            else iter((slot.node,))
        )
        source = graph.label(slot.value)
        if graph.kinds[slot.value.node] == "input":
            why = f"{source} is an input"
        elif runtime_dependent()[slot.value.node]:
            why = f"{source} is computed at run time"
        else:
            why = f"{source} is computed of constants; `prepare FoldConstant` makes it one"
        return f"{role} of {graph.label(taker)} ({graph.ops[taker]}) is not constant: {why}"
    return ""
