"""``${NAME}``: values only, never structure; and ``fmt`` leaves them as they are."""

from __future__ import annotations

import pytest

from surgery.diagnostics import SurgeryError
from surgery.source import Source
from surgery.syntax import ast, format_source, parse_selector, parse_text, parse_yaml


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('model "${V}/a.json"', "m; cut after x", ast.Model(path="m; cut after x/a.json")),
        ("model ${V}", "a b.json", ast.Model(path="a b.json")),
        ("build opt ${V}", "3", ast.Build(opt_level=3)),
        ("build target ${V}", 'llvm "x"', ast.Build(target='llvm "x"')),
        ("build executor ${V}", "vm", ast.Build(executor="vm")),
        ("build config a.b=${V}", "true", ast.Build(config=(("a.b", True),))),
        ('build config a.b="${V}"', "true", ast.Build(config=(("a.b", "true"),))),
        (
            "output %1 as ${V}",
            "a, %2 as b",
            ast.Output(items=(ast.OutputItem(selector=ast.Numbered(number=1), name="a, %2 as b"),)),
        ),
        ("verify rtol ${V}", "1e-3", ast.Verify(rtol=1e-3)),
    ],
)
def test_values(text: str, value: str, expected: ast.Statement) -> None:
    assert parse_text(text, {"V": value}).statements == (expected,)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("${V}", "%42", ast.Numbered(number=42)),
        ("${V}", "@f:%3.1", ast.Numbered(number=3, path=(1,), function="f")),
        ("${V}", "result", ast.Result()),
        ("${V}", "a or b", ast.NameRun(text="a or b")),
        ("layer_._${V}/x", "3", ast.NameRun(text="layer_._3/x")),
        ("%${V}.0", "7", ast.Numbered(number=7, path=(0,))),
        ('"*/${V}/*"', "*", ast.NameGlob(glob="*/*/*")),
        ("op ${V}", "nn.relu", ast.OpKind(op="nn.relu")),
        ('"$${V}"', "x", ast.NameGlob(glob="${V}")),
    ],
)
def test_selectors(text: str, value: str, expected: ast.Selector) -> None:
    assert parse_selector(text, {"V": value}) == expected


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("build opt ${V}", "three", "S110"),
        ("build opt ${V}", "9", "S110"),
        ("share %1 by ${V}", "transfer optional", "S109"),
        ("output %${V} as a", "1 as b", "S110"),
        ("offload pattern ${V}>relu to b", "conv2d>add", "S115"),
        ("build opt ${W}", "3", "S107"),
    ],
)
def test_values_that_do_not_fit(text: str, value: str, code: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_text(text, {"V": value})
    assert [d.code for d in caught.value.diagnostics] == [code]
    with pytest.raises(SurgeryError) as caught:
        parse_yaml(f"version: 1\nsteps:\n  - {text}", {"V": value})
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_unknown_variable_names_the_nearest() -> None:
    with pytest.raises(SurgeryError) as caught:
        parse_text("cut after layer_._${LAYR}", {"LAYER": "3", "OTHER": "x"})
    (diagnostic,) = caught.value.diagnostics
    assert "`${LAYER}`" in diagnostic.remedy


def test_yaml_mapping_forms() -> None:
    text = (
        'version: 1\nmodel: ${DIR}/a.json\nbuild: {opt_level: "${N}", executor: "${E}"}\n'
        'verify:\n  rtol: ${T}\nsteps:\n  - cut: {after: "${S}", expect: ">=${N}"}\n'
    )
    values = {"DIR": "m", "N": "2", "E": "vm", "T": "1e-3", "S": "%4"}
    assert parse_yaml(text, values).statements == (
        ast.Model(path="m/a.json"),
        ast.Build(opt_level=2, executor="vm"),
        ast.Verify(rtol=1e-3),
        ast.Cut(
            where="after",
            selector=ast.Numbered(number=4),
            expect=ast.Expect(comparison=">=", count=2),
        ),
    )


TEXT = """\
model "${DIR}/a.json"
output %${N} as mask, layer_._${L}/x as ${NAME}
cut after ${S} expect >=${N}
build target "${T}" opt ${N} config a.b=${N}
verify rtol ${R}
"""


def test_formatting_keeps_them() -> None:
    assert format_source(Source(TEXT, "x.surgery")) == TEXT
    as_yaml = format_source(Source(TEXT, "x.surgery"), to="yaml")
    values = {"DIR": "d", "N": "3", "L": "1", "NAME": "a b", "S": "%7", "T": "llvm", "R": "0.5"}
    by_yaml = parse_yaml(as_yaml, values)
    by_text = parse_text(TEXT, values)
    assert sorted(map(repr, by_yaml.statements)) == sorted(map(repr, by_text.statements))
    back = format_source(Source(as_yaml, "x.yaml"), to="text")
    assert sorted(back.splitlines()) == sorted(TEXT.splitlines())
