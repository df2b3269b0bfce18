"""Chains and calls: what matches, which operand is which, in which order."""

from __future__ import annotations

import pytest

from surgery.graph import Graph, Ref
from surgery.pattern import Found, compile_pattern, find, leftover_marks, outlined, tvm_name
from surgery.pattern.unfinished import WITHOUT_LETS
from surgery.syntax import ast
from surgery.syntax import parse_pattern as pattern
from tests.graphs import GraphBuilder


def search(graph: Graph, text: str, **options: object) -> Found:
    return find(compile_pattern(pattern(text)), graph, **options)  # type: ignore[arg-type]


def residual_block(swapped: bool) -> tuple[Graph, dict[str, int]]:
    """relu(bn(add(reshape(b), conv2d(x, w))).0), the add's operands in either order."""
    b = GraphBuilder()
    x, w, bias = b.input("x", "float32(1,4,8,8)"), b.param("w"), b.param("b")
    shaped = b.call("reshape", bias)
    conv = b.call("nn.conv2d", x, w, kernel_size=(1, 1))
    total = b.call("add", *((conv, shaped) if swapped else (shaped, conv)))
    stats = [b.param(n) for n in ("gamma", "beta", "mean", "var")]
    norm = b.call("nn.batch_norm", total, *stats, type="float32(4);float32(4);float32(4)")
    first = b.field(norm, 0)
    relu = b.call("nn.relu", first)
    ids = {"x": x, "w": w, "b": bias, "reshape": shaped, "conv": conv, "add": total, "bn": norm,
           "field": first, "relu": relu, "gamma": stats[0], "beta": stats[1], "mean": stats[2],
           "var": stats[3]}  # fmt: skip
    return b.graph(relu), ids


@pytest.mark.parametrize("swapped", [False, True])
def test_one_chain_matches_both_orders_of_an_add(swapped: bool) -> None:
    graph, ids = residual_block(swapped)
    found = search(graph, "reshape>conv2d>add>bn>relu")
    assert found.near_misses == ()
    (match,) = found.matches
    assert match.notes == (
        (
            "add (%2) takes them the other way round: "
            "operand 0 is %1 (nn.conv2d), operand 1 is %0 (reshape)",
        )
        if swapped
        else ()
    )
    assert match.root == Ref(ids["relu"])
    assert match.ops == tuple(ids[n] for n in ("reshape", "conv", "add", "bn", "relu"))
    assert set(match.nodes) == {*match.ops, ids["field"]}
    assert [(s.node, s.operand_index, s.value.node) for s in match.slots] == [
        (ids["reshape"], 0, ids["b"]),
        (ids["conv"], 0, ids["x"]),
        (ids["conv"], 1, ids["w"]),
        (ids["bn"], 1, ids["gamma"]),
        (ids["bn"], 2, ids["beta"]),
        (ids["bn"], 3, ids["mean"]),
        (ids["bn"], 4, ids["var"]),
    ]


def test_tvm_name_is_the_post_order_of_the_site() -> None:
    graph, _ = residual_block(swapped=False)
    (match,) = search(graph, "reshape>conv2d>add>bn>relu").matches
    assert tvm_name(graph, match) == "reshape_nn.conv2d_add_nn.batch_norm_TupleGetItem0_nn.relu_"
    graph, _ = residual_block(swapped=True)
    (match,) = search(graph, "reshape>conv2d>add>bn>relu").matches
    assert tvm_name(graph, match) == "nn.conv2d_reshape_add_nn.batch_norm_TupleGetItem0_nn.relu_"


@pytest.mark.parametrize("swapped", [False, True])
def test_the_call_form_of_the_language_page(swapped: bool) -> None:
    graph, ids = residual_block(swapped)
    (match,) = search(graph, "relu(bn(add(reshape(const), conv2d(x:*, w:const))))").matches
    # Kernel order is the order of the pattern, however the add's operands lie.
    assert [(s.name, s.kind, s.value.node) for s in match.slots][:3] == [
        (None, "const", ids["b"]),
        ("x", "any", ids["x"]),
        ("w", "const", ids["w"]),
    ]
    assert match.captures == {"x": (ids["x"],), "w": (ids["w"],)}


