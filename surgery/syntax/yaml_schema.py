"""Checks a YAML spec against ``grammar/spec.schema.json`` and says what is wrong where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import jsonschema

from surgery.diagnostics import Diagnostic, nearest
from surgery.source import Span
from surgery.syntax.resources import grammar_text
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode, to_data

SCHEMA = "spec.schema.json"
_TYPES = {
    "string": "a text",
    "object": "a mapping",
    "array": "a list",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(grammar_text(SCHEMA))
    return schema


def violations(root: Node) -> Iterator[Diagnostic]:
    """Yield what the schema finds wrong with a document."""
    schema = _schema()
    validator = jsonschema.Draft202012Validator(schema)
    leaves = [
        (path, leaf)
        for fault in validator.iter_errors(to_data(root))
        for path, leaf in _explain(validator, schema, fault, ())
    ]
    misspelt = {(path, key) for path, leaf in leaves for key in _meant_keys(leaf)}
    for path, leaf in leaves:
        # A misspelt key is missing under its right name too: one fault, told once.
        if leaf.validator == "required" and {(path, k) for k in _missing(leaf)} <= misspelt:
            continue
        yield _diagnostic(root, schema, path, leaf)


def _missing(fault: Any) -> list[str]:
    return [key for key in fault.validator_value if key not in fault.instance]


def _meant_keys(fault: Any) -> list[str]:
    """Return the known keys that unknown ones are nearest to."""
    if fault.validator != "additionalProperties":
        return []
    known = fault.schema.get("properties", {})
    unknown = [key for key in fault.instance if key not in known]
    return [close for key in unknown for close in nearest(key, known, limit=1)]


def _explain(
    validator: Any, schema: Mapping[str, Any], fault: Any, path: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the faults behind one: of alternatives, those of the one that was meant."""
    pending = [(path, fault)]
    while pending:
        above, current = pending.pop()
        place = (*above, *current.absolute_path)
        branch = None
        if current.validator == "anyOf":
            branch = _meant(schema, current.validator_value, current.instance)
        if branch is None:
            yield place, current
            continue
        inner = list(validator.evolve(schema=branch).iter_errors(current.instance))
        pending.extend((place, sub) for sub in reversed(inner))


def _meant(
    schema: Mapping[str, Any], branches: Sequence[Any], instance: Any
) -> dict[str, Any] | None:
    """Return the alternative whose type a value has and whose keys fit it best."""
    resolved = [_resolve(schema, branch) for branch in branches]
    if isinstance(instance, dict):
        objects = [b for b in resolved if b.get("type") == "object"]
        return max(
            objects,
            key=lambda b: len(instance.keys() & b.get("properties", {}).keys()),
            default=None,
        )
    if isinstance(instance, list):
        return next((b for b in resolved if b.get("type") == "array"), None)
    if isinstance(instance, bool):
        return None
    if isinstance(instance, int | float):
        kinds = ("integer", "number") if isinstance(instance, int) else ("number",)
        return next((b for b in resolved if b.get("type") in kinds), None)
    return None


