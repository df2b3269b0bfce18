"""Rules of selectors."""

from __future__ import annotations

import re
from typing import Any, Literal

from lark import Token
from lark.tree import Meta

from surgery.diagnostics import error
from surgery.source import Span
from surgery.syntax import ast, checks
from surgery.syntax.build_parts import PartRules
from surgery.syntax.literals import unquote, unquote_regex
from surgery.syntax.origin import KeptInt

#: More set operations than this in one statement are refused: the AST nests them.
MAX_SET_OPS = 128

_ATOM = re.compile(
    r"(?:@(?P<function>[\w./-]+):)?"
    r"(?:%(?P<number>\d+|\$\{\w+\})|(?P<result>result)|%(?P<variable>.+))"
    r"(?P<path>(?:\.(?:\d+|\$\{\w+\}))*)(?P<star>\.\*)?",
    re.DOTALL,
)


class SelectorRules(PartRules):
    """Builds selectors."""

    # ------------------------------------------------------------ atoms

    def numbered(self, meta: Meta, token: Token) -> ast.Selector:
        atom = self._atom(str(token), self.token_span(token))
        assert atom is not None
        return atom

    result = numbered

    def variable(self, meta: Meta, token: Token) -> ast.Variable:
        span = self.token_span(token)
        text = str(token)
        at, _, name = text.partition("%")
        if name.startswith('"'):
            name = self.variables.substitute(unquote(name, span), span)
        return ast.Variable(name=name, function=at[1:-1] or None, span=span)

    def substituted(self, meta: Meta, token: Token) -> ast.Selector:
        """``cut after ${PLACE}``: a number, ``result`` or else a name; never more than one atom."""
        span = self.token_span(token)
        text = self.text(token)
        if not text:
            raise checks.empty_name(span)
        atom = None if self.variables.kept else self._atom(text, span)
        return atom or ast.NameRun(text=text, span=span)

    def _atom(self, text: str, span: Span) -> ast.Selector | None:
        """Return what ``%42``, ``%3.1``, ``@f:result`` or ``%x`` selects; ``None`` for others."""
        match = _ATOM.fullmatch(text)
        if match is None:
            return None
        function = match["function"]
        if match["variable"] is not None:
            name = text.partition("%")[2]
            return ast.Variable(name=name, function=function, span=span)
        path = tuple(self._ordinal(part, span) for part in match["path"].split(".")[1:])
        every = match["star"] is not None
        if match["result"] is not None:
            return ast.Result(function=function, path=path, all_fields=every, span=span)
        number = self._ordinal(match["number"], span)
        return ast.Numbered(
            number=number, path=path, all_fields=every, function=function, span=span
        )

    def _ordinal(self, text: str, span: Span) -> int:
        value = self.variables.substitute(text, span)
        if value.startswith("${") and self.variables.kept:
            return KeptInt(value)
        return checks.at_least(0, checks.whole_number(value, span), "a value's number", span)

    def name_run(self, meta: Meta, token: Token) -> ast.NameRun:
        return ast.NameRun(text=self.text(token), span=self.token_span(token))

    def quoted_run(self, meta: Meta, token: Token) -> ast.NameRun:
        span = self.token_span(token)
        text = self.variables.substitute(unquote(str(token)[len("name") :], span), span)
        if not text:
            raise checks.empty_name(span)
        return ast.NameRun(text=text, span=span)

    def name_glob(self, meta: Meta, token: Token) -> ast.NameGlob:
        glob = self.text(token)
        if not glob:
            raise checks.empty_name(self.token_span(token))
        return ast.NameGlob(glob=glob, span=self.token_span(token))

    def name_regex(self, meta: Meta, token: Token) -> ast.NameRegex:
        span = self.token_span(token)
        regex = self.variables.substitute(unquote_regex(str(token)), span)
        return ast.NameRegex(regex=checks.regex(regex, span), span=span)

    def op_kind(self, meta: Meta, token: Token) -> ast.OpKind:
        op = self.text(token)
        if token.type == "VAR" and not self.variables.kept:
            checks.op_name(op, self.token_span(token))
        return ast.OpKind(op=op, span=self.span(meta))

    def input_sel(self, meta: Meta, name: str) -> ast.InputSel:
        return ast.InputSel(name=name, span=self.span(meta))

    def param_sel(self, meta: Meta, name: str) -> ast.ParamSel:
        return ast.ParamSel(name=name, span=self.span(meta))

    # ------------------------------------------------------------ relations, predicates, sets

    def relation(self, meta: Meta, kind: Any, selector: ast.Selector) -> ast.Relation:
        return ast.Relation(kind=str(kind), arguments=(selector,), span=self.span(meta))  # type: ignore[arg-type]

    def nth(self, meta: Meta, selector: ast.Selector, index: int) -> ast.Relation:
        return ast.Relation(kind="nth", arguments=(selector,), index=index, span=self.span(meta))

    def between(self, meta: Meta, start: ast.Selector, end: ast.Selector) -> ast.Relation:
        return ast.Relation(kind="between", arguments=(start, end), span=self.span(meta))

    def where(self, meta: Meta, selector: ast.Selector, *predicates: ast.Predicate) -> ast.Where:
        return ast.Where(selector=selector, predicates=predicates, span=self.span(meta))

    def predicate(self, meta: Meta, key: Token, sign: Token, value: Any) -> ast.Predicate:
        checks.predicate_key(str(key), self.token_span(key))
        return ast.Predicate(
            key=str(key),
            comparison=checks.comparison(str(sign)),
            value=value,
            span=self.span(meta),
        )

    def union(self, meta: Meta, left: ast.Selector, right: ast.Selector) -> ast.SetOp:
        return self.set_op("or", left, right, self.span(meta))

    def difference(self, meta: Meta, left: ast.Selector, right: ast.Selector) -> ast.SetOp:
        return self.set_op("except", left, right, self.span(meta))

    def intersection(self, meta: Meta, left: ast.Selector, right: ast.Selector) -> ast.SetOp:
        return self.set_op("and", left, right, self.span(meta))

    def set_op(
        self,
        kind: Literal["and", "or", "except"],
        left: ast.Selector,
        right: ast.Selector,
        span: Span,
    ) -> ast.SetOp:
        """Return ``left kind right``; too many in one statement are ``S106``."""
        self._set_ops += 1
        if self._set_ops > MAX_SET_OPS:
            raise error(
                "S106",
                f"more than {MAX_SET_OPS} set operations in one statement",
                span,
                reason="a selector nests its set operations",
                remedy='select by a glob ("*/query/*") or re"...", or name parts by `let`',
            )
        return ast.SetOp(kind=kind, left=left, right=right, span=span)
