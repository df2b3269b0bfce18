"""Forms of text: old and new prints, excerpts, any layout, any depth, any size."""

from __future__ import annotations

import lzma
import re
import subprocess
import sys
from pathlib import Path

import pytest

from surgery.graph import UNKNOWN, Graph, Module, Ref, TensorType, TupleType
from surgery.listing import read_listing
from surgery.listing.builder import Builder
from surgery.source import Source
from surgery.syntax.resources import grammar_text

DATA = Path(__file__).parent / "data"


def case(number: str) -> Source:
    (path,) = DATA.glob(f"{number}-*.relay")
    return Source(path.read_text(), path.name)


def read(text: str) -> Graph:
    return read_listing(Source(text)).main


def f32(*shape: int | str) -> TensorType:
    return TensorType(shape, "float32")


# ---------------------------------------------------------------- forms of text


def test_old_forms() -> None:
    graph = read(
        "v0.0.4\n"
        "def @main(%x: Tensor[(1, 2), float32]) -> Tensor[(1, 2), float32] {\n"
        "  %0 = nn.relu(%x) // ty=Tensor[(1, 2), float32]\n"
        "  ;\n"
        "  %1 = add(%0, meta[relay.Constant][0] /* ty=float32 */)\n"
        "    /* ty=Tensor[(1, 2), float32] */;\n"
        "  %1\n"
        "}\n"
        "// meta data omitted. you can use show_meta_data=True to include meta data\n"
        "# meta data omitted. you can use show_meta_data=True to include meta data\n"
    )
    assert graph.types[graph.by_number[0]] == f32(1, 2)
    assert graph.types[graph.operands[graph.by_number[1]][1]] == TensorType((), "float32")
    assert graph.result == graph.by_number[1]


def test_layout_of_the_text_does_not_matter() -> None:
    plain = read_listing(case("32")).main
    text = case("32").text
    squeezed = read(" ".join(text.split("\n")[1:]))
    spread = read(text.replace("(", "(\n\t").replace(";", "\n;\n").replace(",", " ,\n"))
    windows = read(text.replace("\n", "\r\n"))
    for other in (squeezed, spread, windows):
        assert (other.kinds, other.ops, other.operands) == (plain.kinds, plain.ops, plain.operands)
        assert list(other.numbers) == list(plain.numbers)


def test_an_alias_has_a_number_of_its_own() -> None:
    graph = read("def @main(%x: float32) { %0 = %x; %1 = tanh(%0); %2 = %1; (%2, %1) }")
    by = graph.by_number
    assert sorted(by) == [0, 1, 2]
    assert [graph.kinds[by[n]] for n in (0, 1, 2)] == ["let", "call", "let"]
    assert graph.resolve(by[2]) == Ref(by[1])


def test_an_excerpt_without_a_header_declares_what_it_uses() -> None:
    graph = read("%0 = add(%x, %y);\nnn.relu(%0)")
    assert [graph.names[p] for p in graph.params] == ["x", "y"]
    assert [graph.kinds[p] for p in graph.params] == ["input", "input"]


def test_free_variables() -> None:
    graph = read("free_var %q:0: Tensor[(2), float32];\nfree_var %u;\nadd(%q:0, %u)")
    assert [graph.names[p] for p in graph.params] == ["q:0", "u"]
    assert graph.types[graph.params[0]] == f32(2)


def test_values_bound_below_their_use() -> None:
    """TVM prints so when a branch shares a value with what is outside."""
    graph = read(
        "def @main(%x: Tensor[(2), float32], %c: bool) {\n"
        "  %7 = (%1, %x);\n"
        "  %8 = if (%c) { %x } else {\n"
        "    %1 = tanh(%x) /* ty=Tensor[(2), float32] */;\n"
        "    exp(%1)\n"
        "  };\n"
        "  (%7, %8)\n"
        "}"
    )
    by = graph.by_number
    assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)
    assert graph.operands[by[7]] == (by[1], graph.params[0])
    assert graph.types[by[7]] == TupleType((f32(2), f32(2)))
    assert graph.scopes[by[1]] == 0
    assert graph.params == (0, 1)
    (exp,) = (n for n in graph if n.op == "exp")
    assert graph.owner(exp.id) == by[8]


