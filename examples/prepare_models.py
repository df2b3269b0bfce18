"""Unpack the example models and make their weights from a seed.

The graphs are real imports (names, shapes, attributes); weights that aren't shipped are drawn from
a seeded generator, so every run of the examples computes the same numbers.
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path

import numpy as np
import tvm
from tvm import relay

HERE = Path(__file__).resolve().parent
MODELS = HERE / "models"

#: Runtime inputs of each model; every other parameter of its function is a weight.
INPUTS = {
    "tf_bert_12l": {"x"},
    "conv_block": {"data"},
    "rapidocr_cls": {"x"},
    "onnx_resnet18": {"pixel_values"},
    "mobilenet": {"data"},
}


def unpack(name: str, work: Path) -> Path:
    """Write a shipped model's JSON into ``work`` and return its path."""
    target = work / f"{name}.json"
    if not target.exists():
        text = lzma.decompress((MODELS / f"{name}.json.xz").read_bytes())
        _write(target, text)
    return target


def seeded_weights(
    function: relay.Function, inputs: set[str], seed: int
) -> dict[str, tvm.nd.NDArray]:
    """Draw a value for every weight of a function.

    Scales keep activations near one through twelve layers; variances are positive.
    """
    rng = np.random.default_rng(seed)
    weights = {}
    for var in function.params:
        if var.name_hint in inputs:
            continue
        type_ = var.type_annotation
        shape = tuple(int(d) for d in type_.shape)
        fan_in = shape[0] if len(shape) == 2 else int(np.prod(shape[1:])) or 1
        value = rng.standard_normal(shape) * (0.02 if len(shape) > 1 else 0.1) + (len(shape) == 1)
        if len(shape) == 4:
            value *= 50 / np.sqrt(fan_in)
        if "var" in var.name_hint:
            value = np.abs(value)
        weights[var.name_hint] = tvm.nd.array(np.asarray(value, dtype=type_.dtype))
    return weights


def prepare(name: str, work: Path, seed: int = 0) -> Path:
    """Put ``NAME.json`` and, where weights aren't inside, ``NAME.params`` into ``work``."""
    work.mkdir(parents=True, exist_ok=True)
    model = unpack(name, work)
    target = work / f"{name}.params"
    if target.exists():
        return model
    function = tvm.ir.load_json(model.read_text())["main"]
    weights = seeded_weights(function, INPUTS[name], seed)
    if weights:
        _write(target, relay.save_param_dict(weights))
    return model


def conv_block(work: Path) -> Path:
    """Write the network ``reshape, conv2d, add, batch_norm, relu`` and its weights."""
    work.mkdir(parents=True, exist_ok=True)
    data = relay.var("data", shape=(1, 128, 12, 40))
    weight = relay.var("weight", shape=(128, 128, 1, 1))
    channel = {n: relay.var(n, shape=(128,)) for n in ("bias", "gamma", "beta", "mean", "var")}
    conv = relay.nn.conv2d(data, weight, padding=(0, 0), channels=128, kernel_size=(1, 1))
    biased = relay.add(relay.reshape(channel["bias"], (1, 128, 1, 1)), conv)
    normal = relay.nn.batch_norm(biased, *(channel[n] for n in ("gamma", "beta", "mean", "var")))
    function = relay.Function([data, weight, *channel.values()], relay.nn.relu(normal[0]))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    target = work / "conv_block.json"
    _write(target, tvm.ir.save_json(module).encode())
    weights = seeded_weights(module["main"], INPUTS["conv_block"], seed=0)
    _write(work / "conv_block.params", relay.save_param_dict(weights))
    return target


def mobilenet(work: Path) -> Path:
    """Write TVM's own MobileNet (224 x 224, 1000 classes) and its weights."""
    from tvm.relay import testing

    work.mkdir(parents=True, exist_ok=True)
    module, _ = testing.mobilenet.get_workload(batch_size=1, num_classes=1000)
    target = work / "mobilenet.json"
    _write(target, tvm.ir.save_json(module).encode())
    weights = seeded_weights(module["main"], INPUTS["mobilenet"], seed=0)
    _write(work / "mobilenet.params", relay.save_param_dict(weights))
    return target


#: Models that are made rather than unpacked.
MADE = {"conv_block": conv_block, "mobilenet": mobilenet}


def _write(path: Path, data: bytes) -> None:
    """Write a file whole: an interrupted run must not leave half a model behind."""
    partial = path.with_suffix(path.suffix + ".partial")
    partial.write_bytes(data)
    partial.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["tf_bert_12l", "conv_block", "rapidocr_cls"])
    parser.add_argument("--work", type=Path, default=HERE / "made")
    arguments = parser.parse_args()
    for name in arguments.names:
        make = MADE.get(name)
        print(prepare(name, arguments.work) if make is None else make(arguments.work))


if __name__ == "__main__":
    main()
