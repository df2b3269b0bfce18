"""What a spec can get wrong, with the code, the place and what the message has to say."""

from __future__ import annotations

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.source import Source
from surgery.syntax import parse_pattern, parse_selector, parse_text, parse_yaml


def findings(text: str, form: str = "text") -> tuple[Diagnostic, ...]:
    with pytest.raises(SurgeryError) as caught:
        if form == "yaml":
            parse_yaml(Source(text, "spec.yaml"))
        else:
            parse_text(Source(text, "spec.surgery"))
    assert caught.value.exit_status == 1
    return caught.value.diagnostics


def told(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.message, diagnostic.reason, *diagnostic.notes, diagnostic.remedy)
    return " | ".join(parts)


# text, code, line, column, what the caret marks, what is said
TEXT_CASES = [
    ("ouput %42 as mask", "S101", 1, 1, "ouput", "did you mean `output`?"),
    ("%42 as mask", "S101", 1, 1, "%42", "output %42 as mask"),
    ("def @main(%x) {\n  %0 = nn.relu(%x);\n}", "S101", 1, 1, "def", "--model"),
    ("output %1 as a\nx: 3", "S101", 2, 1, "x:", "indent the line"),
    ("cut afer layer_3", "S100", 1, 5, "afer", "did you mean `after`?"),
    ("output %42 as", "S102", 1, 13, "s", "expected a name"),
    ("cut", "S102", 1, 3, "t", "`after`, `before` or `into`"),
    ("cut after a, b", "S100", 1, 12, ",", "the end of the statement"),
    ("keep op x on hots", "S100", 1, 14, "hots", "did you mean `host`?"),
    ("offload pattern relu b", "S100", 1, 22, "b", "`to`"),
    ("keep %2.. on host", "S100", 1, 8, "..", "between(%2, result)"),
    ("cut after % x", "S100", 1, 11, "%", "as `surgery show` lists it"),
    ("cut after %3x", "S100", 1, 11, "%3x", "as `surgery show` lists it"),
    ('cut after "abc', "S103", 1, 11, '"abc', "has no end"),
    ('cut after "a\\q"', "S104", 1, 11, '"a\\q"', "`\\q` has no meaning"),
    ("cut after first(x", "S105", 1, 16, "(", "close it with `)`"),
    ("cut after x)", "S105", 1, 12, ")", "closes nothing"),
    ("offload pattern a(b] to c", "S105", 1, 18, "(", "never closed"),
    ("cut after ${A}", "S107", 1, 11, "${A}", "--set A=VALUE"),
    ('model "${a b}"', "S108", 1, 7, '"${a b}"', "is not a reference"),
    ("share %3 by recomput", "S109", 1, 13, "recomput", "did you mean `recompute`?"),
    ("build executor grph", "S109", 1, 16, "grph", "did you mean `graph`?"),
    ("cut after a where foo=1", "S109", 1, 19, "foo", "attrs.foo"),
    ("cut after a where shap=1", "S109", 1, 19, "shap", "did you mean `shape`?"),
    ("build opt 7", "S110", 1, 7, "opt 7", "0 to 4"),
    ("build opt 1.5", "S110", 1, 11, "1.5", "not a whole number"),
    ("cut into 0 stages by flops", "S110", 1, 1, "cut into 0 stages by flops", "at least 1"),
    ("verify rtol -1", "S110", 1, 8, "rtol -1", "from 0 up"),
    ("build opt 1\n  opt 2", "S111", 2, 3, "opt 2", "first at line 1, column 7"),
    ("backend b { via tvm; a=1; a=2 }", "S111", 1, 1, None, "sets `a` twice"),
    ('verify inputs "x" seed 3', "S112", 1, 1, None, "not both"),
    ("backend b { x = 3 }", "S112", 1, 1, None, "via tvm"),
    ("offload pattern *>relu to b", "S113", 1, 17, "*", "a chain holds ops only"),
    ("offload pattern add(const?, *) to b", "S113", 1, 21, "const?", "a leaf can't be left out"),
    ("offload pattern (a|b)* to b", "S113", 1, 17, "(a|b)*", "only a single op"),
    ("set %5 = 3", "S113", 1, 5, "%5", "set %5.axis = 1"),
    ("set %5.axis = *", "S113", 1, 1, None, "can't be `*`"),
    ('cut after re"("', "S114", 1, 11, 're"("', "unterminated"),
    ("pattern nn.conv = conv2d>relu", "S115", 1, 9, "nn.conv", "names of ops"),
    ('output %1 as ""', "S115", 1, 14, '""', "can't be empty"),
    ('model "a"\nmodel "b"', "S140", 2, 1, 'model "b"', "first at spec.surgery:1:1"),
    ("build opt 1\nbuild opt 2", "S140", 2, 1, "build opt 2", "first at spec.surgery:1:1"),
    ("bind x: int8(1)\nbind x: int8(2)", "S140", 2, 1, None, "type of input `x`"),
    ("let a = %1\nlet a = %2", "S141", 2, 1, "let a = %2", "first at spec.surgery:1:1"),
    ("pattern a = b\npattern a = c", "S141", 2, 1, None, "defined twice"),
    ("backend a via tvm\nbackend a via c", "S141", 2, 1, None, "defined twice"),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "marked", "said"), TEXT_CASES)
