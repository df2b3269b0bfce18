"""The configuration of TVM's own pipeline executor, for the built stages of an output folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from surgery.diagnostics import Collector, Diagnostic
from surgery.engines.base import Engine

if TYPE_CHECKING:
    from surgery.recipe import Recipe

#: What ``surgery build --emit`` writes besides the libraries.
Emit = Literal["pipeline-executor"]

#: Where it stands in an output folder: beside the libraries, with which it is replaced.
FOLDER = "lib/pipeline_executor"
#: Device type and id of the CPU, as TVM writes them.
_CPU = "1,0"

Json = dict[str, object]


def check_emittable(recipe: Recipe) -> None:
    """Check that TVM's pipeline executor can run the stages of a recipe.

    Raises:
        SurgeryError: S428, for all that it can't.
    """
    found = Collector()
    for reason in _obstacles(recipe):
        found.add(
            Diagnostic(
                code="S428",
                message="TVM's pipeline executor can't run these stages",
                reason=reason,
                remedy="`surgery run` drives them as they are; leave --emit out",
            )
        )
    found.raise_if_errors()


def _obstacles(recipe: Recipe) -> Iterator[str]:
    from surgery.recipe import FromInput

    for stage in recipe.stages:
        if stage.executor != "graph":
            yield f"{stage.name} is for the {stage.executor} executor, not for the graph executor."
        elif not stage.library.endswith(".so"):
            yield f"{stage.name} is a package ({stage.library}), not a shared library."
    readers: dict[str, list[str]] = {}
    for stage in recipe.stages:
        for value in stage.inputs:
            if isinstance(value.origin, FromInput):
                readers.setdefault(value.origin.input, []).append(stage.name)
    for name, stages in readers.items():
        if len(stages) > 1:
            yield f"It feeds each input to one stage; {name} goes to {' and '.join(stages)}."


def pipeline_config(recipe: Recipe) -> Json:
    """Return how stages are connected, as ``tvm.contrib.pipeline_executor_build`` writes it."""
    from surgery.recipe import FromInput, FromStage

    inputs: list[Json] = []
    read: dict[FromStage, list[Json]] = {}
    for index, output in enumerate(recipe.outputs):
        origin = FromStage(stage=output.stage, output=output.output)
        read.setdefault(origin, []).append({"global_output_index": index})
    for number, stage in enumerate(recipe.stages):
        for value in stage.inputs:
            match value.origin:
                case FromInput(input=name):
                    inputs.append(
                        {
                            "global_interface_name": name,
                            "mod_idx": number,
                            "module_interface_name": value.name,
                        }
                    )
                case origin:
                    into: Json = {"mod_idx": number, "input_name": value.name}
                    read.setdefault(origin, []).append(into)
    modules: list[Json] = []
    for number, stage in enumerate(recipe.stages):
        outputs = [FromStage(stage=number, output=o.name) for o in stage.outputs]
        modules.append(
            {
                "mod_idx": number,
                "cpu_affinity": "",
                "output": [
                    {"output_idx": place, "dependencies": read.get(origin, [])}
                    for place, origin in enumerate(outputs)
                ],
                "dev": _CPU,
            }
        )
    return {"param_connection": [], "input_connection": inputs, "module_connection": modules}


def emit_pipeline_executor(engine: Engine, recipe: Recipe, fresh: Path, folder: Path) -> None:
    """Write what ``PipelineModule.load_library`` reads: ``config`` and the files it names.

    TVM opens files by the paths in there, so they are absolute: build again where a folder moved.

    Args:
        fresh: The folder with the built libraries that is to become the output folder.
        folder: The output folder.
    """
    at, final = fresh / FOLDER, folder.resolve()
    at.mkdir(parents=True)
    modules = []
    for number, stage in enumerate(recipe.stages):
        engine.write_graph(fresh, stage.library, at / f"json{number}", at / f"params{number}")
        modules.append(
            {
                "mod_idx": number,
                "lib_name": str(final / stage.library),
                "json_name": str(final / FOLDER / f"json{number}"),
                "params_name": str(final / FOLDER / f"params{number}"),
                "dev": _CPU,
            }
        )
    names = {name: str(final / FOLDER / name) for name in ("load_config", "pipeline_config")}
    documents = {
        "load_config": modules,
        "pipeline_config": pipeline_config(recipe),
        "config": names,
    }
    for name, document in documents.items():
        (at / name).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
