"""Makes one whole model, saves it in each format, and compares Relay with TensorFlow."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["KERAS_BACKEND"] = "tensorflow"

import numpy as np

from surgery.engines.relay.frontends import keras, tensorflow
from tests.engines.relay.frontends.in_tensorflow import bound, compared, source_names, tf


def transformer(name: str, folder: Path) -> None:
    import transformers as hf
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    config, kind = {
        "bert": (hf.BertConfig(), "TFBertForSequenceClassification"),
        "distilbert": (hf.DistilBertConfig(), "TFDistilBertForSequenceClassification"),
        "gpt2": (hf.GPT2Config(n_layer=4), "TFGPT2LMHeadModel"),
    }[name]
    config._attn_implementation = "eager"
    net = getattr(hf, kind)(config)
    ids = np.random.default_rng(0).integers(0, config.vocab_size, (1, 64), dtype="int32")
    net(tf.constant(ids))
    arrays: Mapping[str, Any] = {"x": ids}

    def traced(shape: list[int | None]) -> Any:
        spec = tf.TensorSpec(shape, tf.int32, name="x")
        return tf.function(lambda x: {"logits": net(x, training=False).logits}, [spec])

    fixed = traced([1, 64]).get_concrete_function()
    path = folder / "net.pb"
    path.write_bytes(
        convert_variables_to_constants_v2(fixed).graph.as_graph_def().SerializeToString()
    )
    frozen = compared(tensorflow.FRONTEND, bound(path, arrays), arrays)
    layer = "h_._0" if name == "gpt2" else "layer_._0"
    assert any(f"/{layer}/" in n for n in source_names(frozen))
    tf.saved_model.save(net, str(folder / "net"), signatures=traced([None, None]))
    saved = compared(tensorflow.FRONTEND, bound(folder / "net", arrays), arrays)
    assert list(saved.outputs) == ["logits"]


def convolutional(name: str, folder: Path) -> None:
    import keras as three
    import tf_keras as two

    for package in (three, two):
        net = getattr(package.applications, name)(weights=None)
        for ending in ("keras", "h5"):
            path = folder / f"{package.__name__}.{ending}"
            net.save(str(path))
            image = np.random.default_rng(0).random((1, 224, 224, 3), dtype="float32")
            layer = next(la for la in net.layers if type(la).__name__ == "InputLayer").name
            arrays = {layer: image}
            converted = compared(keras.FRONTEND, bound(path, arrays), arrays)
            first = next(la.name for la in net.layers if type(la).__name__ == "Conv2D")
            assert any(f"/{first}/" in n for n in source_names(converted))


if __name__ == "__main__":
    convolution = sys.argv[1] in ("ResNet50", "MobileNetV2")
    (convolutional if convolution else transformer)(sys.argv[1], Path(sys.argv[2]))
