"""The picture of a Relay module against TVM's own traversal, text and types."""

from __future__ import annotations

import gc
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm import relay

from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.view import enumerate_exprs, view
from surgery.graph import Graph, OtherType, Ref, TensorType, TupleType
from tests.work import work

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"
F32 = "float32"


def typed(*params: relay.Var, body: relay.Expr) -> tvm.IRModule:
    return relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([*params], body)))


def text(source: str) -> tvm.IRModule:
    return relay.fromtext('#[version = "0.0.5"]\n' + source)


def number(graph: Graph, n: int) -> str:
    return graph.describe(graph.by_number[n])


@pytest.fixture(scope="module")
def bert() -> tvm.IRModule:
    data = lzma.decompress((EXAMPLES / "tf_bert_12l.json.xz").read_bytes())
    return relay.transform.InferType()(tvm.ir.load_json(data.decode()))


def test_every_number_name_and_type_of_a_bert_is_that_of_the_print(bert: tvm.IRModule) -> None:
    module, _ = view(bert)
    graph = module.main
    line = re.compile(
        r"  %(\d+) = ([\w.]+)\(.* /\* ty=(Tensor\[.*\], \w+\]|.*?) span=(.*):0:0 \*/;"
    )
    found = [line.fullmatch(x) for x in str(bert).splitlines()]
    matches = [m for m in found if m]
    assert len(matches) == len(graph.by_number) == 979
    for match in matches:
        id_ = graph.by_number[int(match[1])]
        assert graph.ops[id_] == match[2]
        assert graph.names[id_] == match[4]
        type_ = graph.types[id_]
        assert isinstance(type_, TensorType)
        assert f"Tensor[({', '.join(map(str, type_.shape))}), {type_.dtype}]" == match[3]


def test_bert_mask_is_value_41(bert: tvm.IRModule) -> None:
    module, exprs = view(bert)
    graph = module.main
    mask = graph.by_number[41]
    assert graph.names[mask] == "tf_bert_for_sequence_classification/bert/Mul"
    assert str(graph.types[mask]) == "float32(1,1,1,128)"
    assert len(graph.users[mask]) == 12
    assert exprs["main"][mask].op.name == "multiply"
    assert module.has_source_names
    assert graph.attrs[graph.operands[mask][1]] == {"value": -10000.0}


def test_a_view_reads_types_and_attributes_when_asked(bert: tvm.IRModule) -> None:
    (module, _), eager = work(lambda: view(bert))
    size = len(module.main)
    _, types = work(lambda: list(module.main.types))
    _, attrs = work(lambda: list(module.main.attrs))
    # 30 calls an expression to view it. Its type costs 17 more and its attributes 43: either of
    # them read ahead, or an expression visited twice, is over the limit.
    assert eager < 38 * size
    assert types > 10 * size and attrs > 10 * size


def test_ids_are_post_order_with_parameters_first(bert: tvm.IRModule) -> None:
    function = bert["main"]
    visited: list[relay.Expr] = []
    relay.analysis.post_order_visit(function, visited.append)
    params = list(function.params)
    rest = [e for e in visited[:-1] if not isinstance(e, tvm.ir.Op) and e not in set(params)]
    assert enumerate_exprs(function) == params + rest


def test_ids_are_the_same_in_a_copy(bert: tvm.IRModule) -> None:
    again = tvm.ir.load_json(tvm.ir.save_json(bert))
    one, other = traverse(bert["main"]), traverse(again["main"])
    assert (one.kinds, one.ops, one.operands) == (other.kinds, other.ops, other.operands)


def test_attributes_are_plain_values_of_their_declared_kind() -> None:
    x = relay.var("x", shape=(1, 3, 8, 8))
    w = relay.var("w", shape=(4, 3, 3, 3))
    y = relay.nn.conv2d(x, w, padding=(1, 2), channels=4, kernel_size=(3, 3), groups=1)
    y = relay.clip(y, 0.25, 6.0)
    y = relay.reshape(y, (0, -1))
    z = relay.nn.batch_matmul(relay.expand_dims(y, 0), relay.expand_dims(y, 0), transpose_b=True)
    module, _ = view(typed(x, w, body=z))
    by_op = {node.op: node.attrs for node in module.main if node.kind == "call"}
    conv = by_op["nn.conv2d"]
    assert conv["padding"] == (1, 2, 1, 2)
    assert conv["kernel_size"] == (3, 3)
    assert conv["channels"] == 4
    assert conv["data_layout"] == "NCHW"
    assert by_op["clip"] == {"a_min": 0.25, "a_max": 6.0}
    assert by_op["reshape"]["newshape"] == (0, -1)
    assert by_op["nn.batch_matmul"]["transpose_b"] is True
    assert by_op["nn.batch_matmul"]["transpose_a"] is False


