"""``stage N on ...``: targets, levels and threads of single stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from surgery.graph import Module
from surgery.planning import plan_json
from surgery.planning.model import Plan
from surgery.recipe import FileReference, Recipe
from surgery.recipe.encode import recipe_from_json, recipe_json
from tests.graphs import GraphBuilder
from tests.planning.test_stages import chain, fault, plan_of
from tests.recipe.plans import HASH, save_stages, two_stage_plan


def told(plan: Plan) -> list[tuple[str, int, int | None]]:
    return [(s.target, s.opt_level, s.threads) for s in plan.stages]


def test_what_is_said_of_a_stage_and_what_is_left_to_build() -> None:
    plan = plan_of(
        chain(),
        'cut after %1; build target "llvm" opt 2; stage 1 on "llvm -mcpu=znver4" opt 0 threads 3',
    )
    assert told(plan) == [("llvm", 2, None), ("llvm -mcpu=znver4", 0, 3)]
    stages = plan_json(plan)["stages"]
    assert isinstance(stages, list)
    assert [s["threads"] for s in stages] == [None, 3]


def test_statements_of_one_stage_add_up() -> None:
    plan = plan_of(chain(), "cut after %1; stage 0 threads 2; stage 0 opt 1; stage 1 opt 3")
    assert told(plan) == [("llvm", 1, 2), ("llvm", 3, None)]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("cut after %1; stage 2 opt 1", "stages 0 to 1"),
        ("stage 1 threads 1", "Nothing is cut"),
        ("cut into 2 stages by flops; stage 7 opt 1", "stages 0 to 1"),
    ],
)
def test_a_stage_that_isnt_there(spec: str, said: str) -> None:
    (found,) = fault(chain(), spec).diagnostics
    assert found.code == "S243" and said in found.reason
    assert found.span is not None and found.span.text.startswith("stage ")


def dynamic() -> Module:
    b = GraphBuilder()
    type_ = "float32(?,4)"
    return b.module(b.call("nn.relu", b.input("x", type_), type=type_))


@pytest.mark.parametrize(
    ("module", "spec", "code", "said"),
    [
        (dynamic(), 'build target "llvm"\nbuild executor aot', "S244", "static shape"),
        (dynamic(), "build opt 1\nbuild format mlf", "S245", "static shape"),
        (chain(), "build executor vm\nbuild format mlf", "S245", "no place"),
        (chain(), "offload op tanh to bm\nbuild executor aot", "S244", "bm_"),
    ],
)
def test_stages_that_an_executor_or_format_cant_take(
    module: Module, spec: str, code: str, said: str
) -> None:
    (found,) = [d for d in fault(module, spec).diagnostics if d.severity == "error"]
    assert found.code == code and said in found.reason
    assert found.span is not None and found.span.line == 2


def test_each_format_has_its_own_ending(tmp_path: Path) -> None:
    file = FileReference.portable("x", HASH)
    saved = save_stages(tmp_path)[:1]
    for form, ending in (("so", "so"), ("tar", "tar"), ("mlf", "mlf.tar")):
        plan = plan_of(chain(), f"build executor aot format {form}")
        assert [s.executor for s in plan.stages] == ["aot"]
        recipe = Recipe.from_plan(plan, saved, tvm_version="0.19.0", spec=file, model=file)
        assert recipe.stages[0].library == f"lib/stage0.{ending}"


def test_a_stage_that_isnt_fused_is_no_hazard() -> None:
    b = GraphBuilder()
    value = b.input("x", "float32(4)")
    for _ in range(20):
        value = b.call("tanh", value, type="float32(4)")
        value = b.call("add", value, value, type="float32(4)")
    last = b.call("nn.dense", value, value, type="float32(4)")
    module = b.module(last)
    notes = plan_of(module, "build opt 3").notes
    assert [n.code for n in notes if n.severity == "warning"] == ["S450"]
    notes = plan_of(module, "build opt 3; stage 0 opt 0").notes
    assert not [n for n in notes if n.severity == "warning"]
    notes = plan_of(module, "build opt 0; stage 0 opt 3").notes
    assert [n.code for n in notes if n.severity == "warning"] == ["S450"]


def test_the_recipe_keeps_threads_and_reads_those_without(tmp_path: Path) -> None:
    plan = two_stage_plan()
    stages = (replace(plan.stages[0], threads=2), plan.stages[1])
    file = FileReference.portable("x", HASH)
    recipe = Recipe.from_plan(
        replace(plan, stages=stages), save_stages(tmp_path),
        tvm_version="0.19.0", spec=file, model=file,
    )  # fmt: skip
    assert [s.threads for s in recipe.stages] == [2, None]
    data = recipe_json(recipe)
    assert recipe_from_json(data) == recipe
    del data["stages"][0]["threads"]
    assert recipe_from_json(data).stages[0].threads is None
