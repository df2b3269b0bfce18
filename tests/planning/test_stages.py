"""Cuts: what crosses, what each stage holds; and that stages always compose to the model."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from surgery.diagnostics import SurgeryError
from surgery.graph import Graph, Module, TupleType
from surgery.planning import Plan, make_plan
from surgery.source import Source
from surgery.syntax import parse_text
from tests.graphs import GraphBuilder
from tests.planning.symbolic import staged, whole

F = "float32(2,4)"


def plan_of(module: Module, text: str) -> Plan:
    return make_plan(parse_text(Source(text, "spec.surgery")), module)


def fault(module: Module, text: str) -> SurgeryError:
    with pytest.raises(SurgeryError) as caught:
        plan_of(module, text)
    return caught.value


def chain() -> Module:
    """%0 = relu(x); %1 = exp(%0); %2 = tanh(%1); result = add(%2, %0)."""
    b = GraphBuilder()
    x = b.input("x", F)
    first = b.call("nn.relu", x, type=F, name="net/layer_0/relu")
    second = b.call("exp", first, type=F, name="net/layer_1/exp")
    third = b.call("tanh", second, type=F, name="net/layer_2/tanh")
    return b.module(b.call("add", third, first, type=F, name="net/layer_3/add"))


def test_every_value_that_crosses_is_found_whoever_needs_it() -> None:
    plan = plan_of(chain(), "cut after %1")
    assert [(c.name, c.source, c.targets) for c in plan.crossings] == [
        ("net/layer_0/relu", 0, (1,)), ("net/layer_1/exp", 0, (1,)),
    ]  # fmt: skip
    graph = plan.module.main
    assert [[graph.label(u) for u in c.uses] for c in plan.crossings] == [["result"], ["%2"]]
    assert [[i.name for i in s.inputs] for s in plan.stages] == [
        ["x"], ["net/layer_0/relu", "net/layer_1/exp"],
    ]  # fmt: skip


def test_a_value_crosses_directly_into_several_stages() -> None:
    plan = plan_of(chain(), "cut after %1; cut after %2; output %0 as first")
    first = next(c for c in plan.crossings if c.name == "first")
    assert (first.source, first.targets) == (0, (2,))
    assert [len(s.nodes) for s in plan.stages] == [2, 1, 1]


def test_cut_before_leaves_the_op_to_the_next_stage() -> None:
    after, before = plan_of(chain(), "cut after layer_1"), plan_of(chain(), "cut before layer_2")
    assert [s.nodes for s in after.stages] == [s.nodes for s in before.stages]


def test_cuts_in_the_wrong_order_show_the_path() -> None:
    failure = fault(chain(), "cut after layer_2\ncut after layer_1")
    (only,) = failure.diagnostics
    assert only.code == "S272" and only.span is not None and only.span.line == 2
    assert only.notes == ("path: %1 (exp) -> %2 (tanh)",)


@pytest.mark.parametrize("text", ["cut after %1; cut after %1", "cut after %x", "cut after result"])
def test_an_empty_stage_is_refused(text: str) -> None:
    assert {d.code for d in fault(chain(), text).diagnostics} == {"S273"}


def test_all_faults_of_a_spec_are_reported() -> None:
    failure = fault(chain(), "output %99 as a\noutput %0 as x\ncut after layer_9")
    lines = {d.span.line for d in failure.diagnostics if d.span is not None}
    assert lines == {1, 2, 3}


def weights() -> Module:
    """A weight used on both sides of a cut, and a value that depends on weights only."""
    b = GraphBuilder()
    x, w = b.input("x", "float32(1,4)"), b.param("w", "float32(4,4)")
    first = b.call("nn.relu", b.call("nn.dense", x, w, type="float32(1,4)"), type="float32(1,4)")
    doubled = b.call("multiply", w, b.constant(type="float32()"), type="float32(4,4)")
    second = b.call("nn.dense", first, doubled, type="float32(1,4)")
    third = b.call("nn.dense", second, w, type="float32(1,4)")
    return b.module(b.call("tanh", third, type="float32(1,4)"))


def test_weights_never_cross_and_each_stage_has_its_own() -> None:
    plan = plan_of(weights(), "cut after %1")
    assert [c.name for c in plan.crossings] == ["v1"]
    assert [s.params for s in plan.stages] == [("w",), ("w",)]
    assert [s.param_bytes for s in plan.stages] == [64, 64]
    assert any(n.code == "S292" and "%2" in n.message for n in plan.notes)


def shared_weight_value() -> Module:
    """%0 depends on a weight only and is used on both sides of a cut after %1."""
    b = GraphBuilder()
    x, w = b.input("x", F), b.param("w", F)
    mask = b.call("exp", w, type=F)
    first = b.call("add", x, mask, type=F)
    return b.module(b.call("add", first, mask, type=F))


def test_share_by_recompute_sends_nothing_and_says_what_it_costs() -> None:
    module = shared_weight_value()
    transfer = plan_of(module, "cut after %1")
    assert [(c.name, c.runtime_dependent) for c in transfer.crossings] == [
        ("v0", False), ("v1", True),
    ]  # fmt: skip
    assert any(n.code == "S290" and "recompute" in n.remedy for n in transfer.notes)
    recompute = plan_of(module, "cut after %1; share %0 by recompute")
    assert [c.name for c in recompute.crossings] == ["v1"]
    assert [s.params for s in recompute.stages] == [("w",), ("w",)]
    assert recompute.stages[1].recomputed == (module.main.by_number[0],)
    assert staged(recompute) == staged(transfer)


def tuples() -> Module:
    b = GraphBuilder()
    x = b.input("x", "float32(2,6)")
    split = b.call("split", b.call("nn.relu", x, type="float32(2,6)"), type=f"{F};{F};{F}")
    left, right = b.field(split, 0), b.field(split, 2)
    return b.module(
        b.call("add", b.call("tanh", left, type=F), b.call("exp", right, type=F), type=F)
    )


def test_tuples_cross_as_the_fields_that_are_used() -> None:
    plan = plan_of(tuples(), "cut after %1")
    assert [(c.name, str(c.type)) for c in plan.crossings] == [
        ("v1.0", "float32(2,4)"), ("v1.2", "float32(2,4)"),
    ]  # fmt: skip


def test_a_whole_tuple_used_later_crosses_as_all_its_fields() -> None:
    b = GraphBuilder()
    split = b.call("split", b.input("x", "float32(2,8)"), type=f"{F};{F}")
    module = b.module(b.call("concatenate", split, type="float32(2,8)"))
    plan = plan_of(module, "cut after %0")
    assert [c.ref.path for c in plan.crossings] == [(0,), (1,)]


def conditional() -> Module:
    b = GraphBuilder()
    x = b.input("x", F)
    first = b.call("nn.relu", x, type=F)
    flag = b.call("greater", b.call("max", first, type="float32()"), b.constant(), type="bool()")
    with b.scope("then") as then:
        a = b.call("tanh", first, type=F)
    with b.scope("else") as other:
        e = b.call("exp", first, type=F)
    choice = b.if_(flag, a, e, then, other)
    return b.module(b.call("add", first, choice, type=F))


def test_a_branch_is_no_place_for_a_cut_or_an_output() -> None:
    (cut,) = fault(conditional(), "cut after %3").diagnostics
    assert cut.code == "S271" and "%3 is conditional" in cut.message
    (output,) = fault(conditional(), "output %3 as a").diagnostics
    assert output.code == "S271" and output.remedy.startswith("use %5")


def test_an_if_belongs_to_one_stage_which_runs_on_the_vm() -> None:
    plan = plan_of(conditional(), "cut after %0")
    assert [c.uses for c in plan.crossings] and len(plan.crossings) == 1
    assert [s.executor for s in plan.stages] == ["graph", "vm"]
    assert "%5 is an if" in plan.stages[1].executor_reason


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Random graphs: shared values, tuples, multi-result ops, weights, dead code, pass-through."""
    b = GraphBuilder()
    tensors = [b.input("x", F), b.input("y", F), b.param("w", F), b.param("v", F)]
    multi: list[int] = []
    for _ in range(draw(st.integers(3, 16))):
        pick = st.sampled_from(tensors)
        match draw(st.sampled_from(["unary", "binary", "binary", "multi", "field", "concat"])):
            case "unary":
                tensors.append(b.call("nn.relu", draw(pick), type=F))
            case "binary":
                tensors.append(b.call("add", draw(pick), draw(pick), type=F))
            case "multi":
                multi.append(b.call("split", draw(pick), type=f"{F};{F}"))
            case "field" if multi:
                tensors.append(b.field(draw(st.sampled_from(multi)), draw(st.integers(0, 1))))
            case "pair":
                pair = b.tuple(draw(pick), draw(pick))
                tensors.append(b.field(pair, draw(st.integers(0, 1))))
            case "concat":
                whole_tuple = (
                    draw(st.sampled_from(multi))
                    if multi and draw(st.booleans())
                    else b.tuple(draw(pick), draw(pick))
                )
                tensors.append(b.call("concatenate", whole_tuple, type=F))
            case _:
                pass
    last = b.call("add", tensors[-1], tensors[0], type=F)
    if draw(st.booleans()):
        last = b.tuple(last, draw(st.sampled_from(tensors)), b.call("exp", last, type=F))
    return b.graph(last)


