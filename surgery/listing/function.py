"""One function of a listing while it is read: growing columns, then a :class:`Graph`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from surgery.graph import (
    ROOT_SCOPES,
    UNKNOWN,
    AttrValue,
    Graph,
    Kind,
    Scope,
    TupleType,
    UnknownType,
    ValueType,
    field_type,
)
from surgery.listing.scopes import Branch, ScopeTree
from surgery.listing.tokens import Token
from surgery.listing.types import MAX_NESTING, TypeText

NO_ATTRS: Mapping[str, AttrValue] = {}


@dataclass(slots=True)
class Block:
    """A stretch of statements with one result: a body in braces, or what follows a recursive let.

    Attributes:
        owner: The node that holds it; -1 for the function itself.
        slot: Which operand of the owner its result is.
        hidden: Variables that it declares, with what they meant before.
        recursion: For what follows a recursive let: its variable's node, its value, its type.
    """

    owner: int = -1
    slot: int = 0
    hidden: list[tuple[str, int | None]] = field(default_factory=list)
    recursion: tuple[int, int] | None = None


class FunctionText:
    """Columns of one function, and what its names and numbers stand for so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kinds: list[Kind] = []
        self.ops: list[str] = []
        self.operands: list[tuple[int, ...]] = []
        self.types: list[ValueType] = []
        self.names: list[str | None] = []
        self.numbers: list[int | None] = []
        self.attrs: list[Mapping[str, AttrValue]] = []
        self.fields: dict[int, int] = {}
        self.params: list[int] = []
        self.function_attrs: Mapping[str, AttrValue] = NO_ATTRS
        self.return_type: TypeText | None = None
        self.bindings: dict[int, int] = {}
        self.variables: dict[str, int] = {}
        self.shared: dict[str, int] = {}  # what is one node however often it is written
        # Uses of numbers that are bound further down: a stand-in for each, and its first place.
        self.later: dict[int, int] = {}
        self.stand_ins: set[int] = set()
        self.later_places: dict[int, Token] = {}
        self.blocks: list[Block] = [Block()]
        # For scopes: branch kinds by operand slot of each owner, locals of each owner, and the
        # block in which a node was bound to a number or a variable.
        self.branches: dict[int, tuple[Branch | None, ...]] = {}
        self.locals: dict[int, tuple[int, tuple[int, ...]]] = {}
        self.home: dict[int, Block] = {}
        self._nesting: dict[int, int] = {}

    def add(
        self,
        kind: Kind,
        op: str = "",
        operands: tuple[int, ...] = (),
        type_: ValueType = UNKNOWN,
        name: str | None = None,
        attrs: Mapping[str, AttrValue] = NO_ATTRS,
    ) -> int:
        """Append a node and return its id."""
        self.kinds.append(kind)
        self.ops.append(op)
        self.operands.append(operands)
        self.types.append(type_)
        self.names.append(name)
        self.numbers.append(None)
        self.attrs.append(attrs)
        return len(self.kinds) - 1

    def add_shared(self, key: str, kind: Kind, op: str) -> int:
        """Return the one node of a thing that keeps its identity, such as ``@f`` as a value."""
        found = self.shared.get(key)
        if found is None:
            found = self.shared[key] = self.add(kind, op)
        return found

    # ------------------------------------------------------------ names and blocks

    def declare(self, name: str, id_: int) -> None:
        """Let a variable's name stand for a node until the innermost block ends."""
        name = name.removesuffix("-malformed-ir")
        self.blocks[-1].hidden.append((name, self.variables.get(name)))
        self.variables[name] = id_

    def settle(self, id_: int) -> None:
        """Record that a node was bound in the innermost block."""
        self.home[id_] = self.blocks[-1]

    def open_block(self, recursion: tuple[int, int] | None = None) -> None:
        self.blocks.append(Block(recursion=recursion))

    def close_block(self) -> Block:
        """End the innermost block; its variables mean again what they meant before."""
        block = self.blocks.pop()
        for name, before in reversed(block.hidden):
            if before is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = before
        return block

    def close_recursions(self, depth: int, result: int) -> int:
        """End the recursive lets that were opened since ``depth`` blocks were open.

        Returns:
            The result's id: the outermost recursive let, or ``result`` when there is none.
        """
        while len(self.blocks) > depth:
            block = self.close_block()
            assert block.recursion is not None
            variable, value = block.recursion
            owner = self.add("opaque", "recursive let", (value, result), self.types[result])
            self.branches[owner] = ("function", "function")
            self.locals[owner] = (0, (variable,))
            block.owner, block.slot = owner, 1
            result = owner
        return result

    # ------------------------------------------------------------ types

    def tuple_type(self, id_: int) -> ValueType:
        """Return the type that follows from a tuple's fields."""
        operands = self.operands[id_]
        depth = 1 + max((self._nesting.get(o, 0) for o in operands), default=0)
        if depth > MAX_NESTING:
            return UNKNOWN
        self._nesting[id_] = depth
        parts = tuple(self.types[o] for o in operands)
        if any(isinstance(p, UnknownType) for p in parts):
            return UNKNOWN
        return TupleType(parts)

    # ------------------------------------------------------------ order

    def reorder(self, order: list[int], result: int) -> int:
        """Renumber nodes into ``order``; stand-ins become what they stand for and go.

        Returns:
            The result's new id.
        """
        new = {old: id_ for id_, old in enumerate(order)}
        for number, stand_in in self.later.items():
            new[stand_in] = new[self.bindings[number]]
        self.kinds = [self.kinds[i] for i in order]
        self.ops = [self.ops[i] for i in order]
        self.operands = [tuple([new[o] for o in self.operands[i]]) for i in order]
        self.types = [self.types[i] for i in order]
        self.names = [self.names[i] for i in order]
        self.numbers = [self.numbers[i] for i in order]
        self.attrs = [self.attrs[i] for i in order]
        self.fields = {new[i]: index for i, index in self.fields.items()}
        self.params = [new[i] for i in self.params]
        self.branches = {new[i]: branches for i, branches in self.branches.items()}
        self.locals = {
            new[i]: (slot, tuple([new[v] for v in ids])) for i, (slot, ids) in self.locals.items()
        }
        for block in {id(b): b for b in self.home.values()}.values():
            block.owner = new.get(block.owner, -1)
        self.home = {new[i]: block for i, block in self.home.items()}
        for id_, kind in enumerate(self.kinds):
            if isinstance(self.types[id_], UnknownType):
                self.types[id_] = self._implied(id_, kind)
        return new[result]

    def _implied(self, id_: int, kind: Kind) -> ValueType:
        """Return the type that follows from operands which were bound later."""
        operands = self.operands[id_]
        match kind:
            case "tuple":
                return self.tuple_type(id_)
            case "let":
                return self.types[operands[0]]
            case "field":
                of = self.types[operands[0]]
                index = self.fields[id_]
                known = isinstance(of, TupleType) and index < len(of.fields)
                return field_type(of, (index,)) if known else UNKNOWN
            case _:
                return UNKNOWN

    # ------------------------------------------------------------ the result

    def graph(self, result: int) -> Graph:
        """Return the function as a graph."""
        scopes, table = self._scopes(result)
        return Graph(
            function=self.name,
            kinds=self.kinds,
            ops=self.ops,
            operands=self.operands,
            result=result,
            params=self.params,
            types=self.types,
            names=self.names,
            numbers=self.numbers,
            attrs=self.attrs,
            fields=self.fields,
            function_attrs=self.function_attrs,
            scopes=scopes,
            scope_table=table,
        )

    def alone(self, result: int) -> Graph | None:
        """Return the function literal that is the whole text as a function, if that is so."""
        params = self.locals.get(result, (0, ()))[1]
        if self.kinds[result] != "function" or self.params:
            return None
        inner = self.graph(result)
        if any(inner.scopes[i] == 0 for i in range(result)):
            return None
        self.function_attrs = self.attrs[result]
        self.params = list(params)
        for id_ in params:
            self.kinds[id_] = "input"
        body = self.operands[result][0]
        for column in (
            self.kinds, self.ops, self.operands, self.types, self.names, self.numbers, self.attrs,
        ):  # fmt: skip
            del column[result]
        del self.branches[result]
        for id_, block in self.home.items():
            if block.owner == result:
                self.home[id_] = Block()
        return self.graph(body)

    def _scopes(self, result: int) -> tuple[list[int] | None, tuple[Scope, ...]]:
        """Place each value in the innermost scope that holds all of its uses, users first.

        What a ``let`` binds is evaluated where the let stands, and a value that nothing uses
        where it was written, so there the text itself is a use.
        """
        if not self.branches:
            return None, ROOT_SCOPES
        tree = ScopeTree()
        opened: dict[tuple[int, int], int] = {(-1, 0): 0}
        placed = [-1] * len(self.kinds)
        placed[result] = 0
        fixed = set(self.params)
        for param in self.params:
            placed[param] = 0
        for id_ in range(len(self.kinds) - 1, -1, -1):
            home = self.home.get(id_)
            if home is not None and (placed[id_] < 0 or self.kinds[id_] == "let"):
                block = opened.get((home.owner, home.slot), 0)
                placed[id_] = block if placed[id_] < 0 else tree.meet(placed[id_], block)
            at = placed[id_] = max(placed[id_], 0)
            places = self._slots(id_, at, tree)
            if places is not None:
                for slot, place in enumerate(places):
                    opened[id_, slot] = place
                slot, ids = self.locals.get(id_, (0, ()))
                for local in ids:
                    placed[local] = places[slot]
                fixed.update(ids)
            for slot, operand in enumerate(self.operands[id_]):
                place = at if places is None else places[slot]
                known = placed[operand]
                if known < 0:
                    placed[operand] = place
                elif known != place and operand not in fixed:
                    placed[operand] = tree.meet(known, place)
        return placed, tuple(tree.table)

    def _slots(self, id_: int, at: int, tree: ScopeTree) -> list[int] | None:
        """Open the scopes that a node owns; return the scope of each operand slot, if it does."""
        branches = self.branches.get(id_)
        if branches is None:
            return None
        places: list[int] = []
        literal = -1
        for branch in branches:
            if branch is None:
                places.append(at)
            elif branch == "function" and literal >= 0:
                places.append(literal)
            else:
                places.append(tree.open(at, id_, branch))
                if branch == "function":
                    literal = places[-1]
        return places
