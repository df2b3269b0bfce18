"""Model files as TVM JSON, modules in memory, and everything that can be wrong with either."""

from __future__ import annotations

import errno
import json
import lzma
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.loader import load

EXAMPLES = Path(__file__).parents[3] / "examples" / "models"


def small() -> tvm.IRModule:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(3, 4))
    body = relay.nn.relu(relay.nn.dense(x, w))
    return tvm.IRModule.from_expr(relay.Function([x, w], body))


def saved(path: Path, ir: object = None) -> str:
    path.write_text(tvm.ir.save_json(small() if ir is None else ir))
    return str(path)


def failure(path: str | Path, params: str | None = None) -> SurgeryError:
    with pytest.raises(SurgeryError) as caught:
        load(str(path), params)
    return caught.value


def only(found: SurgeryError, code: str) -> str:
    (diagnostic,) = found.diagnostics
    assert diagnostic.code == code
    assert diagnostic.remedy or diagnostic.notes
    whole = " ".join((diagnostic.message, diagnostic.reason, diagnostic.remedy))
    assert "\n" not in whole
    assert "Traceback" not in whole
    assert "tvm::" not in whole
    return whole


def test_json_loads_with_its_hash_and_types(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.json")
    model = load(path)
    assert model.path == path
    assert len(model.sha256["model"]) == 64
    graph = model.module.main
    assert graph.describe(graph.by_number[0]) == "%0 = nn.dense(%x, %w): float32(1,3)"
    assert graph.kinds == ["input", "input", "call", "call"]
    assert model.module.dtype_note == ""


def test_the_suffix_does_not_matter(tmp_path: Path) -> None:
    assert len(load(saved(tmp_path / "m.txt")).module.main) == 4


def test_a_compressed_model_is_read(tmp_path: Path) -> None:
    model = load(str(EXAMPLES / "rapidocr_cls.json.xz"))
    graph = model.module.main
    assert sum(kind == "call" for kind in graph.kinds) == 252
    assert [graph.names[i] for i in graph.params if graph.kinds[i] == "input"] == ["x"]
    short = tmp_path / "short.json.xz"
    short.write_bytes(lzma.compress(b'{"root": 1}' * 1000)[:-20])
    assert "cut off" in only(failure(short), "S503")


def test_a_saved_function_is_a_model(tmp_path: Path) -> None:
    model = load(saved(tmp_path / "f.json", small()["main"]))
    assert list(model.module.functions) == ["main"]


def test_missing_files_suggest_what_is_there(tmp_path: Path) -> None:
    saved(tmp_path / "bert.json")
    found = only(failure(tmp_path / "bret.json"), "S500")
    assert "did you mean" in found
    assert "bert.json" in found
    assert "does not exist" in only(failure(tmp_path / "no" / "m.json"), "S500")
    assert failure(tmp_path / "bret.json").exit_status == 5


def test_folders_are_no_models(tmp_path: Path) -> None:
    assert "is a folder" in only(failure(tmp_path), "S500")
    (tmp_path / "saved_model.pb").write_bytes(b"x")
    # Without TensorFlow that is missing, with it the graph is damaged.
    assert failure(tmp_path).diagnostics[0].code in ("S503", "S537")


def test_a_forbidden_file_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    path = saved(tmp_path / "m.json")
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert "Permission denied" in only(failure(path), "S500")


def test_empty_files(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("  \n")
    assert "empty" in only(failure(path), "S501")


@pytest.mark.parametrize("name", ["m.onnx", "m.pb", "m.pt", "m.tflite", "m.keras", "m.h5", "m.pt2"])
def test_files_called_as_another_framework_s_that_are_none(tmp_path: Path, name: str) -> None:
    """Damaged, of no kind that is known, or the framework isn't installed: said, never raised."""
    path = tmp_path / name
    path.write_bytes(b"\x08\x07whatever")
    assert failure(path).diagnostics[0].code in ("S502", "S503", "S537")


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\x7fELF\x02\x01", "a built library"), (b"PK\x03\x04abc", "a zip archive"),
     (b"\x00\x01\x02\x03", "zero bytes"), (b"\xff\xfe\x80 model", "not UTF-8")],
)  # fmt: skip
def test_binary_files_are_no_models(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(content)
    assert said in only(failure(path), "S502")


def test_params_given_as_the_model(tmp_path: Path) -> None:
    path = tmp_path / "m.params"
    tvm.runtime.save_param_dict_to_file({"w": np.ones(3, "float32")}, str(path))
    found = only(failure(path), "S502")
    assert "a TVM params file" in found
    assert "--params" in found


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_json_shows_where_it_ends(tmp_path: Path, share: float) -> None:
    text = tvm.ir.save_json(small())
    path = tmp_path / "m.json"
    path.write_text(text[: int(len(text) * share)])
    found = failure(path)
    only(found, "S503")
    span = found.diagnostics[0].span
    assert span is not None
    assert span.source.path == str(path)
    assert span.line >= 1


def test_json_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"root": 1, }')
    found = failure(path)
    assert "not valid JSON" in only(found, "S503")
    span = found.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (1, 13)
    path.write_text("hello")
    assert "JSON" in only(failure(path), "S503")


