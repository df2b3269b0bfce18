"""The values of a model as `surgery show` lists them: a table, plain text, or data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from surgery.graph import Graph, Module, Ref, Resolved, TensorType
from surgery.report.text import clean, table


def listed(module: Module, picked: Sequence[Resolved] | None) -> list[tuple[Graph, list[Ref]]]:
    """Return what to list, function by function: everything, or what a selector picked."""
    if picked is None:
        return [(g, [Ref(i) for i in range(len(g))]) for g in module.functions.values()]
    wanted: dict[str, list[Ref]] = {}
    for item in picked:
        wanted.setdefault(item.function, []).append(item.ref)
    return [(module.functions[name], refs) for name, refs in wanted.items()]


def drawn(module: Module) -> Graph:
    """Return the function that a picture of a model shows: ``main``, or the last of a listing."""
    return module.functions.get("main") or list(module.functions.values())[-1]


def show_table(groups: Sequence[tuple[Graph, list[Ref]]]) -> list[str]:
    """Return aligned columns: value, what it is, type, number of users, source name."""
    lines: list[str] = []
    for graph, refs in groups:
        if len(groups) > 1 or graph.function != "main":
            lines += ([""] if lines else []) + [f"@{clean(graph.function)}"]
        lines += table(
            ("value", "computed by", "type", "users", "name"), rows(graph, refs), "<<<><"
        )
    return lines


def show_text(groups: Sequence[tuple[Graph, list[Ref]]]) -> Iterator[str]:
    """Yield one line a value: ``%7 = add(%3, %4): float32(1,2)  # users 2, a/b/add``."""
    for graph, refs in groups:
        if len(groups) > 1 or graph.function != "main":
            yield f"# @{clean(graph.function)}"
        for value, body, type_, users, name in rows(graph, refs):
            remark = f"users {users}" + (f", {name}" if name else "")
            yield clean(f"{value} = {body}: {type_}  # {remark}")


def show_json(groups: Sequence[tuple[Graph, list[Ref]]]) -> list[dict[str, object]]:
    """Return one entry a value, JSON-ready.

    ``shape`` and ``dtype`` are ``null`` for what isn't a tensor; ``users`` counts distinct ops.
    """
    found: list[dict[str, object]] = []
    for graph, refs in groups:
        results = set(graph.outputs)
        for ref in refs:
            id_, type_ = ref.node, graph.type_of(ref)
            tensor = type_ if isinstance(type_, TensorType) else None
            found.append(
                {
                    "function": graph.function,
                    "id": id_,
                    "field": list(ref.path),
                    "number": graph.numbers[id_],
                    "value": graph.label(ref),
                    "kind": graph.kinds[id_],
                    "op": graph.ops[id_] or None,
                    "operands": [graph.label(o) for o in graph.operands[id_]],
                    "type": str(type_),
                    "shape": list(tensor.shape) if tensor else None,
                    "dtype": tensor.dtype if tensor else None,
                    "users": len(set(graph.users[id_])),
                    "output": any(leaf in results for leaf in graph.leaves(ref)),
                    "name": graph.names[id_],
                    "attrs": {k: _plain(v) for k, v in graph.attrs[id_].items()},
                }
            )
    return found


def rows(graph: Graph, refs: Iterable[Ref]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a value's label, what computes it, its type, its number of users, its source name."""
    label, kinds, users = graph.label, graph.kinds, graph.users
    for ref in refs:
        id_ = ref.node
        kind = kinds[id_]
        operands = ", ".join(map(label, graph.operands[id_]))
        match kind:
            case "call":
                body = f"{graph.ops[id_]}({operands})"
            case "tuple":
                body = f"({operands})"
            case "field":
                body = f"{operands}.{graph.fields[id_]}"
            case "constant":
                value = graph.attrs[id_].get("value")
                body = "constant" if value is None else f"constant {value}"
            case "global":
                body = f"function {graph.ops[id_]}"
            case _:
                body = f"{kind}({operands})" if operands else kind
        body += "".join(f".{i}" for i in ref.path)
        name = graph.names[id_] or ""
        if kind in ("input", "param", "local", "let"):
            name = ""
        count = str(len(set(users[id_])))
        yield label(ref), body, str(graph.type_of(ref)), count, name


def _plain(value: object) -> object:
    """Return an attribute as JSON can hold it."""
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        # JSON has no NaN and no infinity.
        return value if value - value == 0 else str(value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return str(value)
