"""Source names after passes that drop spans: what is given back is right, the rest is counted."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.prepare import prepare
from surgery.graph import Graph


def named(call: relay.Expr, name: str) -> relay.Expr:
    span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
    return relay.Call(call.op, call.args, call.attrs, call.type_args, span)


def model_of(body: relay.Expr, weights: dict[str, np.ndarray] | None = None) -> RelayModel:
    function = relay.Function(relay.analysis.free_vars(body), body)
    return adopt(tvm.IRModule.from_expr(function), weights or {})


def conv_nets(blocks: int = 3) -> RelayModel:
    """Blocks of conv2d, batch_norm and relu, the bias of a scalar constant, a residual add."""
    rng = np.random.default_rng(0)
    weights: dict[str, np.ndarray] = {}
    at = relay.var("x", shape=(1, 4, 6, 6))
    for i in range(blocks):
        w = relay.var(f"w{i}", shape=(4, 4, 3, 3))
        weights[f"w{i}"] = rng.normal(size=(4, 4, 3, 3)).astype("float32")
        norm = []
        for part in ("gamma", "beta", "mean", "var"):
            norm.append(relay.var(f"{part}{i}", shape=(4,)))
            weights[f"{part}{i}"] = rng.uniform(0.5, 1, size=4).astype("float32")
        y = named(
            relay.nn.conv2d(at, w, padding=(1, 1), channels=4, kernel_size=(3, 3)),
            f"block_{i}/conv",
        )
        y = named(relay.nn.batch_norm(y, *norm).astuple(), f"block_{i}/bn")
        y = named(relay.nn.relu(relay.TupleGetItem(y, 0)), f"block_{i}/relu")
        y = named(relay.add(y, relay.const(1.0)), f"block_{i}/one")
        at = named(relay.add(y, at), f"block_{i}/add")
    return model_of(named(relay.nn.softmax(at, axis=1), "head/softmax"), weights)


def ops(graph: Graph) -> list[tuple[str, str | None]]:
    return sorted(
        (graph.ops[i], graph.names[i]) for i, kind in enumerate(graph.kinds) if kind == "call"
    )


def names_of(graph: Graph, op: str) -> list[str | None]:
    return [graph.names[i] for i in range(len(graph)) if graph.ops[i] == op]


@pytest.mark.parametrize("form", ["ToANormalForm", "ToBasicBlockNormalForm"])
def test_a_normal_form_that_drops_all_spans_keeps_all_names(form: str) -> None:
    model = conv_nets()
    done = prepare(model, {}, [(form, ())])
    assert ops(done.module.main) == ops(model.module.main)
    assert not [n for n in done.notes if "name" in n]
    back = prepare(done, {}, [("ToGraphNormalForm", ())])
    assert ops(back.module.main) == ops(model.module.main)


def test_an_op_that_became_several_gives_all_of_them_its_name() -> None:
    model = conv_nets()
    done = prepare(model, {}, [("SimplifyInference", ())], tuple(model.params))
    graph = done.module.main
    assert "nn.batch_norm" not in graph.ops
    made = [graph.ops[i] for i in range(len(graph)) if graph.names[i] == "block_1/bn"]
    assert len(made) > 4 and {"add", "multiply"} <= set(made)
    assert names_of(graph, "nn.conv2d") == [f"block_{i}/conv" for i in range(3)]
    assert not [n for n in done.notes if "name" in n]


def test_the_last_of_them_has_the_value_of_the_op() -> None:
    model = conv_nets(1)
    done = prepare(model, {}, [("SimplifyInference", ())])
    graph = done.module.main
    last = max(i for i in range(len(graph)) if graph.names[i] == "block_0/bn")
    x = {"x": np.random.default_rng(1).normal(size=(1, 4, 6, 6)).astype("float32")}
    (expected,) = surgery.tap(model, ["block_0/bn"], inputs=x, opt_level=1).arrays.values()
    (value,) = surgery.tap(done, [graph.label(last)], inputs=x, opt_level=1).arrays.values()
    np.testing.assert_allclose(value, expected, rtol=1e-4)


def test_layouts_and_casts_between_are_seen_through() -> None:
    model = conv_nets()
    laid = prepare(model, {}, [("ConvertLayout", ("NHWC",))])
    graph = laid.module.main
    assert "layout_transform" in graph.ops
    for op in ("nn.conv2d", "nn.batch_norm", "nn.relu", "nn.softmax"):
        assert names_of(graph, op) == names_of(model.module.main, op)
    half = prepare(model, {}, [("ToMixedPrecision", ())])
    assert names_of(half.module.main, "nn.conv2d") == [f"block_{i}/conv" for i in range(3)]
    (note,) = [n for n in half.notes if "name" in n]
    casts = half.module.main.ops.count("cast")
    assert f"{casts} more ops have no source name after ToMixedPrecision" in note


def test_a_twin_takes_the_place_of_an_op() -> None:
    model = conv_nets(1)
    done = prepare(model, {}, [("FastMath", ())])
    assert names_of(done.module.main, "nn.fast_softmax") == ["head/softmax"]


def test_names_that_are_gone_are_counted() -> None:
    weight = relay.var("w", shape=(4, 4))
    folded = named(relay.transpose(weight), "head/transpose")
    body = named(relay.nn.dense(relay.var("x", shape=(1, 4)), folded), "head/dense")
    model = model_of(body, {"w": np.ones((4, 4), "float32")})
    done = prepare(model, {}, [("FoldConstant", ())], ("w",))
    (note,) = [n for n in done.notes if "name" in n]
    assert note == (
        "prepare: 1 of 2 source names are gone after FoldConstant, with the ops they were of: "
        "head/transpose"
    )


def test_names_given_back_are_in_the_module_itself() -> None:
    model = conv_nets(1)
    done = prepare(model, {}, [("SimplifyInference", ())])
    again = adopt(tvm.ir.load_json(tvm.ir.save_json(done.ir)), dict(done.params))
    assert ops(again.module.main) == ops(done.module.main)


def test_what_was_changed_gets_no_name_that_is_not_its_own() -> None:
    """Two relus of one value are one value; of two values they are told apart."""
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    body = named(relay.add(named(relay.nn.relu(x), "of_x"), named(relay.nn.relu(y), "of_y")), "sum")
    model = model_of(body)
    done = prepare(model, {}, [("ToANormalForm", ())])
    graph = done.module.main
    for id_ in range(len(graph)):
        if graph.ops[id_] == "nn.relu":
            (operand,) = graph.operands[id_]
            assert graph.names[id_] == f"of_{graph.names[graph.resolve(operand).node]}"
