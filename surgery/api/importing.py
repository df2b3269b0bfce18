"""Any model as TVM JSON and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from surgery.api.reading import Progress, load_model, silent
from surgery.engines import get_engine
from surgery.graph import Module, TensorType


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was written.

    Attributes:
        module: The model's picture.
        output: The model file.
        params: The weights' file; ``None`` when it has none, or they are in the model.
        notes: What the user should know of how it was read.
    """

    module: Module
    output: Path
    params: Path | None
    notes: tuple[str, ...]


def import_model(
    path: str | Path,
    output: str | Path,
    params: str | Path | None = None,
    *,
    weights: str | Path | None = None,
    inputs: Mapping[str, TensorType] | None = None,
    allow_code: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Write a model of any kind that surgery reads as TVM JSON, and its weights.

    Args:
        path: The model.
        output: The JSON file to write.
        params: The file of weights to write; its ending says the format (``.safetensors``, else
            TVM's own). Without, weights stand in the JSON as constants.
        weights: Weights to read, of a TVM model.
        inputs: Types of inputs that the model leaves open.

    Raises:
        SurgeryError: As :func:`surgery.load_model`; S514, S561 what can't be written.
    """
    tell = progress or silent
    model = load_model(path, weights, inputs=inputs, allow_code=allow_code, progress=tell)
    tell("writing the model")
    engine = get_engine("relay")
    written = engine.save_model(model, Path(output), None if params is None else Path(params))
    return Imported(
        module=model.module,
        output=Path(output),
        params=written,
        notes=(*model.notes, *model.warnings),
    )
