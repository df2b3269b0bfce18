"""Sites an offload statement could take: matches of its pattern, or groups of selected ops."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import STRUCTURAL, Graph, Module, Ref, Resolved, leaving_path, reads
from surgery.pattern import CompiledPattern, Match, find, is_outlined, tvm_name
from surgery.planning.model import Rejected
from surgery.planning.tables import TablePattern
from surgery.syntax import ast


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadRequest:
    """One ``offload`` statement, its pattern compiled or its selector resolved.

    Attributes:
        until: What ``until S`` picks: nothing that depends on it is taken.
        between: All that ``only between(S, T)`` picks, ``None`` without it.
        added: Names of the outputs of ``@main`` that the spec adds.
    """

    index: int
    statement: ast.Offload
    text: str
    backend: str
    pattern: CompiledPattern | None = None
    pattern_name: str | None = None
    resolved: tuple[Resolved, ...] = ()
    until: tuple[Resolved, ...] = ()
    between: tuple[Resolved, ...] | None = None
    between_text: str = ""
    added: Mapping[Ref, str] = field(default_factory=dict)
    #: The entry of a pattern table that this is, of the many that one statement stands for.
    entry: TablePattern | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A leaf operand of a site."""

    node: int
    operand: int
    value: Ref
    name: str | None


@dataclass(slots=True, kw_only=True)
class Site:
    """A candidate region."""

    request: OffloadRequest
    function: str
    nodes: tuple[int, ...]
    ops: tuple[int, ...]
    slots: tuple[Slot, ...]
    outputs: tuple[Ref, ...]
    pattern: str
    merge_equal: bool
    captures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stage: int = 0
    #: Names of captures whose buffer the kernel may overwrite.
    inplace: tuple[str, ...] = ()

    @property
    def one_end(self) -> bool:
        """Whether one op gives all results: the site then never waits for what waits for it."""
        return len({r.node for r in self.outputs}) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteGroup:
    """Sites that become one region, in the order they run, and what is needed outside of it."""

    sites: tuple[Site, ...]
    outputs: tuple[Ref, ...]

    @property
    def function(self) -> str:
        return self.sites[0].function

    @property
    def stage(self) -> int:
        return self.sites[0].stage


def pattern_sites(
    module: Module,
    request: OffloadRequest,
    outputs: frozenset[Ref],
    sites: list[Site],
    rejected: list[Rejected],
) -> None:
    assert request.pattern is not None
    matched = False
    missed: list[Rejected] = []
    for name, graph in module.functions.items():
        if graph.function_attrs.get("Compiler") is not None:
            continue
        result = find(
            request.pattern,
            graph,
            outputs=outputs if name == "main" else frozenset(graph.outputs),
            names=request.added if name == "main" else None,
            ignore_annotations=request.statement.ignore_annotations,
        )
        matched |= bool(result.matches)
        for match in result.matches:
            sites.append(from_match(request, name, match, graph))
        for miss in result.near_misses:
            missed.append(
                Rejected(
                    statement=request.index,
                    function=name,
                    node=miss.node,
                    matched=tuple(miss.matched),
                    reason=miss.reason,
                    distant=miss.distant,
                )
            )
    # What little one function has of a pattern is no news when another one has all of it.
    near = matched or any(not m.distant for m in missed)
    rejected += [m for m in missed if not (near and m.distant)]


def from_match(request: OffloadRequest, function: str, match: Match, graph: Graph) -> Site:
    """Return the site that a match is."""
    return Site(
        request=request,
        function=function,
        nodes=tuple(sorted(match.nodes)),
        ops=tuple(match.ops),
        slots=tuple(Slot(s.node, s.operand_index, s.value, s.name) for s in match.slots),
        # An op with several results (`split`) gives all of them, whichever are used: one arity.
        outputs=tuple(graph.leaves(match.root)),
        pattern=tvm_name(graph, match),
        # Every leaf of a pattern is a parameter of its kernel, also where two read one value:
        # all sites of a pattern then have kernels of one arity.
        merge_equal=False,
        captures=match.captures,
        notes=tuple(match.notes),
    )


