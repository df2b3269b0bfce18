"""The hierarchy of a model's source names, with how many ops each part of it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from surgery.graph import Graph, Ref
from surgery.report.text import name_list, table
from surgery.select import NAMED_KINDS, components

_DIGITS = re.compile(r"\d+")
_KINDS_SHOWN = 4


@dataclass(slots=True, kw_only=True)
class NameNode:
    """A component of source names, below those before it.

    Attributes:
        name: The component.
        path: The whole run of components down to it, as a selector takes it.
        own: How many ops have exactly this name, by op.
        ops: How many ops have this name or one below it.
        children: Places of the components below, in the order the graph computes them.
        shape: Equal for nodes that have the same below them, numbers in names aside.
    """

    name: str
    path: str
    parent: int
    own: Counter[str] = field(default_factory=Counter)
    ops: int = 0
    children: list[int] = field(default_factory=list)
    shape: int = -1


def name_tree(graph: Graph, refs: Iterable[Ref]) -> list[NameNode]:
    """Return the tree of the source names of some ops; parents come before their children.

    The first node is the root, whose ``own`` counts the ops without a name.
    """
    tree = [NameNode(name="", path="", parent=-1)]
    places: dict[tuple[int, str], int] = {}
    for id_ in dict.fromkeys(ref.node for ref in refs):
        if graph.kinds[id_] not in NAMED_KINDS:
            continue
        at = 0
        name = graph.names[id_] or ""
        dot = "/" if "/" in name else "."
        for part in components(name, name) if name else ():
            known = places.get((at, part))
            if known is None:
                known = places[at, part] = len(tree)
                above = tree[at].path
                tree[at].children.append(known)
                path = f"{above}{dot}{part}" if above else part
                tree.append(NameNode(name=part, path=path, parent=at))
            at = known
        # What takes a tuple apart or makes one is no op, but has a name to be selected by.
        tree[at].own[graph.ops[id_] or graph.kinds[id_]] += graph.kinds[id_] in ("call", "if")
    _sum_up(tree)
    return tree


def _sum_up(tree: Sequence[NameNode]) -> None:
    shapes: dict[tuple[object, ...], int] = {}
    for place in range(len(tree) - 1, -1, -1):
        node = tree[place]
        node.own = +node.own  # without the zeros
        node.ops += node.own.total()
        if node.parent >= 0:
            tree[node.parent].ops += node.ops
        below = tuple((_masked(tree[c].name), tree[c].shape) for c in node.children)
        key = (tuple(sorted(node.own.items())), below)
        node.shape = shapes.setdefault(key, len(shapes))


def _masked(name: str) -> str:
    return _DIGITS.sub("#", name)


def tree_lines(tree: Sequence[NameNode], depth: int | None = None) -> list[str]:
    """Return the tree as aligned text: name, number of ops, which ops.

    A chain of components without a branch is one line. Of siblings that are alike but for numbers
    in their names the first is shown whole, the rest in one line.

    Args:
        depth: How many levels to show; ``None`` for all.
    """
    rows: list[tuple[str, str, str]] = []
    # Groups of siblings and finished rows, the next one last.
    pending: list[tuple[int, Sequence[int] | tuple[str, str, str]]] = [
        (0, group) for group in reversed(_alike(tree, tree[0].children))
    ]
    while pending:
        level, item = pending.pop()
        indent = "  " * level
        first = item[0]
        if isinstance(first, str):
            rows.append((indent + first, str(item[1]), str(item[2])))
            continue
        place, name = first, tree[first].name
        while len(tree[place].children) == 1 and not tree[place].own:
            place = tree[place].children[0]
            name = tree[place].path[len(tree[first].path) - len(tree[first].name) :]
        node = tree[place]
        rows.append((indent + name, str(node.ops), _kinds(node)))
        if len(item) > 1:
            names = [tree[int(other)].name for other in item[1:]]
            others = ", ".join(names) if len(names) < 3 else f"{names[0]} ... {names[-1]}"
            each = f"{node.ops} each" if len(names) > 1 else str(node.ops)
            pending.append((level, (others, each, f"{len(names)} more like {tree[first].name}")))
        if depth is None or level + 1 < depth:
            below = reversed(_alike(tree, node.children))
            pending.extend((level + 1, group) for group in below)
    unnamed = tree[0].own
    if unnamed:
        rows.append(("(without a name)", str(unnamed.total()), _kinds(tree[0])))
    return table(("name", "ops", "computed by"), rows, "<><")


def _alike(tree: Sequence[NameNode], siblings: Sequence[int]) -> list[list[int]]:
    """Group siblings that differ in numbers in their names only; each is where its first is."""
    groups: dict[tuple[str, int], list[int]] = {}
    for place in siblings:
        node = tree[place]
        groups.setdefault((_masked(node.name), node.shape), []).append(place)
    found: list[list[int]] = []
    for group in groups.values():
        # Two lines for two leaves tell more in as much room.
        leaves = len(group) == 2 and not tree[group[0]].children
        found.extend([place] for place in group) if leaves else found.append(group)
    return found


def _kinds(node: NameNode) -> str:
    counts = [f"{op} x{n}" if n > 1 else op for op, n in node.own.most_common()]
    return name_list(counts, _KINDS_SHOWN)


def tree_json(tree: Sequence[NameNode]) -> list[dict[str, object]]:
    """Return one entry a component, parents before children, JSON-ready.

    ``name`` is the whole run of components, ``ops`` counts those below as well, ``own`` those of
    exactly this name by op. The ops without a name have ``null`` for it.
    """
    found: list[dict[str, object]] = [
        {"name": node.path, "ops": node.ops, "own": dict(node.own)} for node in tree[1:]
    ]
    if tree[0].own:
        found.append({"name": None, "ops": tree[0].own.total(), "own": dict(tree[0].own)})
    return found
