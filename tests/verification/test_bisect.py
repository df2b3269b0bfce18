"""The search for the first value that differs: faults planted at random places are found."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import tvm

from surgery.engines import get_engine
from surgery.engines.base import EngineModel
from surgery.graph import Graph, Module, Ref
from surgery.planning import BuildPlan
from surgery.verification import Pair, Search, compare_values, match_graphs, search, tap_values
from surgery.verification.matching import computed
from tests.graphs import GraphBuilder
from tests.verification import plants

NETS: Mapping[str, Callable[[], tvm.IRModule]] = {"bert": plants.bert, "resnet": plants.resnet}
INPUTS = {
    "bert": {"ids": np.array([1, 4, 10, 2], "int32")},
    "resnet": {"data": np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype("float32")},
}
Valued = tuple[EngineModel, dict[Ref, np.ndarray]]


def valued(net: tvm.IRModule, name: str) -> Valued:
    """Return a net and all its values."""
    model = get_engine("relay").adopt(net)
    graph = model.module.main
    known = plants.values(graph, model.exprs["main"], INPUTS[name])  # type: ignore[attr-defined]
    found: dict[Ref, np.ndarray] = {}
    for ref in computed(graph):
        value = known[ref.node]
        for index in ref.path:
            value = value[index]
        found[ref] = np.asarray(value)
    return model, found


@pytest.mark.parametrize("name", NETS)
def test_the_nets_compute_what_the_tests_say(name: str) -> None:
    model, known = valued(NETS[name](), name)
    build = BuildPlan(opt_level=0)
    read = tap_values(get_engine("relay"), model, list(known), INPUTS[name], build=build)
    for some in read:
        for ref, value in some.items():
            np.testing.assert_allclose(value, known[ref], rtol=1e-4, atol=1e-4)


class Rounds:
    """Reads values that are known, and counts what is asked for."""

    def __init__(self, a: Mapping[Ref, np.ndarray], b: Mapping[Ref, np.ndarray]) -> None:
        self.a, self.b = a, b
        self.asked: list[int] = []

    def read(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, np.ndarray, np.ndarray]]:
        self.asked.append(len(pairs))
        return ((p, self.a[p.a], self.b[p.b]) for p in pairs)


def bisected(a: Valued, b: Valued) -> tuple[Search, Rounds]:
    rounds = Rounds(a[1], b[1])
    matching = match_graphs(a[0].module, b[0].module)
    return search(b[0].module.main, matching, rounds.read, complete=True), rounds


@pytest.mark.parametrize("name", NETS)
def test_faults_anywhere_are_found_at_the_op(name: str) -> None:
    """Every fault that these inputs show: far more than 20 places of each net."""
    net = NETS[name]()
    a = valued(net, name)
    graph = a[0].module.main
    place_of = {n: Ref(i) for i, n in enumerate(graph.names) if graph.kinds[i] == "call"}
    shown: Counter[str] = Counter()
    for plant in plants.plants(net):
        b = valued(plants.planted(net, plant), name)
        where = place_of[f"c{plant.place}"]
        if compare_values("", b[1][where], a[1][where]).passed:
            continue  # a leaky relu of nothing negative
        found, rounds = bisected(a, b)
        assert found.first is not None, plant
        assert found.first.pair.a == where, plant
        assert not any(m.differs for m in found.reads)
        assert len(rounds.asked) <= 4
        shown[plant.kind] += 1
    assert sum(shown.values()) > 35 and min(shown.values()) >= 2 and len(shown) == 3


# -- by hand, without TVM

T = "float32(4)"


def module(graph: Graph) -> Module:
    return Module(functions={"main": graph})


def chain(length: int) -> Graph:
    build = GraphBuilder()
    value = build.input("x", T)
    for _ in range(length):
        value = build.call("tanh", value, type=T)
    return build.graph(value)


def searched(graph: Graph, bad: set[int], **options: Any) -> tuple[Search, Rounds]:
    """Search a graph whose values of some ids differ."""
    right = {r: np.ones(4, "float32") for r in computed(graph)}
    wrong = {r: a + 1 if r.node in bad else a for r, a in right.items()}
    rounds = Rounds(right, wrong)
    matching = match_graphs(module(graph), module(graph))
    return search(graph, matching, rounds.read, **options), rounds


@pytest.mark.parametrize("first", [1, 2, 17, 4321, 9998, 10000])
def test_few_rounds_where_the_error_stays(first: int) -> None:
    found, rounds = searched(chain(10_000), set(range(first, 10_001)))
    assert found.first is not None and found.first.pair.b == Ref(first)
    assert [m.pair.b.node for m in found.reads] == ([first - 1] if first > 1 else [])
    assert len(rounds.asked) <= 5 and max(rounds.asked) <= 34


@pytest.mark.parametrize("seed", range(20))
def test_errors_that_come_and_go(seed: int) -> None:
    """Whatever differs where: what is found differs, and what it reads was read and agrees."""
    draw = random.Random(seed)
    build = GraphBuilder()
    values = [build.input("x", T)]
    for _ in range(200):
        values.append(build.call("add", *draw.choices(values[-9:], k=2), type=T))
    graph = build.graph(values[-1])
    bad = set(draw.sample(values[1:-1], 40)) | {values[-1]}
    found, _ = searched(graph, bad)
    assert found.first is not None and found.first.pair.b.node in bad
    operands = {o for o in graph.operands[found.first.pair.b.node] if o != values[0]}
    assert {m.pair.b.node for m in found.reads} == operands
    assert not any(m.differs for m in found.reads) and not operands & bad


def test_an_error_that_is_lost_needs_all_values() -> None:
    found, _ = searched(chain(500), {250})
    assert found.first is None and not any(m.differs for m in found.outputs)
    found, _ = searched(chain(500), {250}, complete=True)
    assert found.first is not None and found.first.pair.b == Ref(250)
    assert not any(m.differs for m in found.outputs)


def test_memory_bounds_a_round() -> None:
    found, rounds = searched(chain(300), set(range(77, 301)), memory=4 * 16)
    assert found.first is not None and found.first.pair.b == Ref(77)
    assert max(rounds.asked) <= 5  # four, and the output in the first round


def test_an_op_that_only_one_has_is_named() -> None:
    """``relu(tanh(x))`` against ``relu(negative(tanh(x)))``."""
    a, b = GraphBuilder(), GraphBuilder()
    graph_a = a.graph(a.call("nn.relu", a.call("tanh", a.input("x", T), type=T), type=T))
    tanh = b.call("tanh", b.input("x", T), type=T)
    graph_b = b.graph(b.call("nn.relu", b.call("negative", tanh, type=T), type=T))
    matching = match_graphs(module(graph_a), module(graph_b))
    assert [(p.a.node, p.b.node) for p in matching.pairs] == [(1, 1), (2, 3)]
    assert matching.unmatched_b == (2,) and matching.unmatched_a == ()
    values = {Ref(1): np.ones(4, "float32"), Ref(2): np.ones(4, "float32")}
    other = {Ref(1): np.ones(4, "float32"), Ref(3): np.zeros(4, "float32")}
    found = search(graph_b, matching, Rounds(values, other).read)
    assert found.first is not None and found.first.pair.b == Ref(3)
    assert found.through == (2,) and [m.pair.b for m in found.reads] == [Ref(1)]


# -- matching


def layers(names: bool, extra: bool, dtype: str = "float32") -> Graph:
    """Three dense layers of one input, whose ops differ in their weights only."""
    build = GraphBuilder()
    type_ = f"{dtype}(4)"
    x = build.input("x", "float32(4)")
    if dtype != "float32":
        x = build.call("cast", x, type=type_, dtype=dtype)
    heads = []
    for i in range(3):
        weight = build.param(f"w{i}", f"{dtype}(4,4)")
        name = f"layer{i}" if names else None
        head = build.call("nn.dense", x, weight, type=type_, name=name, units=4)
        if extra:
            head = build.call("negative", build.call("negative", head, type=type_), type=type_)
        heads.append(build.call("nn.relu", head, type=type_))
    joined = build.call("add", build.call("add", heads[0], heads[1], type=type_), heads[2],
                        type=type_)  # fmt: skip
    return build.graph(joined)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_values_match_through_casts_and_insertions(names: bool, dtype: str) -> None:
    a, b = layers(names, extra=False), layers(names, extra=dtype == "float32", dtype=dtype)
    matching = match_graphs(module(a), module(b))
    dense = [(p.a, p.b) for p in matching.pairs if b.ops[p.b.node] == "nn.dense"]
    assert len(dense) == 3
    for one, other in dense:
        weights = (a.names[a.operands[one.node][1]], b.names[b.operands[other.node][1]])
        assert weights[0] == weights[1]
    if dtype == "float16":
        assert len(matching.pairs) == 8 and matching.unmatched_b == ()
    else:
        assert len(matching.unmatched_b) == 6
        back = match_graphs(module(b), module(a))
        assert {b.ops[i] for i in back.unmatched_a} == {"negative"}


def test_types_of_few_bits_are_compared_as_such() -> None:
    x = np.linspace(-3, 3, 100, dtype="float32")
    assert compare_values("v", x.astype("float16"), x).passed
    assert not compare_values("v", (x * 1.1).astype("float16"), x).passed
    # An element near zero may be off by what the others round to.
    y = x.copy()
    y[50] += 1e-4
    assert compare_values("v", y, x).passed
    assert not compare_values("v", np.arange(3), np.arange(3) + 1).passed