def test_text(text: str, code: str, line: int, column: int, marked: str | None, said: str) -> None:
    (diagnostic, *others) = findings(text)
    assert diagnostic.code == code, told(diagnostic)
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (line, column)
    assert marked is None or diagnostic.span.text == marked
    assert said in told(diagnostic)
    assert not others


STEP = "version: 1\nsteps:\n  - "
YAML_CASES = [
    ("", "S128", 1, 1, "empty"),
    ("output %42 as mask", "S128", 1, 1, "`.surgery`"),
    ("version: 1\n---\nversion: 1", "S128", 2, 1, "one YAML document"),
    ("steps: []", "S126", 1, 1, "lacks `version`"),
    ("version: 2", "S127", 1, 10, "version 2"),
    ("version: 1\nmodle: x", "S122", 2, 1, "did you mean `model`?"),
    (
        "version: 1\nbuild: {opt_level: 1,\n  opt_level: 2}",
        "S121",
        3,
        3,
        "first at line 2, column 9",
    ),
    ("version: 1\nbuild: {opt_level: three}", "S123", 2, 20, "a whole number from 0 to 4"),
    ("version: 1\nbuild: {opt_level: 9}", "S129", 2, 20, "found 9"),
    ("version: 1\nbuild: {executor: grph}", "S129", 2, 19, "did you mean `graph`?"),
    ("version: 1\nverify: {each: no}", "S123", 2, 16, "true or false, found `no`"),
    ("version: 1\nlet: {a: !x b}", "S124", 2, 10, "`!x`"),
    ("version: 1\nlet: {a: *b}", "S125", 2, 10, "no anchor"),
    ("version: 1\nlet: &l {a: *l}", "S125", 2, 13, "holds itself"),
    ("version: 1\nsteps: [\n", "S120", 3, 1, "brackets"),
    ("version: 1\n\tlet: {}", "S120", 2, 1, "spaces"),
    (STEP + "ouput %42 as mask", "S101", 3, 5, "did you mean `output`?"),
    (STEP + "cut: {after: %42}", "S120", 3, 18, '"%42"'),
    ("version: 1\nbuild: {opt_level: ${N}}", "S120", 2, 21, '"${NAME}"'),
    (STEP + "cut: {after: 42}", "S123", 3, 18, '"%42"'),
    (STEP + "cut: {afer: x}", "S122", 3, 11, "did you mean `after`?"),
    (STEP + "output: {value: x, name: y}", "S122", 3, 24, "did you mean `as`?"),
    (STEP + "offload: {pattern: add, to: b, name: c}", "S122", 3, 36, "did you mean `as`?"),
    (STEP + "offload: {to: b}", "S126", 3, 5, "or `ops: ...` with a selector"),
    (STEP + "{output: x, cut: after x}", "S126", 3, 6, "exactly one statement"),
    (STEP + "offload: {pattern: relu}", "S126", 3, 5, "lacks `to`"),
    (STEP + "cut: {after: 'first(x'}", "S105", 3, 24, "never closed"),
    (STEP + 'cut: {after: "a\\tb\\tc d"}', "S100", 3, 22, "`b`"),
    (STEP + "output %1\n    as a\n    bs", "S100", 5, 5, "`bs`"),
    (STEP + "|\n    output %1 as a\n    cut afer x", "S100", 5, 9, "`after`"),
    (STEP + ">\n    output %1 as a\n    bs", "S100", 5, 5, "`bs`"),
    (STEP + "bind x: float32(-1)", "S110", 3, 20, "at least 0"),
    (STEP + "output: '%1 as a b'", "S100", 3, 22, "`b`"),
    (STEP + "verify: {inputs: a, seed: 3}", "S112", 3, 5, "not both"),
    (STEP + "''", "S129", 3, 5, "empty"),
    (STEP + "backend: {name: bm, via: te}", "S113", 3, 15, "write `backend: {bm: {via: te, ...}}`"),
    (STEP + "stage: {index: 0}", "S126", 3, 5, "threads"),
    (STEP + "{}", "S126", 3, 5, "exactly one statement"),
    ("version: 1\npatterns: {nn.x: relu}", "S115", 2, 12, "can't be a name in `patterns`"),
    ('{\n  "root": 12,\n  "nodes": []\n}', "S128", 1, 1, "--model"),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "said"), YAML_CASES)