@pytest.mark.parametrize("op", ["adaptive_avg_pool1d", "adaptive_max_pool1d"])
def test_attributes_of_a_kind_that_has_no_class_in_python(op: str) -> None:
    x = relay.var("x", shape=(1, 2, 6))
    pooled = getattr(relay.nn, op)(x, 3)
    assert not isinstance(pooled.attrs, tvm.ir.Attrs)
    graph = view(typed(x, body=pooled))[0].main
    (id_,) = (i for i, name in enumerate(graph.ops) if name == f"nn.{op}")
    assert graph.attrs[id_] == {"output_size": (3,), "layout": "NCW", "out_layout": ""}


def test_types_tuples_dynamic_dimensions_and_functions() -> None:
    x = relay.var("x", shape=(relay.Any(), 4), dtype="int8")
    inner = relay.Function([relay.var("p", shape=(2,))], relay.var("q", shape=(2,)))
    del inner
    body = relay.split(x, 2, axis=1).astuple()
    graph = view(typed(x, body=body))[0].main
    half = TensorType(("?", 2), "int8")
    assert graph.types[graph.result] == TupleType((half, half))
    p = relay.var("p", shape=(2,))
    y = relay.var("y", shape=(2,))
    literal = relay.Function([p], relay.nn.relu(p))
    graph = view(typed(y, body=literal(y)))[0].main
    (function,) = (n for n in graph if n.kind == "function")
    assert isinstance(function.type, OtherType)
    assert function.type.text.startswith("fn (Tensor[(2), float32])")


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("float32", 0.5), ("float16", 1.5), ("bfloat16", 1.5), ("int64", -7), ("bool", True)],
)
def test_scalar_constants_show_their_value(dtype: str, value: object) -> None:
    x = relay.var("x", shape=(2,), dtype=dtype)
    op = relay.logical_and if dtype == "bool" else relay.add
    graph = view(typed(x, body=op(x, relay.const(value, dtype))))[0].main
    (constant,) = (n for n in graph if n.kind == "constant")
    assert constant.attrs == {"value": value}
    assert constant.type == TensorType((), dtype)


def test_case_33_functions_lets_and_branches() -> None:
    ir = text("""
def @block(%p: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] {
  %0 = add(%p, %p);
  nn.relu(%0)
}
def @main(%x: Tensor[(2, 4), float32], %c: bool) -> Tensor[(2, 4), float32] {
  %1 = @block(%x);
  %2 = @block(%1);
  let %a = tanh(%2);
  let %b = add(%a, %2);
  if (%c) {
    %3 = nn.relu(%b);
    add(%3, %a)
  } else {
    nn.relu(%b)
  }
}""")
    module, exprs = view(ir)
    assert list(module.functions) == ["block", "main"]
    graph = module.main
    assert number(graph, 2) == "%2 = @block(%1): float32(2,4)"
    assert (
        number(module.functions["block"], 0)
        == "@block:%0 = add(@block:%p, @block:%p): float32(2,4)"
    )
    lets = {n.name: n for n in graph if n.kind == "let"}
    assert {name: graph.ops[n.operands[0]] for name, n in lets.items()} == {"a": "tanh", "b": "add"}
    assert [type(exprs["main"][n.id]).__name__ for n in lets.values()] == ["Var", "Var"]
    inner = graph.by_number[3]
    scope = graph.scope_table[graph.scopes[inner]]
    assert (scope.kind, scope.owner, scope.parent) == ("then", graph.result, 0)
    assert graph.kinds[graph.result] == "if"
    assert graph.owner(inner) == graph.result
    # What a let binds runs where the let stands, though only the branches use it.
    assert all(graph.scopes[n.id] == 0 for n in lets.values())


def test_a_value_that_only_one_branch_uses_is_in_that_branch() -> None:
    x = relay.var("x", shape=(2,))
    shared, only = relay.exp(x), relay.tanh(relay.exp(x))
    body = relay.If(relay.const(True), relay.add(only, shared), relay.negative(shared))
    graph = view(typed(x, body=body))[0].main
    scopes = {n.op: graph.scope_table[graph.scopes[n.id]].kind for n in graph if n.kind == "call"}
    assert scopes["tanh"] == "then"
    assert scopes["negative"] == "else"
    kinds = sorted(graph.scope_table[graph.scopes[n.id]].kind for n in graph if n.op == "exp")
    assert kinds == ["body", "then"]


