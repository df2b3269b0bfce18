"""The reader against TVM itself: what TVM prints is read back as what TVM printed.

Each module is printed in every way TVM has. The graph that is read is then walked together with
the Relay expression it came from: the same ops, operands, fields, branches, types, and the
numbers that TVM's own printer gave.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.graph import Graph, Scope, TensorType, TupleType, ValueType
from surgery.listing import missing_required_attrs, prescan, read_listing, scan_bindings
from surgery.listing.required import REQUIRED
from surgery.source import Source

DATA = Path(__file__).parent / "data"


def printed_numbers(module: tvm.IRModule) -> tuple[str, list[Any], dict[int, int]]:
    """Return TVM's print with a tag on each expression, the expressions, and tag -> number."""
    seen: list[Any] = []

    def annotate(expr: Any) -> str:
        leaf = (relay.Var, relay.Constant, tvm.ir.Op, relay.GlobalVar, relay.Constructor)
        if isinstance(expr, leaf):
            return ""
        seen.append(expr)
        return f"<{len(seen) - 1}>"

    text = relay.astext(module, show_meta_data=False, annotate=annotate)
    numbers: dict[int, int] = {}
    stack: list[list[int | None]] = [[]]
    for mark in re.finditer(
        r"let %|%(\d+) = |<(\d+)>;|;|[{}]", text.replace("a{b", "ab").replace("a;b", "ab")
    ):
        if mark[1]:
            stack[-1].append(int(mark[1]))
        elif mark.group() == "let %":
            stack[-1].append(None)
        elif mark.group().endswith(";"):
            number = stack[-1].pop() if stack[-1] else None
            if number is not None and mark[2]:
                numbers[int(mark[2])] = number
        elif mark.group() == "{":
            stack.append([])
        else:
            stack.pop()
    return text, seen, numbers


def neutral(type_: Any) -> ValueType:
    """Return a TVM type as the core writes it."""
    if isinstance(type_, relay.TupleType):
        return TupleType(tuple(neutral(t) for t in type_.fields))
    assert isinstance(type_, relay.TensorType)
    dims = tuple(int(d) if isinstance(d, tvm.tir.IntImm) else "?" for d in type_.shape)
    return TensorType(dims, type_.dtype)


def compare(graph: Graph, function: Any, numbers: dict[Any, int], typed: bool) -> None:
    """Walk a graph and a Relay function together from the result."""
    assert [graph.names[p] for p in graph.params] == [v.name_hint for v in function.params]
    pairs: dict[Any, int] = {}
    lets: dict[Any, Any] = {}
    let_ids = {graph.names[i]: i for i, k in enumerate(graph.kinds) if k == "let"}
    todo: list[tuple[Any, int]] = [(function.body, graph.result)]
    todo += list(zip(function.params, graph.params, strict=True))
    while todo:
        expr, id_ = todo.pop()
        number = numbers.get(expr)
        while isinstance(expr, relay.Let):
            # A let is no value of its own: its body's value has its number.
            lets[expr.var] = expr.value
            todo.append((expr.var, let_ids[expr.var.name_hint]))
            expr = expr.body
            number = numbers.get(expr, number)
        if expr in pairs and not isinstance(expr, relay.Constant):
            assert pairs[expr] == id_, f"{expr} was read as two values"
            continue
        pairs[expr] = id_
        kind, operands = graph.kinds[id_], graph.operands[id_]
        children: list[Any] = []
        if isinstance(expr, relay.Call):
            assert kind == "call"
            children = list(expr.args)
            if isinstance(expr.op, tvm.ir.Op):
                assert graph.ops[id_] == expr.op.name
            elif isinstance(expr.op, relay.GlobalVar):
                assert graph.ops[id_] == f"@{expr.op.name_hint}"
            else:
                assert graph.ops[id_] == "fn"
                children.insert(0, expr.op)
        elif isinstance(expr, relay.Tuple):
            assert kind == "tuple"
            children = list(expr.fields)
        elif isinstance(expr, relay.TupleGetItem):
            assert kind == "field"
            assert graph.fields[id_] == expr.index
            children = [expr.tuple_value]
        elif isinstance(expr, relay.If):
            assert kind == "if"
            children = [expr.cond, expr.true_branch, expr.false_branch]
        elif isinstance(expr, relay.Function):
            assert kind == "function"
            children = [expr.body]
        elif isinstance(expr, relay.Constant):
            assert kind == "constant"
            value = graph.attrs[id_].get("value")
            if value is not None:
                np.testing.assert_allclose(value, expr.data.numpy(), rtol=1e-5)
        elif isinstance(expr, relay.Var):
            if expr in lets:
                assert kind == "let"
                children = [lets[expr]]
            else:
                assert kind in ("input", "local")
            assert graph.names[id_] == expr.name_hint
        else:
            raise AssertionError(type(expr))
        assert len(operands) == len(children)
        assert graph.numbers[id_] == number, expr
        if typed and not isinstance(expr, relay.Function):
            assert graph.types[id_] == neutral(expr.checked_type), expr
        todo += zip(children, operands, strict=True)
    # Nothing was read that TVM didn't print.
    assert set(pairs.values()) >= {i for i, k in enumerate(graph.kinds) if k == "call"}


