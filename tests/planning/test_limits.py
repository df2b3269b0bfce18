"""``keep``, ``prefer``, ``min ops``, ``min macs`` and ``max regions``."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.graph import Module
from surgery.planning import Plan
from tests.graphs import GraphBuilder
from tests.planning.test_merging import graphs, values
from tests.planning.test_stages import fault, plan_of

F = "float32(2,4)"
APART = "backend bm { via tvm; merge=off }\n"


def towers() -> Module:
    """Chains of relu of 1, 2 and 3 ops with a tanh between: %0; %2 %3; %5 %6 result."""
    b = GraphBuilder()
    value = b.input("x", F)
    for length in (1, 2, 3):
        for _ in range(length):
            value = b.call("nn.relu", value, type=F)
        if length < 3:
            value = b.call("tanh", value, type=F)
    return b.module(value)


def told(plan: Plan) -> list[tuple[str, str]]:
    graph = plan.module.main
    return [(graph.label(r.node), r.reason) for r in plan.rejected]


def test_min_ops_counts_the_region_after_merging() -> None:
    plan = plan_of(towers(), "offload pattern relu to bm min ops 2")
    assert values(plan) == [[["%2"], ["%3"]], [["%5"], ["%6"], ["result"]]]
    assert told(plan) == [("%0", "`min ops 2`: its region has 1 op")]
    assert plan.rejected[0].excluded
    alone = plan_of(towers(), APART + "offload pattern relu to bm min ops 2 optional")
    assert not alone.regions


def test_max_regions_keeps_the_largest_and_of_equals_the_first() -> None:
    plan = plan_of(towers(), "offload pattern relu to bm max regions 2")
    assert values(plan) == [[["%2"], ["%3"]], [["%5"], ["%6"], ["result"]]]
    plan = plan_of(towers(), APART + "offload pattern relu to bm max regions 2")
    assert values(plan) == [[["%0"]], [["%2"]]]
    assert told(plan)[0] == (
        "%3", "`max regions 2`: 2 others are as large or larger (1 op)",
    )  # fmt: skip


def test_a_region_of_two_statements_gives_up_what_asks_for_more() -> None:
    b = GraphBuilder()
    relu = b.call("nn.relu", b.input("x", F), type=F)
    exp = b.call("exp", relu, type=F)
    module = b.module(exp)
    text = "offload pattern relu to bm min ops 3 optional\noffload pattern exp to bm{}"
    assert values(plan_of(module, text.format(""))) == [[["result"]]]
    # Without relu, exp alone is too small as well.
    plan = plan_of(module, text.format(" min ops 2 optional"))
    assert not plan.regions
    assert [r for _, r in told(plan)] == [
        "`min ops 3`: its region has 2 ops", "`min ops 2`: its region has 1 op",
    ]  # fmt: skip


def test_min_macs() -> None:
    b = GraphBuilder()
    small = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,4)"), type="float32(2,8)")
    relu = b.call("nn.relu", small, type="float32(2,8)")
    big = b.call("nn.dense", relu, b.param("v", "float32(100,8)"), type="float32(2,100)")
    plan = plan_of(b.module(big), APART + "offload pattern dense to bm min macs 100")
    assert values(plan) == [[["result"]]]
    assert told(plan) == [("%0", "`min macs 100`: its region has 64")]


def test_prefer_decides_before_size() -> None:
    b = GraphBuilder()
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(4,4)"), type=F)
    relu = b.call("nn.relu", dense, type=F)
    module = b.module(b.call("add", relu, b.input("y", F), type=F))
    both = "pattern small = dense>relu\noffload pattern small to a\n" \
           "offload pattern dense>relu>add to b as large"  # fmt: skip
    assert [r.backend for r in plan_of(module, both).regions] == ["b"]
    plan = plan_of(module, both + "\nprefer small over large")
    assert [r.backend for r in plan.regions] == ["a"]
    assert "it overlaps the preferred site that ends at %1" in told(plan)[0][1]


def test_prefer_is_checked() -> None:
    text = "offload pattern relu to bm as one\noffload pattern tanh to bm as two\n"
    unknown = fault(towers(), text + "prefer ones over two").diagnostics
    assert [d.code for d in unknown] == ["S294"] and "one" in unknown[0].remedy
    circle = fault(towers(), text + "prefer one over two\nprefer two over one").diagnostics
    assert [d.code for d in circle] == ["S295"] and "one, two" in circle[0].message


def test_keep_on_host() -> None:
    plan = plan_of(towers(), "offload pattern relu to bm\nkeep %3 on host")
    assert values(plan) == [[["%0"]], [["%2"]], [["%5"], ["%6"], ["result"]]]
    assert told(plan) == [("%3", "%3 stays on the host (`keep %3 on host`)")]
    every = plan_of(towers(), "offload pattern relu to bm\nkeep op nn.* on host")
    assert not every.regions
    assert [n.severity for n in every.notes if n.code == "S283"] == ["warning"]


def test_require_all_asks_for_near_misses_only() -> None:
    text = "offload pattern relu to bm require all\nkeep %0 on host"
    assert len(plan_of(towers(), text).regions) == 2


CHAINS = {
    "a": "relu>tanh", "b": "tanh>relu", "c": "relu>tanh>exp", "d": "add>relu", "e": "relu>add",
    "f": "add(tanh(*), exp(*))", "g": "add", "h": "(tanh|exp)>add",
}  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(graphs(), st.permutations(sorted(CHAINS)), st.sampled_from(["", "\nprefer g over c, d, e"]))
def test_of_overlapping_sites_the_same_are_taken_in_whatever_order_the_spec_is(
    module: Module, order: list[str], prefer: str
) -> None:
    def plan(names: list[str]) -> Plan:
        lines = [f"offload pattern {CHAINS[n]} to bm as {n} optional" for n in names]
        return plan_of(module, APART + "\n".join(lines) + prefer.replace(", ", "\nprefer g over "))

    def ops(nodes: tuple[int, ...]) -> frozenset[int]:
        return frozenset(n for n in nodes if module.main.kinds[n] == "call")

    found = plan(order)
    taken = [ops(c.nodes) for r in found.regions for c in r.composites]
    again = [ops(c.nodes) for r in plan(sorted(CHAINS)).regions for c in r.composites]
    assert set(taken) == set(again)
    assert sum(map(len, taken)) == len(frozenset().union(*taken))
    for rejected in found.rejected:
        if rejected.reason.startswith("it overlaps") and not prefer:
            mine = frozenset(rejected.matched)
            rivals = [t for t in taken if t & mine]
            assert any((-len(t), min(t)) <= (-len(mine), min(mine)) for t in rivals)
