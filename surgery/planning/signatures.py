"""Names and kernel signatures of regions: what each takes and gives, in kernel order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from surgery.graph import Graph, Module, Ref, TensorType
from surgery.graph.ops import is_quantisation
from surgery.planning.crossing import tensor_type, unique_name
from surgery.planning.model import Composite, Operand, Region, RegionArgument, RegionConstant
from surgery.planning.roles import slot_role
from surgery.planning.sites import Site, SiteGroup

_CONSTANT = ("constant", "param")

_Place = tuple[Literal["argument", "constant"], int]
_Source = _Place | tuple[Literal["composite"], int, int]


def name_regions(module: Module, groups: Sequence[SiteGroup]) -> list[Region]:
    """Fix the symbol and the signature of each group of sites, and of the kernels it calls."""
    kernels = _Kernels(taken=set(module.functions))
    symbols: list[str] = []
    counters: dict[str, int] = {}
    for group in groups:
        first = group.sites[0]
        stem = _identifier(
            f"{first.request.backend}_{_composite_name(module.functions[group.function], first)}"
        )
        number = counters.get(stem, 0)
        while f"{stem}_{number}" in kernels.taken:
            number += 1
        counters[stem] = number + 1
        symbols.append(f"{stem}_{number}")
        kernels.taken.add(symbols[-1])
    return [
        _region(module.functions[group.function], group, symbol, kernels)
        for group, symbol in zip(groups, symbols, strict=True)
    ]


def _composite_name(graph: Graph, site: Site) -> str:
    """Return the composite's name without its backend."""
    return site.request.statement.name or site.request.pattern_name or _short_name(graph, site)


def _short_name(graph: Graph, site: Site) -> str:
    names = [graph.ops[i].rsplit(".", 1)[-1] for i in site.ops]
    if len(names) > 8:
        names = [*names[:4], f"{len(names) - 5}_more", names[-1]]
    return "_".join(names)


def _identifier(text: str) -> str:
    """Return a C identifier made from a name."""
    made = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{made}" if made[:1].isdigit() else made


@dataclass(kw_only=True)
class _Kernels:
    """Symbols of kernels by what they compute: same name, ops, attributes and types, one kernel."""

    taken: set[str]
    _known: dict[object, str] = field(default_factory=dict)
    _counters: dict[str, int] = field(default_factory=dict)

    def symbol(self, graph: Graph, composite: Composite) -> str:
        key = _structure(graph, composite)
        known = self._known.get(key)
        if known is None:
            stem = _identifier(composite.name.replace(".", "_", 1))
            number = self._counters.get(stem, 0)
            while f"{stem}_k{number}" in self.taken:
                number += 1
            self._counters[stem] = number + 1
            known = self._known[key] = f"{stem}_k{number}"
            self.taken.add(known)
        return known


def _structure(graph: Graph, composite: Composite) -> object:
    """Return what decides which kernel serves a composite, as a hashable value."""
    place = {node: i for i, node in enumerate(composite.nodes)}

    def inside(ref: Ref) -> tuple[int, tuple[int, ...]]:
        return place[ref.node], ref.path

    nodes = []
    for node in composite.nodes:
        read: list[object] = []
        for index, operand in enumerate(graph.operands[node]):
            use = composite.uses.get((node, index))
            if use is not None:
                read.append(use)
            elif operand in place:
                read.append(inside(Ref(operand)))
            else:
                read.append(inside(graph.resolve(operand)))
        attrs = repr(sorted(graph.attrs[node].items())) if graph.kinds[node] == "call" else ""
        nodes.append((graph.kinds[node], graph.ops[node], graph.fields.get(node), attrs, *read))
    return (
        composite.name,
        tuple(nodes),
        tuple((o.type, o.source[0] == "constant") for o in composite.operands),
        tuple(inside(r) for r in composite.outputs),
        composite.output_types,
        composite.inplace,
    )


@dataclass(kw_only=True)
class _Boundary:
    """The arguments and constants of one region, as its composites ask for them.

    Attributes:
        share: Whether composites that read one value share the region's argument.
    """

    graph: Graph
    share: bool
    arguments: list[RegionArgument] = field(default_factory=list)
    constants: list[RegionConstant] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    _known: dict[tuple[Ref, bool], _Place] = field(default_factory=dict)

    def argument(self, name: str, ref: Ref, type_: TensorType) -> _Place:
        known = self._known.get((ref, False))
        if known is not None and self.share:
            return known
        name = unique_name(name or f"x{len(self.arguments)}", self.names)
        if known is not None:
            same = self.arguments[known[1]].name
            self.notes.append(f"{name} = {same}: both read {self.graph.label(ref)}")
        place: _Place = ("argument", len(self.arguments))
        self.arguments.append(RegionArgument(name=name, ref=ref, type=type_))
        self.names.add(name)
        self._known.setdefault((ref, False), place)
        return place

    def constant(self, name: str, ref: Ref, type_: TensorType, embedded: bool) -> _Place:
        known = self._known.get((ref, embedded))
        if known is not None and self.share:
            return known
        name = unique_name(name or f"c{len(self.constants)}", self.names)
        place: _Place = ("constant", len(self.constants))
        self.constants.append(
            RegionConstant(name=name, node=ref.node, type=type_, embedded=embedded)
        )
        self.names.add(name)
        self._known[ref, embedded] = place
        return place


