"""``stub``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import click

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.specs import read_spec
from surgery.stubs import Parameter

#: Missing kernels that one line names; of more, the rest is counted.
_NAMED = 6


def stub(
    session: Session,
    *,
    spec: str,
    output: Path | None,
    model: str | None,
    params: str | None,
    variables: Mapping[str, str],
    backend: str | None,
    language: Literal["c", "te"] | None,
    force: bool,
    append: bool,
) -> Outcome:
    """Run ``surgery stub``."""
    if force and append:
        raise click.UsageError("--force replaces a file, --append adds to it: give one of them")
    given = read_spec(spec, variables)
    done = api.stub(
        given.spec,
        output,
        model=model,
        params=params,
        base=None if given.path is None else given.path.parent,
        backend=backend,
        language=language,
        force=force,
        append=append,
    )
    return Outcome(
        document=lambda: {
            "files": [
                {
                    "path": str(f.path),
                    "action": f.action,
                    "backend": f.backend,
                    "missing": list(f.missing),
                }
                for f in done.files
            ],
            "kernels": [
                {
                    "symbol": k.symbol,
                    "composite": k.composite,
                    "calls": len(k.sites),
                    "inputs": [_parameter(p) for p in k.inputs],
                    "outputs": [_parameter(p) for p in k.outputs],
                }
                for k in done.kernels
            ],
        },
        lines=lambda: _lines(done),
    )


def _parameter(parameter: Parameter) -> dict[str, object]:
    return {
        "name": parameter.name,
        "role": parameter.role,
        "shape": list(parameter.type.shape),
        "dtype": parameter.type.dtype,
    }


def _lines(done: api.Stubbed) -> Iterator[str]:
    calls = sum(len(k.sites) for k in done.kernels)
    kernels = len(done.kernels)
    yield f"{kernels} kernel{'s' * (kernels != 1)}, called {calls} time{'s' * (calls != 1)}"
    for file in done.files:
        lacks = file.missing and file.path.suffix not in (".h", ".hh", ".hpp")
        otherwise = "--append adds what it lacks" if lacks else "--force replaces it"
        yield f"{file.action} {file.path}" + (f" ({otherwise})" if file.action == "kept" else "")
        if file.missing:
            more = len(file.missing) - _NAMED
            named = ", ".join(file.missing[:_NAMED]) + (f" and {more} more" if more > 0 else "")
            yield f"  {named}" if file.action == "appended" else f"  it lacks {named}"
    for backend in done.plan.backends:
        if backend.kind != "tvm":
            continue
        source = next((f.path for f in done.files if f.backend == backend.name
                       and f.path.suffix != ".h"), None)  # fmt: skip
        if source is not None:
            kind = "te" if source.suffix == ".py" else "c"
            yield (
                f'to use it: `backend {backend.name} {{ via {kind} "{source.name}" }}` in the '
                "spec, the path as seen from the spec"
            )
