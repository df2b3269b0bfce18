"""The numbers and names a Relay text gives to values, attached to what TVM parsed from it.

TVM's parser forgets both: source names stand in comments, and ``%N`` is counted anew. When TVM
would print the text with the very same numbers, each number leads straight to its value.
Otherwise the text's own graph and TVM's are walked side by side, from the results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surgery.engines.relay.names import variable_name
from surgery.engines.relay.reader import reader
from surgery.engines.relay.traversal import Traversal, traverse
from surgery.engines.relay.view import marked_text, read_numbers, relay_functions
from surgery.graph import Graph
from surgery.listing import read_listing, scan_bindings
from surgery.source import Source

if TYPE_CHECKING:
    from surgery.engines.relay.model import IRModule

#: What decides how a text is numbered: variables, and what is called, in order.
_SHAPE = re.compile(r"%[\w/]+(?:\.\d+)?|[@A-Za-z_][\w.]*\(")
_DARK = re.compile(
    r'"(?:\\.|[^"\\])*"|/\*.*?\*/|(?<![^\s;,(){}])//[^\n]*|^#\[metadata\].*|\x02\d+',
    re.DOTALL | re.MULTILINE,
)


@dataclass(slots=True, kw_only=True)
class Labels:
    """What a text calls its values, by function and node id.

    Attributes:
        names: Source names of ops, and variables' names that the module doesn't carry.
        numbers: The text's own ``N`` of each value.
        notes: What the user should know about them.
    """

    names: dict[str, dict[int, str]] = field(default_factory=dict)
    numbers: dict[str, list[int | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def label(source: Source, readable: str, ir: IRModule, originals: Mapping[str, str]) -> Labels:
    """Return the labels of a text.

    Args:
        source: The user's text.
        readable: The same text with names that TVM can parse.
        ir: What TVM parsed from ``readable``.
        originals: The names that ``readable`` has changed.
    """
    walks = {name: traverse(function) for name, function in relay_functions(ir)}
    marked = marked_text(ir)
    labels = Labels(names={name: {} for name in walks})
    by_address = read_numbers(marked)
    printed = {
        name: [by_address.get(address) for address in walked.addresses]
        for name, walked in walks.items()
    }
    if _shape(readable) == _shape(marked):
        labels.numbers = printed
        _by_number(source, walks, labels)
    else:
        _side_by_side(source, walks, labels)
        if labels.numbers != printed:
            labels.notes.append(
                "the file's own %N differ from those TVM would print: %N means the file's"
            )
    if originals:
        _variables(walks, originals, labels)
    return labels


def _shape(text: str) -> list[str]:
    return _SHAPE.findall(_DARK.sub(" ", text))


def _by_number(source: Source, walks: Mapping[str, Traversal], labels: Labels) -> None:
    places: dict[int, tuple[str, int]] = {}
    for name, numbers in labels.numbers.items():
        places.update({n: (name, id_) for id_, n in enumerate(numbers) if n is not None})
    for binding in scan_bindings(source):
        if binding.source_name is None:
            continue
        if binding.kind == "value" and binding.number in places:
            function, id_ = places[binding.number]
            labels.names[function][id_] = binding.source_name
        elif binding.kind == "result" and binding.function in walks:
            # Branches have results too; the function's own is the last one written.
            walked = walks[binding.function]
            if walked.kinds[walked.result] == "call" and walked.ops[walked.result] == binding.head:
                labels.names[binding.function][walked.result] = binding.source_name


def _side_by_side(source: Source, walks: Mapping[str, Traversal], labels: Labels) -> None:
    listing = read_listing(source)
    dropped = 0
    for name, walked in walks.items():
        graph = listing.functions.get(name)
        numbers: list[int | None] = [None] * len(walked.kinds)
        labels.numbers[name] = numbers
        if graph is None:
            continue
        pairs = _pairs(graph, walked)
        for ours, theirs in pairs.items():
            number, source_name = graph.numbers[ours], graph.names[ours]
            numbers[theirs] = number
            if source_name and graph.kinds[ours] in ("call", "tuple", "field", "if", "constant"):
                labels.names[name][theirs] = source_name
        dropped += sum(1 for i, n in enumerate(graph.numbers) if n is not None and i not in pairs)
    if dropped:
        labels.notes.append(
            f"{dropped} numbered values of the file are not used by any result and were dropped"
        )


def _pairs(graph: Graph, walked: Traversal) -> dict[int, int]:
    """Return the id in TVM's view of each value of the text's graph that a result uses."""
    pairs: dict[int, int] = {}
    stack = [(graph.result, walked.result)]
    while stack:
        ours, theirs = stack.pop()
        if ours in pairs or graph.kinds[ours] != _kind(walked, theirs, graph, ours):
            continue
        pairs[ours] = theirs
        mine, other = graph.operands[ours], walked.operands[theirs]
        if len(mine) == len(other):
            stack += zip(mine, other, strict=True)
    return pairs


def _kind(walked: Traversal, theirs: int, graph: Graph, ours: int) -> str:
    """Return a value's kind; a weight and an input count as the same."""
    kind = walked.kinds[theirs]
    return graph.kinds[ours] if {kind, graph.kinds[ours]} <= {"input", "param"} else kind


def _variables(
    walks: Mapping[str, Traversal], originals: Mapping[str, str], labels: Labels
) -> None:
    """Name the variables inside functions, which keep their readable name in TVM's module."""
    read = reader()
    for name, walked in walks.items():
        for id_, kind in enumerate(walked.kinds):
            if kind in ("let", "local"):
                original = originals.get(variable_name(read, walked.addresses[id_]))
                if original is not None:
                    labels.names[name][id_] = original
