"""YAML text -> nodes with exact places.

PyYAML scans and parses; composing is done here from its events: with a bound on depth and on
what aliases expand to, duplicate keys as errors, and YAML 1.2's core schema (``no`` is a text).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error
from surgery.source import Source, Span
from surgery.syntax.yaml_offsets import scalar_offsets

MAX_DEPTH = 32
#: Nodes of a document, everything that aliases stand for counted again.
MAX_NODES = 200_000

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_INT = re.compile(r"[-+]?[0-9]{1,300}")
_OTHER_INT = re.compile(r"0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NAN = frozenset((".nan", ".NaN", ".NAN"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalarNode:
    """A scalar: its text as YAML reads it, and how it is written."""

    text: str
    style: str | None
    span: Span
    size: int = 1

    @property
    def data(self) -> Any:
        """What the scalar stands for: only plain ones can be other than text."""
        return resolve(self.text) if self.style is None else self.text

    def offsets(self) -> list[int]:
        """Return for each character of ``text`` its offset in the file."""
        return scalar_offsets(self.span, self.text, self.style)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListNode:
    """A sequence."""

    items: tuple[Node, ...]
    span: Span
    size: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapNode:
    """A mapping, in the file's order; no key stands twice."""

    entries: tuple[tuple[ScalarNode, Node], ...]
    span: Span
    size: int

    def get(self, key: str) -> Node | None:
        """Return the value of a key, ``None`` when it isn't there."""
        for name, value in self.entries:
            if name.text == key:
                return value
        return None


Node = ScalarNode | ListNode | MapNode


def resolve(text: str) -> Any:
    """Return what a plain scalar stands for in YAML 1.2's core schema."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _INT.fullmatch(text):
        return int(text)
    if _OTHER_INT.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    infinite = _INFINITE.fullmatch(text)
    if infinite:
        return float(f"{infinite[1]}inf")
    return float("nan") if text in _NAN else text


def to_data(node: Node) -> Any:
    """Return a node as plain data, as a JSON schema sees it."""
    match node:
        case ScalarNode():
            return node.data
        case ListNode():
            return [to_data(item) for item in node.items]
        case MapNode():
            return {key.text: to_data(value) for key, value in node.entries}


def compose(source: Source, found: Collector) -> Node | None:
    """Return the document of a YAML text, ``None`` when it is empty.

    Duplicate keys go to ``found``.

    Raises:
        SurgeryError: for what can't be read as YAML at all.
    """
    try:
        return _Composer(source, found).document()
    except yaml.MarkedYAMLError as fault:
        raise SurgeryError(_syntax_error(source, fault)) from None
    except yaml.reader.ReaderError as fault:
        at = min(int(fault.position), len(source.text))
        raise error(
            "S120",
            "a character that YAML does not allow",
            Span(source, at, min(at + 1, len(source.text))),
            reason=f"the character U+{int(fault.character):04X} is a control character"
            if isinstance(fault.character, int)
            else "it is a control character",
            remedy='remove it, or write it as an escape in a string: "\\x07"',
        ) from None


@dataclass(slots=True)
class _Frame:
    """A sequence or mapping that isn't complete yet."""

    is_map: bool
    start: int
    anchor: str | None
    items: list[Node] = field(default_factory=list)


