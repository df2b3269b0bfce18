"""The YAML form: a document -> statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from surgery.diagnostics import Collector, SurgeryError, error
from surgery.source import Source, Span
from surgery.syntax import ast
from surgery.syntax.examples import EXAMPLES
from surgery.syntax.origin import Variables
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode, compose
from surgery.syntax.yaml_reader import YamlReader
from surgery.syntax.yaml_schema import violations
from surgery.syntax.yaml_statements import READERS

_TEXT_KEY = re.compile(r"([^\W\d]\w*)\s")
#: How a model that `tvm.ir.save_json` wrote begins.
_TVM_JSON = re.compile(r"\{\s*\"root\"\s*:")
#: Keys of a document whose entries are statements of another name.
_PLURALS = {"patterns": "pattern", "backends": "backend"}


def parse_yaml_statements(
    source: Source, variables: Variables, found: Collector
) -> tuple[ast.Statement, ...]:
    """Return the statements of a YAML spec in the file's order; faults go to ``found``."""
    if _TVM_JSON.match(source.text):
        found.take(_a_model(source))
        return ()
    try:
        root = compose(source, found)
    except SurgeryError as failure:
        found.take(failure)
        return ()
    if not isinstance(root, MapNode):
        found.take(_no_mapping(source, root))
        return ()
    reader = _Document(source, variables, found)
    root = reader.with_text_steps(root)
    before = len(found.found)
    for diagnostic in violations(root):
        found.add(diagnostic)
    if len(found.found) > before:
        # Texts inside are still worth a look: report their faults in the same run.
        reader.look_at_steps(root)
        return ()
    return reader.document(root)


def _a_model(source: Source) -> SurgeryError:
    return error(
        "S128",
        "this is a model in TVM's JSON, not a spec",
        Span(source, 0, 1),
        remedy=f"name it in a spec, `model: {source.path}`, or give it by `--model`",
    )


def _no_mapping(source: Source, root: Node | None) -> SurgeryError:
    span = root.span if root is not None else Span(source, 0, min(1, len(source.text)))
    looks_like_text = isinstance(root, ScalarNode) and root.text.split(" ")[0] in EXAMPLES
    return error(
        "S128",
        "the spec is empty" if root is None else "a YAML spec is a mapping",
        Span(source, span.start, min(span.end, span.start + 1)),
        remedy="this looks like the text form: name the file `.surgery`"
        if looks_like_text
        else "begin it with `version: 1`, and list the statements under `steps:`",
    )


class _Document(YamlReader):
    """Turns a document into statements."""

    def with_text_steps(self, root: MapNode) -> MapNode:
        """Return the document with steps such as ``bind x: float32(1)`` as the texts they are.

        Unquoted, YAML reads those as mappings, because of the ``: `` inside.
        """
        steps = root.get("steps")
        if not isinstance(steps, ListNode):
            return root
        items = tuple(self._as_text(item) for item in steps.items)
        new = ListNode(items=items, span=steps.span, size=steps.size)
        entries = tuple((k, new if v is steps else v) for k, v in root.entries)
        return MapNode(entries=entries, span=root.span, size=root.size)

    def _as_text(self, item: Node) -> Node:
        if not isinstance(item, MapNode) or len(item.entries) != 1:
            return item
        (key, value), *_ = item.entries
        first = _TEXT_KEY.match(key.text)
        if first is None or first[1] not in EXAMPLES or not isinstance(value, ScalarNode):
            return item
        if key.style is not None or value.style is not None:
            return item
        span = key.span.to(value.span)
        if "\n" in span.text or "#" in span.text:
            return item
        return ScalarNode(text=span.text, style=None, span=span)

    def look_at_steps(self, root: MapNode) -> None:
        """Collect what is wrong with the texts of a document that the schema refuses."""
        steps = root.get("steps")
        for item in steps.items if isinstance(steps, ListNode) else ():
            if isinstance(item, ScalarNode) and isinstance(item.data, str) and item.text:
                self._collect(self.statements, item)

    def document(self, root: MapNode) -> tuple[ast.Statement, ...]:
        """Return the statements of a document that the schema accepts."""
        statements: list[ast.Statement] = []
        for key, value in root.entries:
            match key.text:
                case "version":
                    pass
                case "steps":
                    assert isinstance(value, ListNode)
                    for item in value.items:
                        statements += self._collect(self._step, item)
                case word:
                    keyword = _PLURALS.get(word, word)
                    statements += self._collect(READERS[keyword], self, key, value)
        return tuple(statements)

    def _collect(self, read: Callable[..., Any], *arguments: Any) -> tuple[ast.Statement, ...]:
        try:
            return tuple(read(*arguments))
        except SurgeryError as failure:
            self.found.take(failure)
            return ()

    def _step(self, item: Node) -> tuple[ast.Statement, ...]:
        if isinstance(item, ScalarNode):
            return self.statements(item)
        assert isinstance(item, MapNode)
        ((key, value),) = item.entries
        return READERS[key.text](self, key, value)