def test_yaml(text: str, code: str, line: int, column: int, said: str) -> None:
    (diagnostic, *others) = findings(text, "yaml")
    assert diagnostic.code == code, told(diagnostic)
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (line, column), told(diagnostic)
    assert said in told(diagnostic)
    assert not others


def test_several_faults_in_one_run() -> None:
    text = "ouput %1\noutput %2 as ok\ncut afer x; build opt 9\nkeep (x\nshare %1 by guess\n"
    assert [(d.code, d.span and d.span.line) for d in findings(text)] == [
        ("S101", 1),
        ("S100", 3),
        ("S110", 3),
        ("S105", 4),
        ("S109", 5),
    ]


def test_several_faults_in_one_yaml_run() -> None:
    text = "version: 1\nmodle: x\nsteps:\n  - ouput %1\n  - cut: {after: 3}\n  - keep (x\n"
    assert [(d.code, d.span and d.span.line) for d in findings(text, "yaml")] == [
        ("S122", 2),
        ("S101", 4),
        ("S123", 5),
        ("S105", 6),
    ]


def test_a_file_that_is_no_spec_stops_early() -> None:
    found = findings("%0 = nn.relu(%x);\n" * 5_000)
    assert len(found) == 51
    assert found[-1].severity == "note"


def test_billion_laughs() -> None:
    lines = ["version: 1", "let:", "  a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    (diagnostic,) = findings("\n".join(lines), "yaml")
    assert diagnostic.code == "S125"
    assert diagnostic.span is not None
    assert diagnostic.span.line > 3


@pytest.mark.parametrize("text", ["", "  # nothing", "x y", "x;", "output %1"])
def test_selector(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_selector(text)
    assert caught.value.diagnostics[0].code in ("S100", "S116")


@pytest.mark.parametrize("text", ["", "a>", "a||b", "a(b", "conv2d{groups}", "a b"])
def test_pattern(text: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_pattern(text)
    assert caught.value.diagnostics[0].code in ("S100", "S102", "S105", "S116")