@pytest.mark.parametrize("swapped", [False, True])
def test_a_residual_slot_is_noted(swapped: bool) -> None:
    graph, ids = residual_block(swapped)
    (match,) = search(graph, "conv2d>add>bn>relu").matches
    where = 1 if swapped else 0
    assert match.notes == (f"operand {where} of add (%2) is %0, from outside",)
    assert [s.value.node for s in match.slots][:3] == [ids["x"], ids["w"], ids["reshape"]]


def test_a_batch_norm_at_the_end_gives_its_field_zero() -> None:
    graph, ids = residual_block(swapped=False)
    (match,) = search(graph, "add>bn").matches
    assert match.root == Ref(ids["bn"], (0,))
    assert match.nodes == (ids["add"], ids["bn"], ids["field"])
    assert tvm_name(graph, match) == "add_nn.batch_norm_TupleGetItem0_"


def test_const_and_input_leaves() -> None:
    graph, _ = residual_block(swapped=False)
    assert len(search(graph, "conv2d(input, const)").matches) == 1
    assert search(graph, "conv2d(const, *)").matches == ()
    assert search(graph, "conv2d(*, input)").matches == ()
    miss = search(graph, "add(reshape(input), conv2d)").near_misses[0]
    assert miss.reason == "operand 0 of %0 (reshape) is %b (a weight), not an input"


def test_leaf_constraints_and_result_types() -> None:
    graph, _ = residual_block(swapped=False)
    assert len(search(graph, "conv2d(*{dtype=float32, shape=(1,4,*,*)}, *)").matches) == 1
    assert search(graph, "conv2d(*{dtype=int8}, *)").matches == ()
    assert len(search(graph, "bn{dtype=float32, rank=1}").matches) == 1
    assert search(graph, "bn{rank=2}").matches == ()


def test_attributes_default_where_the_text_leaves_them_out() -> None:
    graph, _ = residual_block(swapped=False)
    assert len(search(graph, "conv2d{groups=1, kernel_size=(1,1), strides=1}").matches) == 1
    assert len(search(graph, "conv2d{kernel_size=(*,1)}").matches) == 1
    assert len(search(graph, "conv2d{groups>=1}").matches) == 1
    assert search(graph, "conv2d{groups>1}").matches == ()


def chain(*ops: str) -> Graph:
    b = GraphBuilder()
    at = b.input("x")
    for op in ops:
        at = b.call(op, at)
    return b.graph(at)


def test_overlapping_sites_are_all_there() -> None:
    found = search(chain("nn.relu", "nn.relu", "nn.relu"), "relu>relu")
    assert [m.ops for m in found.matches] == [(1, 2), (2, 3)]


def test_an_optional_end_gives_the_longest_site_only() -> None:
    graph = chain("nn.relu", "tanh", "nn.relu", "exp")
    assert [m.ops for m in search(graph, "relu>tanh?").matches] == [(1, 2), (3,)]


def test_an_optional_end_leaves_no_site_out() -> None:
    found = search(chain("nn.relu", "nn.relu", "nn.relu"), "relu>relu?")
    assert [m.ops for m in found.matches] == [(1, 2), (2, 3), (3,)]


def test_optional_in_the_middle_and_at_the_start() -> None:
    graph = chain("nn.relu", "tanh", "exp", "nn.relu", "exp", "exp")
    assert [m.ops for m in search(graph, "relu>tanh?>exp").matches] == [(1, 2, 3), (4, 5)]
    assert [m.ops for m in search(graph, "relu?>exp").matches] == [(3,), (4, 5), (6,)]


def test_alternatives_are_noted() -> None:
    graph = chain("nn.relu", "tanh", "clip", "tanh")
    found = search(graph, "(relu|clip)>tanh")
    assert [m.ops for m in found.matches] == [(1, 2), (3, 4)]
    assert [m.notes for m in found.matches] == [
        ("relu|clip: %0 (nn.relu)",),
        ("relu|clip: %2 (clip)",),
    ]


def test_alternatives_of_different_shapes() -> None:
    graph = chain("nn.relu", "tanh", "exp", "tanh")
    found = search(graph, "((relu>tanh)|exp)>tanh")
    assert [m.ops for m in found.matches] == [(3, 4)]
    found = search(graph, "((relu>tanh)|exp)>(exp|tanh)")
    assert [m.ops for m in found.matches] == [(1, 2, 3), (3, 4)]


