"""Which tensors selectors stand for, and what their arrays are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref, TensorType, is_meant
from surgery.planning.crossing import unique_name
from surgery.planning.cuts import conditional
from surgery.select import select
from surgery.source import Source
from surgery.syntax import ast, parse_selector

#: Kinds of values that stand for others, and carry their names.
_STRUCTURE = ("field", "tuple", "let")
_COMMAND_LINE = "<command line>"


@dataclass(frozen=True, slots=True)
class Picked:
    """A tensor, what a listing calls it, and the id of what it lists under that."""

    ref: Ref
    label: str
    shown: int


def pick(
    module: Module, selectors: Sequence[str], every: bool, lets: Mapping[str, ast.Selector]
) -> tuple[list[Picked], tuple[Diagnostic, ...]]:
    """Return the tensors to read, each once, as a listing has them."""
    graph = module.main
    found, notes = Collector(), Collector()
    picked: dict[Ref, Picked] = {}
    if every:
        for id_ in range(len(graph)):
            if graph.kinds[id_] in ("call", "if") and not graph.scopes[id_]:
                for item in _leaves(graph, Ref(id_)):
                    if isinstance(graph.type_of(item.ref), TensorType) and is_meant(
                        graph, item.ref
                    ):
                        picked.setdefault(item.ref, item)
    for text in selectors:
        try:
            for item in _selected(module, text, lets, notes):
                picked.setdefault(item.ref, item)
        except SurgeryError as failure:
            found.take(failure)
    found.raise_if_errors()

    def place(item: Picked) -> tuple[int, int, tuple[int, ...]]:
        number = graph.numbers[item.shown]
        if number is not None:
            return 1, number, item.ref.path
        given = graph.kinds[item.shown] in ("input", "param", "constant")
        return (0 if given else 2), item.shown, item.ref.path

    return sorted(picked.values(), key=place), tuple(notes.found)


def _selected(
    module: Module, text: str, lets: Mapping[str, ast.Selector], notes: Collector
) -> Iterator[Picked]:
    """Yield the tensors that a selector stands for; what has no value is left out, or refused."""
    graph = module.main
    source = Source(text, _COMMAND_LINE)
    try:
        selector = parse_selector(source)
    except SurgeryError:
        # A shell takes the quotes of "*/attention/*" away.
        if not set(text) & set("*?[") or set(text) & set("\"' %"):
            raise
        selector = ast.NameGlob(glob=text)
    taken = 0
    refused: list[Diagnostic] = []
    for value in select(selector, module, lets=lets, functions=tuple(module.functions)):
        if value.function != "main":
            refused.append(
                Diagnostic(
                    code="S261",
                    message=f"the value is inside @{value.function}",
                    span=selector.span,
                    reason="A function's inside exists once a call, not in @main itself.",
                    remedy=f"read a call of @{value.function} in @main, or use a spec with "
                    "`prepare Inline`",
                )
            )
            continue
        node = value.ref.node
        if graph.scopes[node]:
            (fault,) = conditional(graph, node, selector.span, "read from outside").diagnostics
            refused.append(fault)
            continue
        for item in _leaves(graph, value.ref):
            if isinstance(graph.type_of(item.ref), TensorType):
                taken += 1
                yield item
            else:
                refused.append(
                    Diagnostic(
                        code="S274",
                        message=f"{item.label} is no tensor: its type is {graph.type_of(item.ref)}",
                        span=selector.span,
                        remedy="choose a value whose type is a tensor",
                    )
                )
    if refused and not taken:
        raise SurgeryError(refused[:1])
    if refused:
        notes.add(
            Diagnostic(
                code="S365",
                severity="warning",
                message=f"`{text}` also picks {len(refused)} that can't be read from outside",
                reason=f"{refused[0].message}: {refused[0].reason}".rstrip(": "),
                remedy=refused[0].remedy,
            )
        )


def _leaves(graph: Graph, ref: Ref) -> Iterator[Picked]:
    """Yield the tensors of a value, called as a listing calls them."""
    leaves = graph.leaves(ref)
    for leaf in leaves:
        # A listing shows `%3.1` as the `%4` that takes it; of several, the one that was named.
        shown = ref.node if leaves == [leaf] and not ref.path else leaf.node
        shown = graph.field_nodes.get(leaf, shown) if shown == leaf.node else shown
        label = graph.label(leaf if shown == leaf.node else shown)
        yield Picked(leaf, label, shown)


def array_keys(graph: Graph, picked: Sequence[Picked]) -> dict[Ref, str]:
    """Return what the array of each tensor is called."""
    # Whatever else is read, a value keeps its name.
    counts = Counter(graph.names[i] for i, kind in enumerate(graph.kinds) if kind not in _STRUCTURE)
    taken: set[str] = set()
    keys: dict[Ref, str] = {}
    for item in picked:
        name = source_name(graph, item.ref)
        usable = name and counts[graph.names[item.ref.node]] == 1 and name.isprintable()
        keys[item.ref] = unique_name(name if usable else item.label, taken)
        taken.add(keys[item.ref])
    return keys


def source_name(graph: Graph, ref: Ref) -> str:
    """Return a tensor's source name, of a field with its index; '' when it has none."""
    name = graph.names[ref.node]
    return name + "".join(f".{i}" for i in ref.path) if name else ""
