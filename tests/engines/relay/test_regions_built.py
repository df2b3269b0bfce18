"""Regions in awkward places, built and run: in a branch, or computed again by a later stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tvm
from tvm import relay

import surgery.api as api

SHAPE = (2, 4)


def applied(body: Any, params: list[Any], spec: str, out: Path) -> api.Applied:
    module = tvm.IRModule.from_expr(relay.Function(params, body))
    done = api.apply(api.parse_spec(spec), out, model=module, verify=True)
    assert done.verification is not None and done.verification.passed
    return done


def symbols(done: api.Applied, stage: int) -> set[str]:
    """Return the regions that a saved stage holds."""
    text = (done.folder / done.recipe.stages[stage].module).read_text()
    functions = tvm.ir.load_json(text).functions.values()
    return {str(f.attrs["global_symbol"]) for f in functions if "Compiler" in (f.attrs or {})}


def test_a_region_inside_a_branch_of_a_cut_model(tmp_path: Path) -> None:
    x, condition = relay.var("x", shape=SHAPE), relay.var("c", shape=(), dtype="bool")
    first = relay.tanh(x)
    chosen = relay.If(condition, relay.exp(relay.nn.relu(first)), first)
    spec = "offload pattern relu>exp to lib; cut after op tanh"
    done = applied(relay.negative(chosen), [x, condition], spec, tmp_path / "out")
    assert [r.stage for r in done.plan.regions] == [1]
    assert [s.executor for s in done.plan.stages] == ["graph", "vm"]
    assert [symbols(done, i) for i in (0, 1)] == [set(), {done.plan.regions[0].symbol}]


@pytest.mark.parametrize("shared", ["%0", "%1"])
def test_a_region_that_a_later_stage_computes_again(shared: str, tmp_path: Path) -> None:
    x = relay.var("x", shape=SHAPE)
    first = relay.nn.relu(x)
    second = relay.exp(first)
    third = relay.tanh(second)
    body = relay.multiply(relay.add(third, second), first)
    spec = f"offload (op nn.relu or op exp) to lib; cut after op tanh; share {shared} by recompute"
    done = applied(body, [x], spec, tmp_path / "out")
    (region,) = done.plan.regions
    assert [symbols(done, i) for i in (0, 1)] == [{region.symbol}, {region.symbol}]
    assert [i.name for i in done.plan.stages[1].inputs] == ["x", "v2"]
