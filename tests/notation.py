"""Reads patterns for tests of matching, which must not depend on the spec's parser."""

from __future__ import annotations

import ast as python
import re

from surgery.syntax import ast

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[@A-Za-z_][\w.@]*(?:\*(?=[.\w]))?[\w.]*)|(?P<attrs>\{[^}]*\})|(?P<sign>[()|>,:?*]))"
)
_CONSTRAINT = re.compile(r"(\w+)(!=|<=|>=|=|<|>)(\([^)]*\)|[^,]+)")


def pattern(text: str) -> ast.Pattern:
    """Read a pattern: chains, calls, alternatives, captures, ``{attrs}``, ``?`` and ``*``."""
    reader = _Reader(text)
    found = reader.chain()
    assert reader.at == len(reader.tokens), reader.tokens[reader.at :]
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            assert match, text[position:]
            self.tokens.append(match.group().strip())
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def chain(self) -> ast.Pattern:
        elements = [self.alternatives()]
        while self.take(">"):
            elements.append(self.alternatives())
        if len(elements) == 1:
            return elements[0]
        return ast.Chain(elements=tuple(elements))  # type: ignore[arg-type]

    def alternatives(self) -> ast.Pattern:
        choices = [self.primary()]
        while self.take("|"):
            choices.append(self.primary())
        return choices[0] if len(choices) == 1 else ast.Alternative(choices=tuple(choices))

    def primary(self) -> ast.Pattern:
        if self.take("("):
            inner = self.chain()
            assert self.take(")")
            if self.take("?"):
                choices = inner.choices if isinstance(inner, ast.Alternative) else (inner,)
                return ast.Alternative(choices=choices, optional=True)
            return inner
        if self.take("*"):
            return ast.AnyValue(constraints=self.constraints())
        word = self.tokens[self.at]
        self.at += 1
        if self.take(":"):
            return ast.Capture(name=word, pattern=self.primary())
        if word == "const":
            return ast.ConstLeaf(constraints=self.constraints())
        if word == "input":
            return ast.InputLeaf(constraints=self.constraints())
        found = re.fullmatch(r"(.+)\.(\d+)", word)
        op, field = (found[1], int(found[2])) if found else (word, None)
        constraints = self.constraints()
        arguments: list[ast.Pattern] | None = None
        if self.take("("):
            arguments = []
            while not self.take(")"):
                arguments.append(self.chain())
                self.take(",")
        optional, repeat = self.take("?"), False
        if not optional and arguments is None and self.peek() == "*":
            repeat = self.take("*")
        return ast.OpPattern(
            op=op,
            field=field,
            constraints=constraints,
            arguments=None if arguments is None else tuple(arguments),
            optional=optional,
            repeat=repeat,
        )

    def constraints(self) -> tuple[ast.AttrConstraint, ...]:
        if not self.peek().startswith("{"):
            return ()
        text = self.tokens[self.at][1:-1]
        self.at += 1
        return tuple(
            ast.AttrConstraint(name=name, comparison=sign, value=value(raw))  # type: ignore[arg-type]
            for name, sign, raw in _CONSTRAINT.findall(text.replace(" ", ""))
        )


def value(raw: str) -> ast.Value | ast.Star | tuple[ast.Value | ast.Star, ...]:
    """Read the value of a constraint."""
    if raw.startswith("("):
        return tuple(value(part) for part in raw[1:-1].split(",") if part)  # type: ignore[misc]
    if raw == "*":
        return ast.STAR
    if raw in ("true", "false"):
        return raw == "true"
    try:
        return python.literal_eval(raw)  # type: ignore[no-any-return]
    except (ValueError, SyntaxError):
        return raw