def test_types_follow_from_values_bound_below() -> None:
    graph = read(
        "def @main(%x: float32) { %1 = %2.1; let %a = %0; %0 = tanh(%x) /* ty=bool */;"
        " %2 = (%x, %a); (%1, %a) }"
    )
    by = graph.by_number
    assert str(graph.types[by[2]]) == "(float32(), bool())"
    assert str(graph.types[by[1]]) == "bool()"


def test_values_bound_below_their_use_in_function_literals() -> None:
    graph = read(
        "def @main(%x: float32) { %2 = add(%1, %x); %0 = fn (%p: float32) {"
        " %1 = tanh(%x); %3 = (%p, %p); let %q = %3; %q.0 }; %4 = %0(%2); %4 }"
    )
    by = graph.by_number
    assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)
    assert graph.owner(by[3]) == by[0]
    assert graph.scopes[by[1]] == 0
    local = next(n.id for n in graph if n.kind == "local")
    assert local < by[0]
    assert graph.owner(local) == by[0]
    assert graph.operands[by[2]] == (by[1], graph.params[0])


def test_a_recursive_let_in_a_body() -> None:
    graph = read(
        "def @main(%x: float32, %c: bool) {\n"
        "  let %loop: fn (float32) -> float32 = fn (%i: float32) -> float32 {\n"
        "    %0 = tanh(%i);\n"
        "    if (%c) { %loop(%0) } else { %0 }\n"
        "  };\n"
        "  let %y = %loop(%x);\n"
        "  exp(%y)\n"
        "}"
    )
    owner = graph.result
    assert (graph.kinds[owner], graph.ops[owner]) == ("opaque", "recursive let")
    function, value = graph.operands[owner]
    assert (graph.kinds[function], graph.ops[value]) == ("function", "exp")
    assert {graph.owner(i) for i in range(2, len(graph))} == {owner}
    assert graph.owner(graph.params[0]) == graph.params[0]


def test_unused_values_stay_where_they_were_written() -> None:
    graph = read(
        "def @main(%x: float32, %c: bool) { %0 = tanh(%x);"
        " if (%c) { %1 = exp(%x); %x } else { let %a = exp(%x); %x } }"
    )
    owner = graph.result
    assert graph.scopes[graph.by_number[0]] == 0
    assert graph.owner(graph.by_number[1]) == owner
    (let,) = (n for n in graph if n.kind == "let")
    assert graph.scope_table[graph.scopes[let.id]].kind == "else"


def test_shadowed_variables() -> None:
    graph = read(
        "def @main(%x: float32) { %0 = fn (%x: float32) { tanh(%x) }; let %y = %0(%x);"
        " let %x = exp(%y); add(%x, %y) }"
    )
    tanh = next(n for n in graph if n.op == "tanh")
    assert graph.kinds[tanh.operands[0]] == "local"
    call = next(n for n in graph if n.op == "fn")
    assert call.operands[1] == graph.params[0]
    assert [graph.kinds[o] for o in graph.operands[graph.result]] == ["let", "let"]


def test_references_and_functions_as_values() -> None:
    graph = read(
        "def @f(%a) { %a }\n"
        "def @main(%x: float32) { %0 = ref(%x); %1 = ref_read(%0); %2 = @map(@f, %1);"
        " @map(@f, %2, tanh) }"
    )
    assert [graph.kinds[graph.by_number[n]] for n in (0, 1, 2)] == ["opaque", "opaque", "call"]
    assert graph.ops[graph.by_number[1]] == "ref_read"
    _, f, tanh = (graph.operands[graph.result][i] for i in (1, 0, 2))
    assert (graph.kinds[f], graph.ops[f]) == ("global", "@f")
    assert (graph.kinds[tanh], graph.ops[tanh]) == ("opaque", "tanh")
    assert graph.operands[graph.by_number[2]][0] == f


def test_match_is_opaque_and_its_clauses_are_scopes() -> None:
    graph = read(
        "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n\n"
        "def @main(%l: List[float32]) {\n"
        "  match (%l) {\n"
        "    Cons(%h: float32 /* ty=float32 */, _) => { %0 = tanh(%h); Cons(%0, Nil) },\n"
        "    Nil => Nil,\n"
        "  }\n"
        "}"
    )
    owner = graph.result
    assert (graph.kinds[owner], graph.ops[owner]) == ("opaque", "match")
    assert graph.owner(graph.by_number[0]) == owner
    call = graph[graph.operands[owner][1]]
    assert call.op == "fn"
    assert graph.ops[call.operands[0]] == "Cons"


