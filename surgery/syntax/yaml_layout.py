"""Canonical statements inside a YAML spec whose layout and comments stay as they are."""

from __future__ import annotations

from surgery.diagnostics import Collector
from surgery.source import Source
from surgery.syntax.origin import Origin, Variables
from surgery.syntax.printer import Printer
from surgery.syntax.text import parse_statements
from surgery.syntax.yaml_nodes import ListNode, MapNode, ScalarNode, compose
from surgery.syntax.yaml_printer import scalar


def format_steps(source: Source, variables: Variables) -> str:
    """Return a YAML spec that is known to parse, its steps of one line in canonical form.

    Steps that are mappings, or texts of several lines, stay as they are.
    """
    root = compose(source, Collector())
    assert isinstance(root, MapNode), "the spec has been parsed"
    steps = root.get("steps")
    text = source.text
    if isinstance(steps, ListNode):
        flow = text.startswith("[", steps.span.start)
        printer = Printer(raw=True)
        for item in reversed(steps.items):
            if not isinstance(item, ScalarNode) or not _on_one_line(item):
                continue
            parsed = parse_statements(item.text, Origin(source), variables, Collector())
            written = "; ".join(printer.statement(statement) for statement in parsed)
            new = scalar(written, flow=flow, quoted=item.style == '"')
            text = text[: item.span.start] + new + text[item.span.end :]
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(f"{line}\n" for line in lines)


def _on_one_line(item: ScalarNode) -> bool:
    """Tell whether a scalar can be replaced: one line, and no anchor that others refer to."""
    written = item.span.text
    return "\n" not in written and "#" not in item.text and not written.startswith(("&", "!"))
