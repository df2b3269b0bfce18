"""What a spec allows: sites kept on the host, boundaries, preferences, and limits on regions."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from surgery.graph import Graph, Module, descendants
from surgery.graph.contractions import macs
from surgery.planning.model import Rejected
from surgery.planning.sites import OffloadRequest, Site, SiteGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the whole spec says about its offloads.

    Attributes:
        keep: The text of the ``keep`` statement, by function and node.
        prefer: Pairs of names: offloads or patterns called so win against the other's.
        merging: Tells whether a backend's neighbouring sites become one region.
        alone: Nodes of ``@main`` whose sites are never merged, because another stage computes
            them again.
    """

    keep: Mapping[tuple[str, int], str] = field(default_factory=dict)
    prefer: tuple[tuple[str, str], ...] = ()
    merging: Callable[[str], bool] = field(default=lambda _backend: True)
    alone: frozenset[int] = frozenset()


@dataclass(slots=True)
class Boundaries:
    """``until`` and ``only between`` of the requests, looked up site by site."""

    module: Module
    _after: dict[int, tuple[bytearray, frozenset[str], str]] = field(default_factory=dict)
    _between: dict[int, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def fault(self, site: Site) -> tuple[int, str] | None:
        """Return the op that a boundary keeps out, and why; ``None`` when all may be taken."""
        request = site.request
        if request.until:
            marked, functions, text = self._until(request)
            if site.function == "main":
                late = next((i for i in site.ops if marked[i]), None)
            else:
                late = site.ops[0] if site.function in functions else None
            if late is not None:
                return late, f"after boundary {text}"
        if request.between is not None:
            inside = self._between.get(request.index)
            if inside is None:
                inside = frozenset((r.function, r.ref.node) for r in request.between)
                self._between[request.index] = inside
            out = next((i for i in site.ops if (site.function, i) not in inside), None)
            if out is not None:
                return out, f"outside `{request.between_text}`"
        return None

    def _until(self, request: OffloadRequest) -> tuple[bytearray, frozenset[str], str]:
        known = self._after.get(request.index)
        if known is not None:
            return known
        graph = self.module.main
        ids = [r.ref.node for r in request.until]
        marked = descendants(graph, ids)
        for id_ in ids:
            # The boundary itself may be offloaded, unless it comes after another one.
            marked[id_] = any(marked[o] for o in graph.operands[id_])
        called = {graph.ops[i][1:] for i, m in enumerate(marked) if m and graph.ops[i][:1] == "@"}
        pending = list(called)
        while pending:
            callee = self.module.functions.get(pending.pop())
            for op in set(callee.ops) if callee is not None else ():
                if op[:1] == "@" and op[1:] not in called:
                    called.add(op[1:])
                    pending.append(op[1:])
        text = ", ".join(graph.label(r.ref) for r in request.until)
        known = self._after[request.index] = (marked, frozenset(called), text)
        return known


def request_names(request: OffloadRequest) -> frozenset[str]:
    """Return what ``prefer`` can call a request: ``as NAME``, or its named pattern."""
    names = (request.statement.name, request.pattern_name)
    return frozenset(n for n in names if n)


def in_order(
    sites: Sequence[Site], key: Callable[[Site], tuple[object, ...]], rules: Rules
) -> list[Site]:
    """Return sites in the order they are taken in.

    That is the order of ``key``, but a site comes after those it overlaps that a ``prefer``
    statement puts before it.
    """
    by_key = sorted(sites, key=key)
    if not rules.prefer:
        return by_key
    holding: dict[tuple[str, int], list[int]] = {}
    for at, site in enumerate(by_key):
        for op in site.ops:
            holding.setdefault((site.function, op), []).append(at)
    waits = [0] * len(by_key)
    after: list[list[int]] = [[] for _ in by_key]
    seen: set[tuple[int, int]] = set()
    for together in holding.values():
        for winner in together:
            for loser in together:
                if (winner, loser) in seen or not rules_prefer(
                    rules, by_key[winner].request, by_key[loser].request
                ):
                    continue
                seen.add((winner, loser))
                after[winner].append(loser)
                waits[loser] += 1
    ready = [at for at, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    found: list[Site] = []
    while ready:
        at = heapq.heappop(ready)
        found.append(by_key[at])
        for loser in after[at]:
            waits[loser] -= 1
            if not waits[loser]:
                heapq.heappush(ready, loser)
    return found


def rules_prefer(rules: Rules, winner: OffloadRequest, loser: OffloadRequest) -> bool:
    """Return whether a ``prefer`` statement puts one request before another."""
    if winner.index == loser.index:
        return False
    mine, other = request_names(winner), request_names(loser)
    return any(w in mine and q in other for w, q in rules.prefer)


def over_limits(
    module: Module, groups: Sequence[SiteGroup], requests: Sequence[OffloadRequest]
) -> list[Rejected]:
    """Return the sites that ``min ops``, ``min macs`` and ``max regions`` leave on the host.

    The limits hold for regions after merging; a region with sites of several statements gives up
    those whose statement asks for more than it is.
    """
    found: list[Rejected] = []
    limited = {
        r.index: r
        for r in requests
        if any(
            limit is not None
            for limit in (
                r.statement.min_ops,
                r.statement.min_macs,
                r.statement.max_regions,
            )
        )
    }
    if not limited:
        return found
    held: dict[int, list[tuple[int, SiteGroup]]] = {i: [] for i in limited}
    for group in groups:
        size = sum(len(s.ops) for s in group.sites)
        for index in dict.fromkeys(s.request.index for s in group.sites):
            request = limited.get(index)
            if request is None:
                continue
            reason = _too_small(module.functions[group.function], group, size, request)
            if reason:
                found += _give_up(group, index, reason)
            else:
                held[index].append((size, group))
    for index, request in limited.items():
        most = request.statement.max_regions
        if most is None or found:
            continue
        ranked = sorted(held[index], key=lambda h: -h[0])
        for size, group in ranked[most:]:
            found += _give_up(
                group,
                index,
                f"`max regions {most}`: {min(len(ranked), most)} others are as large "
                f"or larger ({_ops(size)})",
            )
    return found


def _ops(count: int) -> str:
    return f"{count} op{'' if count == 1 else 's'}"


def _too_small(graph: Graph, group: SiteGroup, size: int, request: OffloadRequest) -> str:
    least = request.statement.min_ops
    if least is not None and size < least:
        return f"`min ops {least}`: its region has {_ops(size)}"
    fewest = request.statement.min_macs
    if fewest is None:
        return ""
    total = 0
    for site in group.sites:
        for node in site.ops:
            count = macs(graph, node)
            if count is None:
                return f"`min macs {fewest}`: the shapes of {graph.label(node)} are not known"
            total += count
    return f"`min macs {fewest}`: its region has {total}" if total < fewest else ""


def _give_up(group: SiteGroup, index: int, reason: str) -> list[Rejected]:
    return [
        Rejected(
            statement=index,
            function=site.function,
            node=site.ops[-1],
            matched=site.ops,
            reason=reason,
            excluded=True,
        )
        for site in group.sites
        if site.request.index == index
    ]