def _resolve(schema: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return dict(part)


def _diagnostic(
    root: Node, schema: Mapping[str, Any], path: tuple[Any, ...], fault: Any
) -> Diagnostic:
    node, key = _find(root, path)
    shown = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this entry"
    match fault.validator:
        case "additionalProperties":
            return _unknown_key(node, path, fault)
        case "required":
            missing = _missing(fault)
            return Diagnostic(
                code="S126",
                message=f"{shown if path else 'the spec'} lacks "
                + " and ".join(f"`{k}`" for k in missing),
                span=_head(node, key),
                remedy="begin the file with `version: 1`"
                if missing == ["version"]
                else "add `pattern: ...`, or `ops: ...` with a selector"
                if missing == ["pattern"] and shown == "`offload`"
                else f"add {' and '.join(f'`{k}: ...`' for k in missing)}",
            )
        case "minProperties" | "maxProperties" if path[:1] == ("steps",) and len(path) == 2:
            return Diagnostic(
                code="S126",
                message="a step holds exactly one statement",
                span=_head(node, key),
                remedy="begin each statement of `steps` with a `-` of its own",
            )
        case "minProperties":
            return Diagnostic(
                code="S126",
                message=f"{shown} doesn't say enough",
                span=_head(node, key),
                reason=f"it knows {', '.join(fault.schema['properties'])}",
                remedy="add one of these keys",
            )
        case "pattern" if isinstance(node, MapNode):
            names = (name for name, _ in node.entries if name.text == fault.instance)
            return Diagnostic(
                code="S115",
                message=f"`{fault.instance}` can't be a name in {shown}",
                span=next(names).span,
                remedy="use letters, digits and `_`",
            )
        case _:
            return _wrong_value(node, schema, shown, fault)


#: Keys that people write, and what they may mean where that is known.
_MEANT: dict[str, tuple[str, ...]] = {
    "select": ("value", "ops"),
    "selector": ("value", "ops"),
    "value": ("ops",),
    "name": ("as",),
    "backend": ("to",),
    "at": ("after",),
    "on": ("to",),
    "opt": ("opt_level",),
}


def _unknown_key(node: Node, path: tuple[Any, ...], fault: Any) -> Diagnostic:
    known = list(fault.schema.get("properties", ()))
    unknown = [k for k in fault.instance if k not in known]
    span = node.span
    if isinstance(node, MapNode):
        span = next((k.span for k, _ in node.entries if k.text == unknown[0]), span)
    close = nearest(unknown[0], known, limit=1)
    where = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "a step"
    if path and path[-1] == "offload":
        known.append("ops")  # of its other form
    close = [k for k in _MEANT.get(unknown[0], ()) if k in known and k not in fault.instance][
        :1
    ] or (close)
    remedy = f"did you mean `{close[0]}`?" if close else ""
    if " " in unknown[0].strip():
        remedy = "quote the whole statement: `: ` inside makes YAML read it as a mapping"
    return Diagnostic(
        code="S122",
        message=f"{where if path else 'a spec'} has no key `{unknown[0]}`",
        span=span,
        reason=f"it knows {', '.join(known)}",
        notes=tuple(f"nor `{k}`" for k in unknown[1:]),
        remedy=remedy,
    )


def _wrong_value(node: Node, schema: Mapping[str, Any], shown: str, fault: Any) -> Diagnostic:
    words = _words(schema, fault.schema)
    expected = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    value = _shown(fault.instance)
    if fault.validator == "const" and fault.validator_value == 1:
        return Diagnostic(
            code="S127",
            message=f"version {value} of the spec language is not known",
            span=node.span,
            reason="this release of surgery knows version 1",
            remedy="write `version: 1`",
        )
    of_a_few = all(word.startswith("`") for word in words)
    description = str(fault.schema.get("description", ""))
    remedy = ""
    if of_a_few and isinstance(fault.instance, str):
        close = nearest(fault.instance, (word.strip("`") for word in words), limit=1)
        remedy = f"did you mean `{close[0]}`?" if close else ""
    elif isinstance(node, ScalarNode) and isinstance(node.data, int | float):
        if description.startswith("A selector") and type(node.data) is int:
            remedy = f'the value that `surgery show` lists is written "%{node.text}", in quotes'
        elif any(word.startswith("a text") for word in words):
            remedy = f'quote it when it is meant as text: "{node.text}"'
    return Diagnostic(
        code="S123" if fault.validator in ("type", "anyOf") and not of_a_few else "S129",
        message=f"{shown}: expected {expected}, found {value}",
        span=node.span,
        reason=description.rstrip("."),
        remedy=remedy,
    )


def _words(schema: Mapping[str, Any], part: Mapping[str, Any]) -> list[str]:
    """Return in words what a part of the schema allows."""
    part = _resolve(schema, part)
    if part.get("description", "").startswith("A variable"):
        return []
    if "anyOf" in part:
        words = [word for branch in part["anyOf"] for word in _words(schema, branch)]
        return list(dict.fromkeys(words))
    if "enum" in part:
        return [f"`{word}`" for word in part["enum"]]
    if "const" in part:
        return [f"`{json.dumps(part['const'])}`"]
    kinds = part.get("type", ())
    words = [_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and words:
        words[-1] += f" from {low} to {high}" if high is not None else f" from {low} up"
    if part.get("minLength") and words and words[0] == "a text":
        words[0] = "a text that isn't empty"
    if part.get("pattern") and words:
        words = ["`N`, `>=N` or another comparison"]
    if part.get("minItems") and words:
        count = part["minItems"]
        words[-1] = f"a list of {count}" if part.get("maxItems") == count else "a list"
    return words


def _shown(value: Any) -> str:
    match value:
        case dict():
            return "a mapping" if value else "an empty mapping"
        case list():
            return "a list" if value else "an empty list"
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"`{value[:40]}`" if value else "an empty text"
        case _:
            return str(value)[:40]


def _find(root: Node, path: tuple[Any, ...]) -> tuple[Node, ScalarNode | None]:
    """Return the node at a path, and the key it stands under."""
    node: Node = root
    key: ScalarNode | None = None
    for part in path:
        if isinstance(node, ListNode) and isinstance(part, int):
            node, key = node.items[part], None
        elif isinstance(node, MapNode):
            for name, value in node.entries:
                if name.text == part:
                    node, key = value, name
                    break
    return node, key


def _head(node: Node, key: ScalarNode | None) -> Span:
    """Return a short place that stands for a mapping: its key, or its first key."""
    if key is not None:
        return key.span
    if isinstance(node, MapNode) and node.entries:
        return node.entries[0][0].span
    return Span(node.span.source, node.span.start, min(node.span.start + 1, node.span.end))
