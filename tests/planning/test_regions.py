"""Offload on hand-made graphs: signatures, overlaps, cuts across sites, groups of selected ops."""

from __future__ import annotations

from surgery.graph import Module, Ref
from surgery.planning import plan_json, signature
from tests.graphs import GraphBuilder
from tests.planning.test_stages import fault, plan_of

APART = "backend bm { via tvm; merge=off }\n"
F = "float32(2,4)"
W = "float32(4,4)"


def blocks() -> Module:
    """Two blocks dense, add, relu on weights; the second adds the first's result."""
    b = GraphBuilder()
    value = b.input("x", F)
    for index in (0, 1):
        w, bias = b.param(f"w{index}", W), b.param(f"b{index}", "float32(4)")
        dense = b.call("nn.dense", value, w, type=F)
        added = b.call("add", dense, bias, type=F)
        value = b.call("nn.relu", added, type=F)
    return b.module(value)


def test_a_kernel_takes_runtime_inputs_and_keeps_its_constants() -> None:
    plan = plan_of(blocks(), APART + "offload pattern dense>add>relu to bm")
    assert [signature(plan.module, r) for r in plan.regions] == [
        "bm_dense_add_relu_0(x: float32(2,4)) -> float32(2,4)",
        "bm_dense_add_relu_1(data: float32(2,4)) -> float32(2,4)",
    ]
    assert [[c.name for c in r.constants] for r in plan.regions] == [["w0", "b0"], ["w1", "b1"]]
    # What is embedded is no weight of the stage any more.
    assert plan.stages[0].params == ()


def test_passed_constants_are_trailing_arguments_under_their_own_names() -> None:
    plan = plan_of(blocks(), APART + "offload pattern dense>add>relu to bm constants pass")
    assert signature(plan.module, plan.regions[0]) == (
        "bm_dense_add_relu_0(x: float32(2,4), w0: float32(4,4), b0: float32(4)) -> float32(2,4)"
    )
    assert plan.stages[0].params == ("w0", "b0", "w1", "b1")


def test_captures_name_the_arguments_and_the_composite_is_named() -> None:
    plan = plan_of(
        blocks(), APART + "offload pattern relu(add(dense(a:*, k:const), *)) to bm as block"
    )
    region = plan.regions[0]
    assert (region.symbol, region.composite) == ("bm_block_0", "bm.block")
    assert [a.name for a in region.arguments] == ["a"]
    assert [c.name for c in region.constants] == ["k", "b0"]


def test_the_larger_site_wins_and_the_other_says_why() -> None:
    plan = plan_of(
        blocks(), "offload pattern dense>add to small\noffload pattern dense>add>relu to large"
    )
    assert [r.backend for r in plan.regions] == ["large"]
    assert [c.name for c in plan.regions[0].composites] == ["large.dense_add_relu"] * 2
    assert "larger site" in plan.rejected[0].reason and "dense>add>relu" in plan.rejected[0].reason


def test_an_op_with_several_results_gives_all_of_them_whichever_are_used() -> None:
    b = GraphBuilder()
    x = b.input("x", "float32(2,8)")
    one = b.call("split", b.call("nn.relu", x, type="float32(2,8)"), type=f"{F};{F}")
    halves = b.tuple(b.field(one, 1), b.field(one, 0))
    joined = b.call("concatenate", halves, type="float32(2,8)")
    other = b.call("split", b.call("nn.relu", joined, type="float32(2,8)"), type=f"{F};{F}")
    module = b.module(b.call("tanh", b.field(other, 1), type=F))
    plan = plan_of(module, APART + "offload pattern relu>split to bm")
    assert [r.outputs for r in plan.regions] == [
        (Ref(one, (0,)), Ref(one, (1,))),
        (Ref(other, (0,)), Ref(other, (1,))),
    ]
    # One signature, so one kernel, though only a field of the second is used.
    assert [signature(plan.module, r).partition("(")[2] for r in plan.regions] == [
        f"x: float32(2,8)) -> ({F}, {F})",
        f"data: float32(2,8)) -> ({F}, {F})",
    ]
    assert len({c.kernel for r in plan.regions for c in r.composites}) == 1
    # A region of several kernels hands on only what is needed outside of it.
    whole = plan_of(module, "offload pattern relu>split to bm\noffload pattern concatenate to bm")
    assert [r.outputs for r in whole.regions] == [(Ref(other, (1,)),)]
    named = plan_of(module, APART + "offload pattern relu>split.1 to bm")
    assert [r.outputs for r in named.regions] == [(Ref(other, (1,)),)]


