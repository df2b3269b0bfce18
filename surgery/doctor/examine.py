"""The examination: every check on every region and composite, findings in the order of the text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from surgery.diagnostics import Diagnostic
from surgery.doctor.boundaries import Boundary, all_inline, by_region, function_region
from surgery.doctor.checks_composite import check_composites
from surgery.doctor.checks_region import (
    check_calls,
    check_idle,
    check_inline,
    check_marks,
    check_region,
    check_symbols,
)
from surgery.doctor.composites import Composite, composites
from surgery.doctor.places import Places
from surgery.graph import Module
from surgery.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFile:
    """What is known of one region.

    Attributes:
        function: Its Relay function; of a function literal ``FUNCTION:%N``.
        backend: Its ``Compiler``.
        arguments: How many arguments it takes.
        composites: Names of the composites it calls, in order.
        codes: Codes of what was found in it.
    """

    function: str
    backend: str
    arguments: int
    composites: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What came of an examination; healthy when nothing was found."""

    regions: tuple[RegionFile, ...]
    findings: tuple[Diagnostic, ...]

    @property
    def is_healthy(self) -> bool:
        return not self.findings


def examine(
    module: Module, source: Source | None = None, served: Collection[str] | None = None
) -> Checkup:
    """Look over a partitioned module.

    Args:
        module: Its picture. Types may be missing: then what follows from them isn't checked.
        source: The text that the picture was read from, for the places of findings.
        served: Names of the backends that have a codegen; ``None`` where that isn't known.
    """
    places = Places(source)
    found: list[Diagnostic] = []
    regions: list[RegionFile] = []
    found += check_symbols(module, places)
    symbol_codes = {d.span: d.code for d in found}
    calls = check_calls(module, places)
    miscalled = {name for name, _ in calls}
    inline = all_inline(module)
    literal_faults: dict[str, list[Diagnostic]] = {}
    for owner, told in check_inline(module, [r for rs in inline.values() for r in rs], places):
        literal_faults.setdefault(owner, []).append(told)
    for name, graph in module.functions.items():
        here = check_marks(graph, places)
        inner = composites(graph)
        in_literals, inner = by_region(inline[name], inner)
        for literal, mine in zip(inline[name], in_literals, strict=True):
            there = check_region(literal, places, served)
            there += check_composites(mine, literal, places) if literal.backend else []
            there += literal_faults.get(literal.name, [])
            found += there
            regions.append(_file(literal, mine, [d.code for d in there]))
        region = function_region(graph)
        if region is not None:
            here += check_region(region, places, served)
        # Without a name of its backend nothing can be said of a composite's.
        named = region is None or bool(region.backend)
        here += check_composites(inner, region, places) if named else []
        inside = any(d.code == "S321" for d in here)
        if region is not None and not inside and name not in miscalled:
            # A call with too few arguments leaves some without use: one fault, not two.
            here += check_idle(graph, places)
        found += here
        if region is not None:
            codes = [d.code for d in here]
            place = places.function(name)
            if place is not None and place in symbol_codes:
                codes.append(symbol_codes[place])
            regions.append(_file(region, inner, codes))
    found += [told for _, told in calls]
    # Text order; a model that isn't text keeps the order of its functions.
    found.sort(key=lambda d: d.span.start if d.span is not None else 0)
    return Checkup(regions=tuple(regions), findings=tuple(found))


def _file(region: Boundary, inner: Sequence[Composite], codes: Collection[str]) -> RegionFile:
    return RegionFile(
        function=region.name,
        backend=region.backend,
        arguments=len(region.params),
        composites=tuple(c.name or c.shape for c in inner),
        codes=tuple(sorted(set(codes))),
    )
