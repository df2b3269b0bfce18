"""``recipe.json`` on disk: reading with every check, writing, and the hashes of its files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.recipe.atomic import write_atomic
from surgery.recipe.encode import recipe_from_json, recipe_json
from surgery.recipe.model import RECIPE_VERSION, FromStage, Recipe, StageInput
from surgery.recipe.place import RECIPE_NAME, no_recipe, recover
from surgery.recipe.regions import FromInput, RecipeTensor
from surgery.source import Source, Span, file_sha256
from surgery.syntax.resources import grammar_text

SCHEMA_NAME = "recipe.schema.json"
_SHOWN = 8


@cache
def recipe_schema() -> dict[str, Any]:
    """Return the JSON schema of ``recipe.json`` (draft 2020-12)."""
    schema: dict[str, Any] = json.loads(grammar_text(SCHEMA_NAME))
    return schema


def recipe_folder(path: str | os.PathLike[str]) -> Path:
    """Return the output folder that a path names: itself, or the folder of its recipe."""
    path = Path(path)
    return path if path.is_dir() or path.suffix != ".json" else path.parent


def write_recipe(recipe: Recipe, folder: str | os.PathLike[str]) -> Path:
    """Write ``recipe.json`` into a folder: UTF-8, ``\\n``, the same bytes for the same recipe.

    Raises:
        SurgeryError: S563.
    """
    path = Path(folder) / RECIPE_NAME
    text = json.dumps(recipe_json(recipe), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomic(path, text.encode())
    return path


def read_recipe(path: str | os.PathLike[str]) -> Recipe:
    """Read the recipe of an output folder, or a recipe file.

    A folder that a killed run left half replaced is put in order first. Keys that this version
    does not know are ignored, with a note each in ``Recipe.notes``.

    Raises:
        SurgeryError: S550 no recipe; S551 not JSON; S552 not as the schema says, or stages that do
            not fit each other; S553 a version that is not known.
    """
    folder = recipe_folder(path)
    recover(folder)
    file = folder / RECIPE_NAME if Path(path) == folder else Path(path)
    shown = str(file)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise no_recipe(os.fspath(path)) from None
    except OSError as failure:
        raise error(
            "S550", f"cannot read {shown}", reason=failure.strerror or str(failure)
        ) from failure
    except UnicodeDecodeError as failure:
        raise _not_json(shown, f"byte {failure.start} is not UTF-8") from failure
    data = _parse(text, shown)
    _check_version(data, shown)
    _check_schema(data, shown)
    recipe = recipe_from_json(data)
    faults = list(_contradictions(recipe))
    if faults:
        raise SurgeryError([_invalid(shown, fault) for fault in faults[:_SHOWN]])
    notes = tuple(
        Diagnostic(
            code="S554",
            message=f"{shown}: {where} is not known to this version and ignored",
            severity="note",
        )
        for where in _unknown(data, recipe_schema(), "")
    )
    return replace(recipe, notes=notes)


def _parse(text: str, shown: str) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as failure:
        source = Source(text, shown)
        at = min(failure.pos, max(len(text) - 1, 0))
        cut = failure.pos >= len(text.rstrip())
        raise _not_json(
            shown,
            "it ends in the middle: the file is truncated" if cut else failure.msg,
            Span(source, at, at + 1) if text else None,
        ) from failure
    except (ValueError, RecursionError) as failure:
        raise _not_json(shown, str(failure)) from failure
    if not isinstance(data, dict) or "recipe" not in data:
        raise _not_json(shown, 'it is some other JSON file: the key "recipe" is missing')
    return data


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _not_json(shown: str, reason: str, span: Span | None = None) -> SurgeryError:
    return error(
        "S551",
        f"{shown} is not a recipe",
        span,
        reason=reason,
        remedy="write the folder again with `surgery apply`",
    )


def _check_version(data: dict[str, Any], shown: str) -> None:
    version = data["recipe"]
    if type(version) is not int or version != RECIPE_VERSION:
        raise error(
            "S553",
            f"{shown} is a recipe of version {json.dumps(version)[:40]}",
            reason=f"this surgery reads version {RECIPE_VERSION}",
            remedy="use the surgery that wrote it, or write the folder again with this one",
        )


def _invalid(shown: str, reason: str) -> Diagnostic:
    return Diagnostic(
        code="S552",
        message=f"{shown} is not a valid recipe",
        reason=reason,
        remedy="write the folder again with `surgery apply`, or correct it by hand as "
        "`surgery schema recipe` says",
    )


def _check_schema(data: dict[str, Any], shown: str) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(recipe_schema())
    found = Collector()
    for fault in sorted(validator.iter_errors(data), key=lambda e: [str(p) for p in e.path]):
        best = jsonschema.exceptions.best_match([fault])
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in best.absolute_path)
        text = best.message if len(best.message) <= 200 else best.message[:197] + "..."
        found.add(_invalid(shown, f"{where.lstrip('.') or 'the file'}: {text}"))
        if len(found.found) == _SHOWN:
            break
    found.raise_if_errors()


def _unknown(data: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    """Yield the place of every key that the schema does not list."""
    schema = _resolved(schema)
    if isinstance(data, dict) and "anyOf" in schema:
        # No choice of the format is between two kinds of object.
        choices = map(_resolved, schema["anyOf"])
        schema = next((c for c in choices if c.get("type") == "object"), schema)
    if isinstance(data, dict) and "additionalProperties" not in schema:
        known = schema.get("properties", {})
        for key, value in data.items():
            place = f"{where}.{key}" if where else str(key)
            if key not in known:
                close = nearest(key, known, 1)
                yield f"{place!r}" + (f" (near {close[0]!r})" if close else "")
            else:
                yield from _unknown(value, known[key], place)
    elif isinstance(data, list) and "items" in schema:
        for index, value in enumerate(data):
            yield from _unknown(value, schema["items"], f"{where}[{index}]")


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference of the schema refers to, or the schema itself."""
    if "$ref" not in schema:
        return schema
    found: dict[str, Any] = recipe_schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    return found


