"""``doctor``: findings in a module that TVM's own passes have partitioned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.specs import STDIN, read_stdin
from surgery.diagnostics import EXIT_DONE, EXIT_FAULT
from surgery.source import Source


def doctor(session: Session, *, module: str, codegens: Sequence[str]) -> Outcome:
    """Run ``surgery doctor``."""
    given: str | Source = module if module != "-" else Source(read_stdin().text, STDIN)
    found = api.examine(given, codegens=codegens)
    name = module if module != "-" else STDIN
    return Outcome(
        document=lambda: {
            "regions": [
                {
                    "function": r.function,
                    "backend": r.backend,
                    "arguments": r.arguments,
                    "composites": list(r.composites),
                    "codes": list(r.codes),
                }
                for r in found.regions
            ],
            "diagnostics": [d.as_json() for d in found.findings],
        },
        lines=lambda: _lines(name, found),
        diagnostics=found.findings,
        status=EXIT_DONE if found.is_healthy else EXIT_FAULT,
    )


def _lines(name: str, found: api.Checkup) -> Iterator[str]:
    for region in found.regions:
        composites = ", ".join(region.composites) or "no composite"
        arguments = f"{region.arguments} argument{'' if region.arguments == 1 else 's'}"
        state = " ".join(region.codes) or "ok"
        yield f"@{region.function} ({region.backend}, {arguments}; {composites}): {state}"
    count = len(found.findings)
    regions = f"{len(found.regions)} region{'' if len(found.regions) == 1 else 's'}"
    said = "nothing found" if not count else f"{count} finding{'' if count == 1 else 's'}"
    yield f"{name}: {regions}, {said}"
