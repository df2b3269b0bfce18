"""``offload table NAME``: the entries of a pattern table as requests, and their sites."""

from __future__ import annotations

from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref, leaving_path
from surgery.pattern import compile_pattern, find, is_outlined
from surgery.planning.model import Rejected
from surgery.planning.sites import OffloadRequest, Site, from_group, from_match
from surgery.planning.tables import Tables
from surgery.syntax import ast


def table_requests(
    tables: Tables | None, found: Collector, whole: OffloadRequest
) -> list[OffloadRequest]:
    """Return one request for each entry of the table that an offload names.

    Args:
        tables: Gives the compiler's tables; ``None`` where the model is read without a compiler.
        found: Takes what is wrong: no such table, entries that can't match.
        whole: The statement's own request.
    """
    statement, text = whole.statement, whole.text
    name = str(statement.what)
    if tables is None:
        found.add(
            Diagnostic(
                code="S343",
                message=f"`{text}` needs TVM",
                span=statement.span,
                reason="The table and its predicates are TVM's own, and this listing is read "
                "without TVM.",
                remedy="save the model with `tvm.ir.save_json(mod)`, or write the patterns",
            )
        )
        return []
    try:
        table = tables(name)
    except SurgeryError as failure:
        for diagnostic in failure.diagnostics:
            found.add(replace(diagnostic, span=diagnostic.span or statement.span))
        return []
    requests: list[OffloadRequest] = []
    barren: list[str] = []
    for entry in table.patterns:
        prefix, dot, short = entry.name.partition(".")
        request = replace(
            whole,
            backend=statement.backend or (prefix if dot else table.name),
            pattern_name=short or entry.name,
            entry=entry,
        )
        if entry.pattern is not None:
            try:
                compiled = compile_pattern(entry.pattern)
            except SurgeryError as failure:
                barren.append(f"{entry.name}: {failure.diagnostics[0].message}")
                continue
            request = replace(request, pattern=compiled)
        requests.append(request)
    if barren:
        found.add(
            Diagnostic(
                code="S342",
                severity="note",
                message=f"{len(barren)} of the {len(table.patterns)} entries of the table {name} "
                "can never match",
                span=statement.span,
                reason="TVM's matcher leaves them out silently.",
                remedy="write the pattern: `offload pattern P to B`",
                notes=tuple(barren),
            )
        )
    return requests


def table_sites(
    module: Module,
    request: OffloadRequest,
    outputs: frozenset[Ref],
    sites: list[Site],
    rejected: list[Rejected],
    found: Collector,
) -> None:
    """Add the sites of one entry of a table, and what its predicate refuses.

    An entry that the compiler's matcher fails on is left out with a warning.
    """
    assert request.entry is not None
    for name, graph in module.functions.items():
        if graph.function_attrs.get("Compiler") is not None:
            continue
        results = outputs if name == "main" else frozenset(graph.outputs)
        if request.pattern is not None:
            _matched(request, name, graph, results, sites, rejected)
            continue
        try:
            _native(request, name, graph, results, sites, rejected)
        except SurgeryError as failure:
            for diagnostic in failure.diagnostics:
                found.add(replace(diagnostic, severity="warning", span=request.statement.span))
            return


def _matched(
    request: OffloadRequest,
    function: str,
    graph: Graph,
    results: frozenset[Ref],
    sites: list[Site],
    rejected: list[Rejected],
) -> None:
    assert request.pattern is not None and request.entry is not None
    names = request.added if function == "main" else None
    found = find(request.pattern, graph, outputs=results, names=names)
    wants_field = _ends_at_field(request.entry.pattern)
    for match in found.matches:
        end = match.ops[-1]
        if wants_field:
            end = next(
                (n for n in match.nodes if end in graph.operands[n] and n in graph.fields), end
            )
        site = from_match(request, function, match, graph)
        _offer(request, function, end, site, sites, rejected)
    for miss in found.near_misses:
        # A table has patterns for every chain there is: only a site that is all there is news.
        if miss.kind == "legality":
            rejected.append(_rejection(request, function, miss.node, miss.matched, miss.reason))


def _ends_at_field(pattern: ast.Pattern | None) -> bool:
    match pattern:
        case ast.OpPattern(field=field):
            return field is not None
        case ast.Alternative(choices=choices):
            return any(_ends_at_field(c) for c in choices)
        case ast.Capture(pattern=inner):
            return _ends_at_field(inner)
    return False


def _native(
    request: OffloadRequest,
    function: str,
    graph: Graph,
    results: frozenset[Ref],
    sites: list[Site],
    rejected: list[Rejected],
) -> None:
    assert request.entry is not None and request.entry.sites is not None
    for found in request.entry.sites(function):
        group = {n for n in found.nodes if graph.kinds[n] == "call"}
        if any(is_outlined(graph, n) for n in group):
            continue
        site = replace(from_group(request, function, graph, group, results), merge_equal=False)
        reason = ""
        leaving = leaving_path(graph, group)
        other = sorted(r for r in site.outputs if r.node != graph.resolve(found.root).node)
        if leaving:
            shown = " -> ".join(graph.label(i) for i in leaving)
            reason = f"path {shown} leaves the match and comes back"
        elif other:
            reason = f"{graph.label(other[0])} is used outside the match"
        elif not site.ops:
            continue
        if reason:
            rejected.append(_rejection(request, function, found.root, site.ops, reason))
        else:
            _offer(request, function, found.root, site, sites, rejected)


def _offer(
    request: OffloadRequest,
    function: str,
    end: int,
    site: Site,
    sites: list[Site],
    rejected: list[Rejected],
) -> None:
    """Add a site, unless the table's predicate refuses it."""
    assert request.entry is not None
    reason = request.entry.check(function, end) if request.entry.check is not None else ""
    if reason:
        rejected.append(
            _rejection(request, function, site.ops[-1], site.ops, f"{request.entry.name}: {reason}")
        )
    else:
        sites.append(site)


def _rejection(
    request: OffloadRequest, function: str, node: int, matched: tuple[int, ...], reason: str
) -> Rejected:
    return Rejected(
        statement=request.index, function=function, node=node, matched=tuple(matched), reason=reason
    )
