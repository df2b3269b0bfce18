"""Which stage computes what, against the definition; and many cuts and outputs at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.diagnostics import SurgeryError
from surgery.graph import Graph, Module, Ref, ancestors, descendants
from surgery.planning.cuts import CutRequest, assign
from tests.graphs import GraphBuilder
from tests.planning.test_stages import plan_of
from tests.work import work

F = "float32(2,4)"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    b = GraphBuilder()
    values = [b.input("x", F), b.param("w", F), b.call("nn.relu", 0, type=F)]
    for _ in range(draw(st.integers(2, 14))):
        picked = st.sampled_from(values)
        match draw(st.integers(0, 3)):
            case 0:
                values.append(b.field(b.tuple(draw(picked), draw(picked)), draw(st.integers(0, 1))))
            case 1:
                values.append(b.field(b.call("split", draw(picked), type=f"{F};{F}"), 0))
            case _:
                values.append(b.call("add", draw(picked), draw(picked), type=F))
    return b.graph(b.tuple(*values[-2:]))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_stage_holds_what_its_cut_depends_on_and_no_earlier_stage_holds(
    data: st.DataObject,
) -> None:
    graph = data.draw(graphs())
    ids = st.integers(0, len(graph) - 1)
    cuts = [
        CutRequest(
            where=data.draw(st.sampled_from(["after", "before"])),
            text=f"cut {i}",
            nodes=tuple(data.draw(st.lists(ids, min_size=1, max_size=3, unique=True))),
        )
        for i in range(data.draw(st.integers(1, 3)))
    ]
    outputs = [Ref(graph.result)]
    live = ancestors(graph, [graph.result])
    expected = [-1] * len(graph)
    for stage, request in enumerate(cuts):
        closure = ancestors(graph, request.nodes)
        if request.where == "before":
            later = descendants(graph, request.nodes)
            closure = bytearray(c and not a for c, a in zip(closure, later, strict=True))
        for id_ in range(len(graph)):
            if closure[id_] and live[id_] and expected[id_] < 0 and graph.kinds[id_] == "call":
                expected[id_] = stage
    for id_ in range(len(graph)):
        if live[id_] and expected[id_] < 0 and graph.kinds[id_] == "call":
            expected[id_] = len(cuts)
    try:
        stage_of, count = assign(graph, cuts, outputs)
    except SurgeryError as failure:
        assert set(range(len(cuts) + 1)) - set(expected), failure  # some stage is empty
        return
    assert list(stage_of) == expected
    assert count == len(cuts) + 1


def chain(size: int) -> Module:
    b = GraphBuilder()
    at = b.input("x", F)
    for _ in range(size):
        at = b.call("nn.relu", at, type=F)
    return b.module(at)


@pytest.mark.parametrize("where", ["after", "before"])
def test_a_thousand_cuts_cost_no_more_than_the_graph(where: str) -> None:
    def calls(cuts: int) -> int:
        module = chain(20 * cuts)
        text = "\n".join(f"cut {where} %{n}" for n in range(19, 20 * cuts - 1, 20))
        plan, count = work(lambda: plan_of(module, text))
        assert len(plan.stages) == cuts
        assert sum(len(s.nodes) for s in plan.stages) == 20 * cuts
        assert all(len(s.inputs) == 1 for s in plan.stages)
        return count

    calls(2)  # reads the grammar, once in a process
    # Linear is 4 times (about 50 calls an op); a walk over the graph for every cut makes it 14.
    assert calls(1_000) < 5 * calls(250)


def test_an_output_for_every_op() -> None:
    def calls(size: int) -> int:
        module = chain(size)
        plan, count = work(lambda: plan_of(module, 'output each op nn.relu as "o{number}"'))
        assert len(plan.outputs) == size
        assert [o.index for o in plan.outputs] == list(range(size))
        return count

    calls(10)  # reads the grammar, once in a process
    # Linear is 4 times (118 calls an op); a call for each pair of outputs makes it 15.
    assert calls(8_000) < 5 * calls(2_000)