def check(module: tvm.IRModule) -> None:
    """Print a module in every way, read it back, compare."""
    typed = relay.transform.InferType()(tvm.IRModule(dict(module.functions)))
    for mod, has_types in ((module, False), (typed, True)):
        _, seen, tags = printed_numbers(mod)
        numbers = {seen[tag]: number for tag, number in tags.items()}
        for text in (str(mod), mod.astext(), mod.astext(show_meta_data=False)):
            source = Source(text)
            assert [d for d in prescan(source) if d.severity == "error"] == []
            read = read_listing(source)
            assert set(read.functions) == {g.name_hint for g in mod.get_global_vars()}
            for var in mod.get_global_vars():
                compare(read.functions[var.name_hint], mod[var], numbers, has_types)
            values = [b for b in scan_bindings(source) if b.kind == "value"]
            assert [b.number for b in values] == sorted_by_place(text)
            bound = {n: g for g in read.functions.values() for n in g.numbers if n is not None}
            assert {b.number for b in values} == set(bound)
            for binding in values:
                assert binding.number is not None
                graph = bound[binding.number]
                id_ = graph.by_number[binding.number]
                assert binding.function == graph.function
                assert binding.source_name == graph.names[id_]
                # `%1 = (let ...; add(...));` is a group: the scan doesn't look inside.
                if graph.kinds[id_] == "call" and graph.ops[id_] != "fn" and binding.head != "(":
                    assert binding.head == graph.ops[id_]


def sorted_by_place(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"^\s*%(\d+) = ", text, re.MULTILINE)]


# ---------------------------------------------------------------- modules

SHAPE = (2, 3)
NAMES = st.sampled_from(
    ["x", "input:0", "features.1.conv.bias", "bert/encoder/layer_._0/kernel", "my input", "let",
     "a;b", "a{b", "a[0]", "a,b", "f(x)", "q=1", "größe", "a//b", "a/*b*/", 'a"b', "a.0", "a.1"]
)  # fmt: skip


