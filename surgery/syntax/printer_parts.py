"""AST -> canonical text: words, values, selectors and patterns."""

from __future__ import annotations

import re
from typing import assert_never

from surgery.syntax import ast
from surgery.syntax.checks import scalar
from surgery.syntax.literals import quote, quote_regex
from surgery.syntax.origin import WHOLE_VARIABLE, KeptFloat, KeptInt, escape_references

_RUN = re.compile(r"(?:[\w./]|\$\{\w+\})(?:[\w./:@-]|\$\{\w+\})*")
_BARE = re.compile(r"\w[\w./:-]*")
_IDENTIFIER = re.compile(r"[^\W\d][\w./:@-]*")
#: Words that go on with a selector: after `input`, `op`, `only` they aren't taken for names.
_GOES_ON = frozenset(
    ("as", "and", "or", "except", "where", "expect", "optional", "to", "by", "on", "with")
)
#: Names that would read as a keyword where a selector begins.
_NOT_BARE_RUNS = _GOES_ON | frozenset(
    ("op", "input", "param", "only", "each", "drop", "rename", "pattern", "table")
)
_RESULT_LIKE = re.compile(r"result(?:\.\d+)*(?:\.\*)?")

# How tightly a selector binds: set operations, `and`, `where`, atoms.
_UNION, _AND, _WHERE, _ATOM = range(4)


