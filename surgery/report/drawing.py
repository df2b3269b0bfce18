"""What a picture of a graph shows: boxes, arrows and bands, before anything is laid out.

Weights and constants are left out (each box counts its own), tuples and their fields are seen
through, and what a branch or function literal holds is drawn as the op that owns it. A graph of
more than :data:`DETAIL_LIMIT` ops is drawn collapsed: by source name when it has names, else by
runs of printed numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from surgery.graph import Graph, Ref
from surgery.planning.model import Plan, Region
from surgery.report.grouping import Grouping, name_parts, shared_parts
from surgery.report.model import size_of
from surgery.report.text import plural

#: The most ops that are drawn one by one, with names to collapse by and without.
DETAIL_LIMIT, UNNAMED_LIMIT = 160, 400
#: Longer names are cut to their last parts; the tooltip has the whole.
NAME_LENGTH = 40
#: More inputs than this are weights whose values weren't given: they aren't drawn.
INPUT_LIMIT = 16
#: A value with more users than this has arrows to the first few; the others name it instead.
FAN_OUT = 6
FAN_SHOWN = 3
_HIDDEN = frozenset({"param", "constant", "tuple", "field", "let"})

BoxKind = Literal["op", "group", "input", "output", "crossing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One box.

    Attributes:
        id: Unique in the drawing: ``b12``.
        kind: What it stands for.
        lines: Its text.
        tooltip: More about it.
        stage: The stage it is in; ``None`` outside of all.
        region: Index of the offload region it is a part of.
        offloaded: Whether all it stands for is offloaded.
    """

    id: str
    kind: BoxKind
    lines: tuple[str, ...]
    tooltip: str
    stage: int | None = None
    region: int | None = None
    offloaded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A use of one box's value by another; ``recomputed`` when the user's stage computes it too."""

    start: str
    end: str
    recomputed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A picture to lay out.

    Attributes:
        title: What it shows.
        stages: A title a stage, in order; empty when nothing is cut.
        regions: Titles of regions by index.
        collapsed: How many ops are behind the boxes when they aren't drawn one by one, else 0.
        inputs_left_out: How many inputs are not drawn, as they are too many.
    """

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    stages: tuple[str, ...]
    regions: Mapping[int, str]
    collapsed: int
    inputs_left_out: int = 0


def draw(graph: Graph, plan: Plan | None = None, title: str = "") -> Drawing:
    """Return a picture of one function, with a plan's stages, regions and outputs on it.

    Args:
        graph: The function.
        plan: The plan to show; its ids must be those of ``graph`` (its module's ``main``).
        title: What to call the picture.
    """
    return _Drawer(graph, plan).draw(title or f"@{graph.function}")


