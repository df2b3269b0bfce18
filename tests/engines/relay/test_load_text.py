"""Relay text: names TVM can't read, numbers, source names, and places in the user's own file."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest
import tvm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.loader import load
from surgery.engines.relay.mangle import mangle
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.params import write_params
from surgery.source import Source

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"
HEAD = '#[version = "0.0.5"]\n'


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def read(tmp_path: Path, text: str) -> RelayModel:
    return load(write(tmp_path / "m.relay", HEAD + text))


def failure(tmp_path: Path, text: str) -> SurgeryError:
    with pytest.raises(SurgeryError) as caught:
        load(write(tmp_path / "m.relay", text))
    for found in caught.value.diagnostics:
        assert "Traceback" not in found.reason
        assert "\n" not in found.reason
    return caught.value


def described(model: RelayModel) -> list[str]:
    graph = model.module.main
    return [graph.describe(i) for i in range(len(graph))]


def test_case_03_numbers_are_those_of_the_text(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.dense(%x, %w, units=4);
  %1 = nn.relu(%0);
  %2 = split(%1, indices_or_sections=2, axis=1);
  %3 = %2.0;
  %4 = %2.1;
  %5 = (%3, %4);
  %6 = concatenate(%5, axis=1);
  %7 = add(%3, %4);
  %8 = tanh(%6);
  (%7, %0, %8)
}
""",
    )
    graph = model.module.main
    assert graph.describe(graph.by_number[5]).startswith("%5 = (%3, %4)")
    assert graph.describe(graph.by_number[6]) == "%6 = concatenate(%5): float32(1,4)"
    assert graph.describe(graph.by_number[7]) == "%7 = add(%3, %4): float32(1,2)"
    assert not model.module.has_source_names
    assert model.notes == ()
    assert "6 digits" in model.module.dtype_note


def test_the_bert_as_text_equals_the_bert_as_json(tmp_path: Path) -> None:
    data = lzma.decompress((EXAMPLES / "tf_bert_12l.json.xz").read_bytes()).decode()
    path = tmp_path / "bert.relay"
    path.write_text(tvm.ir.load_json(data).astext())
    text, exact = load(str(path)), load(str(EXAMPLES / "tf_bert_12l.json.xz"))
    one, other = text.module.main, exact.module.main
    assert one.kinds == other.kinds
    assert one.ops == other.ops
    assert one.operands == other.operands
    assert list(one.types) == list(other.types)
    assert list(one.numbers) == list(other.numbers)
    named = [i for i, kind in enumerate(one.kinds) if kind != "constant"]
    assert [one.names[i] for i in named] == [other.names[i] for i in named]
    assert text.module.has_source_names
    assert text.notes == ()


def test_the_bert_listing_lacks_its_constants() -> None:
    with pytest.raises(SurgeryError) as caught:
        load(str(EXAMPLES / "tf_bert_12l.relay.xz"))
    (found,) = caught.value.diagnostics
    assert found.code == "S508"
    assert found.span is not None
    assert (found.span.line, found.span.text) == (3, "meta[relay.Constant][0]")


