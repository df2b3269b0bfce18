"""Recipe to JSON data and back. Decoding takes data that the schema has already accepted."""

from __future__ import annotations

from typing import assert_never

from surgery.recipe.model import (
    RECIPE_VERSION,
    FileReference,
    FromStage,
    Json,
    Recipe,
    RecipeBackend,
    RecipeInput,
    RecipeOutput,
    RecipePipeline,
    RecipeStage,
    StageInput,
    StageOutput,
)
from surgery.recipe.regions import (
    FromComposite,
    FromConstant,
    FromInput,
    KernelOperand,
    RecipeComposite,
    RecipeRegion,
    RecipeTensor,
    RegionConstant,
)
from surgery.syntax.ast import Value


def recipe_json(recipe: Recipe) -> Json:
    """Return ``recipe.json`` as data: keys in the contract's order, mappings sorted."""
    return {
        "recipe": RECIPE_VERSION,
        "engine": recipe.engine,
        "tvm": recipe.tvm,
        "spec": _file(recipe.spec),
        "model": _file(recipe.model),
        "params": None if recipe.params is None else _file(recipe.params),
        "inputs": [_tensor(i) for i in recipe.inputs],
        "outputs": [{**_tensor(o), "stage": o.stage, "output": o.output} for o in recipe.outputs],
        "stages": [_stage(s) for s in recipe.stages],
        "backends": [_backend(b) for b in recipe.backends],
        **(
            {}
            if recipe.pipeline is None
            else {"pipeline": {"on": recipe.pipeline.on, "depth": recipe.pipeline.depth}}
        ),
    }


def _file(file: FileReference) -> Json:
    return {"path": file.path, "sha256": file.sha256}


def _tensor(tensor: RecipeTensor) -> Json:
    return {"name": tensor.name, "shape": list(tensor.shape), "dtype": tensor.dtype}


def _from(origin: FromInput | FromStage | FromConstant | FromComposite) -> Json:
    match origin:
        case FromInput(input=name):
            return {"input": name}
        case FromConstant(constant=name):
            return {"constant": name}
        case FromComposite(composite=composite, output=output):
            return {"composite": composite, "output": output}
        case FromStage(stage=stage, output=output):
            return {"stage": stage, "output": output}
        case _:
            assert_never(origin)


def _value(value: Value) -> object:
    return [_value(v) for v in value] if isinstance(value, tuple) else value


def _stage(stage: RecipeStage) -> Json:
    return {
        "name": stage.name,
        "module": stage.module,
        "params": stage.params,
        "sha256": dict(sorted(stage.sha256.items())),
        "inputs": [{**_tensor(i), "from": _from(i.origin)} for i in stage.inputs],
        "outputs": [{**_tensor(o), "public": o.public} for o in stage.outputs],
        "target": stage.target,
        "opt_level": stage.opt_level,
        "executor": stage.executor,
        "config": {k: _value(v) for k, v in sorted(stage.config.items())},
        "disabled_passes": list(stage.disabled_passes),
        "library": stage.library,
        "threads": stage.threads,
    }


def _backend(backend: RecipeBackend) -> Json:
    return {
        "name": backend.name,
        "kind": backend.kind,
        "sources": [_file(s) for s in backend.sources],
        **({} if backend.library is None else {"library": backend.library}),
        **({} if backend.builtin is None else {"builtin": backend.builtin}),
        **({} if backend.module is None else {"module": backend.module}),
        **(
            {"options": {k: _value(v) for k, v in backend.options.items()}}
            if backend.options
            else {}
        ),
        "regions": [
            {
                "symbol": r.symbol,
                "pattern": r.pattern,
                "ops": list(r.ops),
                "stage": r.stage,
                "inputs": [_tensor(i) for i in r.inputs],
                "constants": [{**_tensor(c), "embedded": c.embedded} for c in r.constants],
                "outputs": [_tensor(o) for o in r.outputs],
                "composites": [_composite(c) for c in r.composites],
            }
            for r in backend.regions
        ],
    }


def _composite(composite: RecipeComposite) -> Json:
    return {
        "name": composite.name,
        "kernel": composite.kernel,
        "pattern": composite.pattern,
        "ops": list(composite.ops),
        "inputs": [{**_tensor(i), "from": _from(i.origin)} for i in composite.inputs],
        "constants": [{**_tensor(c), "from": _from(c.origin)} for c in composite.constants],
        "outputs": [_tensor(o) for o in composite.outputs],
    }


