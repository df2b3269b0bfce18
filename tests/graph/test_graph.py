"""Graph columns: references through tuples and fields, scopes, labels, lazy columns."""

from __future__ import annotations

from surgery.graph import BulkColumn, Graph, LazyColumn, Ref, TensorType, TupleType
from tests.graphs import GraphBuilder

F = "float32(2,2)"
THREE = f"{F};{F};{F}"


def split_graph() -> tuple[GraphBuilder, dict[str, int]]:
    b = GraphBuilder()
    x = b.input("x", "float32(2,6)")
    split = b.call("split", x, type=THREE)
    first, again, last = b.field(split, 0), b.field(split, 0), b.field(split, 2)
    pair = b.tuple(first, last)
    out = b.field(pair, 1)
    return b, {"x": x, "split": split, "first": first, "again": again, "last": last,
               "pair": pair, "out": out}  # fmt: skip


def test_resolve_sees_through_fields_of_calls_and_literals() -> None:
    b, ids = split_graph()
    graph = b.graph(ids["out"])
    assert graph.resolve(ids["first"]) == Ref(ids["split"], (0,))
    assert graph.resolve(ids["again"]) == graph.resolve(ids["first"])
    assert graph.resolve(ids["out"]) == Ref(ids["split"], (2,))
    assert graph.resolve(ids["pair"]) == Ref(ids["pair"])


def test_outputs_are_flattened_and_resolved() -> None:
    b, ids = split_graph()
    result = b.tuple(ids["pair"], ids["split"], ids["x"])
    graph = b.graph(result)
    s = ids["split"]
    assert graph.outputs == (
        Ref(s, (0,)), Ref(s, (2,)), Ref(s, (0,)), Ref(s, (1,)), Ref(s, (2,)), Ref(ids["x"]),
    )  # fmt: skip
    assert graph.type_of(Ref(s, (1,))) == TensorType((2, 2), "float32")


def test_empty_tuples_vanish_from_the_outputs() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    graph = b.graph(b.tuple(b.tuple(), x))
    assert graph.outputs == (Ref(x),)


def test_let_is_an_alias() -> None:
    b = GraphBuilder()
    relu = b.call("nn.relu", b.input("x", F), type=F)
    alias = b.let("a", relu)
    graph = b.graph(b.call("exp", alias, type=F))
    assert graph.resolve(alias) == Ref(relu)
    assert graph.label(alias) == "%a"


def test_owner_is_the_node_of_the_body_that_holds_a_nested_value() -> None:
    b = GraphBuilder()
    c, x = b.input("c", "bool()"), b.input("x", F)
    with b.scope("then") as then:
        a = b.call("tanh", x, type=F)
    with b.scope("else") as other:
        e = b.call("exp", x, type=F)
    choice = b.if_(c, a, e, then, other)
    graph = b.graph(b.call("nn.relu", choice, type=F))
    assert [graph.owner(i) for i in (a, e, choice, x)] == [choice, choice, choice, x]


def test_labels_say_function_number_and_field() -> None:
    b = GraphBuilder("block", first_number=3)
    x = b.input("p", F)
    relu = b.call("nn.relu", x, type=THREE)
    graph = b.graph(b.call("exp", relu, type=F))
    assert graph.label(Ref(relu, (1,))) == "@block:%3.1"
    assert graph.label(x) == "@block:%p"
    assert graph.label(graph.result) == "@block:result"


def test_users_have_one_entry_an_operand_slot() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    graph = b.graph(b.call("add", x, x, type=F))
    assert graph.users[x] == [graph.result, graph.result]


def test_lazy_columns_compute_only_what_is_read() -> None:
    asked: list[int] = []

    def compute(index: int) -> int:
        asked.append(index)
        return index * index

    column = LazyColumn(10, compute)
    assert (column[3], column[3], column[2:4]) == (9, 9, [4, 9])
    assert asked == [3, 2]


def test_bulk_columns_compute_once() -> None:
    calls: list[int] = []

    def compute() -> list[int]:
        calls.append(1)
        return [5, 6]

    column = BulkColumn(2, compute)
    assert (len(column), column[1], column[0], calls) == (2, 6, 5, [1])


def test_tensor_sizes() -> None:
    assert TensorType((1, 128, 768), "float32").nbytes == 393216
    assert TensorType((), "bool").nbytes == 1
    assert TensorType((3,), "int4").nbytes == 2
    assert TensorType((2, "?"), "float16").nbytes is None
    assert str(TupleType((TensorType((2,), "int8"),))) == "(int8(2))"


def test_a_chain_of_a_hundred_thousand_ops_is_an_ordinary_input() -> None:
    size = 100_000
    graph = Graph(
        kinds=["input", *["call"] * size],
        ops=["", *["nn.relu"] * size],
        operands=[(), *[(i,) for i in range(size)]],
        result=size,
        params=[0],
    )
    assert graph.outputs == (Ref(size),)
    assert len(graph.users) == size + 1