ODD = [
    "input:0", "bert/encoder/layer_._0/attention/kernel", "features.1.conv.bias", "a b", "x-1",
    "x+y", "x=y", "x@y", "x#y", "x[0]", "it's", "caf\u00e9", "\u4e2d", "def", "let", "if", "fn",
    "free_var", "ref", "match", "a.0", "a/.b/c", "a(b)", "p,q",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_case_37_names_come_back(tmp_path: Path, name: str) -> None:
    x, w = relay.var("x", shape=(1, 4)), relay.var(name, shape=(4, 4))
    other = relay.var("x_y", shape=(1, 4))
    body = relay.add(relay.nn.relu(relay.nn.dense(x, w, units=4)), other)
    ir = tvm.IRModule.from_expr(relay.Function([x, w, other], body))
    params = tmp_path / "p.params"
    write_params(params, {name: tvm.nd.array(np.ones((4, 4), "float32"))})
    model = load(write(tmp_path / "m.relay", ir.astext()), str(params))
    graph = model.module.main
    assert [graph.names[i] for i in graph.params] == ["x", name, "x_y"]
    assert [str(p.name_hint) for p in model.ir["main"].params] == ["x", name, "x_y"]
    assert graph.kinds[:3] == ["input", "param", "input"]
    assert list(model.params) == [name]
    assert graph.describe(graph.by_number[0]) == f"%0 = nn.dense(%x, %{name}): float32(1,4)"
    assert tvm.ir.structural_equal(model.ir, relay.transform.InferType()(ir))


def test_names_that_would_collide_once_made_safe(tmp_path: Path) -> None:
    names = ["a.b", "a_b", "a:b", "a_b_1"]
    variables = [relay.var(n, shape=(2,)) for n in names]
    body = variables[0]
    for variable in variables[1:]:
        body = relay.subtract(body, variable)
    text = tvm.IRModule.from_expr(relay.Function(variables, body)).astext()
    model = load(write(tmp_path / "m.relay", text))
    graph = model.module.main
    assert [graph.names[i] for i in graph.params] == names
    assert described(model)[4:] == [
        "%0 = subtract(%a.b, %a_b): float32(2)",
        "%1 = subtract(%0, %a:b): float32(2)",
        "result = subtract(%1, %a_b_1): float32(2)",
    ]


@pytest.mark.parametrize(("name", "printed"), [("_x", "v_x"), ("1x", "v1x"), ("9", "v9")])
def test_names_that_print_with_a_v_are_found_in_the_weights(
    tmp_path: Path, name: str, printed: str
) -> None:
    w = relay.var(name, shape=(2,))
    text = tvm.IRModule.from_expr(relay.Function([w], relay.exp(w))).astext()
    assert f"%{printed}:" in text
    path = write(tmp_path / "m.relay", text)
    params = tmp_path / "p.params"
    write_params(params, {name: tvm.nd.array(np.ones(2, "float32"))})
    model = load(path, str(params))
    assert list(model.params) == [name]
    assert model.module.main.names[0] == name
    assert load(path).module.main.names[0] == printed


def test_names_inside_functions_come_back(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
def @main(%in.put: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %a.b = tanh(%in.put);
  %0 = fn (%p.q: Tensor[(2), float32]) {
    exp(%p.q)
  };
  %1 = %0(%a.b);
  add(%1, %in.put)
}
""",
    )
    graph = model.module.main
    named = {n.kind: n.name for n in graph if n.kind in ("input", "let", "local")}
    assert named == {"input": "in.put", "let": "a.b", "local": "p.q"}
    assert graph.label(graph.params[0]) == "%in.put"


def test_source_names_come_from_comments(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %0 = tanh(%x) /* ty=Tensor[(2), float32] span=layer/Tanh:0:0 */;
  %1 = exp(%0) /* layer/Exp */;
  %2 = exp(%1) /* ty=Tensor[(2), float32] */;
  negative(%2) /* span=layer/Neg:0:0 */
}
""",
    )
    graph = model.module.main
    assert [n.name for n in graph if n.kind == "call"] == [
        "layer/Tanh", "layer/Exp", None, "layer/Neg",
    ]  # fmt: skip
    assert model.module.has_source_names


def test_case_47_the_files_own_numbers_win(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """
def @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %10 = exp(%x) /* a/Exp */;
  %20 = exp(%y) /* b/Exp */;
  %25 = tanh(%x);
  add(%20, %10)
}
""",
    )
    graph = model.module.main
    assert sorted(graph.by_number) == [10, 20]
    assert graph.describe(graph.by_number[10]) == "%10 = exp(%x): float32(2)"
    assert graph.names[graph.by_number[20]] == "b/Exp"
    assert any("own %N differ" in n for n in model.notes)
    assert any(n.startswith("1 numbered values") for n in model.notes)


def test_same_numbers_in_another_order_are_not_confused(tmp_path: Path) -> None:
    # TVM numbers the operands of the result in their order: it would swap these two.
    model = read(
        tmp_path,
        """
def @main(%x: Tensor[(4), float32]) -> Tensor[(2, 2), float32] {
  %0 = reshape(%x, newshape=[2, 2]) /* first */;
  %1 = reshape(%x, newshape=[1, 4]) /* second */;
  %2 = reshape(%1, newshape=[2, 2]);
  add(%2, %0)
}
""",
    )
    graph = model.module.main
    first, second = graph.by_number[0], graph.by_number[1]
    assert (graph.names[first], str(graph.types[first])) == ("first", "float32(2,2)")
    assert (graph.names[second], str(graph.types[second])) == ("second", "float32(1,4)")


def test_numbers_run_on_through_functions_and_branches(tmp_path: Path) -> None:
    text = """
def @block(%p: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %5 = add(%p, %p) /* block/Add */;
  nn.relu(%5) /* block/Relu */
}

def @main(%x: Tensor[(2), float32], %c: bool) -> Tensor[(2), float32] {
  %6 = @block(%x) /* call */;
  if (%c) {
    %7 = tanh(%6) /* then/Tanh */;
    exp(%7)
  } else {
    %6
  }
}
"""
    for numbers in (text, text.replace("%5", "%0").replace("%6", "%1").replace("%7", "%2")):
        model = read(tmp_path, numbers)
        block, main = model.module.functions["block"], model.module.main
        (inner,) = block.by_number.values()
        assert block.names[inner] == "block/Add"
        assert block.names[block.result] == "block/Relu"
        names = [main.names[i] for _, i in sorted(main.by_number.items())]
        assert names == ["call", "then/Tanh"]
        assert bool(model.notes) == (numbers is text)


def test_case_40_missing_metadata_lists_every_reference(tmp_path: Path) -> None:
    text = (
        HEAD
        + """def @main(%x: Tensor[(1, 4), float32]) {
  %0 = nn.dense(%x, meta[relay.Constant][0], units=4);
  %1 = split(%0, indices_or_sections=meta[runtime.BoxInt][0], axis=1);
  %2 = %1.0;
  nn.relu(%2)
}
"""
    )
    (found,) = failure(tmp_path, text).diagnostics
    assert found.code == "S508"
    assert found.span is not None
    assert (found.span.line, found.span.column) == (3, 21)
    assert found.notes == (
        "missing: meta[relay.Constant][0] on line 3",
        "missing: meta[runtime.BoxInt][0] on line 4",
    )
    assert "mod.astext()" in found.remedy


def test_case_41_missing_attributes_are_placed(tmp_path: Path) -> None:
    text = (
        HEAD
        + """def @main(%x: Tensor[(1, 3), float32], %y: Tensor[(3, 3), float32]) {
  nn.dense(%x, %y)
}
"""
    )
    (found,) = failure(tmp_path, text).diagnostics
    assert found.span is not None
    assert found.span.line == 3
    assert "units" in found.message
    assert "units=None" in found.remedy


def test_case_47_numbers_bound_twice_are_refused(tmp_path: Path) -> None:
    text = (
        HEAD
        + """def @main() -> float32 {
  %0 = add(1f, 2f);
  %0 = exp(%0);
  negative(%0)
}
"""
    )
    (found,) = failure(tmp_path, text).diagnostics
    assert "bound on lines 3 and 4" in found.message


LONG = "layer_._0/a:0"


@pytest.mark.parametrize(
    ("line", "code", "column", "said"),
    [
        (f"  foo.bar(%{LONG}, %def)", "S507", 3, "operator `foo.bar` not found"),
        (f"  add(%{LONG} %def)", None, len("  add(%") + len(LONG) + 2, ""),
        (f"  add(%{LONG}, %def)", "S506", 3, "Incompatible broadcast type"),
        (f"  exp(%{LONG}, %def)", "S506", 3, "too many arguments"),
    ],
)
def test_faults_are_placed_in_the_users_own_text(
    tmp_path: Path, line: str, code: str | None, column: int, said: str,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    text = (
        f"{HEAD}def @main(%{LONG}: Tensor[(1, 4), float32], %def: Tensor[(1, 3), float32]) {{\n"
        f"{line}\n}}\n"
    )
    found = failure(tmp_path, text).diagnostics[0]
    assert code is None or found.code == code
    assert said in found.reason
    assert found.span is not None
    assert found.span.source.path.endswith("m.relay")
    assert (found.span.line, found.span.column) == (3, column)
    assert capfd.readouterr() == ("", "")


def test_places_count_from_behind_changed_names(tmp_path: Path) -> None:
    text = f"{HEAD}def @main(%if: Tensor[(2), float32]) {{ add(add(%if, %if), no.op(%if)) }}\n"
    found = failure(tmp_path, text).diagnostics[0]
    assert found.span is not None
    assert found.span.text == "no.op"


@pytest.mark.parametrize("text", ["hello world", "{", "def @main(", HEAD, "def @main(%x) {"])
def test_text_that_is_no_model(tmp_path: Path, text: str) -> None:
    found = failure(tmp_path, text)
    assert found.exit_status == 5
    assert all(d.code.startswith("S5") for d in found.diagnostics)


def test_unknown_variables_are_an_error(tmp_path: Path) -> None:
    found = failure(tmp_path, HEAD + "def @main(%x: Tensor[(2), float32]) {\n  exp(%nix)\n}\n")
    assert found.diagnostics[0].code.startswith("S5")
    assert found.diagnostics[0].reason


@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
def test_truncated_text_is_refused(tmp_path: Path, share: float) -> None:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(4, 4))
    body = relay.nn.relu(relay.nn.dense(relay.tanh(x), w, units=4))
    text = tvm.IRModule.from_expr(relay.Function([x, w], body)).astext().rstrip()
    found = failure(tmp_path, text[: int(len(text) * share)])
    assert found.diagnostics[0].code.startswith("S5")
    assert found.diagnostics[0].span is not None


def test_cut_off_metadata_is_refused(tmp_path: Path) -> None:
    x = relay.var("x", shape=(4,))
    body = relay.add(x, relay.const(np.arange(4, dtype="float32")))
    text = tvm.IRModule.from_expr(relay.Function([x], body)).astext()
    assert load(write(tmp_path / "m.relay", text)).module.main.kinds == [
        "input", "constant", "call",
    ]  # fmt: skip
    found = failure(tmp_path, text[:-60])
    assert found.diagnostics[0].code.startswith("S5")


@pytest.mark.parametrize("head", ["", '#[version = "0.0.4"]\n', "v0.0.4\n", "\n/* mine */\n"])
def test_versions_of_any_age_and_none(tmp_path: Path, head: str) -> None:
    body = "def @main(%x: Tensor[(2), float32]) {\n  exp(%x)\n}\n"
    assert len(load(write(tmp_path / "m.relay", head + body)).module.main) == 2
    bad = head + body.replace("exp(%x)", "no.op(%x)")
    found = failure(tmp_path, bad).diagnostics[0]
    assert found.span is not None
    assert found.span.text == "no.op"


def test_a_function_printed_alone_is_a_model(tmp_path: Path) -> None:
    x = relay.var("x.0", shape=(2,))
    function = relay.Function([x], relay.exp(relay.tanh(x)))
    model = load(write(tmp_path / "m.relay", str(function)))
    assert described(model)[1:] == ["%0 = tanh(%x.0): float32(2)", "result = exp(%0): float32(2)"]


def test_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.relay"
    text = "def @main(%x: Tensor[(2), float32]) {\n  %0 = exp(%x) /* a/Exp */;\n  tanh(%0)\n}\n"
    path.write_bytes((HEAD + text).replace("\n", "\r\n").encode())
    graph = load(str(path)).module.main
    assert graph.names[graph.by_number[0]] == "a/Exp"


def test_case_42_forty_thousand_ops_load(tmp_path: Path) -> None:
    lines = ["  %0 = nn.relu(%x.y);"]
    lines += [f"  %{i} = nn.relu(%{i - 1});" for i in range(1, 40_000)]
    text = "def @main(%x.y: Tensor[(2), float32]) {\n" + "\n".join(lines) + "\n  tanh(%39999)\n}\n"
    graph = read(tmp_path, text).module.main
    assert len(graph) == 40_002
    assert graph.names[0] == "x.y"
    assert graph.describe(graph.by_number[39_999]) == "%39999 = nn.relu(%39998): float32(2)"


@example(names=["a", "a:"])
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text("abx_/.:-+=@#; '\u00e901", min_size=1, max_size=8).filter(
            lambda n: n.strip() == n and n[0].isalpha() and n[0].isascii()
        ),
        min_size=1, max_size=4, unique=True,
    )
)  # fmt: skip
def test_mangled_text_is_as_long_in_lines_and_maps_back(names: list[str]) -> None:
    variables = [relay.var(n, shape=(2,)) for n in names]
    body = variables[0]
    for variable in variables[1:]:
        body = relay.add(body, variable)
    ir = tvm.IRModule.from_expr(relay.Function(variables, relay.exp(body)))
    text = ir.astext()
    mangled = mangle(Source(text))
    parsed = relay.fromtext(mangled.text)
    restored = [mangled.originals.get(str(p.name_hint), str(p.name_hint)) for p in
                parsed["main"].params]  # fmt: skip
    assert restored == names
    assert tvm.ir.structural_equal(parsed, relay.transform.InferType()(ir))
    assert mangled.text.count("\n") == text.count("\n")
    at = mangled.text.rindex("exp(")
    assert mangled.original_offset(at) == text.rindex("exp(")


def test_an_attribute_that_the_op_lacks_is_marked_where_it_stands(tmp_path: Path) -> None:
    text = (
        "def @main(%axs: Tensor[(2, 4), float32]) {\n"
        "  %0 = nn.softmax(%axs, axis=1);  /* axs = 3 */\n"
        "  %1 = add(nn.softmax(%0, axs=1), %0);\n"
        "  nn.softmax(%1, axis=0)\n}\n"
    )
    path = tmp_path / "net.relay"
    path.write_text(text)
    with pytest.raises(SurgeryError) as caught:
        load(str(path))
    (found,) = caught.value.diagnostics
    assert (found.code, found.span and found.span.text) == ("S507", "axs")
    assert found.span is not None and (found.span.line, found.span.column) == (3, 27)
    assert found.reason == "its attributes are axis"
    assert found.remedy == "did you mean axis?"