# ---------------------------------------------------------------- depth and size


N = 10_000


@pytest.mark.parametrize(
    "body",
    [
        "(" * N + "%x" + ")" * N,
        "(" * N + "%x" + ",)" * N,
        "tanh(" * N + "%x" + ")" * N,
        "fn () { " * N + "%x" + " }" * N,
        "if (%c) { " * N + "%x" + " } else { tanh(%x) }" * N,
        "(let %a = %x; " * N + "%a" + ")" * N,
        "op(%x, k=" + "[" * N + "1" + "]" * N + ")",
        "tanh(%x) /* ty=" + "(" * N + "float32" + ",)" * N + " */",
        "".join(f"%{i} = add(%{i + 1}, %x); " for i in range(N)) + f"%{N} = tanh(%x); %0",
    ],
    ids=["parens", "tuples", "calls", "functions", "ifs", "lets", "lists", "type", "forward"],
)
def test_depth_is_no_limit(body: str) -> None:
    graph = read(f"def @main(%x: float32, %c: bool) {{ {body} }}")
    assert graph.users is not None
    assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)
    assert str(graph.types[graph.result])
    assert 0 <= graph.result < len(graph)


def test_deep_header_types_are_kept_as_text() -> None:
    graph = read("def @main(%x: " + "(" * N + "float32" + ",)" * N + ") { %x }")
    assert len(str(graph.types[0])) < 1000


def test_long_chain_of_named_weights() -> None:
    """Names with spaces, 12,000 of them that begin alike: still one look-up each."""
    count = 12_000
    header = ", ".join(f"%layer {i}.w(x): Tensor[(2), float32]" for i in range(count))
    lines = "".join(
        f"  %{i} = add({f'%{i - 1}' if i else '1f'}, %layer {i}.w(x));\n" for i in range(count)
    )
    graph = read(f"def @main({header}) {{\n{lines}  %{count - 1}\n}}\n")
    assert graph.operands[graph.result][1] == graph.params[-1]
    assert graph.names[graph.params[7]] == "layer 7.w(x)"


def test_bert_with_source_names() -> None:
    packed = Path(__file__).parents[2] / "examples" / "models" / "tf_bert_12l.relay.xz"
    module = read_listing(Source(lzma.decompress(packed.read_bytes()).decode()))
    graph = module.main
    assert module.has_source_names
    assert module.missing == (("meta[relay.Constant][0]", 3),)
    assert sorted(graph.by_number) == list(range(len(graph.by_number)))
    assert len(graph.by_number) == 979
    layers = {n.split("/")[3] for n in graph.names if n and "/encoder/layer_" in n and n[0] != "%"}
    assert layers >= {f"layer_._{i}" for i in range(12)}
    named = [i for i, k in enumerate(graph.kinds) if k == "call" and graph.names[i]]
    assert len(named) > 900
    assert all(graph.types[p] != UNKNOWN for p in graph.params)


def test_reading_imports_neither_tvm_nor_numpy() -> None:
    (path,) = DATA.glob("50-*.relay")
    code = (
        "import sys\n"
        "from surgery.source import Source\n"
        "from surgery.listing import read_listing\n"
        f"module = read_listing(Source(open({str(path)!r}).read()))\n"
        "print(len(module.main.by_number), 'tvm' in sys.modules, 'numpy' in sys.modules)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.split() == ["103", "False", "False"]


def test_modules_are_independent_of_each_other() -> None:
    first: Module = read_listing(case("33"))
    second = read_listing(case("33"))
    assert first.functions["main"] is not second.functions["main"]
    assert list(first.main.operands) == list(second.main.operands)


def test_every_action_of_the_grammar_exists() -> None:
    text = grammar_text("relay_text.lark")
    actions = set(re.findall(r"->\s*(\w+)\s*(?://.*)?$", text, re.MULTILINE))
    assert len(actions) > 60
    assert not [a for a in actions if not callable(getattr(Builder, a, None))]