def _contradictions(recipe: Recipe) -> Iterator[str]:
    """Yield what the schema cannot say: names that repeat, or that lead nowhere."""
    yield from _repeated("inputs", recipe.inputs)
    yield from _repeated("outputs", recipe.outputs)
    known: dict[FromInput | FromStage, RecipeTensor] = {
        FromInput(input=i.name): i for i in recipe.inputs
    }
    for number, stage in enumerate(recipe.stages):
        where = f"stages[{number}]"
        yield from _repeated(f"{where}.inputs", stage.inputs)
        yield from _repeated(f"{where}.outputs", stage.outputs)
        for value in stage.inputs:
            yield from _wrong(f"{where}.inputs: {value.name!r}", known, value.origin, value)
        known |= {FromStage(stage=number, output=o.name): o for o in stage.outputs}
    for output in recipe.outputs:
        origin = FromStage(stage=output.stage, output=output.output)
        yield from _wrong(f"outputs: {output.name!r}", known, origin, output)
    for backend in recipe.backends:
        for region in backend.regions:
            if region.stage >= len(recipe.stages):
                yield f"backends: region {region.symbol!r} is in stage {region.stage}, of none"


def _repeated(where: str, values: Sequence[RecipeTensor]) -> Iterator[str]:
    seen: set[str] = set()
    for value in values:
        if value.name in seen:
            yield f"{where}: {value.name!r} stands twice"
        seen.add(value.name)


def _wrong(
    where: str,
    known: dict[FromInput | FromStage, RecipeTensor],
    origin: FromInput | FromStage,
    value: RecipeTensor | StageInput,
) -> Iterator[str]:
    source = known.get(origin)
    if isinstance(origin, FromInput):
        named = f"model input {origin.input!r}"
    else:
        named = f"output {origin.output!r} of stage {origin.stage}"
    if source is None:
        yield f"{where} comes from {named}, which is not there (or runs later)"
    elif source.type != value.type:
        yield f"{where} is {value.type}, but {named} is {source.type}"


def check_files(recipe: Recipe, folder: str | os.PathLike[str], *, to_run: bool = False) -> None:
    """Check that the files of a recipe are those that it was written with.

    Args:
        to_run: Only a run is wanted, which needs libraries: modules and weights may be absent,
            but not changed. Otherwise a build: libraries do not matter.

    Raises:
        SurgeryError: S555 a file was changed; S556 it is missing. All of them are reported.
    """
    found = Collector()
    folder = Path(folder)
    for backend in recipe.backends if not to_run else ():
        for source in backend.sources:
            try:
                actual = file_sha256(folder / source.path)
            except OSError:
                found.add(_missing(folder / source.path, f"the recipe's backend {backend.name!r}"))
                continue
            if actual != source.sha256:
                found.add(_changed(folder / source.path, source.sha256, actual, to_run))
    for stage in recipe.stages:
        needed = {stage.module, *((stage.params,) if stage.params else ())}
        if to_run:
            needed = set()
        for path in sorted({*needed, *stage.sha256}):
            if path == stage.library and not to_run:
                continue
            try:
                actual = file_sha256(folder / path)
            except FileNotFoundError:
                if path in needed:
                    found.add(_missing(folder / path, f"the recipe's stage {stage.name!r}"))
                continue
            except OSError as failure:
                found.add(
                    Diagnostic(
                        code="S556",
                        message=f"cannot read {folder / path}",
                        reason=failure.strerror or str(failure),
                    )
                )
                continue
            if path in stage.sha256 and stage.sha256[path] != actual:
                found.add(_changed(folder / path, stage.sha256[path], actual, to_run))
    found.raise_if_errors()


def _missing(path: Path, user: str) -> Diagnostic:
    return Diagnostic(
        code="S556",
        message=f"{path} is missing",
        reason=f"{user} is built from it",
        remedy="put it back, or write the folder again with `surgery apply`",
    )


def _changed(path: Path, expected: str, actual: str, to_run: bool) -> Diagnostic:
    return Diagnostic(
        code="S555",
        message=f"{path} was changed since the recipe was written",
        reason=f"its SHA-256 is {actual[:16]}..., the recipe says {expected[:16]}...",
        remedy=(
            "build it again with `surgery build`, or write the folder again with `surgery apply`"
            if to_run
            else "put the original back, or write the folder again with `surgery apply`"
        ),
    )


def with_library_hashes(recipe: Recipe, folder: str | os.PathLike[str]) -> Recipe:
    """Return the recipe with the hash of every library in a folder; unbuilt ones have none."""
    paths = {stage.library: Path(folder) / stage.library for stage in recipe.stages}
    return recipe.with_hashes(
        {name: file_sha256(path) if path.is_file() else None for name, path in paths.items()}
    )
