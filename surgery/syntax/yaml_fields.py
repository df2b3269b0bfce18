"""Reads the keys of a statement's mapping form by their kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from surgery.diagnostics import error
from surgery.source import Span
from surgery.syntax import ast, checks
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode
from surgery.syntax.yaml_reader import YamlReader

Statements = tuple[ast.Statement, ...]
Reader = Callable[[YamlReader, ScalarNode, Node], Statements]


class Fields:
    """The keys of a mapping, read by kind; the schema has checked which there are."""

    def __init__(self, reader: YamlReader, node: MapNode, span: Span) -> None:
        self.reader = reader
        self.node = node
        self.span = span

    def has(self, key: str) -> bool:
        return self.node.get(key) is not None

    def need(self, key: str) -> Node:
        node = self.node.get(key)
        assert node is not None, f"the schema requires `{key}`"
        return node

    def selector(self, key: str) -> ast.Selector:
        return self.reader.selector(self.need(key))

    def maybe_selector(self, key: str) -> ast.Selector | None:
        node = self.node.get(key)
        return None if node is None else self.reader.selector(node)

    def pattern(self, key: str) -> ast.Pattern:
        return self.reader.pattern(self.need(key))

    def word(self, key: str) -> str:
        return self.reader.word(self.need(key))

    def maybe_word(self, key: str) -> str | None:
        node = self.node.get(key)
        return None if node is None else self.reader.word(node)

    def integer(self, key: str, low: int = 0) -> int:
        return self.reader.integer(self.need(key), low, f"`{key}`")

    def maybe_integer(self, key: str, low: int = 0) -> int | None:
        return self.integer(key, low) if self.has(key) else None

    def maybe_number(self, key: str) -> float | None:
        return self.reader.number(self.need(key)) if self.has(key) else None

    def opt_level(self) -> int | None:
        node = self.node.get("opt_level")
        if node is None:
            return None
        return checks.opt_level(self.reader.integer(node, 0, "`opt_level`"), node.span)

    def flag(self, key: str) -> bool:
        return self.reader.flag(self.node.get(key))

    def chosen(self, key: str, among: tuple[str, ...]) -> Any:
        return self.reader.chosen(self.need(key), among, f"`{key}`")

    def maybe_chosen(self, key: str, among: tuple[str, ...]) -> Any:
        return self.chosen(key, among) if self.has(key) else None

    def words(self, key: str) -> tuple[str, ...]:
        node = self.node.get(key)
        return () if node is None else tuple(self.reader.word(n) for n in items(node))

    def pairs(self, key: str) -> tuple[tuple[str, ast.Value], ...]:
        node = self.node.get(key)
        if not isinstance(node, MapNode):
            return ()
        pairs = []
        for name, value in node.entries:
            if not re.fullmatch(r"[^\W\d][\w.]*", name.text):
                raise error(
                    "S115",
                    f"`{name.text}` can't name an option",
                    name.span,
                    remedy="use letters, digits, `_` and dots",
                )
            pairs.append((name.text, self.reader.value(value)))
        return tuple(pairs)

    def tail(self) -> dict[str, Any]:
        return {
            "expect": self.reader.expect(self.node.get("expect")),
            "optional": self.flag("optional"),
        }


def mapping(keyword: str, read: Callable[[Fields], ast.Statement]) -> Reader:
    """Return a reader for a statement that is a text after its keyword, or a mapping."""

    def reader(yaml: YamlReader, key: ScalarNode, node: Node) -> Statements:
        if isinstance(node, MapNode):
            return (read(Fields(yaml, node, key.span.to(node.span))),)
        return yaml.after_keyword(keyword, node, key.span)

    return reader


def items(node: Node) -> tuple[Node, ...]:
    """Return the entries of a list, or the one node that stands for a list of one."""
    return node.items if isinstance(node, ListNode) else (node,)
