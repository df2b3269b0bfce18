"""The engine-neutral picture of a model: one :class:`Graph` a function, values in dependency order.

A graph is a set of parallel columns indexed by node id. Ids are the order in which the engine
(or the listing reader) met the values, always operands before users, and never change: a plan
names values by id. Columns that are dear to read (types, attributes, source names, printed
numbers) may be :class:`LazyColumn`; nothing is read that nobody asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from surgery.graph.columns import ConstantColumn
from surgery.graph.types import UNKNOWN, TupleType, ValueType, field_type, leaf_paths

Kind = Literal[
    "input",  # a parameter of the function that is fed at run time
    "param",  # a parameter of the function whose value is known: a weight
    "constant",
    "call",
    "tuple",  # a tuple literal
    "field",  # one field taken out of a tuple
    "if",
    "let",  # a variable bound by let: an alias of its one operand
    "local",  # a parameter of a function literal
    "function",  # a function literal
    "global",  # a global function used as a value
    "opaque",  # anything else (match, references, ...): never looked into
]

AttrValue = object  # bool | int | float | str | None | tuple of these


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """A tensor in a graph: a node, and the path to a field where the node is a tuple."""

    node: int
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One value of a module that a selector picked."""

    function: str
    ref: Ref


@dataclass(frozen=True, slots=True)
class Scope:
    """A region of a graph that only runs when its owner does.

    Attributes:
        parent: Index of the enclosing scope (scope 0 is the function body and its own parent).
        owner: Node id of the ``if`` or ``function`` node that holds this scope; -1 for scope 0.
            The owner has a larger id than everything in the scope.
        kind: ``body``, ``then``, ``else`` or ``function``.
    """

    parent: int
    owner: int
    kind: Literal["body", "then", "else", "function"]


ROOT_SCOPES: tuple[Scope, ...] = (Scope(0, -1, "body"),)


