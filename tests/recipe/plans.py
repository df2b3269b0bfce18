"""A small plan in two stages with an offload region, and what saving it would report."""

from __future__ import annotations

import hashlib
from pathlib import Path

from surgery.engines.base import SavedStage
from surgery.graph import Ref, TensorType
from surgery.planning import model as planned
from surgery.recipe import FileReference, Recipe
from tests.graphs import GraphBuilder

HASH = "0" * 64


def two_stage_plan() -> planned.Plan:
    """``x -> relu -> (cut) -> dense(., w) -> add(., relu)``; ``relu`` is public under two names."""
    b = GraphBuilder()
    x = b.input("x", "float32(1,4)")
    w = b.param("w", "float32(4,4)")
    relu = b.call("nn.relu", x, type="float32(1,4)")
    dense = b.call("nn.dense", relu, w, type="float32(1,4)")
    add = b.call("add", dense, relu, type="float32(1,4)")
    t, tw = TensorType((1, 4), "float32"), TensorType((4, 4), "float32")
    xin = planned.StageInput(name="x", ref=Ref(x), type=t, source=None)
    hidden = planned.StageOutput(name="hidden", ref=Ref(relu), type=t, public=True)
    out = planned.StageOutput(name="out0", ref=Ref(add), type=t, public=True)

    def stage(index: int, **kwargs: object) -> planned.Stage:
        return planned.Stage(
            index=index,
            name=f"stage{index}",
            recomputed=(),
            target="llvm",
            opt_level=1,
            executor="graph",
            **kwargs,  # type: ignore[arg-type]
        )

    return planned.Plan(
        engine="relay",
        model_path="bert.json",
        module=b.module(add),
        statements=(),
        inputs=(xin,),
        outputs=(
            planned.Output(name="out0", ref=Ref(add), index=0, added=False, type=t),
            planned.Output(name="hidden", ref=Ref(relu), index=1, added=True, type=t),
            planned.Output(name="again", ref=Ref(relu), index=1, added=True, type=t),
        ),
        crossings=(
            planned.Crossing(
                ref=Ref(relu), name="hidden", type=t, source=0, targets=(1,), uses=(dense, add),
                runtime_dependent=True,
            ),
        ),
        stages=(
            stage(
                0, nodes=(relu,), inputs=(xin,), outputs=(hidden,), params=(), param_bytes=0,
                op_count=1,
            ),
            stage(
                1,
                nodes=(dense, add),
                inputs=(planned.StageInput(name="mask", ref=Ref(relu), type=t, source=0),),
                outputs=(out,),
                params=("w",),
                param_bytes=64,
                op_count=2,
            ),
        ),
        regions=(
            planned.Region(
                symbol="bmlib_0",
                backend="bmlib",
                composite="bmlib.block",
                pattern="nn.dense_add_",
                function="main",
                nodes=(dense, add),
                arguments=(planned.RegionArgument(name="output", ref=Ref(relu), type=t),),
                constants=(planned.RegionConstant(name="w", node=w, type=tw, embedded=True),),
                slots={},
                outputs=(Ref(add),),
                output_types=(t,),
                stage=1,
                composites=(
                    planned.Composite(
                        name="bmlib.dense", kernel="bmlib_dense_k0", pattern="nn.dense_",
                        nodes=(dense,),
                        operands=(
                            planned.Operand(name="data", type=t, source=("argument", 0)),
                            planned.Operand(name="weight", type=tw, source=("constant", 0)),
                        ),
                        uses={}, outputs=(Ref(dense),), output_types=(t,),
                    ),
                    planned.Composite(
                        name="bmlib.add", kernel="bmlib_add_k0", pattern="add_", nodes=(add,),
                        operands=(
                            planned.Operand(name="lhs", type=t, source=("composite", 0, 0)),
                            planned.Operand(name="rhs", type=t, source=("argument", 0)),
                        ),
                        uses={}, outputs=(Ref(add),), output_types=(t,),
                    ),
                ),
            ),
        ),
        rejected=(),
        backends=(planned.PlannedBackend(name="bmlib", kind="tvm", implicit=True),),
        build=planned.BuildPlan(
            opt_level=1, config=(("relay.FuseOps.max_depth", 4), ("a", (1, 2))), disable=("FoldX",)
        ),
        verify=planned.VerifyPlan(),
    )  # fmt: skip


def save_stages(folder: Path) -> list[SavedStage]:
    """Write stand-ins for the two stages' files; return what an engine's ``save`` would."""
    saved = []
    for index, has_params in enumerate((False, True)):
        names = {"module.json": b'{"stage": %d}\n' % index}
        if has_params:
            names["params.bin"] = b"\x00\x01weights"
        at = folder / "stages" / str(index)
        at.mkdir(parents=True)
        for name, data in names.items():
            (at / name).write_bytes(data)
        saved.append(
            SavedStage(
                module=f"stages/{index}/module.json",
                params=f"stages/{index}/params.bin" if has_params else None,
                sha256={
                    f"stages/{index}/{n}": hashlib.sha256(d).hexdigest() for n, d in names.items()
                },
            )
        )
    return saved


def two_stage_recipe(folder: Path) -> Recipe:
    """Return the recipe of :func:`two_stage_plan`, its files written to ``folder``."""
    return Recipe.from_plan(
        two_stage_plan(),
        save_stages(folder),
        tvm_version="0.19.0",
        spec=FileReference.portable("specs/bert.surgery", HASH),
        model=FileReference.portable("/somewhere/models/bert.json", HASH),
    )
