"""FLOPs of nets whose counts are published, from modules that TVM itself typed."""

from __future__ import annotations

from typing import Any

import pytest

from surgery.engines import get_engine
from surgery.graph import Module
from surgery.graph.contractions import macs
from surgery.graph.costs import module_costs

tvm = pytest.importorskip("tvm")
relay = tvm.relay


def total_macs(module: Module) -> int:
    graph = module.main
    return sum(macs(graph, i) or 0 for i, kind in enumerate(graph.kinds) if kind == "call")


def picture(module: Any) -> Module:
    return get_engine("relay").adopt(module).module


class Convolutions:
    """Makes convolutions with weights of their own."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(
        self, x: Any, c_in: int, c_out: int, size: int, stride: int = 1, groups: int = 1
    ) -> Any:
        self.count += 1
        weight = relay.var(f"w{self.count}", shape=(c_out, c_in // groups, size, size))
        return relay.nn.conv2d(
            x, weight, strides=(stride, stride), padding=(size // 2,) * 2, groups=groups,
            channels=c_out, kernel_size=(size, size),
        )  # fmt: skip


def test_resnet50_of_tvm() -> None:
    from tvm.relay.testing import resnet

    module, _ = resnet.get_workload(num_layers=50, image_shape=(3, 224, 224))
    found = picture(module)
    # He et al. 2015, table 1: 3.8e9 multiply-adds; the stride stands in the first 1 x 1.
    assert total_macs(found) == 3_857_973_248
    costs = module_costs(found)
    assert not costs.unknown and not costs.untyped
    # Beyond the multiply-accumulates: batch norms, additions, relus.
    assert 1.0 < sum(costs.flops) / (2 * total_macs(found)) < 1.02


def test_resnet50_v1_5() -> None:
    conv = Convolutions()
    x = relay.nn.relu(conv(relay.var("x", shape=(1, 3, 224, 224)), 3, 64, 7, 2))
    x = relay.nn.max_pool2d(x, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    width = 64
    for stage, (hidden, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = relay.nn.relu(conv(x, width, hidden, 1))
            y = relay.nn.relu(conv(y, hidden, hidden, 3, stride))
            y = conv(y, hidden, 4 * hidden, 1)
            x = conv(x, width, 4 * hidden, 1, stride) if not block else x
            x = relay.nn.relu(relay.add(x, y))
            width = 4 * hidden
    x = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(x))
    x = relay.nn.dense(x, relay.var("fc", shape=(1000, 2048)))
    # torchvision's table: 4.09 G.
    assert total_macs(picture(tvm.IRModule.from_expr(x))) == pytest.approx(4.09e9, rel=0.001)


def mobilenet_v2() -> Any:
    """Return MobileNetV2 (Sandler et al. 2018, table 2) at width 1 and 224 x 224."""
    conv = Convolutions()
    x = relay.clip(conv(relay.var("x", shape=(1, 3, 224, 224)), 3, 32, 3, 2), 0.0, 6.0)
    width = 32
    for expansion, c_out, repeats, first in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):  # fmt: skip
        for index in range(repeats):
            stride = first if index == 0 else 1
            hidden = width * expansion
            y = relay.clip(conv(x, width, hidden, 1), 0.0, 6.0) if expansion > 1 else x
            y = relay.clip(conv(y, hidden, hidden, 3, stride, groups=hidden), 0.0, 6.0)
            y = conv(y, hidden, c_out, 1)
            x = relay.add(x, y) if stride == 1 and width == c_out else y
            width = c_out
    x = relay.clip(conv(x, 320, 1280, 1), 0.0, 6.0)
    x = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(x))
    x = relay.nn.dense(x, relay.var("fc", shape=(1000, 1280)))
    return tvm.IRModule.from_expr(x)


def test_mobilenet_v2() -> None:
    # The paper: 300 M multiply-adds.
    assert total_macs(picture(mobilenet_v2())) == pytest.approx(0.30e9, rel=0.01)


def bert(layers: int, hidden: int, tokens: int, heads: int) -> Any:
    size = hidden // heads

    def dense(x: Any, name: str, units: int, inner: int) -> Any:
        return relay.nn.dense(x, relay.var(name, shape=(units, inner)))

    x = relay.var("x", shape=(tokens, hidden))
    for i in range(layers):
        q, k, v = (
            relay.transpose(
                relay.reshape(dense(x, f"{n}{i}", hidden, hidden), (tokens, heads, size)), (1, 0, 2)
            )
            for n in "qkv"
        )
        scores = relay.nn.softmax(relay.nn.batch_matmul(q, k))
        mixed = relay.nn.batch_matmul(scores, v, transpose_b=False)
        mixed = relay.reshape(relay.transpose(mixed, (1, 0, 2)), (tokens, hidden))
        x = relay.add(x, dense(mixed, f"o{i}", hidden, hidden))
        wide = dense(x, f"a{i}", 4 * hidden, hidden)
        x = relay.add(x, dense(relay.erf(wide), f"b{i}", hidden, 4 * hidden))
    return tvm.IRModule.from_expr(x)


def test_bert_base() -> None:
    found = picture(bert(12, 768, 128, 12))
    # 12 layers of 12 h^2 multiply-accumulates a token, and 2 t h a token for attention.
    assert total_macs(found) == 12 * 128 * (12 * 768**2 + 2 * 128 * 768)
    assert total_macs(found) == pytest.approx(11.2e9, rel=0.005)
