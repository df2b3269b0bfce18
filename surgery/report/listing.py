"""The values of a model as `surgery show` lists them: a table, plain text, or data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from surgery.graph import Graph, Module, Ref, Resolved, TensorType
from surgery.report.text import clean, table


def listed(
    module: Module, picked: Sequence[Resolved] | None, *, scalars: bool = True
) -> list[tuple[Graph, list[Ref]]]:
    """Return what to list, function by function: everything, or what a selector picked.

    Args:
        scalars: Whether everything includes scalar constants, which the lines of their users
            show anyway.
    """
    wanted: dict[str, list[Ref]] = {}
    if picked is None:
        for name, graph in module.functions.items():
            ids = range(len(graph))
            # A let is the value it binds, which is listed under the same name.
            wanted[name] = [
                Ref(i) for i in ids
                if graph.kinds[i] != "let" and (scalars or not graph.scalar(i))
            ]  # fmt: skip
    for item in picked or ():
        wanted.setdefault(item.function, []).append(item.ref)
    return [
        (module.functions[name], _in_reading_order(module.functions[name], refs))
        for name, refs in wanted.items()
    ]


def _in_reading_order(graph: Graph, refs: list[Ref]) -> list[Ref]:
    """Sort as a listing reads: parameters, what else has no number, ``%0``, ..., the result."""
    numbers, result = graph.numbers, graph.result
    params = frozenset(graph.params)

    def place(ref: Ref) -> tuple[int, int]:
        number = numbers[ref.node]
        if number is not None:
            return 2, number
        if ref.node in params:
            return 0, ref.node
        return (3 if ref.node == result else 1), ref.node

    return sorted(refs, key=place)


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
            ("value", "computed by", "type", "users", "name"),
            rows(graph, refs),
            "<<<><",
            widest=40,
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
    # Operands are of the same function: only the value itself shows where it is.
    here = f"@{graph.function}:"
    for ref in refs:
        id_ = ref.node
        kind = kinds[id_]
        operands = ", ".join(
            graph.scalar(o) or label(o).removeprefix(here) for o in graph.operands[id_]
        )
        match kind:
            case "call":
                body = f"{graph.ops[id_]}({operands})"
            case "tuple":
                body = f"({operands})"
            case "field":
                body = f"{operands}.{graph.fields[id_]}"
            case "constant":
                body = f"constant {graph.scalar(id_)}".rstrip()
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
