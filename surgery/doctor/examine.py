"""The examination: every check on every region and composite, findings in the order of the text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from surgery.diagnostics import Diagnostic
from surgery.doctor.checks_composite import check_composites
from surgery.doctor.checks_region import (
    check_calls,
    check_idle,
    check_marks,
    check_region,
    check_symbols,
)
from surgery.doctor.composites import composites
from surgery.doctor.places import Places
from surgery.graph import Module
from surgery.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFile:
    """What is known of one region.

    Attributes:
        function: The Relay function that holds it.
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
    for name, graph in module.functions.items():
        here = check_marks(graph, places)
        inner = composites(graph)
        backend = graph.function_attrs.get("Compiler")
        if backend is not None:
            here += check_region(graph, places, served)
        # Without a name of its backend nothing can be said of a composite's.
        here += (
            check_composites(inner, None if backend is None else str(backend), places)
            if backend != ""
            else []
        )
        inside = any(d.code == "S321" for d in here)
        if backend is not None and not inside and name not in miscalled:
            # A call with too few arguments leaves some without use: one fault, not two.
            here += check_idle(graph, places)
        found += here
        if backend is not None:
            codes = [d.code for d in here]
            place = places.function(name)
            if place is not None and place in symbol_codes:
                codes.append(symbol_codes[place])
            regions.append(
                RegionFile(
                    function=name,
                    backend=str(backend),
                    arguments=len(graph.params),
                    composites=tuple(c.name or c.shape for c in inner),
                    codes=tuple(sorted(set(codes))),
                )
            )
    found += [told for _, told in calls]
    # Text order; a model that isn't text keeps the order of its functions.
    found.sort(key=lambda d: d.span.start if d.span is not None else 0)
    return Checkup(regions=tuple(regions), findings=tuple(found))