class _Composer:
    def __init__(self, source: Source, found: Collector) -> None:
        self._source = source
        self._found = found
        # JSON may be indented by tabs; YAML forbids them there. Offsets stay the same.
        text = source.text.replace("\t", " ") if source.path.endswith(".json") else source.text
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        self._anchors: dict[str, Node | None] = {}
        self._total = 0

    def document(self) -> Node | None:
        stack: list[_Frame] = []
        root: Node | None = None
        documents = 0
        for event in self._events:
            done: Node | None = None
            start, end = self._range(event)
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise error(
                            "S128",
                            "a spec is one YAML document",
                            self._span(event),
                            remedy="remove the `---`, or put the second one in a file of its own",
                        )
                case yaml.ScalarEvent():
                    self._no_tag(event)
                    span = self._span(event)
                    done = ScalarNode(text=event.value, style=event.style, span=span)
                    self._remember(event.anchor, done)
                case yaml.AliasEvent():
                    done = self._alias(event)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._no_tag(event)
                    if len(stack) >= MAX_DEPTH:
                        raise error(
                            "S106",
                            f"nested more than {MAX_DEPTH} deep",
                            self._span(event),
                            remedy="no spec needs that: check the brackets and the indentation",
                        )
                    is_map = isinstance(event, yaml.MappingStartEvent)
                    stack.append(_Frame(is_map, start, event.anchor))
                    self._remember(event.anchor, None)
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    frame = stack.pop()
                    done = self._close(frame, end)
                    self._remember(frame.anchor, done)
                case _:
                    pass
            if done is None:
                continue
            self._total += done.size if isinstance(event, yaml.AliasEvent) else 1
            if self._total > MAX_NODES:
                raise error(
                    "S125",
                    f"the file expands to more than {MAX_NODES} values",
                    self._span(event),
                    reason="an alias stands for all that its anchor holds, aliases inside as well",
                )
            if stack:
                stack[-1].items.append(done)
            else:
                root = done
        return root

    def _close(self, frame: _Frame, end: int) -> Node:
        size = 1 + sum(item.size for item in frame.items)
        text = self._source.text
        while end > frame.start + 1 and text[end - 1].isspace():
            end -= 1
        span = Span(self._source, frame.start, end)
        if not frame.is_map:
            return ListNode(items=tuple(frame.items), span=span, size=size)
        entries: dict[str, tuple[ScalarNode, Node]] = {}
        for key, value in zip(frame.items[::2], frame.items[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                raise error(
                    "S123",
                    "a key is a word, not a list or mapping",
                    key.span,
                    remedy="quote the key when it begins with `[` or `{`",
                )
            if key.text in entries:
                first = entries[key.text][0].span
                self._found.add(
                    Diagnostic(
                        code="S121",
                        message=f"the key `{key.text}` stands twice in one mapping",
                        span=key.span,
                        reason="YAML readers keep one of them and drop the other silently",
                        notes=(f"first at line {first.line}, column {first.column}",),
                        remedy="keep one of them, or join what they hold",
                    )
                )
            else:
                entries[key.text] = (key, value)
        return MapNode(entries=tuple(entries.values()), span=span, size=size)

    def _alias(self, event: Any) -> Node:
        node = self._anchors.get(event.anchor)
        if node is not None:
            return node
        inside = event.anchor in self._anchors
        raise error(
            "S125",
            f"`*{event.anchor}` stands for something that holds itself"
            if inside
            else f"`*{event.anchor}` has no anchor `&{event.anchor}` before it",
            self._span(event),
            reason="in YAML a word that begins with `*` is an alias",
            remedy='quote it when it is a glob or a wildcard: "*/query/*"',
        )

    def _remember(self, anchor: str | None, node: Node | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _no_tag(self, event: Any) -> None:
        if event.tag is not None:
            raise error(
                "S124",
                f"a spec has no tags like `{event.tag}`",
                self._span(event),
                reason="tags can make a YAML reader build any object",
                remedy="remove the tag, or quote the text when it begins with `!`",
            )

    def _span(self, event: Any) -> Span:
        return Span(self._source, *self._range(event))

    def _range(self, event: Any) -> tuple[int, int]:
        return event.start_mark.index, event.end_mark.index


def _syntax_error(source: Source, fault: yaml.MarkedYAMLError) -> Diagnostic:
    mark: Any = fault.problem_mark or fault.context_mark
    at = min(mark.index, len(source.text)) if mark is not None else 0
    first = source.text[at : at + 1]
    problem = str(fault.problem or "").replace("'", "`")
    remedy = "check the indentation, the quotes and the brackets around this place"
    if first in ("%", "@", "`") or "alias" in str(fault.context):
        remedy = f'quote it: in YAML no word begins with `{first or "*"}`: "{first}42"'
        if "alias" in str(fault.context):
            remedy = 'quote it: in YAML a word that begins with `*` is an alias: "*/query/*"'
    elif first == "{" and source.text[at - 1 : at] == "$":
        remedy = 'quote it: inside `{ }` and `[ ]` a variable needs quotes: "${NAME}"'
    elif first == "\t":
        remedy = "indent by spaces: YAML forbids tabs there"
    elif "mapping values" in problem:
        remedy = "quote the text: `: ` makes it a mapping"
    return Diagnostic(
        code="S120",
        message="this is not YAML",
        span=Span(source, at, min(at + 1, len(source.text))),
        reason=problem,
        remedy=remedy,
    )