def test_named_patterns_are_spliced_into_a_chain() -> None:
    graph = chain("nn.relu", "tanh", "nn.relu", "tanh", "exp")
    named = {"block": pattern("relu>tanh"), "both": pattern("block>block")}
    compiled = compile_pattern(pattern("both>exp"), named)
    assert [m.ops for m in find(compiled, graph).matches] == [(1, 2, 3, 4, 5)]
    optional = compile_pattern(pattern("block?>exp"), named)
    assert [m.ops for m in find(optional, graph).matches] == [(3, 4, 5)]


def test_elementwise_between_takes_what_descends_from_the_op_before() -> None:
    # Situation 22.
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    conv = b.call("nn.conv2d", x, w)
    biased = b.call("nn.bias_add", conv, bias)
    relu = b.call("nn.relu", biased)
    graph = b.graph(b.call("reshape", relu))
    (match,) = search(graph, "conv2d>elementwise*>reshape").matches
    assert match.notes == ("elementwise*: %1 (nn.bias_add), %2 (nn.relu)",)
    assert [s.value.node for s in match.slots] == [x, w, bias]
    none_between = search(chain("nn.conv2d", "reshape"), "conv2d>elementwise*>reshape")
    assert [m.ops for m in none_between.matches] == [(1, 2)]
    # An elementwise op beside the path is a leaf, not a part of the run.
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    conv, side = b.call("nn.conv2d", x, w), b.call("nn.relu", x)
    total = b.call("add", side, conv)
    graph = b.graph(b.call("reshape", total))
    (match,) = search(graph, "conv2d>elementwise*>reshape").matches
    assert side not in match.nodes
    assert [s.value.node for s in match.slots] == [x, w, side]


def test_a_run_at_the_end_is_taken_whole() -> None:
    graph = chain("nn.softmax", "nn.relu", "tanh", "exp", "nn.softmax")
    assert [m.ops for m in search(graph, "softmax>elementwise*").matches] == [(1, 2, 3, 4), (5,)]


def test_tuple_literals_count_as_operands() -> None:
    b = GraphBuilder()
    x, y = b.input("x"), b.input("y")
    relu, other = b.call("nn.relu", x), b.call("tanh", y)
    pair = b.tuple(relu, other)
    joined = b.call("concatenate", pair, axis=1)
    graph = b.graph(joined)
    (match,) = search(graph, "relu>concatenate").matches
    assert match.nodes == (relu, pair, joined)
    assert [(s.node, s.operand_index, s.value.node) for s in match.slots] == [
        (relu, 0, x),
        (pair, 1, other),
    ]
    assert tvm_name(graph, match) == "nn.relu_Tuple_concatenate_"
    (match,) = search(graph, "relu>tanh>concatenate").matches
    assert match.ops == (relu, other, joined)
    (match,) = search(graph, "concatenate(relu, *)").matches
    assert match.ops == (relu, joined)


def test_a_capture_meant_again_makes_a_region_that_is_no_tree() -> None:
    b = GraphBuilder()
    x, w = b.input("x"), b.param("w")
    conv = b.call("nn.conv2d", x, w)
    gate = b.call("sigmoid", conv)
    swish = b.call("multiply", gate, conv)
    graph = b.graph(swish)
    (match,) = search(graph, "multiply(c:conv2d(x:*, w:*), sigmoid(c))").matches
    assert match.ops == (conv, gate, swish)
    assert [(s.name, s.value.node) for s in match.slots] == [("x", x), ("w", w)]
    assert match.captures == {"c": (conv,), "x": (x,), "w": (w,)}
    # As a chain the second use is an operand that is inside the match.
    found = search(graph, "conv2d>sigmoid>multiply")
    assert found.matches == ()
    assert [m.reason for m in found.near_misses] == [
        "operand 1 of multiply (result) is %0, an op inside the match: written "
        "`v:nn.conv2d(...)` in one place and `v` in the other, it is read twice"
    ]


def test_a_capture_meant_again_must_be_the_same_value() -> None:
    b = GraphBuilder()
    x, y = b.input("x"), b.input("y")
    graph = b.graph(b.call("multiply", b.call("sigmoid", x), y))
    found = search(graph, "multiply(v:*, sigmoid(v))")
    assert found.matches == ()
    (miss,) = found.near_misses
    assert miss.reason == (
        "operand 0 of %0 (sigmoid) is %x (an input), pattern wants v: %y (an input)"
    )
    graph = b.graph(b.call("multiply", b.call("sigmoid", x), x))
    (match,) = search(graph, "multiply(v:*, sigmoid(v))").matches
    assert {s.value.node for s in match.slots} == {x}


