"""Grammar actions for expressions: each adds nodes to the function that is being read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surgery.diagnostics import error, nearest
from surgery.graph import UNKNOWN, Graph, Kind, TupleType, UnknownType, ValueType
from surgery.listing.function import FunctionText
from surgery.listing.leaves import Children, Leaves
from surgery.listing.metadata import Metadata, is_attrs, is_constant
from surgery.listing.notes import read_note
from surgery.listing.text import ListingText
from surgery.listing.tokens import Token
from surgery.listing.types import TypeText, scalar
from surgery.listing.values import number

_REFERENCES = frozenset(("ref", "ref_read", "ref_write"))


@dataclass(frozen=True, slots=True)
class Callee:
    """An op, a constructor or a global function: no value until something uses it as one."""

    token: Token


@dataclass(frozen=True, slots=True)
class MetaAttrs:
    """``meta[relay.attrs.BatchMatmulAttrs][0]`` in the place of a call's attributes."""

    text: str


Value = int | Callee | MetaAttrs


class Expressions(Leaves):
    """The state of reading one listing, and the actions of its expressions.

    Attributes:
        f: The function that is being read.
    """

    def begin(
        self, listing: ListingText, metadata: Metadata, type_of: Callable[[str], ValueType]
    ) -> None:
        """Start a new listing; ``type_of`` reads a type's text."""
        self._listing = listing
        self._metadata = metadata
        self._type_of = type_of
        self._done: dict[str, Graph] = {}
        self._constructors: set[str] = set()
        self._notes: dict[tuple[str, ...], tuple[ValueType, str | None]] = {(): (UNKNOWN, None)}
        self._pattern: list[tuple[Token, TypeText | None]] = []
        self._pending: list[tuple[str, TypeText | None, int | None]] = []
        self.f = FunctionText("main")
        self._in_definition = False

    # ------------------------------------------------------------ help

    def _said(self, notes: tuple[str, ...]) -> tuple[ValueType, str | None]:
        """Return the type and the source name that an expression's comments give."""
        known = self._notes.get(notes)
        if known is None:
            type_: ValueType = UNKNOWN
            name: str | None = None
            for comment in notes:
                type_text, comment_name = read_note(comment)
                if type_text is not None and isinstance(type_, UnknownType):
                    type_ = self._type_of(type_text)
                name = name or comment_name
            known = self._notes[notes] = (type_, name)
        return known

    def _id(self, value: Value) -> int:
        """Return the node of a value."""
        if isinstance(value, int):
            return value
        if isinstance(value, MetaAttrs):
            return self.f.add_shared(value.text, "opaque", value.text)
        text = value.token.value
        id_ = self.f.add_shared(text, "global" if text.startswith("@") else "opaque", text)
        if isinstance(self.f.types[id_], UnknownType):
            self.f.types[id_] = self._said(value.token.notes)[0]
        return id_

    def _derived(self, said: ValueType, derived: ValueType) -> ValueType:
        return derived if isinstance(said, UnknownType) else said

    def _trailing(self, semicolon: Token, id_: int) -> None:
        """Take what a comment after the ``;`` says for what nothing said before."""
        if semicolon.notes:
            type_, name = self._said(semicolon.notes)
            f = self.f
            f.types[id_] = self._derived(f.types[id_], type_)
            if f.kinds[id_] not in ("input", "local", "let"):
                f.names[id_] = f.names[id_] or name

    def _free(self, token: Token, type_: TypeText | None) -> int:
        f = self.f
        id_ = f.add("input", "", (), type_.value if type_ else UNKNOWN, token.value[1:])
        f.params.append(id_)
        f.variables[token.value[1:]] = id_
        return id_

    # ------------------------------------------------------------ leaves of expressions

    def number(self, c: Children) -> int:
        token: Token = c[0]
        f = self.f
        key = int(token.value[1:])
        found = f.bindings.get(key)
        if found is None:
            found = f.later.get(key)
        if found is None:
            # TVM prints a use before its binding where a branch shares a value with the outside.
            found = f.later[key] = f.add("opaque", token.value)
            f.later_places[key] = token
            f.stand_ins.add(found)
        return found

    def variable(self, c: Children) -> int:
        token: Token = c[0]
        f = self.f
        word = token.value[1:]
        found = f.variables.get(word)
        if found is None:
            if not self._in_definition:
                return self._free(token, None)
            raise error(
                "S525",
                f"`{token.value}` is not declared",
                self._listing.span(token.start, token.end),
                reason=f"`@{f.name}` has no parameter or `let` of this name here",
                remedy="correct the name, or add it to the function's parameters",
                notes=[f"did you mean `%{n}`?" for n in nearest(word, f.variables, 1)],
            )
        if found < 0:
            name, type_, _ = self._pending[-found - 1]
            id_ = f.add("local", "", (), type_.value if type_ else UNKNOWN, name)
            self._pending[-found - 1] = (name, type_, id_)
            f.variables[word] = found = id_
        return found

    def name(self, c: Children) -> Callee:
        return Callee(c[0])

    def meta(self, c: Children) -> Value:
        token: Token = c[0]
        text = token.value
        if is_attrs(text):
            return MetaAttrs(text)
        f = self.f
        known = f.shared.get(text)
        type_, name = self._said(token.notes)
        if known is None:
            kind: Kind = "constant" if is_constant(text) else "opaque"
            op = "" if kind == "constant" else text
            known = f.add(kind, op, (), type_, name, {"meta": text})
            f.shared[text] = known
        else:
            f.types[known] = self._derived(f.types[known], type_)
            f.names[known] = f.names[known] or name
        return known

    def _literal(self, token: Token, value: object, type_: ValueType) -> int:
        said, name = self._said(token.notes)
        return self.f.add("constant", "", (), self._derived(said, type_), name, {"value": value})

    def integer(self, c: Children) -> int:
        return self._literal(c[0], *number(c[0].value))

    def real(self, c: Children) -> int:
        return self._literal(c[0], *number(c[0].value))

    def boolean(self, c: Children) -> int:
        return self._literal(c[0], c[0].value == "True", scalar("bool"))

    # ------------------------------------------------------------ expressions

    def call(self, c: Children) -> int:
        callee: Value = c[0]
        f = self.f
        attrs: dict[str, object] = {}
        operands: list[int] = []
        for part in c[2] if len(c) == 4 else ():
            if type(part) is int:
                operands.append(part)
            elif type(part) is tuple:
                key, value = part
                attrs[key] = self._metadata.value(value)
            elif type(part) is MetaAttrs:
                attrs.update(self._metadata.attrs(part.text))
            else:
                operands.append(self._id(part))
        type_, name = self._said(c[-1].notes)
        if isinstance(callee, Callee):
            op = callee.token.value
            if op in _REFERENCES:
                return f.add("opaque", op, tuple(operands), type_, name)
            if op not in self._constructors and not op[0].isupper():
                return f.add("call", op, tuple(operands), type_, name, attrs)
        return f.add("call", "fn", (self._id(callee), *operands), type_, name, attrs)

    def field(self, c: Children) -> int:
        token: Token = c[1]
        f = self.f
        of = self._id(c[0])
        index = int(token.value[1:])
        type_, name = self._said(token.notes)
        tuple_type = f.types[of]
        size = len(f.operands[of]) if f.kinds[of] == "tuple" else None
        if isinstance(tuple_type, TupleType):
            size = len(tuple_type.fields)
            if index < size:
                type_ = self._derived(type_, tuple_type.fields[index])
        elif f.kinds[of] == "tuple" and index < len(f.operands[of]):
            type_ = self._derived(type_, f.types[f.operands[of][index]])
        if size is not None and index >= size:
            raise error(
                "S528",
                f"field {index} of a tuple that has {size}",
                self._listing.span(token.start, token.end),
                reason="fields count from 0",
                remedy="correct the field's number",
            )
        id_ = f.add("field", "", (of,), type_, name)
        f.fields[id_] = index
        return id_

    def open(self, _: Children) -> int:
        return len(self.f.blocks)

    def empty_tuple(self, c: Children) -> int:
        return self._tuple([], c[-1])

    def single_tuple(self, c: Children) -> int:
        return self._tuple([c[1]], c[-1])

    def tuple_expr(self, c: Children) -> int:
        return self._tuple(c[1], c[-1])

    def _tuple(self, parts: list[Value], close: Token) -> int:
        f = self.f
        type_, name = self._said(close.notes)
        id_ = f.add("tuple", "", tuple([self._id(p) for p in parts]), type_, name)
        derived = f.tuple_type(id_)
        f.types[id_] = self._derived(type_, derived)
        return id_

    def group(self, c: Children) -> Value:
        value: Value = c[1]
        if isinstance(value, int) and c[2].notes:
            self._trailing(c[2], value)
        return value

    def block_group(self, c: Children) -> int:
        result = self.f.close_recursions(c[0], self._id(c[2]))
        self._trailing(c[3], result)
        return result
