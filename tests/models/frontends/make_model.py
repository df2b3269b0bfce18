"""Writes one whole model, random weights, in the formats of its framework, and inputs for it.

Run as ``make_model.py FRAMEWORK NAME FOLDER``: a process of its own, since some frameworks can't be
imported where TVM is. Prints a JSON list of the files.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["KERAS_BACKEND"] = "tensorflow"

import numpy as np

RNG = np.random.default_rng(0)
#: What a difference from a result must be able to show in: its largest part is more than this.
SEEN = 0.01


def in_tensorflow(name: str, folder: Path) -> list[str]:
    """A transformer, as a frozen GraphDef and as a SavedModel whose sizes are open."""
    import tensorflow as tf
    import transformers as hf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    config, kind = {
        "bert": (hf.BertConfig(), "TFBertForSequenceClassification"),
        "distilbert": (hf.DistilBertConfig(), "TFDistilBertForSequenceClassification"),
        "gpt2": (hf.GPT2Config(n_layer=4), "TFGPT2LMHeadModel"),
    }[name]
    config._attn_implementation = "eager"
    net = getattr(hf, kind)(config)
    ids = RNG.integers(0, config.vocab_size, (1, 64), dtype="int32")
    assert float(np.abs(net(tf.constant(ids)).logits).max()) > SEEN

    def traced(shape: list[int | None]) -> Any:
        spec = tf.TensorSpec(shape, tf.int32, name="x")
        return tf.function(lambda x: {"logits": net(x, training=False).logits}, [spec])

    fixed = traced([1, 64]).get_concrete_function()
    frozen = convert_variables_to_constants_v2(fixed).graph.as_graph_def().SerializeToString()
    (folder / "net.pb").write_bytes(frozen)
    tf.saved_model.save(net, str(folder / "net"), signatures=traced([None, None]))
    np.savez(folder / "inputs.npz", x=ids)
    return ["net.pb", "net"]


def in_keras(name: str, folder: Path) -> list[str]:
    """A net of Keras' applications, of Keras 3 and of tf.keras, in both of their formats."""
    import keras
    import tf_keras

    files = []
    image = RNG.random((1, 224, 224, 3), dtype="float32")
    inputs = {}
    for package in (keras, tf_keras):
        net = getattr(package.applications, name)(weights=None)
        assert float(np.abs(net(image)).max()) > SEEN / 100  # of a thousand classes
        for ending in ("keras", "h5"):
            files.append(f"{package.__name__}.{ending}")
            net.save(str(folder / files[-1]))
        inputs[next(la for la in net.layers if type(la).__name__ == "InputLayer").name] = image
    np.savez(folder / "inputs.npz", **inputs)
    return files


def in_pytorch(name: str, folder: Path) -> list[str]:
    """A net of transformers, as TorchScript and as an exported program."""
    import torch
    import transformers as hf

    torch.manual_seed(0)
    length = 64
    image = RNG.random((1, 3, 224, 224), dtype="float32")
    fixed: dict[str, Any] = {}
    match name:
        case "bert":
            config = hf.BertConfig(attn_implementation="eager")
            net = hf.BertForSequenceClassification(config)
        case "distilbert":
            config = hf.DistilBertConfig(attn_implementation="eager")
            net = hf.DistilBertForSequenceClassification(config)
            fixed["attention_mask"] = torch.ones((1, length), dtype=torch.int64)
        case "gpt2":
            config = hf.GPT2Config(attn_implementation="eager", use_cache=False, n_layer=4)
            net = hf.GPT2LMHeadModel(config)
            # transformers' own mask is made with vmap, which torch.jit.trace can't trace.
            lowest = torch.finfo(torch.float32).min
            fixed["attention_mask"] = torch.triu(torch.full((length, length), lowest), 1)[
                None, None
            ]
        case "vit":
            config = hf.ViTConfig(attn_implementation="eager")
            net = hf.ViTForImageClassification(config)
        case "resnet50":
            config = hf.ResNetConfig()
            net = hf.ResNetForImageClassification(config)
        case _:
            config = hf.MobileNetV2Config()
            net = hf.MobileNetV2ForImageClassification(config)
    text = name in ("bert", "distilbert", "gpt2")
    ids = RNG.integers(0, config.vocab_size, (1, length)) if text else None

    class Words(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, input_ids: Any) -> Any:
            return self.net(input_ids=input_ids, **fixed).logits

    class Image(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, pixel_values: Any) -> Any:
            return self.net(pixel_values=pixel_values).logits

    module = Words() if text else Image()
    if not text:
        _normalised(module, torch.from_numpy(RNG.random((4, 3, 224, 224), dtype="float32")))
    module.eval()
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    arrays = {"input_ids": ids} if text else {"pixel_values": image}
    given = tuple(torch.from_numpy(value) for value in arrays.values())
    with torch.no_grad():
        assert float(module(*given).abs().max()) > SEEN
        torch.jit.trace(module, given).save(str(folder / "net.pt"))
        torch.export.save(torch.export.export(module, given), folder / "net.pt2")
    np.savez(folder / "inputs.npz", **arrays)
    return ["net.pt", "net.pt2"]


def _normalised(module: Any, images: Any) -> None:
    """Give batch norms the statistics of real values: deep nets' values would vanish otherwise."""
    import torch

    for each in module.modules():
        if isinstance(each, torch.nn.BatchNorm2d):
            each.momentum = None
    with torch.no_grad():
        module.train()(images)


if __name__ == "__main__":
    framework, model, where = sys.argv[1:]
    made = {"tensorflow": in_tensorflow, "keras": in_keras, "pytorch": in_pytorch}[framework]
    print(json.dumps(made(model, Path(where))))
