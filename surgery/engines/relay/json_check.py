"""Looks over TVM JSON before TVM reads it: its reader follows every reference unchecked.

TVM's JSON is a table of nodes that refer to each other by index; 0 stands for null. A reference
that is out of range, null where an object must be, or circular makes TVM crash the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_EXPR = frozenset(
    ("relay.Call", "relay.Tuple", "relay.TupleGetItem", "relay.If", "relay.Let", "relay.Var",
     "relay.Constant", "relay.Function", "relay.RefCreate", "relay.RefRead", "relay.RefWrite",
     "relay.Match", "relay.Constructor", "GlobalVar", "Op")
)  # fmt: skip
_TYPE = frozenset(
    ("relay.TensorType", "TupleType", "FuncType", "TypeVar", "GlobalTypeVar", "TypeCall",
     "IncompleteType", "relay.RefType", "PrimType", "PointerType")
)  # fmt: skip
_SPAN = frozenset(("Span", "SequentialSpan"))
_ARRAY, _MAP, _STRING = frozenset(("Array",)), frozenset(("Map",)), frozenset(("runtime.String",))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that refers to another node: which kinds it may be, and those of its elements."""

    kinds: frozenset[str]
    elements: frozenset[str] | None = None
    null: bool = False


_CHECKED = {
    "_checked_type_": _Field(_TYPE, null=True),
    "span": _Field(_SPAN, null=True),
    "virtual_device_": _Field(frozenset(("VirtualDevice",)), null=True),
}
_EXPRS = _Field(_ARRAY, _EXPR)
_FIELDS: dict[str, dict[str, _Field]] = {
    "IRModule": {"functions": _Field(_MAP), "global_var_map_": _Field(_MAP),
                 "type_definitions": _Field(_MAP, null=True)},
    "relay.Function": {"params": _Field(_ARRAY, frozenset(("relay.Var",))), "body": _Field(_EXPR),
                       "ret_type": _Field(_TYPE, null=True),
                       "type_params": _Field(_ARRAY, _TYPE, null=True),
                       "attrs": _Field(frozenset(("DictAttrs",)), null=True)},
    "relay.Call": {"op": _Field(_EXPR), "args": _EXPRS,
                   "type_args": _Field(_ARRAY, _TYPE, null=True)},
    "relay.Tuple": {"fields": _EXPRS},
    "relay.TupleGetItem": {"tuple_value": _Field(_EXPR)},
    "relay.If": {n: _Field(_EXPR) for n in ("cond", "true_branch", "false_branch")},
    "relay.Let": {"var": _Field(frozenset(("relay.Var",))), "value": _Field(_EXPR),
                  "body": _Field(_EXPR)},
    "relay.Var": {"vid": _Field(frozenset(("relay.Id",))),
                  "type_annotation": _Field(_TYPE, null=True)},
    "relay.Id": {"name_hint": _Field(_STRING)},
    "relay.TensorType": {"shape": _Field(_ARRAY, frozenset())},
    "TupleType": {"fields": _Field(_ARRAY, _TYPE)},
    "FuncType": {"arg_types": _Field(_ARRAY, _TYPE), "ret_type": _Field(_TYPE)},
    "GlobalVar": {"name_hint": _Field(_STRING)},
    "Span": {"source_name": _Field(frozenset(("SourceName",)), null=True)},
    "relay.Constant": {},
}  # fmt: skip


def json_fault(tree: Any) -> str:
    """Return what is wrong with the node table of a TVM JSON document, or ''. Linear."""
    if not isinstance(tree, dict) or not isinstance(tree.get("nodes"), list):
        return "it has no list of nodes"
    nodes = tree["nodes"]
    size = len(nodes)
    tensors = tree.get("b64ndarrays", [])
    if not isinstance(tensors, list):
        return "its list of constants is no list"
    root = tree.get("root")
    if not isinstance(root, int) or not 0 < root < size:
        return f"its root is {root!r}, not one of its {size} nodes"
    if _kind(nodes[0]) != "node without a type":
        return "its node 0, which stands for null, is something"
    edges: list[tuple[int, ...]] = [()]
    for index, node in enumerate(nodes[1:], 1):
        try:
            edges.append(tuple(_references(node, nodes, len(tensors))))
        except (ValueError, TypeError) as failure:
            return f"node {index} {failure}"
    if _kind(nodes[root]) in ("IRModule", "relay.Function"):
        for key in ("functions", "global_var_map_"):
            fault = _map_fault(nodes, nodes[root], key)
            if fault:
                return fault
    cycle = _cycle(edges)
    return f"node {cycle} refers to itself through others" if cycle >= 0 else ""


