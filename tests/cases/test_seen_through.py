"""What a pattern sees through, and what it doesn't: tuple literals, annotations, `let`.

Kinds of the situations 25, 27, 28 and 33.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.planning import Plan
from tests.cases.support import reasons

FIELD = relay.TupleGetItem


def write(body: relay.Expr, folder: Path) -> Path:
    function = relay.Function(relay.analysis.free_vars(body), body)
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    path = folder / "model.json"
    path.write_text(tvm.ir.save_json(module))
    return path


def applied(body: relay.Expr, text: str, folder: Path) -> Plan:
    """Apply a spec; the outputs must agree with the original's."""
    model = write(body, folder)
    done = api.apply(api.parse_spec(text), folder / "out", model=model, verify=True)
    assert done.verification is not None and done.verification.passed
    return done.plan


def told(body: relay.Expr, text: str, folder: Path) -> dict[str, str]:
    """Return why the sites of a pattern that takes none were rejected."""
    plan = api.plan(api.parse_spec(f"{text} optional"), model=write(body, folder)).plan
    assert not plan.regions
    return reasons(plan)


def value() -> relay.Var:
    return relay.var("x", shape=(1, 4, 2, 2))


def stop(x: relay.Expr) -> relay.Expr:
    return relay.annotation.stop_fusion(x)


# -- a field of a tuple literal is its element


def test_an_element_of_a_tuple_is_the_op_that_computes_it(tmp_path: Path) -> None:
    x = value()
    pair = relay.Tuple([relay.Tuple([relay.tanh(x), relay.exp(x)]), x])
    plan = applied(
        relay.nn.relu(FIELD(FIELD(pair, 0), 0)), "offload pattern tanh>relu to b", tmp_path
    )
    (region,) = plan.regions
    assert region.pattern == "tanh_nn.relu_" and [a.name for a in region.arguments] == ["x"]


def test_elements_of_one_tuple_are_told_apart(tmp_path: Path) -> None:
    x = value()
    pair = relay.Tuple([relay.tanh(x), relay.exp(x)])
    body = relay.multiply(relay.nn.relu(FIELD(pair, 0)), relay.add(FIELD(pair, 0), FIELD(pair, 1)))
    plan = applied(body, "offload pattern exp>add to b", tmp_path)
    assert [[a.name for a in r.arguments] for r in plan.regions] == [["x", "lhs"]]
    found = told(body, "offload pattern tanh>relu to b", tmp_path)
    assert found == {"%6": "%0 (tanh) is used outside the match by: %7 (add)"}
    whole = "offload pattern multiply(relu(t:tanh(*)), add(t, exp(*))) to b"
    assert len(applied(body, whole, tmp_path).regions) == 1


def test_a_tuple_that_is_taken_whole_holds_on_to_its_elements(tmp_path: Path) -> None:
    x = value()
    pair = relay.Tuple([relay.tanh(x), relay.exp(x)])
    body = relay.Tuple([relay.nn.relu(FIELD(pair, 0)), relay.concatenate(pair, axis=0)])
    found = told(body, "offload pattern tanh>relu to b", tmp_path)
    assert found == {"%5": "%0 (tanh) is used outside the match by: %6 (concatenate)"}
    found = told(body, "offload pattern tanh>exp>concatenate to b", tmp_path)
    assert found == {"%6": "%0 (tanh) is used outside the match by: %5 (nn.relu)"}


def test_a_field_of_an_op_in_a_tuple(tmp_path: Path) -> None:
    x = value()
    parts = relay.split(x, 2, axis=1).astuple()
    pair = relay.Tuple([FIELD(parts, 1), relay.tanh(x)])
    body = relay.add(relay.nn.relu(FIELD(pair, 0)), relay.exp(FIELD(parts, 1)))
    text = "offload pattern add(relu(s:split.1), exp(s)) to b"
    assert len(applied(body, text, tmp_path).regions) == 1
    found = told(body, "offload pattern split.1>relu to b", tmp_path)
    assert list(found.values()) == ["%0 (split) is used outside the match by: %7 (exp)"]


# -- annotations


def test_annotations_in_a_row(tmp_path: Path) -> None:
    body = relay.tanh(stop(stop(relay.nn.relu(value()))))
    found = told(body, "offload pattern relu>tanh to b", tmp_path)
    assert found["result"] == (
        "annotation.stop_fusion (%2) stands between %0 (nn.relu) and result (tanh): "
        "`ignore annotations` sees through it"
    )
    plan = applied(body, "offload pattern relu>tanh to b ignore annotations", tmp_path)
    assert len(plan.regions) == 1


def test_an_annotation_that_others_read_too(tmp_path: Path) -> None:
    marked = stop(relay.nn.relu(value()))
    body = relay.add(relay.tanh(marked), relay.exp(marked))
    found = told(body, "offload pattern relu>tanh to b ignore annotations", tmp_path)
    assert found == {"%2": "%0 (nn.relu) is used outside the match by: %3 (exp)"}
    text = "offload pattern add(tanh(r:relu), exp(r)) to b ignore annotations"
    plan = applied(body, text, tmp_path)
    assert [[a.name for a in r.arguments] for r in plan.regions] == [["x"]]


@pytest.mark.parametrize(
    "statement", ["offload pattern relu to b", "output %1 as y", "cut after %1"]
)
def test_marks_of_an_unfinished_partitioning_are_refused(statement: str, tmp_path: Path) -> None:
    begin = relay.annotation.compiler_begin(value(), "dnnl")
    body = relay.tanh(relay.annotation.compiler_end(relay.nn.relu(begin), "dnnl"))
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec(statement), model=write(body, tmp_path))
    (only,) = caught.value.diagnostics
    assert only.code == "S293" and "already annotated" in only.message


# -- let


def test_lets_are_not_seen_through_but_can_be_taken_away(tmp_path: Path) -> None:
    x, a, b = value(), relay.var("a"), relay.var("b")
    body = relay.Let(
        a, relay.add(x, x), relay.Let(b, relay.nn.relu(a), relay.tanh(relay.add(b, a)))
    )
    found = told(body, "offload pattern add>relu to l", tmp_path)
    assert found == {
        "%b": "%a (add) is bound by let %a: `prepare ToGraphNormalForm` takes lets away and "
        "numbers values anew"
    }
    # What is bound by `let` is an ordinary operand of what isn't, and may be cut and output.
    for text in (
        "offload pattern add>tanh to l",
        "cut after %a",
        "output %b as y; cut after %b; offload pattern add>tanh to l",
        "prepare ToGraphNormalForm; offload pattern relu>add>tanh to l",
    ):
        applied(body, text, tmp_path)
