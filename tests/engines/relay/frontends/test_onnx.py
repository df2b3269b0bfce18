"""ONNX models: converted with names and values kept, or refused with every reason at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends.base import Converted, Request
from surgery.graph import TensorType

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from surgery.engines.relay.frontends.onnx import FRONTEND, runner  # noqa: E402

RANDOM = np.random.default_rng(7)
DATA = RANDOM.standard_normal((2, 3, 4, 5)).astype("float32") * 3


def quiet(*args: Any, **more: Any) -> None:
    """Take progress, and say nothing."""


def save(
    path: Path,
    nodes: list[Any],
    weights: dict[str, Any],
    shape: Any = (2, 3, 4, 5),
    opset: int = 18,
) -> Path:
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("my", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)
    return path


def convert(path: Path, **inputs: TensorType) -> Converted:
    return FRONTEND.convert(Request(path=path, inputs=inputs), quiet)


def run(made: Converted, data: Any) -> Any:
    import tvm
    from tvm import relay

    with tvm.transform.PassContext(opt_level=0):
        call = relay.create_executor("graph", made.ir, tvm.cpu(), "llvm").evaluate()
        return call(data, **made.params).numpy()


def refused(path: Path, **inputs: TensorType) -> Any:
    with pytest.raises(SurgeryError) as caught:
        convert(path, **inputs)
    return caught.value.diagnostics[0]


def net(path: Path, shape: Any = ("n", 3, 4, 5)) -> Path:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="stem/conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["relu_out"]),
        helper.make_node("ReduceMean", ["relu_out", "axes"], ["m"], name="pool", keepdims=0),
        helper.make_node("MatMul", ["m", "fc"], ["y"], name="head"),
    ]
    weights = {
        "w": np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype("float32"),
        "axes": np.array([2, 3]),
        "fc": np.random.default_rng(2).standard_normal((4, 6)).astype("float32"),
    }
    return save(path, nodes, weights, shape)


BOUND = TensorType(shape=(2, 3, 4, 5), dtype="float32")


def test_values_and_names_are_those_of_the_file(tmp_path: Path) -> None:
    from tvm import relay

    path = net(tmp_path / "net.onnx")
    made = convert(path, x=BOUND)
    spans: list[tuple[str, str]] = []

    def visit(node: Any) -> None:
        if isinstance(node, relay.Call):
            spans.append((node.op.name, node.span.source_name.name))

    relay.analysis.post_order_visit(made.ir["main"], visit)
    assert spans[:3] == [
        ("nn.conv2d", "stem/conv"),
        ("nn.relu", "relu_out"),
        ("mean", "pool"),
    ]
    assert {name for _, name in spans[3:]} == {"head"}
    assert made.inputs == ["x"]
    assert made.outputs == ["y"]
    assert sorted(made.params) == ["fc", "w"]
    wanted = FRONTEND.reference(Request(path=path))({"x": DATA})["y"]
    np.testing.assert_allclose(run(made, DATA), wanted, rtol=1e-5, atol=1e-5)


def test_external_data_are_found_and_listed(tmp_path: Path) -> None:
    inside = net(tmp_path / "net.onnx")
    path = tmp_path / "apart.onnx"
    onnx.save(
        onnx.load(inside), path, save_as_external_data=True, location="w.bin", size_threshold=0
    )
    assert FRONTEND.files(path) == [path, tmp_path / "w.bin"]
    np.testing.assert_array_equal(
        run(convert(path, x=BOUND), DATA), run(convert(inside, x=BOUND), DATA)
    )
    wanted = FRONTEND.reference(Request(path=inside))({"x": DATA})["y"]
    np.testing.assert_array_equal(FRONTEND.reference(Request(path=path))({"x": DATA})["y"], wanted)
    (tmp_path / "w.bin").write_bytes(b"short")
    assert refused(path, x=BOUND).code == "S503"


def test_values_inside_are_read_by_name(tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx")
    found = runner(path, ["relu_out"])({"x": DATA})
    assert found["relu_out"].min() == 0
    assert found["relu_out"].shape == (2, 4, 4, 5)
    with pytest.raises(SurgeryError, match="S536"):
        runner(path, ["nowhere"])


FORMS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "reduce two axes": ([("ReduceSum", ["x", "a"], {})], {"a": np.array([1, 3])}),
    "reduce first axis last": ([("ReduceMax", ["x", "a"], {})], {"a": np.array([-1, 0])}),
    "reduce no axes": (
        [("ReduceSum", ["x", "a"], {"noop_with_empty_axes": 1})],
        {"a": np.array([], "int64")},
    ),
    "clip below": ([("Clip", ["x", "l"], {})], {"l": np.float32(0.5)}),
    "clip above": ([("Clip", ["x", "", "h"], {})], {"h": np.float32(0.5)}),
    "clip both": (
        [("Clip", ["x", "l", "h"], {})],
        {"l": np.float32(-1), "h": np.float32(0.5)},
    ),
    "clip crossed": (
        [("Clip", ["x", "l", "h"], {})],
        {"l": np.float32(2), "h": np.float32(0.5)},
    ),
    "gelu by tanh": ([("Gelu", ["x"], {"approximate": "tanh"})], {}),
    "gelu by erf": ([("Gelu", ["x"], {})], {}),
    "pool with ceil": (
        [("MaxPool", ["x"], {"ceil_mode": 1, "kernel_shape": [3, 3], "strides": [2, 2]})],
        {},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_tvm_alone_computes_otherwise(form: str, tmp_path: Path) -> None:
    nodes, weights = FORMS[form]
    made = [helper.make_node(op, ins, ["y"], **attrs) for op, ins, attrs in nodes]
    path = save(tmp_path / "one.onnx", made, weights, opset=20)
    wanted = FRONTEND.reference(Request(path=path))({"x": DATA})["y"]
    np.testing.assert_allclose(run(convert(path), DATA), wanted, rtol=1e-5, atol=1e-5)


def branch(op: str, *inputs: str, weight: Any = None, **attrs: int) -> Any:
    """A branch of an If that reads values around it, and perhaps a weight of its own."""
    own = [] if weight is None else [numpy_helper.from_array(weight, "own")]
    node = helper.make_node(op, list(inputs), [f"{op}_of_it"], name=f"in/{op}", **attrs)
    result = helper.make_empty_tensor_value_info(f"{op}_of_it")
    return helper.make_graph([node], op, [], [result], own)


@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("known", ["scalar", "array"])
def test_an_if_whose_condition_is_known_is_the_branch_taken(
    tmp_path: Path, rank: int, known: str
) -> None:
    # The branches differ in rank: one of them alone is what the model computes.
    condition = np.array(rank == 4) if known == "scalar" else np.array([rank == 4])
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(condition)),
        helper.make_node("Relu", ["x"], ["r"], name="around"),
        helper.make_node("If", ["c"], ["i"], name="if",
            then_branch=branch("Mul", "r", "own", weight=np.float32(2)),
            else_branch=branch("ReduceSum", "r", "axis", keepdims=0)),
        helper.make_node("Neg", ["i"], ["y"], name="after"),
    ]  # fmt: skip
    path = save(tmp_path / "net.onnx", nodes, {"axis": np.array([1])})
    made = convert(path)
    wanted = FRONTEND.reference(Request(path=path))({"x": DATA})["y"]
    assert wanted.ndim == rank
    np.testing.assert_allclose(run(made, DATA), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_if_that_depends_on_the_input(tmp_path: Path, sign: int) -> None:
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], name="sum", keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["c"], name="more"),
        helper.make_node("If", ["c"], ["i"], name="if",
            then_branch=branch("Mul", "x", "outer"),
            else_branch=branch("Add", "x", "outer")),
        helper.make_node("Neg", ["i"], ["y"], name="after"),
    ]  # fmt: skip
    weights = {"zero": np.float32(0), "outer": np.full((4, 5), 3, "float32")}
    path = save(tmp_path / "net.onnx", nodes, weights)
    data = sign * np.abs(DATA)
    made = convert(path)
    assert sorted(made.params) == ["outer", "zero"] and made.inputs == ["x"]
    import tvm
    from tvm import relay

    call = relay.create_executor("vm", made.ir, tvm.cpu(), "llvm").evaluate()
    wanted = FRONTEND.reference(Request(path=path))({"x": data})["y"]
    np.testing.assert_allclose(call(data, **made.params).numpy(), wanted, rtol=1e-5)


def test_all_operators_that_cannot_be_converted_are_listed_at_once(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="first"),
        helper.make_node("Abs", ["a"], ["b"], name="second"),
        helper.make_node("Mine", ["b"], ["c"], name="odd", domain="my"),
        helper.make_node("Det", ["c"], ["d"], name="det"),
        helper.make_node("Neg", ["d"], ["y"], name="last"),
    ]
    found = refused(save(tmp_path / "odd.onnx", nodes, {}))
    assert found.code == "S534"
    assert "my.Mine: odd" in found.reason
    assert "Det: det" in found.reason
    assert "extract_model('IN', 'OUT', ['x'], ['b'])" in found.remedy


WRONG: dict[str, tuple[str, list[str], dict[str, Any], str]] = {
    "pool on padding": (
        "AveragePool",
        ["x"],
        {"ceil_mode": 1, "kernel_shape": [1, 1], "strides": [3, 3]},
        "ceil_mode",
    ),
    "norm": ("LpPool", ["x"], {"kernel_shape": [2, 2]}, "norm"),
    "backwards": ("LSTM", ["x"], {"direction": "reverse", "hidden_size": 2}, "reverse"),
    "half pixels": ("RoiAlign", ["x", "x", "x"], {}, "half pixels"),
    "order of depth": ("SpaceToDepth", ["x"], {"blocksize": 2, "mode": "CRD"}, "mode CRD"),
    "half a byte": ("Cast", ["x"], {"to": TensorProto.INT4}, "INT4"),
}


@pytest.mark.parametrize("form", WRONG)
def test_a_form_that_would_be_wrong_is_refused(form: str, tmp_path: Path) -> None:
    kind, reads, attrs, words = WRONG[form]
    node = helper.make_node(kind, reads, ["y"], name="it", **attrs)
    found = refused(save(tmp_path / "one.onnx", [node], {}))
    assert found.code == "S534"
    assert words in found.reason
    assert "it" in found.reason


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ({}, "bind x: float32(?,3,4,5)"),
        ({"x": TensorType(shape=(2, 3, 4), dtype="float32")}, "float32(?,3,4,5)"),
        ({"x": TensorType(shape=(2, 3, 4, 6), dtype="float32")}, "float32(?,3,4,5)"),
        ({"x": TensorType(shape=(2, 3, 4, 5), dtype="int8")}, "float32(?,3,4,5)"),
        ({"x": BOUND, "z": BOUND}, "its inputs: x"),
    ],
)
def test_inputs_that_do_not_fit(bound: dict[str, TensorType], words: str, tmp_path: Path) -> None:
    found = refused(net(tmp_path / "net.onnx"), **bound)
    assert found.code == "S535"
    assert words in found.remedy


def test_weights_in_constant_nodes_are_parameters(tmp_path: Path) -> None:
    weight = RANDOM.standard_normal((5, 6)).astype("float32")
    nodes = [
        helper.make_node("Constant", [], ["fc.w"], value=numpy_helper.from_array(weight)),
        helper.make_node("MatMul", ["x", "fc.w"], ["y"], name="fc"),
    ]
    made = convert(save(tmp_path / "net.onnx", nodes, {}, shape=(-1, 3, 4, 5)), x=BOUND)
    assert list(made.params) == ["fc.w"]
    np.testing.assert_allclose(run(made, DATA), DATA @ weight, rtol=1e-4, atol=1e-5)


def test_damaged_files(tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refused(path, x=BOUND).code == "S503"
    path.write_bytes(b"")
    assert refused(path, x=BOUND).code == "S503"
    assert refused(tmp_path / "none.onnx").code == "S500"


def test_a_size_that_the_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx")
    model = onnx.load(path)
    model.graph.initializer[0].dims[0] = 1 << 40
    onnx.save(model, path)
    found = refused(path, x=BOUND)
    assert found.code == "S503"
    assert "declares" in found.reason


def test_external_data_outside_the_folder_are_refused(tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx")
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../etc/hostname")
    onnx.save(model, path)
    found = refused(path, x=BOUND)
    assert found.code == "S503"
    assert "outside" in found.reason


def test_recognised_by_content(tmp_path: Path) -> None:
    path = net(tmp_path / "net.onnx")
    assert FRONTEND.recognises(tmp_path / "model", path.read_bytes()[:4096])
    assert not FRONTEND.recognises(tmp_path / "model", b'{"root": 1}')
    assert not FRONTEND.recognises(tmp_path / "model", b"PK\x03\x04" + bytes(64))
