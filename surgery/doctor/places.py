"""Where in a listing a function or a value stands."""

from __future__ import annotations

from functools import cached_property

from surgery.graph import Graph
from surgery.listing import Binding, scan_bindings
from surgery.listing.text import listing_text
from surgery.source import Source, Span


class Places:
    """The places of a listing's functions and values; none for a model that is no text.

    Args:
        source: The listing that the graphs were read from.
    """

    def __init__(self, source: Source | None = None) -> None:
        self._source = source

    @cached_property
    def _functions(self) -> dict[str, Span]:
        if self._source is None:
            return {}
        listing = listing_text(self._source)
        # From the `@`, which stands right before the name.
        return {d.name: listing.span(d.start - 1, d.end) for d in listing.functions}

    @cached_property
    def _bindings(self) -> list[Binding]:
        return [] if self._source is None else scan_bindings(self._source)

    @cached_property
    def _values(self) -> dict[tuple[str, int], Span]:
        return {(b.function, b.number): b.span for b in self._bindings if b.number is not None}

    @cached_property
    def _variables(self) -> dict[tuple[str, str], Span]:
        kinds = ("parameter", "local", "let")
        return {
            (b.function, b.variable): b.span
            for b in reversed(self._bindings)
            if b.variable is not None and b.kind in kinds
        }

    @cached_property
    def _results(self) -> dict[str, Span]:
        # Branches and literals have results too; a function's own is the last one written.
        return {b.function: b.span for b in self._bindings if b.kind == "result"}

    def function(self, name: str) -> Span | None:
        """Return where a function's name is defined."""
        return self._functions.get(name)

    def value(self, graph: Graph, id_: int) -> Span | None:
        """Return where a value is bound; its function's place when it has none of its own."""
        number = graph.numbers[id_]
        found: Span | None = None
        if number is not None:
            found = self._values.get((graph.function, number))
        elif graph.kinds[id_] in ("input", "param", "local", "let"):
            found = self._variables.get((graph.function, graph.names[id_] or ""))
        elif id_ == graph.result:
            found = self._results.get(graph.function)
        return found or self.function(graph.function)
