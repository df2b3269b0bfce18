"""What a statement demands of the values it got: how many, and how to get fewer."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.diagnostics import error
from surgery.graph import Module, Resolved
from surgery.graph.values import holds
from surgery.select.context import text_of
from surgery.syntax.ast import Expect, Selector

_LISTED = 10


def describe(module: Module, value: Resolved) -> str:
    """Return a value as one line: ``%7 = add(%3, %4): float32(1,2)  a/b/Add``."""
    graph = module.functions[value.function]
    ref = value.ref
    line = f"{graph.label(ref)}: {graph.type_of(ref)}" if ref.path else graph.describe(ref.node)
    name = graph.names[ref.node]
    if name and graph.kinds[ref.node] not in ("input", "param", "local", "let"):
        line += f"  {name}"
    return line


def exactly_one(
    resolved: Sequence[Resolved], selector: Selector, module: Module, what: str
) -> Resolved:
    """Return the one value, or explain that there are several.

    Args:
        what: What needs one value, for the message: ```output```.

    Raises:
        SurgeryError: Several values (S212) or none (S211).
    """
    if len(resolved) == 1:
        return resolved[0]
    written = text_of(selector)
    if not resolved:
        raise error("S211", f"`{written}` picks nothing, {what} needs one value", selector.span)
    labels = [module.functions[r.function].label(r.ref) for r in resolved]
    notes = [describe(module, r) for r in resolved[:_LISTED]]
    if len(resolved) > _LISTED:
        notes.append(f"... and {len(resolved) - _LISTED} more")
    raise error(
        "S212",
        f"`{written}` picks {len(resolved)} values, {what} needs one",
        selector.span,
        reason="The candidates are listed below.",
        remedy=f"write `last({written})` ({labels[-1]}), `first({written})` ({labels[0]}), "
        f"`nth({written}, N)`, add `where op=...`, or name one, e.g. `{labels[-1]}`",
        notes=notes,
    )


def check_expect(count: int, expect: Expect | None, text: str) -> None:
    """Hold a statement to the count it pins.

    Raises:
        SurgeryError: The count is another one (S216).
    """
    if expect is None or holds(count, expect.comparison, expect.count):
        return
    sign = "" if expect.comparison == "=" else expect.comparison
    raise error(
        "S216",
        f"`{text}` acts on {count}, {sign}{expect.count} expected",
        expect.span,
        reason="The count is pinned by `expect`.",
        remedy="narrow or widen the selector, or change the count",
    )
