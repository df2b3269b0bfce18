"""What the rules of all statements share: places, texts, numbers, values, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lark import Token, Tree
from lark.tree import Meta

from surgery.diagnostics import error
from surgery.source import Span
from surgery.syntax import ast, checks
from surgery.syntax.literals import unquote
from surgery.syntax.origin import KeptFloat, KeptInt, Origin, Variables


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a statement on its way into a field of its AST class."""

    field: str
    value: Any
    words: str
    span: Span


class PartRules:
    """Rules that build parts of statements."""

    def __init__(self, origin: Origin, variables: Variables, base: int) -> None:
        """Build from a parse of the text ``base`` characters into that of ``origin``."""
        self.origin = origin
        self.variables = variables
        self._base = base
        self._set_ops = 0

    def construct(self, tree: Tree[Token]) -> Any:
        """Return the AST of a parse tree. Keeps its own stack, whatever the depth."""
        order: list[Tree[Token]] = []
        pending = [tree]
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(child for child in node.children if isinstance(child, Tree))
        done: dict[int, Any] = {}
        for node in reversed(order):
            children = [done.pop(id(c)) if isinstance(c, Tree) else c for c in node.children]
            done[id(node)] = getattr(self, str(node.data))(node.meta, *children)
        return done[id(tree)]

    # ------------------------------------------------------------ places

    def span(self, meta: Meta) -> Span:
        """Return the place of a rule in the user's file."""
        if meta.empty:
            return self.origin.span(self._base, self._base)
        return self.origin.span(self._base + meta.start_pos, self._base + meta.end_pos)

    def token_span(self, token: Token) -> Span:
        """Return the place of a token in the user's file."""
        start = self._base + (token.start_pos or 0)
        return self.origin.span(start, start + len(token))

    # ------------------------------------------------------------ texts and numbers

    def text(self, token: Token) -> str:
        """Return what a name, a path or a string stands for."""
        span = self.token_span(token)
        written = str(token)
        if token.type == "STRING":
            written = unquote(written, span)
        return self.variables.substitute(written, span)

    def name(self, meta: Meta, token: Token) -> str:
        text = self.text(token)
        if not text:
            raise checks.empty_name(self.token_span(token))
        return text

    def path(self, meta: Meta, token: Token) -> str:
        text = self.text(token)
        if not text:
            raise checks.empty_name(self.token_span(token))
        return text

    def choice(self, meta: Meta, token: Token) -> Token:
        return token

    def chosen(self, token: Token, among: Sequence[str], what: str) -> Any:
        """Return the word chosen among a few, or raise ``S109``."""
        return checks.chosen(self.text(token), among, what, self.token_span(token), self.variables)

    def integer(self, meta: Meta, token: Token) -> int:
        return self.whole_number(token)

    def whole_number(self, token: Token) -> int:
        """Return a whole number, written or in a variable."""
        text = self.text(token)
        if token.type == "VAR" and self.variables.kept:
            return KeptInt(text)
        return checks.whole_number(text, self.token_span(token))

    def number(self, meta: Meta, token: Token) -> float:
        text = self.text(token)
        if token.type == "VAR" and self.variables.kept:
            return KeptFloat(text)
        return checks.number(text, self.token_span(token))

    # ------------------------------------------------------------ values

    def value(self, meta: Meta, item: Any) -> ast.Value | ast.Star:
        if not isinstance(item, Token):
            return item  # type: ignore[no-any-return]
        match item.type:
            case "STAR":
                return ast.STAR
            case "TRUE":
                return True
            case "FALSE":
                return False
            case "NONE":
                return None
            case "INT" | "FLOAT":
                return checks.scalar(str(item))
            case "VAR":
                text = self.text(item)
                return text if self.variables.kept else checks.scalar(text)
            case _:
                return self.text(item)

    def value_list(self, meta: Meta, *values: Any) -> tuple[Any, ...]:
        return values

    def pair(self, meta: Meta, key: Token, sign: Token, value: Any) -> tuple[str, ast.Value]:
        if sign != "=":
            raise checks.not_assigned(str(key), str(sign), self.token_span(sign))
        checks.no_star(value, f"the value of `{key}`", self.span(meta))
        return str(key), value

    # ------------------------------------------------------------ options

    def expect(self, meta: Meta, sign: Token | None, count: int) -> ast.Expect:
        span = self.span(meta)
        checks.at_least(0, count, "the count after `expect`", span)
        comparison = checks.comparison(str(sign or "="))
        return ast.Expect(comparison=comparison, count=count, span=span)

    def tail(self, meta: Meta, *parts: Any) -> dict[str, Any]:
        return self.options(
            tuple(
                Option("optional", True, "optional", self.token_span(part))
                if isinstance(part, Token)
                else part
                for part in parts
            ),
            "statement",
        )

    def option(self, meta: Meta, field: str, value: Any, words: str) -> Option:
        """Return an option on its way to the field of its statement."""
        return Option(field, value, words, self.span(meta))

    def options(
        self, parts: tuple[Any, ...], what: str, *, joined: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return options as keyword arguments; one given twice is an error unless it joins."""
        given: dict[str, Any] = {}
        places: dict[str, Span] = {}
        for part in parts:
            if isinstance(part, ast.Expect):
                assert part.span is not None
                part = Option("expect", part, "expect", part.span)
            if part.field not in given:
                given[part.field], places[part.field] = part.value, part.span
            elif part.field in joined:
                given[part.field] = (*given[part.field], *part.value)
            else:
                first = places[part.field]
                raise error(
                    "S111",
                    f"`{part.words}` is given twice in one {what}",
                    part.span,
                    notes=(f"first at line {first.line}, column {first.column}",),
                    remedy="keep one of them",
                )
        return given
