"""``recompute constants`` end to end: what no input changes isn't sent, and is folded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery.api as api
from surgery.planning import Plan

tvm = pytest.importorskip("tvm")
relay = tvm.relay

SHAPE = (8, 16)


def net() -> tuple[Any, dict[str, Any]]:
    """Return a net whose two halves use ``tanh(w)``, which depends on a weight only."""
    x, w = relay.var("x", shape=SHAPE), relay.var("w", shape=SHAPE)
    scale = relay.tanh(w)
    half = relay.nn.relu(relay.add(x, scale))
    whole = relay.nn.relu(relay.multiply(half, scale))
    weights = {"w": np.random.default_rng(1).standard_normal(SHAPE).astype("float32")}
    return tvm.IRModule.from_expr(whole), weights


def plan_of(text: str) -> Plan:
    module, weights = net()
    return api.plan(api.parse_spec(text), model=module, params=weights).plan


CUT = "cut after nth(op nn.relu, 0)\n"
SIZE = 8 * 16 * 4


def test_both_choices_are_shown_with_what_they_cost() -> None:
    sent = plan_of(CUT)
    assert sent.sharing is not None
    found = {v.ref: v for v in sent.sharing.values}
    graph = sent.module.main
    tanh, relu = (next(v for v in found.values() if graph.ops[v.ref.node] == op)
                  for op in ("tanh", "nn.relu"))  # fmt: skip
    assert (tanh.nbytes, tanh.ops, tanh.flops, tanh.folded) == (SIZE, 1, 0, True)
    assert (relu.nbytes, relu.ops, relu.flops, relu.folded) == (SIZE, 2, 2 * 128, False)
    again = plan_of(CUT + "recompute constants")
    assert again.sharing is not None
    assert [c.ref for c in again.crossings] == [relu.ref]
    assert [(v.ref, v.recomputed) for v in again.sharing.values] == [
        (relu.ref, False), (tanh.ref, True),
    ]  # fmt: skip
    assert (again.sharing.saved_bytes, again.sharing.added_flops) == (SIZE, 0)
    unfolded = plan_of(CUT + 'recompute constants\nbuild target "llvm" opt 1')
    assert unfolded.sharing is not None and unfolded.sharing.added_flops == 128 * 10


def test_a_single_value_may_still_be_sent() -> None:
    plan = plan_of("share op tanh by transfer\n" + CUT + "recompute constants")
    assert len(plan.crossings) == 2
    assert [n.code for n in plan.notes if n.severity == "warning"] == ["S298"]


def test_recompute_constants_without_a_cut_changes_nothing() -> None:
    plan = plan_of("recompute constants")
    assert [n.code for n in plan.notes] == ["S298"]


@pytest.mark.parametrize("by", ["cut after nth(op nn.relu, 0)", "cut into 2 stages by flops"])
def test_the_stages_give_the_same_and_fold_what_they_compute_again(by: str, tmp_path: Path) -> None:
    module, weights = net()
    out = tmp_path / "out"
    done = api.apply(
        api.parse_spec(f'{by}\nrecompute constants\nbuild target "llvm" opt 3'),
        out, model=module, params=weights, verify=True,
    )  # fmt: skip
    assert done.verification is not None and done.verification.passed
    assert len(done.plan.crossings) == 1
    for index in range(2):
        library = tvm.runtime.load_module(str(out / "lib" / f"stage{index}.so"))
        assert "tanh" not in library["get_graph_json"]()