def _value(graph: Graph, number: int) -> str:
    fields = isinstance(graph.types[graph.by_number[number]], TupleType)
    return f"%{number}.*" if fields else f"%{number}"


@settings(max_examples=300, deadline=None)
@given(graphs(), st.data())
def test_stages_compose_to_the_model(graph: Graph, data: st.DataObject) -> None:
    module = Module(functions={"main": graph}, has_source_names=False)
    numbers = sorted(graph.by_number)
    assume(numbers)
    cuts = data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=3))
    outputs = data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=3))
    shares = data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=2))
    text = "\n".join(
        [f"cut {data.draw(st.sampled_from(['after', 'before']))} %{n}" for n in cuts]
        + [f"output {_value(graph, n)} as o{n}" for n in outputs]
        + [f"share %{n} by {data.draw(st.sampled_from(['transfer', 'recompute']))}" for n in shares]
    )  # fmt: skip
    try:
        plan = plan_of(module, text)
    except SurgeryError as failure:
        # Random cuts may be in the wrong order or leave nothing; nothing else may go wrong.
        codes = {d.code for d in failure.diagnostics if d.severity == "error"}
        assert codes <= {"S272", "S273"}, failure
        return
    expected = whole(graph, [o.ref for o in plan.outputs])
    assert staged(plan) == dict(zip([o.name for o in plan.outputs], expected, strict=True))
    produced = {(s.index, o.name) for s in plan.stages for o in s.outputs}
    for stage in plan.stages:
        assert stage.op_count or stage.nodes
        assert len({i.name for i in stage.inputs} | set(stage.params)) == len(stage.inputs) + len(
            stage.params
        )
        for value in stage.inputs:
            assert value.source is None or (
                value.source < stage.index and (value.source, value.name) in produced
            )


def test_a_share_that_decides_nothing_is_said() -> None:
    for text in ("share %2 by recompute", "share %x by recompute", "share %1 by transfer"):
        plan = plan_of(chain(), f"cut after %0; {text}")
        assert [n.message for n in plan.notes if n.code == "S298"] == [f"`{text}` changes nothing"]
    plan = plan_of(chain(), "cut after %1; share %0 by recompute")
    assert not [n for n in plan.notes if n.code == "S298"]


def test_a_stage_that_only_others_compute_again_is_refused() -> None:
    failure = fault(chain(), "cut after %0; share %0 by recompute")
    assert [d.code for d in failure.diagnostics if d.severity == "error"] == ["S273"]
    assert "share ... by recompute" in failure.diagnostics[0].reason