def _region(graph: Graph, group: SiteGroup, symbol: str, kernels: _Kernels) -> Region:
    several = len(group.sites) > 1
    boundary = _Boundary(graph=graph, share=several)
    slots: dict[tuple[int, int], _Place] = {}
    produced: dict[Ref, tuple[Literal["composite"], int, int]] = {}
    composites: list[Composite] = []
    notes: dict[str, None] = {}
    for index, site in enumerate(group.sites):
        composite = _composite(graph, site, boundary, produced, slots)
        composite = replace(composite, kernel=kernels.symbol(graph, composite))
        composites.append(composite)
        produced.update({r: ("composite", index, k) for k, r in enumerate(composite.outputs)})
        notes.update(dict.fromkeys(composite.notes))
    notes.update(dict.fromkeys(boundary.notes))
    outputs = group.outputs
    first = composites[0]
    return Region(
        symbol=symbol,
        backend=group.sites[0].request.backend,
        composite=first.name,
        pattern="".join(c.pattern for c in composites),
        function=group.function,
        nodes=tuple(sorted({n for c in composites for n in c.nodes})),
        arguments=tuple(boundary.arguments),
        constants=tuple(boundary.constants),
        slots=slots,
        outputs=outputs,
        output_types=tuple(tensor_type(graph, r) for r in outputs),
        stage=group.stage,
        captures=dict(first.captures),
        statement=first.statement,
        notes=tuple(notes),
        composites=tuple(composites),
    )


def _composite(
    graph: Graph,
    site: Site,
    boundary: _Boundary,
    produced: dict[Ref, tuple[Literal["composite"], int, int]],
    slots: dict[tuple[int, int], _Place],
) -> Composite:
    operands: list[Operand] = []
    uses: dict[tuple[int, int], int] = {}
    names: set[str] = set()
    known: dict[Ref, int] = {}
    by_capture: dict[str, int] = {}
    inplace: list[int] = []
    embed = site.request.statement.constants == "embed"
    # Arguments choose their names first: they are what a caller of the kernel writes.
    for slot in sorted(site.slots, key=lambda s: graph.kinds[s.value.node] in _CONSTANT):
        key = (slot.node, slot.operand)
        # `multiply(x:*, sigmoid(x))`: one capture is one parameter.
        at = by_capture.get(slot.name) if slot.name is not None else None
        if at is None and site.merge_equal:
            at = known.get(slot.value)
        if at is None:
            kind = graph.kinds[slot.value.node]
            own = graph.names[slot.value.node] if kind in ("input", *_CONSTANT) else None
            role = slot_role(graph, site, slot)
            type_ = tensor_type(graph, slot.value)
            name = slot.name or own or role
            source: _Source
            if slot.value in produced:
                source = produced[slot.value]
            elif kind in _CONSTANT:
                # Kernels of quantised ops are made for their scales, whatever weights they get.
                inside = embed or is_quantisation(role)
                source = boundary.constant(name, slot.value, type_, inside)
            else:
                source = boundary.argument(name, slot.value, type_)
            # A kernel serves several sites, so its parameters are called by their roles.
            at = len(operands)
            local = unique_name(slot.name or role or own or f"x{at}", names)
            names.add(local)
            operands.append(Operand(name=local, type=type_, source=source))
            known[slot.value] = at
            if slot.name is not None:
                by_capture[slot.name] = at
                if slot.name in site.inplace:
                    inplace.append(at)
        uses[key] = at
        source = operands[at].source
        if source[0] != "composite":
            slots[key] = source
    return Composite(
        name=f"{site.request.backend}.{_composite_name(graph, site)}",
        kernel="",
        pattern=site.pattern,
        nodes=site.nodes,
        operands=tuple(operands),
        uses=uses,
        outputs=site.outputs,
        output_types=tuple(tensor_type(graph, r) for r in site.outputs),
        captures=dict(site.captures),
        inplace=tuple(inplace),
        statement=site.request.index,
        notes=tuple(site.notes),
    )
