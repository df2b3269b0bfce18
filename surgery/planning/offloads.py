"""Offload statements, and those that rule them, resolved against a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Module, Resolved, ancestors
from surgery.pattern import compile_pattern
from surgery.planning.counts import sites
from surgery.planning.limits import Rules
from surgery.planning.model import Output
from surgery.planning.regions import RegionPlan, plan_regions
from surgery.planning.rules import check_inplace, merging, preferences
from surgery.planning.sites import OffloadRequest
from surgery.planning.table_sites import table_requests
from surgery.planning.tables import Tables
from surgery.syntax import ast, print_selector


class Select(Protocol):
    """Resolves a selector of the statement with an index; faults are recorded."""

    def __call__(
        self,
        index: int,
        selector: ast.Selector,
        *,
        optional: bool = False,
        functions: tuple[str, ...] = ("main",),
    ) -> tuple[Resolved, ...]: ...


@dataclass(kw_only=True)
class OffloadPlanner:
    """What a spec asks to be offloaded.

    Attributes:
        texts: The statements' canonical texts.
        patterns: Named patterns.
        tables: Gives the compiler's pattern tables, if there is a compiler.
        outputs: The outputs of ``@main``.
    """

    statements: Sequence[ast.Statement]
    texts: Sequence[str]
    patterns: Mapping[str, ast.Pattern]
    module: Module
    tables: Tables | None
    found: Collector
    select: Select
    outputs: Sequence[Output] = ()

    def requests(self) -> list[OffloadRequest]:
        """Compile the patterns and resolve the selectors of all offloads."""
        requests: list[OffloadRequest] = []
        everywhere = self._everywhere()
        added = {o.ref: o.name for o in reversed(self.outputs) if o.added}
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, ast.Offload):
                continue
            backend = statement.backend or "host"
            until, between, between_text = self._boundaries(index, statement, everywhere)
            common = {
                "index": index, "statement": statement, "text": self.texts[index],
                "backend": backend, "until": until, "between": between,
                "between_text": between_text, "added": added,
            }  # fmt: skip
            if statement.kind == "table":
                requests += table_requests(
                    self.tables,
                    self.found,
                    OffloadRequest(**common),  # type: ignore[arg-type]
                )
            elif statement.kind == "pattern":
                assert not isinstance(statement.what, str)
                pattern = statement.what
                named = pattern.op if isinstance(pattern, ast.OpPattern) else None
                try:
                    compiled = compile_pattern(pattern, self.patterns)  # type: ignore[arg-type]
                except SurgeryError as failure:
                    self.found.take(failure)
                    continue
                check_inplace(statement, compiled.captures, self.found)
                requests.append(
                    OffloadRequest(
                        pattern=compiled,
                        pattern_name=named if named in self.patterns else None,
                        **common,  # type: ignore[arg-type]
                    )
                )
            else:
                picked = self.select(
                    index,
                    statement.what,  # type: ignore[arg-type]
                    optional=statement.optional,
                    functions=everywhere,
                )
                if picked:
                    requests.append(OffloadRequest(resolved=picked, **common))  # type: ignore[arg-type]
        return requests

    def _boundaries(
        self, index: int, statement: ast.Offload, functions: tuple[str, ...]
    ) -> tuple[tuple[Resolved, ...], tuple[Resolved, ...] | None, str]:
        """Resolve ``until S`` and ``only between(S, T)``; the last is that relation's text."""
        until: tuple[Resolved, ...] = ()
        if statement.until is not None:
            until = self.select(index, statement.until, optional=statement.optional)
        if statement.between is None:
            return until, None, ""
        relation = ast.Relation(
            kind="between", arguments=statement.between, span=statement.between[0].span
        )
        picked = self.select(index, relation, optional=statement.optional, functions=functions)
        return until, picked, f"only {print_selector(relation)}"

    def rules(self, requests: Sequence[OffloadRequest], recompute: frozenset[int]) -> Rules:
        """Resolve ``keep``, ``prefer`` and what backends say of merging.

        Args:
            recompute: Nodes of ``@main`` that consumer stages compute again.
        """
        keep: dict[tuple[str, int], str] = {}
        for index, statement in enumerate(self.statements):
            if isinstance(statement, ast.Keep):
                for value in self.select(
                    index,
                    statement.selector,
                    optional=statement.optional,
                    functions=self._everywhere(),
                ):
                    node = self.module.functions[value.function].resolve(value.ref.node).node
                    keep.setdefault((value.function, node), self.texts[index])
        again = ancestors(self.module.main, recompute) if recompute else b""
        return Rules(
            keep=keep,
            prefer=preferences(self.statements, requests, self.found),
            merging=merging(self.statements, self.found),
            alone=frozenset(i for i, marked in enumerate(again) if marked),
        )

    def _everywhere(self) -> tuple[str, ...]:
        """Return the functions that an offload looks into."""
        return tuple(
            n for n, g in self.module.functions.items() if not g.function_attrs.get("Compiler")
        )


def matched_before(
    before: Module,
    requests: Sequence[OffloadRequest],
    taken: RegionPlan,
    passes: str,
    found: Collector,
) -> None:
    """Warn of patterns that match the model before ``prepare`` only.

    Args:
        before: The model before ``prepare``.
        passes: The passes of ``prepare``, for the message.
    """
    matched = {c.statement for r in taken.regions for c in r.composites}
    for request in requests:
        if request.pattern is None or request.entry or request.index in matched:
            continue
        graph = before.main
        # Boundaries are ids of the prepared model.
        free = replace(request, until=(), between=None)
        alone = plan_regions(
            before, [free], frozenset(graph.outputs), [0] * len(graph), str, Collector()
        )
        count = sum(len(r.composites) for r in alone.regions)
        if count:
            found.add(
                Diagnostic(
                    code="S287",
                    severity="warning",
                    message=f"`{request.text}` matches {sites(count)} before "
                    f"`prepare {passes}`, none after",
                    span=request.statement.span,
                    reason="A pass of `prepare` put other ops between, or replaced them.",
                    remedy="leave that pass out, or write the pattern for what it leaves",
                )
            )
