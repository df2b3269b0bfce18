"""Looking over a module that someone has already partitioned."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from surgery.api.reading import ModelLike, text_listing
from surgery.diagnostics import SurgeryError
from surgery.doctor import Checkup
from surgery.doctor import examine as examine_module
from surgery.engines import get_engine
from surgery.graph import Module
from surgery.recipe import read_recipe
from surgery.source import Source


def examine(model: ModelLike | Source, *, codegens: Collection[str] = ()) -> Checkup:
    """Look over a partitioned module: what will not build or run, and what to do about it.

    A text is read as it stands, without TVM and without its metadata section, so that also what
    TVM would refuse to read is found and has a place.

    Args:
        model: A path, a listing as text (:class:`surgery.source.Source`), a loaded model, or an IR
            module of the engine (never changed).
        codegens: Names of backends that have a codegen although the installed TVM has none.

    Raises:
        SurgeryError: S50x, S52x the file can't be read; S40x its engine isn't installed.
    """
    source: Source | None = None
    made: frozenset[str] = frozenset()
    if isinstance(model, str | Path):
        source = text_listing(str(model))
        made = _backends_of_recipe(Path(model))
    elif isinstance(model, Source):
        source = model
    if source is not None:
        from surgery.listing import read_listing, unpasted

        source = Source(unpasted(source.text.replace("\r\n", "\n")).text, source.path)
        module = read_listing(source, needs_main=False)
    elif hasattr(model, "module") and hasattr(model, "sha256"):
        module = model.module
    else:
        module = _picture(str(model) if isinstance(model, Path) else model)
    served = _installed(module)
    return examine_module(
        module, source, None if served is None else served | made | frozenset(codegens)
    )


def _picture(model: Any) -> Module:
    """Return the picture of a file or of a module in memory.

    Also of one that doesn't type-check or has no ``main``: a region that is called with too few
    arguments is what an examination is for.
    """
    engine = get_engine("relay")
    try:
        loaded = engine.load(model) if isinstance(model, str) else engine.adopt(model)
    except SurgeryError as failure:
        if not {d.code for d in failure.diagnostics} <= {"S505", "S506"}:
            raise
        from surgery.listing import read_listing

        name = model if isinstance(model, str) else "<module>"
        return read_listing(Source(engine.printed(model), name), needs_main=False)
    return loaded.module


def _installed(module: Module) -> frozenset[str] | None:
    """Return which of a module's backends TVM has a codegen for; ``None`` without a TVM."""
    wanted = {
        str(backend)
        for graph in module.functions.values()
        if (backend := graph.function_attrs.get("Compiler")) is not None
    }
    if not wanted or importlib.util.find_spec("tvm") is None:
        return None
    try:
        return get_engine("relay").codegens(sorted(wanted))
    except SurgeryError:
        return None  # a TVM without Relay, or one that doesn't load: nothing is known


def _backends_of_recipe(path: Path) -> frozenset[str]:
    """Return the backends that surgery itself compiles, of the output folder a file is in."""
    for folder in (path.parent, *path.parent.parents[:2]):
        if (folder / "recipe.json").is_file():
            with suppress(SurgeryError):
                return frozenset(b.name for b in read_recipe(folder).backends)
            break
    return frozenset()
