"""Listings, read without TVM: the situations from practice and the forms of text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgery.graph import UNKNOWN, Graph, OtherType, Ref, TensorType, TupleType
from surgery.listing import parse_type, read_listing
from surgery.source import Source

DATA = Path(__file__).parent / "data"


def case(number: str) -> Source:
    (path,) = DATA.glob(f"{number}-*.relay")
    return Source(path.read_text(), path.name)


def read(text: str) -> Graph:
    return read_listing(Source(text)).main


def f32(*shape: int | str) -> TensorType:
    return TensorType(shape, "float32")


# ---------------------------------------------------------------- cases


def test_pasted_listing() -> None:
    module = read_listing(case("50"))
    graph = module.main
    assert sorted(graph.by_number) == list(range(103))
    by = graph.by_number
    assert graph.label(graph.result) == "result"
    assert (graph.ops[by[60]], graph.types[by[60]]) == ("reshape", f32(128, 768))
    assert (graph.ops[by[80]], graph.types[by[80]]) == ("reshape", f32(1, 128, 3072))
    assert [graph.numbers[u] for u in graph.users[by[76]]] == [77, 92]
    assert module.missing == (
        ("meta[relay.Constant][0]", 2),
        ("meta[relay.attrs.BatchMatmulAttrs][0]", 41),
        ("meta[relay.attrs.BatchMatmulAttrs][1]", 58),
    )
    assert graph.attrs[by[39]] == {"meta": "meta[relay.attrs.BatchMatmulAttrs][0]"}
    assert [graph.numbers[o] for o in graph.operands[by[39]]] == [37, 38]
    names = [graph.names[p] for p in graph.params]
    assert len(names) == 22
    assert names[1] == "x"
    assert (
        "tf_distil_bert_for_sequence_classification/distilbert/transformer/layer_._0/attention/"
        "q_lin/Tensordot/ReadVariableOp/resource" in names
    )
    (constant,) = (graph.operands[by[0]],)
    assert graph.types[constant[0]] == TensorType((128,), "int32")
    power = graph[by[10]]
    assert graph.attrs[power.operands[1]] == {"value": -0.5}
    assert not module.has_source_names


def test_numbers_are_those_of_the_file() -> None:
    graph = read_listing(case("03")).main
    by = graph.by_number
    assert graph.kinds[by[5]] == "tuple"
    assert [graph.numbers[o] for o in graph.operands[by[5]]] == [3, 4]
    assert graph.ops[by[6]] == "concatenate"
    assert graph.ops[by[7]] == "add"
    assert graph.fields == {by[3]: 0, by[4]: 1}
    assert graph.outputs == (Ref(by[7]), Ref(by[0]), Ref(by[8]))


def test_partitioned_listing() -> None:
    module = read_listing(case("51"))
    assert list(module.functions) == ["main", "tvmgen_default_bmlib_main_0"]
    region = module.functions["tvmgen_default_bmlib_main_0"]
    assert region.function_attrs == {
        "Inline": 1,
        "global_symbol": "tvmgen_default_bmlib_main_0",
        "Compiler": "bmlib",
        "Primitive": 1,
    }
    assert module.main.ops[module.main.result] == "@tvmgen_default_bmlib_main_0"
    composite = region.by_number[5]
    assert region.kinds[composite] == "function"
    assert region.attrs[composite]["Composite"] == "bmlib.reshape_conv2d_add_bn_relu"
    scope = region.scope_table[1]
    assert (scope.owner, scope.kind) == (composite, "function")
    inside = [n for n in region if n.kind == "local"]
    assert len(inside) == 7
    assert {region.scopes[n.id] for n in inside} == {1}
    call = region[region.result]
    assert (call.op, call.operands[0], len(call.operands)) == ("fn", composite, 8)
    kinds = [region.kinds[o] for o in call.operands[1:]]
    assert kinds.count("constant") == 6
    assert kinds[1] == "input"
    assert region.types[region.by_number[4]] == f32(1, 128, 12, 40)


def test_names_that_tvm_cannot_read() -> None:
    graph = read_listing(case("37")).main
    assert [graph.names[p] for p in graph.params] == [
        "input:0",
        "bert/encoder/layer_._0/attention/self/query/kernel",
        "features.1.conv.bias",
    ]
    assert graph.operands[graph.by_number[0]] == graph.params[:2]
    assert graph.operands[graph.by_number[1]][1] == graph.params[2]


def test_missing_metadata_is_listed_and_the_rest_is_read() -> None:
    module = read_listing(case("40"))
    assert module.missing == (("meta[relay.Constant][0]", 3), ("meta[runtime.BoxInt][0]", 4))
    split = module.main[module.main.by_number[1]]
    assert split.attrs == {"indices_or_sections": "meta[runtime.BoxInt][0]", "axis": 1}


def test_metadata_section_is_read() -> None:
    module = read_listing(case("44"))
    assert module.missing == ()
    graph = module.main
    conv = graph[graph.by_number[0]]
    assert conv.attrs["out_dtype"] == "int32"
    assert [graph.attrs[o].get("value") for o in conv.operands[2:]] == [0, 0, 0.1, 0.1]
    assert graph.types[conv.operands[1]] == TensorType((4, 4, 1, 1), "int8")


def test_attributes_from_the_metadata_section() -> None:
    """As TVM before 0.8 printed attributes without a text form."""
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relay.attrs.BatchMatmulAttrs", "Array"], "data": [2, 3]},
        {"type_key": "Array", "data": [4]},
        {"type_key": "Array", "data": [5]},
        {"type_key": "relay.attrs.BatchMatmulAttrs",
         "attrs": {"transpose_a": "0", "transpose_b": "1", "out_dtype": "float32",
                   "auto_scheduler_rewritten_layout": "6"}},
        {"type_key": "Array", "data": [7, 8]},
        {"type_key": "runtime.String", "repr_str": ""},
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "3"}},
        {"type_key": "FloatImm", "attrs": {"dtype": "float32", "value": "0.5"}},
    ]  # fmt: skip
    section = json.dumps({"root": 1, "nodes": nodes})
    text = (
        "def @main(%x, %y) {\n  nn.batch_matmul(%x, %y, meta[relay.attrs.BatchMatmulAttrs][0],"
        " a=meta[Array][0], b=meta[Array][1])\n}\n#[metadata]\n" + section
    )
    module = read_listing(Source(text))
    assert module.main.attrs[module.main.result] == {
        "transpose_a": False,
        "transpose_b": True,
        "out_dtype": "float32",
        "a": (3, 0.5),
        "b": "meta[Array][1]",
    }
    assert module.missing == (("meta[Array][1]", 2),)


def test_a_listing_may_leave_out_what_the_parser_demands() -> None:
    graph = read_listing(case("41")).main
    assert graph.ops[graph.result] == "nn.dense"
    assert graph.attrs[graph.result] == {}


def test_control_flow_and_functions() -> None:
    module = read_listing(case("33"))
    assert list(module.functions) == ["block", "main"]
    graph = module.main
    assert sorted(graph.by_number) == [1, 2, 3]
    assert graph.kinds[graph.result] == "if"
    assert [s.kind for s in graph.scope_table] == ["body", "then", "else"]
    lets = {n.name: n.id for n in graph if n.kind == "let"}
    assert set(lets) == {"a", "b"}
    assert graph.scopes[graph.by_number[3]] == 1
    assert graph.operands[graph.by_number[3]] == (lets["b"],)
    assert {graph.scopes[i] for i in lets.values()} == {0}
    assert module.functions["block"].by_number == {0: 1}


def test_if_branches_are_scopes() -> None:
    graph = read_listing(case("32")).main
    owner = graph.by_number[3]
    assert graph.kinds[owner] == "if"
    _, then, otherwise = graph.operands[owner]
    assert (graph.ops[then], graph.ops[otherwise]) == ("tanh", "exp")
    assert (graph.owner(then), graph.owner(otherwise)) == (owner, owner)
    assert graph.scope_table[graph.scopes[then]].kind == "then"


# ---------------------------------------------------------------- names and types in comments


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("/* bert/encoder/layer_._0/MatMul */", "bert/encoder/layer_._0/MatMul"),
        ("/* ty=Tensor[(2), float32] span=bert/MatMul:0:0 */", "bert/MatMul"),
        ("/* span=aten::linear_1:0:0 */", "aten::linear_1"),
        ("/* span=my layer/Add:0:0 */", "my layer/Add"),
        ("/* ty=Tensor[(2), float32] */ /* a/b/Add */", "a/b/Add"),
        ("// a/b/Add\n", "a/b/Add"),
        ("/* ty=Tensor[(2), float32] */", None),
        ("/* Tensor[(2), float32] */", None),
        ("/* float32 */", None),
        ("/* span=from_string:3:5 */", None),
        ("/* span=prelude.rly:27:8 */", None),
        ("/* what this line does */", None),
    ],
)
def test_source_names(comment: str, name: str | None) -> None:
    text = "def @main(%x: Tensor[(2), float32]) {{\n  %0 = tanh(%x){0};{1}\n  exp(%0)\n}}"
    before, after = text.format(" " + comment, ""), text.format("", " " + comment)
    for written in (before, after):
        module = read_listing(Source(written))
        graph = module.main
        assert graph.names[graph.by_number[0]] == name
        assert graph.names[graph.result] is None
        assert module.has_source_names is (name is not None)


def test_a_comment_on_a_line_of_its_own_names_nothing() -> None:
    graph = read("def @main(%x: float32) {\n  %0 = tanh(%x);\n  /* a/b */\n  exp(%0)\n}")
    assert graph.names == [None if k == "call" else "x" for k in graph.kinds]


def test_names_of_parameters_are_no_source_names() -> None:
    module = read_listing(Source("def @main(%x: float32 /* span=x:0:0 */) { tanh(%x) }"))
    assert module.has_source_names is False
    assert module.main.names[module.main.params[0]] == "x"


def test_types_come_from_the_file_or_follow_from_it() -> None:
    graph = read(
        "def @main(%x: Tensor[(1, ?, n), float32], %c: bool, %t: (Tensor[(8), int8], ())) {\n"
        "  %0 = tanh(%x);\n"
        "  %1 = (%x, %c);\n"
        "  %2 = %1.1;\n"
        "  %3 = %t.0;\n"
        "  let %a = %x;\n"
        "  %4 = if (%c) { %a } else { %0 };\n"
        "  %5 = (%0, %x);\n"
        "  %6 = %5.1;\n"
        "  (%0, %2, %3, %4, %6)\n"
        "}"
    )
    by = graph.by_number
    x = f32(1, "?", "n")
    assert graph.types[graph.params[0]] == x
    assert graph.types[graph.params[2]] == TupleType((TensorType((8,), "int8"), TupleType(())))
    assert graph.types[by[0]] == UNKNOWN
    assert graph.types[by[1]] == TupleType((x, TensorType((), "bool")))
    assert graph.types[by[2]] == TensorType((), "bool")
    assert graph.types[by[3]] == TensorType((8,), "int8")
    assert graph.types[by[4]] == x
    assert graph.types[by[5]] == UNKNOWN
    assert graph.types[by[6]] == x


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Tensor[(1, 2), float32]", f32(1, 2)),
        ("Tensor[(8,), float16]", TensorType((8,), "float16")),
        ("Tensor[(), bool]", TensorType((), "bool")),
        ("Tensor[(1, 5i64, ?), float32x4]", TensorType((1, 5, "?"), "float32x4")),
        ("Tensor[(n, (n + 1)), float32]", f32("n", "(n + 1)")),
        ("Tensor[(meta[tir.Var][0], 2), float32]", f32("meta[tir.Var][0]", 2)),
        ("int64", TensorType((), "int64")),
        ("(int8,)", TupleType((TensorType((), "int8"),))),
        ("()", TupleType(())),
        ("fn (float32, ()) -> (bool,)", OtherType("fn (float32, ()) -> (bool,)")),
        ("fn [A](A) -> List[A]", OtherType("fn (A) -> List[A]")),
        ("ref(Tensor[(1), float32])", OtherType("ref(Tensor[(1), float32])")),
        ("List[int32]", OtherType("List[int32]")),
        ("not a type!", UNKNOWN),
        ("(float32", UNKNOWN),
    ],
)
def test_types(text: str, type_: object) -> None:
    assert parse_type(text) == type_


def test_the_header_types_an_untyped_result() -> None:
    graph = read("def @main(%x: float32) -> Tensor[(2), float32] { foo(%x) }")
    assert graph.types[graph.result] == f32(2)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-3i64", -3), ("1f", 1.0), ("-0.5f", -0.5), ("1e-12f", 1e-12), ("1e+30f", 1e30),
        ("1.5f16", 1.5), ("True", True), ("False", False), ("None", None), ('"NCHW"', "NCHW"),
        (r'"a\"b\\c\n"', 'a"b\\c\n'),
        (r'"\x41\102\'\t"', "AB'\t"), ("[1, -1, 768]", (1, -1, 768)), ("[]", ()), ("()", ()),
        ("[[0, 0], [1, 1]]", ((0, 0), (1, 1))), ("[0f, 1f]", (0.0, 1.0)),
        ('["a", "b"]', ("a", "b")),
        ('{"a"=1, "b"=[2]}', (("a", 1), ("b", (2,)))), ("float32", "float32"),
        ("meta[runtime.BoxInt][0]", "meta[runtime.BoxInt][0]"),
        ("VirtualDevice(device_type=1, virtual_device_id=0)",
         "VirtualDevice(device_type=1, virtual_device_id=0)"),
    ],
)  # fmt: skip
def test_attributes(text: str, value: object) -> None:
    for written in (f"op(%x, k={text})", f"op(%x, k = {text})"):
        graph = read(f"def @main(%x: float32) {{ {written} }}")
        (found,) = graph.attrs[graph.result].values()
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value", "dtype"),
    [
        ("1f", 1.0, "float32"), ("-1.5f64", -1.5, "float64"), ("2.5f16", 2.5, "float16"),
        ("7", 7, "int32"), ("5i64", 5, "int64"), ("True", True, "bool"),
        ("inff", float("inf"), "float32"),
        ("-inff", float("-inf"), "float32"), ("0.5", 0.5, "float32"),
    ],
)  # fmt: skip
def test_scalar_constants(text: str, value: object, dtype: str) -> None:
    graph = read(f"def @main(%x: float32) {{ add(%x, {text}) }}")
    constant = graph.operands[graph.result][1]
    assert graph.kinds[constant] == "constant"
    assert graph.attrs[constant] == {"value": value}
    assert graph.types[constant] == TensorType((), dtype)


def test_each_literal_is_a_node_and_each_metadata_constant_one() -> None:
    graph = read(
        "def @main(%x: float32) { %0 = add(1f, 1f);"
        " %1 = add(%0, meta[relay.Constant][0]); add(%1, meta[relay.Constant][0]) }"
    )
    assert graph.kinds.count("constant") == 3
    by = graph.by_number
    assert graph.operands[by[0]][0] != graph.operands[by[0]][1]
    assert graph.operands[by[1]][1] == graph.operands[graph.result][1]


def test_nan_is_read() -> None:
    graph = read("def @main(%x: float32) { add(%x, nanf) }")
    value = graph.attrs[graph.operands[graph.result][1]]["value"]
    assert value != value
