"""Specs and models as a caller names them: text, paths, modules in memory."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import Collector, error
from surgery.engines import get_engine
from surgery.engines.base import EngineModel
from surgery.graph import Module, TensorType
from surgery.source import Source
from surgery.syntax import ast, load_text

#: Called as ``progress(event, done=None, total=None)`` while a long step runs.
Progress = Callable[..., None]

#: What a caller may give as a model: a file, a loaded model, or an IR module in memory.
ModelLike = Any

_TEXT_SUFFIXES = (".relay", ".txt")


def silent(event: str, done: int | None = None, total: int | None = None) -> None:
    """Report progress to nobody."""


def parse_spec(
    text: str, path: str = "<command line>", variables: Mapping[str, str] | None = None
) -> ast.Spec:
    """Parse a spec given as text (the one-liner of a command line).

    Paths of ``include`` are relative to the working folder.

    Raises:
        SurgeryError: Every fault of syntax, with its place.
    """
    return load_text(Source(text, path), variables or {}, form="text")


def load_model(
    path: str | Path,
    params: str | Path | None = None,
    *,
    inputs: Mapping[str, TensorType] | None = None,
    allow_code: bool = False,
    progress: Progress | None = None,
) -> EngineModel:
    """Load a model file, and its weights, with the engine that reads it.

    Args:
        inputs: Types of the inputs of another framework's model, where its file leaves them open.
        allow_code: Run what such a file brings as code.

    Raises:
        SurgeryError: S50x a file is missing, damaged or no model; S40x no engine is installed;
            S53x, S54x another framework's model can't be converted.
    """
    return get_engine("relay").load(
        str(path), None if params is None else str(params), inputs=inputs, allow_code=allow_code,
        progress=progress,
    )  # fmt: skip


def load_picture(
    path: str | Path,
    params: str | Path | None = None,
    *,
    inputs: Mapping[str, TensorType] | None = None,
    progress: Progress | None = None,
) -> Module:
    """Return a model's picture, without TVM where the file is a listing that TVM can't rebuild.

    A listing without its metadata section, and any listing where TVM isn't installed, is read by
    surgery's own grammar: enough to show and to plan.
    """
    listing = listing_of(str(path))
    if listing is not None:
        return listing
    return load_model(path, params, inputs=inputs, progress=progress).module


def text_listing(path: str) -> Source | None:
    """Return the text of a file that is named as a listing and is text, else ``None``."""
    if not path.endswith(_TEXT_SUFFIXES):
        return None
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # the engine's loader says what is wrong
    return None if text.lstrip().startswith("{") else Source(text, path)


def listing_of(path: str) -> Module | None:
    """Read a text listing without TVM when TVM could not, else ``None``."""
    pasted = text_listing(path)
    if pasted is None:
        return None
    from surgery.listing import begins_inside, prescan, read_listing, unpasted

    text = pasted.text
    source = Source(unpasted(text).text, path)
    incomplete = "meta[" in text and "#[metadata]" not in text
    if (
        not incomplete
        and begins_inside(source) is None
        and importlib.util.find_spec("tvm") is not None
    ):
        return None
    found = Collector()
    for diagnostic in prescan(source):
        found.add(diagnostic)
    found.raise_if_errors()
    return read_listing(source)


@dataclass(frozen=True, slots=True)
class Files:
    """Where the model and its weights are, and what the user called them."""

    model: str
    params: str | None


def locate(
    spec: ast.Spec, model: str | Path | None, params: str | Path | None, base: Path | None
) -> Files:
    """Find the model's files: what the caller names wins over the spec's ``model`` statement."""
    statement = next((s for s in spec.statements if isinstance(s, ast.Model)), None)

    def beside(path: str) -> str:
        if Path(path).is_absolute():
            return path
        folder = base
        if statement is not None and statement.span is not None:
            # An included file may name the model; its paths are relative to itself.
            written = Path(statement.span.source.path)
            folder = written.parent if written.is_file() else base
        return os.path.normpath(folder / path) if folder is not None else path

    if model is not None:
        given = None if params is None else str(params)
        return Files(str(model), given)
    if statement is None:
        raise error(
            "S251",
            "no model is named",
            remedy='write `model "net.json" params "net.params"` in the spec, or give --model',
        )
    weights = str(params) if params is not None else statement.params and beside(statement.params)
    return Files(beside(statement.path), weights)
