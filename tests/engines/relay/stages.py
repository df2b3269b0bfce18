"""Saves, builds and runs the stages of a plan, for the tests of the Relay engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surgery.engines.base import BackendBuild, StageBuild
from surgery.engines.relay.engine import RelayEngine
from surgery.engines.relay.model import RelayModel
from surgery.planning.model import Plan

ENGINE = RelayEngine()


def stage_build(
    folder: Path, module: str, params: str | None, library: str, **options: Any
) -> StageBuild:
    """Return what it takes to build a stage, with defaults."""
    values: dict[str, Any] = {
        "target": "llvm",
        "opt_level": 3,
        "executor": "graph",
        "config": {},
        "disabled_passes": (),
        "backends": {"bmlib": BackendBuild(kind="tvm")},
    }
    values.update(options)
    return StageBuild(folder=folder, module=module, params=params, library=library, **values)


def build_all(model: RelayModel, plan: Plan, folder: Path, **options: Any) -> None:
    """Write and compile every stage into a folder."""
    operated = ENGINE.operate(model, plan)
    saved = ENGINE.save(model, plan, operated, folder, lambda _: None)
    for stage, files in zip(plan.stages, saved, strict=True):
        library = f"lib/stage{stage.index}.so"
        ENGINE.build_stage(stage_build(folder, files.module, files.params, library, **options))


def run_all(
    plan: Plan, folder: Path, inputs: Mapping[str, Any], executor: str = "graph"
) -> list[Any]:
    """Run the built stages in order, wired by name; return the public outputs by index."""
    values = dict(inputs)
    for stage in plan.stages:
        names = [i.name for i in stage.inputs]
        runner = ENGINE.open_stage(folder, f"lib/stage{stage.index}.so", executor, names)
        found = runner({name: values[name] for name in names})
        assert len(found) == len(stage.outputs)
        values.update({o.name: v for o, v in zip(stage.outputs, found, strict=True)})
    first = {o.index: o.name for o in reversed(plan.outputs)}
    return [values[first[i]] for i in sorted(first)]
