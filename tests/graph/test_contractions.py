"""Multiply-accumulates of convolutions and matrix products against hand counts."""

from __future__ import annotations

import pytest

from surgery.graph.contractions import macs
from tests.graphs import GraphBuilder


@pytest.mark.parametrize(
    ("op", "data", "weight", "out", "attrs", "count"),
    [
        ("nn.conv2d", "(1,3,8,8)", "(16,3,3,3)", "(1,16,8,8)", {}, 8 * 8 * 16 * 27),
        ("nn.conv2d", "(1,16,8,8)", "(16,1,3,3)", "(1,16,8,8)", {"groups": 16}, 8 * 8 * 16 * 9),
        (
            "nn.conv2d", "(1,8,8,3)", "(3,3,3,16)", "(1,8,8,16)",
            {"data_layout": "NHWC", "kernel_layout": "HWIO"}, 8 * 8 * 16 * 27,
        ),
        (
            "nn.conv2d", "(1,8,8,16)", "(3,3,16,1)", "(1,8,8,16)",
            {"data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 16}, 8 * 8 * 16 * 9,
        ),
        ("nn.conv2d_transpose", "(1,3,8,8)", "(3,16,2,2)", "(1,16,16,16)", {}, 8 * 8 * 3 * 64),
        ("nn.conv1d", "(1,3,8)", "(16,3,5)", "(1,16,8)", {"data_layout": "NCW"}, 8 * 16 * 15),
        ("qnn.conv2d", "(1,3,8,8)", "(16,3,1,1)", "(1,16,8,8)", {}, 8 * 8 * 16 * 3),
        ("nn.dense", "(2,8)", "(100,8)", "(2,100)", {}, 1600),
        ("nn.matmul", "(8,2)", "(8,100)", "(2,100)", {"transpose_a": True}, 1600),
        ("nn.batch_matmul", "(3,2,8)", "(3,100,8)", "(3,2,100)", {}, 4800),
        ("nn.conv1d_transpose", "(2,3,8)", "(3,16,4)", "(2,16,16)",
         {"data_layout": "NCW"}, 2 * 8 * 3 * 64),
        ("nn.conv3d", "(1,3,4,8,8)", "(6,3,3,3,3)", "(1,6,4,8,8)",
         {"data_layout": "NCDHW"}, 4 * 8 * 8 * 6 * 81),
        ("nn.contrib_conv2d_NCHWc", "(1,2,8,8,4)", "(4,2,3,3,4,8)", "(1,4,8,8,8)",
         {"data_layout": "NCHW4c", "out_layout": "NCHW8c"}, 8 * 8 * 32 * 72),
        ("nn.contrib_conv2d_winograd_without_weight_transform", "(1,3,8,8)", "(6,6,3,16)",
         "(1,16,8,8)", {"kernel_size": (3, 3), "groups": 1}, 8 * 8 * 16 * 27),
        ("nn.contrib_conv2d_winograd_weight_transform", "(16,3,3,3)", "", "(6,6,3,16)", {}, 0),
        ("nn.conv2d_backward_weight", "(1,16,8,8)", "(1,3,8,8)", "(16,3,3,3)", {},
         8 * 8 * 16 * 27),
        ("nn.correlation", "(1,4,8,8)", "(1,4,8,8)", "(1,9,6,6)",
         {"kernel_size": 3, "layout": "NCHW"}, 9 * 6 * 6 * 9 * 4),
        ("nn.sparse_dense", "(5,8)", "(6,1,1)", "(5,100)", {}, 30),
        ("nn.relu", "(2,8)", "", "(2,8)", {}, 0),
        ("nn.dense", "(?,8)", "(100,8)", "(?,100)", {}, None),
    ],
)  # fmt: skip
def test_multiply_accumulates(
    op: str, data: str, weight: str, out: str, attrs: dict[str, object], count: int | None
) -> None:
    b = GraphBuilder()
    operands = [b.input("x", f"float32{data}")]
    if weight:
        operands.append(b.param("w", f"float32{weight}"))
    if "conv2d" in op:
        attrs = {"data_layout": "NCHW", "out_layout": "", **attrs}
    node = b.call(op, *operands, type=f"float32{out}", **attrs)  # type: ignore[arg-type]
    assert macs(b.graph(node), node) == count


@pytest.mark.parametrize(
    ("equation", "shapes", "count"),
    [
        ("ij,jk->ik", ["(2,8)", "(8,100)"], 1600),
        ("bhqd, bhkd -> bhqk", ["(2,3,4,8)", "(2,3,5,8)"], 2 * 3 * 4 * 5 * 8),
        ("...ij,...jk->...ik", ["(7,2,8)", "(7,8,100)"], 7 * 1600),
        ("...ij,jk->...ik", ["(7,2,8)", "(8,100)"], 7 * 1600),
        ("ii->", ["(8,8)"], 8),
        ("ij,jk,kl->il", ["(2,3)", "(3,4)", "(4,5)"], 2 * 2 * 3 * 4 * 5),
        ("ij,jk->ik", ["(2,8)"], None),
    ],
)
def test_einsum(equation: str, shapes: list[str], count: int | None) -> None:
    b = GraphBuilder()
    operands = b.tuple(*(b.input(f"x{i}", f"float32{s}") for i, s in enumerate(shapes)))
    node = b.call("einsum", operands, type="float32(2,100)", equation=equation)
    assert macs(b.graph(node), node) == count
