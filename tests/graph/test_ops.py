"""What is known about ops by name, and that it is what TVM says."""

from __future__ import annotations

import pytest

from surgery.graph import TensorType
from surgery.graph.op_table import ATTRS, OPS, REQUIRED
from surgery.graph.ops import (
    BROADCAST,
    ELEMENTWISE,
    INJECTIVE,
    LOOK_ALIKES,
    MISSING,
    attribute,
    attribute_names,
    canonical_op,
    leading_operands,
    nearest_ops,
    operand_count,
    operand_role,
)
from surgery.graph.values import equal, holds, is_ordered, shape_fits, shown
from surgery.syntax.ast import STAR
from tests.graphs import GraphBuilder


@pytest.mark.parametrize(
    ("alias", "op"),
    [
        ("dense", "nn.dense"), ("conv2d", "nn.conv2d"), ("bn", "nn.batch_norm"),
        ("batch_norm", "nn.batch_norm"), ("relu", "nn.relu"), ("softmax", "nn.softmax"),
        ("matmul", "nn.matmul"), ("max_pool2d", "nn.max_pool2d"), ("add", "add"),
        ("requantize", "qnn.requantize"), ("qnn.conv2d", "qnn.conv2d"), ("concat", "concatenate"),
        ("resize2d", "image.resize2d"), ("stop_fusion", "annotation.stop_fusion"),
    ],
)  # fmt: skip
def test_short_names(alias: str, op: str) -> None:
    assert canonical_op(alias) == [op]


def test_names_that_are_not_clear() -> None:
    assert canonical_op("max_pool") == ["nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"]
    assert canonical_op("nothing") == []
    assert canonical_op("mine", {"contrib.mine", "other.mine"}) == ["contrib.mine", "other.mine"]
    assert nearest_ops("sofmax")[0] == "nn.softmax"
    assert nearest_ops("conv2dd")[0] == "nn.conv2d"
    assert nearest_ops("gemm")[:2] == ["nn.dense", "nn.matmul"]
    assert {"nn.avg_pool2d", "nn.max_pool2d"} <= set(nearest_ops("pool2d"))
    norms = nearest_ops("norm")
    assert set(norms[:4]) == {
        "nn.batch_norm", "nn.group_norm", "nn.instance_norm", "nn.layer_norm",
    }  # fmt: skip


def test_classes() -> None:
    assert {"add", "nn.bias_add", "nn.relu", "clip", "sigmoid"} <= ELEMENTWISE
    assert not {"reshape", "expand_dims", "zeros", "nn.softmax", "nn.dense"} & ELEMENTWISE
    assert "broadcast_to" in BROADCAST
    assert {"reshape", "transpose", "concatenate"} <= INJECTIVE
    assert "nn.dense" not in INJECTIVE


def test_look_alikes_are_mutual() -> None:
    assert {"nn.matmul", "nn.batch_matmul"} <= LOOK_ALIKES["nn.dense"]
    assert "nn.conv2d_transpose" in LOOK_ALIKES["nn.conv2d"]
    for op, others in LOOK_ALIKES.items():
        assert op in OPS
        assert op not in others
        assert all(op in LOOK_ALIKES[other] for other in others)


def test_operands() -> None:
    assert operand_count("nn.batch_norm") == 5
    assert operand_count("concatenate") is None
    assert operand_count("contrib.mine") is None
    assert leading_operands("nn.batch_norm") == 1
    assert leading_operands("qnn.dense") == 2
    assert leading_operands("add") == 2
    roles = [operand_role("nn.conv2d", 1), operand_role("add", 1), operand_role("nn.relu", 0)]
    assert roles == ["weight", "rhs", "data"]
    assert operand_role("qnn.conv2d", 5) == "kernel_scale"
    assert operand_role("contrib.mine", 0) == ""


def test_attributes_fall_back_on_defaults() -> None:
    b = GraphBuilder()
    x = b.input("x")
    conv = b.call("nn.conv2d", x, x, groups=4)
    graph = b.graph(conv)
    assert attribute(graph, conv, "groups") == 4
    assert attribute(graph, conv, "data_layout") == "NCHW"
    assert attribute(graph, conv, "axis") is MISSING
    assert attribute_names("nn.relu") == frozenset()
    assert attribute_names("contrib.mine") is None


def test_values() -> None:
    assert equal((1, 1), 1)
    assert not equal((1, 2), 1)
    assert equal((1, 12, 7, 7), (1, 12, STAR, STAR))
    assert not equal((1, 12), (1, 12, STAR))
    assert equal(0.10000000149011612, 0.1)
    assert not equal("NCHW", "nchw")
    assert equal(True, 1)
    assert equal(None, None)
    assert not equal(None, 0)
    assert holds(3, ">", 2)
    assert not holds("a", "<", 2)
    assert is_ordered("<", 2.5)
    assert not is_ordered("<", "x")
    assert shape_fits(TensorType((1, "?", 4), "int8"), (1, STAR, 4))
    assert shape_fits(TensorType((1, "?", 4), "int8"), (1, "?", 4))
    assert not shape_fits(TensorType((1, 2, 4), "int8"), (1, "?", 4))
    assert shown((1, STAR, True)) == "(1,*,true)"


def test_the_table_is_tvms_own() -> None:
    import tvm
    from tvm import relay

    skipped = ("tir.", "relax.", "memory.", "vm.", "parser.")
    names = {str(n) for n in tvm.ir.Op.list_op_names()}
    assert {n for n in names if not n.startswith(skipped)} == set(OPS)
    for name, (_, kind, _) in OPS.items():
        pattern = tvm.ir.Op.get(name).get_attr("TOpPattern")
        expected = "o" if pattern is None or int(pattern) == 8 else "ebirf"[int(pattern)]
        assert kind == expected, name
    x = relay.var("x", shape=(1, 4, 8, 8))
    for call, cls in (
        (relay.nn.leaky_relu(x, 0.25), "LeakyRelu"),
        (relay.nn.softmax(x), "Softmax"),
        (relay.nn.bias_add(x, relay.var("b", shape=(4,))), "BiasAdd"),
    ):
        found = {k: call.attrs[k] for k in call.attrs.keys()}  # noqa: SIM118
        assert found == {k: v for k, v in ATTRS[cls].items() if v is not REQUIRED}
