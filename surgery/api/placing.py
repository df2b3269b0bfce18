"""Where in a spec something is written that an engine, which knows names only, refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.source import Span
from surgery.syntax import ast


def placed(
    diagnostic: Diagnostic, statements: Sequence[ast.Statement], word: str = ""
) -> Diagnostic:
    """Return a finding with the place of a word in the statements that may hold it.

    Where the word isn't written out (it came from a variable) the first statement is the place.
    """
    spans = [s.span for s in statements if s.span is not None]
    if diagnostic.span is not None or not spans:
        return diagnostic
    whole = re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w.])")
    for span in spans:
        found = whole.search(span.source.text, span.start, span.end) if word else None
        if found:
            return replace(diagnostic, span=Span(span.source, found.start(), found.end()))
    return replace(diagnostic, span=spans[0])


def prepare_error(failure: SurgeryError, spec: ast.Spec) -> SurgeryError:
    """Return what an engine said of ``bind`` and ``prepare``, each finding at its statement."""
    binds = [s for s in spec.statements if isinstance(s, ast.BindInput)]
    passes = [s for s in spec.statements if isinstance(s, ast.Prepare)]
    names = [call.name for s in passes for call in s.passes]

    def place(diagnostic: Diagnostic) -> Diagnostic:
        said = diagnostic.message.replace("'", " ").split()
        if diagnostic.code == "S406":
            about = [s for s in binds if s.name in said]
            return placed(diagnostic, about)
        if diagnostic.code in ("S403", "S404", "S405"):
            return placed(diagnostic, passes, next((n for n in names if n in said), ""))
        return diagnostic

    return SurgeryError([place(d) for d in failure.diagnostics])