@st.composite
def modules(draw: st.DrawFn) -> tvm.IRModule:
    """A random module: shared values, tuples, ifs, lets, function literals, global functions."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    params = [relay.var(name, shape=SHAPE) for name in names]
    flag = relay.var("flag", shape=(), dtype="bool")
    callee = relay.GlobalVar("block")
    inner = relay.var("p", shape=SHAPE)
    serial = itertools.count()
    block = relay.Function([inner], relay.nn.relu(relay.add(inner, inner)), relay.TensorType(SHAPE))

    def span(name: str) -> Any:
        return relay.Span(relay.SourceName(name), 0, 0, 0, 0)

    def ops(pool: list[Any], size: int, depth: int) -> Any:
        """Grow ``size`` values over a pool; return the last one."""
        pool = list(pool)
        for step in range(size):
            pick = lambda: draw(st.sampled_from(pool[-6:]))  # noqa: E731
            choice = draw(st.integers(0, 11 if depth < 2 else 7))
            if choice <= 2:
                pool.append(relay.Call(tvm.ir.Op.get("add"), [pick(), pick()],
                                       span=span(f"layer_{step}/add")))  # fmt: skip
            elif choice == 3:
                pool.append(relay.multiply(pick(), relay.const(draw(st.sampled_from([1.5, -2.0])))))
            elif choice == 4:
                parts = relay.split(pick(), 3, axis=1).astuple()
                fields = [relay.TupleGetItem(parts, i) for i in range(3)]
                pool.append(relay.concatenate(fields, axis=1))
            elif choice == 5:
                both = relay.Tuple([pick(), pick()])
                pool.append(relay.TupleGetItem(both, draw(st.integers(0, 1))))
            elif choice == 6:
                pool.append(relay.Call(callee, [pick()]))
            elif choice == 7:
                pool.append(relay.add(pick(), relay.const(np.ones(SHAPE, "float32"))))
            elif choice == 8:
                branches = [ops(pool, draw(st.integers(0, 3)), depth + 1) for _ in range(2)]
                pool.append(relay.If(flag, *branches))
            elif choice == 9:
                var = relay.var(f"v{next(serial)}_", shape=SHAPE)
                value = ops(pool, draw(st.integers(1, 2)), depth + 1)
                body = ops([*pool, var], draw(st.integers(1, 3)), depth + 1)
                pool.append(relay.Let(var, value, body))
            elif choice == 10:
                args = [relay.var(f"a{next(serial)}_", shape=SHAPE) for i in range(2)]
                literal = relay.Function(args, ops(args, draw(st.integers(1, 3)), depth + 1))
                pool.append(relay.Call(literal.with_attr("Composite", "x.y"), [pick(), pick()]))
            else:
                pool.append(relay.tanh(pick()))
        return pool[-1]

    first = ops(params, draw(st.integers(1, 8)), 0)
    body = first
    if draw(st.booleans()):
        body = relay.Tuple([first, relay.Tuple([params[0]]), relay.Tuple([])])
    return tvm.IRModule(
        {relay.GlobalVar("main"): relay.Function([*params, flag], body), callee: block}
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules())
def test_random_modules(module: tvm.IRModule) -> None:
    check(module)


# ---------------------------------------------------------------- given modules


def loop() -> tvm.IRModule:
    """A while loop as frontends make it: an expression that holds a recursive let."""
    x = relay.var("x", shape=SHAPE)
    call = relay.var("while_loop")
    i, v = relay.var("i", shape=(), dtype="int32"), relay.var("v", shape=SHAPE)
    again = relay.Call(call, [relay.add(i, relay.const(1)), relay.tanh(v)])
    body = relay.If(relay.less(i, relay.const(3)), again, relay.Tuple([i, v]))
    run = relay.Let(call, relay.Function([i, v], body), relay.Call(call, [relay.const(0), x]))
    return tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(relay.TupleGetItem(run, 1))))


def test_a_loop_reads_as_one_opaque_value() -> None:
    module = loop()
    for text in (str(module), str(relay.transform.InferType()(module))):
        graph = read_listing(Source(text)).main
        (owner,) = (n for n in graph if n.kind == "opaque")
        assert owner.op == "recursive let"
        function, call = owner.operands
        assert (graph.kinds[function], graph.ops[call]) == ("function", "fn")
        (variable,) = (n.id for n in graph if n.kind == "local" and n.name == "while_loop")
        assert graph.operands[call][0] == variable
        assert graph.scope_table[graph.scopes[variable]].owner == owner.id
        assert graph.owner(function) == owner.id
        assert graph.kinds[graph.operands[graph.result][0]] == "field"
        assert graph.scopes[owner.id] == 0


def test_the_whole_prelude_of_adts_reads() -> None:
    from tvm.relay.prelude import Prelude

    module = tvm.IRModule()
    Prelude(module)
    x = relay.var("x", shape=SHAPE)
    module["main"] = relay.Function([x], relay.tanh(x))
    text = module.astext()
    read = read_listing(Source(text))
    assert set(read.functions) == {g.name_hint for g in module.get_global_vars()}
    assert read.has_source_names is False
    graph = read.functions["filter"]
    (match,) = (n for n in graph if n.op == "match")
    assert match.kind == "opaque"
    assert {graph.owner(n.id) for n in graph if n.number is not None} == {match.id}
    assert len(missing_required_attrs(Source(text))) == 0


CASES = sorted(p.name for p in DATA.glob("*.relay"))


@pytest.mark.parametrize(
    "name", [c for c in CASES if c[:2] not in ("37", "40", "41", "47", "50", "51")]
)
def test_case_as_tvm_prints_it(name: str) -> None:
    module = relay.fromtext((DATA / name).read_text())
    # The parser's spans are places in the text, and TVM's own printer shows them as such.
    check(module)


def test_expressions_and_functions_alone() -> None:
    x, y = relay.var("x", shape=SHAPE), relay.var("y:0", shape=SHAPE)
    expr = relay.add(relay.tanh(x), relay.nn.relu(y))
    alone = read_listing(Source(str(expr))).main
    assert [alone.names[p] for p in alone.params] == ["x", "y:0"]
    assert [alone.ops[i] for i in alone.by_number.values()] == ["tanh", "nn.relu"]
    function = relay.Function([x, y], expr).with_attr("Compiler", "bmlib")
    graph = read_listing(Source(str(function))).main
    assert [graph.kinds[p] for p in graph.params] == ["input", "input"]
    assert graph.ops[graph.result] == "add"
    assert graph.function_attrs["Compiler"] == "bmlib"
    assert graph.scope_table == (Scope(0, -1, "body"),)


def test_functions_alone_keep_their_scopes() -> None:
    x, c = relay.var("x", shape=SHAPE), relay.var("c", shape=(), dtype="bool")
    function = relay.Function([x, c], relay.If(c, relay.tanh(x), relay.exp(x)))
    graph = read_listing(Source(str(function))).main
    assert [s.kind for s in graph.scope_table] == ["body", "then", "else"]
    assert graph.kinds[graph.result] == "if"
    assert {graph.scopes[o] for o in graph.operands[graph.result][1:]} == {1, 2}


def test_metadata_section_resolves_what_it_holds() -> None:
    x = relay.var("x", shape=SHAPE)
    y = relay.add(x, relay.const(np.ones(SHAPE, "float32")))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([x], y)))
    whole = read_listing(Source(module.astext()))
    assert whole.missing == ()
    bare = read_listing(Source(str(module)))
    assert bare.missing == (("meta[relay.Constant][0]", 2),)
    for read in (whole, bare):
        (constant,) = (n for n in read.main if n.kind == "constant")
        assert constant.type == TensorType(SHAPE, "float32")
    cut = module.astext()[:-20]
    with pytest.raises(SurgeryError) as failure:
        read_listing(Source(cut))
    assert [d.code for d in failure.value.diagnostics] == ["S521"]


# ---------------------------------------------------------------- required attributes


def tvm_asks_for(call: str, count: int) -> str | None:
    params = ", ".join(f"%p{i}: Tensor[(1, 3), float32]" for i in range(count))
    text = f'#[version = "0.0.5"]\ndef @main({params}) {{ {call} }}'
    try:
        relay.fromtext(text)
    except Exception as failure:
        found = re.search(r"Cannot find required field '(\w+)'", str(failure))
        return found[1] if found else None
    return None


@pytest.mark.parametrize("op", REQUIRED)
def test_tvm_asks_for_each_required_attribute(op: str) -> None:
    count = max(tvm.ir.Op.get(op).num_inputs, 0) or 2
    operands = [f"%p{i}" for i in range(count)]
    written = [f"{name}={value}" for name, value in REQUIRED[op].items()]
    assert tvm_asks_for(f"{op}({', '.join(operands + written)})", count) is None
    for left_out, name in enumerate(REQUIRED[op]):
        rest = written[:left_out] + written[left_out + 1 :]
        call = f"{op}({', '.join(operands + rest)})"
        assert tvm_asks_for(call, count) == name
        (finding,) = missing_required_attrs(Source(f"def @main() {{ {call} }}"))
        assert (finding.code, f"`{name}`" in finding.message) == ("S529", True)
