"""FLOPs and bytes by op and by function, against hand counts."""

from __future__ import annotations

import pytest

from surgery.graph import Graph
from surgery.graph.cost_table import TRANSCENDENTAL
from surgery.graph.costs import module_costs, op_bytes, op_flops
from surgery.graph.ops import KNOWN_OPS
from tests.graphs import GraphBuilder

#: Their work depends on values, or they draw random numbers, or transform weights at build time.
UNCOUNTED = {
    "call_lowered", "random.multinomial", "random.normal", "random.threefry_generate",
    "random.threefry_split", "random.uniform", "vision.all_class_non_max_suppression",
    "vision.get_valid_counts", "vision.multibox_transform_loc", "vision.non_max_suppression",
    "vision.proposal", "vision.regular_non_max_suppression", "vision.roi_pool",
    "nn.contrib_conv2d_winograd_nnpack_weight_transform",
    "nn.contrib_conv2d_winograd_weight_transform", "nn.contrib_conv3d_winograd_weight_transform",
}  # fmt: skip

T = TRANSCENDENTAL


def one(op: str, operands: list[str], out: str, **attrs: object) -> tuple[Graph, int]:
    b = GraphBuilder()
    given = [b.input(f"x{i}", t) for i, t in enumerate(operands)]
    node = b.call(op, *given, type=out, **attrs)
    return b.graph(node), node


F = "float32(2,6,8,8)"


@pytest.mark.parametrize(
    ("op", "operands", "out", "attrs", "flops", "moved"),
    [
        ("add", [F, "float32(6,1,1)"], F, {}, 768, 4 * (768 + 6 + 768)),
        ("tanh", [F], F, {}, 768 * T, 8 * 768),
        ("sigmoid", ["float16(10)"], "float16(10)", {}, 10 * (T + 3), 40),
        ("clip", [F], F, {}, 2 * 768, 8 * 768),
        ("cast", [F], "int8(2,6,8,8)", {}, 768, 5 * 768),
        ("nn.conv2d", [F, "float32(4,6,3,3)"], "float32(2,4,8,8)",
         {"data_layout": "NCHW", "out_layout": ""}, 2 * 512 * 54, 4 * (768 + 216 + 512)),
        ("nn.dense", ["float32(2,8)", "float32(100,8)"], "float32(2,100)", {}, 3200,
         4 * (16 + 800 + 200)),
        ("qnn.dense", ["int8(2,8)", "int8(100,8)", "int32()", "int32()", "float32()", "float32()"],
         "int32(2,100)", {}, 3200, 16 + 800 + 16 + 800),
        ("nn.max_pool2d", [F], "float32(2,6,4,4)", {"pool_size": (3, 3)}, 192 * 9, 4 * 960),
        ("nn.global_avg_pool2d", [F], "float32(2,6,1,1)", {}, 768, 4 * 780),
        ("nn.softmax", ["float32(2,10)"], "float32(2,10)", {}, 20 * (T + 4), 160),
        ("mean", [F], "float32(2,6)", {}, 768, 4 * 780),
        ("variance", [F, F], "float32(2,6)", {}, 3 * 768, 4 * (2 * 768 + 12)),
        ("nn.layer_norm", ["float32(2,10)", "float32(10)", "float32(10)"], "float32(2,10)", {},
         160, 4 * 60),
        ("nn.lrn", [F], F, {"size": 5}, 768 * (13 + T), 8 * 768),
        ("reshape", [F], "float32(768)", {}, 0, 0),
        ("transpose", [F], "float32(6,2,8,8)", {}, 0, 8 * 768),
        ("take", ["float32(30522,768)", "int32(128)"], "float32(128,768)", {}, 0,
         2 * 4 * 128 * 768 + 4 * 128),
        ("zeros", [], F, {}, 0, 4 * 768),
        ("topk", ["float32(3,1000)"], "float32(3,5);int64(3,5)", {"axis": -1}, 30000,
         12000 + 60 + 120),
        ("image.resize2d", [F], "float32(2,6,16,16)", {"method": "linear"}, 3072 * 9,
         4 * (768 + 3072)),
        ("image.resize2d", [F], "float32(2,6,16,16)", {"method": "nearest_neighbor"}, 0,
         4 * (768 + 3072)),
        ("nn.upsampling", [F], "float32(2,6,16,16)", {"method": "bicubic"}, 3072 * 32,
         4 * (768 + 3072)),
        ("qnn.requantize", ["int32(10)"], "int8(10)", {}, 50, 50),
        ("nn.batch_norm", [F, *["float32(6)"] * 4], f"{F};float32(6);float32(6)", {}, 2 * 768,
         4 * (2 * 768 + 36)),
        ("image.dilation2d", [F, "float32(6,3,3)"], F, {"kernel_layout": "IHW"}, 768 * 18,
         4 * (2 * 768 + 54)),
        ("searchsorted", ["float32(1023)", "float32(7)"], "int32(7)", {}, 70,
         4 * (1023 + 14)),
        ("dft", ["float32(2,16)", "float32(2,16)"], "float32(2,16);float32(2,16)", {},
         32 * 16 * 8, 4 * 128),
        ("nn.deformable_conv2d", [F, "float32(2,18,8,8)", "float32(4,6,3,3)"], "float32(2,4,8,8)",
         {"groups": 1}, 2 * 512 * 54 + 8 * 2 * 64 * 54, 4 * (768 + 2304 + 216 + 512)),
    ],
)  # fmt: skip
def test_an_op_costs(
    op: str, operands: list[str], out: str, attrs: dict[str, object], flops: int, moved: int
) -> None:
    graph, node = one(op, operands, out, **attrs)
    assert op_flops(graph, node) == (flops, True)
    assert op_bytes(graph, node) == moved