def test_a_site_that_a_cut_divides_is_given_up() -> None:
    plan = plan_of(blocks(), "cut after %1\noffload pattern dense>add>relu to bm")
    assert len(plan.regions) == 1
    assert "`cut after %1` divides it" in {r.reason for r in plan.rejected}
    assert plan.regions[0].stage == 1


def test_one_capture_used_twice_is_one_parameter() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    module = b.module(b.call("multiply", x, b.call("sigmoid", x, type=F), type=F))
    plan = plan_of(module, "offload pattern multiply(v:*, sigmoid(v)) to bm")
    assert [a.name for a in plan.regions[0].arguments] == ["v"]


def test_wildcards_of_equal_values_keep_the_arity_of_the_pattern() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    module = b.module(b.call("add", x, b.call("nn.relu", x, type=F), type=F))
    plan = plan_of(module, "offload pattern add(*, relu(*)) to bm")
    (region,) = plan.regions
    assert [a.name for a in region.arguments] == ["x", "x_1"]
    assert region.notes[-1] == "x_1 = x: both read %x"


def test_selected_ops_become_connected_regions() -> None:
    plan = plan_of(blocks(), "offload (op nn.dense or op add) to bm")
    assert [r.pattern for r in plan.regions] == ["nn.dense_add_", "nn.dense_add_"]
    graph = plan.module.main
    assert [[graph.label(o.node) for o in r.outputs] for r in plan.regions] == [["%1"], ["%4"]]


def test_a_region_reads_only_what_its_ops_need() -> None:
    """A selected field of a tuple literal is what was put there, not a value of the region."""
    b = GraphBuilder()
    x, y = b.input("x", F), b.input("y", F)
    dense = b.call("nn.dense", x, b.param("w", W), type=F)
    pair = b.tuple(y, dense)
    taken = b.field(pair, 0)
    host = b.call("tanh", taken, type=F)
    relu = b.call("nn.relu", dense, type=F)
    module = b.module(b.tuple(b.call("add", host, relu, type=F), taken))
    plan = plan_of(module, "offload (op dense or %1 or %2) to bm\ncut after %0")
    assert [[a.name for a in r.arguments] for r in plan.regions] == [["x"]]
    assert plan.regions[0].nodes == (dense,)
    assert [[i.ref for i in s.inputs] for s in plan.stages] == [[Ref(x)], [Ref(y), Ref(dense)]]
    # What tanh makes of y passes by: the ops around it are convex together.
    whole = plan_of(module, "offload (op dense or op relu or op add) to bm")
    assert [[a.ref for a in r.arguments] for r in whole.regions] == [[Ref(x), Ref(host)]]


def test_annotations_of_an_earlier_run_are_refused() -> None:
    b = GraphBuilder()
    begin = b.call("annotation.compiler_begin", b.input("x", F), type=F)
    relu = b.call("nn.relu", begin, type=F)
    module = b.module(b.call("annotation.compiler_end", relu, type=F))
    for text in ("offload pattern relu to bm", "output %1 as y", "cut after %1", "build opt 2"):
        (only,) = fault(module, text).diagnostics
        assert only.code == "S293" and only.span is not None


def test_what_is_not_supported_yet_is_refused_at_its_place() -> None:
    text = "output result as r\nrename %0 as b\ncast %0 to float16\nremove %0"
    found = [d for d in fault(blocks(), text).diagnostics if d.severity == "error"]
    assert [(d.code, d.span.line) for d in found if d.span] == [
        ("S250", 2), ("S250", 3), ("S250", 4),
    ]  # fmt: skip