class _Drawer:
    def __init__(self, graph: Graph, plan: Plan | None) -> None:
        self.graph = graph
        self.plan = plan
        self.stages = plan.stages if plan is not None and len(plan.stages) > 1 else ()
        regions = plan.regions if plan is not None else ()
        self.regions: dict[int, Region] = {
            i: r for i, r in enumerate(regions) if r.function == graph.function
        }
        size = len(graph)
        self.stage_of: list[int] = [-1] * size
        for stage in reversed(self.stages):
            for id_ in stage.nodes:
                self.stage_of[id_] = stage.index
        self.region_of: list[int] = [-1] * size
        for index, region in self.regions.items():
            for id_ in region.nodes:
                self.region_of[id_] = index
        self.again = {(s.index, i) for s in self.stages for i in s.recomputed}
        self.shown = [
            i
            for i, kind in enumerate(graph.kinds)
            if kind not in _HIDDEN and kind != "input" and graph.scopes[i] == 0
        ]

    def draw(self, title: str) -> Drawing:
        groups = self._groups()
        detailed = groups is None
        boxes: list[Box] = []
        box_of: dict[int, str] = {}
        inputs = [
            i for i in self.graph.params if self.graph.kinds[i] == "input" and self.graph.users[i]
        ]
        too_many = len(inputs) > INPUT_LIMIT
        for id_ in () if too_many else inputs:
            box_of[id_] = f"i{id_}"
            label = self.graph.label(id_)
            lines = (_short(label), str(self.graph.types[id_]))
            boxes.append(Box(id=f"i{id_}", kind="input", lines=lines, tooltip=label))
        prefix = 0 if detailed else self._common_prefix()
        for index, members in enumerate(groups or [[i] for i in self.shown]):
            for id_ in members:
                box_of[id_] = f"b{index}"
            box = self._op_box if detailed else self._group_box
            boxes.append(box(f"b{index}", members, prefix))
        ports = self._ports(box_of, boxes)
        arrows = self._arrows(box_of, ports)
        if not detailed:
            boxes = _distinct(boxes)
        boxes, arrows = _thin(boxes, arrows)
        self._outputs(box_of, boxes, arrows)
        return Drawing(
            title=title,
            boxes=tuple(boxes),
            arrows=tuple(arrows),
            stages=tuple(f"{s.name}: {plural(s.op_count, 'op')}" for s in self.stages),
            regions={i: f"{r.symbol} to {r.backend}" for i, r in self.regions.items()},
            collapsed=0 if detailed else len(self.shown),
            inputs_left_out=len(inputs) if too_many else 0,
        )

    def _groups(self) -> list[list[int]] | None:
        """Return the ops of each box of a collapsed picture; ``None`` to draw them one by one."""
        if len(self.shown) <= DETAIL_LIMIT:
            return None
        grouping = Grouping(
            graph=self.graph,
            ops=self.shown,
            stage_of=self.stage_of,
            region_of=self.region_of,
            backends={i: r.backend for i, r in self.regions.items()},
        )
        named = grouping.by_name()
        if named is None and len(self.shown) <= UNNAMED_LIMIT:
            return None
        return named or grouping.by_run()

    def _op_box(self, box: str, members: Sequence[int], prefix: int) -> Box:
        graph, (id_,) = self.graph, members
        lines = [graph.ops[id_] or graph.kinds[id_], f"{graph.label(id_)}: {graph.types[id_]}"]
        remarks = [graph.describe(id_)]
        if name := graph.names[id_]:
            remarks.append(name)
        remarks += [f"{key} = {value}" for key, value in graph.attrs[id_].items()]
        region = self.region_of[id_]
        again = [s.index for s in self.stages if (s.index, id_) in self.again]
        if again:
            lines.append(f"also in stage {', '.join(map(str, again))}")
        return Box(
            id=box,
            kind="op",
            lines=tuple(lines),
            tooltip="\n".join(remarks),
            stage=self._stage(id_),
            region=region if region >= 0 else None,
            offloaded=region >= 0,
        )

    def _group_box(self, box: str, members: Sequence[int], prefix: int) -> Box:
        graph = self.graph
        kinds = Counter(graph.ops[i] or graph.kinds[i] for i in members)
        common = kinds.most_common(3)
        listing = ", ".join(f"{op.split('.')[-1]} {n}" for op, n in common)
        listing += ", ..." if len(kinds) > len(common) else ""
        first, last = graph.label(members[0]), graph.label(members[-1])
        names = [name_parts(graph.names[i]) for i in members if graph.names[i]]
        common_name = shared_parts(names)
        shared = "/".join(common_name[prefix:] or common_name[-1:])
        run = first if len(members) == 1 else f"{first} .. {last}"
        count = plural(len(members), "op")
        # A part of one op tells what that op is.
        what = (
            f"{common[0][0]} {first}: {graph.types[members[0]]}"
            if len(members) == 1
            else f"{count}: {listing}"
        )
        lines = [shared or run, what]
        inside = {self.region_of[i] for i in members}
        offloaded = -1 not in inside
        if offloaded:
            backends = sorted({self.regions[r].backend for r in inside})
            lines.append(f"{plural(len(inside), 'region')} to {', '.join(backends)}")
        tooltip = [run, *(f"{op}: {n}" for op, n in kinds.most_common())]
        return Box(
            id=box,
            kind="group",
            lines=tuple(lines),
            tooltip="\n".join(tooltip),
            stage=self._stage(members[0]),
            region=inside.pop() if offloaded and len(inside) == 1 else None,
            offloaded=offloaded,
        )

    def _stage(self, id_: int) -> int | None:
        stage = self.stage_of[id_]
        return stage if stage >= 0 else None

    def _source(self, ref: Ref, box_of: Mapping[int, str]) -> int | None:
        """Return the drawn node that computes a tensor; ``None`` for weights and constants."""
        owner = self.graph.owner(ref.node)
        return owner if owner in box_of else None

    def _ports(
        self, box_of: Mapping[int, str], boxes: list[Box]
    ) -> dict[Ref, tuple[str, frozenset[int]]]:
        """Add a box a crossing value; return its id and the stages it goes to, by tensor."""
        ports: dict[Ref, tuple[str, frozenset[int]]] = {}
        for index, crossing in enumerate(self.plan.crossings if self.stages and self.plan else ()):
            if self._source(crossing.ref, box_of) is None:
                continue
            ports[crossing.ref] = f"c{index}", frozenset(crossing.targets)
            targets = ", ".join(map(str, crossing.targets))
            boxes.append(
                Box(
                    id=f"c{index}",
                    kind="crossing",
                    lines=(_short(crossing.name), f"{crossing.type}, {size_of(crossing.type)}"),
                    tooltip=f"{crossing.name}\n{self.graph.label(crossing.ref)} crosses from stage "
                    f"{crossing.source} to {targets}",
                )
            )
        return ports

    def _arrows(
        self, box_of: Mapping[int, str], ports: Mapping[Ref, tuple[str, frozenset[int]]]
    ) -> list[Arrow]:
        graph = self.graph
        found: dict[tuple[str, str], Arrow] = {}

        def add(start: str, end: str, recomputed: bool = False) -> None:
            if start != end:
                found.setdefault((start, end), Arrow(start=start, end=end, recomputed=recomputed))

        # What sits in a branch or a function literal uses values on behalf of its owner.
        for id_, operands in enumerate(graph.operands):
            owner = graph.owner(id_)
            if graph.kinds[id_] in _HIDDEN or owner not in box_of:
                continue
            end, stage = box_of[owner], self.stage_of[owner]
            for operand in operands:
                for ref in graph.leaves(Ref(operand)):
                    source = self._source(ref, box_of)
                    if source is None:
                        continue
                    port = ports.get(ref)
                    if port is not None and stage in port[1]:
                        add(box_of[source], port[0])
                        add(port[0], end)
                    else:
                        add(box_of[source], end, (stage, source) in self.again)
        return list(found.values())

    def _outputs(self, box_of: Mapping[int, str], boxes: list[Box], arrows: list[Arrow]) -> None:
        outputs = (
            [(o.name, o.ref, str(o.type)) for o in self.plan.outputs]
            if self.plan is not None and self.graph.function == "main"
            else [(f"result {i}", r, str(self.graph.type_of(r)))
                  for i, r in enumerate(self.graph.outputs)]
        )  # fmt: skip
        for index, (name, ref, type_) in enumerate(outputs):
            source = self._source(ref, box_of)
            boxes.append(
                Box(
                    id=f"o{index}",
                    kind="output",
                    lines=(f"output {_short(name)}" if self.plan else name, type_),
                    tooltip=f"{name}\n{self.graph.label(ref)}",
                    stage=None if source is None else self._stage(source),
                )
            )
            if source is not None:
                arrows.append(Arrow(start=box_of[source], end=f"o{index}"))

    def _common_prefix(self) -> int:
        names = (self.graph.names[i] for i in self.shown)
        return len(shared_parts([name_parts(n) for n in names if n]))