@pytest.mark.parametrize(
    ("data", "said"),
    [({"nodes": [], "arg_nodes": [], "heads": []}, "graph executor JSON"),
     ({"recipe": 1}, "surgery build"), ({"a": 1}, "'root' and 'nodes' are missing"),
     ([1, 2], "'root' and 'nodes' are missing")],
)  # fmt: skip
def test_json_of_something_else(tmp_path: Path, data: object, said: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(data) + ("" if isinstance(data, dict) else " "))
    found = failure(path)
    assert said in only(found, "S504")


def test_json_of_another_tvm_object(tmp_path: Path) -> None:
    found = only(failure(saved(tmp_path / "m.json", relay.var("x"))), "S504")
    assert "holds a Var" in found


def test_json_of_another_tvm_version(tmp_path: Path) -> None:
    tree = json.loads(tvm.ir.save_json(small()))
    tree["attrs"]["tvm_version"] = "0.27.0"
    tree["nodes"][1]["type_key"] = "relax.expr.Nothing"
    path = tmp_path / "m.json"
    path.write_text(json.dumps(tree))
    assert "saved by TVM 0.27.0" in only(failure(path), "S504")


def test_a_module_without_main(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2,))
    ir = tvm.IRModule({"net": relay.Function([x], relay.exp(x))})
    assert "it has @net" in only(failure(saved(tmp_path / "m.json", ir)), "S505")
    empty = saved(tmp_path / "e.json", tvm.IRModule())
    assert "no Relay function" in only(failure(empty), "S504")


def test_two_parameters_of_one_name(tmp_path: Path) -> None:
    a, b = relay.var("w", shape=(2,)), relay.var("w", shape=(2,))
    ir = tvm.IRModule.from_expr(relay.Function([a, b], relay.subtract(a, b)))
    found = only(failure(saved(tmp_path / "m.json", ir)), "S511")
    assert "several parameters named 'w'" in found


def ill_typed(kind: str) -> tvm.IRModule:
    x = relay.var("x", shape=(1, 4))
    span = relay.Span(relay.SourceName("head/Add"), 0, 0, 0, 0)
    good = relay.exp(relay.tanh(x))
    match kind:
        case "shape":
            y = relay.var("y", shape=(1, 3))
            bad = relay.Call(relay.op.get("add"), [good, y], None, None, span)
            return tvm.IRModule.from_expr(relay.Function([x, y], relay.nn.relu(bad)))
        case "check":
            bad = relay.reshape(good, (3, 3))
            return tvm.IRModule.from_expr(relay.Function([x], relay.nn.relu(bad)))
        case "field":
            bad = relay.TupleGetItem(relay.Tuple([good]), 3)
            return tvm.IRModule.from_expr(relay.Function([x], relay.exp(bad)))
        case _:
            z = relay.var("z")
            return tvm.IRModule.from_expr(relay.Function([z], relay.nn.relu(z)))