class PartPrinter:
    """Prints AST nodes.

    ``raw`` prints an AST whose ``${NAME}`` were kept as written; otherwise ``${`` in a text is
    escaped, as the text itself is meant.
    """

    def __init__(self, *, raw: bool = False) -> None:
        self.raw = raw

    # ------------------------------------------------------------ words and values

    def text(self, text: str) -> str:
        """Return a quoted string."""
        return quote(text if self.raw else escape_references(text))

    def name(self, name: str) -> str:
        """Return a name: bare where it can be."""
        if self._is_bare_run(name) and not isinstance(scalar(name), int | float):
            return name
        return self.text(name)

    def _is_bare_run(self, text: str) -> bool:
        return bool(_RUN.fullmatch(text)) and (self.raw or "$" not in text)

    def number(self, number: float) -> str:
        """Return a number."""
        return number.text if isinstance(number, KeptInt | KeptFloat) else repr(number)

    def value(self, value: object) -> str:
        """Return the value of an attribute, predicate or option."""
        match value:
            case ast.Star():
                return "*"
            case None:
                return "none"
            case bool():
                return "true" if value else "false"
            case int() | float():
                return self.number(value)
            case str():
                if self.raw and WHOLE_VARIABLE.fullmatch(value):
                    return value
                bare = _BARE.fullmatch(value) and isinstance(scalar(value), str)
                return value if bare else self.text(value)
            case tuple():
                inner = ", ".join(self.value(item) for item in value)
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case _:
                raise TypeError(f"no value of a spec: {value!r}")

    def values(self, values: tuple[ast.Value, ...]) -> str:
        """Return values with commas between."""
        return ", ".join(self.value(value) for value in values)

    # ------------------------------------------------------------ selectors

    def selector(self, selector: ast.Selector, level: int = _UNION) -> str:
        """Return a selector, in parentheses where its place binds tighter than itself."""
        match selector:
            case ast.SetOp(kind="and"):
                left = self.selector(selector.left, _AND)
                written, own = f"{left} and {self.selector(selector.right, _WHERE)}", _AND
            case ast.SetOp():
                left = self.selector(selector.left, _UNION)
                right = self.selector(selector.right, _AND)
                written, own = f"{left} {selector.kind} {right}", _UNION
            case ast.Where():
                inner = self.selector(selector.selector, _ATOM)
                tests = " and ".join(self.predicate(p) for p in selector.predicates)
                written, own = f"{inner} where {tests}", _WHERE
            case _:
                return self._atom(selector)
        return f"({written})" if own < level else written

    def _atom(self, selector: ast.Selector) -> str:
        match selector:
            case ast.Numbered():
                number = self.number(selector.number)
                fields = self._fields(selector.path, selector.all_fields)
                return f"{_function(selector.function)}%{number}{fields}"
            case ast.Result():
                fields = self._fields(selector.path, selector.all_fields)
                return f"{_function(selector.function)}result{fields}"
            case ast.Variable():
                plain = _IDENTIFIER.fullmatch(selector.name)
                name = selector.name if plain else self.text(selector.name)
                return f"{_function(selector.function)}%{name}"
            case ast.NameRun():
                return self._run(selector.text)
            case ast.NameGlob():
                return self.text(selector.glob)
            case ast.NameRegex():
                regex = selector.regex
                return quote_regex(regex if self.raw else escape_references(regex))
            case ast.OpKind():
                return f"op {selector.op}"
            case ast.InputSel():
                return f"input {self.variable(selector.name)}"
            case ast.ParamSel():
                return f"param {self.variable(selector.name)}"
            case ast.Relation():
                arguments = [self.selector(argument) for argument in selector.arguments]
                if selector.index is not None:
                    arguments.append(self.number(selector.index))
                return f"{selector.kind}({', '.join(arguments)})"
            case ast.Where() | ast.SetOp():
                return self.selector(selector)
            case _:
                assert_never(selector)

    def variable(self, name: str) -> str:
        """Return the name of an input or weight after its keyword."""
        return self.text(name) if name in _GOES_ON else self.name(name)

    def _run(self, text: str) -> str:
        clear = text not in _NOT_BARE_RUNS and not _RESULT_LIKE.fullmatch(text)
        return text if clear and self._is_bare_run(text) else f"name{self.text(text)}"

    def _fields(self, path: tuple[int, ...], every: bool) -> str:
        return "".join(f".{self.number(i)}" for i in path) + (".*" if every else "")

    def predicate(self, predicate: ast.Predicate) -> str:
        """Return one condition of ``where``."""
        return f"{predicate.key}{predicate.comparison}{self.value(predicate.value)}"

    # ------------------------------------------------------------ patterns

    def pattern(self, pattern: ast.Pattern, *, unit: bool = False) -> str:
        """Return a pattern; as a ``unit`` in parentheses when it is a chain or alternatives."""
        match pattern:
            case ast.AnyValue():
                return f"*{self._constraints(pattern.constraints)}"
            case ast.ConstLeaf():
                return f"const{self._constraints(pattern.constraints)}"
            case ast.InputLeaf():
                return f"input{self._constraints(pattern.constraints)}"
            case ast.OpPattern():
                return self._op(pattern)
            case ast.Capture():
                return f"{pattern.name}:{self.pattern(pattern.pattern, unit=True)}"
            case ast.Alternative():
                inner = "|".join(self.pattern(c, unit=True) for c in pattern.choices)
                if pattern.optional:
                    return f"({inner})?"
                return f"({inner})" if unit else inner
            case ast.Chain():
                inner = ">".join(self.pattern(e, unit=True) for e in pattern.elements)
                return f"({inner})" if unit else inner
            case _:
                assert_never(pattern)

    def _op(self, pattern: ast.OpPattern) -> str:
        field = "" if pattern.field is None else f".{pattern.field}"
        written = f"{pattern.op}{field}{self._constraints(pattern.constraints)}"
        if pattern.arguments is not None:
            written += f"({', '.join(self.pattern(a) for a in pattern.arguments)})"
        return written + ("?" if pattern.optional else "") + ("*" if pattern.repeat else "")

    def _constraints(self, constraints: tuple[ast.AttrConstraint, ...]) -> str:
        if not constraints:
            return ""
        inner = ", ".join(f"{c.name}{c.comparison}{self.value(c.value)}" for c in constraints)
        return f"{{{inner}}}"


def _function(name: str | None) -> str:
    return "" if name is None else f"@{name}:"
