"""Reachability, paths and convexity, against brute force on random graphs."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from surgery.graph import Graph, ancestors, descendants, leaving_path, path, runtime_dependent
from tests.graphs import GraphBuilder


@st.composite
def dags(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(2, 14))
    operands: list[tuple[int, ...]] = []
    for id_ in range(size):
        pool = st.lists(st.integers(0, id_ - 1), max_size=3) if id_ else st.just([])
        operands.append(tuple(draw(pool)))
    kinds = ["call" if o else "input" for o in operands]
    return Graph(
        kinds=kinds,  # type: ignore[arg-type]
        ops=["nn.relu" if o else "" for o in operands],
        operands=operands,
        result=size - 1,
    )


def reach(graph: Graph, start: int) -> set[int]:
    """All that depends on ``start``, itself included, the slow way."""
    found = {start}
    for id_ in range(start + 1, len(graph)):
        if any(o in found for o in graph.operands[id_]):
            found.add(id_)
    return found


@given(dags(), st.data())
def test_ancestors_and_descendants_agree_with_brute_force(
    graph: Graph, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(graph) - 1))
    down = descendants(graph, [start])
    assert {i for i in range(len(graph)) if down[i]} == reach(graph, start)
    up = ancestors(graph, [start])
    assert {i for i in range(len(graph)) if up[i]} == {
        i for i in range(len(graph)) if start in reach(graph, i)
    }


@given(dags(), st.data())
def test_path_is_a_chain_of_uses_or_there_is_none(graph: Graph, data: st.DataObject) -> None:
    ends = st.integers(0, len(graph) - 1)
    start, end = data.draw(ends), data.draw(ends)
    found = path(graph, start, end)
    if end in reach(graph, start):
        assert (found[0], found[-1]) == (start, end)
        assert all(a in graph.operands[b] for a, b in pairwise(found))
    else:
        assert found == []


@given(dags(), st.data())
def test_a_region_is_convex_exactly_when_no_path_leaves_it(
    graph: Graph, data: st.DataObject
) -> None:
    region = data.draw(st.sets(st.integers(0, len(graph) - 1), min_size=1))
    outside_between = {
        o
        for o in range(len(graph))
        if o not in region
        and any(o in reach(graph, r) for r in region)
        and any(r in reach(graph, o) for r in region)
    }
    found = leaving_path(graph, region)
    assert bool(found) == bool(outside_between)
    if found:
        assert found[0] in region and found[-1] in region
        assert all(i not in region for i in found[1:-1]) and len(found) > 2
        assert all(a in graph.operands[b] for a, b in pairwise(found))


def test_what_depends_on_weights_only() -> None:
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    doubled = b.call("multiply", w, b.constant())
    out = b.call("nn.dense", x, doubled)
    marked = runtime_dependent(b.graph(out))
    assert [bool(marked[i]) for i in (x, w, doubled, out)] == [True, False, False, True]
