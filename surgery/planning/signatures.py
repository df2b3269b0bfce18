"""Names and kernel signatures of regions: what each takes and gives, in kernel order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from surgery.graph import Graph, Module, Ref
from surgery.graph.ops import operand_role
from surgery.planning.crossing import tensor_type, unique_name
from surgery.planning.model import Region, RegionArgument, RegionConstant
from surgery.planning.sites import Site

_CONSTANT = ("constant", "param")


def name_regions(module: Module, sites: Sequence[Site]) -> list[Region]:
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


def _short_name(graph: Graph, site: Site) -> str:
    names = [graph.ops[i].rsplit(".", 1)[-1] for i in site.ops]
    if len(names) > 8:
        names = [*names[:4], f"{len(names) - 5}_more", names[-1]]
    return "_".join(names)


def _identifier(text: str) -> str:
    """Return a C identifier made from a name."""
    made = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{made}" if made[:1].isdigit() else made


def _signature(graph: Graph, site: Site, symbol: str, composite: str) -> Region:
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
