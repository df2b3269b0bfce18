"""The rebuilder against TVM's own substitution, on random graphs."""

from __future__ import annotations

from typing import Any

import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.rebuild import Rebuilder
from surgery.engines.relay.view import view
from surgery.graph import Ref
from tests.engines.relay.plans import (
    Ask,
    agree,
    array,
    evaluate,
    ids,
    make_model,
    make_plan,
    operate,
)


@st.composite
def functions(draw: st.DrawFn) -> Any:
    """Return a function of (2, 4) tensors with shared values, tuples, splits and norms."""
    inputs = [relay.var(f"x{i}", shape=(2, 4)) for i in range(draw(st.integers(1, 3)))]
    weights = [relay.var(f"w{i}", shape=(4,)) for i in range(4)]
    values: list[Any] = list(inputs)
    used_norm = False
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["unary", "binary", "split", "tuple", "norm", "concat"]))
        a = draw(st.sampled_from(values))
        b = draw(st.sampled_from(values))
        match kind:
            case "unary":
                values.append(draw(st.sampled_from([relay.tanh, relay.sigmoid, relay.negative]))(a))
            case "binary":
                values.append(
                    draw(st.sampled_from([relay.add, relay.subtract, relay.maximum]))(a, b)
                )
            case "split":
                parts = relay.split(a, 2, axis=0)
                values.append(relay.concatenate([parts[0], parts[draw(st.integers(0, 1))]], axis=0))
            case "tuple":
                # TVM's VM cannot place a tuple of nothing but inputs.
                pair = relay.Tuple([relay.negative(a), b])
                values.append(relay.TupleGetItem(pair, draw(st.integers(0, 1))))
            case "norm":
                used_norm = True
                values.append(relay.nn.batch_norm(a, *weights)[0])
            case "concat":
                both = relay.concatenate(relay.Tuple([a, b]), axis=1)
                values.append(relay.strided_slice(both, begin=[0, 2], end=[2, 6]))
    count = draw(st.integers(1, 3))
    results = [draw(st.sampled_from(values)) for _ in range(count)]
    results[0] = values[-1]
    body = results[0] if count == 1 else relay.Tuple(results)
    free = {str(v.name_hint) for v in relay.analysis.free_vars(body)}
    params = [v for v in (*inputs, *(weights if used_norm else [])) if str(v.name_hint) in free]
    return relay.Function(params, body)


FEED = {f"x{i}": array(2, 4, seed=i) - 1 for i in range(3)}
WEIGHTS = {f"w{i}": array(4, seed=10 + i) + 1 for i in range(4)}


def _needed(function: Any, values: dict[str, Any]) -> dict[str, Any]:
    names = {str(p.name_hint) for p in function.params}
    return {k: v for k, v in values.items() if k in names}


@settings(max_examples=60, deadline=None)
@given(functions())
def test_nothing_replaced_is_the_same_object(function: Any) -> None:
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    picture, exprs = view(module)
    graph = picture.main
    rebuilder = Rebuilder(graph=graph, exprs=exprs["main"])
    (body,) = rebuilder.values([Ref(graph.result)])
    if all(graph.operands[f][0] == graph.resolve(f).node for f in graph.fields):
        assert body.same_as(module["main"].body)
    # Fields of tuple literals are seen through; all else stays.
    params = module["main"].params
    expected = relay.Function(params, _fold(module["main"].body))
    assert tvm.ir.structural_equal(relay.Function(params, body), expected)


class _Fold(relay.ExprMutator):  # type: ignore[misc]
    """Takes fields of tuple literals apart, as the rebuilder does."""

    def visit_tuple_getitem(self, op: Any) -> Any:
        inner = self.visit(op.tuple_value)
        if isinstance(inner, relay.Tuple):
            return inner.fields[op.index]
        return relay.TupleGetItem(inner, op.index)


def _fold(body: Any) -> Any:
    return _Fold().visit(body)


@settings(max_examples=60, deadline=None)
@given(functions())
def test_replacing_inputs_equals_tvm_s_own_binding(function: Any) -> None:
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    picture, exprs = view(module)
    graph = picture.main
    old = list(module["main"].params)
    new = [relay.var(f"n{i}", p.checked_type) for i, p in enumerate(old)]
    replace = {Ref(i): v for i, v in zip(graph.params, new, strict=True)}
    rebuilder = Rebuilder(graph=graph, exprs=exprs["main"], replace=replace)
    (body,) = rebuilder.values([Ref(graph.result)])
    expected = relay.bind(module["main"].body, dict(zip(old, new, strict=True)))
    assert not rebuilder.used & set(graph.params)
    assert tvm.ir.structural_equal(relay.Function(new, body), relay.Function(new, _fold(expected)))


@settings(max_examples=12, deadline=None)
@given(functions(), st.data())
def test_stages_of_random_cuts_compose_to_the_model(function: Any, data: st.DataObject) -> None:
    model = make_model(function, _needed(function, WEIGHTS))
    graph = model.module.main
    code = [i for i in range(len(graph)) if graph.kinds[i] == "call"]
    if len(code) < 2:
        return
    cuts = sorted(data.draw(st.sets(st.sampled_from(code[:-1]), min_size=1, max_size=2)))
    plan = make_plan(model, Ask(cuts=[[Ref(c)] for c in cuts]))
    if any(not stage.nodes for stage in plan.stages):
        return
    feed = _needed(function, FEED)
    module = operate(model, plan)
    agree(evaluate(module, feed, model.params), evaluate(model.ir, feed, model.params))


def test_only_what_depends_on_a_change_is_rebuilt() -> None:
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    left, right = relay.exp(x), relay.tanh(y)
    model = make_model(relay.Function([x, y], relay.add(left, right)))
    graph, exprs = model.module.main, model.exprs["main"]
    new = relay.var("new", shape=(2,))
    rebuilder = Rebuilder(graph=graph, exprs=exprs, replace={Ref(graph.params[1]): new})
    (body,) = rebuilder.values([Ref(graph.result)])
    assert body.args[0].same_as(exprs[ids(graph, "exp")[0]])
    assert body.args[1].args[0].same_as(new)
    assert rebuilder.used == {graph.params[0]}


def test_what_surgery_does_not_look_into_is_carried_or_refused() -> None:
    x = relay.var("x", shape=(2,))
    cell = relay.RefCreate(relay.exp(x))
    model = make_model(relay.Function([x], relay.tanh(relay.RefRead(cell))))
    graph, exprs = model.module.main, model.exprs["main"]
    carried = Rebuilder(graph=graph, exprs=exprs).values([Ref(graph.result)])
    assert carried[0].same_as(exprs[graph.result])
    new = relay.var("new", shape=(2,))
    with pytest.raises(SurgeryError) as caught:
        Rebuilder(graph=graph, exprs=exprs, replace={Ref(graph.params[0]): new}).values(
            [Ref(graph.result)]
        )
    assert caught.value.diagnostics[0].code == "S301"
