"""``bind`` and ``prepare`` on a copy: types, constants, passes and what is lost on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.loader import load
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.prepare import prepare
from surgery.engines.relay.view import enumerate_exprs
from surgery.graph import TensorType
from surgery.syntax.ast import Value


def named(call: relay.Call, name: str) -> relay.Call:
    span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
    return relay.Call(call.op, call.args, call.attrs, call.type_args, span)


def conv_net() -> RelayModel:
    x = relay.var("x", shape=(1, 3, 8, 8))
    w = relay.var("w", shape=(4, 3, 3, 3))
    norm = [relay.var(n, shape=(4,)) for n in ("gamma", "beta", "mean", "var")]
    y = named(relay.nn.conv2d(x, w, padding=(1, 1)), "conv")
    y = relay.TupleGetItem(named(relay.nn.batch_norm(y, *norm).astuple(), "bn"), 0)
    y = named(relay.nn.relu(y), "relu")
    values = {"w": np.ones((4, 3, 3, 3), "float32")}
    values |= {p.name_hint: np.full(4, 0.5, "float32") for p in norm}
    return adopt(tvm.IRModule.from_expr(relay.Function([x, w, *norm], y)), values)


def dynamic() -> RelayModel:
    x = relay.var("x", shape=(relay.Any(), 4))
    w = relay.var("w", shape=(3, 4))
    y = named(relay.nn.softmax(named(relay.nn.dense(x, w), "head/MatMul")), "head/Softmax")
    return adopt(
        tvm.IRModule.from_expr(relay.Function([x, w], y)), {"w": np.ones((3, 4), "float32")}
    )


def state(model: RelayModel) -> tuple[str, int, list[str]]:
    graph = model.module.main
    described = [graph.describe(i) for i in range(len(graph))]
    return str(model.ir), tvm.ir.structural_hash(model.ir, map_free_vars=True), described


def failure(
    model: RelayModel,
    inputs: dict[str, TensorType] | None = None,
    passes: list[tuple[str, tuple[Value, ...]]] | None = None,
    bind: tuple[str, ...] = (),
) -> SurgeryError:
    before = state(model)
    with pytest.raises(SurgeryError) as caught:
        prepare(model, inputs or {}, passes or [], bind)
    assert state(model) == before
    for found in caught.value.diagnostics:
        assert "\n" not in found.reason
    return caught.value


def test_nothing_to_do_is_the_same_model() -> None:
    model = dynamic()
    assert prepare(model, {}, []) is model


def test_binding_an_input_types_everything_after_it() -> None:
    model = dynamic()
    before = state(model)
    bound = prepare(model, {"x": TensorType((2, 4), "float32")}, [])
    graph = bound.module.main
    assert str(graph.types[graph.params[0]]) == "float32(2,4)"
    assert str(graph.types[graph.result]) == "float32(2,3)"
    assert [graph.names[i] for i in graph.params] == ["x", "w"]
    assert graph.names[graph.result] == "head/Softmax"
    assert graph.kinds[:2] == ["input", "param"]
    assert bound.exprs["main"] == enumerate_exprs(bound.ir["main"])
    assert bound.notes == ()
    assert state(model) == before


def test_binding_weights_makes_constants_of_their_name() -> None:
    model = conv_net()
    before = state(model)
    bound = prepare(model, {}, [], ("w", "beta"))
    graph = bound.module.main
    assert [graph.names[i] for i in graph.params] == ["x", "gamma", "mean", "var"]
    assert sorted(graph.names[n.id] or "" for n in graph if n.kind == "constant") == ["beta", "w"]
    assert sorted(bound.params) == ["gamma", "mean", "var"]
    constant = next(e for e in bound.exprs["main"] if isinstance(e, relay.Constant))
    kept = next(a for a in model.params.values() if a.shape == constant.data.shape)
    assert constant.data.handle.contents.data == kept.handle.contents.data
    assert sorted(model.params) == ["beta", "gamma", "mean", "var", "w"]
    assert state(model) == before


def test_passes_run_in_order_on_a_copy() -> None:
    model = conv_net()
    before = state(model)
    done = prepare(model, {}, [("SimplifyInference", ()), ("FoldConstant", ())])
    ops = [n.op for n in done.module.main if n.kind == "call"]
    assert "nn.batch_norm" not in ops
    assert ops.count("nn.conv2d") == 1
    assert state(model) == before
    assert any("saw the weights as variables" in n for n in done.notes)


def test_with_weights_bound_first_folding_folds_them() -> None:
    model = conv_net()
    steps: list[tuple[str, tuple[Value, ...]]] = [("SimplifyInference", ()), ("FoldConstant", ())]
    done = prepare(model, {}, steps, tuple(model.params))
    ops = [n.op for n in done.module.main if n.kind == "call"]
    assert ops == ["nn.conv2d", "multiply", "add", "nn.relu"]
    assert not any("saw the weights" in n for n in done.notes)
    loose = prepare(model, {}, steps)
    assert len([n for n in loose.module.main if n.kind == "call"]) > len(ops)


def test_names_survive_where_spans_do() -> None:
    model = conv_net()
    done = prepare(model, {}, [("FoldConstant", ()), ("InferType", ())])
    graph = done.module.main
    assert graph.names[graph.result] == "relu"
    assert not any("source name" in n for n in done.notes)


def test_passes_take_arguments() -> None:
    done = prepare(conv_net(), {}, [("ToMixedPrecision", ("float16",))])
    graph = done.module.main
    conv = next(n for n in graph if n.op == "nn.conv2d")
    assert str(conv.type) == "float16(1,4,8,8)"
    layouts: Value = ("nn.conv2d", ("NHWC", "default"))
    assert layouts
    (found,) = failure(conv_net(), passes=[("ToMixedPrecision", (1, 2, 3, 4))]).diagnostics
    assert found.code == "S405"
    assert "ToMixedPrecision(" in found.remedy


@pytest.mark.parametrize("name", ["FoldConstnat", "foldconstant", "PassContext", "tvm", "_ffi_api"])
def test_unknown_passes_suggest_the_nearest(name: str) -> None:
    (found,) = failure(conv_net(), passes=[(name, ())]).diagnostics
    assert found.code == "S403"
    if name.lower().startswith("fold"):
        assert "FoldConstant" in found.remedy


def test_a_failing_pass_gives_one_reason(capfd: pytest.CaptureFixture[str]) -> None:
    x = relay.var("x", shape=(2,))
    model = adopt(tvm.IRModule.from_expr(relay.Function([x], relay.exp(x))))
    found = failure(model, passes=[("ConvertLayout", (5,))]).diagnostics[0]
    assert found.code in ("S404", "S405")
    assert found.reason
    assert capfd.readouterr() == ("", "")


def test_wrong_inputs_are_all_reported() -> None:
    wrong = {
        "xx": TensorType((1, 4), "float32"),
        "x": TensorType((4,), "float32"),
        "w": TensorType((3, 4), "int8"),
    }
    found = failure(dynamic(), wrong).diagnostics
    assert [d.code for d in found] == ["S406"] * 3
    assert "did you mean 'x'" in found[0].remedy
    assert "the model has it as float32(?,4)" in found[1].reason
    assert "rank and dtype must stay" in found[2].reason


def test_types_that_do_not_go_together_are_refused() -> None:
    x, b = relay.var("x", shape=(1, 4)), relay.var("b", shape=(4,))
    model = adopt(tvm.IRModule.from_expr(relay.Function([x, b], relay.exp(relay.add(x, b)))))
    found = failure(model, {"x": TensorType((1, 5), "float32")}).diagnostics[0]
    assert found.code == "S506"
    assert "%0 = add(%x, %b)" in found.message
    assert "Incompatible broadcast" in found.reason


def test_weights_without_a_value_cannot_be_bound() -> None:
    (found,) = failure(conv_net(), bind=("gama",)).diagnostics
    assert found.code == "S406"
    assert "'gamma'" in found.remedy


def test_inline_puts_the_bodies_of_functions_where_they_are_called() -> None:
    p, x = relay.var("p", shape=(2,)), relay.var("x", shape=(2,))
    inner, outer, loop = (relay.GlobalVar(n) for n in ("inner", "outer", "loop"))
    result = relay.TensorType((2,))
    module = tvm.IRModule(
        {
            inner: relay.Function([p], relay.nn.relu(p), result),
            outer: relay.Function([p], relay.exp(relay.Call(inner, [p])), result),
            loop: relay.Function([p], relay.Call(loop, [p]), result),
            relay.GlobalVar("main"): relay.Function(
                [x], relay.add(relay.Call(outer, [x]), relay.Call(outer, [relay.Call(loop, [x])]))
            ),
        }
    )
    model = prepare(adopt(module), {}, [("Inline", ())])
    main = model.module.main
    assert sorted(op for op in main.ops if op) == [
        "@loop", "add", "exp", "exp", "nn.relu", "nn.relu",
    ]  # fmt: skip


def test_a_model_that_calls_itself_keeps_its_own_name() -> None:
    x, n = relay.var("x", shape=(2,)), relay.var("n", shape=(), dtype="int32")
    main, one = relay.GlobalVar("main"), relay.const(1)
    again = relay.Call(main, [relay.exp(x), relay.subtract(n, one)])
    function = relay.Function(
        [x, n], relay.If(relay.less(n, one), x, again), relay.TensorType((2,))
    )
    module = tvm.IRModule({main: function})
    before = tvm.ir.save_json(module)
    graph = adopt(module).module.main
    assert "@main" in graph.ops
    assert tvm.ir.save_json(module) == before


NAMED = """#[version = "0.0.5"]
def @main(%x: Tensor[(?, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.dense(%x, %w, units=None) /* span=net/block_0/dense:0:0 */;
  %1 = nn.dropout(%0, rate=0.5f) /* span=net/block_0/drop:0:0 */;
  %2 = %1.0;
  add(%2, %0) /* net/block_1/add */
}
"""


def test_names_from_a_texts_comments_outlive_bind_and_prepare(tmp_path: Path) -> None:
    (tmp_path / "net.relay").write_text(NAMED)
    model = load(str(tmp_path / "net.relay"))
    bound = prepare(model, {"x": TensorType((2, 4), "float32")}, [])
    assert names(bound) == ["net/block_0/dense", "net/block_0/drop", "net/block_1/add"]
    assert not [n for n in bound.notes if "source name" in n]
    simple = prepare(model, {}, [("SimplifyInference", ())])
    assert names(simple) == ["net/block_0/dense", "net/block_1/add"]
    assert names(prepare(bound, {}, [("SimplifyInference", ())])) == names(simple)


def names(model: RelayModel) -> list[str | None]:
    graph = model.module.main
    return [n for n, k in zip(graph.names, graph.kinds, strict=True) if k == "call"]


def test_every_unknown_pass_is_reported() -> None:
    with pytest.raises(SurgeryError) as caught:
        prepare(conv_net(), {}, [("SimplifyInferenc", ()), ("FoldConstat", ())])
    assert [d.code for d in caught.value.diagnostics] == ["S403", "S403"]
    assert caught.value.exit_status == 1
