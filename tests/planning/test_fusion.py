"""Groups of ops that TVM would fuse, and what makes two of them the same kernel."""

from __future__ import annotations

from surgery.graph import Graph, runtime_dependent
from surgery.planning.fusion import fused_groups, group_signature
from tests.graphs import GraphBuilder

F = "float32(4,8)"


def groups(graph: Graph) -> list[list[str]]:
    computing = [
        i for i, k in enumerate(graph.kinds) if k in ("call", "if") and not graph.scopes[i]
    ]
    return [[graph.ops[i] or graph.kinds[i] for i in g] for g in fused_groups(graph, computing)]


def test_a_matrix_product_takes_what_follows_elementwise() -> None:
    b = GraphBuilder()
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,8)"), type=F)
    biased = b.call("nn.bias_add", dense, b.param("b", "float32(8)"), type=F)
    relu = b.call("nn.relu", biased, type=F)
    again = b.call("nn.dense", relu, b.param("v", "float32(8,8)"), type=F)
    assert groups(b.graph(again)) == [["nn.dense", "nn.bias_add", "nn.relu"], ["nn.dense"]]


def test_a_diamond_of_elementwise_ops_is_one_kernel() -> None:
    """The gelu of a transformer: its input is used twice."""
    b = GraphBuilder()
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,8)"), type=F)
    half = b.call("multiply", dense, b.constant(type="float32()"), type=F)
    erf = b.call("erf", b.call("divide", dense, b.constant(type="float32()"), type=F), type=F)
    gelu = b.call("multiply", half, erf, type=F)
    assert groups(b.graph(gelu)) == [["nn.dense", "multiply", "divide", "erf", "multiply"]]


def test_a_result_used_elsewhere_ends_a_group() -> None:
    b = GraphBuilder()
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,8)"), type=F)
    relu = b.call("nn.relu", dense, type=F)
    assert groups(b.graph(b.tuple(dense, relu))) == [["nn.dense"], ["nn.relu"]]
    relu = b.call("nn.relu", dense, type=F)
    other = b.call("nn.dense", dense, b.param("v", "float32(8,8)"), type=F)
    assert ["nn.dense", "nn.relu"] not in groups(b.graph(b.call("add", relu, other, type=F)))


def test_a_reduction_takes_what_comes_before_and_nothing_after() -> None:
    b = GraphBuilder()
    squares = b.call("power", b.input("x", F), b.constant(type="float32()"), type=F)
    mean = b.call("mean", squares, type="float32(4,1)")
    root = b.call("sqrt", mean, type="float32(4,1)")
    assert groups(b.graph(root)) == [["power", "mean"], ["sqrt"]]


def test_data_movement_fuses_with_itself_and_not_into_a_product() -> None:
    b = GraphBuilder()
    turned = b.call("transpose", b.input("x", F), type="float32(8,4)")
    flat = b.call("reshape", turned, type=F)
    dense = b.call("nn.dense", flat, b.param("w", "float32(8,8)"), type=F)
    assert groups(b.graph(dense)) == [["transpose", "reshape"], ["nn.dense"]]


def test_a_broadcast_that_grows_stays_out_of_a_product() -> None:
    b = GraphBuilder()
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,8)"), type=F)
    grown = b.call("add", dense, b.input("y", "float32(3,4,8)"), type="float32(3,4,8)")
    assert groups(b.graph(grown)) == [["nn.dense"], ["add"]]


def test_batch_norm_fuses_as_what_the_build_makes_of_it() -> None:
    b = GraphBuilder()
    four = [b.param(n, "float32(8)") for n in "gbmv"]
    dense = b.call("nn.dense", b.input("x", F), b.param("w", "float32(8,8)"), type=F)
    norm = b.field(b.call("nn.batch_norm", dense, *four, type=f"{F};float32(8);float32(8)"), 0)
    relu = b.call("nn.relu", norm, type=F)
    assert groups(b.graph(relu)) == [["nn.dense", "nn.batch_norm", "nn.relu"]]


def test_control_flow_and_unknown_ops_stand_alone() -> None:
    b = GraphBuilder()
    x, c = b.input("x", F), b.input("c", "bool()")
    first = b.call("nn.relu", x, type=F)
    with b.scope("then") as then:
        a = b.call("tanh", first, type=F)
    with b.scope("else") as other:
        t = b.call("exp", first, type=F)
    node = b.if_(c, a, t, then, other)
    last = b.call("my.op", b.call("nn.relu", node, type=F), type=F)
    assert groups(b.graph(last)) == [["nn.relu"], ["if"], ["nn.relu"], ["my.op"]]


def test_one_signature_is_one_kernel() -> None:
    b = GraphBuilder()
    value = b.input("x", F)
    products = []
    for index in range(3):
        weight = b.param(f"w{index}", "float32(8,8)")
        products.append(b.call("nn.dense", value, weight, type=F, name=f"layer{index}", units=8))
        value = products[-1]
    moving = b.call("nn.dense", value, b.input("v", "float32(8,8)"), type=F, units=8)
    other = b.call("nn.dense", moving, b.param("u", "float32(8,8)"), type=F, units=None)
    graph = b.graph(other)
    fixed = bytearray(not d for d in runtime_dependent(graph))
    seen = [group_signature(graph, (i,), fixed) for i in (*products, moving, other)]
    assert len(set(seen[:3])) == 1  # whatever its name and weights
    assert len(set(seen)) == 3  # a weight that moves, an attribute


def test_a_small_constant_belongs_to_the_kernel() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    twice = []
    for number in (2.0, 2.0, 3.0):
        c = b.constant(type="float32()")
        b.attrs[c] = {"value": number}
        twice.append(b.call("power", x, c, type=F))
    graph = b.graph(b.tuple(*twice))
    fixed = bytearray(not d for d in runtime_dependent(graph))
    first, second, third = (group_signature(graph, (i,), fixed) for i in twice)
    assert first == second != third
