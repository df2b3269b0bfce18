"""Reduction: what is left has the property, nothing more can go, and few parts are tried."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.graph import Graph, Ref
from surgery.verification.reduce import Part, Reduction, Spent, names_of, walk
from tests.graphs import GraphBuilder, tensor

F = tensor("float32(4)")


def chain(length: int) -> Graph:
    b = GraphBuilder()
    at = b.input("x", F)
    for i in range(length):
        at = b.call("nn.relu" if i % 3 else "tanh", at, type=F)
    return b.graph(at)


def ops(graph: Graph, part: Part) -> list[str]:
    return [graph.ops[i] for i in walk(graph, part).ops]


def test_one_op_of_a_thousand_is_found_in_few_tries() -> None:
    graph = chain(1000)
    wanted = 614
    search = Reduction(graph, lambda part: wanted in walk(graph, part).ops)
    assert search.run()
    found = walk(graph, search.best)
    assert found.ops == (wanted,)
    assert found.inputs == (Ref(wanted - 1),) and search.best.outputs == (Ref(wanted),)
    assert search.asked < 3 * math.log2(1000)


def test_two_ops_far_apart_keep_nothing_between_them_where_types_allow() -> None:
    graph = chain(200)
    search = Reduction(graph, lambda p: {40, 160} <= set(walk(graph, p).ops))
    assert search.run()
    assert walk(graph, search.best).ops == (40, 160)
    assert search.asked < 60


def test_what_a_type_keeps_is_kept() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    first = b.call("tanh", x, type=F)
    shaped = b.call("reshape", first, type=tensor("float32(2,2)"))
    last = b.call("nn.relu", shaped, type=tensor("float32(2,2)"))
    graph = b.graph(last)

    def path(part: Part) -> bool:
        """``tanh`` must reach ``relu``."""
        found = walk(graph, part)
        return {first, last} <= set(found.ops) and shaped in found.ops

    search = Reduction(graph, path)
    assert search.run()
    assert ops(graph, search.best) == ["tanh", "reshape", "nn.relu"]


def test_outputs_that_do_not_matter_are_left_out() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    results = [b.call(op, x, type=F) for op in ("tanh", "exp", "nn.relu", "sigmoid", "erf")]
    graph = b.graph(b.tuple(*results))
    search = Reduction(graph, lambda part: "nn.relu" in ops(graph, part))
    assert search.run()
    assert search.best.outputs == (Ref(results[2]),)


def test_results_of_a_tuple_are_given_one_by_one() -> None:
    b = GraphBuilder()
    x = b.input("x", tensor("float32(4,2)"))
    halves = b.call("split", b.call("tanh", x, type=tensor("float32(4,2)")),
                    type=tensor("float32(4);float32(4)"))  # fmt: skip
    joined = b.call("add", b.field(halves, 0), b.field(halves, 1), type=F)
    graph = b.graph(joined)
    search = Reduction(graph, lambda part: "add" in ops(graph, part))
    assert search.run()
    found = walk(graph, search.best)
    assert found.ops == (joined,)
    assert found.inputs == (Ref(halves, (0,)), Ref(halves, (1,)))
    assert len(set(names_of(graph, found.inputs).values())) == 2


def test_a_search_that_is_stopped_keeps_its_best() -> None:
    graph = chain(300)
    asked = 0

    def holds(part: Part) -> bool:
        nonlocal asked
        asked += 1
        if asked > 4:
            raise Spent
        return 100 in walk(graph, part).ops

    search = Reduction(graph, holds)
    assert not search.run()
    assert 100 in walk(graph, search.best).ops and search.ops < 300


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    b = GraphBuilder()
    values = [b.input("x", F), b.input("y", F)]
    for _ in range(draw(st.integers(2, 24))):
        pick = st.sampled_from(values[-6:])
        op = draw(st.sampled_from(["tanh", "nn.relu", "add", "multiply"]))
        arguments = [draw(pick) for _ in range(1 if op in ("tanh", "nn.relu") else 2)]
        values.append(b.call(op, *arguments, type=F))
    outputs = [values[-1], *draw(st.lists(st.sampled_from(values[2:]), max_size=2))]
    return b.graph(b.tuple(*outputs)) if len(outputs) > 1 else b.graph(outputs[0])


@settings(deadline=None)
@given(graphs(), st.data())
def test_what_is_left_is_minimal(graph: Graph, data: st.DataObject) -> None:
    """The property: some ops are there (a monotone one, so that the minimum is just they)."""
    everything = walk(graph, Part(outputs=graph.outputs)).ops
    wanted = set(data.draw(st.lists(st.sampled_from(everything), min_size=1, max_size=3)))

    def holds(part: Part) -> bool:
        return wanted <= set(walk(graph, part).ops)

    search = Reduction(graph, holds)
    assert search.run()
    assert set(walk(graph, search.best).ops) == wanted


@settings(deadline=None)
@given(graphs(), st.integers(0, 2**32))
def test_any_property_is_kept_and_no_single_op_can_go(graph: Graph, seed: int) -> None:
    whole = walk(graph, Part(outputs=tuple(dict.fromkeys(graph.outputs)))).part

    def holds(part: Part) -> bool:
        return part == whole or hash((seed, walk(graph, part).ops)) % 3 == 0

    search = Reduction(graph, holds)
    assert search.run()
    best = search.best
    assert holds(best)
    for id_ in walk(graph, best).ops:
        smaller = search._without(best, [id_])
        found = walk(graph, smaller)
        if smaller.outputs and found.ops and len(found.ops) < len(walk(graph, best).ops):
            assert not holds(found.part)
