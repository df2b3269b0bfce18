"""The text form: text -> statements, selectors and patterns."""

from __future__ import annotations

import re
from typing import Any, assert_never, cast

from lark.exceptions import UnexpectedInput, UnexpectedToken

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.syntax import ast
from surgery.syntax.build_ast import Builder
from surgery.syntax.examples import EXAMPLES, PATTERN_EXAMPLE, SELECTOR_EXAMPLE
from surgery.syntax.expected import unexpected, unknown_statement
from surgery.syntax.origin import Origin, Variables
from surgery.syntax.statements import MAX_DEPTH, Chunk, Fault, split
from surgery.syntax.tables import parser

#: So many faults and the text isn't a spec at all.
MAX_FINDINGS = 50

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FIRST_WORD = re.compile(r"[^\W\d]\w*(?![\w.\/:@$-])|[^\s;(){}\[\],\"'=]+|\S")


def parse_statements(
    text: str, origin: Origin, variables: Variables, found: Collector
) -> tuple[ast.Statement, ...]:
    """Return the statements of a text; what is wrong with the others goes to ``found``."""
    statements: list[ast.Statement] = []
    start = len(found.found)
    for chunk in split(text).chunks:
        if len(found.found) - start >= MAX_FINDINGS:
            found.add(
                Diagnostic(
                    code="S101",
                    message=f"more than {MAX_FINDINGS} statements are wrong: the rest is not read",
                    span=origin.span(chunk.start, chunk.end),
                    severity="note",
                )
            )
            break
        try:
            statements.append(parse_statement(text, chunk, origin, variables))
        except SurgeryError as failure:
            found.take(failure)
    return tuple(statements)


def parse_statement(text: str, chunk: Chunk, origin: Origin, variables: Variables) -> ast.Statement:
    """Return the statement of one chunk of a text."""
    first = _FIRST_WORD.match(text, chunk.start, chunk.end)
    word = first.group() if first else text[chunk.start]
    if word not in EXAMPLES:
        raise SurgeryError(unknown_statement(word, chunk.start, origin))
    return cast(ast.Statement, _parse(text, chunk, "statement", EXAMPLES[word], origin, variables))


def parse_selector_text(text: str, origin: Origin, variables: Variables) -> ast.Selector:
    """Return the selector that a text is."""
    chunk = _only_chunk(text, "a selector", SELECTOR_EXAMPLE, origin)
    return cast(ast.Selector, _parse(text, chunk, "selector", SELECTOR_EXAMPLE, origin, variables))


def parse_pattern_text(text: str, origin: Origin, variables: Variables) -> ast.Pattern:
    """Return the pattern that a text is."""
    chunk = _only_chunk(text, "a pattern", PATTERN_EXAMPLE, origin)
    return cast(ast.Pattern, _parse(text, chunk, "pattern", PATTERN_EXAMPLE, origin, variables))


def _only_chunk(text: str, what: str, example: str, origin: Origin) -> Chunk:
    chunks = split(text, whole=True).chunks
    if not chunks:
        raise SurgeryError(
            Diagnostic(
                code="S116",
                message=f"{what} is missing",
                span=origin.span(0, len(text)),
                remedy=f"write for example: {example}",
            )
        )
    return chunks[0]


def _parse(
    text: str, chunk: Chunk, start: str, example: str, origin: Origin, variables: Variables
) -> Any:
    if chunk.faults:
        raise SurgeryError([_fault(text, fault, origin) for fault in chunk.faults[:1]])
    session: Any = parser().parse_interactive(text[chunk.start : chunk.end], start=start)
    try:
        tree = session.resume_parse()
    except UnexpectedInput as failure:
        offset = chunk.end
        if not (isinstance(failure, UnexpectedToken) and failure.token.type == "$END"):
            offset = chunk.start + (failure.pos_in_stream or 0)
        raise SurgeryError(
            unexpected(text, offset, chunk, session.accepts(), origin, example)
        ) from None
    return Builder(origin, variables, chunk.start).construct(tree)


def _fault(text: str, fault: Fault, origin: Origin) -> Diagnostic:
    span = origin.span(fault.start, fault.end)
    bracket = text[fault.start]
    match fault.kind:
        case "string":
            return Diagnostic(
                code="S103",
                message="the string has no end on its line",
                span=span,
                remedy=f"close it with `{bracket}`, or write `\\{bracket}` for a quote inside",
            )
        case "depth":
            return Diagnostic(
                code="S106",
                message=f"brackets nested more than {MAX_DEPTH} deep",
                span=span,
                remedy="name parts by `let` or `pattern`",
            )
        case "unclosed":
            return Diagnostic(
                code="S105",
                message=f"`{bracket}` is never closed",
                span=span,
                remedy=f"close it with `{_CLOSING[bracket]}`",
            )
        case "unopened":
            return Diagnostic(
                code="S105",
                message=f"`{bracket}` closes nothing",
                span=span,
                remedy="remove it, or open its bracket before it",
            )
        case _:
            assert_never(fault.kind)
