"""Balanced cuts: the choice against brute force, and the bytes it counts against the plan's."""

from __future__ import annotations

from array import array
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.graph import Graph, Module, Ref, TensorType, ancestors, runtime_dependent
from surgery.planning import Plan
from surgery.planning.balance import SLACK, Weighed, capacity, choose, stage_edges
from surgery.planning.cuts import CutRequest, assign
from surgery.planning.line import Line, make_line
from tests.graphs import GraphBuilder
from tests.planning.symbolic import staged, whole
from tests.planning.test_stages import fault, plan_of
from tests.work import work

SIZES = ("float32(1)", "float32(10)", "float32(300)")


@st.composite
def modules(draw: st.DrawFn) -> Module:
    """Graphs of up to ten ops; some depend on weights only, some values are fields of tuples."""
    b = GraphBuilder()
    values = [b.input("x", "float32(10)"), b.param("w", "float32(10)")]
    picked = st.integers(0, 30).map(lambda n: values[-1 - n % len(values)])
    for _ in range(draw(st.integers(3, 10))):
        type_ = draw(st.sampled_from(SIZES))
        if draw(st.integers(0, 5)):
            op = draw(st.sampled_from(("add", "power", "reshape")))
            operands = (draw(picked), draw(picked))[: 1 if op == "reshape" else 2]
            values.append(b.call(op, *operands, type=type_))
        else:
            values.append(b.field(b.call("split", draw(picked), type=f"{type_};float32(5)"), 0))
    return b.module(b.tuple(*values[-2:]))


def line_of(graph: Graph, costs: list[int], **options: object) -> Line:
    stage_of, _ = assign(graph, [], graph.outputs)
    return make_line(graph, stage_of, runtime_dependent(graph), costs, **options)  # type: ignore[arg-type]


def prefixes(line: Line, stages: int) -> list[tuple[list[int], int]]:
    """Return the stage costs and live bytes of every way to cut a line after ops of its order."""
    live = line.live_bytes()
    found = []
    for places in combinations(range(len(line.nodes) - 1), stages - 1):
        edges = [-1, *places, len(line.nodes) - 1]
        costs = [sum(line.costs[a + 1 : b + 1]) for a, b in pairwise(edges)]
        if all(costs):
            found.append((costs, sum(live[p] for p in places)))
    return found


def singles(graph: Graph, line: Line, stages: int, *, nested: bool) -> list[list[int]]:
    """Return the stage costs of every way to cut after single ops."""
    place = {id_: at for at, id_ in enumerate(line.nodes)}
    sets = [
        frozenset(place[i] for i, m in enumerate(ancestors(graph, [id_])) if m and i in place)
        for id_ in line.nodes
    ]
    found = []
    for chosen in permutations(range(len(line.nodes)), stages - 1):
        done: frozenset[int] = frozenset()
        costs = []
        for at in chosen:
            if nested and not done <= sets[at]:
                break
            costs.append(sum(line.costs[i] for i in sets[at] - done))
            done |= sets[at]
        else:
            costs.append(sum(line.costs) - sum(costs))
            if all(costs):
                found.append(costs)
    return found


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_the_choice_against_brute_force(data: st.DataObject) -> None:
    graph = data.draw(modules()).main
    costs = [data.draw(st.sampled_from((0, 1, 3, 50))) for _ in range(len(graph))]
    line = line_of(graph, costs)
    stages = data.draw(st.integers(2, 4))
    if not line.nodes:
        return
    by_prefix = prefixes(line, stages)
    assert (capacity(line) >= stages) == bool(by_prefix)
    if not by_prefix:
        return
    choice = choose(line, stages)
    exact = min(max(c) for c, _ in by_prefix)
    nested = min((max(c) for c in singles(graph, line, stages, nested=True)), default=exact)
    best = min(exact, nested)
    taken = choice.taken
    assert best <= taken.slowest <= best * (1 + SLACK)
    assert best == min(w.slowest for w in (taken, *choice.others))
    assert len(taken.costs) == stages and sum(taken.costs) == sum(line.costs)
    assert all(taken.costs)
    # Fewest bytes of the prefixes that are as good.
    near = [b for c, b in by_prefix if max(c) <= int(best * (1 + SLACK))]
    assert not near or taken.crossing <= min(near)
    # No cut after single ops, nested or not, is better by more than the dearest op.
    loosest = min((max(c) for c in singles(graph, line, stages, nested=False)), default=best)
    assert taken.slowest <= (1 + SLACK) * (max(loosest, sum(costs) / stages) + max(line.costs))


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_costs_and_bytes_are_those_of_the_stages_it_makes(data: st.DataObject) -> None:
    """Every way that is listed, cut by hand, gives the stage costs and live bytes it promises."""
    module = data.draw(modules())
    graph = module.main
    costs = [data.draw(st.sampled_from((0, 1, 3, 50))) for _ in range(len(graph))]
    line = line_of(graph, costs)
    stages = data.draw(st.integers(2, 4))
    if capacity(line) < stages:
        return
    choice = choose(line, stages)
    for way in (choice.taken, *choice.others):
        _check(graph, line, costs, way)