def test_optional_call_takes_the_place_of_its_first_operand() -> None:
    b = GraphBuilder()
    x, w, bias = b.input("x"), b.param("w"), b.param("b")
    conv = b.call("nn.conv2d", x, w)
    plain = b.call("nn.relu", conv)
    again = b.call("nn.conv2d", plain, w)
    biased = b.call("add", again, bias)
    graph = b.graph(b.call("nn.relu", biased))
    found = search(graph, "relu(add(conv2d(*, *), const)?)")
    assert [m.ops for m in found.matches] == [(conv, plain), (again, biased, biased + 1)]


def test_what_no_output_needs_does_not_count_as_a_use() -> None:
    b = GraphBuilder()
    x = b.input("x")
    relu, dead = b.call("nn.relu", x), 0
    tanh = b.call("tanh", relu)
    dead = b.call("exp", relu)
    graph = b.graph(b.tuple(tanh, dead))
    assert search(graph, "relu>tanh").matches == ()
    (match,) = search(graph, "relu>tanh", outputs=frozenset({Ref(tanh)})).matches
    assert match.ops == (relu, tanh)


def test_two_fields_of_one_result_are_one_value() -> None:
    # Situation 27.
    b = GraphBuilder()
    c = b.input("c")
    stats = [b.param(n) for n in "gbmv"]
    norm = b.call("nn.batch_norm", c, *stats, type="float32(4);float32(4);float32(4)")
    one, two = b.field(norm, 0), b.field(norm, 0)
    graph = b.graph(b.call("multiply", b.call("tanh", one), b.call("exp", two)))
    (match,) = search(graph, "bn").matches
    assert match.root == Ref(norm, (0,))
    assert set(match.nodes) == {norm, one, two}
    assert tvm_name(graph, match) == "nn.batch_norm_TupleGetItem0_"
    miss = search(graph, "bn>tanh").near_misses[0]
    assert miss.reason == "%0 (nn.batch_norm) is used outside the match by: %4 (exp)"


def topk() -> tuple[Graph, int]:
    # Situation 28.
    b = GraphBuilder()
    x = b.input("x")
    top = b.call("topk", x, type="float32(1,2);int32(1,2)", k=2)
    second = b.field(top, 1)
    cast = b.call("cast", second, dtype="float32")
    relu = b.call("nn.relu", cast)
    graph = b.graph(b.call("add", relu, b.field(top, 0)))
    return graph, top


def test_a_field_other_than_zero_must_be_written() -> None:
    graph, top = topk()
    found = search(graph, "topk>cast")
    assert found.matches == ()
    assert found.near_misses[0].reason == (
        "%0 (topk) has several results, .0, .1 are used: write topk.1"
    )
    found = search(graph, "topk.1>cast")
    assert found.matches == ()
    assert found.near_misses[0].reason == "%0 (topk) is used outside the match by: result (add)"
    only = frozenset({Ref(top + 3)})
    (match,) = search(graph, "topk.1>cast>relu", outputs=only).matches
    assert match.ops == (top, top + 2, top + 3)
    assert search(graph, "topk.0>cast", outputs=only).near_misses[0].reason == (
        "field .1 of %0 (topk) is taken, pattern wants .0"
    )


def test_other_results_of_a_batch_norm_forbid_the_implied_field() -> None:
    b = GraphBuilder()
    c = b.input("c")
    stats = [b.param(n) for n in "gbmv"]
    norm = b.call("nn.batch_norm", c, *stats, type="float32(4);float32(4);float32(4)")
    graph = b.graph(b.tuple(b.call("nn.relu", b.field(norm, 0)), b.field(norm, 1)))
    found = search(graph, "bn")
    assert found.matches == ()
    assert found.near_misses[0].reason == (
        "only field 0 of %0 (nn.batch_norm) goes on (implied .0), but another is used by: output 1 "
        "(%0.1)"
    )


