"""The ops that a balanced cut divides, in one topological order, and what lives between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from surgery.graph import Graph, Ref, TensorType
from surgery.planning.crossing import COMPUTING


@dataclass(frozen=True, slots=True, kw_only=True)
class LineValue:
    """A tensor that one op of the line computes and others read.

    Attributes:
        at: Position of the op that computes it; of what depends on no runtime input, of the first
            op that reads it, as it is computed there.
        floating: Whether it depends on no runtime input.
        readers: Positions of the ops that read it, ascending.
        nbytes: What it costs to send, in bytes; 0 when it is computed again instead.
        fits: Whether a cut may part it from its readers: a tensor can be sent, nothing else.
    """

    at: int
    floating: bool
    readers: tuple[int, ...]
    nbytes: int
    fits: bool


@dataclass(slots=True, kw_only=True)
class Line:
    """The live ops of a function's body that depend on a runtime input, operands before users.

    What depends on no runtime input is computed by the stage that needs it, so it is no place for
    a cut; its cost counts where it is first needed.

    Attributes:
        nodes: Ids, by segment and id.
        costs: What each costs.
        segments: The stage that the spec's own cuts give each; never falls along the line.
        reads: Positions that each reads from, ascending.
        values: What passes between positions.
        whole: Sets of positions that no cut may divide.
        allowed: Positions a cut may stand after; ``None`` for all.
    """

    nodes: list[int]
    costs: list[int]
    segments: list[int]
    reads: list[tuple[int, ...]]
    values: list[LineValue]
    whole: list[tuple[int, ...]]
    allowed: frozenset[int] | None = None
    first_reader: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.first_reader = [len(self.nodes)] * len(self.nodes)
        for at, sources in enumerate(self.reads):
            for source in sources:
                self.first_reader[source] = min(self.first_reader[source], at)

    def forced(self) -> list[int]:
        """Return the positions after which the spec's own cuts stand."""
        segments = self.segments
        return [i for i in range(len(segments) - 1) if segments[i] != segments[i + 1]]

    def live_bytes(self) -> list[int]:
        """Return for each position the bytes that are live after it."""
        change = [0] * (len(self.nodes) + 1)
        for value in self.values:
            change[value.at] += value.nbytes
            change[value.readers[-1]] -= value.nbytes
        total = 0
        for at, by in enumerate(change):
            total += by
            change[at] = total
        return change[:-1]

    def closed(self) -> bytearray:
        """Mark the positions after which a cut would divide what must stay whole."""
        change = [0] * (len(self.nodes) + 1)
        spans = [(w[0], w[-1]) for w in self.whole]
        spans += [(v.at, v.readers[-1]) for v in self.values if not v.fits]
        for first, last in spans:
            change[first] += 1
            change[last] -= 1
        marked = bytearray(len(self.nodes))
        depth = 0
        for at in range(len(self.nodes)):
            depth += change[at]
            marked[at] = depth > 0
        return marked

    def edge(self, first: int, last: int) -> tuple[int, ...]:
        """Return the ids in positions ``first`` to ``last`` that no other one there depends on."""
        return tuple(self.nodes[i] for i in range(first, last + 1) if self.first_reader[i] > last)


def make_line(
    graph: Graph,
    stage_of: Sequence[int],
    depends: Sequence[int],
    costs: Mapping[int, int] | Sequence[int],
    *,
    recompute: frozenset[int] = frozenset(),
    whole: Iterable[Sequence[int]] = (),
    allowed: Iterable[int] | None = None,
) -> Line:
    """Return the line of a function's body.

    Args:
        stage_of: The stage that the spec's own cuts give each live computing node; -1 for others.
        depends: Marks what depends on a runtime input.
        costs: Cost of each node of the body.
        recompute: Ids whose values are computed again rather than sent.
        whole: Sets of ids that no cut may divide.
        allowed: Ids a cut may stand after; ``None`` for all.
    """
    body = [i for i, s in enumerate(stage_of) if s >= 0 and not graph.scopes[i]]
    nodes = sorted((i for i in body if depends[i]), key=lambda i: (stage_of[i], i))
    place = {id_: at for at, id_ in enumerate(nodes)}
    found = _reads(graph, stage_of)
    # What no input changes stands where it is first needed; its users have larger ids.
    floating: dict[int, int] = {}
    users: dict[int, list[int]] = {}
    for id_, refs in found.items():
        for ref in refs:
            users.setdefault(ref.node, []).append(id_)
    for id_ in reversed(body) if nodes else ():
        if not depends[id_]:
            needed = [place.get(u, floating.get(u, -1)) for u in users.get(id_, ())]
            # An output that no input changes is left to the last stage.
            floating[id_] = min((n for n in needed if n >= 0), default=len(nodes) - 1)
    spent = [costs[i] for i in nodes]
    for id_, at in floating.items():
        spent[at] += costs[id_]
    readers: dict[Ref, set[int]] = {}
    for id_, refs in found.items():
        at = place.get(id_, floating.get(id_, -1))
        if at >= 0:
            for ref in refs:
                readers.setdefault(ref, set()).add(at)
    values: list[LineValue] = []
    reads: list[set[int]] = [set() for _ in nodes]
    for ref, at_all in sorted(readers.items()):
        floats = ref.node in floating
        if not floats and ref.node not in place:
            continue
        order = tuple(sorted(at_all))
        at = floating[ref.node] if floats else place[ref.node]
        if not floats:
            for reader in order:
                reads[reader].add(at)
        type_ = graph.type_of(ref)
        sent = ref.node not in recompute
        size = type_.nbytes if isinstance(type_, TensorType) and sent else 0
        if order[-1] > at:
            values.append(
                LineValue(
                    at=at,
                    floating=floats,
                    readers=order,
                    nbytes=size or 0,
                    fits=not sent or isinstance(type_, TensorType),
                )
            )
    sets = (tuple(sorted({place[i] for i in ids if i in place})) for ids in whole)
    return Line(
        nodes=nodes,
        costs=spent,
        segments=[stage_of[i] for i in nodes],
        reads=[tuple(sorted(r)) for r in reads],
        values=values,
        whole=[s for s in sets if len(s) > 1],
        allowed=None if allowed is None else frozenset(place[i] for i in allowed if i in place),
    )


def _reads(graph: Graph, stage_of: Sequence[int]) -> dict[int, set[Ref]]:
    """Return what each live node of the body reads of others, with all that is inside it."""
    found: dict[int, set[Ref]] = {}
    for id_, stage in enumerate(stage_of):
        if stage < 0:
            continue
        owner = graph.owner(id_)
        mine = found.setdefault(owner, set())
        for operand in graph.operands[id_]:
            for leaf in graph.leaves(Ref(operand)):
                if graph.kinds[leaf.node] in COMPUTING and graph.owner(leaf.node) != owner:
                    mine.add(leaf)
    return found
