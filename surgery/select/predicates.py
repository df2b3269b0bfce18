"""``where``: the predicates of selectors."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.graph import Graph, Kind, Ref, TensorType, UnknownType
from surgery.graph.ops import MISSING, attribute, attribute_names, canonical_op
from surgery.graph.values import equal, holds, is_ordered, shape_fits, shown
from surgery.syntax.ast import Predicate, Star, Syntax

KEYS: Final = ("dtype", "shape", "rank", "users", "op", "name", "kind", "bytes")
_KINDS: Final[tuple[Kind, ...]] = Kind.__args__  # type: ignore[attr-defined]
#: These see through to the op that uses a value.
_TRANSPARENT: Final = frozenset({"tuple", "field", "let"})

Value = tuple[Graph, Ref]


def using_ops(graph: Graph, ref: Ref) -> list[int]:
    """Return the ops that use a value, ascending; tuples, fields and ``let`` are seen through.

    Of a value with a path only the uses of that field count.
    """
    found: set[int] = set()
    seen: set[int] = set()
    stack = [(ref.node, ref.path)]
    while stack:
        id_, path = stack.pop()
        for user in graph.users[id_]:
            kind = graph.kinds[user]
            if kind == "field" and path:
                if graph.fields[user] == path[0]:
                    stack.append((user, path[1:]))
            elif kind in _TRANSPARENT:
                if user not in seen:
                    seen.add(user)
                    stack.append((user, ()))
            else:
                found.add(user)
    return sorted(found)


def keep(values: Sequence[Value], predicate: Predicate) -> list[bool]:
    """Return for each value whether a predicate holds.

    Raises:
        SurgeryError: The key or attribute doesn't exist, or the comparison can't hold.
    """
    key = predicate.key
    if key.startswith("attrs."):
        return _attribute(values, predicate, key.removeprefix("attrs."))
    if key not in KEYS:
        guesses = nearest(key, KEYS)
        attrs = {name for graph, ref in values for name in _attrs_of(graph, ref)}
        remedy = f"`attrs.{key}`" if key in attrs else " or ".join(f"`{g}`" for g in guesses)
        raise error(
            "S209",
            f"there is no predicate `{key}`",
            predicate.span,
            reason=f"Predicates are {', '.join(KEYS)} and attrs.NAME.",
            remedy=f"write {remedy}" if remedy else "",
        )
    textual = key in ("dtype", "shape", "op", "name", "kind")
    if (textual and predicate.comparison not in ("=", "!=")) or not is_ordered(
        predicate.comparison, predicate.value
    ):
        raise error(
            "S210",
            f"`{key} {predicate.comparison} {shown(predicate.value)}` can't hold",
            predicate.span,
            reason="Only numbers have an order.",
            remedy=f"compare `{key}` with = or !=" if textual else f"compare `{key}` with a number",
        )
    if key in ("dtype", "shape", "rank", "bytes") and values:
        types = [graph.type_of(ref) for graph, ref in values]
        if all(isinstance(t, UnknownType) for t in types):
            raise error(
                "S209",
                f"`{key}` can't be asked here: no type is known",
                predicate.span,
                reason="The model is a listing without types.",
                remedy="give the JSON form of the model, or select by name or op",
            )
    want = predicate.value
    if key == "op":
        wanted = _ops(predicate)
        return [
            (graph.ops[ref.node] in wanted or fnmatchcase(graph.ops[ref.node], str(want)))
            == (predicate.comparison == "=")
            for graph, ref in values
        ]
    if key == "kind" and want not in _KINDS:
        raise error(
            "S209",
            f"there is no kind `{shown(want)}`",
            predicate.span,
            reason=f"Kinds are {', '.join(_KINDS)}.",
        )
    return [_holds(graph, ref, predicate) for graph, ref in values]


def _ops(predicate: Predicate) -> frozenset[str]:
    name = shown(predicate.value)
    found = canonical_op(name)
    if len(found) > 1:
        raise ambiguous_op(name, found, predicate)
    return frozenset(found) or frozenset({name})


def ambiguous_op(name: str, candidates: Sequence[str], at: Syntax) -> SurgeryError:
    """Return the error for a short op name that could mean several ops."""
    return error(
        "S206",
        f"`{name}` could be {', '.join(candidates[:-1])} or {candidates[-1]}",
        at.span,
        reason="A short name must name one op.",
        remedy=f"write the full name, e.g. `{candidates[0]}`",
    )


def _holds(graph: Graph, ref: Ref, predicate: Predicate) -> bool:
    want, comparison = predicate.value, predicate.comparison
    if isinstance(want, Star):
        return comparison == "="
    type_ = graph.type_of(ref)
    found: object
    match predicate.key:
        case "dtype":
            if not isinstance(type_, TensorType):
                return False
            found = type_.dtype
        case "shape":
            return isinstance(type_, TensorType) and shape_fits(type_, want) == (comparison == "=")
        case "rank":
            if not isinstance(type_, TensorType):
                return False
            found = len(type_.shape)
        case "bytes":
            if not isinstance(type_, TensorType) or type_.nbytes is None:
                return False
            found = type_.nbytes
        case "users":
            found = len(using_ops(graph, ref))
        case "kind":
            found = graph.kinds[ref.node]
        case _:
            name = graph.names[ref.node]
            return fnmatchcase(name or "", str(want)) == (comparison == "=")
    return holds(found, comparison, want)


def _attrs_of(graph: Graph, ref: Ref) -> frozenset[str]:
    if graph.kinds[ref.node] != "call":
        return frozenset()
    return frozenset(graph.attrs[ref.node]) | (attribute_names(graph.ops[ref.node]) or frozenset())


def _attribute(values: Sequence[Value], predicate: Predicate, name: str) -> list[bool]:
    found = [
        attribute(graph, ref.node, name) if graph.kinds[ref.node] == "call" else MISSING
        for graph, ref in values
    ]
    if values and all(f is MISSING for f in found):
        known = sorted({n for graph, ref in values for n in _attrs_of(graph, ref)})
        ops = sorted({graph.ops[ref.node] for graph, ref in values if graph.ops[ref.node]})
        guesses = nearest(name, known) or known[:8]
        raise error(
            "S209",
            f"no selected op has an attribute `{name}`",
            predicate.span,
            reason=f"They are {', '.join(ops[:5])}{', ...' if len(ops) > 5 else ''}."
            if ops
            else "Nothing selected is an op.",
            remedy="attributes there are: " + ", ".join(guesses) if guesses else "",
        )
    if not is_ordered(predicate.comparison, predicate.value):
        raise error(
            "S210",
            f"`{predicate.key} {predicate.comparison} {shown(predicate.value)}` can't hold",
            predicate.span,
            reason="Only numbers have an order.",
            remedy="compare with = or !=",
        )
    if predicate.comparison == "!=":
        return [f is not MISSING and not equal(f, predicate.value) for f in found]
    return [f is not MISSING and holds(f, predicate.comparison, predicate.value) for f in found]
