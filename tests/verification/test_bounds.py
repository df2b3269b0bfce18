"""Which inputs are indices, and of how much."""

from __future__ import annotations

import pytest

from surgery.graph import Graph, Module
from surgery.verification import input_bounds
from tests.graphs import GraphBuilder
from tests.work import work


@pytest.fixture
def b() -> GraphBuilder:
    return GraphBuilder()


def test_token_ids_of_a_bert(b: GraphBuilder) -> None:
    """As TensorFlow's importer writes it: cast, reshape, then take along axis 0."""
    ids = b.input("input_ids", "int32(1,128)")
    mask = b.input("mask", "float32(1,128)")
    table = b.param("table", "float32(30522,768)")
    cast = b.call("cast", ids, type="int64(1,128)")
    flat = b.call("reshape", cast, type="int64(128)")
    rows = b.call("take", table, flat, type="float32(128,768)", axis=0, batch_dims=0)
    b.call("multiply", rows, mask)
    assert input_bounds(b.module(rows)) == {"input_ids": (0, 30522)}


@pytest.mark.parametrize(
    ("axis", "extent"), [(0, 10), (1, 20), (-1, 30), (None, 6000), (5, None), (-4, None)]
)
def test_take_axis(b: GraphBuilder, axis: int | None, extent: int | None) -> None:
    x, data = b.input("x", "int32(4)"), b.param("data", "float32(10,20,30)")
    module = b.module(b.call("take", data, x, axis=axis))
    assert input_bounds(module) == ({} if extent is None else {"x": (0, extent)})


@pytest.mark.parametrize("axis", [0, None])
def test_extent_that_is_not_static(b: GraphBuilder, axis: int | None) -> None:
    x, data = b.input("x", "int32(4)"), b.input("data", "float32(?,4)")
    assert input_bounds(b.module(b.call("take", data, x, axis=axis))) == {}


def test_unknown_types_and_missing_attributes(b: GraphBuilder) -> None:
    x, data = b.input("x"), b.param("data")
    take = b.call("take", data, x, axis=0)
    gather = b.call("gather", data, x)
    nd = b.call("gather_nd", data, x)
    hot = b.call("one_hot", x, data, data)
    odd = b.call("adv_index", data)
    assert input_bounds(b.module(b.tuple(take, gather, nd, hot, odd))) == {}


def test_other_ops_that_index(b: GraphBuilder) -> None:
    data = b.param("data", "float32(10,20,30)")
    g, nd, hot = b.input("g", "int64(1,2)"), b.input("nd", "int64(2,5)"), b.input("hot", "int32(3)")
    s, a0, a1 = b.input("s", "int64(2)"), b.input("a0", "int64(2)"), b.input("a1", "int64(2)")
    n2, on = b.input("n2", "int64(1,7)"), b.constant("on", "float32()")
    results = [
        b.call("gather", data, g, axis=1),
        b.call("gather_nd", data, nd, batch_dims=0),
        b.call("gather_nd", data, n2, batch_dims=2),
        b.call("one_hot", hot, on, on, depth=7),
        b.call("scatter_elements", data, s, data, axis=-1),
        b.call("adv_index", b.tuple(data, a0, a1)),
    ]
    assert input_bounds(b.module(b.tuple(*results))) == {
        "g": (0, 20),
        "nd": (0, 10),  # its rows index axes 0 and 1
        "hot": (0, 7),
        "s": (0, 30),
        "a0": (0, 10),
        "a1": (0, 20),
        "n2": (0, 30),
    }


def test_smallest_of_several_uses(b: GraphBuilder) -> None:
    x = b.input("x", "int32(4)")
    big, small = b.param("big", "float32(100,4)"), b.param("small", "float32(3,4)")
    squeezed = b.call("squeeze", x)
    one = b.call("take", big, squeezed, axis=0)
    two = b.call("take", small, squeezed, axis=0)
    assert input_bounds(b.module(b.call("add", one, two))) == {"x": (0, 3)}


def test_selections_and_tuples(b: GraphBuilder) -> None:
    c, x, y, z = (b.input(n, "int32(4)") for n in ("c", "x", "y", "z"))
    data = b.param("data", "float32(9,4)")
    chosen = b.call("where", c, x, y)
    joined = b.call("concatenate", b.tuple(chosen, z), type="int32(8)")
    parts = b.call("split", joined, type="int32(4);int32(4)")
    take = b.call("take", data, b.field(parts, 1), axis=0)
    # The condition of `where` is no index.
    assert input_bounds(b.module(take)) == {"x": (0, 9), "y": (0, 9), "z": (0, 9)}