def selected_sites(
    module: Module,
    request: OffloadRequest,
    outputs: frozenset[Ref],
    sites: list[Site],
    found: Collector,
) -> None:
    """Turn selected ops into regions: one a connected group, each checked to be convex."""
    by_function: dict[str, set[int]] = {}
    for value in request.resolved:
        graph = module.functions[value.function]
        node = value.ref.node
        if graph.kinds[node] not in ("call", *STRUCTURAL):
            found.add(
                Diagnostic(
                    code="S280",
                    message=f"{graph.label(node)} can't be offloaded: it is {_kind(graph, node)}",
                    span=request.statement.span,
                    reason="A region holds ops only.",
                    remedy="narrow the selector, e.g. with `where kind=call`",
                )
            )
            continue
        if not is_outlined(graph, node):
            by_function.setdefault(value.function, set()).add(node)
    for name, chosen in by_function.items():
        graph = module.functions[name]
        results = outputs if name == "main" else frozenset(graph.outputs)
        for group in _groups(graph, chosen):
            leaving = leaving_path(graph, group)
            if leaving:
                shown = " -> ".join(
                    f"{graph.label(i)} ({graph.ops[i] or graph.kinds[i]})" for i in leaving
                )
                found.add(
                    Diagnostic(
                        code="S281",
                        message=f"the region of `{request.text}` is not convex",
                        span=request.statement.span,
                        reason=f"path {shown} leaves the region and comes back: it would have to "
                        "run before and after its own kernel.",
                        remedy="select the ops between as well (`between(S, T)`), or fewer ops",
                    )
                )
                continue
            sites.append(from_group(request, name, graph, group, results))


def _kind(graph: Graph, node: int) -> str:
    return {"input": "an input", "param": "a weight", "constant": "a constant"}.get(
        graph.kinds[node], f"a value of kind {graph.kinds[node]}"
    )


def _groups(graph: Graph, chosen: set[int]) -> list[set[int]]:
    """Split selected ops into groups connected through each other, tuples and fields seen through.

    A group stays in one branch or function literal: its kernel runs when all of its ops would.
    """
    scopes = graph.scopes
    calls = {n for n in chosen if graph.kinds[n] == "call"}
    linked: dict[int, list[int]] = {n: [] for n in calls}
    for node in calls:
        for read in reads(graph, node):
            if read in calls and scopes[read] == scopes[node]:
                linked[node].append(read)
                linked[read].append(node)
    seen: set[int] = set()
    groups: list[set[int]] = []
    for start in sorted(calls):
        if start in seen:
            continue
        group: set[int] = set()
        stack = [start]
        while stack:
            at = stack.pop()
            if at not in group:
                group.add(at)
                stack.extend(linked[at])
        seen |= group
        groups.append(group)
    return groups


def _with_structure(graph: Graph, calls: Collection[int]) -> set[int]:
    """Return a group's calls with what belongs to them.

    The tuple literals that they take, as a kernel takes tensors, and the fields that are taken of
    their results. No other tuple or field: it would make the kernel read what no op of it needs.
    """
    whole = set(calls)
    stack = list(calls)
    while stack:
        at = stack.pop()
        for operand in graph.operands[at]:
            value = graph.resolve(operand)
            if graph.kinds[value.node] == "tuple" and not value.path and value.node not in whole:
                whole.add(value.node)
                stack.append(value.node)
        if graph.kinds[at] == "call":
            whole.update(
                user
                for user in graph.users[at]
                if graph.kinds[user] == "field" and graph.scopes[user] == graph.scopes[at]
            )
    return whole


def from_group(
    request: OffloadRequest, name: str, graph: Graph, calls: set[int], results: frozenset[Ref]
) -> Site:
    """Return the site that a group of calls is; ``results``: outputs of the function."""
    group = _with_structure(graph, calls)
    nodes = tuple(sorted(group))
    ops = tuple(i for i in nodes if graph.kinds[i] == "call")
    slots = tuple(
        Slot(node, index, graph.resolve(operand), None)
        for node in nodes
        for index, operand in enumerate(graph.operands[node])
        if operand not in group and graph.resolve(operand).node not in group
    )
    escaping: set[Ref] = {r for r in results if r.node in group}
    # Walk from the group through the tuples and fields outside it to the ops that use them.
    seen: set[int] = set()
    stack = list(nodes)
    while stack:
        value = stack.pop()
        for user in graph.users[value]:
            if user in group:
                continue
            if graph.kinds[user] not in STRUCTURAL:
                escaping.update(r for r in graph.leaves(Ref(value)) if r.node in group)
            elif user not in seen:
                seen.add(user)
                stack.append(user)
    return Site(
        request=request,
        function=name,
        nodes=nodes,
        ops=ops,
        slots=slots,
        outputs=tuple(sorted(escaping)),
        pattern="".join(f"{graph.ops[i]}_" for i in ops),
        merge_equal=True,
    )
