"""How many sites an offload statement took, against what the spec expects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from surgery.diagnostics import Collector, Diagnostic, SurgeryError
from surgery.graph import Module
from surgery.graph.ops import LOOK_ALIKES
from surgery.pattern import Element, meant
from surgery.planning.model import Region, Rejected
from surgery.planning.reasons import by_reason
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
    near = [r for r in missed if not r.excluded and not r.distant]
    groups = by_reason(missed)
    notes = tuple(_note(module, group) for group in groups[:10])
    if (more := sum(map(len, groups[10:]))) > 0:
        notes += (f"... and {more} more",)
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
        remedy = "`surgery show` lists the ops"
        if not statement.optional:
            remedy = f"write `optional` at its end if that is fine; {remedy}"
        found.add(
            Diagnostic(
                code="S283",
                severity="warning" if statement.optional or matched else "error",
                message=f"`{request.text}` matches nothing" + (" that is free" if matched else ""),
                span=statement.span,
                reason=_nothing(module, request)
                if not near and not matched
                else f"{sites(len(missed))} {'comes' if len(missed) == 1 else 'come'} close.",
                remedy=remedy,
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


def _note(module: Module, group: Sequence[Rejected]) -> str:
    """Return sites that one reason keeps out, as a line."""
    first, *others = group
    line = f"{module.functions[first.function].label(first.node)}: {first.reason}"
    return line + (f" (and {sites(len(others))} like it)" if others else "")


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
        present = {op for g in module.functions.values() for op in g.ops}
        if lacking := [text for text in (_lacking(e, present) for e in _elements(request)) if text]:
            return f"The model has no {', no '.join(dict.fromkeys(lacking))}."
    return "No part of the model comes close to this shape."


def _elements(request: OffloadRequest) -> Iterator[Element]:
    for program in request.pattern.programs if request.pattern is not None else ():
        for element in program.elements:
            if element.skip is None and not any(c.is_class for c in element.choices):
                yield element


def _lacking(element: Element, present: Collection[str]) -> str:
    """Return an element that no op of a model can be, with what looks like it; else ''."""
    if any(choice.takes(op) for choice in element.choices for op in present):
        return ""
    wanted = {op for choice in element.choices for op in choice.ops}
    alike = sorted({a for op in wanted for a in LOOK_ALIKES.get(op, ()) if a in present})
    return meant(element) + (f" (but {', '.join(alike)})" if alike else "")


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