def test_annotations_are_seen_through_when_asked_for() -> None:
    # Situation 25.
    graph = chain("nn.relu", "annotation.stop_fusion", "nn.relu")
    found = search(graph, "relu>relu")
    assert found.matches == ()
    assert [m.reason for m in found.near_misses] == [
        "annotation.stop_fusion (%1) stands between %0 (nn.relu) and result (nn.relu): "
        "`ignore annotations` sees through it"
    ]
    (match,) = search(graph, "relu>relu", ignore_annotations=True).matches
    assert match.ops == (1, 3)
    assert match.nodes == (1, 2, 3)
    assert match.notes == ("%1 (annotation.stop_fusion) is inside, seen through",)
    marked = chain("annotation.compiler_begin", "nn.relu", "annotation.compiler_end")
    assert leftover_marks(marked) == (1, 3)


def test_outlined_functions_are_not_looked_into() -> None:
    # Situation 21.
    b = GraphBuilder()
    x = b.input("x")
    leaky = b.call("nn.leaky_relu", x)
    relu = b.call("nn.relu", leaky)
    with b.scope("function") as inside:
        p, q = b.local("p"), b.local("q")
        total = b.call("add", p, q)
    literal = b.function_literal(total, inside, PartitionedFromPattern="add_")
    graph = b.graph(b.call("fn", literal, leaky, relu))
    assert search(graph, "add").matches == ()
    assert outlined(graph) == (literal,)
    assert len(search(graph, "leaky_relu").matches) == 1
    # A function literal that is only a closure is looked into.
    closure = GraphBuilder()
    x = closure.input("x")
    with closure.scope("function") as inside:
        p = closure.local("p")
        total = closure.call("add", p, p)
    literal = closure.function_literal(total, inside)
    graph = closure.graph(closure.call("fn", literal, x))
    assert [m.ops for m in search(graph, "add").matches] == [(total,)]
    # And nothing of a function that a backend compiles.
    taken = GraphBuilder("bmlib_0")
    graph = taken.graph(taken.call("add", taken.input("x"), taken.input("y")), Compiler="bmlib")
    assert search(graph, "add").matches == ()


def test_a_branch_is_a_place_of_its_own() -> None:
    # Situation 33.
    b = GraphBuilder()
    x, c = b.input("x"), b.input("c")
    tanh = b.call("tanh", x)
    a = b.let("a", tanh)
    total = b.call("add", a, x)
    bound = b.let("b", total)
    with b.scope("then") as then:
        relu = b.call("nn.relu", bound)
        end = b.call("add", relu, a)
    with b.scope("else") as otherwise:
        other = b.call("nn.relu", bound)
    graph = b.graph(b.if_(c, end, other, then, otherwise))
    (match,) = search(graph, "relu>add").matches
    assert match.ops == (relu, end)
    found = search(graph, "add>relu")
    assert found.matches == ()
    assert {m.reason for m in found.near_misses} == {f"%1 (add) is bound by let %b: {WITHOUT_LETS}"}
    # Without the let, an op outside a branch can't be taken into it.
    b = GraphBuilder()
    x, c = b.input("x"), b.input("c")
    total = b.call("add", x, x)
    with b.scope("then") as then:
        relu = b.call("nn.relu", total)
    graph = b.graph(b.if_(c, relu, x, then))
    found = search(graph, "add>relu")
    assert found.matches == ()
    assert found.near_misses[0].reason == (
        "%0 (add) is in another branch or function than %1 (nn.relu)"
    )


def test_a_call_of_a_function_is_an_op_like_any_other() -> None:
    b = GraphBuilder()
    x = b.input("x")
    graph = b.graph(b.call("nn.relu", b.call("@block", x)))
    block = ast.Chain(elements=(ast.OpPattern(op="@block"), ast.OpPattern(op="relu")))
    assert [m.ops for m in find(compile_pattern(block), graph).matches] == [(1, 2)]
    assert search(graph, "nn.*").matches[0].ops == (2,)


def test_globs_match_ops_that_are_not_in_the_table() -> None:
    graph = chain("contrib.mine", "nn.relu")
    assert [m.ops for m in search(graph, "contrib.*>relu").matches] == [(1, 2)]
    known = compile_pattern(pattern("contrib.mine>relu"), known=frozenset({"contrib.mine"}))
    assert [m.ops for m in find(known, graph).matches] == [(1, 2)]