def test_regions_that_would_wait_for_each_other_are_not_both_taken() -> None:
    b = GraphBuilder()
    x, y = b.input("x", F), b.input("y", F)
    first, second = b.call("nn.relu", x, type=F), b.call("tanh", y, type=F)
    one = b.call("exp", b.call("add", first, second, type=F), type=F)
    other = b.call("sigmoid", b.call("multiply", second, first, type=F), type=F)
    module = b.module(b.tuple(one, other))
    plan = plan_of(
        module,
        "offload (op nn.relu or op add or op exp) to a\n"
        "offload (op tanh or op multiply or op sigmoid) to b optional",
    )
    assert [r.backend for r in plan.regions] == ["a"]
    (rejected,) = plan.rejected
    assert "would wait for each other's results" in rejected.reason
    assert "op nn.relu or op add or op exp" in rejected.reason
    # Alone, or where only one waits for the other, both are fine.
    both = plan_of(module, "offload (op nn.relu or op tanh) to a; offload op add to b")
    assert len(both.regions) == 3


def test_a_region_that_only_comes_after_a_circle_is_kept() -> None:
    b = GraphBuilder()
    x, y = b.input("x", F), b.input("y", F)
    first, second = b.call("nn.relu", x, type=F), b.call("tanh", y, type=F)
    one = b.call("add", first, second, type=F)
    other = b.call("multiply", second, first, type=F)
    end = b.call("subtract", one, other, type=F)
    last = b.tuple(b.call("abs", end, type=F), b.call("negative", end, type=F), one, other)
    plan = plan_of(
        b.module(last),
        "offload (op nn.relu or op add) to a; offload (op tanh or op multiply) to b optional\n"
        "offload (op subtract or op abs or op negative) to c",
    )
    assert [r.backend for r in plan.regions] == ["a", "c"]


def test_selected_ops_of_a_branch_are_a_region_of_their_own() -> None:
    b = GraphBuilder()
    x, condition = b.input("x", F), b.input("c", "bool()")
    outside = b.call("nn.relu", x, type=F)
    with b.scope("then") as then:
        inside = b.call("nn.relu", outside, type=F)
    chosen = b.if_(condition, inside, outside, then)
    plan = plan_of(b.module(b.call("exp", chosen, type=F)), "offload op nn.relu to a")
    assert [r.nodes for r in plan.regions] == [(outside,), (inside,)]
    assert [r.outputs[0].node for r in plan.regions] == [outside, inside]


def test_a_region_is_recomputed_as_a_whole_without_its_weights() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    dense = b.call("nn.dense", x, b.param("w", W), type=F)
    relu = b.call("nn.relu", dense, type=F)
    cut = b.call("tanh", relu, type=F)
    result = b.call("add", b.call("multiply", cut, dense, type=F), relu, type=F)
    spec = "offload (op nn.dense or op nn.relu) to a; cut after op tanh; share %0 by recompute"
    plan = plan_of(b.module(result), spec)
    assert plan.regions[0].nodes == (dense, relu)
    assert plan.stages[1].recomputed == (dense, relu)
    assert [c.ref.node for c in plan.crossings] == [cut]
    assert [s.params for s in plan.stages] == [(), ()]


def test_a_region_in_a_function_is_in_the_first_stage_that_calls_it() -> None:
    f = GraphBuilder("block")
    inner = f.call("nn.relu", f.call("add", f.input("p", F), f.constant(type=F), type=F), type=F)
    b = GraphBuilder()
    cut = b.call("tanh", b.input("x", F), type=F)
    once = b.call("@block", cut, type=F)
    module = b.module(b.call("@block", once, type=F), f.graph(inner))
    plan = plan_of(module, "offload pattern add>relu to a; cut after op tanh")
    assert [(r.function, r.stage) for r in plan.regions] == [("block", 1)]
    assert plan_json(plan)["regions"][0]["calls"] == 2  # type: ignore[index]
