"""One way to say that something is wrong: a code, a place, a reason and a remedy.

Codes are stable. ``S1xx`` syntax and schema, ``S2xx`` selectors and plan, ``S3xx`` surgery,
``S4xx`` engine and build, ``S5xx`` files. :mod:`surgery.codes` holds a paragraph for each.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from surgery.source import Span

Severity = Literal["error", "warning", "note"]

#: Exit states of the command line (docs/contract): keep in step with ``surgery explain``.
EXIT_DONE = 0
EXIT_FAULT = 1
EXIT_USAGE = 2
EXIT_DIFFERS = 3
EXIT_ENGINE = 4
EXIT_FILES = 5
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: ``S`` and three digits.
        message: What is wrong, in one sentence without a final full stop.
        span: Where, when there is a place.
        reason: Why it is wrong (may be empty).
        remedy: What the user can do about it (may be empty).
        notes: Further lines: candidates, a path through the graph, other places.
        severity: ``error``, ``warning`` or ``note``.
    """

    code: str
    message: str
    span: Span | None = None
    reason: str = ""
    remedy: str = ""
    notes: tuple[str, ...] = ()
    severity: Severity = "error"

    def as_json(self) -> dict[str, object]:
        """Return the finding as JSON-ready data (``line`` and ``column`` are 1-based)."""
        place: dict[str, object] | None = None
        if self.span is not None:
            place = {
                "file": self.span.source.path,
                "line": self.span.line,
                "column": self.span.column,
            }
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "place": place,
            "reason": self.reason,
            "remedy": self.remedy,
            "notes": list(self.notes),
        }


class SurgeryError(Exception):
    """Work stopped; carries every finding, most important first.

    Attributes:
        diagnostics: At least one, of which at least one is an error.
        exit_status: The process exit state that belongs to the first error.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic] | Diagnostic) -> None:
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        assert self.diagnostics, "a SurgeryError needs a diagnostic"
        super().__init__("\n".join(f"{d.code}: {d.message}" for d in self.diagnostics))

    @property
    def exit_status(self) -> int:
        errors = [d for d in self.diagnostics if d.severity == "error"] or list(self.diagnostics)
        return exit_status(errors[0].code)


#: Codes that stand for another state than their class: what a spec asks of the compiler is the
#: spec's fault, and what the compiler's files can't be read or written for is the file system's.
#: A worker that is lost or hangs failed at the engine's work, wherever its code stands.
_OTHER_STATES = {
    **dict.fromkeys(
        ("S403", "S405", "S406", "S410", "S411", "S412", "S547", "S575", "S577", "S578"), EXIT_FAULT
    ),
    **dict.fromkeys(("S416", "S417", "S430", "S440"), EXIT_FILES),
    **dict.fromkeys(("S564", "S565", "S566", "S572", "S573", "S574"), EXIT_ENGINE),
}


def exit_status(code: str) -> int:
    """Return the exit state that a diagnostic code stands for."""
    if code in _OTHER_STATES:
        return _OTHER_STATES[code]
    match code[1:2]:
        case "4":
            return EXIT_ENGINE
        case "5":
            return EXIT_FILES
        case _:
            return EXIT_FAULT


def error(
    code: str,
    message: str,
    span: Span | None = None,
    *,
    reason: str = "",
    remedy: str = "",
    notes: Sequence[str] = (),
) -> SurgeryError:
    """Return a :class:`SurgeryError` with one error in it, ready to raise."""
    return SurgeryError(
        Diagnostic(
            code=code, message=message, span=span, reason=reason, remedy=remedy, notes=tuple(notes)
        )
    )


class Collector:
    """Gathers findings so that one run reports all of them."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        if diagnostic not in self.found:
            self.found.append(diagnostic)

    def take(self, failure: SurgeryError) -> None:
        for diagnostic in failure.diagnostics:
            self.add(diagnostic)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self.found)

    def raise_if_errors(self) -> None:
        """Raise :class:`SurgeryError` with everything found when any of it is an error."""
        if self.has_errors:
            raise SurgeryError(in_reading_order(self.found))


def in_reading_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings as a reader meets them.

    Errors first; of those, what has no place, then each file's from its top, files in the order
    they were met.
    """
    order = {"error": 0, "warning": 1, "note": 2}
    files: dict[int, int] = {}

    def key(diagnostic: Diagnostic) -> tuple[int, int, int]:
        span = diagnostic.span
        if span is None:
            return order[diagnostic.severity], -1, 0
        at = files.setdefault(id(span.source), len(files))
        return order[diagnostic.severity], at, span.start

    return sorted(found, key=key)


def nearest(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known words closest to a misspelt one, best first."""
    pool = list(dict.fromkeys(known))
    close = difflib.get_close_matches(word, pool, n=limit, cutoff=0.6)
    if len(close) < limit:
        lower = word.lower()
        close += [k for k in pool if lower and lower in k.lower() and k not in close]
    return close[:limit]


def render(diagnostic: Diagnostic) -> str:
    """Return a finding as plain text: header, place, source line with caret, reason, remedy."""
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    span = diagnostic.span
    if span is not None:
        line, column = span.source.position(span.start)
        text = span.source.line(line)
        lines.append(f"  --> {span.source.path}:{line}:{column}")
        gutter = " " * len(str(line))
        shown, caret = _window(text, column, max(1, span.end - span.start))
        lines.append(f"  {gutter} |")
        lines.append(f"  {line} | {shown}")
        lines.append(f"  {gutter} | {caret}")
    if diagnostic.reason:
        lines.append(f"  why: {diagnostic.reason}")
    lines.extend(f"  note: {note}" for note in diagnostic.notes)
    if diagnostic.remedy:
        lines.append(f"  try: {diagnostic.remedy}")
    return "\n".join(lines)


def _window(text: str, column: int, width: int, limit: int = 100) -> tuple[str, str]:
    """Cut a long line to the part around a column; return it with its caret line."""
    at = column - 1
    start = max(0, min(at - limit // 2, len(text) - limit)) if len(text) > limit else 0
    shown = text[start : start + limit]
    prefix, suffix = ("…" if start else ""), ("…" if start + limit < len(text) else "")
    lead = "".join("\t" if c == "\t" else " " for c in text[start:at])
    caret = " " * len(prefix) + lead + "^" * max(1, min(width, len(shown) - (at - start)))
    return prefix + shown + suffix, caret
