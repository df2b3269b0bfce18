"""Finer points: what a user would guess works, in text and in YAML."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import pytest

from surgery.diagnostics import SurgeryError
from surgery.source import Source
from surgery.syntax import (
    ast,
    parse,
    parse_pattern,
    parse_selector,
    parse_text,
    parse_yaml,
    print_selector,
    spec_schema,
)
from surgery.syntax.tables import build_parser, grammar_text, identity, parser


def run(text: str) -> ast.NameRun:
    return ast.NameRun(text=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("output", run("output")),
        ("encoder/output/dense", run("encoder/output/dense")),
        ("input", run("input")),
        ("op", run("op")),
        ("first", run("first")),
        ("layer_._3/kernel:0", run("layer_._3/kernel:0")),
        ("aten::linear_1", run("aten::linear_1")),
        ("Relu@8", run("Relu@8")),
        ('name"a; b"', run("a; b")),
        ("result/x", run("result/x")),
        ("'it*'", ast.NameGlob(glob="it*")),
        ('%"odd name"', ast.Variable(name="odd name")),
        ("%layer_._3/w", ast.Variable(name="layer_._3/w")),
        ("input optional_x", ast.InputSel(name="optional_x")),
        ("op where", ast.OpKind(op="where")),
        ("first(op where)", ast.Relation(kind="first", arguments=(ast.OpKind(op="where"),))),
        (
            "op where where users=1",
            ast.Where(
                selector=ast.OpKind(op="where"),
                predicates=(ast.Predicate(key="users", comparison="=", value=1),),
            ),
        ),
    ],
)
def test_names(text: str, expected: ast.Selector) -> None:
    assert parse_selector(text) == expected


def test_binding_strength() -> None:
    selector = parse_selector("a or b and c except d where users>1 and rank=2 and e")
    assert print_selector(selector) == "a or b and c except d where users>1 and rank=2 and e"
    match selector:
        case ast.SetOp(
            kind="except",
            left=ast.SetOp(kind="or", right=ast.SetOp(kind="and")),
            right=ast.SetOp(kind="and", left=ast.Where(predicates=(_, _))),
        ):
            pass
        case _:
            pytest.fail(repr(selector))


def test_chain_of_alternatives() -> None:
    op = [ast.OpPattern(op=name) for name in ("dense", "matmul", "relu")]
    assert parse_pattern("dense|matmul>relu") == ast.Chain(
        elements=(ast.Alternative(choices=(op[0], op[1])), op[2])
    )
    assert parse_pattern("(dense>(matmul))>relu") == ast.Chain(elements=tuple(op))
    assert parse_pattern("{dtype=float32}") == parse_pattern("*{dtype=float32}")
    assert parse_pattern("topk{k=1}.1") == parse_pattern("topk.1{k=1}")


def test_statements_end_where_one_would_think() -> None:
    text = """
    output %1
      as a,
      # a comment in between

      %2 as b
    backend x {
    via c "a;b.c"
    n = 1; m = 2
    }
    offload pattern relu(
    conv2d(*, const)
    ) to x; cut after y"""
    kinds = [type(s) for s in parse_text(text).statements]
    assert kinds == [ast.Output, ast.Backend, ast.Offload, ast.Cut]


def test_output_names_may_be_keywords() -> None:
    (statement,) = parse_text("output %1 as output, %2 as optional, %3 as to optional").statements
    assert isinstance(statement, ast.Output)
    assert [item.name for item in statement.items] == ["output", "optional", "to"]
    assert statement.optional


def test_yaml_words_are_texts() -> None:
    spec = parse_yaml("version: 1\nsteps:\n  - output: {value: '%1', as: no}\nlet: {on: yes}\n")
    assert spec.statements[1] == ast.Let(name="on", selector=run("yes"))
    assert isinstance(spec.statements[0], ast.Output)
    assert spec.statements[0].items[0].name == "no"


def test_yaml_aliases() -> None:
    spec = parse_yaml("version: 1\nlet: {a: &s last(x), b: *s}\n")
    first, second = spec.statements
    assert isinstance(first, ast.Let)
    assert isinstance(second, ast.Let)
    assert first.selector == second.selector


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("prepare: FoldConstant", ast.Prepare(passes=(ast.PassCall(name="FoldConstant"),))),
        ("backend: {b: tvm}", ast.Backend(name="b", kind="tvm")),
        ("backend: {b: via c 'x.c'}", ast.Backend(name="b", kind="c", source="x.c")),
        ("pattern: {p: relu}", ast.PatternDef(name="p", pattern=ast.OpPattern(op="relu"))),
        ("model: a.json", ast.Model(path="a.json")),
        ("verify: true", ast.Verify()),
        ("bind: all params", ast.BindParams()),
        ("bind x: int8(2)", ast.BindInput(name="x", dtype="int8", shape=(2,))),
        ("build: opt 2", ast.Build(opt_level=2)),
        (
            "cut: {into: 3, by: flops, within: a}",
            ast.CutInto(stages=3, by="flops", within=run("a")),
        ),
        ("keep: x", ast.Keep(selector=run("x"))),
    ],
)
def test_yaml_steps(step: str, expected: ast.Statement) -> None:
    assert parse_yaml(f"version: 1\nsteps:\n  - {step}\n").statements == (expected,)


@pytest.mark.parametrize(
    ("scalar", "line", "column"),
    [
        ("cut after a bad", 3, 17),
        ("'cut after ''a'' bad'", 3, 22),
        ('"cut after \\"a\\" \\u0062ad"', 3, 22),
        ('"cut after a\\\n      b bad"', 4, 9),
        ("&x cut after a bad", 3, 20),
        ("cut\n      after\n      a bad", 5, 9),
        ("|\n    # c\n\n    cut after a\n      bad", 7, 7),
        (">-\n    cut after\n    a bad", 5, 7),
    ],
)
def test_places_inside_yaml_scalars(scalar: str, line: int, column: int) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_yaml(f"version: 1\nsteps:\n  - {scalar}\n")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert "bad" in diagnostic.message
    assert (diagnostic.span.line, diagnostic.span.column) == (line, column)


def test_the_form_follows_the_name() -> None:
    assert parse(Source("version: 1", "a.yml")) == ast.Spec(statements=())
    assert parse("recompute constants").statements == (ast.Recompute(),)
    assert parse("version: 1", form="yaml").statements == ()


def test_schema() -> None:
    schema = spec_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    pending = [schema]
    while pending:
        part = pending.pop()
        for child in part.values():
            pending += [child] if isinstance(child, dict) else []
            pending += [c for c in child if isinstance(c, dict)] if isinstance(child, list) else []
        for name, field in part.get("properties", {}).items() if "type" in part else ():
            assert "description" in field or "$ref" in field, name


def test_tables_belong_to_the_grammar() -> None:
    tables = json.loads(grammar_text("spec.tables.json"))
    assert tables["of"] == identity(), "run python -m surgery.syntax.make_tables"
    text = "offload pattern a>b{c=(1,*)} to d expect >=2"
    assert parser().parse(text, start="statement") == build_parser().parse(text, start="statement")


def test_reading_text_needs_little() -> None:
    script = (
        "import sys; from surgery.syntax import parse_text; parse_text('output %1');"
        "print(sorted({'tvm', 'numpy', 'yaml', 'jsonschema'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
