"""Small graphs for tests, built by hand: columns of :class:`surgery.graph.Graph`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from surgery.graph import (
    ROOT_SCOPES,
    UNKNOWN,
    AttrValue,
    Graph,
    Kind,
    Module,
    Scope,
    TensorType,
    TupleType,
    ValueType,
)


def tensor(text: str) -> ValueType:
    """Read ``float32(1,4,?)``, ``float32()``, or several such separated by ``;``: a tuple type."""
    if ";" in text:
        return TupleType(tuple(t for t in (tensor(part) for part in text.split(";") if part)))
    found = re.fullmatch(r"\s*(\w+)\(([^)]*)\)\s*", text)
    if not found:
        raise ValueError(text)
    dims = [d.strip() for d in found[2].split(",") if d.strip()]
    return TensorType(tuple(int(d) if d.isdigit() else d for d in dims), found[1])


class GraphBuilder:
    """Adds values in order; every method returns the new value's id.

    Numbers are given in id order to calls, tuples, fields, ifs and function literals, but not to
    the result of :meth:`graph`; ``number=`` overrides.
    """

    def __init__(self, function: str = "main", first_number: int = 0) -> None:
        self.function = function
        self.kinds: list[Kind] = []
        self.ops: list[str] = []
        self.operands: list[tuple[int, ...]] = []
        self.types: list[ValueType] = []
        self.names: list[str | None] = []
        self.numbers: list[int | None] = []
        self.attrs: list[Mapping[str, AttrValue]] = []
        self.fields: dict[int, int] = {}
        self.scopes: list[int] = []
        self.scope_table: list[Scope] = list(ROOT_SCOPES)
        self.params: list[int] = []
        self._scope = 0
        self._next = first_number

    def _add(
        self,
        kind: Kind,
        operands: tuple[int, ...] = (),
        *,
        op: str = "",
        name: str | None = None,
        type: str | ValueType = UNKNOWN,
        attrs: Mapping[str, AttrValue] | None = None,
        numbered: bool = False,
    ) -> int:
        self.kinds.append(kind)
        self.ops.append(op)
        self.operands.append(operands)
        self.names.append(name)
        self.types.append(tensor(type) if isinstance(type, str) else type)
        self.attrs.append(dict(attrs or {}))
        self.scopes.append(self._scope)
        self.numbers.append(self._next if numbered else None)
        if numbered:
            self._next += 1
        return len(self.kinds) - 1

    def input(self, name: str, type: str | ValueType = UNKNOWN) -> int:
        self.params.append(self._add("input", name=name, type=type))
        return self.params[-1]

    def param(self, name: str, type: str | ValueType = UNKNOWN) -> int:
        self.params.append(self._add("param", name=name, type=type))
        return self.params[-1]

    def constant(self, name: str | None = None, type: str | ValueType = UNKNOWN) -> int:
        return self._add("constant", name=name, type=type)

    def call(
        self,
        op: str,
        *operands: int,
        name: str | None = None,
        type: str | ValueType = UNKNOWN,
        **attrs: AttrValue,
    ) -> int:
        return self._add("call", operands, op=op, name=name, type=type, attrs=attrs, numbered=True)

    def tuple(self, *operands: int, name: str | None = None) -> int:
        type_ = TupleType(tuple(self.types[o] for o in operands))
        return self._add("tuple", operands, name=name, type=type_, numbered=True)

    def field(self, of: int, index: int, name: str | None = None) -> int:
        type_ = self.types[of]
        inner = type_.fields[index] if isinstance(type_, TupleType) else UNKNOWN
        id_ = self._add("field", (of,), name=name, type=inner, numbered=True)
        self.fields[id_] = index
        return id_

    def let(self, name: str, value: int) -> int:
        return self._add("let", (value,), name=name, type=self.types[value])

    @contextmanager
    def scope(self, kind: Literal["then", "else", "function"]) -> Iterator[int]:
        """Values added inside belong to a new scope; give its index to :meth:`own`."""
        outer = self._scope
        self.scope_table.append(Scope(outer, -1, kind))
        self._scope = len(self.scope_table) - 1
        try:
            yield self._scope
        finally:
            self._scope = outer

    def own(self, owner: int, *scopes: int) -> int:
        """Make a node the owner of scopes."""
        for scope in scopes:
            old = self.scope_table[scope]
            self.scope_table[scope] = Scope(old.parent, owner, old.kind)
        return owner

    def if_(self, condition: int, then: int, else_: int, *scopes: int) -> int:
        id_ = self._add("if", (condition, then, else_), type=self.types[then], numbered=True)
        return self.own(id_, *scopes)

    def local(self, name: str) -> int:
        return self._add("local", name=name)

    def function_literal(self, result: int, scope: int, **attrs: AttrValue) -> int:
        id_ = self._add("function", (result,), attrs=attrs, numbered=True)
        return self.own(id_, scope)

    def graph(
        self, result: int, *, number_result: bool = False, **function_attrs: AttrValue
    ) -> Graph:
        numbers = list(self.numbers)
        if not number_result and numbers[result] is not None:
            number = numbers[result]
            assert number is not None
            numbers = [n - 1 if n is not None and n > number else n for n in numbers]
            numbers[result] = None
        return Graph(
            function=self.function,
            kinds=self.kinds,
            ops=self.ops,
            operands=self.operands,
            result=result,
            params=self.params,
            types=self.types,
            names=self.names,
            numbers=numbers,
            attrs=self.attrs,
            fields=self.fields,
            scopes=self.scopes,
            scope_table=tuple(self.scope_table),
            function_attrs=function_attrs,
        )

    def module(self, result: int, *others: Graph, number_result: bool = False) -> Module:
        """Return a module with this graph and others, functions in name order."""
        graphs = [self.graph(result, number_result=number_result), *others]
        functions = {g.function: g for g in sorted(graphs, key=lambda g: g.function)}
        named = any(
            name and kind in ("call", "tuple", "field", "if")
            for g in graphs
            for kind, name in zip(g.kinds, g.names, strict=True)
        )
        return Module(functions=functions, has_source_names=named)
