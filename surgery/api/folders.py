"""Work from an output folder alone: build, run, verify."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.api.backends import check_code_allowed
from surgery.api.emitting import Emit, check_emittable, emit_pipeline_executor
from surgery.api.reading import Files, Progress, silent
from surgery.api.stages import build_stages, compare_with_original, verification_inputs
from surgery.diagnostics import Diagnostic, SurgeryError, error
from surgery.engines import get_engine
from surgery.engines.base import Engine, EngineModel
from surgery.engines.runnable import check_runnable
from surgery.graph import Graph, Ref, TensorType
from surgery.planning import Output, fusion_hazard, make_plan
from surgery.syntax import ast

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import FileReference, Recipe
    from surgery.runtime import RunResult
    from surgery.verification import Verification


#: Said when a configuration was written that nothing here can run.
_NO_PIPELINE_EXECUTOR = Diagnostic(
    code="S429",
    severity="note",
    message="the installed TVM has no pipeline executor: the configuration can't be run with it",
    remedy="run it with a TVM built with USE_PIPELINE_EXECUTOR; `surgery run` needs none",
)


def build(
    folder: str | Path,
    *,
    allow_code: bool = False,
    emit: Emit | None = None,
    progress: Progress | None = None,
) -> Recipe:
    """Compile the stages of an output folder again; libraries are replaced together.

    Args:
        emit: Also write the configuration of TVM's pipeline executor (``pipeline-executor``) to
            ``lib/pipeline_executor``; a note of the result says when the installed TVM lacks it.
        allow_code: Run the Python code of ``via te`` backends.

    Raises:
        SurgeryError: S55x the folder is damaged or was changed; S4xx a stage doesn't compile;
            S423, S428 the pipeline executor can't run the stages.
    """
    from surgery.recipe import (
        check_files,
        read_recipe,
        recipe_folder,
        replace_in,
        with_library_hashes,
        write_recipe,
    )

    tell = progress or silent
    recipe = read_recipe(folder)
    where = recipe_folder(folder)
    check_files(recipe, where)
    check_code_allowed(recipe, allow_code)
    engine = get_engine(recipe.engine)
    if emit is not None:
        check_emittable(recipe)
        check_runnable(recipe.stages, engine)  # graphs are read out of loaded libraries
    for stage in recipe.stages:
        if stage.executor != "vm":
            _check_fusion(engine, where, stage)
    with replace_in(where) as fresh:
        shown = {s.path: str(where / s.path) for b in recipe.backends for s in b.sources}
        build_stages(engine, recipe, fresh, tell, shown)
        recipe = with_library_hashes(recipe, fresh)
        write_recipe(recipe, fresh)
        if emit is not None:
            tell("writing the configuration of TVM's pipeline executor")
            emit_pipeline_executor(engine, recipe, fresh, where)
    if emit is not None and not engine.has_pipeline_executor():
        recipe = replace(recipe, notes=(*recipe.notes, _NO_PIPELINE_EXECUTOR))
    return recipe


def _check_fusion(engine: Engine, folder: Path, stage: Any) -> None:
    """Refuse a build that would not end (see :func:`surgery.planning.fusion_hazard`)."""
    module = engine.load(str(folder / stage.module)).module
    hazard = fusion_hazard(
        module.main, stage.opt_level, tuple(stage.config.items()), stage.disabled_passes
    )
    if hazard is not None:
        raise SurgeryError(
            replace(hazard, message=f"{stage.name}: {hazard.message}",
                    remedy="write the folder again with `surgery apply` and a spec that says "
                    "`build config relay.FuseOps.max_depth=4`")
        )  # fmt: skip


def run(
    folder: str | Path, inputs: Mapping[str, Array] | str | Path, *, repeat: int = 1
) -> RunResult:
    """Run the stages of an output folder in order.

    Args:
        inputs: Arrays by input name, or an ``.npz`` file of them.
        repeat: How often to run; outputs are those of the last run.

    Raises:
        SurgeryError: S58x an input is wrong, or nothing was built; S4xx a stage fails.
    """
    from surgery.runtime import run as run_recipe

    return run_recipe(folder, inputs, repeat=repeat)


def verify(
    folder: str | Path,
    *,
    model: str | Path | None = None,
    params: str | Path | None = None,
    inputs: Mapping[str, Array] | str | Path | None = None,
    seed: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Compare the saved stages of an output folder with the model they were made from.

    Args:
        model, params: The original's files, where they are not where the recipe says.
        inputs: Arrays by name or an ``.npz`` file; random ones from ``seed`` when not given.

    Raises:
        SurgeryError: S570 the original model isn't at hand or isn't the same file any more.
    """
    from surgery.recipe import check_files, read_recipe, recipe_folder
    from surgery.runtime import check_built, load_npz

    tell = progress or silent
    recipe = read_recipe(folder)
    where = recipe_folder(folder)
    check_files(recipe, where, to_run=True)
    check_built(recipe, where)
    before = _read_plan(where / "plan.json")
    engine = get_engine(recipe.engine)
    check_runnable(recipe.stages, engine, "verified")
    loaded = original_model(recipe, where, model, params, tell)
    made = make_plan(ast.Spec(statements=()), loaded.module, model_path=loaded.path)
    made = replace(
        made,
        outputs=before.outputs,
        build=replace(
            made.build,
            target=recipe.stages[0].target,
            opt_level=recipe.stages[0].opt_level,
            config=tuple(recipe.stages[0].config.items()),
            disable=recipe.stages[0].disabled_passes,
        ),
        verify=replace(
            made.verify,
            seed=before.seed if seed is None else seed,
            rtol=before.rtol if rtol is None else rtol,
            atol=before.atol if atol is None else atol,
        ),
    )
    given = load_npz(inputs) if isinstance(inputs, str | Path) else inputs
    arrays, origin = verification_inputs(made, given)
    return compare_with_original(engine, loaded, made, recipe, where, tell, arrays, origin)


