"""ONNX models: converted with names and values kept, or refused with every reason at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends.base import Converted, Request
from surgery.graph import TensorType
from tests.engines.relay.frontends import built

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from surgery.engines.relay.frontends.onnx import FRONTEND, runner  # noqa: E402

RANDOM = np.random.default_rng(7)
DATA = RANDOM.standard_normal((2, 3, 4, 5)).astype("float32") * 3


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
    return FRONTEND.convert(Request(path=path, inputs=inputs), built.quiet)


def run(made: Converted, data: Any) -> Any:
    return built.run(made, {"x": data})[0]


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
    "floats of a constant": (
        [("Constant", [], {"value_floats": [1.0, 2.0, 3.0, 4.0, 5.0]}), ("Mul", ["x", "c0"], {})],
        {},
    ),
    "a number of a constant": (
        [("Constant", [], {"value_float": 2.0}), ("Mul", ["x", "c0"], {})],
        {},
    ),
    "whole numbers of a constant": (
        [("Constant", [], {"value_ints": [2, -1]}), ("Reshape", ["x", "c0"], {})],
        {},
    ),
    "pad of two axes": (
        [("Pad", ["x", "p", "", "a"], {})],
        {"p": np.array([1, 0, 2, 3]), "a": np.array([-1, 1])},
    ),
    "pad by repeating": (
        [("Pad", ["x", "p", "", "a"], {"mode": "edge"})],
        {"p": np.array([1, 2]), "a": np.array([2])},
    ),
    "same padding": (
        [("Conv", ["x", "w"], {"auto_pad": "SAME_UPPER", "strides": [2, 2]})],
        {"w": RANDOM.standard_normal((4, 3, 3, 3)).astype("float32")},
    ),
    "same padding below": (
        [("MaxPool", ["x"], {"auto_pad": "SAME_LOWER", "kernel_shape": [2, 2]})],
        {},
    ),
    "spread weights": (
        [("ConvTranspose", ["x", "w"], {"dilations": [2, 3]})],
        {"w": RANDOM.standard_normal((3, 4, 3, 2)).astype("float32")},
    ),
    "cast that saturates": ([("Cast", ["x"], {"to": TensorProto.FLOAT, "saturate": 1})], {}),
    "dropout": ([("Dropout", ["x", "r"], {"seed": 3})], {"r": np.float32(0.5)}),
    "split unevenly": (
        [("Split", ["x"], {"num_outputs": 2, "axis": 3}), ("Concat", ["c1", "c0"], {"axis": 3})],
        {},
    ),
    "samples of a grid": (
        [("GridSample", ["x", "g"], {"mode": "linear", "padding_mode": "border"})],
        {"g": RANDOM.uniform(-1, 1, (2, 6, 7, 2)).astype("float32")},
    ),
    "fourier": (
        [("Unsqueeze", ["x", "u"], {}), ("DFT", ["c0", "", "a"], {})],
        {"u": np.array([-1]), "a": np.array(2)},
    ),
}


def resizes() -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """Every rule of a Resize, by whole factors and others, of some axes and all."""
    ways = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
    ways += ["half_pixel_symmetric"]
    amounts = {
        "up": ("scales", [1.0, 1.0, 2.0, 3.0]),
        "down": ("scales", [1.0, 1.0, 0.6, 0.7]),
        "other": ("sizes", [2, 3, 7, 4]),
    }
    rules: dict[str, dict[str, Any]] = {
        f"nearest {n}": {"mode": "nearest", "nearest_mode": n}
        for n in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    }
    rules["linear"] = {"mode": "linear"}
    rules["cubic"] = {"mode": "cubic", "cubic_coeff_a": -0.5}
    rules["cubic inside"] = {"mode": "cubic", "exclude_outside": 1}
    found: dict[str, tuple[list[Any], dict[str, Any]]] = {}
    for way in ways:
        for rule, attrs in rules.items():
            if way == "half_pixel_symmetric" and "nearest" in rule:
                continue  # of places between two elements another may be taken
            for name, (kind, values) in amounts.items():
                attrs = {**attrs, "coordinate_transformation_mode": way}
                reads = ["x", "", "v"] if kind == "scales" else ["x", "", "", "v"]
                dtype = "float32" if kind == "scales" else "int64"
                weights = {"v": np.array(values, dtype)}
                found[f"{way} {rule} {name}"] = ([("Resize", reads, attrs)], weights)
    for policy in ("not_larger", "not_smaller"):
        attrs = {"axes": [2, 3], "keep_aspect_ratio_policy": policy, "mode": "nearest"}
        weights = {"v": np.array([7, 8])}
        found[policy] = ([("Resize", ["x", "", "", "v"], attrs)], weights)
    crop = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 7.0,
    }
    parts = {
        "inside": [0, 0, 0.1, 0.2, 1, 1, 0.7, 0.8],
        "outside": [0, 0, -0.3, 0.4, 1, 1, 0.6, 1.3],
    }
    for name, part in parts.items():
        weights = {"r": np.array(part, "float32"), "v": np.array([2, 3, 3, 6])}
        found[f"crop {name}"] = ([("Resize", ["x", "r", "", "v"], crop)], weights)
    return found


RESIZES = resizes()


@pytest.mark.parametrize("form", RESIZES)
def test_resizes(form: str, tmp_path: Path) -> None:
    nodes, weights = RESIZES[form]
    compared(tmp_path, nodes, weights)


def test_resizes_of_tvm_stay_one_op(tmp_path: Path) -> None:
    from tvm import relay

    for form in (
        "half_pixel linear up",
        "asymmetric nearest floor other",
        "half_pixel cubic other",
    ):
        nodes, weights = RESIZES[form]
        ops = relay.analysis.list_op_freqs(compared(tmp_path, nodes, weights).ir)
        assert dict(ops) == {"image.resize2d": 1}


@pytest.mark.parametrize("opset", [7, 9])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_upsampling_of_old_files(opset: int, mode: str, tmp_path: Path) -> None:
    scales = [1.0, 1.0, 2.0, 3.0]
    if opset == 7:
        compared(tmp_path, [("Upsample", ["x"], {"mode": mode, "scales": scales})], {}, 7)
    else:
        weights = {"v": np.array(scales, "float32")}
        compared(tmp_path, [("Upsample", ["x", "v"], {"mode": mode})], weights, 9)


@pytest.mark.parametrize("form", FORMS)
def test_forms_that_tvm_alone_computes_otherwise(form: str, tmp_path: Path) -> None:
    nodes, weights = FORMS[form]
    compared(tmp_path, nodes, weights)


def compared(folder: Path, nodes: list[Any], weights: dict[str, Any], opset: int = 20) -> Converted:
    """Make a net of nodes (the last gives y, others c0, c1), compare it with ONNX Runtime."""
    made = []
    for place, (op, reads, attrs) in enumerate(nodes):
        last = place == len(nodes) - 1
        writes = ["c0", "c1"] if op == "Split" else ["y"] if last else [f"c{place}"]
        made.append(helper.make_node(op, reads, writes, **attrs))
    path = save(folder / "one.onnx", made, weights, opset=opset)
    wanted = FRONTEND.reference(Request(path=path))({"x": DATA})["y"]
    converted = convert(path)
    found = run(converted, DATA)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    return converted


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
    "training": ("BatchNormalization", ["x", "x", "x", "x", "x"], {"training_mode": 1}, "training"),
    "one side back": ("DFT", ["x"], {"inverse": 1, "onesided": 1}, "one side"),
    "smooth": ("Resize", ["x", "", "x"], {"antialias": 1}, "antialias"),
    "last of equals": ("ArgMax", ["x"], {"select_last_index": 1}, "last of equal"),
    "attention": ("Attention", ["x", "x", "x"], {}, "another operator"),
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
