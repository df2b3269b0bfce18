"""Sites that nearly match: the closest reading, and the reason."""

from __future__ import annotations

from surgery.graph import Graph, Ref
from surgery.pattern import NearMiss, compile_pattern, find
from surgery.syntax import parse_pattern as pattern
from tests.graphs import GraphBuilder


def misses(graph: Graph, text: str, outputs: frozenset[Ref] | None = None) -> list[NearMiss]:
    return list(find(compile_pattern(pattern(text)), graph, outputs=outputs).near_misses)


def reasons(graph: Graph, text: str, outputs: frozenset[Ref] | None = None) -> list[str]:
    return [m.reason for m in misses(graph, text, outputs)]


def conv_blocks() -> GraphBuilder:
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    at = x
    for _ in range(2):
        conv = b.call("nn.conv2d", at, w)
        biased = b.call("nn.bias_add", conv, bias)
        at = b.call("nn.relu", biased)
    return b


def test_an_interior_value_that_is_an_output() -> None:
    # Situation 15.
    b = conv_blocks()
    graph = b.graph(b.tuple(8, 4))
    found = find(compile_pattern(pattern("conv2d>bias_add>relu")), graph)
    assert [m.ops for m in found.matches] == [(6, 7, 8)]
    (miss,) = found.near_misses
    assert miss.reason == "%1 (nn.bias_add) is used outside the match by: output 1"
    assert miss.kind == "legality"
    assert miss.matched == (3, 4, 5)
    assert miss.node == 5


def test_an_output_that_the_spec_adds() -> None:
    b = conv_blocks()
    graph = b.graph(8)
    wanted = frozenset({Ref(8), Ref(4)})
    assert reasons(graph, "conv2d>bias_add>relu", wanted) == [
        "%1 (nn.bias_add) is used outside the match by: an output that the spec adds"
    ]


def test_an_interior_value_used_by_another_op() -> None:
    b = conv_blocks()
    graph = b.graph(b.call("add", 8, 3))
    assert reasons(graph, "conv2d>bias_add>relu") == [
        "%0 (nn.conv2d) is used outside the match by: result (add)"
    ]


def test_an_operand_that_is_an_interior_node() -> None:
    # Situation 16.
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    conv = b.call("nn.conv2d", x, w)
    graph = b.graph(b.call("nn.relu", b.call("add", conv, conv)))
    (miss,) = misses(graph, "conv2d>add>relu")
    assert miss.reason == (
        "operand 0 of add (%1) is %0, an op inside the match: written `v:nn.conv2d(...)` in one "
        "place and `v` in the other, it is read twice"
    )
    assert miss.kind == "legality"


def test_look_alikes() -> None:
    # Situation 23.
    b = GraphBuilder()
    x, w0, w1, y = (b.input(n) for n in ("x", "w0", "w1", "y"))
    relu = b.call("nn.relu", b.call("nn.matmul", x, w0))
    dense = b.call("nn.dense", relu, b.call("transpose", w1))
    wide = b.call("expand_dims", b.call("nn.relu", dense))
    graph = b.graph(b.call("nn.relu", b.call("nn.batch_matmul", wide, y, transpose_b=True)))
    found = find(compile_pattern(pattern("dense>relu")), graph)
    assert [m.ops for m in found.matches] == [(dense, dense + 1)]
    assert [m.reason for m in found.near_misses] == [
        "%0 nn.matmul>%1 nn.relu looks alike; write dense|matmul to include it",
        "%6 nn.batch_matmul>result nn.relu looks alike; write dense|batch_matmul to include it",
    ]
    both = find(compile_pattern(pattern("(dense|batch_matmul)>relu")), graph)
    assert both.matches[-1].notes == ("dense|batch_matmul: %6 (nn.batch_matmul), transpose_b=true",)


