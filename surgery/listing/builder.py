"""Grammar actions for functions, statements and expressions: they grow the graph's columns.

The parser calls these from left to right while it reads, so the state of the builder is the place
in the text. Heads (``def_head``, ``fn_head``, ``if_head``, ``else_head``) are rules of their own
to let a block begin before its statements are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surgery.diagnostics import error, nearest
from surgery.graph import UNKNOWN, Graph, Kind, TupleType, UnknownType, ValueType
from surgery.listing.forward import in_dependency_order
from surgery.listing.function import Block, Branch, FunctionText
from surgery.listing.leaves import Children, Leaves
from surgery.listing.metadata import Metadata, is_attrs, is_constant
from surgery.listing.notes import read_note
from surgery.listing.text import ListingText
from surgery.listing.tokens import Token
from surgery.listing.types import TypeText, scalar
from surgery.listing.values import number

_REFERENCES = {"ref": "ref", "ref_read": "ref_read", "ref_write": "ref_write"}


@dataclass(frozen=True, slots=True)
class Callee:
    """An op, a constructor or a global function: no value until something uses it as one."""

    token: Token


@dataclass(frozen=True, slots=True)
class MetaAttrs:
    """``meta[relay.attrs.BatchMatmulAttrs][0]`` in the place of a call's attributes."""

    text: str


@dataclass(frozen=True, slots=True)
class Signature:
    """What stands between a function's name and its body."""

    params: list[tuple[Token, TypeText | None]]
    attrs: dict[str, object]
    result: TypeText | None


Value = int | Callee | MetaAttrs


