"""Grammar actions for functions, statements, ``if`` and ``match``: what opens and closes blocks.

The parser calls these from left to right while it reads, so the state of the builder is the place
in the text. Heads (``def_head``, ``fn_head``, ``if_head``, ``else_head``) are rules of their own
to let a block begin before its statements are read.
"""

from __future__ import annotations

from dataclasses import dataclass

from surgery.diagnostics import error
from surgery.graph import UNKNOWN, Graph, UnknownType
from surgery.listing.expressions import Expressions
from surgery.listing.forward import in_dependency_order
from surgery.listing.function import Block, FunctionText
from surgery.listing.leaves import Children
from surgery.listing.scopes import Branch
from surgery.listing.tokens import Token
from surgery.listing.types import TypeText


@dataclass(frozen=True, slots=True)
class Signature:
    """What stands between a function's name and its body."""

    params: list[tuple[Token, TypeText | None]]
    attrs: dict[str, object]
    result: TypeText | None


class Builder(Expressions):
    """Reads one listing at a time: :meth:`begin`, then the parser's calls, then :meth:`graphs`."""

    def graphs(self) -> dict[str, Graph]:
        """Return the functions that were read, in the order of the text, and forget them."""
        done, self._done = self._done, {}
        self.f = FunctionText("main")
        return done

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

    # ------------------------------------------------------------ statements

    def bind(self, c: Children) -> None:
        token: Token = c[0]
        f = self.f
        id_ = self._id(c[1])
        known = f.numbers[id_] is not None or f.kinds[id_] in ("input", "local", "let")
        if known or id_ in f.stand_ins:
            id_ = f.add("let", "", (id_,), f.types[id_])
        key = int(token.value[1:-1])
        f.numbers[id_] = key
        f.bindings[key] = id_
        f.settle(id_)
        self._trailing(c[2], id_)

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