def recipe_from_json(data: Json) -> Recipe:
    """Return the recipe that schema-valid data describes; unknown keys are passed over."""
    return Recipe(
        engine=data["engine"],
        tvm=data["tvm"],
        spec=_read_file(data["spec"]),
        model=_read_file(data["model"]),
        params=_read_file(data["params"]) if data.get("params") else None,
        inputs=tuple(RecipeInput(**_typed(i)) for i in data["inputs"]),
        outputs=tuple(
            RecipeOutput(**_typed(o), stage=o["stage"], output=o["output"]) for o in data["outputs"]
        ),
        stages=tuple(_read_stage(s) for s in data["stages"]),
        backends=tuple(_read_backend(b) for b in data["backends"]),
        pipeline=_read_pipeline(data["pipeline"]) if data.get("pipeline") else None,
    )


def _read_pipeline(data: Json) -> RecipePipeline:
    return RecipePipeline(on=data["on"], depth=data.get("depth"))


def _read_file(data: Json) -> FileReference:
    return FileReference(path=data["path"], sha256=data["sha256"])


def _typed(data: Json) -> Json:
    return {"name": data["name"], "shape": tuple(data["shape"]), "dtype": data["dtype"]}


def _read_from(data: Json) -> FromInput | FromStage:
    if "input" in data:
        return FromInput(input=data["input"])
    return FromStage(stage=data["stage"], output=data["output"])


def _read_value(value: object) -> Value:
    if isinstance(value, list):
        return tuple(_read_value(v) for v in value)
    assert value is None or isinstance(value, bool | int | float | str)
    return value


def _read_stage(data: Json) -> RecipeStage:
    return RecipeStage(
        name=data["name"],
        module=data["module"],
        params=data["params"],
        sha256=dict(data["sha256"]),
        inputs=tuple(StageInput(**_typed(i), origin=_read_from(i["from"])) for i in data["inputs"]),
        outputs=tuple(StageOutput(**_typed(o), public=o["public"]) for o in data["outputs"]),
        target=data["target"],
        opt_level=data["opt_level"],
        executor=data["executor"],
        config={k: _read_value(v) for k, v in data["config"].items()},
        disabled_passes=tuple(data["disabled_passes"]),
        library=data["library"],
        threads=data.get("threads"),
    )


def _read_backend(data: Json) -> RecipeBackend:
    return RecipeBackend(
        name=data["name"],
        kind=data["kind"],
        sources=tuple(_read_file(s) for s in data["sources"]),
        library=data.get("library"),
        builtin=data.get("builtin"),
        module=data.get("module"),
        options={k: _read_value(v) for k, v in data.get("options", {}).items()},
        regions=tuple(
            RecipeRegion(
                symbol=r["symbol"],
                pattern=r["pattern"],
                ops=tuple(r["ops"]),
                stage=r["stage"],
                inputs=tuple(RecipeTensor(**_typed(i)) for i in r["inputs"]),
                constants=tuple(
                    RegionConstant(**_typed(c), embedded=c["embedded"]) for c in r["constants"]
                ),
                outputs=tuple(RecipeTensor(**_typed(o)) for o in r["outputs"]),
                composites=tuple(_read_composite(c) for c in r.get("composites", ())),
            )
            for r in data["regions"]
        ),
    )


def _read_composite(data: Json) -> RecipeComposite:
    return RecipeComposite(
        name=data["name"],
        kernel=data["kernel"],
        pattern=data["pattern"],
        ops=tuple(data["ops"]),
        inputs=tuple(_read_operand(i) for i in data["inputs"]),
        constants=tuple(_read_operand(c) for c in data["constants"]),
        outputs=tuple(RecipeTensor(**_typed(o)) for o in data["outputs"]),
    )


def _read_operand(data: Json) -> KernelOperand:
    origin: FromInput | FromConstant | FromComposite
    match data["from"]:
        case {"constant": name}:
            origin = FromConstant(constant=name)
        case {"composite": composite, "output": output}:
            origin = FromComposite(composite=composite, output=output)
        case other:
            origin = FromInput(input=other["input"])
    return KernelOperand(**_typed(data), origin=origin)
