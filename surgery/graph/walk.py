"""Reachability over a graph: scans in id order and explicit stacks, no recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from surgery.graph.graph import Graph, Ref
from surgery.graph.ops import FIELD0_OPS

#: Kinds that compute nothing: they arrange or name what others compute.
STRUCTURAL = frozenset({"tuple", "field", "let"})


def ancestors(graph: Graph, ids: Iterable[int]) -> bytearray:
    """Mark ``ids`` and everything they depend on (one byte a node, 1 = marked).

    A field of a tuple literal depends on that field only, not on the others.
    """
    marked = bytearray(len(graph))
    mark_ancestors(graph, ids, marked)
    return marked


def mark_ancestors(graph: Graph, ids: Iterable[int], marked: bytearray) -> list[int]:
    """Mark ``ids`` and what they depend on, but for what is marked and what lies before that.

    Returns:
        The ids newly marked, in no order. Growing one set by many calls is linear in its size.
    """
    found: list[int] = []
    for id_ in ids:
        if not marked[id_]:
            marked[id_] = 1
            found.append(id_)
    for id_ in found:  # grows while it is walked
        for operand in needed(graph, id_):
            if not marked[operand]:
                marked[operand] = 1
                found.append(operand)
    return found


def needed(graph: Graph, id_: int) -> tuple[int, ...]:
    """Return what a node's value depends on: its operands; of a tuple literal the field taken."""
    operands, kinds = graph.operands[id_], graph.kinds
    if kinds[id_] == "field" and kinds[operands[0]] in ("tuple", "field", "let"):
        return (graph.resolve(id_).node,)
    return operands


def is_meant(graph: Graph, ref: Ref) -> bool:
    """Whether somebody uses a tensor: not the statistics that a ``batch_norm`` also returns.

    Reading those would keep the compiler from simplifying the op, which some builds need.
    """
    return (
        graph.ops[ref.node] not in FIELD0_OPS
        or ref.path in ((), (0,))
        or ref in graph.field_nodes
        or ref in graph.outputs
    )


def descendants(graph: Graph, ids: Iterable[int]) -> bytearray:
    """Mark ``ids`` and everything that depends on them (one byte a node, 1 = marked)."""
    marked = bytearray(len(graph))
    stack = list(ids)
    users = graph.users
    for id_ in stack:
        marked[id_] = 1
    while stack:
        for user in users[stack.pop()]:
            if not marked[user]:
                marked[user] = 1
                stack.append(user)
    return marked


def path(graph: Graph, start: int, end: int, avoid: Iterable[int] = ()) -> list[int]:
    """Return a shortest chain of ids from ``start`` to ``end`` along uses; ``[]`` if there is none.

    Args:
        avoid: Ids that the inside of the path must not visit.
    """
    came: dict[int, int] = {start: -1}
    blocked = set(avoid) - {end}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        if at == end:
            found = [at]
            while came[found[-1]] >= 0:
                found.append(came[found[-1]])
            return found[::-1]
        if at in blocked and at != start:
            continue
        for user in graph.users[at]:
            if user not in came:
                came[user] = at
                queue.append(user)
    return []


def leaving_path(graph: Graph, region: set[int]) -> list[int]:
    """Return a path that leaves a region and comes back (so it isn't convex), or ``[]``.

    Tuples, fields and lets are seen through: what takes a field of a tuple literal depends on what
    was put there, not on the rest. Linear: one forward scan over ids between the region's first
    and last node.
    """
    if not region:
        return []
    last = max(region)
    kinds = graph.kinds
    came: dict[int, int] = {}
    for id_ in range(min(region) + 1, last + 1):
        if kinds[id_] in STRUCTURAL:
            continue
        inside = id_ in region
        for node in reads(graph, id_):
            if node in came:
                if inside:
                    found = [id_, node]
                    while found[-1] not in region:
                        found.append(came[found[-1]])
                    return found[::-1]
                came[id_] = node
                break
            if node in region and not inside:
                came[id_] = node
                break
    return []


def reads(graph: Graph, node: int) -> Iterator[int]:
    """Yield the nodes that compute what a node reads; tuples, fields and lets are seen through."""
    for operand in graph.operands[node]:
        if graph.kinds[operand] in STRUCTURAL:
            yield from (leaf.node for leaf in graph.leaves(Ref(operand)))
        else:
            yield operand


def runtime_dependent(graph: Graph, also: Collection[int] = ()) -> bytearray:
    """Mark every node that depends on a runtime input of its function.

    A function literal's own parameters don't count: what its calls depend on are their arguments.

    Args:
        graph: The function.
        also: Nodes that count as inputs too, such as parameters of a literal that is a region.
    """
    marked = bytearray(len(graph))
    kinds = graph.kinds
    for id_, operands in enumerate(graph.operands):
        if kinds[id_] == "input" or id_ in also:
            marked[id_] = 1
        else:
            for operand in operands:
                if marked[operand]:
                    marked[id_] = 1
                    break
    return marked