def _references(node: Any, nodes: list[Any], tensors: int) -> Iterator[int]:
    """Yield the nodes that a node refers to; raise ValueError for what TVM would trip over."""
    if not isinstance(node, dict) or not isinstance(node.get("type_key"), str):
        raise ValueError("has no type")
    kind = node["type_key"]
    size = len(nodes)
    if kind in ("Array", "Map"):
        for item in node.get("data", ()):
            if not isinstance(item, int) or not 0 <= item < size:
                raise ValueError(f"refers to node {item!r}, which isn't there")
            if item:
                yield item
        return
    attrs = node.get("attrs")
    fields = _FIELDS.get(kind)
    if kind.endswith("Attrs") and isinstance(attrs, dict):
        _check_scalars(attrs)
    if fields is None:
        span = attrs.get("span", "0") if isinstance(attrs, dict) else "0"
        if not str(span).isdigit() or not int(span) < size:
            raise ValueError(f"({kind}) has span {span!r}, which is no node")
        return
    if not isinstance(attrs, dict):
        raise ValueError(f"is a {kind} without fields")
    if kind == "relay.Constant":
        place = str(attrs.get("data"))
        if not place.isdigit() or not int(place) < tensors:
            raise ValueError(f"is a constant without its value ({place})")
    for name, field in (*fields.items(), *_CHECKED.items()):
        text = str(attrs.get(name, "0"))
        if not text.isdigit() or int(text) >= size:
            raise ValueError(f"({kind}) has {name} {text!r}, which is no node")
        target = int(text)
        if not target:
            if not field.null:
                raise ValueError(f"({kind}) has no {name}")
            continue
        held = nodes[target]
        if not isinstance(held, dict) or held.get("type_key") not in field.kinds:
            raise ValueError(f"({kind}) has a {_kind(held)} as its {name}")
        if field.elements is not None:
            for item in held.get("data", ()):
                if not isinstance(item, int) or not 0 <= item < size:
                    raise ValueError(f"({kind}) refers to node {item!r}, which isn't there")
                if not item:
                    raise ValueError(f"({kind}) has a null among its {name}")
                if field.elements and _kind(nodes[item]) not in field.elements:
                    raise ValueError(f"({kind}) has a {_kind(nodes[item])} among its {name}")
        yield target


def _map_fault(nodes: list[Any], module: dict[str, Any], key: str) -> str:
    """Check the map from global variables to functions, or from names to global variables."""
    place = module["attrs"].get(key)
    if place is None:
        return ""
    held = nodes[int(place)]
    data = held.get("data", [])
    if "keys" in held:
        return "" if all(_kind(nodes[v]) in ("GlobalVar", *_EXPR) for v in data if v) else (
            f"node {place} maps a name to no function"
        )  # fmt: skip
    for variable, value in zip(data[::2], data[1::2], strict=False):
        if _kind(nodes[variable]) != "GlobalVar" or not value:
            return f"node {place} maps a {_kind(nodes[variable])} where a GlobalVar belongs"
    return ""


def _kind(node: Any) -> str:
    kind = node.get("type_key") if isinstance(node, dict) else None
    return kind if isinstance(kind, str) and kind else "node without a type"


def _check_scalars(attrs: dict[str, Any]) -> None:
    for name, value in attrs.items():
        if not isinstance(value, str):
            raise ValueError(f"has {name} {value!r}, which is no text")


def _cycle(edges: list[tuple[int, ...]]) -> int:
    """Return a node on a cycle, or -1. Depth first with a stack of our own."""
    state = bytearray(len(edges))  # 0 new, 1 on the path, 2 done
    for start in range(len(edges)):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(edges[start]))]
        while stack:
            at, rest = stack[-1]
            for target in rest:
                if state[target] == 1:
                    return target
                if not state[target]:
                    state[target] = 1
                    stack.append((target, iter(edges[target])))
                    break
            else:
                state[at] = 2
                stack.pop()
    return -1
