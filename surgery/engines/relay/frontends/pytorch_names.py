"""Module paths and weights' names of PyTorch models, which TVM's importer would lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from surgery.engines.relay.frontends.weights import rename_weights
from surgery.engines.relay.tvm_import import tvm

#: Returns for a graph the path of the module that computes each value, by the value's name.
Paths = Callable[[Any], Mapping[str, str]]


@dataclass(slots=True)
class Kept:
    """Names that TVM's importer would lose.

    Attributes:
        weights: The state dict's key of each of TVM's parameters.
    """

    weights: dict[str, str] = field(default_factory=dict)


@contextmanager
def names_kept(paths_of: Paths, prefix: str) -> Iterator[Kept]:
    """Have TVM's importer call ops by module paths, and each weight by a name of its own.

    TVM inlines the model's graph in its own way: which module each node is of is asked of that one,
    before TVM renames its values. It calls a weight after the first op that reads it: two weights
    of one op that are called the same in their modules would be taken for one.
    """
    from tvm.relay.frontend import pytorch as importer

    kept = Kept()
    paths: dict[str, str] = {}
    real_params, real_rename = importer.convert_params, importer._rename_outputs
    real_all = importer._debug_rename

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

    def rename_all(graph: Any, friendly: bool, scopes: bool) -> Any:
        paths.update(paths_of(graph))
        return real_all(graph, friendly, scopes)

    importer.convert_params, importer._rename_outputs = params, rename
    importer._debug_rename = rename_all
    try:
        yield kept
    finally:
        importer.convert_params, importer._rename_outputs = real_params, real_rename
        importer._debug_rename = real_all


def script_paths(script: Any) -> Paths:
    """Return what says which module computes each value of a loaded model's inlined graph.

    A loaded graph keeps no scopes. It is the modules' graphs put in place of their calls, less what
    PyTorch simplified, so a node is known by its kind and the place in the code that it keeps.
    """
    modules: dict[tuple[str, str], list[str]] = {}
    for key, path in _expanded(script, ""):
        modules.setdefault(key, []).append(path)

    def paths(graph: Any) -> dict[str, str]:
        same: dict[tuple[str, str], list[Any]] = {}
        for node in nodes(graph):
            same.setdefault((node.kind(), node.sourceRange()), []).append(node)
        found: dict[str, str] = {}
        for key, alike in same.items():
            owners = modules.get(key, [])
            if len(set(owners)) == 1:
                owners = owners[:1] * len(alike)
            if len(owners) != len(alike):
                continue  # some of several modules' were simplified: whose is left isn't sure
            for node, path in zip(alike, owners, strict=True):
                found |= {value.debugName(): path for value in node.outputs()}
        return found

    return paths


def recorded_paths(made: Sequence[tuple[str, str]]) -> Paths:
    """Return the same where kind and module of each operation were noted as it was traced."""
    recorded = [(kind, module) for kind, module in made if kind.startswith(_OPERATION)]

    def paths(graph: Any) -> dict[str, str]:
        operations = [n for n in nodes(graph) if n.kind().startswith(_OPERATION)]
        if [n.kind() for n in operations] != [kind for kind, _ in recorded]:
            return {}  # some were taken out again: whose the others are isn't sure
        return {
            value.debugName(): module
            for node, (_, module) in zip(operations, recorded, strict=True)
            for value in node.outputs()
        }

    return paths


_OPERATION = "aten::"
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
    """Return ``main`` alone, its weights called as in the state dict, and names of its outputs.

    A tied weight is one.
    """
    made, weights = rename_weights(
        module, params, lambda old: kept.weights.get(str(old.name_hint), str(old.name_hint))
    )
    typed = tvm().relay.transform.InferType()(made)
    return made, weights, [f"out{i}" for i in range(_count(typed["main"].ret_type))]


def _count(type_: Any) -> int:
    return sum(_count(f) for f in type_.fields) if hasattr(type_, "fields") else 1
