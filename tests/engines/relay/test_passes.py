"""The passes: what they make of plans, checked in structure and in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.passes import ATTRIBUTE, plan_passes
from surgery.graph import Ref
from tests.engines.relay.plans import (
    Ask,
    Site,
    agree,
    array,
    calls,
    const,
    evaluate,
    ids,
    make_model,
    make_plan,
    operate,
)
from tests.regions import with_composite


def _attention() -> Any:
    """Return a model where a mask and a hidden state are used behind the middle."""
    x = relay.var("x", shape=(2, 4))
    w = relay.var("w", shape=(4, 4))
    w2 = relay.var("w2", shape=(4, 4))
    mask = relay.exp(x)
    hidden = relay.nn.relu(relay.nn.dense(x, w))
    parts = relay.split(hidden, 2, axis=1)
    value = relay.add(relay.nn.dense(relay.multiply(hidden, mask), w2), mask)
    body = relay.concatenate([parts[0], parts[1], value], axis=1)
    weights = {"w": array(4, 4, seed=1), "w2": array(4, 4, seed=2)}
    return make_model(relay.Function([x, w, w2], body), weights)


X = {"x": array(2, 4)}


def _first(model: Any, op: str) -> Ref:
    return Ref(ids(model.module.main, op)[0])


def _names(function: Any) -> list[str]:
    return [str(p.name_hint) for p in function.params]


# ---------------------------------------------------------------- outputs


def test_outputs_are_appended_and_the_rest_is_untouched() -> None:
    model = _attention()
    mask, hidden = _first(model, "exp"), _first(model, "nn.relu")
    plan = make_plan(model, Ask(outputs=[("mask", mask), ("hidden", hidden)]))
    before = model.ir["main"]
    text = model.ir.astext(show_meta_data=False)
    module = operate(model, plan)
    assert [str(s.info.name) for s in plan_passes(model, plan)] == [
        "surgery.ExposeOutputs",
        "surgery.InferType",
    ]
    found = evaluate(module, X, model.params)
    agree(found[:1], evaluate(model.ir, X, model.params))
    np.testing.assert_allclose(found[1], np.exp(X["x"]), rtol=1e-6)
    assert found[2].shape == (2, 4)
    assert calls(module["main"]) == calls(before)
    # The model's own module is as it was.
    assert model.ir["main"].same_as(before)
    assert model.ir.astext(show_meta_data=False) == text


def test_unchanged_outputs_need_no_pass() -> None:
    model = _attention()
    assert [str(s.info.name) for s in plan_passes(model, make_plan(model))] == ["surgery.InferType"]


def test_a_single_output_stays_a_tensor() -> None:
    model = _attention()
    plan = make_plan(model, Ask(outputs=[("mask", _first(model, "exp"))], only=True))
    main = operate(model, plan)["main"]
    assert calls(main) == ["exp"]
    assert main.ret_type == relay.TensorType((2, 4), "float32")


def test_a_tuple_typed_result_keeps_its_places() -> None:
    x = relay.var("x", shape=(2, 6))
    parts = relay.split(x, 3, axis=1)
    model = make_model(relay.Function([x], parts.astuple()))
    plan = make_plan(model, Ask(outputs=[("x again", Ref(0))]))
    module = operate(model, plan)
    found = evaluate(module, {"x": array(2, 6)}, {})
    agree(found, [*np.split(array(2, 6), 3, axis=1), array(2, 6)])


def test_nested_results_become_flat_and_empty_tuples_vanish() -> None:
    x = relay.var("x", shape=(2,))
    a, b, c = relay.exp(x), relay.tanh(x), relay.sqrt(x)
    body = relay.Tuple([relay.Tuple([a, relay.Tuple([])]), relay.Tuple([relay.Tuple([b]), a])])
    model = make_model(relay.Function([x], relay.Tuple([body, c])))
    plan = make_plan(model, Ask(outputs=[("b", _first(model, "tanh"))]))
    module = operate(model, plan)
    # `b` was an output already: no place is added, and nothing is changed.
    assert [o.index for o in plan.outputs] == [0, 1, 2, 3, 1]
    assert module["main"].body.checked_type == model.ir["main"].body.checked_type
    plan = make_plan(model, Ask(outputs=[("x too", Ref(0))]))
    module = operate(model, plan)
    v = array(2)
    agree(evaluate(module, {"x": v}, {}), [np.exp(v), np.tanh(v), np.exp(v), np.sqrt(v), v])
    assert len(module["main"].body.fields) == 5


def test_a_value_bound_by_let_becomes_an_output() -> None:
    x = relay.var("x", shape=(2,))
    a, b = relay.var("a"), relay.var("b")
    inner = relay.Let(b, relay.add(a, relay.const(1.0)), relay.multiply(b, a))
    model = make_model(relay.Function([x], relay.Let(a, relay.exp(x), inner)))
    plan = make_plan(model, Ask(outputs=[("sum", _first(model, "add"))]))
    module = operate(model, plan)
    main = module["main"]
    assert not relay.analysis.free_vars(main)
    assert calls(main) == ["exp", "add", "multiply"]  # computed once each
    v = array(2)
    agree(evaluate(module, {"x": v}, {}), [(np.exp(v) + 1) * np.exp(v), np.exp(v) + 1])


def test_a_conditional_value_cannot_be_an_output() -> None:
    model = _branches()
    graph = model.module.main
    inside = ids(graph, "tanh")[0]
    assert graph.scopes[inside] != 0
    with pytest.raises(SurgeryError) as caught:
        plan_passes(model, make_plan(model, Ask(outputs=[("t", Ref(inside))])))
    assert caught.value.diagnostics[0].code == "S300"


def _branches() -> Any:
    x = relay.var("x", shape=(3,))
    shared = relay.exp(x)
    condition = relay.less(relay.sum(x), relay.const(4.0))
    choice = relay.If(condition, relay.tanh(relay.negative(shared)), relay.sqrt(shared))
    return make_model(relay.Function([x], relay.add(choice, shared)))


# ---------------------------------------------------------------- stages


def test_all_crossing_values_are_passed_and_stages_are_closed() -> None:
    model = _attention()
    ask = Ask(outputs=[("mask", _first(model, "exp"))], cuts=[[_first(model, "nn.relu")]])
    # A mask that only the second stage uses is computed there; this cut takes it along.
    both = Ask(outputs=ask.outputs, cuts=[[_first(model, "nn.relu"), _first(model, "exp")]])
    for one, crossing in ((ask, 1), (both, 2)):
        plan = make_plan(model, one)
        assert len(plan.crossings) == crossing
        module = operate(model, plan)
        agree(
            evaluate(module, X, model.params),
            [*evaluate(model.ir, X, model.params), np.exp(X["x"])],
        )
        assert _names(module["main"]) == ["x", "w", "w2"]
        assert calls(module["main"]) == ["@stage_0", "@stage_1"]
        for stage in plan.stages:
            function = module[f"stage_{stage.index}"]
            assert not relay.analysis.free_vars(function)
            assert _names(function) == [i.name for i in stage.inputs] + list(stage.params)
    assert _names(module["stage_0"]) == ["x", "w"]


def test_no_input_is_a_variable_of_two_functions() -> None:
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    first = relay.nn.relu(relay.add(x, y))
    model = make_model(relay.Function([x, y], relay.multiply(relay.tanh(first), x)))
    plan = make_plan(model, Ask(cuts=[[_first(model, "nn.relu")], [_first(model, "tanh")]]))
    module = operate(model, plan)
    params = [p.handle.value for f in module.functions.values() for p in f.params]
    assert len(params) == len(set(params)) and "malformed" not in module.astext()
    feed = {"x": array(2), "y": array(2)}
    agree(evaluate(module, feed, {}), evaluate(model.ir, feed, {}))


def test_stage_ops_partition_the_model() -> None:
    model = _attention()
    plan = make_plan(model, Ask(cuts=[[_first(model, "nn.relu")], [_first(model, "multiply")]]))
    module = operate(model, plan)
    found = [op for i in range(3) for op in calls(module[f"stage_{i}"])]
    assert sorted(found) == sorted(calls(model.ir["main"]))
    agree(evaluate(module, X, model.params), evaluate(model.ir, X, model.params))


def test_a_tuple_crosses_as_the_fields_that_are_used() -> None:
    x = relay.var("x", shape=(2, 6))
    parts = relay.split(x, 3, axis=1)
    whole = parts.astuple()
    pair = relay.Tuple([relay.exp(parts[0]), relay.tanh(parts[2])])
    body = relay.add(relay.TupleGetItem(pair, 0), relay.sum(relay.TupleGetItem(pair, 1)))
    model = make_model(relay.Function([x], body))
    cut = Ref(ids(model.module.main, "split")[0])
    plan = make_plan(model, Ask(cuts=[[cut]]))
    module = operate(model, plan)
    assert [c.ref.path for c in plan.crossings] == [(0,), (2,)]
    assert all(isinstance(p.checked_type, relay.TensorType) for p in module["stage_1"].params)
    agree(evaluate(module, {"x": array(2, 6)}, {}), evaluate(model.ir, {"x": array(2, 6)}, {}))
    # A consumer of the whole tuple gets it put together again.
    model = make_model(relay.Function([x], relay.concatenate(whole, axis=0)))
    plan = make_plan(model, Ask(cuts=[[cut]]))
    module = operate(model, plan)
    assert len(plan.crossings) == 3
    agree(evaluate(module, {"x": array(2, 6)}, {}), evaluate(model.ir, {"x": array(2, 6)}, {}))


def test_a_tuple_literal_leaves_no_code_in_another_stage() -> None:
    x = relay.var("x", shape=(2,))
    first = relay.exp(x)
    pair = relay.Tuple([first, relay.tanh(first)])
    mid = relay.sqrt(relay.TupleGetItem(pair, 0))
    model = make_model(relay.Function([x], relay.add(mid, relay.TupleGetItem(pair, 1))))
    plan = make_plan(model, Ask(cuts=[[_first(model, "sqrt")]]))
    module = operate(model, plan)
    assert calls(module["stage_0"]) == ["exp", "sqrt"]
    assert calls(module["stage_1"]) == ["tanh", "add"]
    agree(evaluate(module, {"x": array(2)}, {}), evaluate(model.ir, {"x": array(2)}, {}))


def test_branches_move_with_their_owner() -> None:
    model = _branches()
    for cut in ("exp", "sum"):
        plan = make_plan(model, Ask(cuts=[[_first(model, cut)]]))
        module = operate(model, plan)
        assert {"tanh", "sqrt"} <= set(calls(module["stage_1"]))
        for scale in (0.1, 3.0):
            feed = {"x": array(3) * np.float32(scale)}
            agree(evaluate(module, feed, {}), evaluate(model.ir, feed, {}))


def test_function_literals_and_global_functions_are_carried() -> None:
    p = relay.var("p", shape=(2,))
    block = relay.GlobalVar("block")
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    literal = relay.Function([y], relay.add(y, relay.exp(x)))
    body = relay.Call(block, [relay.Call(literal, [relay.Call(block, [x])])])
    ir = tvm.IRModule(
        {
            block: relay.Function([p], relay.tanh(p), relay.TensorType((2,))),
            relay.GlobalVar("main"): relay.Function([x], body),
        }
    )
    model = make_model(ir)
    graph = model.module.main
    plan = make_plan(model, Ask(cuts=[[_first(model, "@block")]]))
    module = operate(model, plan)
    assert calls(module["stage_0"]) == ["@block"]
    assert graph.kinds.count("function") == 1
    agree(evaluate(module, {"x": array(2)}, {}), evaluate(model.ir, {"x": array(2)}, {}))


def test_shared_weights_go_to_every_stage_and_none_is_lost() -> None:
    x = relay.var("x", shape=(2, 4))
    w = relay.var("w", shape=(4, 4))
    double = relay.multiply(w, relay.const(2.0))
    first = relay.nn.relu(relay.nn.dense(x, w))
    model = make_model(
        relay.Function([x, w], relay.add(relay.nn.dense(first, w), relay.nn.dense(first, double))),
        {"w": array(4, 4)},
    )
    plan = make_plan(model, Ask(cuts=[[_first(model, "nn.relu")]]))
    module = operate(model, plan)
    assert _names(module["stage_0"]) == ["x", "w"]
    assert _names(module["stage_1"])[1:] == ["w"]
    assert len(plan.crossings) == 1
    agree(evaluate(module, X, model.params), evaluate(model.ir, X, model.params))


def test_two_outputs_of_one_value_and_an_input_as_output() -> None:
    x = relay.var("x", shape=(2,))
    e = relay.exp(x)
    model = make_model(relay.Function([x], relay.Tuple([e, relay.tanh(e), e])))
    plan = make_plan(model, Ask(outputs=[("same", Ref(0))], cuts=[[_first(model, "exp")]]))
    module = operate(model, plan)
    v = array(2)
    agree(evaluate(module, {"x": v}, {}), [np.exp(v), np.tanh(np.exp(v)), np.exp(v), v])


def test_a_stage_that_lacks_a_value_is_refused() -> None:
    from dataclasses import replace

    model = _attention()
    plan = make_plan(model, Ask(cuts=[[_first(model, "nn.relu")]]))
    second = replace(plan.stages[1], inputs=plan.stages[1].inputs[:-1])
    with pytest.raises(SurgeryError) as caught:
        operate(model, replace(plan, stages=(plan.stages[0], second)))
    assert caught.value.diagnostics[0].code == "S300"


# ---------------------------------------------------------------- regions


def _conv_block(bound: bool = True) -> Any:
    """Return the network of the BYOC report: reshape, conv2d, add, batch_norm, relu."""
    data = relay.var("data", shape=(1, 8, 6, 6))
    shapes = {"bias": (8,), "weight": (8, 8, 1, 1)}
    shapes |= dict.fromkeys(("gamma", "beta", "mean", "var"), (8,))
    v = {n: relay.var(n, shape=s) for n, s in shapes.items()}
    conv = relay.nn.conv2d(data, v["weight"], channels=8, kernel_size=(1, 1))
    total = relay.add(relay.reshape(v["bias"], (1, 8, 1, 1)), conv)
    norm = relay.nn.batch_norm(total, v["gamma"], v["beta"], v["mean"], v["var"])
    function = relay.Function([data, *v.values()], relay.nn.relu(norm[0]))
    weights = {n: array(*s, seed=i) for i, (n, s) in enumerate(shapes.items())}
    return make_model(function, weights if bound else {})


def _all_ops(model: Any, function: str = "main") -> list[int]:
    graph = model.module.functions[function]
    return [i for i in range(len(graph)) if graph.kinds[i] in ("call", "field")]


def test_the_kernel_takes_exactly_what_its_call_passes() -> None:
    model = _conv_block()
    feed = {"data": array(1, 8, 6, 6)}
    expected = evaluate(model.ir, feed, model.params)
    for pass_constants, names in ((False, ["data"]), (True, ["data", *model.params])):
        site = Site(nodes=_all_ops(model), pass_constants=pass_constants)
        plan = make_plan(model, Ask(sites=[site]))
        module = operate(model, plan)
        region = module["bmlib_0"]
        assert sorted(_names(region)) == sorted(names)
        assert _names(region)[0] == ("data" if not pass_constants else _names(region)[0])
        attrs = {k: str(region.attrs[k]) for k in region.attrs.keys()}  # noqa: SIM118
        assert attrs == {
            "Primitive": "1", "Inline": "1", "Compiler": "bmlib", "global_symbol": "bmlib_0",
        }  # fmt: skip
        composite = region.body.op
        assert str(composite.attrs["Composite"]) == "bmlib.block"
        assert (
            str(composite.attrs["PartitionedFromPattern"])
            == "reshape_nn.conv2d_add_nn.batch_norm_TupleGetItem0_nn.relu_"
        )
        arguments = list(region.body.args)
        assert arguments == list(region.params)
        types = [str(p.checked_type) for p in composite.params]
        assert types == [str(a.checked_type) for a in arguments]
        call = module["main"].body
        assert types == [str(a.checked_type) for a in call.args]
        assert calls(composite) == ["reshape", "nn.conv2d", "add", "nn.batch_norm", "nn.relu"]
        agree(evaluate(module, feed, model.params), expected)
        # Weights that are inside the region alone are no parameters of stages or of `@main`.
        assert calls(module["main"]) == ["@bmlib_0"]


def test_embedded_weights_leave_a_cut_model() -> None:
    model = _attention()
    graph = model.module.main
    dense = ids(graph, "nn.dense")[1]
    plan = make_plan(
        model,
        Ask(cuts=[[_first(model, "nn.relu")]], sites=[Site(nodes=[dense, *ids(graph, "add")])]),
    )
    module = operate(model, plan)
    assert _names(module["main"]) == ["x", "w"]
    assert "w2" not in _names(module["stage_1"])
    agree(evaluate(module, X, model.params), evaluate(model.ir, X, model.params))


def test_a_region_of_several_results_is_flat_and_its_caller_rebuilds_tuples() -> None:
    x = relay.var("x", shape=(2,))
    a = relay.exp(x)
    b = relay.tanh(a)
    c = relay.add(a, b)
    early = relay.sqrt(a)  # uses an early result of the region; has a smaller id than its last op
    body = relay.Tuple([relay.Tuple([early, a]), relay.Tuple([b, relay.negative(c)])])
    model = make_model(relay.Function([x], body))
    graph = model.module.main
    nodes = [*ids(graph, "exp"), *ids(graph, "tanh"), *ids(graph, "add")]
    plan = make_plan(model, Ask(sites=[Site(nodes=nodes)]))
    module = operate(model, plan)
    fields = module["bmlib_0"].ret_type.fields
    assert [str(t) for t in fields] == ["Tensor[(2), float32]"] * 3
    assert calls(module["main"]).count("@bmlib_0") == 1
    assert module["main"].checked_type.ret_type == model.ir["main"].checked_type.ret_type
    agree(evaluate(module, {"x": array(2)}, {}), evaluate(model.ir, {"x": array(2)}, {}))


def test_a_region_whose_tuple_is_used_whole() -> None:
    x = relay.var("x", shape=(2, 4))
    whole = relay.split(relay.exp(x), 2, axis=1)
    used = relay.concatenate(whole.astuple(), axis=0)
    model = make_model(relay.Function([x], relay.Tuple([used, whole[1]])))
    graph = model.module.main
    nodes = [*ids(graph, "exp"), *ids(graph, "split")]
    nodes += [i for i in range(len(graph)) if graph.kinds[i] == "field"]
    module = operate(model, make_plan(model, Ask(sites=[Site(nodes=nodes)])))
    assert len(module["bmlib_0"].ret_type.fields) == 2
    agree(evaluate(module, {"x": array(2, 4)}, {}), evaluate(model.ir, {"x": array(2, 4)}, {}))


def test_regions_in_other_functions_and_in_branches() -> None:
    p = relay.var("p", shape=(3,))
    block = relay.GlobalVar("block")
    x = relay.var("x", shape=(3,))
    choice = relay.If(
        relay.less(relay.sum(x), relay.const(4.0)),
        relay.tanh(relay.negative(x)),
        relay.Call(block, [x]),
    )
    ir = tvm.IRModule(
        {
            block: relay.Function([p], relay.sqrt(relay.exp(p)), relay.TensorType((3,))),
            relay.GlobalVar("main"): relay.Function([x], relay.Call(block, [choice])),
        }
    )
    model = make_model(ir)
    main, other = model.module.main, model.module.functions["block"]
    sites = [
        Site(nodes=[*ids(main, "negative"), *ids(main, "tanh")]),
        Site(nodes=[*ids(other, "exp"), *ids(other, "sqrt")], symbol="bmlib_1", function="block"),
    ]
    module = operate(model, make_plan(model, Ask(sites=sites)))
    assert calls(module["block"]) == ["@bmlib_1"]
    assert "@bmlib_0" in calls(module["main"])
    for scale in (0.1, 3.0):
        feed = {"x": array(3) * np.float32(scale)}
        agree(evaluate(module, feed, {}), evaluate(model.ir, feed, {}))


def test_one_value_passed_twice_stays_two_arguments() -> None:
    from dataclasses import replace

    x = relay.var("x", shape=(2,))
    model = make_model(relay.Function([x], relay.add(x, x)))
    plan = make_plan(model, Ask(sites=[Site(nodes=ids(model.module.main, "add"))]))
    (region,) = plan.regions
    (add,) = region.nodes
    twice = replace(
        region,
        arguments=(region.arguments[0], region.arguments[0]),
        slots={(add, 0): ("argument", 0), (add, 1): ("argument", 1)},
    )
    module = operate(model, replace(plan, regions=(with_composite(twice),)))
    assert _names(module["bmlib_0"]) == ["x", "x_1"]
    agree(evaluate(module, {"x": array(2)}, {}), [array(2) * 2])


def test_a_region_that_is_not_convex_or_not_closed_is_refused() -> None:
    from dataclasses import replace

    x = relay.var("x", shape=(2,))
    a = relay.exp(x)
    model = make_model(relay.Function([x], relay.add(relay.tanh(a), a)))
    graph = model.module.main
    plan = make_plan(model, Ask(sites=[Site(nodes=[*ids(graph, "exp"), *ids(graph, "add")])]))
    with pytest.raises(SurgeryError, match="depends on itself"):
        operate(model, plan)
    plan = make_plan(model, Ask(sites=[Site(nodes=[*ids(graph, "tanh"), *ids(graph, "add")])]))
    (region,) = plan.regions
    open_ = with_composite(replace(region, slots=dict(list(region.slots.items())[:1])))
    with pytest.raises(SurgeryError, match="not closed"):
        operate(model, replace(plan, regions=(open_,)))
    taken = replace(region, symbol="main")
    with pytest.raises(SurgeryError, match="is taken"):
        operate(model, replace(plan, regions=(taken,)))


# ---------------------------------------------------------------- weights


def test_bound_weights_become_constants_of_every_stage() -> None:
    model = _attention()
    plan = make_plan(model, Ask(bind=["w", "w2"], cuts=[[_first(model, "nn.relu")]]))
    module = operate(model, plan)
    for name in ("main", "stage_0", "stage_1"):
        assert not {"w", "w2"} & set(_names(module[name]))
    agree(evaluate(module, X, {}), evaluate(model.ir, X, model.params))
    assert _names(model.ir["main"]) == ["x", "w", "w2"]


def test_bound_weights_inside_and_beside_a_region() -> None:
    model = _conv_block()
    nodes = [n for n in _all_ops(model) if model.module.main.ops[n] != "reshape"]
    plan = make_plan(model, Ask(bind=list(model.params), sites=[Site(nodes=nodes)]))
    module = operate(model, plan)
    assert _names(module["main"]) == ["data"]
    feed = {"data": array(1, 8, 6, 6)}
    agree(evaluate(module, feed, {}), evaluate(model.ir, feed, model.params))


# ---------------------------------------------------------------- as real passes


def _full(model: Any) -> Ask:
    graph = model.module.main
    return Ask(
        outputs=[("mask", _first(model, "exp"))],
        cuts=[[_first(model, "nn.relu")]],
        sites=[Site(nodes=[ids(graph, "nn.dense")[1], *ids(graph, "add")])],
        bind=["w2"],
    )


@tvm.instrument.pass_instrument
class _Trace:
    def __init__(self) -> None:
        self.names: list[str] = []

    def run_after_pass(self, _module: Any, info: Any) -> None:
        self.names.append(str(info.name))


def test_the_passes_work_in_anyones_sequential_with_typing_between() -> None:
    model = _attention()
    plan = make_plan(model, _full(model))
    steps = plan_passes(model, plan)
    mixed = [s for step in steps for s in (step, relay.transform.InferType())]
    trace = _Trace()
    # A copy of the model, of which surgery has never seen an object.
    copy = tvm.ir.load_json(tvm.ir.save_json(model.ir))
    with tvm.transform.PassContext(opt_level=3, instruments=[trace]):
        module = tvm.transform.Sequential(mixed)(copy)
    assert [n for n in trace.names if n.startswith("surgery.")] == [
        "surgery.BindParams",
        "surgery.ExposeOutputs",
        "surgery.OutlineRegions",
        "surgery.SplitStages",
        "surgery.InferType",
    ]
    assert module.get_attr(ATTRIBUTE) is None
    assert tvm.ir.structural_equal(module, operate(model, plan))
    # The list can be used again.
    again = tvm.transform.Sequential(steps)(model.ir)
    assert tvm.ir.structural_equal(module, again)


def test_another_module_or_a_change_in_between_is_noticed() -> None:
    model = _attention()
    plan = make_plan(model, _full(model))
    steps = plan_passes(model, plan)
    x = relay.var("x", shape=(2, 4))
    with pytest.raises(SurgeryError) as caught:
        steps[0](tvm.IRModule.from_expr(relay.Function([x], relay.exp(x))))
    assert caught.value.diagnostics[0].code == "S302"
    module = relay.transform.InferType()(steps[0](model.ir))
    changed = relay.transform.ToANormalForm()(module)
    with pytest.raises(SurgeryError) as caught:
        steps[1](changed)
    assert caught.value.diagnostics[0].code == "S302"
    assert "prepare" in caught.value.diagnostics[0].remedy


def test_the_caller_s_module_is_never_changed() -> None:
    model = _attention()
    before = tvm.ir.save_json(model.ir)
    functions = {str(v.name_hint): f for v, f in model.ir.functions.items()}
    for portable in (False, True):
        operate(model, make_plan(model, _full(model)), portable=portable)
    assert tvm.ir.save_json(model.ir) == before
    for variable, function in model.ir.functions.items():
        assert function.same_as(functions[str(variable.name_hint)])


def test_source_names_survive_on_rebuilt_values() -> None:
    span = relay.Span(relay.SourceName("block/exp"), 0, 0, 0, 0)
    late = relay.Span(relay.SourceName("block/late"), 0, 0, 0, 0)
    x = relay.var("x", shape=(2,))
    first = relay.Call(relay.op.get("exp"), [x], span=span)
    second = relay.Call(relay.op.get("tanh"), [first], span=late)
    model = make_model(relay.Function([x], relay.negative(second)))
    module = operate(model, make_plan(model, Ask(cuts=[[_first(model, "exp")]])))
    inner = module["stage_1"].body.args[0]
    assert str(inner.span.source_name.name) == "block/late"


def test_forty_thousand_ops_in_a_chain() -> None:
    x = relay.var("x", shape=(2,))
    one = const(2)
    value: Any = x
    for place in range(40_000):
        value = relay.tanh(value) if place % 2 else relay.add(value, one)
    model = make_model(relay.Function([x], value))
    graph = model.module.main
    adds, tanhs = ids(graph, "add"), ids(graph, "tanh")
    middle = tanhs[10_000]
    sites = [
        Site(nodes=[adds[i], tanhs[i]], symbol=f"bmlib_{i}") for i in (5, 9_999, 10_001, 19_998)
    ]
    ask = Ask(outputs=[("early", Ref(tanhs[100]))], cuts=[[Ref(middle)]])
    plan = make_plan(model, ask)
    regions = _regions_of_chain(model, sites)
    module = operate(model, _with_regions(plan, regions))
    first, second = calls(module["stage_0"]), calls(module["stage_1"])
    # Four regions of two ops each stand as one call.
    assert len(first) + len(second) == 40_000 - 4
    assert first.count("@bmlib_5") == 1
    assert second.count("@bmlib_19998") == 1


def _with_regions(plan: Any, regions: Any) -> Any:
    from dataclasses import replace

    return replace(plan, regions=tuple(regions))


def _regions_of_chain(model: Any, sites: list[Site]) -> list[Any]:
    from surgery.graph import TensorType
    from surgery.planning.model import Region, RegionArgument, RegionConstant

    graph = model.module.main
    type_ = TensorType((2,), "float32")
    found = []
    for site in sites:
        add, tanh = site.nodes
        value, constant = graph.operands[add]
        found.append(
            with_composite(
                Region(
                    symbol=site.symbol,
                    backend="bmlib",
                    composite="bmlib.block",
                    pattern="add_tanh_",
                    function="main",
                    nodes=(add, tanh),
                    arguments=(RegionArgument(name="a", ref=Ref(value), type=type_),),
                    constants=(RegionConstant(name="c", node=constant, type=type_, embedded=True),),
                    slots={(add, 0): ("argument", 0), (add, 1): ("constant", 0)},
                    outputs=(Ref(tanh),),
                    output_types=(type_,),
                )
            )
        )
    return found
