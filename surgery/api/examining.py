"""Looking over a module that someone has already partitioned."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

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
        from surgery.listing import read_listing

        module = read_listing(source)
    elif isinstance(model, str | Path):
        module = get_engine("relay").load(str(model)).module
    elif hasattr(model, "module") and hasattr(model, "sha256"):
        module = model.module
    else:
        module = get_engine("relay").adopt(model).module
    served = _installed(module)
    return examine_module(
        module, source, None if served is None else served | made | frozenset(codegens)
    )


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
