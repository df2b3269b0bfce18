"""What goes to the terminal: results on stdout; diagnostics, logs and progress on stderr."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from surgery.diagnostics import EXIT_DONE, Diagnostic, render

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


class Interrupted(KeyboardInterrupt):
    """The user stopped a run; the text says what it leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command found.

    Attributes:
        document: Gives its JSON form; ``ok`` is added.
        lines: Gives its text form. Of the two only what is shown is computed.
        diagnostics: What to say on stderr besides.
        status: The exit state.
    """

    document: Callable[[], dict[str, Any]]
    lines: Callable[[], Iterable[str]] = tuple
    diagnostics: Sequence[Diagnostic] = ()
    status: int = EXIT_DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """How one run of the command line talks.

    Attributes:
        json: One JSON document on stdout and nothing else there.
        quiet: Only errors; no results, notes or progress.
        no_color: Never colour, whatever the terminal.
    """

    json: bool = False
    quiet: bool = False
    no_color: bool = False

    @classmethod
    def from_arguments(cls, arguments: Sequence[str]) -> Session:
        """Read the flags that matter before (or although) the arguments don't parse."""
        words = arguments[: arguments.index("--")] if "--" in arguments else arguments
        return cls(
            json="--json" in words,
            quiet="--quiet" in words or "-q" in words,
            no_color="--no-color" in words,
        )

    def colourful(self, stream: Any) -> bool:
        """Whether a stream is a terminal that may be coloured."""
        if self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return False
        return bool(stream.isatty())

    def finish(self, outcome: Outcome) -> int:
        """Print an outcome; return the exit state."""
        self.say(outcome.diagnostics)
        try:
            if self.json:
                ok = outcome.status == EXIT_DONE
                self._document({"ok": ok, **outcome.document()})
            elif not self.quiet:
                self._lines(outcome.lines())
            sys.stdout.flush()
        except BrokenPipeError:
            self.close_output()
        return outcome.status

    def say(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print findings on stderr; under ``--json`` they are in the document instead."""
        if self.json:
            return
        for diagnostic in diagnostics:
            if self.quiet and diagnostic.severity != "error":
                continue
            self._diagnostic(diagnostic)

    def fail(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Report the findings that ended the run."""
        if self.json:
            self._last_document({"diagnostics": [d.as_json() for d in diagnostics]})
        self.say(diagnostics)

    def interrupted(self, text: str) -> None:
        """Report that the user stopped the run."""
        if self.json:
            self._last_document({"interrupted": True, "diagnostics": []})
        self._error_line(text)

    def close_output(self) -> None:
        """Give up a stdout whose reader is gone, so that closing it can't fail again."""
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    @contextmanager
    def progress(self) -> Iterator[Callable[..., None] | None]:
        """Give what long steps report to: bars on a terminal, lines elsewhere."""
        if self.quiet:
            yield None
        elif self.colourful(sys.stderr) and not self.json:
            from surgery.cli.progress import bars

            with bars() as report:
                yield report
        else:
            yield _LineProgress(self._error_line)

    def _document(self, document: dict[str, Any]) -> None:
        sys.stdout.write(json_text(document))

    def _last_document(self, document: dict[str, Any]) -> None:
        try:
            self._document({"ok": False, **document})
            sys.stdout.flush()
        except BrokenPipeError:
            self.close_output()

    def _lines(self, lines: Iterable[str]) -> None:
        colour = self.colourful(sys.stdout)
        for line in lines:
            # A line that starts a section is a title: at the margin and ended by a colon.
            if colour and line.endswith(":") and line[:1].isalpha():
                line = f"\x1b[1m{line}\x1b[0m"
            sys.stdout.write(line + "\n")

    def _diagnostic(self, diagnostic: Diagnostic) -> None:
        text = render(diagnostic)
        if not self.colourful(sys.stderr):
            self._error_line(text)
            return
        from rich.console import Console
        from rich.text import Text

        first, *rest = text.splitlines()
        colour = _COLOURS[diagnostic.severity]
        body = Text().append(first, style=f"bold {colour}")
        for line in rest:
            mark = set(line.split("|", 1)[-1].strip()) == {"^"}
            label = line.lstrip().startswith(("why:", "note:", "try:"))
            body.append("\n")
            if mark:
                body.append(line, style=f"bold {colour}")
            elif label:
                key, said = line.split(":", 1)
                body.append(key + ":", style="bold")
                body.append(said)
            else:
                body.append(line, style="dim" if line.lstrip().startswith("-->") else "")
        Console(stderr=True, highlight=False, soft_wrap=True).print(body)

    def _error_line(self, text: str) -> None:
        with suppress(BrokenPipeError):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def json_text(document: dict[str, Any]) -> str:
    """Return a document as JSON text, indented, ended by a newline."""
    return json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Return a document with what JSON can't hold (NaN, infinities) as text."""
    match value:
        case float():
            return value if math.isfinite(value) else str(value)
        case dict():
            return {key: _finite(v) for key, v in value.items()}
        case list() | tuple():
            return [_finite(v) for v in value]
        case _:
            return value


class _LineProgress:
    """Progress as one line a step, for logs."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._last = ""

    def __call__(self, event: str, done: int | None = None, total: int | None = None) -> None:
        if event != self._last:
            self._last = event
            self._write(f"surgery: {event}")