class Graph:
    """One function of a model.

    Args (all columns have one entry a node, indexed by id):
        function: The function's name, ``main`` for the model itself.
        kinds: What each node is.
        ops: The op of a ``call`` (``nn.conv2d``; ``@block`` when it calls a global function;
            ``fn`` when it calls a value, which is then operand 0). Empty for other kinds, but the
            function's ``@name`` for ``global`` and the construct's name for ``opaque``.
        operands: Ids each node uses, in order, each smaller than the node's own. An ``if`` has
            ``(condition, then result, else result)``, a ``function`` its body's result, a ``let``
            its value, a ``field`` its tuple.
        result: Id of the function's result.
        params: Ids of the function's parameters, in order.
        types: Value types.
        names: Source names; for ``input``, ``param``, ``local`` and ``let`` the variable's name.
        numbers: The ``N`` of the printed ``%N``, ``None`` for what is printed without a number.
        attrs: Attributes of calls, and of function literals (``Composite``, ...).
        fields: The index a ``field`` node takes; only ``field`` nodes are keys.
        scopes: Index into ``scope_table`` of each node's scope.
        scope_table: All scopes; entry 0 is the function's body.
        function_attrs: Attributes of the function itself (``Compiler``, ``global_symbol``, ...).
    """

    def __init__(
        self,
        *,
        function: str = "main",
        kinds: Sequence[Kind],
        ops: Sequence[str],
        operands: Sequence[tuple[int, ...]],
        result: int,
        params: Sequence[int] = (),
        types: Sequence[ValueType] | None = None,
        names: Sequence[str | None] | None = None,
        numbers: Sequence[int | None] | None = None,
        attrs: Sequence[Mapping[str, AttrValue]] | None = None,
        fields: Mapping[int, int] | None = None,
        scopes: Sequence[int] | None = None,
        scope_table: Sequence[Scope] = ROOT_SCOPES,
        function_attrs: Mapping[str, AttrValue] | None = None,
    ) -> None:
        size = len(kinds)
        self.function = function
        self.kinds = kinds
        self.ops = ops
        self.operands = operands
        self.result = result
        self.params = tuple(params)
        self.types: Sequence[ValueType] = types or ConstantColumn[ValueType](size, UNKNOWN)
        self.names: Sequence[str | None] = names or ConstantColumn[str | None](size, None)
        self.numbers: Sequence[int | None] = numbers or ConstantColumn[int | None](size, None)
        empty: Mapping[str, AttrValue] = {}
        self.attrs: Sequence[Mapping[str, AttrValue]] = attrs or ConstantColumn(size, empty)
        self.fields: Mapping[int, int] = fields or {}
        self.scopes: Sequence[int] = scopes or ConstantColumn(size, 0)
        self.scope_table = tuple(scope_table)
        self.function_attrs: Mapping[str, AttrValue] = function_attrs or {}

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, id_: int) -> Node:
        return Node(self, id_)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, i) for i in range(len(self)))

    @cached_property
    def users(self) -> list[list[int]]:
        """For each node the ids that use it, ascending, one entry an operand slot."""
        users: list[list[int]] = [[] for _ in range(len(self))]
        for id_, operands in enumerate(self.operands):
            for operand in operands:
                users[operand].append(id_)
        return users

    def resolve(self, id_: int) -> Ref:
        """Return the tensor (or tuple) a node stands for, seen through ``field`` and ``let``.

        A field of a tuple literal is the literal's operand; a field of a call's result is that
        call with a path. Two ``field`` nodes of one field resolve to one ``Ref``.
        """
        path: tuple[int, ...] = ()
        kinds, operands = self.kinds, self.operands
        while True:
            kind = kinds[id_]
            if kind == "field":
                path = (self.fields[id_], *path)
                id_ = operands[id_][0]
            elif kind == "let":
                id_ = operands[id_][0]
            elif kind == "tuple" and path:
                id_ = operands[id_][path[0]]
                path = path[1:]
            else:
                return Ref(id_, path)

    def type_of(self, ref: Ref) -> ValueType:
        """Return the type of a tensor (or tuple)."""
        return field_type(self.types[ref.node], ref.path)

    def leaves(self, ref: Ref) -> list[Ref]:
        """Return the tensors a value holds, left to right, each resolved (``[ref]`` for a tensor).

        Tuple literals are seen through, so every leaf is a value that some op computes.
        """
        found: list[Ref] = []
        stack = [ref]
        while stack:
            at = stack.pop()
            if self.kinds[at.node] in ("tuple", "field", "let"):
                inner = self.resolve(at.node)
                for index in at.path:
                    inner = (
                        self.resolve(self.operands[inner.node][index])
                        if self.kinds[inner.node] == "tuple" and not inner.path
                        else Ref(inner.node, (*inner.path, index))
                    )
                if self.kinds[inner.node] == "tuple" and not inner.path:
                    stack.extend(Ref(o) for o in reversed(self.operands[inner.node]))
                    continue
                at = inner
            type_ = self.type_of(at)
            if isinstance(type_, TupleType):
                found.extend(Ref(at.node, at.path + p) for p in leaf_paths(type_))
            else:
                found.append(at)
        return found

    @cached_property
    def field_nodes(self) -> dict[Ref, int]:
        """For each tensor that is taken out of a call's tuple, the first node that does so."""
        found: dict[Ref, int] = {}
        for id_ in self.fields:
            ref = self.resolve(id_)
            if self.operands[id_][0] == ref.node:
                found.setdefault(ref, id_)
        return found

    def with_names(self, names: Sequence[str | None]) -> Graph:
        """Return the graph with other source names, everything else shared."""
        return Graph(
            function=self.function, kinds=self.kinds, ops=self.ops, operands=self.operands,
            result=self.result, params=self.params, types=self.types, names=names,
            numbers=self.numbers, attrs=self.attrs, fields=self.fields, scopes=self.scopes,
            scope_table=self.scope_table, function_attrs=self.function_attrs,
        )  # fmt: skip

    @cached_property
    def outputs(self) -> tuple[Ref, ...]:
        """The function's results as the runtime numbers them: flattened, empty tuples gone."""
        return tuple(self.leaves(Ref(self.result)))

    def owner(self, id_: int) -> int:
        """Return the node of the function's body that holds ``id_`` (itself unless nested)."""
        scope = self.scopes[id_]
        while scope:
            id_ = self.scope_table[scope].owner
            scope = self.scopes[id_]
        return id_

    @cached_property
    def _let_names(self) -> dict[int, str]:
        """Name of the variable that each let-bound value is printed under."""
        return {
            operands[0]: self.names[id_] or ""
            for id_, (kind, operands) in enumerate(zip(self.kinds, self.operands, strict=True))
            if kind == "let"
        }

    def label(self, ref: Ref | int) -> str:
        """Return how a value is called in messages: ``%42``, ``%3.1``, ``%x``, ``result``."""
        if isinstance(ref, int):
            ref = Ref(ref)
        id_ = ref.node
        kind = self.kinds[id_]
        number = self.numbers[id_]
        if number is not None:
            base = f"%{number}"
        elif id_ in self._let_names:
            base = f"%{self._let_names[id_]}"
        elif kind in ("input", "param", "local", "let"):
            base = f"%{self.names[id_]}"
        elif id_ == self.result:
            base = "result"
        elif kind == "global":
            base = self.ops[id_]
        elif kind == "constant":
            base = f"constant {self.names[id_] or id_}"
        else:
            base = self.ops[id_] or kind
        if self.function != "main" and base != self.ops[id_]:
            base = f"@{self.function}:{base}"
        return base + "".join(f".{i}" for i in ref.path)

    def describe(self, id_: int) -> str:
        """Return a value as one line: ``%7 = add(%3, %4): float32(1,2)``."""
        kind = self.kinds[id_]
        operands = ", ".join(self.scalar(o) or self.label(o) for o in self.operands[id_])
        match kind:
            case "call":
                body = f"{self.ops[id_]}({operands})"
            case "tuple":
                body = f"({operands})"
            case "field":
                body = f"{operands}.{self.fields[id_]}"
            case "input" | "param" | "local":
                body = kind
            case _:
                body = f"{kind}({operands})"
        return f"{self.label(id_)} = {body}: {self.types[id_]}"

    def scalar(self, id_: int) -> str:
        """Return the value of a scalar constant, which says more than its name; else ''."""
        if self.kinds[id_] != "constant":
            return ""
        value = self.attrs[id_].get("value")
        return "" if value is None else str(value)

    @cached_property
    def by_number(self) -> dict[int, int]:
        """Printed number -> id."""
        return {n: i for i, n in enumerate(self.numbers) if n is not None}