def test_function_literals_hold_their_own_values() -> None:
    x = relay.var("x", shape=(2,))
    p = relay.var("p", shape=(2,))
    outer = relay.exp(x)
    literal = relay.Function([p], relay.add(relay.tanh(p), outer))
    literal = literal.with_attr("Composite", "dnnl.add").with_attr("Primitive", 1)
    body = relay.add(literal(x), outer)
    graph = view(typed(x, body=body))[0].main
    (function,) = (n for n in graph if n.kind == "function")
    assert function.attrs == {"Composite": "dnnl.add", "Primitive": 1}
    (local,) = (n for n in graph if n.kind == "local")
    assert graph.scopes[local.id] == 1
    assert [n.op for n in graph if graph.scopes[n.id] == 1] == ["", "tanh", "add"]
    call = next(n for n in graph if n.op == "fn")
    assert call.operands == (function.id, graph.params[0])
    assert graph.scope_table[1].owner == function.id


def test_attributes_of_whole_functions() -> None:
    p = relay.var("p", shape=(2,))
    region = relay.Function([p], relay.exp(p), relay.TensorType((2,), F32)).with_attr(
        "Compiler", "bmlib"
    )
    ir = tvm.IRModule()
    ir["bmlib_0"] = region.with_attr("global_symbol", "bmlib_0")
    x = relay.var("x", shape=(2,))
    ir["main"] = relay.Function([x], ir.get_global_var("bmlib_0")(x))
    module, _ = view(relay.transform.InferType()(ir))
    assert module.functions["bmlib_0"].function_attrs == {
        "Compiler": "bmlib",
        "global_symbol": "bmlib_0",
    }
    assert dict(module.main.function_attrs) == {}


def test_case_27_two_nodes_of_one_field_are_one_tensor() -> None:
    c = relay.var("c", shape=(1, 4, 4, 4))
    rest = [relay.var(n, shape=(4,)) for n in "gbmv"]
    norm = relay.nn.batch_norm(c, *rest).astuple()
    one, other = relay.TupleGetItem(norm, 0), relay.TupleGetItem(norm, 0)
    graph = view(typed(c, *rest, body=relay.multiply(relay.tanh(one), relay.exp(other))))[0].main
    first, second = graph.by_number[1], graph.by_number[2]
    assert (graph.kinds[first], graph.kinds[second]) == ("field", "field")
    assert graph.resolve(first) == graph.resolve(second) == Ref(graph.by_number[0], (0,))


def test_recursion_and_match_are_opaque_and_harmless() -> None:
    ir = text(
        """
def @main(%n: int32, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %9 = (
  let %loop = fn (%i: int32, %acc: Tensor[(2), float32]) -> Tensor[(2), float32] {
    %0 = greater(%i, 0);
    if (%0) {
      %1 = subtract(%i, 1);
      %2 = add(%acc, %acc);
      %loop(%1, %2)
    } else {
      %acc
    }
  };
  %loop);
  %3 = %9(%n, %x);
  exp(%3)
}""".replace("%9 = (\n", "").replace("%loop);\n  %3 = %9(", "%3 = %loop(")
    )
    graph = view(ir)[0].main
    opaque = [n for n in graph if n.kind == "opaque"]
    assert [n.op for n in opaque] == ["recursive let"]
    assert graph.result == opaque[0].id
    assert all(graph.scopes[n.id] for n in graph if n.op in ("subtract", "exp"))
    assert all(o < n.id for n in graph for o in n.operands)


def test_match_branches_are_scopes_of_an_opaque_value() -> None:
    ir = tvm.IRModule()
    prelude = relay.prelude.Prelude(ir)
    list_type, _, nil = ir.get_type("List")
    x = relay.var("x", shape=(2,))
    head = relay.var("h")
    other = relay.exp(x)
    cons = ir.get_type("List")[1]
    match = relay.Match(
        cons(x, nil()),
        [
            relay.Clause(
                relay.PatternConstructor(cons, [relay.PatternVar(head), relay.PatternWildcard()]),
                relay.add(head, other),
            ),
            relay.Clause(relay.PatternWildcard(), other),
        ],
    )
    assert list_type is not None and prelude is not None
    ir["main"] = relay.Function([x], relay.tanh(match))
    module, _ = view(relay.transform.InferType()(ir))
    graph = module.main
    node = next(n for n in graph if n.op == "match")
    assert node.kind == "opaque"
    assert len(node.operands) == 3
    added = next(n for n in graph if n.op == "add")
    assert graph.scope_table[graph.scopes[added.id]].owner == node.id
    assert graph.scopes[next(n.id for n in graph if n.op == "exp")] == 0