def test_an_operand_read_twice_is_read_once() -> None:
    b = GraphBuilder()
    x = b.input("x", "float32(10)")
    node = b.call("multiply", x, x, type="float32(10)")
    assert op_bytes(b.graph(node), node) == 80


def test_tuple_operands_are_read_tensor_by_tensor() -> None:
    b = GraphBuilder()
    both = b.tuple(b.input("x", "float32(10)"), b.input("y", "float32(5)"))
    node = b.call("concatenate", both, type="float32(15)")
    assert (op_flops(b.graph(node), node), op_bytes(b.graph(node), node)) == ((0, True), 120)


def test_every_op_of_relay_is_counted_or_listed() -> None:
    missing = set()
    for op in KNOWN_OPS - {"einsum"}:
        count = 6
        graph, node = one(op, [F] * count, F, pool_size=(2, 2), kernel_size=(3, 3), groups=1,
                          data_layout="NCHW", size=5, n_fft=8, method="linear", axis=1)  # fmt: skip
        if not op_flops(graph, node)[1]:
            missing.add(op)
    assert missing == UNCOUNTED


def test_an_unknown_op_is_one_flop_an_element_and_named() -> None:
    b = GraphBuilder()
    node = b.call("my.op", b.input("x", F), type=F)
    found = module_costs(b.module(node))
    assert (found.flops[node], found.unknown) == (768, {"my.op": (node,)})


def test_shapes_that_are_not_static_are_told() -> None:
    b = GraphBuilder()
    x = b.call("nn.relu", b.input("x", "float32(?,8)"), type="float32(?,8)")
    found = module_costs(b.module(x))
    assert (found.flops[x], found.untyped) == (0, (x,))


def test_an_if_costs_its_dearer_branch() -> None:
    b = GraphBuilder()
    x, c = b.input("x", "float32(10)"), b.input("c", "bool()")
    with b.scope("then") as then:
        a = b.call("nn.relu", x, type="float32(10)")
    with b.scope("else") as other:
        t = b.call("tanh", b.call("exp", x, type="float32(10)"), type="float32(10)")
    node = b.if_(c, a, t, then, other)
    found = module_costs(b.module(node))
    assert found.flops[node] == 20 * T
    assert found.bytes[node] == 160


def test_a_function_costs_at_each_call() -> None:
    inner = GraphBuilder("leaf")
    relu = inner.call("nn.relu", inner.input("x", "float32(10)"), type="float32(10)")
    f = GraphBuilder("f")
    tanh = f.call("tanh", f.input("x", "float32(10)"), type="float32(10)")
    leaf = f.call("@leaf", tanh, type="float32(10)")
    b = GraphBuilder()
    first = b.call("@f", b.input("x", "float32(10)"), type="float32(10)")
    second = b.call("@f", first, type="float32(10)")
    found = module_costs(b.module(second, f.graph(leaf), inner.graph(relu)))
    assert [found.flops[first], found.flops[second]] == [10 * T + 10] * 2
    assert not found.unknown


def test_a_function_literal_costs_where_it_is_called() -> None:
    b = GraphBuilder()
    x = b.input("x", "float32(10)")
    with b.scope("function") as scope:
        body = b.call("tanh", b.local("p"), type="float32(10)")
    b.types[body - 1] = b.types[x]
    literal = b.function_literal(body, scope)
    call = b.call("fn", b.let("g", literal), x, type="float32(10)")
    found = module_costs(b.module(call))
    assert (found.flops[literal], found.flops[call]) == (0, 10 * T)


def test_a_function_that_calls_itself_has_no_count() -> None:
    f = GraphBuilder("loop")
    again = f.call("@loop", f.input("x", "float32(10)"), type="float32(10)")
    b = GraphBuilder()
    call = b.call("@loop", b.input("x", "float32(10)"), type="float32(10)")
    assert module_costs(b.module(call, f.graph(again))).unknown == {"@loop": (call,)}


def test_unknown_shapes_inside_a_function_are_told_at_its_calls() -> None:
    f = GraphBuilder("f")
    relu = f.call("nn.relu", f.input("x", "float32(?)"), type="float32(?)")
    b = GraphBuilder()
    call = b.call("@f", b.input("x", "float32(10)"), type="float32(10)")
    assert module_costs(b.module(call, f.graph(relu))).untyped == (call,)
