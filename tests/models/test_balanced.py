"""Balanced cuts of real nets against brute force over all single-op places."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery.api as api
from surgery.graph import Module, ancestors, runtime_dependent
from surgery.graph.costs import module_costs
from surgery.planning import Plan
from tests.cli.conftest import surgery  # noqa: F401  (a fixture)
from tests.cli.ran import Surgery

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert") / "bert.json"
    packed = ROOT / "examples" / "models" / "tf_bert_12l.json.xz"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


def weights_of(module: Module) -> dict[str, Any]:
    """Return zeros for all inputs but `x`: the model file holds no weights."""
    graph = module.main
    found = {}
    for p in graph.params:
        type_ = graph.types[p]
        if graph.names[p] != "x":
            found[graph.names[p] or ""] = np.zeros(type_.shape, type_.dtype)  # type: ignore[union-attr]
    return found


class Places:
    """All places `cut after v` of a graph: which costs lie before which."""

    def __init__(self, module: Module) -> None:
        graph = module.main
        flops = module_costs(module).flops
        depends = runtime_dependent(graph)
        live = ancestors(graph, [r.node for r in graph.outputs])
        self.nodes = [
            i for i, kind in enumerate(graph.kinds)
            if kind == "call" and live[i] and depends[i] and not graph.scopes[i]
        ]  # fmt: skip
        self.costs = np.array([flops[i] for i in self.nodes], dtype=np.float64)
        inside = [
            np.frombuffer(ancestors(graph, [i]), dtype=np.uint8)[self.nodes] for i in self.nodes
        ]
        self.inside = np.array(inside, dtype=np.float64)
        self.total = self.costs.sum()

    def best(self, stages: int) -> float:
        """Return the least slowest stage over all ordered choices of `stages - 1` single ops."""
        alone = self.inside @ self.costs
        both = self.inside @ (self.inside * self.costs).T
        union = alone[:, None] + alone[None, :] - both
        if stages == 2:
            return float(np.maximum(alone, self.total - alone).min())
        if stages == 3:
            second = union - alone[:, None]
            return float(np.maximum(np.maximum(alone[:, None], second), self.total - union).min())
        # No stage may cost more than the best three-stage cut's, which halves the pairs to look at.
        best = np.inf
        order = np.argsort(np.abs(alone - self.total / stages))
        for first in order:
            if alone[first] >= best:
                continue
            for second in np.flatnonzero(union[first] - alone[first] < best):
                held = np.maximum(self.inside[first], self.inside[second])
                if self.total - union[first, second] >= 2 * best:
                    continue
                third = self.inside @ self.costs - self.inside @ (held * self.costs)
                rest = self.total - union[first, second] - third
                worst = np.maximum(third, rest).min()
                best = min(best, max(alone[first], union[first, second] - alone[first], worst))
            if best <= 1.0001 * self.total / stages:
                break  # nothing can be below the mean
        return float(best)


def slowest(plan: Plan) -> int:
    assert plan.balance is not None
    assert sum(plan.balance.costs) > 0
    return max(plan.balance.costs)


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_bert_is_balanced_like_the_best_brute_force_cut(bert: Path, stages: int) -> None:
    module = api.load_model(bert).module
    plan = api.plan(
        api.parse_spec(f"cut into {stages} stages by flops"),
        model=bert_ir(bert), params=weights_of(module),
    ).plan  # fmt: skip
    best = Places(plan.module).best(stages)
    assert slowest(plan) <= 1.10 * best
    assert slowest(plan) <= 1.02 * best  # the slack that the plan states
    # One layer's output crosses each cut: a hidden state, and the mask.
    assert plan.balance is not None
    assert [p.nbytes for p in plan.balance.places] == [128 * 768 * 4 + 512] * (stages - 1)


def bert_ir(path: Path) -> Any:
    import tvm

    return tvm.ir.load_json(path.read_text())


def test_resnet50_in_two() -> None:
    from tvm.relay.testing import resnet

    module, params = resnet.get_workload(num_layers=50, image_shape=(3, 224, 224))
    plan = api.plan(api.parse_spec("cut into 2 stages by flops"), model=module, params=params).plan
    assert slowest(plan) <= 1.02 * Places(plan.module).best(2)
    assert plan.balance is not None
    # A little less even, after a whole block, a third of the bytes would cross: it is shown.
    sent = plan.balance.places[0].nbytes
    assert min(o.nbytes for o in plan.balance.others) <= sent // 2


def test_the_command_line_shows_what_it_chose(
    bert: Path,
    tmp_path: Path,
    surgery: Surgery,  # noqa: F811
) -> None:
    module = api.load_model(bert).module
    params = tmp_path / "bert.npz"
    np.savez(params, **weights_of(module))
    ran = surgery(
        "plan", str(ROOT / "specs" / "bert_balanced.surgery"), "--model", str(bert),
        "--params", str(params),
    )  # fmt: skip
    assert ran.status == 0, ran.err
    shown = ran.out.split("\nbalance:\n")[1].split("\n\n")[0]
    assert shown.rstrip() == BALANCE.strip("\n")
    assert "computing again saves 1.0 KiB a run, and adds 0 FLOPs" in ran.out
    spec = api.load_spec(ROOT / "specs" / "bert_balanced.surgery")
    document: Any = api.plan(spec, model=bert, params=params).as_json()
    balance = document["balance"]
    assert balance["slowest"] == max(balance["costs"]) and balance["unit"] == "FLOP"
    assert [p["after"][0]["value"] for p in balance["places"]] == ["%327", "%654"]
    assert [v["value"] for v in document["recomputed"]] == ["%41"]
    assert document["recomputed"][0]["recompute"] == {"ops": 10, "flops": 0, "folded": True}
    assert document["crossings"][0]["recompute"]["ops"] == 328


BALANCE = """
  cut into 3 stages by flops: FLOPs of each stage
    stage0  7.5 GFLOPs  33.3%
    stage1  7.5 GFLOPs  33.3%
    stage2  7.5 GFLOPs  33.3%  slowest
  stages  place           live bytes  source name
  0 | 1   cut after %327   384.0 KiB  tf_bert_for_sequence_classification/bert/encoder/layer_._3/output/add
  1 | 2   cut after %654   384.0 KiB  tf_bert_for_sequence_classification/bert/encoder/layer_._7/output/LayerNorm/batchnorm/add_1
  weighed  slowest stage          live bytes  after
  chosen      7.5 GFLOPs           768.0 KiB
              7.5 GFLOPs  +0.01%   768.0 KiB  %327, %643
  what depends on no runtime input counts as nothing: the build folds it
"""  # noqa: E501
