"""The order in which a Relay function's values get their ids, and what each of them is.

The order is that of ``relay.analysis.post_order_visit`` (depth first, operands before users, a
callee before its arguments), with these differences:

- the function's own parameters come first, in order;
- ops, and global functions where they are called, are no values and get no id;
- a ``Let`` is no value of its own (it is its body's). The variable it binds is a value that comes
  right after the bound one. A let whose function calls itself is one opaque value instead.

It depends on nothing but the function's structure: the same function gives the same ids in every
process, and in a copy of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from surgery.engines.relay.reader import reader
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import ROOT_SCOPES, Kind, Scope

_KEYS: dict[str, str] = {
    "call": "relay.Call", "var": "relay.Var", "constant": "relay.Constant",
    "tuple": "relay.Tuple", "field": "relay.TupleGetItem", "if": "relay.If", "let": "relay.Let",
    "function": "relay.Function", "match": "relay.Match", "global": "GlobalVar", "op": "Op",
    "constructor": "relay.Constructor", "ref": "relay.RefCreate", "ref_read": "relay.RefRead",
    "ref_write": "relay.RefWrite",
}  # fmt: skip

_Branch = Literal["then", "else", "function"]


@dataclass(slots=True)
class Traversal:
    """One function, taken apart. Columns by id, like those of :class:`surgery.graph.Graph`.

    Attributes:
        root: The function object, which keeps every address alive.
        addresses: Address of each value's Relay object.
        index: Id of each object met; a ``Let`` has its body's.
        result: Id of the function's result.
        params: Ids of the function's parameters.
        scopes: Inner scope of each value; empty when the function has none.
    """

    root: Any
    kinds: list[Kind] = field(default_factory=list)
    ops: list[str] = field(default_factory=list)
    operands: list[tuple[int, ...]] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    fields: dict[int, int] = field(default_factory=dict)
    index: dict[int, int] = field(default_factory=dict)
    result: int = -1
    params: tuple[int, ...] = ()
    scopes: list[int] = field(default_factory=list)
    scope_table: tuple[Scope, ...] = ROOT_SCOPES


def traverse(function: Any) -> Traversal:
    """Enumerate a Relay function's values (see the module's own text for the order).

    Linear and iterative: depth is limited by memory only.
    """
    return _Walk(function).run()


class _Walk:
    """State of one traversal. The stack holds addresses to enter, and ``~address`` to leave."""

    def __init__(self, function: Any) -> None:
        self.read = reader()
        self.out = Traversal(function)
        self.names = {self.read.index_of(key): name for name, key in _KEYS.items()}
        self.callees: dict[int, str] = {}  # address of a callee -> its text, "" for a value
        self.order: list[int] = []  # everything with children, in the order of leaving it
        self.kids: dict[int, tuple[int, ...]] = {}
        self.entered: dict[int, str] = {}  # address -> type name
        self.bound: dict[int, int] = {}  # variable of a let taken apart -> value
        self.let_vars: dict[int, int] = {}  # let taken apart -> its variable
        self.branches: dict[int, tuple[_Branch | None, ...]] = {}
        self.call_text: dict[int, str] = {}

    def run(self) -> Traversal:
        out, read = self.out, self.read
        root = int(out.root.handle.value)
        params = read.array(read.child("params")(root))
        for param in params:
            if param not in out.index:
                self._add(param, "input", "", ())
        out.params = tuple(out.index[p] for p in params)
        body = read.child("body")(root)
        self._visit(body)
        out.result = out.index[body]
        if self.branches:
            self._place()
        return out

    def _visit(self, body: int) -> None:
        index, entered, kids, names = self.out.index, self.entered, self.kids, self.names
        callees, call_text = self.callees, self.call_text
        type_index, array = self.read.type_index, self.read.array
        op_of, args_of = self.read.child("op"), self.read.child("args")
        stack = [body]
        pop, push = stack.pop, stack.append
        while stack:
            item = pop()
            if item < 0:
                self._leave(~item)
                continue
            if item in index or item in entered:
                continue
            name = entered[item] = names.get(type_index(item), "unknown")
            if name == "call":
                callee = op_of(item)
                text = callees.get(callee)
                if text is None:
                    text = callees[callee] = self._callee(callee)
                children = array(args_of(item))
                if not text:
                    children.insert(0, callee)
                call_text[item] = text or "fn"
                push(~item)
            elif name == "constant":
                self._add(item, "constant", "", ())
                continue
            elif name == "let":
                children = self._enter_let(item, stack)
            else:
                children = self._enter(item, name)
                push(~item)
            kids[item] = tuple(children)
            if len(children) > 1:
                children.reverse()
            stack += children

    def _callee(self, address: int) -> str:
        match self.names.get(self.read.type_index(address)):
            case "op":
                return str(self.read.wrap(address).name)
            case "global":
                return f"@{self.read.wrap(address).name_hint}"
            case _:
                return ""

    def _enter(self, item: int, name: str) -> list[int]:
        """Return the children of anything but calls and lets, in the order to visit them."""
        read = self.read
        match name:
            case "tuple":
                return read.array(read.child("fields")(item))
            case "field":
                return [read.child("tuple_value")(item)]
            case "if":
                self.branches[item] = (None, "then", "else")
                return [read.child(f)(item) for f in ("cond", "true_branch", "false_branch")]
            case "function":
                children = [*read.array(read.child("params")(item)), read.child("body")(item)]
                inside: list[_Branch | None] = ["function"] * len(children)
                self.branches[item] = tuple(inside)
                return children
            case "match":
                children = [read.child("data")(item)]
                children += [read.child("rhs")(c) for c in read.array(read.child("clauses")(item))]
                conditional: list[_Branch | None] = ["then"] * (len(children) - 1)
                self.branches[item] = (None, *conditional)
                return children
            case "ref":
                return [read.child("value")(item)]
            case "ref_read":
                return [read.child("ref")(item)]
            case "ref_write":
                return [read.child("ref")(item), read.child("value")(item)]
            case _:
                return []

    def _enter_let(self, item: int, stack: list[int]) -> list[int]:
        read = self.read
        variable, value, body = (read.child(f)(item) for f in ("var", "value", "body"))
        stack.append(~item)
        if self._calls_itself(variable, value):
            self.branches[item] = ("function",) * 3
            return [variable, value, body]
        self.bound[variable] = value
        self.let_vars[item] = variable
        # Written out here because the variable is left, never entered, once its value is known.
        stack += (body, ~variable)
        return [value]

    def _calls_itself(self, variable: int, value: int) -> bool:
        if self.names.get(self.read.type_index(value)) != "function":
            return False
        free = tvm().relay.analysis.free_vars(self.read.wrap(value))
        return any(v.handle.value == variable for v in free)

    def _leave(self, item: int) -> None:
        index = self.out.index
        if item in self.bound:
            if item not in index:
                value = self.bound[item]
                self.kids[item] = (value,)
                self.order.append(item)
                self._add(item, "let", "", (index[value],))
            return
        name, kids = self.entered[item], self.kids[item]
        self.order.append(item)
        match name:
            case "call":
                self._add(item, "call", self.call_text[item], tuple([index[k] for k in kids]))
            case "var":
                self._add(item, "local", "", ())
            case "tuple":
                self._add(item, "tuple", "", tuple([index[k] for k in kids]))
            case "field":
                self.out.fields[len(self.out.kinds)] = self.read.field("index")(item)
                self._add(item, "field", "", (index[kids[0]],))
            case "if":
                self._add(item, "if", "", tuple([index[k] for k in kids]))
            case "function":
                self._add(item, "function", "", (index[kids[-1]],))
            case "global":
                self._add(item, "global", f"@{self.read.wrap(item).name_hint}", ())
            case "let" if item in self.let_vars:
                body = self.read.child("body")(item)
                self.kids[item] = (self.let_vars[item], body)
                index[item] = index[body]
            case "let":
                self._add(item, "opaque", "recursive let", tuple([index[k] for k in kids[1:]]))
            case "constructor":
                self._add(item, "opaque", str(self.read.wrap(item).name_hint), ())
            case "match" | "ref" | "ref_read" | "ref_write":
                self._add(item, "opaque", name, tuple([index[k] for k in kids]))
            case _:
                self._add(item, "opaque", type(self.read.wrap(item)).__name__, ())

    def _add(self, address: int, kind: Kind, op: str, operands: tuple[int, ...]) -> None:
        out = self.out
        out.index[address] = len(out.kinds)
        out.kinds.append(kind)
        out.ops.append(op)
        out.operands.append(operands)
        out.addresses.append(address)

    def _place(self) -> None:
        """Find each value's scope: the innermost one that holds all of its uses.

        One pass over everything, users first. What a let binds is evaluated where the let
        stands, so the let itself counts as a use of its variable.
        """
        table = list(ROOT_SCOPES)
        depth = [0]
        scope: dict[int, int] = {}
        for item in reversed(self.order):
            at = scope.setdefault(item, 0)
            kids = self.kids[item]
            places = [at] * len(kids)
            branches = self.branches.get(item)
            if branches:
                owner = self.out.index[item]
                opened: dict[str, int] = {}
                for slot, branch in enumerate(branches):
                    if branch is None:
                        continue
                    if branch != "function" or branch not in opened:
                        opened[branch] = len(table)
                        table.append(Scope(at, owner, branch))
                        depth.append(depth[at] + 1)
                    places[slot] = opened[branch]
            for kid, place in zip(kids, places, strict=True):
                known = scope.get(kid)
                if known is None:
                    scope[kid] = place
                elif known != place:
                    scope[kid] = _meet(table, depth, known, place)
        self.out.scopes = [scope.get(a, 0) for a in self.out.addresses]
        for param in self.out.params:
            self.out.scopes[param] = 0
        self.out.scope_table = tuple(table)


def _meet(table: list[Scope], depth: list[int], one: int, other: int) -> int:
    """Return the innermost scope that holds both."""
    while one != other:
        if depth[one] < depth[other]:
            one, other = other, one
        one = table[one].parent
    return one
