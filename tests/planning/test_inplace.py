"""``inplace(x)``: allowed only where liveness proves it safe."""

from __future__ import annotations

from surgery.graph import Module
from surgery.planning import Plan
from tests.graphs import GraphBuilder
from tests.planning.test_stages import plan_of

F = "float32(2,4)"
TEXT = "offload pattern add(dense(*, *), r:*) to bm inplace(r)"


def told(plan: Plan) -> list[str]:
    return [n for r in plan.regions for c in r.composites for n in c.notes if "in place" in n]


def block(*, late: str = "", early: str = "", extra: str = "") -> Module:
    """r = tanh(x); h = early(r); result = late(add(dense(h, w), r), ...)."""
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    r = b.call("tanh", x, type=F)
    h = b.call(early, r, type=F) if early else b.call("exp", x, type=F)
    if extra:
        h = b.call(extra, h, type=F)
    added = b.call("add", b.call("nn.dense", h, w, type=F), r, type=F)
    if late:
        again = b.call(late, r, type=F)
        return b.module(b.tuple(added, b.call("multiply", again, again, type=F)))
    return b.module(added)


def allowed(plan: Plan) -> bool:
    (region,) = plan.regions
    (composite,) = region.composites
    return [composite.operands[i].name for i in composite.inplace] == ["r"]


def test_a_value_that_nobody_else_reads() -> None:
    plan = plan_of(block(), TEXT)
    assert allowed(plan)
    assert told(plan) == ["r is in place: the kernel may overwrite it"]


def test_readers_that_must_have_run_are_fine() -> None:
    assert allowed(plan_of(block(early="exp", extra="sqrt"), TEXT))
    # Also through a reshape, whose result is the same buffer, when its reader has run.
    assert allowed(plan_of(block(early="reshape", extra="exp"), TEXT))


def test_the_kernels_other_operand_shares_the_buffer() -> None:
    plan = plan_of(block(early="reshape"), TEXT)
    assert not allowed(plan)
    assert told(plan) == ["r is not in place: %1 shares its buffer and is read in the kernel too"]


def test_readers_that_may_run_later() -> None:
    plan = plan_of(block(late="sqrt"), TEXT)
    assert not allowed(plan)
    assert told(plan) == ["r is not in place: %0 is also read by %4 (sqrt)"]
    assert told(plan_of(block(late="reshape"), TEXT)) == [
        "r is not in place: %0 is also read by %4 (reshape)"
    ]


def test_values_of_the_caller() -> None:
    assert told(plan_of(block(), TEXT + "\noutput %0 as tanh")) == [
        "r is not in place: %0 is also an output"
    ]
    assert told(plan_of(block(), TEXT + "\ncut after %0")) == [
        "r is not in place: %0 crosses a cut: it is an input of its stage"
    ]
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    dense = b.call("nn.dense", b.call("exp", x, type=F), w, type=F)
    module = b.module(b.call("add", dense, b.param("bias", F), type=F))
    assert told(plan_of(module, TEXT)) == ["r is not in place: %bias is a weight"]


def test_values_that_the_compiler_may_share() -> None:
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    one, two = b.call("tanh", x, type=F), b.call("tanh", x, type=F)
    added = b.call("add", b.call("nn.dense", b.call("exp", x, type=F), w, type=F), one, type=F)
    module = b.module(b.tuple(added, b.call("sqrt", two, type=F)))
    assert told(plan_of(module, TEXT)) == ["r is not in place: %1 may be the same value, kept once"]
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    weight = b.call("tanh", b.param("v", F), type=F)
    added = b.call("add", b.call("nn.dense", x, w, type=F), weight, type=F)
    assert told(plan_of(b.module(added), TEXT)) == [
        "r is not in place: %0 depends on no input: the compiler makes it a constant"
    ]


def test_a_result_of_another_type() -> None:
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    row = b.call("tanh", b.input("y", "float32(4)"), type="float32(4)")
    added = b.call("add", b.call("nn.dense", x, w, type=F), row, type=F)
    (note,) = told(plan_of(b.module(added), TEXT))
    assert note.endswith("%0: float32(4) is not of the result's type")


def test_kernels_that_may_overwrite_are_kernels_of_their_own() -> None:
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", "float32(4,4)")
    r = b.call("tanh", x, type=F)
    first = b.call("add", b.call("nn.dense", b.call("exp", x, type=F), w, type=F), r, type=F)
    module = b.module(b.call("add", b.call("nn.dense", first, w, type=F), x, type=F))
    plan = plan_of(module, TEXT)
    assert [c.kernel for r in plan.regions for c in r.composites] == [
        "bm_dense_add_k0", "bm_dense_add_k1",
    ]  # fmt: skip
