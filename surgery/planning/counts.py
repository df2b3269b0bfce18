"""How many sites an offload statement took, against what the spec expects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from surgery.diagnostics import Collector, Diagnostic
from surgery.graph import Module, TensorType
from surgery.graph.ops import LOOK_ALIKES
from surgery.graph.values import holds
from surgery.pattern import Element, is_outlined, meant
from surgery.planning.model import Region, Rejected
from surgery.planning.outlined import already_outlined, open_ops
from surgery.planning.reasons import by_reason
from surgery.planning.sites import OffloadRequest


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
        if any(d.code in ("S280", "S281") and d.span is statement.span for d in found.found):
            return  # said already, with the reason
        if outlined := already_outlined(module, request):
            # The same spec may run on what it made: what is there already counts.
            if _check_expect(outlined, ", already outlined", request, notes, found):
                found.add(
                    Diagnostic(
                        code="S282",
                        severity="note",
                        message=f"`{request.text}`: 0 new sites ({outlined} already outlined)",
                        span=statement.span,
                    )
                )
            return
    strict = statement.require_all and bool(near)
    if strict:
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
    within = (
        f" in {_regions(sum(request.index in _statements(r) for r in regions))}" if mine else ""
    )
    if not _check_expect(len(mine), within, request, notes, found) or strict or mine:
        return
    # A pattern whose sites went to larger ones, or were kept out, did match: no fault.
    matched = sum(r.excluded for r in missed)
    remedy = "`surgery show` lists the ops"
    if inputs := _dynamic_inputs(module, near):
        remedy = f"give inputs their shape, `bind {inputs[0]}: DTYPE(...)`; {remedy}"
    if not statement.optional:
        remedy = f"write `optional` at its end if that is fine; {remedy}"
    reasons = [f"{sites(matched)} {'is' if matched == 1 else 'are'} kept out"] if matched else []
    if near:
        reasons.append(f"{sites(len(near))} {'comes' if len(near) == 1 else 'come'} close")
    found.add(
        Diagnostic(
            code="S283",
            severity="warning" if statement.optional or matched else "error",
            message=f"`{request.text}` matches nothing" + (" that is free" if matched else ""),
            span=statement.span,
            reason=f"{', '.join(reasons)}." if reasons else _nothing(module, request),
            remedy=remedy,
            notes=notes,
        )
    )


def _check_expect(
    count: int, within: str, request: OffloadRequest, notes: tuple[str, ...], found: Collector
) -> bool:
    """Check ``expect N``; return whether it holds.

    Args:
        within: Where the sites are, after their count.
    """
    expect = request.statement.expect
    if expect is None or holds(count, expect.comparison, expect.count):
        return True
    sign = "" if expect.comparison == "=" else expect.comparison
    found.add(
        Diagnostic(
            code="S216",
            message=f"`{request.text}` takes {sites(count)}{within}, {sign}{expect.count} expected",
            span=expect.span,
            reason="`expect` counts sites, also where several become one region.",
            remedy="change the count, or the pattern or selector",
            notes=notes,
        )
    )
    return False


def _statements(region: Region) -> set[int]:
    return {c.statement for c in region.composites}


def _regions(count: int) -> str:
    return f"{count} region{'' if count == 1 else 's'}"


def _note(module: Module, group: Sequence[Rejected]) -> str:
    """Return sites that one reason keeps out, as a line."""
    first, *others = group
    line = f"{module.functions[first.function].label(first.node)}: {first.reason}"
    return line + (f" (and {sites(len(others))} like it)" if others else "")


def _dynamic_inputs(module: Module, near: Sequence[Rejected]) -> list[str]:
    """Return the inputs without a static shape, where that keeps sites out."""
    if not any("has no static shape" in r.reason for r in near):
        return []
    graph = module.main
    return [
        graph.names[p] or ""
        for p in graph.params
        if isinstance(type_ := graph.types[p], TensorType) and not type_.is_static
    ]


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
        free = open_ops(module)
        if hidden := [meant(e) for e in _elements(request) if _lacking(e, free)]:
            return (
                f"Every {', every '.join(dict.fromkeys(hidden))} is inside a function that a pass "
                "has fused or outlined before; patterns don't look into those."
            )
    if request.resolved and all(
        is_outlined(module.functions[v.function], v.ref.node) for v in request.resolved
    ):
        return (
            "All that it selects is inside functions that a pass has fused or outlined before; "
            "offloads take nothing out of those."
        )
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
