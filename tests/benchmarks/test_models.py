"""The generators make models of the sizes and kinds that the benchmarks speak of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import tvm
from tvm import relay

from benchmarks import models
from benchmarks.graphs import LAYER_OPS, layered
from surgery.api import load_model, parse_spec, plan
from surgery.planning import make_plan


def calls(module: tvm.IRModule) -> list[Any]:
    found: list[Any] = []
    relay.analysis.post_order_visit(
        module["main"].body, lambda e: found.append(e) if isinstance(e, relay.Call) else None
    )
    return found


def test_bert_has_its_ops_names_and_a_mask_for_every_layer() -> None:
    module = models.bert(3)
    found = calls(module)
    assert len(found) == models.BERT_PROLOGUE_OPS + 3 * models.BERT_LAYER_OPS == 227
    adds = [c for c in found if c.op.name == "add"]
    assert len(adds) == 3 * models.BERT_LAYER_ADDS
    last = adds[models.BERT_LAYER_ADDS - 1]
    assert last.span.source_name.name.endswith("layer_._0/output/LayerNorm/batchnorm/add_1")
    mask = next(c for c in found if c.span.source_name.name == "bert/mul")
    assert sum(1 for c in found for a in c.args if a.same_as(mask)) == 3
    assert found[-1].checked_type == relay.TensorType((1, 8, 8), "float32")


def test_bert_can_be_read_back_from_text(tmp_path: Any) -> None:
    path = tmp_path / "bert.relay"
    path.write_text(models.bert(2).astext(show_meta_data=False), encoding="utf-8")
    graph = load_model(path).module.main
    named = [n for n, k in zip(graph.names, graph.kinds, strict=True) if k == "call"]
    assert len(named) == 152
    assert "bert/encoder/layer_._1/output/add" in named


def test_resnet_has_the_sites_it_promises() -> None:
    module = models.resnet(2)
    found = Counter(c.op.name for c in calls(module))
    sites = models.RESNET_OTHER_SITES + 2 * models.RESNET_BLOCK_SITES
    assert found == {
        "nn.conv2d": sites, "nn.batch_norm": sites, "nn.relu": sites, "sigmoid": sites, "add": 2,
    }  # fmt: skip
    made = plan(parse_spec("offload pattern conv2d>bn>relu to bmlib"), model=module).plan
    assert len(made.regions) == sites


def test_heavy_has_weights_of_one_size() -> None:
    module = models.heavy(4, 8, 16)
    weights = models.weight_names(module, ("x",))
    assert sorted(weights) == [f"layer_{i}_weight" for i in range(4)]
    assert {int(np.prod(w.shape)) for w in weights.values()} == {128}
    assert len(calls(module)) == 8


def test_layered_is_a_whole_graph_without_a_compiler() -> None:
    module = layered(40)
    graph = module.main
    assert Counter(graph.kinds) == {"call": 40, "param": 20, "input": 2}
    assert all(o < i for i, operands in enumerate(graph.operands) for o in operands)
    text = "cut after layer_4; offload pattern dense>add>relu to bmlib expect 10"
    made = make_plan(parse_spec(text), module)
    assert [s.op_count for s in made.stages] == [5 * LAYER_OPS, 5 * LAYER_OPS]
    assert [len(s.params) for s in made.stages] == [0, 0]  # the regions hold them
    whole = make_plan(parse_spec("cut after layer_4"), module)
    assert [len(s.params) for s in whole.stages] == [10, 10]
    assert len(made.crossings) == 1
    assert len(made.regions) == 10
