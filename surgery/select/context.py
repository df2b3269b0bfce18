"""What every part of a selector's evaluation knows: the model and where to look."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.diagnostics import error, nearest
from surgery.graph import Graph, Module, Ref, TupleType, UnknownType
from surgery.graph.ops import FIELD0_OPS
from surgery.syntax import ast, print_selector

#: Place of a function in the module, id, path: sorts the way results are ordered.
Key = tuple[int, int, tuple[int, ...]]


def text_of(selector: ast.Selector) -> str:
    """Return a selector as the user wrote it."""
    if selector.span is not None:
        return " ".join(selector.span.text.split())
    return print_selector(selector)


class Context:
    """The model, and the functions that names, ops and variables are looked up in.

    Attributes:
        names: The module's functions, in its order.
        places: Indices into ``names`` of the functions to look in.
        optional: Nothing found is a result, not an error.
    """

    def __init__(self, module: Module, functions: Sequence[str], optional: bool) -> None:
        self.module = module
        self.names = list(module.functions)
        self.places = [i for i, name in enumerate(self.names) if name in set(functions)]
        self.optional = optional

    def graph(self, place: int) -> Graph:
        return self.module.functions[self.names[place]]

    def label(self, key: Key) -> str:
        return self.graph(key[0]).label(Ref(key[1], key[2]))

    def function(self, name: str | None, at: ast.Selector) -> int:
        name = name or "main"
        if name not in self.names:
            guesses = nearest(name, self.names) or self.names[:5]
            raise error(
                "S217",
                f"there is no function `@{name}`",
                at.span,
                remedy="functions there are: " + ", ".join(f"@{g}" for g in guesses),
            )
        return self.names.index(name)

    def values(self, found: Sequence[tuple[int, int]]) -> list[Key]:
        """Return the values that ops stand for: of a batch_norm the field that goes on."""
        keys: set[Key] = set()
        for place, id_ in found:
            graph = self.graph(place)
            first = graph.ops[id_] in FIELD0_OPS and isinstance(
                graph.types[id_], (TupleType, UnknownType)
            )
            keys.add((place, id_, (0,) if first else ()))
        return sorted(keys)
