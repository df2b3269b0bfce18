"""Merging sites into regions: who merges, what leaves a region, and never a cycle."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.graph import Module, Ref
from surgery.planning import Plan, kernel_signature
from tests.graphs import GraphBuilder
from tests.planning.test_stages import fault, plan_of
from tests.work import work

F = "float32(2,4)"
W = "float32(4,4)"


def values(plan: Plan) -> list[list[list[str]]]:
    """Return regions as lists of composites as lists of labels."""
    return [
        [[plan.module.functions[r.function].label(n) for n in c.nodes] for c in r.composites]
        for r in plan.regions
    ]


def diamond() -> Module:
    """%0 = relu(x); %1 = tanh(%0); %2 = relu(%0); result = add(%1, %2)."""
    b = GraphBuilder()
    first = b.call("nn.relu", b.input("x", F), type=F)
    host = b.call("tanh", first, type=F)
    second = b.call("nn.relu", first, type=F)
    return b.module(b.call("add", host, second, type=F))


def test_a_region_never_needs_what_depends_on_it() -> None:
    # relu, relu and add feed each other, but tanh would have to run inside the region of all.
    plan = plan_of(diamond(), "offload pattern relu to bm\noffload pattern add to bm")
    assert values(plan) == [[["%0"], ["%2"]], [["result"]]]
    region = plan.regions[0]
    assert [o.source for c in region.composites for o in c.operands] == [
        ("argument", 0), ("composite", 0, 0),
    ]  # fmt: skip
    # %0 is needed outside as well, so it becomes a further output.
    assert region.outputs == (Ref(1), Ref(3))
    assert [a.name for a in region.arguments] == ["x"]


def test_merging_can_be_turned_off_and_is_checked() -> None:
    text = "offload pattern relu to bm\noffload pattern add to bm\nbackend bm {{ via tvm; {} }}"
    for off in ("merge=off", "merge=no", "merge=false"):
        assert values(plan_of(diamond(), text.format(off))) == [[["%0"]], [["%2"]], [["result"]]]
    assert len(plan_of(diamond(), text.format("merge=on")).regions) == 2
    assert fault(diamond(), text.format("merge=sometimes")).diagnostics[0].code == "S297"


def test_other_backends_and_other_stages_stay_apart() -> None:
    plan = plan_of(diamond(), "offload pattern relu to bm\noffload pattern tanh to other")
    assert [(r.backend, len(r.composites)) for r in plan.regions] == [("other", 1), ("bm", 2)]
    plan = plan_of(diamond(), "cut after %0\noffload pattern relu to bm")
    assert [(r.stage, len(r.composites)) for r in plan.regions] == [(0, 1), (1, 1)]


def test_values_that_a_stage_computes_again_stay_regions_of_their_own() -> None:
    text = "cut after %2\nshare %0 by recompute\noffload pattern relu to bm"
    assert values(plan_of(diamond(), text)) == [[["%0"]], [["%2"]]]


def test_branches_are_not_entered() -> None:
    b = GraphBuilder()
    x, c = b.input("x", F), b.input("c", "bool()")
    first = b.call("nn.relu", x, type=F)
    with b.scope("then") as then:
        yes = b.call("nn.relu", first, type=F)
    with b.scope("else") as other:
        no = b.call("tanh", first, type=F)
    plan = plan_of(b.module(b.if_(c, yes, no, then, other)), "offload pattern relu to bm")
    assert [len(r.composites) for r in plan.regions] == [1, 1]


def test_composites_share_a_kernel_when_all_that_decides_it_is_equal() -> None:
    b = GraphBuilder()
    value = b.input("x", F)
    for index in range(3):
        w = b.param(f"w{index}", W)
        value = b.call("nn.dense", value, w, type=F, units=4, last=index == 2)
        value = b.call("nn.relu", value, type=F)
    plan = plan_of(b.module(value), "offload pattern dense>relu to bm as block")
    (region,) = plan.regions
    assert [c.kernel for c in region.composites] == ["bm_block_k0", "bm_block_k0", "bm_block_k1"]
    assert kernel_signature(region.composites[1]) == (
        "bm_block_k0(data: float32(2,4), weight: float32(4,4)) -> float32(2,4)"
    )
    assert [c.name for c in region.constants] == ["w0", "w1", "w2"]
    assert region.pattern == "nn.dense_nn.relu_" * 3
    assert region.composite == "bm.block"


def test_counts_are_of_sites() -> None:
    text = "offload pattern relu to bm expect 2"
    assert len(plan_of(diamond(), text).regions) == 1
    assert fault(diamond(), "offload pattern relu to bm expect 1").diagnostics[0].code == "S216"


def test_groups_of_selected_ops_that_need_each_other_are_not_both_taken() -> None:
    b = GraphBuilder()
    x, y = b.input("x", F), b.input("y", F)
    a0 = b.call("nn.relu", x, type=F)
    b0 = b.call("tanh", y, type=F)
    a1 = b.call("exp", b0, type=F)
    b1 = b.call("sqrt", a0, type=F)
    pair = b.tuple(a0, a1)
    other = b.tuple(b0, b1)
    left = b.call("concatenate", pair, type="float32(4,4)")
    right = b.call("concatenate", other, type="float32(4,4)")
    module = b.module(b.call("add", left, right, type="float32(4,4)"))
    # One region holds relu, exp and the first concatenate, the other tanh, sqrt and the second.
    plan = plan_of(
        module,
        "offload (op nn.relu or op exp or %6) to a\n"
        "offload (op tanh or op sqrt or %7) to b optional",
    )
    assert [r.backend for r in plan.regions] == ["a"]
    assert "would wait for each other's results" in plan.rejected[0].reason


@st.composite
def graphs(draw: st.DrawFn) -> Module:
    b = GraphBuilder()
    made = [b.input("x", F)]
    for _ in range(draw(st.integers(3, 24))):
        op = draw(st.sampled_from(["nn.relu", "tanh", "exp", "sqrt"]))
        near = st.integers(0, min(len(made) - 1, 4)).map(lambda i: made[len(made) - 1 - i])
        if draw(st.booleans()):
            made.append(b.call("add", draw(near), draw(near), type=F))
        else:
            made.append(b.call(op, draw(near), type=F))
    free = [i for i in made if not any(i in o for o in b.operands)]
    return b.module(b.tuple(*free) if len(free) > 1 else free[0])


def units_in_order(plan: Plan) -> bool:
    """Return whether regions and the values outside can be run one after the other."""
    graph = plan.module.main
    unit = list(range(len(graph)))
    for index, region in enumerate(plan.regions):
        for node in region.nodes:
            unit[node] = len(graph) + index
    before: dict[int, set[int]] = {u: set() for u in unit}
    for node, operands in enumerate(graph.operands):
        before[unit[node]] |= {unit[o] for o in operands} - {unit[node]}
    done: set[int] = set()
    while True:
        ready = [u for u in before if u not in done and before[u] <= done]
        if not ready:
            return len(done) == len(before)
        done.update(ready)


@settings(max_examples=150, deadline=None)
@given(graphs(), st.lists(st.sampled_from("abc"), min_size=5, max_size=5))
def test_regions_can_always_run_one_after_the_other(module: Module, backends: list[str]) -> None:
    ops = ("relu", "tanh", "exp", "add", "relu>add")
    text = "\n".join(
        f"offload pattern {op} to {b} optional" for op, b in zip(ops, backends, strict=True)
    )
    plan = plan_of(module, text)
    assert units_in_order(plan)
    for region in plan.regions:
        seen: set[Ref] = set()
        for composite in region.composites:
            for operand in composite.operands:
                if operand.source[0] == "composite":
                    _, at, output = operand.source
                    assert region.composites[at].outputs[output] in seen
            seen.update(composite.outputs)
        assert set(region.outputs) <= seen
        inside = {n for c in region.composites for n in c.nodes}
        graph = plan.module.main
        needed = {
            Ref(o)
            for node, operands in enumerate(graph.operands)
            if node not in inside
            for o in operands
            if o in inside
        }
        needed |= {r for r in graph.outputs if r.node in inside}
        assert set(region.outputs) == needed


def chain(blocks: int) -> Module:
    b = GraphBuilder()
    value = b.input("x", F)
    for index in range(blocks):
        w = b.param(f"w{index}", W)
        dense = b.call("nn.dense", value, w, type=F)
        relu = b.call("nn.relu", dense, type=F)
        host = b.call("tanh", relu, type=F) if index % 3 == 0 else relu
        value = b.call("add", host, value, type=F)
    return b.module(value)


def test_merging_is_linear() -> None:
    spec = "offload pattern dense>relu to bm\noffload pattern add to bm min ops 3"

    def calls(blocks: int) -> int:
        module = chain(blocks)
        return work(lambda: plan_of(module, spec))[1]

    calls(10)  # reads the grammar, once in a process
    # Linear is 4 times (1,300 calls a block); a call for each pair of ops makes it 10 or more.
    assert calls(1_600) < 5 * calls(400)