@pytest.mark.parametrize(
    ("kind", "place", "reason"),
    [("shape", "%2 = add(%1, %y) (head/Add)", "Incompatible broadcast type"),
     ("check", "reshape(%1)", "are not compatible"),
     ("field", "exp(", ""),
     ("untyped", "nn.relu(%z)", "can't be inferred")],
)  # fmt: skip
def test_type_errors_name_the_op_and_one_reason(
    tmp_path: Path, kind: str, place: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    found = only(failure(saved(tmp_path / "m.json", ill_typed(kind))), "S506")
    assert place in found
    assert reason in found
    assert capfd.readouterr() == ("", "")


def test_in_memory_modules_are_never_changed() -> None:
    ir = small()
    function = ir["main"]
    before = (str(ir), tvm.ir.structural_hash(ir, map_free_vars=True))
    model = adopt(ir, {"w": np.ones((3, 4), "float32")})
    assert (str(ir), tvm.ir.structural_hash(ir, map_free_vars=True)) == before
    assert ir["main"].same_as(function)
    assert function.body.args[0]._checked_type_ is None
    assert not model.ir.same_as(ir)
    assert model.module.main.kinds[:2] == ["input", "param"]
    assert model.path == "<memory>"


def test_typed_in_memory_modules_are_never_changed() -> None:
    ir = relay.transform.InferType()(small())
    function = ir["main"]
    before = (str(ir), tvm.ir.structural_hash(ir))
    model = adopt(ir)
    assert (str(ir), tvm.ir.structural_hash(ir)) == before
    assert ir["main"].same_as(function)
    assert tvm.ir.structural_equal(model.ir, ir)


def test_adopt_keeps_type_definitions_and_attributes() -> None:
    ir = small().with_attr("origin", "test")
    relay.prelude.Prelude(ir)
    model = adopt(ir)
    assert model.ir.attrs["origin"] == "test"
    assert str(ir.get_global_type_var("List").name_hint) == "List"
    assert model.ir.get_global_type_var("List") is not None


def test_adopt_refuses_what_is_no_module() -> None:
    with pytest.raises(SurgeryError, match="S504"):
        adopt(relay.var("x"))


def test_case_39_names_live_in_spans(tmp_path: Path) -> None:
    x = relay.var("x", shape=(1, 4))
    body = x
    for i in range(3):
        for op in ("tanh", "exp"):
            span = relay.Span(relay.SourceName(f"layer_._{i}/{op}"), 0, 0, 0, 0)
            body = relay.Call(relay.op.get(op), [body], None, None, span)
    ir = tvm.IRModule.from_expr(relay.Function([x], body))
    model = load(saved(tmp_path / "m.json", ir))
    graph = model.module.main
    assert model.module.has_source_names
    assert graph.names[graph.by_number[3]] == "layer_._1/exp"
    assert graph.names[graph.result] == "layer_._2/exp"


def test_case_49_json_keeps_every_digit(tmp_path: Path) -> None:
    x = relay.var("x", shape=(4,))
    third = relay.const(np.float32(1 / 3))
    ir = tvm.IRModule.from_expr(relay.Function([x], relay.clip(x + third, -1 / 3, 1 / 3)))
    graph = load(saved(tmp_path / "m.json", ir)).module.main
    (constant,) = (n for n in graph if n.kind == "constant")
    assert np.float32(constant.attrs["value"]) == np.float32(1 / 3)
    assert graph.attrs[graph.result]["a_min"] == -1 / 3


def test_case_42_forty_thousand_ops_load(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2,))
    body = x
    for _ in range(40_000):
        body = relay.nn.relu(body)
    model = load(saved(tmp_path / "deep.json", relay.Function([x], body)))
    graph = model.module.main
    assert len(graph) == 40_001
    assert graph.numbers[graph.operands[graph.result][0]] == 39_998