def test_only_the_field_that_is_used(b: GraphBuilder) -> None:
    x, y = b.input("x", "int32(4)"), b.input("y", "int32(4)")
    data = b.param("data", "float32(9,4)")
    take = b.call("take", data, b.let("v", b.field(b.tuple(x, y), 0)), axis=0)
    assert input_bounds(b.module(take)) == {"x": (0, 9)}


def test_arithmetic_ends_the_search(b: GraphBuilder) -> None:
    x, data = b.input("x", "int32(4)"), b.param("data", "float32(9,4)")
    shifted = b.call("add", x, b.constant(type="int32()"))
    assert input_bounds(b.module(b.call("take", data, shifted, axis=0))) == {}
    other = GraphBuilder()
    x, data = other.input("x", "int32(4)"), other.param("data", "float32(9,4)")
    taken = other.call("take", data, x, axis=0, type="float32(4,4)")
    assert input_bounds(other.module(other.call("add", taken, x))) == {"x": (0, 9)}


def test_data_of_take_is_no_index_but_its_values_may_be(b: GraphBuilder) -> None:
    table, x = b.input("table", "int32(50)"), b.input("x", "int32(4)")
    data = b.param("data", "float32(9,4)")
    looked_up = b.call("take", table, x, axis=0, type="int32(4)")
    take = b.call("take", data, looked_up, axis=0)
    assert input_bounds(b.module(take)) == {"table": (0, 9), "x": (0, 50)}


def embed(extent: int) -> Graph:
    f = GraphBuilder("embed")
    data, i = f.input("data", f"float32({extent},4)"), f.input("i", "int32(4)")
    return f.graph(f.call("take", data, f.call("clip", i), axis=0))


def test_through_functions(b: GraphBuilder) -> None:
    x, table = b.input("x", "int32(4)"), b.param("t", "float32(12,4)")
    y = b.input("y", "int32(4)")
    passed = b.call("@same", y, type="int32(4)")
    one = b.call("@embed", table, x)
    two = b.call("@embed", table, passed)
    same = GraphBuilder("same")
    v = same.input("v", "int32(4)")
    module = b.module(b.tuple(one, two), embed(12), same.graph(same.call("copy", v)))
    assert input_bounds(module) == {"x": (0, 12), "y": (0, 12)}


def test_functions_that_call_each_other(b: GraphBuilder) -> None:
    x = b.input("x", "int32(4)")
    call = b.call("@f", x)
    f, g = GraphBuilder("f"), GraphBuilder("g")
    a = f.input("a", "int32(4)")
    f_body = f.call("@g", a)
    c, data = g.input("c", "int32(4)"), g.param("data", "float32(5,4)")
    g_body = g.tuple(g.call("@f", c), g.call("take", data, c, axis=0))
    module = b.module(call, f.graph(f_body), g.graph(g_body))
    assert input_bounds(module) == {"x": (0, 5)}


def test_through_a_function_literal_and_if(b: GraphBuilder) -> None:
    x, c, y = b.input("x", "int32(4)"), b.input("c", "bool()"), b.input("y", "int32(4)")
    data = b.param("data", "float32(6,4)")
    with b.scope("function") as scope:
        p, q = b.local("p"), b.local("q")
        body = b.call("take", data, q, axis=0)
    literal = b.function_literal(b.call("add", body, p), scope)
    with b.scope("then") as then:
        first = b.call("copy", x, type="int32(4)")
    with b.scope("else") as otherwise:
        second = b.call("reverse", y, type="int32(4)")
    chosen = b.if_(c, first, second, then, otherwise)
    result = b.call("fn", literal, y, chosen)
    assert input_bounds(b.module(result)) == {"x": (0, 6), "y": (0, 6)}


def test_order_is_the_parameters(b: GraphBuilder) -> None:
    p, q = b.input("p", "int32(4)"), b.input("q", "int32(4)")
    data, wide = b.param("data", "float32(6,4)"), b.param("wide", "float32(60,4)")
    module = b.module(b.tuple(b.call("take", data, q, axis=0), b.call("take", wide, p, axis=0)))
    assert list(input_bounds(module).items()) == [("p", (0, 60)), ("q", (0, 6))]


def test_linear_in_depth_and_uses() -> None:
    """A long chain of ops that is used as an index at every step."""

    def calls(size: int) -> int:
        b = GraphBuilder()
        x, data = b.input("x", "int32(4)"), b.param("data", "float32(6,4)")
        at = x
        for extent in range(size):
            at = b.call("copy", at)
            b.call("take", data, at, axis=extent % 2)
        module = Module(functions={"main": b.graph(at)})
        bounds, count = work(lambda: input_bounds(module))
        assert bounds == {"x": (0, 4)}
        return count

    # Linear is 4 times (28 calls a step); a walk from every use back to the input makes it 15.
    assert calls(8_000) < 5 * calls(2_000)