def _check(graph: Graph, line: Line, costs: list[int], way: Weighed) -> None:
    cuts = [CutRequest(text="", nodes=n) for n in stage_edges(line, way)]
    stage_of, _ = assign(graph, cuts, graph.outputs)
    depends = runtime_dependent(graph)
    mine = [0] * len(way.costs)
    for id_, stage in enumerate(stage_of):
        if stage >= 0 and depends[id_]:
            mine[stage] += costs[id_]
    weights = sum(costs[i] for i, s in enumerate(stage_of) if s >= 0 and not depends[i])
    assert weights or tuple(mine) == way.costs
    assert sum(mine) + weights == sum(way.costs)
    assert _live(graph, stage_of, len(way.costs)) == way.nbytes


def _live(graph: Graph, stage_of: array[int], count: int) -> tuple[int, ...]:
    """Return the bytes that live across each cut, by a definition of its own."""
    last: dict[Ref, int] = {}
    for id_, stage in enumerate(stage_of):
        if stage >= 0:
            for operand in graph.operands[id_]:
                for leaf in graph.leaves(Ref(operand)):
                    last[leaf] = max(last.get(leaf, -1), stage)
    found = [0] * (count - 1)
    for ref, until in last.items():
        type_ = graph.type_of(ref)
        assert isinstance(type_, TensorType)
        for cut in range(stage_of[ref.node], until):
            if stage_of[ref.node] >= 0:
                found[cut] += type_.nbytes or 0
    return tuple(found)


@settings(max_examples=100, deadline=None)
@given(modules(), st.integers(2, 3), st.sampled_from(("flops", "bytes")), st.booleans())
def test_a_balanced_plan_computes_the_model(
    module: Module, stages: int, by: str, again_constants: bool
) -> None:
    graph = module.main
    suffix = "\nrecompute constants" if again_constants else ""
    text = f"cut into {stages} stages by {by}{suffix}"
    try:
        plan = plan_of(module, text)
    except Exception as failure:
        assert [d.code for d in getattr(failure, "diagnostics", ())] == ["S276"], failure
        return
    assert len(plan.stages) == stages and plan.balance is not None
    assert [staged(plan)[o.name] for o in plan.outputs] == whole(graph, list(graph.outputs))
    assert sum(plan.balance.costs) > 0
    assert not again_constants or all(c.runtime_dependent for c in plan.crossings)
    crossing = [0] * (stages - 1)
    for c in plan.crossings:
        for cut in range(c.source, max(c.targets)):
            crossing[cut] += c.type.nbytes or 0
    assert crossing == [p.nbytes for p in plan.balance.places]
    # What the plan names gives the same stages when written by hand.
    if all(graph.numbers[n] is not None for p in plan.balance.places for n in p.nodes):
        again = plan_of(
            module,
            "\n".join(
                "cut after " + " or ".join(graph.label(n) for n in p.nodes)
                for p in plan.balance.places
            )
            + suffix,
        )
        assert [s.nodes for s in again.stages] == [s.nodes for s in plan.stages]
        assert again.crossings == plan.crossings


def chain(*ops: str, size: str = "float32(1000)") -> Module:
    b = GraphBuilder()
    value = b.input("x", size)
    for index, op in enumerate(ops):
        value = b.call(op, value, type=size, name=f"layer_{index}/{op}")
    return b.module(value)


def after(plan: Plan) -> list[list[str]]:
    assert plan.balance is not None
    return [[plan.module.main.label(n) for n in p.nodes] for p in plan.balance.places]


