"""Compiling the stages of an output folder, and comparing them with the original."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.api.reading import Progress
from surgery.diagnostics import SurgeryError
from surgery.engines.base import BackendBuild, Engine, EngineModel, SavedStage, StageBuild
from surgery.planning import Plan

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import Recipe
    from surgery.verification import Verification


#: Kinds of backends whose kernels are code that the compiler hasn't made.
_MAY_CRASH = {"c", "te", "builtin"}
_CRASH_REMEDY = (
    "call its kernels with such arguments from a program of your own; `apply --no-verify` "
    "writes the folder as it is, to look at with `surgery run OUT --on processes`"
)


def versions(engine: Engine) -> dict[str, str]:
    """Return the version of each program that takes part."""
    from surgery import __version__

    return {"surgery": __version__, "tvm": engine.version, "python": platform.python_version()}


def stage_build(
    recipe: Recipe, index: int, folder: Path, shown: Mapping[str, str] | None = None
) -> StageBuild:
    """Return what it takes to compile a stage.

    Args:
        shown: What the user calls a backend's file, by its path in the folder.
    """
    stage = recipe.stages[index]
    return StageBuild(
        folder=folder,
        module=stage.module,
        params=stage.params,
        library=stage.library,
        target=stage.target,
        opt_level=stage.opt_level,
        executor=stage.executor,
        config=stage.config,
        disabled_passes=stage.disabled_passes,
        backends={
            b.name: BackendBuild(
                kind=b.kind,
                sources=tuple(s.path for s in b.sources if s.path != b.library),
                library=b.library,
                builtin=b.builtin,
                module=b.module,
                options=b.options,
                shown=shown or {},
            )
            for b in recipe.backends
        },
    )


def build_stages(
    engine: Engine,
    recipe: Recipe,
    folder: Path,
    tell: Progress,
    shown: Mapping[str, str] | None = None,
) -> None:
    for index, stage in enumerate(recipe.stages):
        tell(f"building {stage.name}", index, len(recipe.stages))
        engine.build_stage(stage_build(recipe, index, folder, shown))


def verification_inputs(
    made: Plan, given: Mapping[str, Array] | None = None
) -> tuple[dict[str, Array], str]:
    """Return the inputs that a plan is verified on, checked, and where they came from.

    Args:
        given: Inputs that take the place of those that the ``verify`` statement names.

    Raises:
        SurgeryError: S580-S585 and S589, as for a run.
    """
    from surgery.recipe import RecipeInput
    from surgery.runtime import check_inputs, load_npz, random_inputs
    from surgery.verification import input_bounds

    settings = made.verify
    wanted = [RecipeInput(name=i.name, shape=i.type.shape, dtype=i.type.dtype) for i in made.inputs]
    if given is not None:
        return check_inputs(wanted, given), "given"
    if settings.inputs is None:
        made_up = random_inputs(wanted, settings.seed, input_bounds(made.module))
        return made_up, f"random, seed {settings.seed}"
    return check_inputs(wanted, load_npz(_beside_spec(made, settings.inputs))), settings.inputs


def compare_with_original(
    engine: Engine,
    model: EngineModel,
    made: Plan,
    recipe: Recipe,
    folder: Path,
    tell: Progress,
    inputs: Mapping[str, Array],
    origin: str,
) -> Verification:
    """Build the model as it was and compare it with the saved stages on the same inputs.

    Args:
        inputs, origin: As :func:`verification_inputs` gives them.
    """
    from surgery.verification import compare

    settings = made.verify
    with tempfile.TemporaryDirectory(prefix="surgery-") as scratch:
        at = Path(scratch)
        with _of_the_original():
            tell("building the original to compare with")
            saved = engine.save_reference(model, made, at)
            reference = reference_build(made, saved, at)
            engine.build_stage(reference)
            tell("running both")
            runner = engine.open_stage(
                at, reference.library, reference.executor, [i.name for i in made.inputs]
            )
            expected = runner(inputs)
    actual = _run_operated(recipe, folder, inputs)
    by_name = {o.name: expected[o.index] for o in made.outputs}
    return compare(actual, by_name, rtol=settings.rtol, atol=settings.atol, inputs=origin)


def _run_operated(recipe: Recipe, folder: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Run the saved stages once, in processes of their own where a kernel may crash.

    Kernels from elsewhere may write where they shouldn't, or abort: that ends a worker then, and is
    said, not this process. Functions of this process (``via packed``) are found in it alone.
    """
    from surgery.runtime import Runner
    from surgery.runtime.pipeline import PipelineOptions, PipelineRunner
    from surgery.runtime.pipeline.slots import is_static

    kinds = {b.kind for b in recipe.backends if b.regions}
    if not kinds & _MAY_CRASH or "packed" in kinds or not is_static(recipe):
        return Runner(recipe, folder)(inputs)
    try:
        options = PipelineOptions(on="processes", depth=1)
        with PipelineRunner(recipe, folder, options) as runner:
            return runner(inputs)
    except SurgeryError as failure:
        raise SurgeryError(
            [
                replace(d, remedy=_CRASH_REMEDY) if d.code in ("S572", "S573") else d
                for d in failure.diagnostics
            ]
        ) from failure


@contextmanager
def _of_the_original() -> Iterator[None]:
    """Say of a failure that it is the model's own: nothing of the spec has touched it."""
    try:
        yield
    except SurgeryError as failure:
        note = (
            "this is the model as it was, built to compare with: TVM fails on it without any "
            "surgery; another `build opt` may do, `--no-verify` leaves the comparison out"
        )
        raise SurgeryError(
            [replace(d, message=f"the original: {d.message}", notes=(*d.notes, note))
             for d in failure.diagnostics]
        ) from failure  # fmt: skip


def reference_build(made: Plan, saved: SavedStage, folder: Path) -> StageBuild:
    """Return what it takes to compile a whole model that was saved for a comparison."""
    executor = "vm" if any(s.executor == "vm" for s in made.stages) else "graph"
    targets = [s.target for s in made.stages]
    return StageBuild(
        folder=folder,
        module=saved.module,
        params=saved.params,
        library="reference.so",
        # What every stage has another target than is maybe not for this machine.
        target=made.build.target if made.build.target in targets else targets[0],
        opt_level=made.build.opt_level,
        executor=executor,
        config=dict(made.build.config),
        disabled_passes=made.build.disable,
        backends={},
    )


def _beside_spec(made: Plan, path: str) -> str:
    """Return a path of a ``verify`` statement relative to the spec that holds it."""
    if Path(path).is_absolute():
        return path
    for statement in made.statements:
        if statement.span is not None and path in statement.text:
            written = Path(statement.span.source.path)
            if written.is_file():
                return str(written.parent / path)
    return path
