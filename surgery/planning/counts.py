"""How many sites an offload statement took, against what the spec expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Module
from surgery.planning.model import Region, Rejected
from surgery.planning.sites import OffloadRequest
from surgery.select import check_expect


def check_counts(
    module: Module,
    request: OffloadRequest,
    regions: Sequence[Region],
    rejected: Sequence[Rejected],
    found: Collector,
) -> None:
    statement = request.statement
    mine = [c for r in regions for c in r.composites if c.statement == request.index]
    missed = [r for r in rejected if r.statement == request.index]
    near = [r for r in missed if not r.excluded]
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
        # A pattern whose sites went to larger ones, or were kept out, did match: no fault.
        matched = any(r.excluded for r in missed)
        found.add(
            Diagnostic(
                code="S283",
                severity="warning" if statement.optional or matched else "error",
                message=f"`{request.text}` matches nothing" + (" that is free" if matched else ""),
                span=statement.span,
                reason=_nothing(module, request)
                if not missed
                else f"{sites(len(missed))} {'comes' if len(missed) == 1 else 'come'} close.",
                remedy="write `optional` at its end if that is fine; `surgery show` lists the ops",
                notes=notes,
            )
        )
    try:
        check_expect(len(mine), statement.expect, request.text)
    except SurgeryError as failure:
        found.add(replace(failure.diagnostics[0], notes=notes))
    if statement.require_all and near:
        found.add(
            Diagnostic(
                code="S285",
                message=f"`{request.text}` takes {len(mine)} of {len(mine) + len(near)} sites",
                span=statement.span,
                reason="`require all` asks for every site.",
                remedy="leave `require all` out, or remove what keeps the others",
                notes=notes,
            )
        )


def _nothing(module: Module, request: OffloadRequest) -> str:
    """Return why a pattern comes close to nothing."""
    if request.pattern is not None:
        asked = {
            op
            for program in request.pattern.programs
            for element in program.elements
            for choice in element.choices
            for op in choice.ops
            if op.startswith("qnn.") and not choice.is_class
        }
        if asked and not any(
            op.startswith("qnn.") for g in module.functions.values() for op in g.ops
        ):
            return (
                f"The model has no qnn ops, so no {min(asked)}: it isn't quantised, or a pass "
                "(qnn.transform.CanonicalizeOps, Legalize) has lowered them already."
            )
    return "No part of the model has exactly this shape."


def sites(count: int) -> str:
    """Return a count of sites in words: ``1 site``, ``2 sites``."""
    return f"{count} site{'' if count == 1 else 's'}"


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