def test_the_slowest_stage_counts_and_then_the_bytes() -> None:
    b = GraphBuilder()
    wide = b.call("tanh", b.input("x", "float32(1000)"), type="float32(1000)")
    narrow = b.call("strided_slice", wide, type="float32(10)")
    again = b.call("tanh", b.call("repeat", narrow, type="float32(1000)"), type="float32(1000)")
    plan = plan_of(b.module(again), "cut into 2 stages by flops")
    assert after(plan) == [["%1"]]
    assert plan.balance is not None
    assert (plan.balance.costs, plan.balance.places[0].nbytes) == ((10_000, 10_000), 40)


def test_bytes_balance_what_ops_read_and_write() -> None:
    plan = plan_of(chain("tanh", "nn.relu", "nn.relu", "nn.relu"), "cut into 2 stages by bytes")
    assert after(plan) == [["%1"]]
    plan = plan_of(chain("tanh", "nn.relu", "nn.relu", "nn.relu"), "cut into 2 stages by flops")
    assert after(plan) == [["%0"]]


def test_within_limits_the_places() -> None:
    ops = ["nn.relu"] * 8
    assert after(plan_of(chain(*ops), "cut into 2 stages by flops")) == [["%3"]]
    plan = plan_of(chain(*ops), "cut into 2 stages by flops within layer_1 or layer_6")
    assert after(plan) in ([["%1"]], [["%6"]])
    found = fault(chain(*ops), "cut into 4 stages by flops within layer_1 or layer_6")
    assert [d.code for d in found.diagnostics] == ["S276"]
    assert "within" in found.diagnostics[0].remedy


def test_the_specs_own_cuts_stay_and_count() -> None:
    plan = plan_of(chain(*["nn.relu"] * 12), "cut into 4 stages by flops; cut after %1")
    assert after(plan)[0] == ["%1"] and [p.asked for p in plan.balance.places] == [
        True,
        False,
        False,
    ]
    sizes = [len(s.nodes) for s in plan.stages]
    assert (sizes[0], sum(sizes), max(sizes)) == (2, 12, 4)
    late = plan_of(chain(*["nn.relu"] * 12), "cut before %10; cut into 3 stages by flops")
    assert [len(s.nodes) for s in late.stages] == [5, 5, 2]
    found = fault(
        chain(*["nn.relu"] * 12), "cut after %1; cut after %3; cut into 2 stages by flops"
    )
    assert [d.code for d in found.diagnostics] == ["S276"]


def test_an_if_is_never_divided() -> None:
    b = GraphBuilder()
    x, c = b.input("x", "float32(10)"), b.input("c", "bool()")
    first = b.call("nn.relu", x, type="float32(10)")
    with b.scope("then") as then:
        a = b.call("tanh", b.call("tanh", first, type="float32(10)"), type="float32(10)")
    with b.scope("else") as other:
        t = b.call("exp", first, type="float32(10)")
    node = b.if_(c, a, t, then, other)
    module = b.module(b.call("nn.relu", node, type="float32(10)"))
    plan = plan_of(module, "cut into 2 stages by flops")
    assert plan.balance is not None and set(plan.balance.costs) == {10, 210}
    assert [d.code for d in fault(module, "cut into 4 stages by flops").diagnostics] == ["S276"]


def test_a_function_value_never_crosses() -> None:
    b = GraphBuilder()
    x = b.input("x", "float32(10)")
    with b.scope("function") as scope:
        p = b.local("p")
        b.types[p] = b.types[x]
        body = b.call("tanh", b.call("add", p, x, type="float32(10)"), type="float32(10)")
    closure = b.function_literal(body, scope)  # holds x
    value = b.call("fn", closure, x, type="float32(10)")
    value = b.call("tanh", value, type="float32(10)")
    value = b.call("fn", closure, value, type="float32(10)")
    module = b.module(b.call("tanh", value, type="float32(10)"))
    plan = plan_of(module, "cut into 2 stages by flops")
    assert plan.balance is not None and plan.balance.costs == (320, 100)
    assert [d.code for d in fault(module, "cut into 3 stages by flops").diagnostics] == ["S276"]


