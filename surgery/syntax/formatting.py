"""``surgery fmt``: canonical form, and from one form to the other."""

from __future__ import annotations

from surgery.diagnostics import Collector, SurgeryError
from surgery.source import Source
from surgery.syntax import ast
from surgery.syntax.conflicts import find_conflicts
from surgery.syntax.load import Form, form_of, parse_source
from surgery.syntax.origin import Origin, Variables
from surgery.syntax.printer import Printer
from surgery.syntax.statements import Chunk, Comment, split
from surgery.syntax.text import parse_statement

#: Variables stay as they are written: a formatted file must not depend on ``--set``.
_KEPT = Variables(None)


def format_source(source: Source, to: Form | None = None, form: Form | None = None) -> str:
    """Return a spec in canonical form.

    Text stays text with its comments and single blank lines, a statement a line. A YAML spec keeps
    its layout and comments; the statements in its steps become canonical. From one form to the
    other comments are lost, nothing else.

    Args:
        source: The spec.
        to: The form to write, that of the source when ``None``.
        form: The form of the source, by its name when ``None``.

    Raises:
        SurgeryError: with everything that is wrong with the spec.
    """
    form = form or form_of(source.path)
    to = to or form
    if form == to == "text":
        return _text(source)
    spec = parse_source(source, form, _KEPT)
    if to == "text":
        printer = Printer(raw=True)
        return "".join(f"{printer.wrapped(statement)}\n" for statement in spec.statements)
    if form == "yaml":
        from surgery.syntax.yaml_layout import format_steps

        return format_steps(source, _KEPT)
    from surgery.syntax.yaml_printer import YamlPrinter

    return YamlPrinter(raw=True).spec(spec)


def _text(source: Source) -> str:
    text = source.text
    layout = split(text)
    found = Collector()
    statements: list[ast.Statement] = []
    printed: list[tuple[Chunk, str]] = []
    printer = Printer(raw=True)
    for chunk in layout.chunks:
        try:
            statement = parse_statement(text, chunk, Origin(source), _KEPT)
        except SurgeryError as failure:
            found.take(failure)
        else:
            statements.append(statement)
            printed.append((chunk, printer.wrapped(statement)))
    find_conflicts(statements, found)
    found.raise_if_errors()
    return _join(text, printed, list(layout.comments))


def _join(text: str, printed: list[tuple[Chunk, str]], comments: list[Comment]) -> str:
    """Put printed statements and comments together in the order of the file."""
    lines: list[str] = []
    last_end = 0
    comments = comments[::-1]

    def blank_line(before: int) -> None:
        if lines and text.count("\n", last_end, before) > 1:
            lines.append("")

    for chunk, statement in printed:
        while comments and comments[-1].end <= chunk.end:
            # Also those inside a statement of several lines: they go above it.
            comment = comments.pop()
            trails = not comment.own_line and comment.start < chunk.start and lines
            if trails and not text.count("\n", last_end, comment.start):
                lines[-1] += f"  {_tidy(text, comment)}"
            else:
                if comment.start < chunk.start:
                    blank_line(comment.start)
                lines.append(_tidy(text, comment))
            last_end = max(last_end, comment.end)
        if last_end <= chunk.start:
            blank_line(chunk.start)
        lines.extend(statement.split("\n"))
        last_end = chunk.end
    while comments:
        comment = comments.pop()
        if not comment.own_line and lines and not text.count("\n", last_end, comment.start):
            lines[-1] += f"  {_tidy(text, comment)}"
        else:
            blank_line(comment.start)
            lines.append(_tidy(text, comment))
        last_end = comment.end
    return "".join(f"{line}\n" for line in lines)


def _tidy(text: str, comment: Comment) -> str:
    return text[comment.start : comment.end].rstrip()
