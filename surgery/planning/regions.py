"""Offload regions: which sites are taken, what each kernel takes and gives, and why not the rest.

Sites of all statements compete: the one with more ops wins, then the one met earlier in the
module, then the statement written earlier. A value is computed once: a site whose inside is
needed outside is given up, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import (
    Graph,
    Module,
    Ref,
    Resolved,
    TensorType,
    TupleType,
    UnknownType,
    leaving_path,
)
from surgery.graph.ops import operand_role
from surgery.pattern import (
    CompiledPattern,
    Match,
    find,
    is_outlined,
    leftover_marks,
    tvm_name,
)
from surgery.planning.cuts import STRUCTURAL, tensor_type, unique_name
from surgery.planning.model import Region, RegionArgument, RegionConstant, Rejected
from surgery.syntax import ast

_CONSTANT = ("constant", "param")
_OVERLAP = "it overlaps"


@dataclass(frozen=True, slots=True, kw_only=True)
class OffloadRequest:
    """One ``offload`` statement, its pattern compiled or its selector resolved."""

    index: int
    statement: ast.Offload
    text: str
    backend: str
    pattern: CompiledPattern | None = None
    pattern_name: str | None = None
    resolved: tuple[Resolved, ...] = ()


@dataclass(frozen=True, slots=True)
class _Slot:
    """A leaf operand of a site."""

    node: int
    operand: int
    value: Ref
    name: str | None


@dataclass(slots=True, kw_only=True)
class _Site:
    """A candidate region."""

    request: OffloadRequest
    function: str
    nodes: tuple[int, ...]
    ops: tuple[int, ...]
    slots: tuple[_Slot, ...]
    outputs: tuple[Ref, ...]
    pattern: str
    merge_equal: bool
    captures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stage: int = 0


@dataclass(frozen=True, slots=True)
class RegionPlan:
    """What came of the offload statements."""

    regions: tuple[Region, ...]
    rejected: tuple[Rejected, ...]


def plan_regions(
    module: Module,
    requests: Sequence[OffloadRequest],
    outputs: frozenset[Ref],
    stage_of: Sequence[int],
    cut_text: Callable[[int], str],
    found: Collector,
) -> RegionPlan:
    """Choose the sites and fix every kernel's signature.

    Args:
        outputs: Tensors of ``@main`` that are outputs (they can't be inside a region).
        stage_of: Stage of each node of ``@main``.
        cut_text: The text of the cut that ends a stage, for messages.
        found: Takes errors (no site at all, a broken ``expect``) and warnings.
    """
    candidates: list[_Site] = []
    rejected: list[Rejected] = []
    if requests and _annotated(module, requests[0], found):
        return RegionPlan((), ())
    for request in requests:
        if request.pattern is not None:
            _pattern_sites(module, request, outputs, candidates, rejected)
        else:
            _selected_sites(module, request, outputs, candidates, found)
    legal = [s for s in candidates if _legal(module, s, stage_of, cut_text, rejected)]
    accepted = _without_overlap(module, legal, rejected)
    regions = _name(module, accepted)
    for request in requests:
        _check_counts(module, request, regions, rejected, found)
    rejected.sort(key=lambda r: (r.statement, r.function, r.node))
    return RegionPlan(tuple(regions), tuple(rejected))


def _annotated(module: Module, request: OffloadRequest, found: Collector) -> bool:
    """Refuse a module that TVM's own partitioning has marked and not finished."""
    for graph in module.functions.values():
        marks = leftover_marks(graph)
        if marks:
            found.add(
                Diagnostic(
                    code="S293",
                    message=f"the module is already annotated: {graph.label(marks[0])} is "
                    f"{graph.ops[marks[0]]}",
                    span=request.statement.span,
                    reason="compiler_begin and compiler_end of an earlier AnnotateTarget divide "
                    "it; regions of two kinds would overlap.",
                    remedy="give the model as it was before AnnotateTarget",
                )
            )
            return True
    return False


# ---------------------------------------------------------------- candidates


def _pattern_sites(
    module: Module,
    request: OffloadRequest,
    outputs: frozenset[Ref],
    sites: list[_Site],
    rejected: list[Rejected],
) -> None:
    assert request.pattern is not None
    for name, graph in module.functions.items():
        if graph.function_attrs.get("Compiler") is not None:
            continue
        result = find(
            request.pattern,
            graph,
            outputs=outputs if name == "main" else frozenset(graph.outputs),
        )
        for match in result.matches:
            sites.append(_from_match(request, name, match, graph))
        for miss in result.near_misses:
            rejected.append(
                Rejected(
                    statement=request.index,
                    function=name,
                    node=miss.node,
                    matched=tuple(miss.matched),
                    reason=miss.reason,
                )
            )


def _from_match(request: OffloadRequest, function: str, match: Match, graph: Graph) -> _Site:
    return _Site(
        request=request,
        function=function,
        nodes=tuple(sorted(match.nodes)),
        ops=tuple(match.ops),
        slots=tuple(_Slot(s.node, s.operand_index, s.value, s.name) for s in match.slots),
        outputs=(match.root,),
        pattern=tvm_name(graph, match),
        # Every leaf of a pattern is a parameter of its kernel, also where two read one value:
        # all sites of a pattern then have kernels of one arity.
        merge_equal=False,
        captures=match.captures,
        notes=tuple(match.notes),
    )


def _selected_sites(
    module: Module,
    request: OffloadRequest,
    outputs: frozenset[Ref],
    sites: list[_Site],
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
            sites.append(_from_group(request, name, graph, group, results))


def _kind(graph: Graph, node: int) -> str:
    return {"input": "an input", "param": "a weight", "constant": "a constant"}.get(
        graph.kinds[node], f"a value of kind {graph.kinds[node]}"
    )


def _groups(graph: Graph, chosen: set[int]) -> list[set[int]]:
    """Split selected ops into groups connected through each other (tuples and fields included)."""
    region = set(chosen)
    for node in sorted(chosen):
        # A tuple literal or field between two selected ops belongs to them.
        for operand in graph.operands[node]:
            if graph.kinds[operand] == "tuple" and any(
                graph.resolve(o).node in chosen for o in graph.operands[operand]
            ):
                region.add(operand)
        for user in graph.users[node]:
            if graph.kinds[user] == "field":
                region.add(user)
    for node in sorted(region, reverse=True):
        if graph.kinds[node] == "tuple":
            region.update(
                o
                for o in graph.operands[node]
                if graph.kinds[o] == "field" and graph.operands[o][0] in chosen
            )
    seen: set[int] = set()
    groups: list[set[int]] = []
    for start in sorted(region):
        if start in seen:
            continue
        group: set[int] = set()
        stack = [start]
        while stack:
            at = stack.pop()
            if at in group:
                continue
            group.add(at)
            stack.extend(n for n in (*graph.operands[at], *graph.users[at]) if n in region)
        seen |= group
        groups.append(group)
    return [g for g in groups if any(graph.kinds[i] == "call" for i in g)]


def _from_group(
    request: OffloadRequest, name: str, graph: Graph, group: set[int], results: frozenset[Ref]
) -> _Site:
    nodes = tuple(sorted(group))
    ops = tuple(i for i in nodes if graph.kinds[i] == "call")
    slots = tuple(
        _Slot(node, index, graph.resolve(operand), None)
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
    return _Site(
        request=request,
        function=name,
        nodes=nodes,
        ops=ops,
        slots=slots,
        outputs=tuple(sorted(escaping)),
        pattern="".join(f"{graph.ops[i]}_" for i in ops),
        merge_equal=True,
    )


# ---------------------------------------------------------------- legality and choice


def _legal(
    module: Module,
    site: _Site,
    stage_of: Sequence[int],
    cut_text: Callable[[int], str],
    rejected: list[Rejected],
) -> bool:
    graph = module.functions[site.function]
    reason = ""
    if site.function == "main":
        stages = {stage_of[i] for i in site.ops}
        if -1 in stages:
            reason = "no output needs it"
        elif len(stages) > 1:
            reason = f"`{cut_text(min(stages))}` divides it"
        else:
            site.stage = stages.pop()
    if not reason:
        reason = _type_fault(graph, site)
    if not reason and not site.outputs:
        reason = "nothing outside uses it"
    if reason:
        rejected.append(
            Rejected(
                statement=site.request.index,
                function=site.function,
                node=site.ops[-1],
                matched=site.ops,
                reason=reason,
            )
        )
    return not reason


def _type_fault(graph: Graph, site: _Site) -> str:
    """Return why a site's arguments or results can't pass a kernel's boundary, or ''."""
    for slot in site.slots:
        type_ = graph.type_of(slot.value)
        where = f"operand {slot.operand} of {graph.ops[slot.node] or graph.kinds[slot.node]}"
        if isinstance(type_, TupleType) or graph.kinds[slot.value.node] == "tuple":
            return (
                f"{where} ({graph.label(slot.value)}) is a tuple; a kernel takes tensors: "
                "include the op that makes the tuple"
            )
        if isinstance(type_, TensorType) and not type_.is_static:
            return f"{where} ({graph.label(slot.value)}: {type_}) has no static shape"
        if not isinstance(type_, (TensorType, UnknownType)):
            return f"{where} ({graph.label(slot.value)}: {type_}) is no tensor"
    for ref in site.outputs:
        type_ = graph.type_of(ref)
        if isinstance(type_, TupleType):
            return f"its result {graph.label(ref)} is a tuple; name the field, e.g. `topk.1`"
        if isinstance(type_, TensorType) and not type_.is_static:
            return f"its result {graph.label(ref)}: {type_} has no static shape"
    return ""


def _without_overlap(
    module: Module, sites: Sequence[_Site], rejected: list[Rejected]
) -> list[_Site]:
    order = {name: i for i, name in enumerate(module.functions)}
    taken: dict[tuple[str, int], _Site] = {}
    accepted: list[_Site] = []
    for site in sorted(
        sites,
        key=lambda s: (-len(s.ops), order[s.function], s.ops[0], s.request.index, s.nodes),
    ):
        # Tuple and field nodes are rebuilt at will, so only ops can be fought over.
        other = next((taken[k] for k in ((site.function, i) for i in site.ops) if k in taken), None)
        if other is None:
            accepted.append(site)
            taken.update(((site.function, i), site) for i in site.ops)
            continue
        graph = module.functions[site.function]
        why = "larger" if len(other.ops) > len(site.ops) else "earlier"
        rejected.append(
            Rejected(
                statement=site.request.index,
                function=site.function,
                node=site.ops[-1],
                matched=site.ops,
                reason=f"{_OVERLAP} the {why} site that ends at {graph.label(other.ops[-1])} "
                f"(`{other.request.text}`)",
            )
        )
    return sorted(accepted, key=lambda s: (order[s.function], s.ops[-1]))


# ---------------------------------------------------------------- names and signatures


def _name(module: Module, sites: Sequence[_Site]) -> list[Region]:
    used = set(module.functions)
    counters: dict[str, int] = {}
    regions: list[Region] = []
    for site in sites:
        request = site.request
        graph = module.functions[site.function]
        short = request.statement.name or request.pattern_name or _short_name(graph, site)
        stem = _identifier(f"{request.backend}_{short}")
        number = counters.get(stem, 0)
        while f"{stem}_{number}" in used:
            number += 1
        counters[stem] = number + 1
        symbol = f"{stem}_{number}"
        used.add(symbol)
        regions.append(_signature(graph, site, symbol, f"{request.backend}.{short}"))
    return regions


def _short_name(graph: Graph, site: _Site) -> str:
    names = [graph.ops[i].rsplit(".", 1)[-1] for i in site.ops]
    if len(names) > 8:
        names = [*names[:4], f"{len(names) - 5}_more", names[-1]]
    return "_".join(names)


def _identifier(text: str) -> str:
    """Return a C identifier made from a name."""
    made = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{made}" if made[:1].isdigit() else made


def _signature(graph: Graph, site: _Site, symbol: str, composite: str) -> Region:
    arguments: list[RegionArgument] = []
    constants: list[RegionConstant] = []
    slots: dict[tuple[int, int], tuple[Literal["argument", "constant"], int]] = {}
    names: set[str] = set()
    known: dict[Ref, tuple[Literal["argument", "constant"], int]] = {}
    by_capture: dict[str, tuple[Literal["argument", "constant"], int]] = {}
    embed = site.request.statement.constants == "embed"
    notes = list(site.notes)
    # Arguments choose their names first: they are what a caller of the kernel writes.
    for slot in sorted(site.slots, key=lambda s: graph.kinds[s.value.node] in _CONSTANT):
        key = (slot.node, slot.operand)
        if site.merge_equal and slot.value in known:
            slots[key] = known[slot.value]
            continue
        if slot.name is not None and slot.name in by_capture:
            # `multiply(x:*, sigmoid(x))`: one capture is one parameter.
            slots[key] = by_capture[slot.name]
            continue
        kind = graph.kinds[slot.value.node]
        own = graph.names[slot.value.node] if kind in ("input", *_CONSTANT) else None
        role = operand_role(graph.ops[slot.node], slot.operand)
        if kind in _CONSTANT:
            name = unique_name(slot.name or own or role or f"c{len(constants)}", names)
            place: tuple[Literal["argument", "constant"], int] = ("constant", len(constants))
            constants.append(
                RegionConstant(
                    name=name,
                    node=slot.value.node,
                    type=tensor_type(graph, slot.value),
                    embedded=embed,
                )
            )
        else:
            name = unique_name(slot.name or own or role or f"x{len(arguments)}", names)
            place = ("argument", len(arguments))
            same = next((a.name for a in arguments if a.ref == slot.value), None)
            if same is not None:
                notes.append(f"{name} = {same}: both read {graph.label(slot.value)}")
            arguments.append(
                RegionArgument(name=name, ref=slot.value, type=tensor_type(graph, slot.value))
            )
        names.add(name)
        slots[key] = known[slot.value] = place
        if slot.name is not None:
            by_capture[slot.name] = place
    return Region(
        symbol=symbol,
        backend=site.request.backend,
        composite=composite,
        pattern=site.pattern,
        function=site.function,
        nodes=site.nodes,
        arguments=tuple(arguments),
        constants=tuple(constants),
        slots=slots,
        outputs=site.outputs,
        output_types=tuple(tensor_type(graph, r) for r in site.outputs),
        stage=site.stage,
        captures=dict(site.captures),
        statement=site.request.index,
        notes=tuple(notes),
    )


# ---------------------------------------------------------------- counts


def _check_counts(
    module: Module,
    request: OffloadRequest,
    regions: Sequence[Region],
    rejected: Sequence[Rejected],
    found: Collector,
) -> None:
    statement = request.statement
    mine = [r for r in regions if r.statement == request.index]
    missed = [r for r in rejected if r.statement == request.index]
    notes = tuple(
        f"{module.functions[r.function].label(r.node)}: {r.reason}" for r in missed[:10]
    ) + ((f"... and {len(missed) - 10} more",) if len(missed) > 10 else ())
    if not mine:
        outlined = _already_outlined(module, request)
        if any(d.code in ("S280", "S281") and d.span is statement.span for d in found.found):
            return  # said already, with the reason
        if outlined:
            found.add(
                Diagnostic(
                    code="S282",
                    severity="note",
                    message=f"`{request.text}`: 0 new sites ({outlined} already outlined)",
                    span=statement.span,
                )
            )
            return
        # A pattern all of whose sites went to a larger one did match: no fault of the spec.
        matched = any(r.reason.startswith(_OVERLAP) for r in missed)
        found.add(
            Diagnostic(
                code="S283",
                severity="warning" if statement.optional or matched else "error",
                message=f"`{request.text}` matches nothing" + (" that is free" if matched else ""),
                span=statement.span,
                reason="No part of the model has exactly this shape."
                if not missed
                else f"{sites(len(missed))} {'comes' if len(missed) == 1 else 'come'} close.",
                remedy="write `optional` at its end if that is fine; `surgery show` lists the ops",
                notes=notes,
            )
        )
    if statement.expect is not None and not holds(statement.expect, len(mine)):
        found.add(
            Diagnostic(
                code="S284",
                message=f"`{request.text}` takes {sites(len(mine))}, "
                f"{expectation(statement.expect)} expected",
                span=statement.expect.span or statement.span,
                reason="The count is pinned by `expect`.",
                remedy="look at the near misses, or change the count",
                notes=notes,
            )
        )
    if statement.require_all and missed:
        found.add(
            Diagnostic(
                code="S285",
                message=f"`{request.text}` takes {len(mine)} of {len(mine) + len(missed)} sites",
                span=statement.span,
                reason="`require all` asks for every site.",
                remedy="leave `require all` out, or remove what keeps the others",
                notes=notes,
            )
        )


def sites(count: int) -> str:
    """Return a count of sites in words: ``1 site``, ``2 sites``."""
    return f"{count} site{'' if count == 1 else 's'}"


def expectation(expect: ast.Expect) -> str:
    """Return an ``expect`` as it is written: ``3``, ``>=1``."""
    sign = "" if expect.comparison == "=" else expect.comparison
    return f"{sign}{expect.count}"


def holds(expect: ast.Expect, count: int) -> bool:
    """Return whether a count satisfies an ``expect``."""
    match expect.comparison:
        case "=":
            return count == expect.count
        case "!=":
            return count != expect.count
        case "<":
            return count < expect.count
        case "<=":
            return count <= expect.count
        case ">":
            return count > expect.count
        case ">=":
            return count >= expect.count


def _already_outlined(module: Module, request: OffloadRequest) -> int:
    """Count composites of this backend that the model already holds."""
    prefix = f"{request.backend}."
    count = 0
    for graph in module.functions.values():
        for node, kind in enumerate(graph.kinds):
            if kind == "function":
                attrs = graph.attrs[node]
                composite = attrs.get("Composite")
                if (composite is None and attrs.get("PartitionedFromPattern")) or (
                    isinstance(composite, str) and composite.startswith(prefix)
                ):
                    count += 1
    return count
