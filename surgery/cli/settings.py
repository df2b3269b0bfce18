"""The variables of ``--set``."""

from __future__ import annotations

from collections.abc import Mapping

from surgery.diagnostics import Diagnostic, nearest


class Settings(dict[str, str]):
    """The variables of ``--set``; knows which of them a spec asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self._asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self._asked.add(name)
        return super().__getitem__(name)

    def unused(self) -> list[Diagnostic]:
        """Return a warning for each variable that no spec has asked for."""
        return [
            Diagnostic(
                code="S597",
                message=f"`--set {name}=...` sets a variable that the spec doesn't use",
                remedy=_meant(name, self._asked),
                severity="warning",
            )
            for name in self
            if name not in self._asked
        ]


def _meant(name: str, asked: set[str]) -> str:
    close = nearest(name, sorted(asked))
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"write `${{{name}}}` where the value belongs, or leave it out"