def test_the_last_op_looks_alike() -> None:
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    biased = b.call("nn.bias_add", b.call("nn.conv2d", x, w), bias)
    graph = b.graph(b.call("clip", biased, a_min=0.0, a_max=6.0))
    assert reasons(graph, "conv2d>bias_add>relu") == [
        "%1 (nn.bias_add) is followed by result (clip), which looks alike; "
        "write relu|clip to include it"
    ]


def test_a_layout_transform_between() -> None:
    # Situation 24.
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    conv = b.call("nn.conv2d", x, w, data_layout="NHWC")
    moved = b.call("layout_transform", conv, src_layout="NHWC", dst_layout="NCHW")
    graph = b.graph(b.call("nn.relu", b.call("nn.bias_add", moved, bias)))
    (miss,) = misses(graph, "conv2d>bias_add>relu")
    assert miss.reason == (
        "layout_transform (%1) stands between %0 (nn.conv2d) and %2 (nn.bias_add)"
    )
    assert miss.kind == "between"


def test_an_attribute_shows_the_value_found() -> None:
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    conv = b.call("nn.conv2d", x, w, data_layout="NHWC")
    graph = b.graph(b.call("nn.relu", b.call("nn.bias_add", conv, bias)))
    (miss,) = misses(graph, "conv2d{data_layout=NCHW}>bias_add>relu")
    assert miss.reason == "%0 (nn.conv2d): data_layout is NHWC, pattern wants NCHW"
    assert miss.kind == "attribute"
    (miss,) = misses(graph, "conv2d{data_layout=NCHW}")
    assert miss.reason == "%0 (nn.conv2d): data_layout is NHWC, pattern wants NCHW"


def test_a_missing_op_in_the_middle() -> None:
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    conv = b.call("nn.conv2d", x, w)
    norm = b.call("nn.batch_norm", conv, *[b.param(n) for n in "gbmv"])
    graph = b.graph(b.call("nn.relu", b.field(norm, 0)))
    assert reasons(graph, "conv2d>add>bn>relu") == [
        "%1 (nn.batch_norm) takes %0 (nn.conv2d), pattern wants add"
    ]


def test_a_beginning_that_nothing_continues() -> None:
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    biased = b.call("nn.bias_add", b.call("nn.conv2d", x, w), bias)
    graph = b.graph(b.call("nn.softmax", biased))
    assert reasons(graph, "conv2d>bias_add>relu") == [
        "%1 (nn.bias_add) is followed by result (nn.softmax), pattern wants nn.relu"
    ]
    graph = b.graph(biased)
    assert reasons(graph, "conv2d>bias_add>relu") == [
        "result (nn.bias_add) is a result, pattern wants nn.relu after it"
    ]


def test_a_call_with_another_operand_than_written() -> None:
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    conv = b.call("nn.conv2d", x, w)
    graph = b.graph(b.call("nn.relu", b.call("subtract", conv, x)))
    assert reasons(graph, "relu(subtract(*, conv2d))") == [
        "operand 1 of %1 (subtract) is %x (an input), pattern wants nn.conv2d"
    ]


def test_a_wrong_number_of_operands_where_it_varies() -> None:
    b = GraphBuilder()
    x = b.input("x")
    relu = b.call("nn.relu", x)
    graph = b.graph(b.call("tanh", b.call("concatenate", b.tuple(relu, x, x))))
    (miss,) = misses(graph, "tanh(concatenate(relu, *))")
    assert miss.reason == "%2 (concatenate) takes 3 operands, the pattern gives 2"


def test_most_telling_first() -> None:
    b = conv_blocks()
    graph = b.graph(b.tuple(b.call("nn.softmax", b.call("nn.bias_add", b.call(
        "nn.conv2d", 8, 1), 2)), 4))  # fmt: skip
    assert [m.kind for m in misses(graph, "conv2d>bias_add>relu")] == ["legality", "shape"]


def test_a_matched_site_is_no_near_miss_of_the_same_pattern() -> None:
    b = GraphBuilder()
    at = b.input("x")
    for _ in range(3):
        at = b.call("nn.relu", at)
    assert misses(b.graph(at), "relu>relu") == []
