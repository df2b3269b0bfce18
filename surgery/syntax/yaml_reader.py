"""Reads YAML nodes as texts, numbers, selectors and patterns; checked like the text form."""

from __future__ import annotations

import re
from typing import Any

from surgery.diagnostics import Collector, error
from surgery.source import Source, Span
from surgery.syntax import ast, checks
from surgery.syntax.literals import quote
from surgery.syntax.origin import WHOLE_VARIABLE, KeptFloat, KeptInt, Origin, Variables
from surgery.syntax.text import parse_pattern_text, parse_selector_text, parse_statements
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode

_EXPECT = re.compile(r"\s*(==?|!=|<=?|>=?)?\s*(\S+)\s*")


class YamlReader:
    """Turns nodes into statements."""

    def __init__(self, source: Source, variables: Variables, found: Collector) -> None:
        self.source = source
        self.variables = variables
        self.found = found

    # ------------------------------------------------------------ scalars

    def text(self, node: Node) -> str:
        """Return a text with its variables put in."""
        assert isinstance(node, ScalarNode)
        return self.variables.substitute(node.text, node.span)

    def word(self, node: Node) -> str:
        """Return a text that isn't empty."""
        text = self.text(node)
        if not text:
            raise checks.empty_name(node.span)
        return text

    def flag(self, node: Node | None) -> bool:
        """Return a truth value; absent is false."""
        return isinstance(node, ScalarNode) and node.data is True

    def integer(self, node: Node, low: int, what: str) -> int:
        """Return a whole number, written or in a variable."""
        assert isinstance(node, ScalarNode)
        if WHOLE_VARIABLE.fullmatch(node.text):
            text = self.text(node)
            if self.variables.kept:
                return KeptInt(text)
            return checks.at_least(low, checks.whole_number(text, node.span), what, node.span)
        return checks.at_least(low, int(node.data), what, node.span)

    def number(self, node: Node) -> float:
        """Return a tolerance."""
        assert isinstance(node, ScalarNode)
        if WHOLE_VARIABLE.fullmatch(node.text):
            text = self.text(node)
            if self.variables.kept:
                return KeptFloat(text)
            return checks.tolerance(checks.number(text, node.span), node.span)
        return checks.tolerance(float(node.data), node.span)

    def value(self, node: Node) -> ast.Value:
        """Return the value of an attribute or option. Depth is bounded by the composer."""
        match node:
            case ScalarNode():
                if not isinstance(node.data, str):
                    value: ast.Value = node.data
                    return value
                if WHOLE_VARIABLE.fullmatch(node.text) and not self.variables.kept:
                    return checks.scalar(self.text(node))
                return self.text(node)
            case ListNode():
                return tuple(self.value(item) for item in node.items)
            case MapNode():
                raise error("S123", "a value is a scalar or a list, not a mapping", node.span)

    def chosen(self, node: Node, among: tuple[str, ...], what: str) -> Any:
        """Return one of a few words."""
        return checks.chosen(self.text(node), among, what, node.span, self.variables)

    # ------------------------------------------------------------ texts of the text form

    def origin(self, node: ScalarNode) -> Origin:
        """Return where the characters of a scalar stand."""
        return Origin(self.source, node.offsets())

    def selector(self, node: Node) -> ast.Selector:
        """Return a selector."""
        assert isinstance(node, ScalarNode)
        return parse_selector_text(node.text, self.origin(node), self.variables)

    def pattern(self, node: Node) -> ast.Pattern:
        """Return a pattern."""
        assert isinstance(node, ScalarNode)
        return parse_pattern_text(node.text, self.origin(node), self.variables)

    def statements(self, node: Node) -> tuple[ast.Statement, ...]:
        """Return the statements of a text step; faults are collected."""
        assert isinstance(node, ScalarNode)
        parsed = parse_statements(node.text, self.origin(node), self.variables, self.found)
        if not parsed and not node.text.strip():
            raise error("S116", "a statement is missing", node.span)
        return parsed

    def after_keyword(self, keyword: str, node: Node, place: Span) -> tuple[ast.Statement, ...]:
        """Return the statement whose keyword is a key and whose rest is that key's text."""
        return self._parsed(f"{keyword} ", node, place)

    def output_items(self, node: Node) -> tuple[ast.OutputItem, ...]:
        """Return the outputs of ``%42 as mask`` in a list of outputs."""
        for statement in self._parsed("output ", node, node.span):
            match statement:
                case ast.Output(only=False, expect=None, optional=False):
                    return statement.items
                case _:
                    raise error(
                        "S113",
                        "an entry of a list of outputs is a value and its name",
                        node.span,
                        remedy='write `- "%42 as mask"`; what is said of the whole statement '
                        "stands beside `values:`",
                    )
        return ()

    def pass_calls(self, node: Node) -> tuple[ast.PassCall, ...]:
        """Return the passes of ``FoldConstant`` in a list of passes."""
        calls: list[ast.PassCall] = []
        for statement in self._parsed("prepare ", node, node.span):
            calls += statement.passes if isinstance(statement, ast.Prepare) else ()
        return tuple(calls)

    def input_type(self, name: ScalarNode, node: Node) -> tuple[ast.Statement, ...]:
        """Return the input type that ``x: float32(1,128)`` binds."""
        return self._parsed(f"bind {quote(name.text)}: ", node, name.span)

    def backend_text(self, name: ScalarNode, node: Node) -> tuple[ast.Statement, ...]:
        """Return the backend of ``bmlib: via tvm`` or ``bmlib: tvm``."""
        assert isinstance(node, ScalarNode)
        bare = node.text.split(" ")[0] in checks.BACKEND_KINDS
        return self._parsed(f"backend {quote(name.text)} {'via ' if bare else ''}", node, name.span)

    def _parsed(self, lead: str, node: Node, place: Span) -> tuple[ast.Statement, ...]:
        """Parse a text after a lead that stands at ``place``; faults are collected."""
        assert isinstance(node, ScalarNode)
        offsets = [min(place.start + i, max(place.end - 1, place.start)) for i in range(len(lead))]
        origin = Origin(self.source, [*offsets, *node.offsets()])
        return parse_statements(lead + node.text, origin, self.variables, self.found)

    def expect(self, node: Node | None) -> ast.Expect | None:
        """Return ``3`` or ``">=1"``; ``None`` when absent."""
        if not isinstance(node, ScalarNode):
            return None
        match = _EXPECT.fullmatch(node.text)
        assert match is not None, "the schema lets no other text through"
        text = self.variables.substitute(match[2], node.span)
        count: int
        if self.variables.kept and WHOLE_VARIABLE.fullmatch(text):
            count = KeptInt(text)
        else:
            count = checks.at_least(
                0, checks.whole_number(text, node.span), "the count after `expect`", node.span
            )
        return ast.Expect(
            comparison=checks.comparison(match[1] or "="), count=count, span=node.span
        )
