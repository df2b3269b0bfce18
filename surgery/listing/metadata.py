"""The metadata section of a listing: what ``meta[...]`` stands for, where that is simple."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from surgery.diagnostics import error
from surgery.graph import AttrValue
from surgery.listing.text import ListingText

_REFERENCE = re.compile(r"meta\[([\w.]+)\]\[(\d+)\]")
_INTEGER = re.compile(r"-?\d+")
_REAL = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?|-?\d+[eE][-+]?\d+")
#: Fields of attribute nodes that are flags, printed as 0 and 1.
_FLAGS = re.compile(
    r"transpose_\w+|keepdims|exclude|unbiased|ceil_mode|count_include_pad|is_ascend"
)
#: Fields that hold other objects (by their index) and say nothing about the model.
_INTERNAL = ("auto_scheduler_rewritten_layout", "meta_schedule_original_shape", "span")


def is_constant(reference: str) -> bool:
    """Return whether a reference is that of a constant: a value."""
    return reference.startswith("meta[relay.Constant]")


def is_attrs(reference: str) -> bool:
    """Return whether a reference is that of a call's attributes."""
    kind = reference.partition("]")[0]
    return kind.startswith("meta[relay.attrs.") or kind.endswith("Attrs")


class Metadata:
    """The objects of a metadata section.

    Args:
        listing: The listing. A section that isn't there leaves every reference unresolved.

    Raises:
        SurgeryError: ``S521`` when the section is cut off or damaged.
    """

    def __init__(self, listing: ListingText) -> None:
        self._nodes: list[dict[str, Any]] = []
        self._groups: dict[str, list[int]] = {}
        self.present = listing.metadata is not None
        if listing.metadata is None:
            return
        try:
            section = json.loads(listing.text[listing.metadata :])
            self._nodes = section["nodes"]
            root = self._nodes[section["root"]]
            for key, index in zip(root.get("keys", ()), root.get("data", ()), strict=True):
                self._groups[key] = list(self._nodes[index].get("data", ()))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as bad:
            at = listing.metadata
            if isinstance(bad, json.JSONDecodeError):
                at += bad.pos
            at = min(at, len(listing.text) - 1)
            raise error(
                "S521",
                "the metadata section is cut off or damaged",
                listing.span(at, at + 1),
                reason="after `#[metadata]` stands one JSON document that TVM wrote",
                remedy="save the model again: `mod.astext()` to text, or `tvm.ir.save_json(mod)`",
            ) from bad

    def holds(self, reference: str) -> bool:
        """Return whether the section holds what a reference points to."""
        return self._node(reference) is not None

    def value(self, value: AttrValue) -> AttrValue:
        """Return an attribute's value with a reference to a simple object replaced by it."""
        if isinstance(value, str) and value.startswith("meta[") and self._nodes:
            node = self._node(value)
            if node is not None:
                return self._simple(node, value)
        return value

    def attrs(self, reference: str) -> Mapping[str, AttrValue]:
        """Return a call's attributes from the section; the reference itself when it isn't there."""
        node = self._node(reference)
        if node is None:
            return {"meta": reference}
        fields: Mapping[str, str] = node.get("attrs", {})
        return {k: _field(k, v) for k, v in fields.items() if k not in _INTERNAL}

    def _node(self, reference: str) -> dict[str, Any] | None:
        found = _REFERENCE.fullmatch(reference)
        if found is None:
            return None
        group = self._groups.get(found[1], [])
        index = int(found[2])
        return self._at(group[index]) if index < len(group) else None

    def _at(self, index: int) -> dict[str, Any] | None:
        return self._nodes[index] if 0 <= index < len(self._nodes) else None

    def _simple(self, node: dict[str, Any], otherwise: AttrValue) -> AttrValue:
        """Return a number, string or list of them; anything else stays a reference."""
        if node.get("type_key") == "Array":
            parts = [self._at(i) for i in node.get("data", ())]
            return tuple([_scalar(p, otherwise) for p in parts if p is not None])
        return _scalar(node, otherwise)


def _scalar(node: dict[str, Any], otherwise: AttrValue) -> AttrValue:
    match node.get("type_key"):
        case "IntImm" | "FloatImm":
            return _field("", str(node.get("attrs", {}).get("value")))
        case "runtime.String":
            return str(node.get("repr_str", ""))
        case "runtime.BoxInt" | "runtime.BoxFloat" | "runtime.BoxBool":
            return _field("", str(node.get("repr_str", node.get("attrs", {}).get("value"))))
        case _:
            return otherwise


def _field(key: str, text: str) -> AttrValue:
    if _FLAGS.fullmatch(key) and text in ("0", "1"):
        return text == "1"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text
