"""What test_tensorflow.py runs in a process of its own: TensorFlow must be imported before TVM."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends import keras, tensorflow, tflite
from surgery.engines.relay.frontends.base import Converted, Request
from surgery.engines.relay.frontends.tensorflow_files import tensorflow as import_tensorflow
from surgery.graph import TensorType
from tests.engines.relay.frontends.built import Arrays, compared, quiet
from tests.engines.relay.frontends.tensorflow_operators import (
    LITE_MADE_OTHERWISE,
    LITE_REFUSED,
    REFUSED,
    cases,
)

os.environ["KERAS_BACKEND"] = "tensorflow"
tf = import_tensorflow()


def random(**shapes: tuple[int, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {name: rng.random(shape, dtype="float32") for name, shape in shapes.items()}


def bound(path: Path, arrays: Arrays, **options: str) -> Request:
    types = {n: TensorType(a.shape, str(a.dtype)) for n, a in arrays.items()}
    return Request(path=path, inputs=types, options=options)


def source_names(converted: Converted) -> list[str]:
    from tvm import relay

    found: list[str] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Call):
            found.append(str(expr.span.source_name.name))

    relay.analysis.post_order_visit(converted.ir["main"], visit)
    return found


def codes(frontend: Any, request: Request) -> SurgeryError:
    with pytest.raises(SurgeryError) as caught:
        frontend.convert(request, quiet)
    return caught.value


class Net(tf.Module):  # type: ignore[misc,name-defined,unused-ignore]
    def __init__(self) -> None:
        weights = random(w=(3, 3, 3, 8), d=(4, 5))
        self.w = tf.Variable(weights["w"], name="w")
        self.d = tf.Variable(weights["d"], name="dense/kernel")

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, name="x")])
    def __call__(self, x: Any) -> dict[str, Any]:
        with tf.name_scope("layer_._0"):
            y = tf.nn.gelu(tf.nn.conv2d(x, self.w, 2, "SAME"))
        y = tf.reshape(y, [tf.shape(y)[0], -1, 8])
        a, b = tf.split(tf.reduce_mean(y, 1), 2, axis=1)
        return {"z": tf.matmul(a, self.d), "b": b, "a": a}


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tf") / "net"
    net = Net()
    tf.saved_model.save(net, str(path), signatures=net.__call__)
    return path


def graph(make: Any) -> Any:
    whole = tf.Graph()
    with whole.as_default():
        make()
    return whole.as_graph_def()


def written(tmp_path: Path, make: Any) -> Path:
    path = tmp_path / "net.pb"
    path.write_bytes(graph(make).SerializeToString())
    return path


def test_saved_model(saved_model: Path) -> None:
    arrays = random(x=(2, 8, 8, 3))
    assert tensorflow.FRONTEND.recognises(saved_model, b"")
    assert tensorflow.FRONTEND.files(saved_model)[0].name == "saved_model.pb"
    converted = compared(tensorflow.FRONTEND, bound(saved_model, arrays), arrays)
    assert list(converted.inputs) == ["x"]
    assert list(converted.outputs) == ["a", "b", "z"]
    assert set(converted.params) == {"w", "dense/kernel"}
    assert "layer_._0/Conv2D" in source_names(converted)


def test_open_dimensions_are_asked_for(saved_model: Path) -> None:
    failure = codes(tensorflow.FRONTEND, Request(path=saved_model)).diagnostics[0]
    assert failure.code == "S541"
    assert "bind x: float32(?,8,8,3)" in failure.remedy


@pytest.mark.parametrize(
    "types",
    [
        {"x": TensorType((1, 8, 9, 3), "float32")},
        {"x": TensorType((1, 8, 8, 3), "float16")},
        {"y": TensorType((1, 8, 8, 3), "float32")},
    ],
)
def test_wrong_types_are_refused(saved_model: Path, types: dict[str, TensorType]) -> None:
    failure = codes(tensorflow.FRONTEND, Request(path=saved_model, inputs=types))
    assert failure.diagnostics[0].code == "S541"


def test_a_signature_that_is_not_there(saved_model: Path) -> None:
    request = Request(path=saved_model, options={"signature": "train"})
    failure = codes(tensorflow.FRONTEND, request).diagnostics[0]
    assert failure.code == "S543"
    assert failure.notes == ("serving_default: x -> a, b, z",)


@pytest.mark.parametrize("text", [False, True])
def test_graph_def_outputs_are_what_nobody_reads(tmp_path: Path, text: bool) -> None:
    def make() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [2, 6], name="x")
        on = tf.compat.v1.placeholder_with_default(np.float32(3), [], name="scale")
        tf.split(x * on, 2, axis=1, name="halves")
        tf.nn.relu(x - 0.5, name="end")

    path = tmp_path / ("net.pbtxt" if text else "net.pb")
    made = graph(make)
    path.write_bytes(str(made).encode() if text else made.SerializeToString())
    assert tensorflow.FRONTEND.recognises(path, path.read_bytes()[:4096])
    arrays = random(x=(2, 6))
    converted = compared(tensorflow.FRONTEND, Request(path=path), arrays)
    assert list(converted.outputs) == ["halves", "halves:1", "end"]
    only = Request(path=path, options={"outputs": "halves:1"})
    assert list(compared(tensorflow.FRONTEND, only, arrays).outputs) == ["halves:1"]


def test_all_unsupported_operators_are_named(tmp_path: Path) -> None:
    def make() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [4, 4], name="x")
        y = tf.nn.relu(x, name="good")
        tf.linalg.det(y, name="det")
        tf.linalg.inv(tf.linalg.inv(y, name="one"), name="two")

    failure = codes(tensorflow.FRONTEND, Request(path=written(tmp_path, make))).diagnostics[0]
    assert failure.code == "S540"
    assert failure.notes == ("MatrixDeterminant (1): det", "MatrixInverse (2): one, two")
    assert "extract_sub_graph(graph_def, ['good'])" in failure.remedy


def test_control_flow_is_named(tmp_path: Path) -> None:
    def make() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [4], name="x")
        tf.while_loop(lambda v: tf.reduce_sum(v) < 9, lambda v: [v + 1], [x], name="loop")

    failure = codes(tensorflow.FRONTEND, Request(path=written(tmp_path, make))).diagnostics[0]
    assert failure.code == "S540"
    assert any("loop" in note for note in failure.notes)


def test_python_in_a_saved_model_is_refused(tmp_path: Path) -> None:
    class Calls(tf.Module):  # type: ignore[misc,name-defined,unused-ignore]
        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return tf.numpy_function(lambda v: v, [x], tf.float32)

    net = Calls()
    tf.saved_model.save(net, str(tmp_path / "net"), signatures=net.__call__)
    failure = codes(tensorflow.FRONTEND, Request(path=tmp_path / "net")).diagnostics[0]
    assert failure.code == "S542"


def test_damaged_graphs(tmp_path: Path) -> None:
    def make() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [4], name="x")
        tf.nn.relu(x + np.arange(4, dtype="float32"), name="end")

    path = written(tmp_path, make)
    whole = path.read_bytes()

    def code(data: bytes) -> str:
        path.write_bytes(data)
        return codes(tensorflow.FRONTEND, Request(path=path)).diagnostics[0].code

    assert code(b"") == "S501"
    assert code(whole[: len(whole) // 2]) == "S503"
    assert code(bytes(np.random.default_rng(0).integers(0, 256, 999, dtype=np.uint8))) == "S503"
    assert code(graph(lambda: None).SerializeToString()) in ("S501", "S502")
    for change, wanted in ((_huge, "S544"), (_dangling, "S503"), (_strange, "S540")):
        made = graph(make)
        change(made)
        assert code(made.SerializeToString()) == wanted


def _huge(made: Any) -> None:
    node = next(n for n in made.node if n.op == "Const")
    node.attr["value"].tensor.tensor_shape.dim[0].size = 1 << 40


def _dangling(made: Any) -> None:
    made.node[-1].input[0] = "nowhere"


def _strange(made: Any) -> None:
    made.node[-1].op = "SomebodysOwnOp"


@pytest.mark.parametrize("name", cases(tf))
def test_operator(tmp_path: Path, name: str) -> None:
    shapes, compute = cases(tf)[name]

    def make() -> None:
        given = {n: tf.compat.v1.placeholder(tf.float32, s, name=n) for n, s in shapes.items()}
        tf.identity(compute(**given), name="end")

    request = Request(path=written(tmp_path, make))
    if name in REFUSED:
        assert codes(tensorflow.FRONTEND, request).diagnostics[0].code == "S540"
    else:
        # TensorFlow takes cubic weights from a table of 1024 entries.
        tolerance = 2e-3 if "cubic" in name else 1e-4
        compared(tensorflow.FRONTEND, request, random(**shapes), tolerance)


def model(keras_of: Any) -> Any:
    layers = keras_of.layers
    a, b = layers.Input((8, 8, 3), name="a"), layers.Input((5,), name="b")
    shared = layers.Dense(4, name="d")
    x = layers.Conv2D(6, 3, padding="same", activation="gelu", name="c")(a)
    x = layers.GlobalAveragePooling2D()(layers.BatchNormalization(name="bn")(x))
    y = layers.Concatenate()([shared(x), layers.Dense(4, name="d_1")(b)])
    end = layers.Dense(2, name="out")(layers.LayerNormalization(name="ln")(y))
    more = layers.Dense(3, name="d_1_2")(shared(layers.Dense(6, name="e")(y)))
    return keras_of.Model([a, b], [end, more], name="net")


@pytest.mark.parametrize("ending", ["keras", "h5"])
@pytest.mark.parametrize("package", ["keras", "tf_keras"])
def test_keras(tmp_path: Path, package: str, ending: str) -> None:
    path = tmp_path / f"net.{ending}"
    model(pytest.importorskip(package)).save(str(path))
    assert keras.FRONTEND.recognises(path, path.read_bytes()[:4096])
    arrays = random(a=(2, 8, 8, 3), b=(2, 5))
    converted = compared(keras.FRONTEND, bound(path, arrays), arrays)
    assert list(converted.outputs) == ["out", "d_1_2"]
    assert {"d/kernel", "d_1/kernel", "d_1_2/kernel"} <= set(converted.params)
    # Layer d is called twice, d_1 and d_1_2 once: no layer's ops are under another's name.
    products = [n for n in source_names(converted) if "MatMul" in n]
    assert {n.split("/")[1] for n in products} == {"d", "d_1", "d_1_2", "e", "out"}
    assert {n for n in products if "/d/" in n} == {"net/d/MatMul", "net/d/MatMul_1"}
    failure = codes(keras.FRONTEND, Request(path=path)).diagnostics[0]
    assert "bind a: float32(?,8,8,3); bind b: float32(?,5)" in failure.remedy


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_keras_code_is_not_run(tmp_path: Path, ending: str) -> None:
    package = pytest.importorskip("keras")
    lambda_ = package.layers.Lambda(lambda v: v * 2, output_shape=(3,), name="twice")
    path = tmp_path / f"net.{ending}"
    package.Sequential([package.Input((3,), name="x"), lambda_]).save(str(path))
    arrays = random(x=(1, 3))
    failure = codes(keras.FRONTEND, bound(path, arrays)).diagnostics[0]
    assert failure.code == "S542"
    assert any("twice" in note for note in failure.notes)


def test_damaged_keras_files(tmp_path: Path) -> None:
    package = pytest.importorskip("keras")
    net = model(package)
    net.save(str(tmp_path / "net.keras"))
    net.save_weights(str(tmp_path / "net.weights.h5"))
    assert codes(keras.FRONTEND, Request(path=tmp_path / "net.weights.h5")).exit_status == 5
    whole = (tmp_path / "net.keras").read_bytes()
    path = tmp_path / "cut.keras"
    path.write_bytes(whole[: len(whole) // 2])
    assert codes(keras.FRONTEND, Request(path=path)).diagnostics[0].code == "S503"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadata.json", '{"keras_version": "3.15.1"}')
        archive.writestr("config.json", b" " * (80 << 20))
    assert codes(keras.FRONTEND, Request(path=path)).diagnostics[0].code == "S544"


@pytest.mark.parametrize("name", cases(tf))
def test_lite_operator(tmp_path: Path, name: str) -> None:
    pytest.importorskip("ai_edge_litert")
    shapes, compute = cases(tf)[name]
    arrays = random(**shapes)
    if name in LITE_MADE_OTHERWISE:
        pytest.skip("TensorFlow writes no such TFLite file")
    function = tf.function(lambda **given: tf.identity(compute(**given), name="end"))
    types = {n: tf.TensorSpec(s, tf.float32, name=n) for n, s in shapes.items()}
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function(**types)]
    )
    path = tmp_path / "one.tflite"
    path.write_bytes(converter.convert())
    request = Request(path=path)
    if name in LITE_REFUSED:
        assert codes(tflite.FRONTEND, request).diagnostics[0].code == "S540"
    else:
        compared(tflite.FRONTEND, request, arrays)
