"""A model that TVM's own partitioning has marked and not finished is refused."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import Module
from surgery.pattern import leftover_marks
from surgery.syntax import ast


def refuse_marked(module: Module, statements: Sequence[ast.Statement], found: Collector) -> None:
    """Refuse a module with ``compiler_begin`` and ``compiler_end``: TVM can't compile it as it is.

    Args:
        statements: The spec's; the first offload, or else the first of them, is what is refused.
    """
    for graph in module.functions.values():
        marks = leftover_marks(graph)
        if not marks:
            continue
        offloads = [s for s in statements if isinstance(s, ast.Offload)]
        found.add(
            Diagnostic(
                code="S293",
                message=f"the module is already annotated: {graph.label(marks[0])} is "
                f"{graph.ops[marks[0]]}",
                span=next((s.span for s in (*offloads, *statements)), None),
                reason="compiler_begin and compiler_end of an earlier AnnotateTarget divide it: "
                "TVM compiles none of it, and regions of two kinds would overlap.",
                remedy="give the model as it was before AnnotateTarget",
            )
        )
        return
