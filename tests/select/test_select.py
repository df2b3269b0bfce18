"""Every form of selector, on graphs with and without names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref, Resolved
from surgery.select import check_expect, describe, exactly_one, select, using_ops
from surgery.syntax import ast, parse_selector
from tests.graphs import GraphBuilder
from tests.work import work


def pick(module: Module, text: str, **options: object) -> list[Ref]:
    found = select(parse_selector(text), module, **options)  # type: ignore[arg-type]
    return [r.ref for r in found]


def refused(module: Module, text: str, **options: object) -> Diagnostic:
    with pytest.raises(SurgeryError) as failure:
        select(parse_selector(text), module, **options)  # type: ignore[arg-type]
    (diagnostic,) = failure.value.diagnostics
    return diagnostic


def shared_tuple() -> Module:
    """Situation 03: fields, a tuple literal and the ops after it."""
    b = GraphBuilder()
    x, w = b.input("x", "float32(1,4)"), b.param("w", "float32(4,4)")
    dense = b.call("nn.dense", x, w, type="float32(1,4)", units=4)
    relu = b.call("nn.relu", dense, type="float32(1,4)")
    halves = b.call("split", relu, type="float32(1,2);float32(1,2)", axis=1)
    one, two = b.field(halves, 0), b.field(halves, 1)
    pair = b.tuple(one, two)
    joined = b.call("concatenate", pair, type="float32(1,4)", axis=1)
    total = b.call("add", one, two, type="float32(1,2)")
    tanh = b.call("tanh", joined, type="float32(1,4)")
    return b.module(b.tuple(total, dense, tanh))


def test_a_number_is_the_value_printed_under_it() -> None:
    module = shared_tuple()
    graph = module.main
    for number, op in ((0, "nn.dense"), (2, "split"), (6, "concatenate"), (7, "add")):
        (ref,) = pick(module, f"%{number}")
        assert graph.ops[ref.node] == op
        assert graph.label(ref) == f"%{number}"
    (ref,) = pick(module, "%5")
    assert graph.kinds[ref.node] == "tuple"
    (ref,) = pick(module, "result")
    assert ref.node == graph.result


def test_fields_of_a_number() -> None:
    module = shared_tuple()
    graph = module.main
    split = graph.by_number[2]
    assert pick(module, "%2.1") == [Ref(split, (1,))]
    assert pick(module, "%2.*") == [Ref(split, (0,)), Ref(split, (1,))]
    # A field of a tuple literal is the value that stands there.
    assert pick(module, "%5.1") == [Ref(graph.by_number[4])]
    assert pick(module, "%5.*") == [Ref(graph.by_number[3]), Ref(graph.by_number[4])]
    assert pick(module, "result.1") == [Ref(graph.by_number[0])]


def test_numbers_that_are_not_there() -> None:
    module = shared_tuple()
    found = refused(module, "%42")
    assert found.code == "S200"
    assert "%0 to %8" in found.reason
    found = refused(module, "%2.2")
    assert (found.code, found.reason) == ("S201", "%2 has the fields .0 to .1.")
    found = refused(module, "%0.0")
    assert (found.code, found.reason) == ("S201", "%0 is a tensor, float32(1,4).")
    assert refused(module, "%0.*").code == "S201"
    assert pick(module, "%42", optional=True) == []


def with_functions() -> Module:
    """Situation 33: numbers run on over functions; main binds values by let."""
    block = GraphBuilder("block")
    p = block.input("p", "float32(2,4)")
    inner = block.graph(block.call("nn.relu", block.call("add", p, p)))
    b = GraphBuilder(first_number=1)
    x, c = b.input("x", "float32(2,4)"), b.input("c", "bool()")
    called = b.call("@block", b.call("@block", x))
    a = b.let("a", b.call("tanh", called))
    with b.scope("then") as then:
        relu = b.call("nn.relu", a)
    end = b.if_(c, relu, called, then)
    return b.module(end, inner)


def test_numbers_of_other_functions() -> None:
    module = with_functions()
    (found,) = select(parse_selector("@block:%0"), module)
    assert found == Resolved(function="block", ref=Ref(1))
    missing = refused(module, "%0")
    assert missing.remedy == "write `@block:%0` for the value of `@block`"
    assert refused(module, "@blok:%0").remedy == "functions there are: @block"
    assert [r.function for r in select(parse_selector("@block:result"), module)] == ["block"]


def test_variables() -> None:
    module = with_functions()
    (ref,) = pick(module, "%a")
    assert module.main.kinds[ref.node] == "let"
    assert pick(module, "%x") == [Ref(module.main.params[0])]
    found = refused(module, "%xx")
    assert (found.code, found.remedy) == ("S202", "write `%x`")


def test_where_functions_are_looked_in() -> None:
    module = with_functions()
    assert refused(module, "op add").code == "S207"
    found = select(parse_selector("op add or op tanh"), module, functions=("main", "block"))
    assert [r.function for r in found] == ["block", "main"]


def named() -> Module:
    """Situation 39: layers known only by their source names."""
    b = GraphBuilder()
    at = b.input("x", "float32(1,4,8,8)")
    w = b.param("bert/encoder/layer_._0/conv/kernel", "float32(4,4,3,3)")
    for layer in range(12):
        name = f"bert/encoder/layer_._{layer}"
        conv = b.call("nn.conv2d", at, w, name=f"{name}/conv", type="float32(1,4,8,8)")
        norm = b.call("nn.batch_norm", conv, w, w, w, w, name=f"{name}/bn",
                      type="float32(1,4,8,8);float32(4);float32(4)")  # fmt: skip
        first = b.field(norm, 0, name=f"{name}/bn:0")
        at = b.call("nn.relu", first, name=f"{name}/relu", type="float32(1,4,8,8)")
    return b.module(b.call("tanh", at, type="float32(1,4,8,8)"))


def test_a_run_of_whole_components() -> None:
    module = named()
    names = [module.main.names[r.node] for r in pick(module, "layer_._1")]
    assert names == [f"bert/encoder/layer_._1/{n}" for n in ("conv", "bn", "relu")]
    assert pick(module, "encoder/layer_._1/relu") == [Ref(module.main.by_number[7])]
    assert refused(module, "layer_").code == "S203"
    assert refused(module, "ncoder/layer_._1").code == "S203"
    assert refused(module, "layer_._1/encoder").code == "S203"
    assert pick(module, "last(layer_._1)") == pick(module, "layer_._1/relu")


def test_a_batch_norm_stands_for_the_field_that_goes_on() -> None:
    module = named()
    (ref,) = pick(module, "layer_._3/bn")
    assert (module.main.ops[ref.node], ref.path) == ("nn.batch_norm", (0,))
    assert pick(module, "first(op bn)")[0].path == (0,)
    # The framework's own name of the output is the field that was taken.
    (ref,) = pick(module, '"*layer_._3/bn:0"')
    assert module.main.kinds[ref.node] == "field"


def dotted() -> Module:
    b = GraphBuilder()
    x = b.input("x")
    one = b.call("nn.conv2d", x, x, name="features.1.conv")
    two = b.call("nn.conv2d", one, x, name="features.10.conv")
    three = b.call("nn.relu", two, name="aten::linear_1")
    return b.module(b.call("tanh", three, name="Relu@8"))


def test_names_without_slashes_are_split_at_dots() -> None:
    module = dotted()
    assert pick(module, "features.1") == [Ref(1)]
    assert pick(module, "conv") == [Ref(1), Ref(2)]
    assert pick(module, "1.conv") == [Ref(1)]
    assert pick(module, "aten::linear_1") == [Ref(3)]


def test_globs_and_regular_expressions() -> None:
    module = named()
    assert len(pick(module, '"*/conv"')) == 12
    assert len(pick(module, '"bert/encoder/layer_._?/relu"')) == 10
    assert len(pick(module, r're"layer_\._(0|1)/"')) == 6
    assert refused(module, '"*/Conv"').code == "S203"
    with pytest.raises(SurgeryError) as failure:
        select(ast.NameRegex(regex="layer_(("), module)
    assert failure.value.diagnostics[0].code == "S205"


def test_names_that_no_op_has() -> None:
    module = named()
    assert "`layer_._11`" in refused(module, "layer_._111").remedy
    found = refused(module, "layer_._0/conv/kernel")
    assert found.code == "S203"
    assert "bert/encoder/layer_._0/conv/kernel" not in found.message
    found = refused(module, "x")
    assert found.message == "no op is named `x`, but an input is"
    assert "`input x`" in found.remedy
    assert refused(shared_tuple(), "layer_._2").reason == (
        "This file has no source names (text form drops them)."
    )


def test_op_kinds() -> None:
    module = named()
    assert len(pick(module, "op nn.conv2d")) == len(pick(module, "op conv2d")) == 12
    assert len(pick(module, "op nn.*")) == 36
    found = refused(module, "op dense")
    assert (found.code, found.reason) == ("S207", "`dense` means nn.dense.")
    found = refused(module, "op conv3")
    assert (found.code, found.message) == ("S206", "there is no op `conv3`")
    assert "nn.conv2d" in found.remedy
    # Of what `conv` could be only one is in the model.
    assert pick(module, "op conv") == pick(module, "op conv2d")


def test_an_ambiguous_op_lists_the_candidates() -> None:
    b = GraphBuilder()
    x = b.input("x")
    module = b.module(b.call("nn.conv1d", b.call("nn.conv2d", x, x), x))
    assert refused(module, "op conv").message == "`conv` could be nn.conv1d or nn.conv2d"


def test_inputs_and_weights() -> None:
    module = named()
    assert pick(module, "input x") == [Ref(0)]
    assert pick(module, 'param "*/kernel"') == [Ref(1)]
    assert refused(module, "input y").remedy == "the nearest: `x`"
    assert refused(module, "param x").message == "`x` is an input, not a weight"
    assert refused(module, 'input "*kernel"').remedy == (
        "write `param bert/encoder/layer_._0/conv/kernel`"
    )


def test_predicates() -> None:
    module = shared_tuple()
    graph = module.main

    def numbers(text: str) -> list[str]:
        return [graph.label(r) for r in pick(module, text)]

    assert numbers("op nn.* where op=relu") == ["%1"]
    assert numbers("op * where shape=(1,*) and dtype=float32") == ["%0", "%1", "%6", "%7", "%8"]
    assert numbers("op * where shape=(1,4)") == ["%0", "%1", "%6", "%8"]
    assert numbers("op * where rank=2 and bytes!=16") == ["%7"]
    assert numbers("op * where bytes<16") == ["%7"]
    assert numbers("op * where bytes>=16") == ["%0", "%1", "%6", "%8"]
    assert numbers("op * where attrs.axis=1") == ["%2", "%6"]
    assert numbers("op dense where users=1") == ["%0"]
    assert numbers("%2 where users>1") == ["%2"]
    assert numbers("%3 where users=2 and kind=field") == ["%3"]
    assert numbers("op * where attrs.units>3 and attrs.units<=4") == ["%0"]


def test_predicates_that_make_no_sense() -> None:
    module = shared_tuple()
    unknown = ast.Where(
        selector=ast.OpKind(op="*"),
        predicates=(ast.Predicate(key="axis", comparison="=", value=1),),
    )
    with pytest.raises(SurgeryError) as failure:
        select(unknown, module)
    assert failure.value.diagnostics[0].remedy == "write `attrs.axis`"
    found = refused(module, "op * where attrs.axes=1")
    assert found.code == "S209"
    assert "axis" in found.remedy
    found = refused(module, "op * where dtype>float32")
    assert found.code == "S210"
    found = refused(module, "op * where dtype=int8")
    assert found.code == "S211"
    assert found.notes == ("`dtype=int8` leaves 0 of 6",)
    untyped = dotted()
    assert "listing without types" in refused(untyped, "op * where rank=2").reason


def test_dimensions_that_are_not_static() -> None:
    b = GraphBuilder()
    x = b.input("x", "float32(?,4)")
    module = b.module(b.call("nn.relu", x, type="float32(?,4)"))
    assert len(pick(module, 'op relu where shape=("?",4)')) == 1
    assert len(pick(module, "op relu where shape=(*,4)")) == 1
    assert refused(module, "op relu where shape=(1,4)").code == "S211"


def test_relations() -> None:
    module = shared_tuple()
    graph = module.main

    def numbers(text: str) -> list[str]:
        return [graph.label(r) for r in pick(module, text)]

    assert numbers("first(op *)") == ["%0"]
    assert numbers("last(op *)") == ["%8"]
    assert numbers("nth(op *, 0)") == ["%0"]
    assert numbers("nth(op *, 2)") == ["%2"]
    assert numbers("inputs(%0)") == ["%x", "%w"]
    assert numbers("inputs(%6)") == ["%3", "%4"]
    assert numbers("users(%2)") == ["%6", "%7"]
    assert numbers("users(%2.1)") == ["%6", "%7"]
    assert numbers("between(%1, %6)") == ["%1", "%2", "%3", "%4", "%5", "%6"]
    assert refused(module, "nth(op *, 6)").code == "S213"
    found = refused(module, "between(%6, %1)")
    assert (found.code, found.remedy) == ("S214", "change the two round")


def test_sets() -> None:
    module = shared_tuple()
    graph = module.main

    def numbers(text: str) -> list[str]:
        return [graph.label(r) for r in pick(module, text)]

    assert numbers("op relu or op dense") == ["%0", "%1"]
    assert numbers("op nn.* except op relu") == ["%0"]
    assert numbers("op nn.* and op relu") == ["%1"]
    # The field node and the path are one value.
    assert numbers("%2.1 and %4") == ["%2.1"]
    assert refused(module, "op relu and op dense").code == "S211"
    many: ast.Selector = parse_selector("op relu")
    for _ in range(5000):
        many = ast.SetOp(kind="or", left=many, right=parse_selector("%1"))
    assert select(many, module) == select(parse_selector("%1"), module)


def test_a_part_that_finds_nothing_is_an_error_at_its_place() -> None:
    found = refused(named(), "layer_._3 or layer_._33")
    assert found.span is not None
    assert found.span.text == "layer_._33"
    assert len(pick(named(), "layer_._3 or layer_._33", optional=True)) == 3


def test_lets() -> None:
    module = named()
    lets = {"body": parse_selector("layer_._3 or more"), "more": parse_selector("layer_._4")}
    assert len(pick(module, "body", lets=lets)) == 6
    assert len(pick(module, "last(body)", lets=lets)) == 1
    found = refused(module, "a", lets={"a": parse_selector("b"), "b": parse_selector("last(a)")})
    assert (found.code, found.reason) == ("S215", "The chain is a -> b -> a.")


def test_exactly_one() -> None:
    module = named()
    selector = parse_selector("layer_._3")
    found = select(selector, module)
    with pytest.raises(SurgeryError) as failure:
        exactly_one(found, selector, module, "`output`")
    (diagnostic,) = failure.value.diagnostics
    assert diagnostic.code == "S212"
    assert diagnostic.message == "`layer_._3` picks 3 values, `output` needs one"
    assert "`last(layer_._3)` (%15)" in diagnostic.remedy
    assert diagnostic.notes[-1] == (
        "%15 = nn.relu(%14): float32(1,4,8,8)  bert/encoder/layer_._3/relu"
    )
    assert exactly_one(found[-1:], selector, module, "`output`") == found[-1]


def test_describe_shows_what_was_picked() -> None:
    module = shared_tuple()
    (value,) = select(parse_selector("%7"), module)
    assert describe(module, value) == "%7 = add(%3, %4): float32(1,2)"
    (value,) = select(parse_selector("%2.1"), module)
    assert describe(module, value) == "%2.1: float32(1,2)"


def test_selectors_without_a_place_are_printed() -> None:
    module = named()
    bare = ast.Where(
        selector=ast.OpKind(op="conv2d"),
        predicates=(ast.Predicate(key="rank", comparison="=", value=9),),
    )
    with pytest.raises(SurgeryError) as failure:
        select(bare, module)
    (diagnostic,) = failure.value.diagnostics
    assert diagnostic.message == "`op conv2d where rank=9` picks nothing"
    assert diagnostic.notes == ("`rank=9` leaves 0 of 12",)


def test_expect() -> None:
    check_expect(3, ast.Expect(comparison="=", count=3), "cut")
    check_expect(3, ast.Expect(comparison=">=", count=1), "cut")
    check_expect(0, None, "cut")
    with pytest.raises(SurgeryError) as failure:
        check_expect(2, ast.Expect(comparison=">=", count=3), "cut after x")
    assert failure.value.diagnostics[0].message == "`cut after x` acts on 2, >=3 expected"


def test_users_are_seen_through_fields_and_tuples() -> None:
    graph = shared_tuple().main
    split = graph.by_number[2]
    assert using_ops(graph, Ref(split)) == [graph.by_number[6], graph.by_number[7]]
    assert using_ops(graph, Ref(graph.by_number[0])) == [graph.by_number[1]]


def big(size: int) -> Graph:
    b = GraphBuilder()
    at = b.input("x", "float32(4)")
    for i in range(size):
        at = b.call("nn.relu", at, name=f"net/layer_._{i // 10}/op_{i % 10}", type="float32(4)")
    return b.graph(at)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("layer_._7", lambda size: 10),
        ("between(layer_._7/op_3, layer_._{last}/op_0)", lambda size: size - 10 - 73 + 1),
        ("op relu where users=1 and dtype=float32", lambda size: size - 1),
    ],
)
def test_the_work_of_a_query_grows_with_the_graph(text: str, found: Callable[[int], int]) -> None:
    def calls(size: int) -> int:
        module = Module(functions={"main": big(size)})
        refs, count = work(lambda: pick(module, text.format(last=size // 10 - 1)))
        assert len(refs) == found(size)
        return count

    calls(1_000)  # reads the grammar, once in a process
    # Linear is 4 times (8 to 55 calls an op); a call for each pair of ops makes it 15.
    assert calls(20_000) < 5 * calls(5_000)


def test_a_glob_with_a_misspelt_component_suggests_the_right_one() -> None:
    b = GraphBuilder()
    value = b.input("x", "float32(1,4)")
    for name in ("a/layer_0/dense", "a/layer_0/output/relu", "a/layer_1/output/relu"):
        value = b.call("nn.relu", value, type="float32(1,4)", name=name)
    found = refused(b.module(value), '"*/layer_0/outptu/*"')
    assert found.remedy.startswith("the nearest: `*/layer_0/output/*`")