class Builder(Leaves):
    """Reads one listing at a time: :meth:`begin`, then the parser's calls, then :meth:`graphs`."""

    def __init__(self) -> None:
        self._type_of: Callable[[str], ValueType] = lambda _: UNKNOWN

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
        self.named_ops = False
        self.f = FunctionText("main")
        self._in_definition = False

    def graphs(self) -> dict[str, Graph]:
        return self._done

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
        if known[1] is not None:
            self.named_ops = True
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

    # ------------------------------------------------------------ functions

    def no_params(self, _: Children) -> list[object]:
        return []

    def param(self, c: Children) -> tuple[Token, TypeText | None]:
        return c[0], c[2] if len(c) == 3 else None

    def signature(self, c: Children) -> Signature:
        params: list[tuple[Token, TypeText | None]] = []
        attrs: dict[str, object] = {}
        for first, second in c[0]:
            if isinstance(first, Token):
                params.append((first, second))
            else:
                attrs[first] = second
        return Signature(params, attrs, c[2] if len(c) == 3 else None)

    def generic_signature(self, c: Children) -> Signature:
        return self.signature(c[1:])

    def def_head(self, c: Children) -> None:
        token: Token = c[1]
        signature: Signature = c[2]
        name = token.value[1:]
        if name in self._done:
            raise error(
                "S527",
                f"`@{name}` is defined twice",
                self._listing.span(token.start, token.end),
                reason="a module has one function of each name",
                remedy="rename or delete one of the two",
            )
        f = self.f = FunctionText(name)
        self._in_definition = True
        f.function_attrs = signature.attrs
        f.return_type = signature.result
        for variable, type_ in signature.params:
            word = variable.value[1:].removesuffix("-malformed-ir")
            id_ = f.add("input", "", (), type_.value if type_ else UNKNOWN, word)
            f.params.append(id_)
            f.declare(word, id_)
            self._said(variable.notes)

    def define(self, c: Children) -> None:
        f = self.f
        result = self._settle_later(c[2][0])
        if f.return_type is not None:
            f.types[result] = self._derived(f.types[result], f.return_type.value)
        self._done[f.name] = f.graph(result)
        self.f = FunctionText("main")
        self._in_definition = False

    def fragment(self, c: Children) -> None:
        """An expression without a ``def``: ``print(expr)``, or the function ``mod["main"]``."""
        result = self._settle_later(c[0][0])
        self._done["main"] = self.f.alone(result) or self.f.graph(result)

    def constructor(self, c: Children) -> None:
        self._constructors.add(c[0].value)

    def body(self, c: Children) -> tuple[int, Block]:
        f = self.f
        result = self._id(c[-1])
        depth = len(f.blocks)
        while f.blocks[depth - 1].recursion is not None:
            depth -= 1
        result = f.close_recursions(depth, result)
        return result, f.close_block()

    def fn_head(self, c: Children) -> tuple[Token, Signature, tuple[int, ...]]:
        f = self.f
        signature: Signature = c[1]
        f.open_block()
        ids = []
        for variable, type_ in signature.params:
            word = variable.value[1:].removesuffix("-malformed-ir")
            id_ = f.add("local", "", (), type_.value if type_ else UNKNOWN, word)
            f.declare(word, id_)
            ids.append(id_)
        return c[0], signature, tuple(ids)

    def function(self, c: Children) -> int:
        f = self.f
        _, signature, ids = c[0]
        result, block = c[2]
        if signature.result is not None:
            f.types[result] = self._derived(f.types[result], signature.result.value)
        type_, name = self._said(c[3].notes)
        id_ = f.add("function", "", (result,), type_, name, signature.attrs)
        f.branches[id_] = ("function",)
        f.locals[id_] = (0, ids)
        block.owner = id_
        return id_

    # ------------------------------------------------------------ statements

    def bind(self, c: Children) -> None:
        token: Token = c[0]
        f = self.f
        id_ = self._id(c[1])
        known = f.numbers[id_] is not None or f.kinds[id_] in ("input", "local", "let")
        if known or id_ in f.later.values():
            id_ = f.add("let", "", (id_,), f.types[id_])
        key = int(token.value[1:-1])
        f.numbers[id_] = key
        f.bindings[key] = id_
        f.settle(id_)
        self._trailing(c[2], id_)

    def _trailing(self, semicolon: Token, id_: int) -> None:
        """Take what a comment after the ``;`` says for what nothing said before."""
        if semicolon.notes:
            type_, name = self._said(semicolon.notes)
            f = self.f
            f.types[id_] = self._derived(f.types[id_], type_)
            if f.kinds[id_] not in ("input", "local", "let"):
                f.names[id_] = f.names[id_] or name

    def let_head(self, c: Children) -> tuple[Token, TypeText | None, int | None, int]:
        """A let's variable may already stand in its value: a function that calls itself."""
        token: Token = c[1]
        type_ = c[3] if len(c) == 5 else None
        word = token.value[1:].removesuffix("-malformed-ir")
        if word in self.f.variables:
            return token, type_, None, len(self.f.blocks)
        self._pending.append((word, type_, None))
        self.f.declare(word, -len(self._pending))
        return token, type_, len(self._pending) - 1, len(self.f.blocks)

    def let(self, c: Children) -> None:
        token, type_, pending, depth = c[0]
        f = self.f
        value = f.close_recursions(depth, self._id(c[-2]))
        self._trailing(c[-1], value)
        word = token.value[1:].removesuffix("-malformed-ir")
        local = self._pending[pending][2] if pending is not None else None
        if local is not None:
            f.open_block((local, value))
            f.declare(word, local)
            f.types[local] = self._derived(f.types[local], f.types[value])
            return
        own = type_.value if type_ else UNKNOWN
        id_ = f.add("let", "", (value,), self._derived(own, f.types[value]), word)
        f.declare(word, id_)
        f.settle(id_)

    def free_var(self, c: Children) -> None:
        token: Token = c[1]
        self._free(token, c[3] if len(c) == 5 else None)

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
        return found

    def _settle_later(self, result: int) -> int:
        """Give the uses that came before their binding the bound value; return the result's id."""
        f = self.f
        if not f.later:
            return result
        for key, token in f.later_places.items():
            if key not in f.bindings:
                raise error(
                    "S524",
                    f"`{token.value}` is used but not bound",
                    self._listing.span(token.start, token.end),
                    reason="every `%N` needs a line `%N = ...` in the same function",
                    remedy="paste the whole function, or correct the number",
                )
        order = in_dependency_order(f)
        if order is None:
            token = next(iter(f.later_places.values()))
            raise error(
                "S524",
                f"`{token.value}` is used to compute itself",
                self._listing.span(token.start, token.end),
                reason="the line that binds it depends on its own result",
                remedy="correct the number",
            )
        return f.reorder(order, result)

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

    # ------------------------------------------------------------ if and match

    def if_head(self, c: Children) -> int:
        condition = self._id(c[2])
        self.f.open_block()
        return condition

    def else_head(self, _: Children) -> None:
        self.f.open_block()

    def conditional(self, c: Children) -> int:
        f = self.f
        (then, then_block), (otherwise, else_block) = c[2], c[6]
        said, name = self._said(c[7].notes)
        type_ = self._derived(said, self._derived(f.types[then], f.types[otherwise]))
        id_ = f.add("if", "", (c[0], then, otherwise), type_, name)
        f.branches[id_] = (None, "then", "else")
        then_block.owner, then_block.slot = id_, 1
        else_block.owner, else_block.slot = id_, 2
        return id_

    def match_head(self, c: Children) -> int:
        return self._id(c[2])

    def pattern_variable(self, c: Children) -> None:
        self._pattern.append((c[0], c[2] if len(c) == 3 else None))

    def clause_head(self, _: Children) -> tuple[int, ...]:
        f = self.f
        f.open_block()
        ids = []
        for token, type_ in self._pattern:
            word = token.value[1:]
            id_ = f.add("local", "", (), type_.value if type_ else UNKNOWN, word)
            f.declare(word, id_)
            f.settle(id_)
            ids.append(id_)
        self._pattern = []
        return tuple(ids)

    def clause(self, c: Children) -> tuple[int, Block]:
        result: tuple[int, Block] = c[2]
        return result

    def short_clause(self, c: Children) -> tuple[int, Block]:
        return self.body(c[1:])

    def match(self, c: Children) -> int:
        f = self.f
        clauses: list[tuple[int, Block]] = c[2]
        said, name = self._said(c[-1].notes)
        types = [f.types[result] for result, _ in clauses]
        known = next((x for x in types if not isinstance(x, UnknownType)), UNKNOWN)
        results = tuple([result for result, _ in clauses])
        id_ = f.add("opaque", "match", (c[0], *results), self._derived(said, known), name)
        then: Branch = "then"
        f.branches[id_] = (None, *([then] * len(clauses)))
        for slot, (_, block) in enumerate(clauses, 1):
            block.owner, block.slot = id_, slot
        return id_
