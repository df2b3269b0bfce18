"""Module paths and weights' names of PyTorch models, which TVM's importer would lose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from surgery.engines.relay.tvm_import import tvm


@dataclass(slots=True)
class Kept:
    """Names that TVM's importer would lose.

    Attributes:
        weights: The state dict's key of each of TVM's parameters.
    """

    weights: dict[str, str] = field(default_factory=dict)


@contextmanager
def names_kept(paths: Mapping[str, str], prefix: str) -> Iterator[Kept]:
    """Have TVM's importer call ops by module paths, and each weight by a name of its own.

    It calls a weight after the first op that reads it: two weights of one op that are called the
    same in their modules would be taken for one.
    """
    from tvm.relay.frontend import pytorch as importer

    kept = Kept()
    paths = dict(paths)
    real_params, real_rename = importer.convert_params, importer._rename_outputs

    class Asked(dict[str, Any]):
        def __init__(self, own: Mapping[str, Any]) -> None:
            super().__init__(own)
            self.keys_read: list[str] = []

        def __getitem__(self, key: str) -> Any:
            self.keys_read.append(key)
            return super().__getitem__(key)

    class Distinct:
        def __init__(self) -> None:
            self.count = 0

        def __getitem__(self, node: Any) -> str:
            self.count += 1
            return f"weight{self.count}"

    def params(graph: Any, state: Any, source_map: Any, friendly: bool = False) -> Any:
        asked = Asked(state)
        found = real_params(graph, asked, Distinct(), friendly)
        keys = (key.removeprefix(prefix) for key in asked.keys_read)
        kept.weights.update(zip(found[1], keys, strict=True))
        return found

    def rename(node: Any, source_map: Any, types: Any, friendly: bool, scopes: bool) -> None:
        outputs = list(node.outputs())
        own = outputs[0].debugName() if outputs else ""
        path = paths.get(own, "")
        real_rename(node, source_map, types, friendly, False)
        if outputs and path:
            paths[outputs[0].debugName()] = path
        if node.kind() != "prim::GetAttr":
            kind = node.kind().split("::")[-1].strip("_")
            source_map[node] = f"{path}.{kind}" if path else kind

    importer.convert_params, importer._rename_outputs = params, rename
    try:
        yield kept
    finally:
        importer.convert_params, importer._rename_outputs = real_params, real_rename


def module_paths(script: Any) -> Iterator[tuple[str, str]]:
    """Yield the path of the module that computes each value of the inlined graph, by its name.

    A traced module says it in the scope. A loaded one doesn't: its graph is the modules' graphs put
    in place of their calls, less what PyTorch simplified, so a node is known by its kind and the
    place in the code that it keeps.
    """
    inlined = [n for n in nodes(script.inlined_graph) if n.kind() not in _SKIPPED]
    scoped = [n for n in inlined if n.scopeName()]
    if scoped:
        for node in scoped:
            path = node.scopeName().split("/")[-1].removeprefix("__module.").removeprefix("m.")
            for value in node.outputs():
                yield value.debugName(), path
        return
    modules: dict[tuple[str, str], list[str]] = {}
    for key, path in _expanded(script, ""):
        modules.setdefault(key, []).append(path)
    same: dict[tuple[str, str], list[Any]] = {}
    for node in inlined:
        same.setdefault((node.kind(), node.sourceRange()), []).append(node)
    for key, found in same.items():
        paths = modules.get(key, [])
        if len(set(paths)) == 1:
            paths = paths[:1] * len(found)
        if len(paths) != len(found):
            continue  # some of several modules' were simplified: whose is left isn't sure
        for node, path in zip(found, paths, strict=True):
            for value in node.outputs():
                yield value.debugName(), path


_SKIPPED = frozenset(("prim::GetAttr", "prim::CallMethod", "prim::Constant"))


def nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph, those of its blocks after the node that has them."""
    for node in graph.nodes():
        yield node
        for block in node.blocks():
            yield from nodes(block)


def _expanded(module: Any, path: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield kind and place in the code of each node of a module, with its module's path.

    Calls of other modules are replaced by those modules' nodes.
    """
    where: dict[str, str] = {}
    graph = module.graph
    own = next(iter(graph.inputs()), None)
    if own is not None:
        where[own.debugName()] = path
    for node in nodes(graph):
        if node.kind() == "prim::GetAttr":
            base = where.get(next(iter(node.inputs())).debugName())
            if base is not None:
                name = node.s("name")
                where[node.output().debugName()] = f"{base}.{name}" if base else name
        elif node.kind() == "prim::CallMethod":
            child = where.get(next(iter(node.inputs())).debugName())
            if child is None or node.s("name") != "forward":
                continue  # its nodes get no path
            inner = module
            for part in child.removeprefix(path).strip(".").split("."):
                inner = getattr(inner, part)
            yield from _expanded(inner, child)
        elif node.kind() not in _SKIPPED:
            yield (node.kind(), node.sourceRange()), path


def renamed(
    module: Any, params: Mapping[str, Any], kept: Kept
) -> tuple[Any, dict[str, Any], list[str]]:
    """Return ``main`` alone, its weights called as in the state dict, and names of its outputs."""
    relay = tvm().relay
    main = module["main"]
    values: dict[Any, Any] = {}
    weights: dict[str, Any] = {}
    first: dict[str, Any] = {}
    variables = []
    for old in main.params:
        own = str(old.name_hint)
        if own not in params:
            variables.append(old)
            continue
        name = kept.weights.get(own, own)
        if name not in first:  # a tied weight is one
            weights[name] = params[own].numpy()
            span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
            first[name] = relay.Var(name, old.type_annotation, span)
            variables.append(first[name])
        values[old] = first[name]
    body = relay.bind(main.body, values)
    made = tvm().IRModule.from_expr(relay.Function(variables, body))
    typed = relay.transform.InferType()(made)
    return made, weights, [f"out{i}" for i in range(_count(typed["main"].ret_type))]


def _count(type_: Any) -> int:
    return sum(_count(f) for f in type_.fields) if hasattr(type_, "fields") else 1
