"""Searching a graph for a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surgery.graph import Graph, Ref
from surgery.graph.ops import PARTITION_MARKS
from surgery.pattern.model import MISS_RANK, Found, Match, NearMiss
from surgery.pattern.nearmiss import Explainer
from surgery.pattern.program import CompiledPattern
from surgery.pattern.search import Search
from surgery.pattern.site import build_match, repeated
from surgery.pattern.view import View


def find(
    compiled: CompiledPattern,
    graph: Graph,
    *,
    outputs: frozenset[Ref] | None = None,
    names: Mapping[Ref, str] | None = None,
    ignore_annotations: bool = False,
) -> Found:
    """Search a function for a pattern.

    Sites may overlap each other (three ``relu`` in a row hold ``relu>relu`` twice); a site that is
    only the beginning of a longer one of the same pattern is left out.

    Args:
        compiled: The pattern.
        graph: The function. What was taken out of it before is not looked into.
        outputs: All values that are results: those that the function keeps and those that a spec
            adds. The function's own when left out. Values that none of them needs are ignored.
        names: What the spec calls the outputs that it adds, for reasons.
        ignore_annotations: See through identities that only tell a compiler something
            (``annotation.stop_fusion``); they become part of the site.

    Returns:
        The matches by id of their last op, and the near misses, most telling first.
    """
    results = frozenset(graph.outputs) if outputs is None else outputs
    view = View(graph, results, ignore_annotations, names or {})
    candidates = view.candidates()
    matches: dict[tuple[int, tuple[int, ...]], Match] = {}
    searches: list[Search] = []
    for program in compiled.programs:
        search = Search(program, view)
        search.fill(candidates)
        searches.append(search)
        # Later ops first: what a run took then isn't the end of a site of its own.
        passed: set[int] = set()
        for call in reversed(candidates):
            if call in passed:
                continue
            for match, run in _matches_at(search, call):
                matches.setdefault((call, match.nodes), match)
                passed.update(run)
    kept = _without_parts(list(matches.values()))
    inside = frozenset(op for match in kept for op in match.ops)
    misses: dict[int, NearMiss] = {}
    explainers = [Explainer(search) for search in searches]
    told = [m for e in explainers for m in e.explain(candidates, inside)]
    if not kept and not told:
        told = [m for e in explainers for m in e.closest(candidates)]
    for miss in told:
        known = misses.get(miss.node)
        if known is None or len(miss.matched) > len(known.matched):
            misses[miss.node] = miss
    return Found(
        matches=tuple(sorted(kept, key=lambda m: (m.ops[-1], m.nodes))),
        near_misses=tuple(
            sorted(
                misses.values(),
                key=lambda m: (MISS_RANK[m.kind], -len(m.matched), m.node),
            )
        ),
    )


def _matches_at(search: Search, call: int) -> Iterator[tuple[Match, list[int]]]:
    """Yield the sites that end at a call, and what a repeat took in each.

    There is one for each op of the pattern that may be the last one, longest first.
    """
    for root in search.program.roots:
        if not search.is_complete(call, root):
            continue
        for derivation in search.derivations(call, root):
            match = build_match(search.program, search.view, derivation)
            if match is not None:
                yield match, repeated(search.program, search.view, derivation)
                break


def _without_parts(matches: list[Match]) -> list[Match]:
    """Drop the sites that are only a part of a larger one.

    Of two large sites that overlap only one can be taken, so a part of the other may stay: of
    three ``relu`` in a row ``relu>relu?`` takes the first two, and then the third alone.
    """
    sets = [frozenset(m.ops) for m in matches]
    if len({len(ops) for ops in sets}) < 2:
        return matches
    taken: set[int] = set()
    holding: dict[int, list[frozenset[int]]] = {}
    kept: list[Match] = []
    for at in sorted(range(len(matches)), key=lambda i: (-len(sets[i]), matches[i].ops[0])):
        ops = sets[at]
        if taken.isdisjoint(ops):
            taken |= ops
        elif any(ops < other for other in holding.get(matches[at].ops[-1], ())):
            continue
        for op in ops:
            holding.setdefault(op, []).append(ops)
        kept.append(matches[at])
    return kept


def leftover_marks(graph: Graph) -> tuple[int, ...]:
    """Return the ``compiler_begin`` and ``compiler_end`` that a half-done partitioning left."""
    return tuple(
        id_
        for id_, op in enumerate(graph.ops)
        if op in PARTITION_MARKS and graph.kinds[id_] == "call"
    )