def test_an_offload_site_is_never_divided() -> None:
    ops = ["nn.relu", "tanh", "tanh", "nn.relu"]
    free = plan_of(chain(*ops), "cut into 2 stages by flops")
    assert after(free) == [["%1"]]
    held = plan_of(chain(*ops), "offload pattern tanh>tanh to bm\ncut into 2 stages by flops")
    assert after(held) in ([["%0"]], [["%2"]]) and len(held.regions) == 1
    found = fault(chain("tanh", "tanh"), "offload pattern tanh>tanh to bm\n"
                  "cut into 2 stages by flops").diagnostics[0]  # fmt: skip
    assert (found.code, "offload site" in found.reason) == ("S276", True)


@pytest.mark.parametrize(
    ("ops", "text", "code", "word"),
    [
        (["nn.relu"] * 3, "cut into 9 stages by flops", "S276", "places for 3 stages"),
        (["reshape"] * 3, "cut into 2 stages by flops", "S276", "nothing to balance"),
        (["nn.relu"] * 3, "cut into 2 stages by time", "S279", "without TVM"),
        (["nn.relu"] * 3, "cut into 2 stages by flops within op tanh", "S230", ""),
    ],
)
def test_what_cannot_be_cut(ops: list[str], text: str, code: str, word: str) -> None:
    found = fault(chain(*ops), text).diagnostics
    assert word in found[0].message
    assert code == "S230" or found[0].code == code
    assert found[0].remedy or code == "S230"


def test_shapes_that_are_not_known() -> None:
    found = fault(chain("nn.relu", "tanh", size="float32(?,4)"), "cut into 2 stages by flops")
    assert found.diagnostics[0].code == "S275"
    assert "bind x" in found.diagnostics[0].remedy
    b = GraphBuilder()
    module = b.module(b.call("nn.relu", b.call("tanh", b.input("x"))))
    found = fault(module, "cut into 2 stages by flops")
    assert (found.diagnostics[0].code, "types" in found.diagnostics[0].remedy) == ("S275", True)


def test_one_stage_is_no_cut() -> None:
    plan = plan_of(chain("nn.relu", "tanh"), "cut into 1 stages by flops")
    assert len(plan.stages) == 1 and plan.balance is None
    assert [(n.code, n.severity) for n in plan.notes] == [("S277", "warning")]


def test_an_op_without_a_count_is_named() -> None:
    plan = plan_of(chain("my.op", "tanh"), "cut into 2 stages by flops")
    assert plan.balance is not None and plan.balance.unknown == ("my.op",)
    assert "S278" in {n.code for n in plan.notes}


def test_what_no_input_changes_costs_nothing_when_the_build_folds_it() -> None:
    b = GraphBuilder()
    w = b.param("w", "float32(1000)")
    heavy = b.call("tanh", b.call("tanh", w, type="float32(1000)"), type="float32(1000)")
    x = b.call("nn.relu", b.input("x", "float32(1000)"), type="float32(1000)")
    y = b.call("add", x, heavy, type="float32(1000)")
    module = b.module(b.call("nn.relu", y, type="float32(1000)"))
    plan = plan_of(module, "cut into 3 stages by flops")
    assert plan.balance is not None and plan.balance.costs == (1000, 1000, 1000)
    plan = plan_of(module, 'cut into 3 stages by flops; build target "llvm" opt 1')
    assert plan.balance is not None and plan.balance.costs == (1000, 21_000, 1000)


def test_the_work_of_planning_is_about_linear() -> None:
    def calls(size: int) -> int:
        b = GraphBuilder()
        value = b.input("x", "float32(64)")
        for index in range(size // 4):
            left = b.call("tanh", value, type="float32(64)")
            right = b.call("nn.relu", value, type="float32(64)")
            both = b.call("add", left, right, type="float32(64)")
            w = b.param(f"w{index}", "float32(64)")
            value = b.call("multiply", both, w, type="float32(64)")
        module = b.module(value)
        plan, count = work(lambda: plan_of(module, "cut into 4 stages by flops"))
        assert plan.balance is not None
        assert max(plan.balance.costs) / sum(plan.balance.costs) < 0.251 + 1 / size
        return count

    plan_of(chain("tanh", "tanh"), "cut into 2 stages by flops")  # reads the grammar, once
    # Linear is 4 times (298 calls an op); a call for each pair of ops makes it 15.
    assert calls(16_000) < 5 * calls(4_000)
