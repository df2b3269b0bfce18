"""The picture of a Relay module: :class:`surgery.graph.Module` over TVM's own objects.

Only structure is read at once. Types, names, attributes and printed numbers are read when
somebody asks, and then kept.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surgery.engines.relay.callbacks import TextCallback
from surgery.engines.relay.columns import attributes, scalar, type_of
from surgery.engines.relay.names import source_name, variable_name
from surgery.engines.relay.reader import reader
from surgery.engines.relay.traversal import Traversal, traverse
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import AttrValue, BulkColumn, Graph, Kind, LazyColumn, Module, ValueType

if TYPE_CHECKING:
    from surgery.engines.relay.model import Expr, IRModule

_VARIABLES: frozenset[Kind] = frozenset(("input", "param", "local", "let"))
_NOTHING: Mapping[str, AttrValue] = {}


def enumerate_exprs(function: Any) -> list[Expr]:
    """Return a Relay function's expressions by node id.

    The order is that of :mod:`surgery.engines.relay.traversal`, and depends on structure only, so
    that an id names the same value in a copy of the function. A ``let`` node is its variable.
    """
    return _exprs(traverse(function))


def view(
    ir: IRModule,
    params: Container[str] = (),
    *,
    names: Mapping[str, Mapping[int, str]] | None = None,
    numbers: Mapping[str, Sequence[int | None]] | None = None,
) -> tuple[Module, dict[str, Sequence[Expr]]]:
    """Return the picture of a module, and for each function its expressions by node id.

    Args:
        ir: A type-checked module. It must not change afterwards.
        params: Names of the weights; every other parameter of ``main`` is a runtime input.
        names: Names by function and id that the module itself doesn't carry.
        numbers: The numbers to show instead of TVM's own, by function and id.
    """
    printed = Numbers(ir)
    functions: dict[str, Graph] = {}
    exprs: dict[str, Sequence[Expr]] = {}
    for name, function in relay_functions(ir):
        walked = traverse(function)
        given = names.get(name) if names is not None else None
        shown = numbers.get(name) if numbers is not None else None
        functions[name] = _graph(name, walked, params, printed, given, shown)
        exprs[name] = _exprs(walked)
    named = any(_has_names(graph) for graph in functions.values())
    return Module(functions=functions, has_source_names=named), exprs


def relay_functions(ir: IRModule) -> list[tuple[str, Any]]:
    """Return a module's Relay functions in the order TVM prints them."""
    module = tvm()
    return sorted(
        (str(variable.name_hint), function)
        for variable, function in ir.functions.items()
        if isinstance(function, module.relay.Function)
    )


def _exprs(walked: Traversal) -> list[Expr]:
    wrap = reader().wrap
    return [wrap(address) for address in walked.addresses]


def _graph(
    name: str,
    walked: Traversal,
    params: Container[str],
    printed: Numbers,
    names: Mapping[int, str] | None,
    numbers: Sequence[int | None] | None,
) -> Graph:
    kinds = walked.kinds
    size = len(kinds)

    # Each column holds on to `walked`, whose root keeps every address alive as long as the graph.
    def type_at(id_: int) -> ValueType:
        return type_of(reader(), walked.addresses[id_])

    def name_at(id_: int) -> str | None:
        read = reader()
        if names is not None and id_ in names:
            return names[id_]
        if kinds[id_] in _VARIABLES:
            return variable_name(read, walked.addresses[id_])
        return source_name(read, walked.addresses[id_])

    def attrs_at(id_: int) -> Mapping[str, AttrValue]:
        match kinds[id_]:
            case "call" | "function":
                return attributes(reader(), walked.addresses[id_])
            case "constant":
                value = scalar(reader(), walked.addresses[id_])
                return _NOTHING if value is None else {"value": value}
            case _:
                return _NOTHING

    def numbers_of() -> list[int | None]:
        known = printed.by_address
        return [known.get(a) for a in walked.addresses]

    if name == "main":
        read = reader()
        for id_ in walked.params:
            if variable_name(read, walked.addresses[id_]) in params:
                kinds[id_] = "param"
    return Graph(
        function=name,
        kinds=kinds,
        ops=walked.ops,
        operands=walked.operands,
        result=walked.result,
        params=walked.params,
        types=LazyColumn(size, type_at),
        names=LazyColumn(size, name_at),
        numbers=numbers if numbers is not None else BulkColumn(size, numbers_of),
        attrs=LazyColumn(size, attrs_at),
        fields=walked.fields,
        scopes=walked.scopes or None,
        scope_table=walked.scope_table,
        function_attrs=attributes(reader(), int(walked.root.handle.value)),
    )


def _has_names(graph: Graph) -> bool:
    return any(
        name is not None and kind not in _VARIABLES
        for kind, name in zip(graph.kinds, graph.names, strict=True)
    )


class Numbers:
    """The ``N`` of every ``%N`` of a module's text, by the address of the printed expression.

    TVM is made to print the module with a mark after each expression; nothing but its printer
    knows the numbers. They run on from function to function.
    """

    def __init__(self, ir: IRModule) -> None:
        self._ir = ir
        self._known: dict[int, int] | None = None
        self._lock = threading.Lock()

    @property
    def by_address(self) -> dict[int, int]:
        with self._lock:
            if self._known is None:
                self._known = read_numbers(marked_text(self._ir))
            return self._known


MARK = "\x02"
_MARK_BYTES = MARK.encode()


def marked_text(ir: IRModule) -> str:
    """Return a module's text with, after each expression that may get a number, its address."""
    read = reader()
    type_index = read.type_index
    # A leaf is printed where it is used; a mark there would change what the printer numbers.
    leaves = {read.index_of(key) for key in ("relay.Var", "relay.Constant", "Op", "GlobalVar")}

    def mark(address: int) -> bytes:
        return b"" if type_index(address) in leaves else b"%s%d" % (_MARK_BYTES, address)

    annotate = TextCallback(mark)
    return str(tvm().relay.astext(ir, False, annotate.packed))


def read_numbers(marked: str) -> dict[int, int]:
    """Return the number of each numbered expression in a marked text, by its address."""
    known: dict[int, int] = {}
    open_bindings: list[int | None] = []
    value: int | None = None  # of the last line that ends a group: the group's own value
    for line in marked.split("\n"):
        text = line.lstrip()
        ends = _binding_end(text)
        if text.startswith("%") and " = " in text:
            number = int(text[1 : text.index(" ")])
            if ends is None:
                open_bindings.append(number)
            else:
                known[ends] = number
        elif text.startswith("let %"):
            if not text.endswith(";"):
                open_bindings.append(None)
        elif text.startswith(")") and ends is not None and open_bindings:
            # `%1 = ( let %a = ...; exp(%a) );`: the mark is the group's, which is no node.
            bound = open_bindings.pop()
            if bound is not None and value is not None:
                known[value] = bound
        elif ends is not None and open_bindings:
            bound = open_bindings.pop()
            if bound is not None:
                known[ends] = bound
        else:
            digits = text[text.rfind(MARK) + 1 :]
            value = int(digits) if digits.isdigit() else value
    return known


def _binding_end(line: str) -> int | None:
    """Return the address marked right before a line's closing semicolon."""
    at = line.rfind(MARK)
    if at < 0 or not line.endswith(";"):
        return None
    digits = line[at + 1 : -1]
    return int(digits) if digits.isdigit() else None
