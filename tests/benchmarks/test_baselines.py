"""The baselines and generators do what they say: else a comparison with them means nothing."""

from __future__ import annotations

from typing import Any

import pytest
import tvm
from tvm import relay

from benchmarks import baselines, models
from benchmarks.baselines import graph_split, linear_split
from benchmarks.pieces import cut_points, cut_spec
from surgery.api import parse_spec, plan


def ops(module: tvm.IRModule, name: str = "main") -> list[str]:
    found: list[str] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Call):
            found.append(expr.op.name)

    relay.analysis.post_order_visit(module[name].body, visit)
    return found


def composed(parts: list[tvm.IRModule], whole: tvm.IRModule) -> tvm.IRModule:
    """Feed each part's outputs to the parts after it, by the order of their free inputs."""
    outer = {p.name_hint: p for p in whole["main"].params}
    first = parts[0]["main"]
    given = first.body.fields if isinstance(first.body, relay.Tuple) else [first.body]
    first_values = {len(f.checked_type.shape): f for f in given}
    crossing = {}
    for part in parts[1:]:
        function = part["main"]
        bound = {}
        for parameter in function.params:
            if parameter.name_hint in outer:
                bound[parameter] = outer[parameter.name_hint]
            else:
                # The mask is the only crossing value of rank 4; the other is the part before's.
                rank = len(parameter.checked_type.shape)
                bound[parameter] = (
                    first_values[4] if rank == 4 else crossing.get(3, first_values[3])
                )
        crossing[3] = relay.bind(function.body, bound)
    same = {p: outer[p.name_hint] for p in first.params}
    return relay.transform.InferType()(
        tvm.IRModule.from_expr(relay.Function(whole["main"].params, relay.bind(crossing[3], same)))
    )


@pytest.mark.parametrize("split", [graph_split, linear_split])
def test_the_splitting_scripts_keep_the_model(split: Any) -> None:
    whole = models.bert(4)
    parts = split(whole, cut_points(4))
    assert [len(ops(p)) for p in parts] == [77, 75, 75, 75]
    assert [len(p["main"].params) for p in parts] == [18, 18, 18, 18]
    assert [str(p["main"].ret_type) for p in parts[1:]] == ["Tensor[(1, 8, 8), float32]"] * 3
    assert tvm.ir.structural_equal(composed(parts, whole)["main"], whole["main"])


def test_a_spec_cuts_where_the_scripts_do() -> None:
    whole = models.bert(4)
    made = plan(parse_spec(cut_spec(4)), model=whole).plan
    assert [s.op_count for s in made.stages] == [77, 75, 75, 75]
    assert [(c.source, c.targets) for c in made.crossings] == [
        (0, (1, 2, 3)), (0, (1,)), (1, (2,)), (2, (3,)),
    ]  # fmt: skip


def test_the_splitting_script_fails_on_a_deep_model() -> None:
    with pytest.raises(RecursionError):
        graph_split(models.chain(12_000), [("add", 100)])


def test_byoc_finds_every_site() -> None:
    found = baselines.byoc(models.resnet(1))
    compilers = [f for f in found.functions.values() if f.attrs and "Compiler" in f.attrs]
    assert len(compilers) == models.RESNET_OTHER_SITES + models.RESNET_BLOCK_SITES


def test_extracted_outputs_are_the_values_asked_for() -> None:
    module = models.chain(6)
    found = baselines.extract_outputs(module, [1, 4], typed=True)
    assert [ops(m) for m in found] == [["add", "nn.relu"], ["add", "nn.relu"] * 2 + ["add"]]
    assert str(found[0]["main"].ret_type) == "Tensor[(4), float32]"


def test_the_json_round_trip_gives_the_same_module() -> None:
    text = tvm.ir.save_json(models.bert(1))
    again = tvm.ir.load_json(baselines.json_round_trip(text))
    assert tvm.ir.structural_equal(again, tvm.ir.load_json(text))
