"""Selectors that name a value the way it is printed: ``%42``, ``%3.1``, ``result``, ``%x``."""

from __future__ import annotations

from surgery.diagnostics import error, nearest
from surgery.graph import Graph, Ref, TupleType, UnknownType, leaf_paths
from surgery.select.context import Context, Key
from surgery.syntax import ast


class ByNumber(Context):
    """Finds values by printed number and by variable."""

    def numbered(self, selector: ast.Numbered) -> list[Key]:
        place = self.function(selector.function, selector)
        graph = self.graph(place)
        number = selector.number
        id_ = graph.by_number.get(number)
        if id_ is None and number == 0 and not graph.by_number:
            id_ = graph.result  # the one value of a function that prints no number at all
        if id_ is not None:
            return self._fields(place, id_, selector.path, selector.all_fields, selector)
        if self.optional:
            return []
        numbers = sorted(graph.by_number)
        where = "" if graph.function == "main" else f"@{graph.function}:"
        elsewhere = [name for name, g in self.module.functions.items() if number in g.by_number]
        if elsewhere:
            remedy = f"write `@{elsewhere[0]}:%{number}` for the value of `@{elsewhere[0]}`"
        else:
            remedy = "`surgery show` lists the values"
        if numbers and numbers[-1] - numbers[0] + 1 == len(numbers):
            span = f"{where}%{numbers[0]} to {where}%{numbers[-1]}"
        else:
            span = f"{len(numbers)} values between " + (
                f"{where}%{numbers[0]} and {where}%{numbers[-1]}" if numbers else "none"
            )
        raise error(
            "S200",
            f"`@{graph.function}` has no value `%{number}`",
            selector.span,
            reason=f"Its numbered values are {span}; the result is written `result`."
            if numbers
            else "It has no numbered value; its result is written `result`.",
            remedy=remedy,
        )

    def result(self, selector: ast.Result) -> list[Key]:
        place = self.function(selector.function, selector)
        return self._fields(
            place, self.graph(place).result, selector.path, selector.all_fields, selector
        )

    def _fields(
        self, place: int, id_: int, path: tuple[int, ...], all_fields: bool, at: ast.Selector
    ) -> list[Key]:
        """Follow a path into a tuple, and open it when all its fields are asked for."""
        graph = self.graph(place)
        ref = Ref(id_)
        for step, index in enumerate(path):
            self._check_field(graph, ref, index, path[: step + 1], id_, at)
            inner = graph.resolve(ref.node) if not ref.path else ref
            if graph.kinds[inner.node] == "tuple" and not inner.path:
                ref = Ref(graph.operands[inner.node][index])
            elif ref.path or graph.kinds[ref.node] not in ("field", "let"):
                ref = Ref(ref.node, (*ref.path, index))
            else:
                ref = Ref(inner.node, (*inner.path, index))
        if not all_fields:
            return [(place, ref.node, ref.path)]
        inner = graph.resolve(ref.node) if not ref.path else ref
        if graph.kinds[inner.node] == "tuple" and not inner.path:
            opened = [Ref(operand) for operand in graph.operands[inner.node]]
        else:
            type_ = graph.type_of(inner)
            if isinstance(type_, TupleType):
                opened = [Ref(inner.node, inner.path + leaf) for leaf in leaf_paths(type_)]
            elif isinstance(type_, UnknownType):
                taken = {
                    graph.fields[u] for u in graph.users[inner.node] if graph.kinds[u] == "field"
                }
                opened = [Ref(inner.node, (*inner.path, f)) for f in sorted(taken)]
            else:
                opened = []
        if not opened:
            raise error(
                "S201",
                f"`{graph.label(ref)}` has no fields to open",
                at.span,
                reason=f"It is {graph.type_of(ref)}.",
                remedy=f"write `{graph.label(ref)}`",
            )
        return sorted({(place, r.node, r.path) for r in opened})

    def _check_field(
        self, graph: Graph, ref: Ref, index: int, path: tuple[int, ...], id_: int, at: ast.Selector
    ) -> None:
        type_ = graph.type_of(ref)
        written = graph.label(id_) + "".join(f".{i}" for i in path)
        if isinstance(type_, TupleType):
            if index < len(type_.fields):
                return
            last = len(type_.fields) - 1
            reason = f"{graph.label(ref)} has the fields .0 to .{last}."
            remedy = f"write `{graph.label(ref)}.{last}`" if last >= 0 else ""
        elif isinstance(type_, UnknownType):
            return
        else:
            reason = f"{graph.label(ref)} is a tensor, {type_}."
            remedy = f"write `{graph.label(ref)}`"
        raise error("S201", f"there is no value `{written}`", at.span, reason=reason, remedy=remedy)

    def variable(self, selector: ast.Variable) -> list[Key]:
        place = self.function(selector.function, selector)
        graph = self.graph(place)
        name = selector.name.removeprefix("%")
        known: dict[str, list[int]] = {}
        for id_, kind in enumerate(graph.kinds):
            if kind in ("input", "param", "let", "local"):
                known.setdefault(graph.names[id_] or "", []).append(id_)
        if name in known:
            return [(place, id_, ()) for id_ in known[name]]
        if self.optional:
            return []
        guesses = nearest(name, known)
        raise error(
            "S202",
            f"`@{graph.function}` has no variable `%{name}`",
            selector.span,
            reason="" if guesses else f"It has {', '.join(f'%{k}' for k in list(known)[:8])}.",
            remedy="write " + " or ".join(f"`%{g}`" for g in guesses) if guesses else "",
        )
