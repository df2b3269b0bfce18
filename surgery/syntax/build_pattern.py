"""Rules of patterns."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from surgery.diagnostics import error
from surgery.source import Span
from surgery.syntax import ast, checks
from surgery.syntax.build_parts import PartRules

_FIELD = re.compile(r"(.+)\.(\d+)")
_CHAIN_PARTS = (ast.OpPattern, ast.Alternative, ast.Capture)


class PatternRules(PartRules):
    """Builds patterns."""

    def constraint(self, meta: Meta, key: Token, sign: Token, value: Any) -> ast.AttrConstraint:
        return ast.AttrConstraint(
            name=str(key),
            comparison=checks.comparison(str(sign)),
            value=value,
            span=self.span(meta),
        )

    def constraints(
        self, meta: Meta, *constraints: ast.AttrConstraint
    ) -> tuple[ast.AttrConstraint, ...]:
        return constraints

    def arguments(self, meta: Meta, *patterns: ast.Pattern) -> tuple[ast.Pattern, ...]:
        return patterns

    # ------------------------------------------------------------ leaves

    def any_value(self, meta: Meta, *parts: Any) -> ast.AnyValue:
        return ast.AnyValue(constraints=_last(parts), span=self.span(meta))

    def const_leaf(self, meta: Meta, constraints: Any) -> ast.ConstLeaf:
        return ast.ConstLeaf(constraints=constraints or (), span=self.span(meta))

    def input_leaf(self, meta: Meta, constraints: Any) -> ast.InputLeaf:
        return ast.InputLeaf(constraints=constraints or (), span=self.span(meta))

    def op_pattern(
        self, meta: Meta, op: Token, constraints: Any, arguments: Any, field: Token | None
    ) -> ast.OpPattern:
        name = self.text(op)
        span = self.token_span(op)
        if op.type == "VAR" and not self.variables.kept:
            checks.op_name(name, span)
        index = None if field is None else int(str(field)[1:])
        written = _FIELD.fullmatch(name)
        if written is not None:
            if index is not None:
                raise error(
                    "S113",
                    f"`{name}` names its field twice",
                    self.token_span(field) if field is not None else span,
                    remedy=f"write `{written[1]}.{index}`",
                )
            name, index = written[1], int(written[2])
        return ast.OpPattern(
            op=name,
            field=index,
            constraints=constraints or (),
            arguments=arguments,
            span=self.span(meta),
        )

    # ------------------------------------------------------------ marks and combinations

    def maybe(self, meta: Meta, pattern: ast.Pattern, _mark: Token) -> ast.Pattern:
        span = self.span(meta)
        match pattern:
            case ast.OpPattern(repeat=False) | ast.Alternative():
                return replace(pattern, optional=True, span=span)
            case ast.Chain() | ast.Capture():
                return ast.Alternative(choices=(pattern,), optional=True, span=span)
            case ast.OpPattern():
                raise _wrong("`*` already allows none", span, "leave out the `?`")
            case _:
                raise _wrong("a leaf can't be left out", span, "only ops take `?`: `add?`")

    def repeat(self, meta: Meta, pattern: ast.Pattern, _mark: Token) -> ast.OpPattern:
        span = self.span(meta)
        match pattern:
            case ast.OpPattern(optional=False, repeat=False, arguments=None):
                return replace(pattern, repeat=True, span=span)
            case _:
                raise _wrong(
                    "only a single op without operands repeats",
                    span,
                    "write `elementwise*` or `nn.relu*`",
                )

    def capture(self, meta: Meta, name: Token, pattern: ast.Pattern) -> ast.Capture:
        return ast.Capture(name=str(name), pattern=pattern, span=self.span(meta))

    def alternative(self, meta: Meta, *choices: ast.Pattern) -> ast.Alternative:
        flat: list[ast.Pattern] = []
        for choice in choices:
            if isinstance(choice, ast.Alternative) and not choice.optional:
                flat.extend(choice.choices)
            else:
                flat.append(choice)
        return ast.Alternative(choices=tuple(flat), span=self.span(meta))

    def chain(self, meta: Meta, *elements: ast.Pattern) -> ast.Chain:
        flat: list[ast.OpPattern | ast.Alternative | ast.Capture] = []
        for element in elements:
            if isinstance(element, ast.Chain):
                flat.extend(element.elements)
            elif isinstance(element, _CHAIN_PARTS):
                flat.append(element)
            else:
                raise error(
                    "S113",
                    "a chain holds ops only",
                    element.span,
                    reason="operands that no op of the chain computes are free without being "
                    "written",
                    remedy="leave it out, or write the exact shape as calls: "
                    "`relu(conv2d(*, const))`",
                )
        return ast.Chain(elements=tuple(flat), span=self.span(meta))


def _last(parts: tuple[Any, ...]) -> tuple[ast.AttrConstraint, ...]:
    """Return the constraints of ``*``, ``*{...}`` or ``{...}``."""
    last = parts[-1] if parts else None
    return last if isinstance(last, tuple) else ()


def _wrong(message: str, span: Span, remedy: str) -> Exception:
    return error("S113", message, span, remedy=remedy)