def original_model(
    recipe: Recipe,
    folder: Path,
    model: str | Path | None,
    params: str | Path | None,
    tell: Progress,
    prepared: bool = True,
) -> EngineModel:
    """Load the model that an output folder was made from, bound and prepared as its spec says.

    Args:
        model, params: Its files, where they are not where the recipe says.
        prepared: Without it, the model is as it was before the passes of ``prepare``.

    Raises:
        SurgeryError: S557 plan.json can't be read; S570, S571 the model or its weights aren't at
            hand or not the same files any more.
    """
    before = _read_plan(folder / "plan.json")
    files = _original(recipe, folder, model, params)
    engine = get_engine(recipe.engine)
    tell("loading the model")
    loaded = engine.load(files.model, files.params, inputs=before.bind_inputs, progress=tell)
    passes = before.passes if prepared else ()
    return engine.prepare(loaded, before.bind_inputs, passes, before.bind_params)


def is_prepared(folder: Path) -> bool:
    """Tell whether passes of ``prepare`` ran before surgery.

    Raises:
        SurgeryError: S557 plan.json can't be read.
    """
    return bool(_read_plan(folder / "plan.json").passes)


def region_outputs(folder: Path, graph: Graph) -> dict[str, tuple[Ref, ...]]:
    """Return which tensors of the original ``@main`` each region of a folder returns.

    Args:
        graph: The original's, as :func:`original_model` gives it.

    Raises:
        SurgeryError: S557 plan.json can't be read.
    """
    before = _read_plan(folder / "plan.json")
    labels = {graph.label(i): i for i, kind in enumerate(graph.kinds) if kind == "call"}
    found: dict[str, tuple[Ref, ...]] = {}
    for symbol, outputs in before.regions:
        refs = [_labelled(labels, label) for label in outputs]
        if all(refs):
            found[symbol] = tuple(r for r in refs if r is not None)
    return found


def _labelled(labels: Mapping[str, int], label: str) -> Ref | None:
    """Return the tensor that a plan calls ``%3.1``."""
    base, *path = label.split(".") if label[1:2].isdigit() else [label]
    return Ref(labels[base], tuple(map(int, path))) if base in labels else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What ``plan.json`` says of the model before surgery, and how to compare with it."""

    bind_inputs: dict[str, TensorType]
    bind_params: tuple[str, ...]
    passes: tuple[tuple[str, tuple[Any, ...]], ...]
    outputs: tuple[Output, ...]
    regions: tuple[tuple[str, tuple[str, ...]], ...]
    seed: int
    rtol: float | None
    atol: float | None


def _read_plan(path: Path) -> _Before:
    """Read what a comparison needs from an output folder's plan.

    Raises:
        SurgeryError: S557 it is missing, damaged or from another version.
    """
    try:
        document = json.loads(path.read_bytes())
        bind, verify = document["bind"], document["verify"]
        return _Before(
            bind_inputs={
                n: TensorType(tuple(t["shape"]), t["dtype"]) for n, t in bind["inputs"].items()
            },
            bind_params=tuple(bind["params"]),
            passes=tuple((p["pass"], tuple(p["arguments"])) for p in document["prepare"]),
            outputs=tuple(
                Output(
                    name=o["name"],
                    ref=Ref(o["id"], tuple(o["path"])),
                    index=o["index"],
                    added=o["added"],
                    type=TensorType(tuple(o["shape"]), o["dtype"]),
                )
                for o in document["outputs"]
            ),
            regions=tuple(
                (r["symbol"], tuple(o["value"] for o in r["outputs"]))
                for r in document["regions"]
                if r["function"] == "main"
            ),
            seed=verify["seed"],
            rtol=verify["rtol"],
            atol=verify["atol"],
        )
    except OSError as failure:
        reason = failure.strerror or str(failure)
    except ValueError:
        reason = "it is not whole JSON"
    except (KeyError, TypeError, AttributeError):
        reason = "it is not a plan as this version of surgery writes it"
    raise error(
        "S557",
        f"{path} can't be read",
        reason=reason[:1].lower() + reason[1:],
        remedy="write the folder again with `surgery apply`",
    )


def _original(
    recipe: Recipe, folder: Path, model: str | Path | None, params: str | Path | None
) -> Files:
    """Find the files a recipe was made from, and check that they are still the same."""
    found = _same_file("S570", "model", recipe.model, folder, model)
    if recipe.params is None:
        return Files(found, None if params is None else str(params))
    return Files(found, _same_file("S571", "params", recipe.params, folder, params))


def _same_file(
    code: str, role: str, wanted: FileReference, folder: Path, given: str | Path | None
) -> str:
    """Return a file whose bytes are those that a recipe names."""
    from surgery.recipe import file_sha256

    places = [Path(given)] if given is not None else [folder / wanted.path, Path(wanted.path)]
    there = [p for p in places if p.is_file()]
    for place in there:
        if file_sha256(place) == wanted.sha256:
            return os.path.normpath(place)
    what = "model" if role == "model" else "weights"
    raise error(
        code,
        f"{there[0]} is not the {what} this folder was made from"
        if there
        else f"the original {what} isn't at hand: there is no {places[0]}",
        reason="Its SHA-256 differs from the recipe's."
        if there
        else "A comparison needs the model as it was before surgery.",
        remedy=f"give the file with --{role}",
    )