def test_functions_of_one_module_are_numbered_on() -> None:
    one, other = relay.var("x", shape=(2,)), relay.var("x", shape=(2,))
    ir = tvm.IRModule()
    ir["a"] = relay.Function([one], relay.exp(relay.tanh(relay.tanh(one))))
    ir["main"] = relay.Function([other], relay.exp(relay.sin(other)))
    module, _ = view(relay.transform.InferType()(ir))
    assert sorted(module.functions["a"].by_number) == [0, 1]
    assert number(module.main, 2) == "%2 = sin(%x): float32(2)"
    assert module.main.label(module.main.result) == "result"


def test_merged_spans_give_their_first_name_and_parsed_places_none() -> None:
    x = relay.var("x", shape=(2,))

    def named(name: str, line: int = 0) -> relay.Span:
        return relay.Span(relay.SourceName(name), line, 0, 0, 0)

    ops = [
        relay.SequentialSpan([named("from_string", 3), named("b/Relu"), named("c/Relu")]),
        named("from_string", 2),
        named("model.relay", 7),
        named("a/b:0"),
        None,
    ]
    body = x
    for span in ops:
        body = relay.Call(relay.op.get("exp"), [body], None, None, span)
    graph = view(typed(x, body=body))[0].main
    assert [n.name for n in graph if n.kind == "call"] == ["b/Relu", None, None, "a/b:0", None]


def test_a_module_without_names_says_so() -> None:
    x = relay.var("x", shape=(2,))
    assert not view(typed(x, body=relay.exp(x)))[0].has_source_names


def test_weights_are_params_and_inputs_are_inputs() -> None:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(4, 4))
    model = adopt(typed(x, w, body=relay.nn.dense(x, w)), {"w": np.ones((4, 4), F32)})
    assert model.module.main.kinds[:2] == ["input", "param"]


def test_a_chain_of_forty_thousand_ops_is_ordinary() -> None:
    x = relay.var("x", shape=(2,))
    body = x
    for _ in range(40_000):
        body = relay.nn.relu(body)
    walked = traverse(relay.Function([x], body))
    assert len(walked.kinds) == 40_001
    assert walked.operands[walked.result] == (40_000 - 1,)


def test_a_chain_of_sixty_thousand_ops_is_adopted_on_the_default_stack() -> None:
    # Not every visitor of TVM's takes that: post_order_visit overflows the stack.
    x = relay.var("x", shape=(2,))
    body = x
    for _ in range(60_000):
        body = relay.nn.relu(body)
    graph = adopt(tvm.IRModule.from_expr(relay.Function([x], body))).module.main
    assert len(graph) == 60_001
    assert graph.types[graph.result] == TensorType((2,), "float32")


def test_a_graph_outlives_the_model_it_was_read_from() -> None:
    def graphs() -> list[Graph]:
        x = relay.var("x", shape=(2,))
        span = relay.Span(relay.SourceName("a/Exp"), 0, 0, 0, 0)
        body = relay.Call(relay.op.get("exp"), [relay.clip(x, 0.5, 1.0)], None, None, span)
        return [adopt(tvm.IRModule.from_expr(relay.Function([x], body))).module.main]

    kept = [graph for _ in range(200) for graph in graphs()]
    gc.collect()
    for graph in kept:
        assert graph.describe(graph.result) == "result = exp(%0): float32(2)"
        assert graph.names[graph.result] == "a/Exp"
        assert graph.attrs[graph.by_number[0]] == {"a_min": 0.5, "a_max": 1.0}


def test_deeply_nested_branches_are_ordinary() -> None:
    x = relay.var("x", shape=(2,))
    body = x
    for _ in range(2_000):
        body = relay.If(relay.const(True), relay.exp(body), x)
    walked = traverse(relay.Function([x], body))
    assert len(walked.scope_table) == 4_001
    assert walked.scopes[walked.result] == 0