def _distinct(boxes: list[Box]) -> list[Box]:
    """Add its run of numbers to the title of each group that shares it with another one."""
    titles = Counter(box.lines[0] for box in boxes if not box.offloaded)
    return [
        replace(box, lines=(f"{box.lines[0]}, {box.tooltip.split(chr(10))[0]}", *box.lines[1:]))
        if box.kind == "group" and not box.offloaded and titles[box.lines[0]] > 1
        else box
        for box in boxes
    ]


def _thin(boxes: list[Box], arrows: list[Arrow]) -> tuple[list[Box], list[Arrow]]:
    """Replace most arrows of a value that many boxes use by a line in the boxes that use it."""
    order = {box.id: at for at, box in enumerate(boxes)}
    labels = {box.id: box.lines[0] if box.kind != "op" else box.lines[1] for box in boxes}
    by_start: dict[str, list[Arrow]] = {}
    for arrow in arrows:
        by_start.setdefault(arrow.start, []).append(arrow)
    named: dict[str, list[str]] = {}
    dropped: set[Arrow] = set()
    for start, out in by_start.items():
        # The arrow to a crossing value always stays: it is what a cut is about.
        users = sorted((a for a in out if a.end[0] == "b"), key=lambda a: order[a.end])
        if len(users) > FAN_OUT:
            for arrow in users[FAN_SHOWN:]:
                dropped.add(arrow)
                named.setdefault(arrow.end, []).append(labels[start].split(":")[0])
    thinned = [
        replace(box, lines=(*box.lines, "+ " + ", ".join(named[box.id])))
        if box.id in named
        else box
        for box in boxes
    ]
    return thinned, [a for a in arrows if a not in dropped]


def _short(name: str) -> str:
    """Return the end of a name that is too long for a box: its last components."""
    if len(name) <= NAME_LENGTH:
        return name
    cut = name.find("/", len(name) - NAME_LENGTH)
    return "..." + name[cut if cut >= 0 else len(name) - NAME_LENGTH :]
