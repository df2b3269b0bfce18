"""Merging neighbouring sites of one backend into larger regions, and never into a cycle.

Every site is one unit of a graph of units; all other values are units of their own. For one
backend, a unit's depth is the largest number of times that a path to it leaves a site of that
backend for something else. A path that leaves a site and comes back into one raises the depth, so
sites of one depth that feed each other directly are convex together, and contracting them keeps
the graph of units free of cycles: within one depth nothing leads from such a region to another
unit. Backends take turns, each on the graph that the one before left. Linear in the graph.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from surgery.graph import STRUCTURAL, Graph, Ref, ancestors
from surgery.planning.sites import Site, SiteGroup


class Dependencies:
    """What each computing value of a function reads, tuples and fields seen through.

    Attributes:
        reads: For each node the tensors it reads; empty for leaves and structural nodes.
    """

    def __init__(self, graph: Graph) -> None:
        kinds = graph.kinds
        leaves: dict[int, tuple[Ref, ...]] = {}
        reads: list[tuple[Ref, ...]] = []
        for node, operands in enumerate(graph.operands):
            if kinds[node] in STRUCTURAL:
                reads.append(())
                continue
            found: list[Ref] = []
            for operand in operands:
                if kinds[operand] in STRUCTURAL:
                    if operand not in leaves:
                        leaves[operand] = tuple(graph.leaves(Ref(operand)))
                    found.extend(leaves[operand])
                else:
                    found.append(Ref(operand))
            reads.append(tuple(found))
        self.graph = graph
        self.reads = reads


@dataclass(frozen=True, slots=True)
class Cycle:
    """A site that would have to run before and after another region; ``through`` names that."""

    site: Site
    through: Site


def break_cycles(deps: Dependencies, sites: Sequence[Site]) -> tuple[list[Site], list[Cycle]]:
    """Give up sites until no two regions need each other; the smallest, latest one goes first.

    A site that ends at one op can't be in a cycle. Groups of selected ops can have several ends.
    """
    kept, given_up = list(sites), []
    while any(not s.one_end for s in kept):
        stuck = _stuck(deps, kept)
        if not stuck:
            break
        worst = min(stuck, key=lambda s: (s.one_end, len(s.ops), -s.ops[-1]))
        through = next(s for s in stuck if s is not worst)
        kept.remove(worst)
        given_up.append(Cycle(worst, through))
    return kept, given_up


def _stuck(deps: Dependencies, sites: Sequence[Site]) -> list[Site]:
    """Return the sites that wait for each other."""
    units = _Units(deps, [(s,) for s in sites])
    reached = set(units.order())
    left = {u for u in range(len(deps.graph), units.size) if u not in reached}
    # What merely comes after a cycle isn't part of it: take away what leads nowhere.
    if not left:
        return []
    waiting = {u for u in units.alive if u not in reached}
    leads = Counter(p for u in waiting for p in units.before[u] if p in waiting)
    ends = [u for u in waiting if not leads[u]]
    while ends:
        unit = ends.pop()
        waiting.discard(unit)
        for before in units.before[unit]:
            if before in waiting:
                leads[before] -= 1
                if not leads[before]:
                    ends.append(before)
    return [sites[u - len(deps.graph)] for u in sorted(waiting & left)]


def merge(
    deps: Dependencies,
    sites: Sequence[Site],
    merging: Callable[[str], bool],
    outputs: frozenset[Ref],
    alone: frozenset[int] = frozenset(),
) -> list[SiteGroup]:
    """Merge sites of one function into regions.

    Args:
        sites: Sites that don't overlap and make no cycle.
        merging: Tells whether neighbouring sites of a backend become one region.
        alone: Nodes whose sites stay regions of their own.
        outputs: Tensors that the function returns.

    Returns:
        The regions by their last op's id, each with its sites in the order they run.
    """
    groups: list[tuple[Site, ...]] = [(s,) for s in sites]
    counts = Counter(s.request.backend for s in sites)
    for backend in sorted(b for b, count in counts.items() if count > 1 and merging(b)):
        groups = _merge_backend(deps, groups, backend, alone)
    needed = _needed_outside(deps, groups, outputs)
    made = [
        SiteGroup(
            sites=group,
            # A site alone keeps the order of its results.
            outputs=group[0].outputs
            if len(group) == 1
            else tuple(r for s in group for r in s.outputs if r in needed),
        )
        for group in groups
    ]
    return sorted(made, key=lambda g: max(s.ops[-1] for s in g.sites))


def _merge_backend(
    deps: Dependencies, groups: list[tuple[Site, ...]], backend: str, alone: frozenset[int]
) -> list[tuple[Site, ...]]:
    graph = deps.graph
    units = _Units(deps, groups)
    first = len(graph)
    mine = [
        group[0].request.backend == backend and alone.isdisjoint(group[0].nodes) for group in groups
    ]
    depth: dict[int, int] = {}
    order = units.order()
    parent = list(range(len(groups)))

    def find(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    def place(group: int) -> tuple[int, int]:
        site = groups[group][0]
        return site.stage, graph.scopes[site.ops[0]]

    for unit in order:
        is_mine = unit >= first and mine[unit - first]
        deepest = 0
        for before in units.before[unit]:
            leaves = before >= first and mine[before - first] and not is_mine
            deepest = max(deepest, depth[before] + leaves)
        depth[unit] = deepest
        if not is_mine:
            continue
        for before in units.before[unit]:
            if (
                before >= first
                and mine[before - first]
                and depth[before] == deepest
                and place(before - first) == place(unit - first)
            ):
                parent[find(unit - first)] = find(before - first)
    merged: dict[int, list[Site]] = {}
    for unit in order:
        if unit >= first:
            merged.setdefault(find(unit - first), []).extend(groups[unit - first])
    return [tuple(m) for m in merged.values()]


def _needed_outside(
    deps: Dependencies, groups: Sequence[Sequence[Site]], outputs: frozenset[Ref]
) -> set[Ref]:
    owner = {op: i for i, g in enumerate(groups) for s in g for op in s.ops}
    needed = set(outputs)
    live = ancestors(deps.graph, [r.node for r in outputs])
    for node, reads in enumerate(deps.reads):
        if not live[node]:
            continue
        mine = owner.get(node)
        needed.update(r for r in reads if mine is None or owner.get(r.node) != mine)
    return needed


class _Units:
    """A function's values with each group of sites contracted to one unit.

    Attributes:
        size: One more than the largest unit. Unit ``len(graph) + i`` is group ``i``.
        alive: The units, ascending.
        before: The units that each unit reads from, without repeats.
    """

    def __init__(self, deps: Dependencies, groups: Sequence[Sequence[Site]]) -> None:
        graph = deps.graph
        count = len(graph)
        self.size = count + len(groups)
        unit = list(range(count))
        key = list(range(count))
        for index, group in enumerate(groups):
            for site in group:
                for op in site.ops:
                    unit[op] = count + index
        before: dict[int, dict[int, None]] = {}
        for node, reads in enumerate(deps.reads):
            if graph.kinds[node] in STRUCTURAL:
                continue
            mine = before.setdefault(unit[node], {})
            for ref in reads:
                if unit[ref.node] != unit[node]:
                    mine[unit[ref.node]] = None
        key += [min(op for s in g for op in s.ops) for g in groups]
        self.before = {u: tuple(b) for u, b in before.items()}
        self.alive = sorted(before)
        self._key = key

    def order(self) -> list[int]:
        """Return the units, each after those it reads from; those in a cycle are left out."""
        return list(self._order())

    def _order(self) -> Iterator[int]:
        waits = {u: len(b) for u, b in self.before.items()}
        after: dict[int, list[int]] = {}
        for unit, befores in self.before.items():
            for before in befores:
                after.setdefault(before, []).append(unit)
        ready = [(self._key[u], u) for u in self.alive if not waits[u]]
        heapq.heapify(ready)
        while ready:
            _, unit = heapq.heappop(ready)
            yield unit
            for user in after.get(unit, ()):
                waits[user] -= 1
                if not waits[user]:
                    heapq.heappush(ready, (self._key[user], user))