@st.composite
def modules(draw: st.DrawFn) -> tvm.IRModule:
    """Random typed modules: shared values, tuples, fields, branches, literals, lets, calls."""
    counter = [0]

    def function(extra: list[relay.Expr], size: int, depth: int) -> relay.Expr:
        pool = list(extra)
        lets: list[tuple[relay.Var, relay.Expr]] = []

        def pick() -> relay.Expr:
            return pool[draw(st.integers(0, len(pool) - 1))]

        for _ in range(draw(st.integers(1, size))):
            kind = draw(st.integers(0, 7 if depth else 4))
            if kind <= 1:
                pool.append(relay.add(pick(), pick()))
            elif kind == 2:
                pool.append(relay.tanh(pick()))
            elif kind == 3:
                parts = relay.split(relay.concatenate([pick(), pick()], 0), 2, 0).astuple()
                pool.append(relay.TupleGetItem(parts, draw(st.integers(0, 1))))
            elif kind == 4:
                pool.append(relay.TupleGetItem(relay.Tuple([pick(), pick()]), 1))
            elif kind == 5:
                then, other = function(pool, 2, depth - 1), function(pool, 2, depth - 1)
                pool.append(relay.If(relay.const(True), then, other))
            elif kind == 6:
                counter[0] += 1
                local = relay.var(f"l{counter[0]}", shape=(2,))
                literal = relay.Function([local], function([*pool, local], 2, depth - 1))
                pool.append(literal(pick()))
            else:
                counter[0] += 1
                variable = relay.var(f"v{counter[0]}", shape=(2,))
                lets.append((variable, relay.exp(pick())))
                pool.append(variable)
        body = pool[-1]
        for variable, value in reversed(lets):
            body = relay.Let(variable, value, body)
        return body

    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    ir = tvm.IRModule()
    p = relay.var("p", shape=(2,))
    ir["first"] = relay.Function([p], function([p], 3, 1), relay.TensorType((2,), F32))
    called = ir.get_global_var("first")
    ir["main"] = relay.Function([x, y], function([x, y, called(x)], 7, 2))
    return relay.transform.InferType()(ir)


@settings(max_examples=60, deadline=None)
@given(modules())
def test_numbers_are_the_positions_in_the_real_print(ir: tvm.IRModule) -> None:
    module, exprs = view(ir)
    printed = str(ir)
    heads = {
        int(m[1]): m[2]
        for m in re.finditer(r"^\s*%(\d+) = (@?[\w.]+|if|fn|\(|%\d+)", printed, re.MULTILINE)
    }
    numbered: dict[int, str] = {}
    for graph in module.functions.values():
        for number_, id_ in graph.by_number.items():
            assert number_ not in numbered
            node = graph[id_]
            numbered[number_] = node.op or node.kind
            operands = [graph.label(o).removeprefix("@first:") for o in node.operands]
            line = re.search(rf"^\s*%{number_} = (.*)", printed, re.MULTILINE)
            assert line is not None
            code = re.sub(r"/\*.*?\*/", "", line[1])
            if node.kind == "call" and node.op not in ("fn",):
                shown = re.findall(r"%\w+", code)
                assert shown == [o for o in operands if o.startswith("%")]
            elif node.kind == "field":
                assert code.startswith(f"{operands[0]}.{graph.fields[id_]}")
    assert numbered.keys() == heads.keys()
    for number_, head in heads.items():
        if head[0] == "(":
            assert numbered[number_] == "tuple"
        elif head[0] == "%":
            assert numbered[number_] in ("field", "fn")
        elif head == "fn":
            assert numbered[number_] == "function"
        else:
            assert numbered[number_] == head
    for name, graph in module.functions.items():
        assert len(exprs[name]) == len(graph)
        assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)


@settings(max_examples=40, deadline=None)
@given(modules())
def test_scopes_hold_all_uses(ir: tvm.IRModule) -> None:
    for graph in view(ir)[0].functions.values():
        table = graph.scope_table
        for scope in table[1:]:
            assert scope.parent == graph.scopes[scope.owner]

        def inside(scope: int, outer: int, table: tuple = table) -> bool:  # type: ignore[type-arg]
            while scope != outer and scope:
                scope = table[scope].parent
            return scope == outer

        for id_, users in enumerate(graph.users):
            for user in users:
                at = graph.scopes[user]
                own = [i for i, s in enumerate(table) if i and s.owner == user]
                assert inside(at, graph.scopes[id_]) or graph.scopes[id_] in own
        for id_, kind in enumerate(graph.kinds):
            if graph.scopes[id_]:
                assert table[graph.scopes[id_]].owner > id_
            if kind in ("input", "param"):
                assert graph.scopes[id_] == 0


def test_the_number_of_a_let_group_is_its_last_values() -> None:
    x, a = relay.var("x", shape=(2,)), relay.var("a", shape=(2,))
    group = relay.Let(a, relay.nn.relu(x), relay.exp(a))
    out = relay.tanh(relay.add(group, relay.negative(x)))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([x], out)))
    assert "%0 = (" in module.astext()
    graph = view(module)[0].main
    assert {n: graph.ops[i] for n, i in graph.by_number.items()} == {
        0: "exp", 1: "negative", 2: "add",
    }  # fmt: skip
