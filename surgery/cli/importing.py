"""``surgery import``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.graph import TensorType
from surgery.report.text import clean, plural

if TYPE_CHECKING:
    from surgery.api.importing import Imported
    from surgery.syntax.ast import BindInput


def import_model(
    session: Session,
    *,
    model: str,
    output: Path,
    params: Path | None,
    weights: str | None,
    binds: tuple[BindInput, ...],
    allow_code: bool,
) -> Outcome:
    """Run ``surgery import``."""
    with session.progress() as progress:
        done = api.import_model(
            model, output, params, weights=weights, inputs=types(binds), allow_code=allow_code,
            progress=progress,
        )  # fmt: skip
    main = done.module.main
    return Outcome(
        document=lambda: {
            "output": str(done.output),
            "params": None if done.params is None else str(done.params),
            "ops": main.kinds.count("call"),
            "inputs": [
                {"name": main.names[p], "type": str(main.types[p])}
                for p in main.params if main.kinds[p] == "input"
            ],
            "outputs": list(done.module.output_names),
            "notes": list(done.notes),
            "diagnostics": [],
        },
        lines=lambda: _lines(done),
    )  # fmt: skip


def types(binds: tuple[BindInput, ...]) -> dict[str, TensorType]:
    """Return the types that ``--bind`` gives."""
    return {b.name: TensorType(b.shape, b.dtype) for b in binds}


def _lines(done: Imported) -> Iterator[str]:
    main = done.module.main
    for p in main.params:
        if main.kinds[p] == "input":
            yield clean(f"input {main.names[p]}: {main.types[p]}")
    for name, ref in zip(done.module.output_names, main.outputs, strict=False):
        yield clean(f"output {name}: {main.type_of(ref)}")
    yield from (clean(f"note: {note}") for note in done.notes)
    weights = main.kinds.count("param")
    size = f"{plural(main.kinds.count('call'), 'op')}, {plural(weights, 'weight')}"
    yield f"wrote {done.output}" + (f" and {done.params}" if done.params else "") + f": {size}"