class Node:
    """One value of a graph: a view of its columns."""

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, id_: int) -> None:
        self.graph = graph
        self.id = id_

    @property
    def kind(self) -> Kind:
        return self.graph.kinds[self.id]

    @property
    def op(self) -> str:
        return self.graph.ops[self.id]

    @property
    def operands(self) -> tuple[int, ...]:
        return self.graph.operands[self.id]

    @property
    def users(self) -> list[int]:
        return self.graph.users[self.id]

    @property
    def type(self) -> ValueType:
        return self.graph.types[self.id]

    @property
    def name(self) -> str | None:
        return self.graph.names[self.id]

    @property
    def number(self) -> int | None:
        return self.graph.numbers[self.id]

    @property
    def attrs(self) -> Mapping[str, AttrValue]:
        return self.graph.attrs[self.id]

    @property
    def label(self) -> str:
        return self.graph.label(self.id)

    def __repr__(self) -> str:
        return f"<Node {self.id} {self.graph.describe(self.id)}>"


@dataclass(frozen=True, kw_only=True)
class Module:
    """A whole model: its functions by name, in the order TVM prints them.

    Attributes:
        functions: Graphs by function name; ``main`` is the model.
        has_source_names: Whether any op carries a name from its source framework.
        missing: What a listing refers to and does not hold (``meta[relay.Constant][0]``), each
            with its 1-based line; empty for a model that can be rebuilt.
        dtype_note: Free text about precision lost on the way in ('' when none).
        output_names: What its framework calls ``main``'s results, in order; empty when unknown.
    """

    functions: Mapping[str, Graph]
    has_source_names: bool = True
    missing: tuple[tuple[str, int], ...] = ()
    dtype_note: str = ""
    output_names: tuple[str, ...] = ()

    @property
    def main(self) -> Graph:
        return self.functions["main"]

    @cached_property
    def call_counts(self) -> Mapping[str, int]:
        """How often each global function is called or named, by its ``@name``."""
        ops = (op for graph in self.functions.values() for op in graph.ops)
        return Counter(op for op in ops if op[:1] == "@")
