"""Nets cut into stages give what the unsplit net gives, item by item, through a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm.relay.testing import resnet

import surgery
import surgery.api as api
from examples.prepare_models import INPUTS, seeded_weights, unpack
from surgery.recipe import read_recipe
from surgery.runtime import random_inputs
from surgery.verification import compare, input_bounds

#: What stages may differ by, in parts of the largest result: an op's code is another where it is
#: fused with other ops (on x86-64 without FMA, the target `llvm`, all bits are equal).
TOLERANCE = 1e-6
ITEMS = 5

Net = tuple[tvm.IRModule, Mapping[str, Any]]


def small_bert(_: Path) -> Net:
    from benchmarks.models import bert

    module = bert(4)
    return module, seeded_weights(module["main"], {"embedding", "attention_mask"}, seed=0)


def bert_12(folder: Path) -> Net:
    name = "tf_bert_12l"
    module = tvm.ir.load_json(unpack(name, folder).read_text())
    return module, seeded_weights(module["main"], INPUTS[name], seed=0)


def resnet_of(layers: int, extent: int) -> Callable[[Path], Net]:
    def make(_: Path) -> Net:
        shape = (3, extent, extent)
        return resnet.get_workload(num_layers=layers, image_shape=shape, num_classes=1000)

    return make


def check_against_the_unsplit_net(
    make: Callable[[Path], Net], folder: Path, stages: tuple[int, ...], opt: int = 3
) -> None:
    module, params = make(folder)

    def apply(cut: str, out: str) -> Path:
        spec = api.parse_spec(f"{cut}; bind all params; build opt {opt}")
        return api.apply(spec, folder / out, model=module, params=params).folder

    whole = apply("", "whole.out")
    recipe = read_recipe(whole)
    assert len(recipe.stages) == 1
    bounds = input_bounds(api.load_picture(whole / "module.json"))
    items = [random_inputs(recipe.inputs, seed, bounds) for seed in range(ITEMS)]
    with surgery.open(whole) as unsplit:
        expected = [unsplit(item) for item in items]
    (name,) = expected[0]
    atol = TOLERANCE * float(np.abs(expected[0][name]).max())
    # An item in another's place would be seen.
    assert np.abs(expected[0][name] - expected[1][name]).max() > 100 * atol
    for count in stages:
        out = apply(f"cut into {count} stages by flops; pipeline on threads", f"{count}.out")
        with surgery.open(out) as runner:
            found = list(runner.map(items))
            assert len(runner.recipe.stages) == count == len(runner.statistics.stages)
            assert {s.items for s in runner.statistics.stages} == {ITEMS}
        assert len(found) == ITEMS
        for actual, wanted in zip(found, expected, strict=True):
            verification = compare(actual, wanted, rtol=0, atol=atol)
            assert verification.passed, verification.as_json()


def test_a_small_bert_in_two_three_and_four(tmp_path: Path) -> None:
    check_against_the_unsplit_net(small_bert, tmp_path, (2, 3, 4))


def test_resnet18_in_two(tmp_path: Path) -> None:
    check_against_the_unsplit_net(resnet_of(18, 32), tmp_path, (2,), opt=1)


@pytest.mark.models
def test_bert_12_in_two_three_and_four(tmp_path: Path) -> None:
    check_against_the_unsplit_net(bert_12, tmp_path, (2, 3, 4))


@pytest.mark.models
def test_resnet50_in_two(tmp_path: Path) -> None:
    check_against_the_unsplit_net(resnet_of(50, 224), tmp_path, (2,), opt=1)
