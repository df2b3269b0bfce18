"""Regions that would wait for each other.

Each region is convex, so none waits for itself. Two that return several values can still wait for
each other: the first needs an early result of the second, which needs an early result of the
first. A kernel returns all of its results together, so one of the two has to be given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surgery.graph import Graph, Module, Ref
from surgery.planning.crossing import STRUCTURAL
from surgery.planning.model import Rejected
from surgery.planning.sites import Site


def without_deadlock(module: Module, sites: Sequence[Site], rejected: list[Rejected]) -> list[Site]:
    """Return the sites without those that others would have to wait for in a circle.

    Of a circle the smallest site with several results is given up, of equal ones the last.
    """
    gone: set[int] = set()
    by_function: dict[str, list[Site]] = {}
    for site in sites:
        by_function.setdefault(site.function, []).append(site)
    for name, mine in by_function.items():
        # A circle needs two that return something before they are done.
        if sum(len(s.outputs) > 1 for s in mine) < 2:
            continue
        graph = module.functions[name]
        for given_up, kept in _Order(graph, mine).run():
            site, other = mine[given_up], mine[kept]
            gone.add(id(site))
            rejected.append(
                Rejected(
                    statement=site.request.index,
                    function=name,
                    node=site.ops[-1],
                    matched=site.ops,
                    reason=f"it and the region that ends at {graph.label(other.ops[-1])} "
                    f"(`{other.request.text}`) would wait for each other's results",
                )
            )
    return [s for s in sites if id(s) not in gone]


class _Order:
    """Runs a function's ops in order, each site at once, and takes a site apart when stuck."""

    def __init__(self, graph: Graph, sites: Sequence[Site]) -> None:
        self.sites = sites
        self.waits = [_computed(graph, id_) for id_ in range(len(graph))]
        self.users: list[list[int]] = [[] for _ in self.waits]
        for id_, needed in enumerate(self.waits):
            for operand in needed:
                self.users[operand].append(id_)
        # A unit is an op, by its id, or a whole site, by ``len(graph)`` and its index.
        self.size = len(graph)
        self.unit = list(range(self.size))
        for index, site in enumerate(sites):
            for op in site.ops:
                self.unit[op] = self.size + index
        self.done = bytearray(self.size)
        self.open = [0] * (self.size + len(sites))
        for id_, needed in enumerate(self.waits):
            self.open[self.unit[id_]] += sum(self.unit[o] != self.unit[id_] for o in needed)

    def run(self) -> list[tuple[int, int]]:
        """Return the sites to give up, each with one that it waits for in a circle, by index."""
        sites = self.sites
        found: list[tuple[int, int]] = []
        self._finish({u for u in self.unit if not self.open[u]})
        left = [i for i in range(len(self.sites)) if self.open[self.size + i]]
        while left := [i for i in left if self.open[self.size + i]]:
            circle = self._circle(left[0])
            several = [s for s in circle if len(sites[s].outputs) > 1]
            worst = min(several, key=lambda s: (len(sites[s].ops), -sites[s].ops[0]))
            found.append((worst, next(s for s in circle if s != worst)))
            self._take_apart(worst)
        return found

    def _members(self, unit: int) -> Sequence[int]:
        return (unit,) if unit < self.size else self.sites[unit - self.size].ops

    def _finish(self, ready: Iterable[int]) -> None:
        stack = list(ready)
        while stack:
            unit = stack.pop()
            for op in self._members(unit):
                self.done[op] = 1
                for user in self.users[op]:
                    other = self.unit[user]
                    if other != unit:
                        self.open[other] -= 1
                        if not self.open[other]:
                            stack.append(other)

    def _circle(self, start: int) -> list[int]:
        """Follow what is waited for until a unit comes again; return the circle's sites."""
        at, order = self.size + start, dict[int, int]()
        while at not in order:
            order[at] = len(order)
            at = next(
                self.unit[o]
                for op in self._members(at)
                for o in self.waits[op]
                if not self.done[o] and self.unit[o] != at
            )
        return [u - self.size for u, n in order.items() if n >= order[at] and u >= self.size]

    def _take_apart(self, index: int) -> None:
        whole = self.size + index
        ops = self.sites[index].ops
        self.open[whole] = 0
        for op in ops:
            self.unit[op] = op
        for op in ops:
            self.open[op] = sum(not self.done[o] for o in self.waits[op])
        self._finish([op for op in ops if not self.open[op]])


def _computed(graph: Graph, id_: int) -> list[int]:
    """Return the nodes an op waits for, seen through tuples, fields and lets; none for those."""
    if graph.kinds[id_] in STRUCTURAL:
        return []
    found: dict[int, None] = {}
    for operand in graph.operands[id_]:
        if graph.kinds[operand] in STRUCTURAL:
            found.update((leaf.node, None) for leaf in graph.leaves(Ref(operand)))
        else:
            found[operand] = None
    return list(found)
