"""``cut into N stages by ...``: which places make the slowest stage cheapest.

Two families of places are weighed. *Prefixes*: after any op of the topological order, all that
comes up to it. *Single ops*: what `cut after v` takes, v and all it depends on, one inside the next
(only up to :data:`SINGLE_OPS` ops, as that takes quadratic space). In each the cheapest slowest
stage is exact: a search over the bound with a greedy filling for prefixes, dynamic programming for
single ops. Of all cuts whose slowest stage is at most :data:`SLACK` dearer, dynamic programming
finds the one that sends the fewest bytes.

Where every place is free, the slowest stage costs at most the mean and the dearest op together:
stages filled up to multiples of the mean overshoot by one op at most. No cut into as many stages
costs less than either alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from surgery.planning.line import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

#: How much dearer the slowest stage may get for fewer bytes that cross.
SLACK = 0.02
#: Bounds on the slowest stage, relative to the best: up to SLACK for the choice, the rest to show.
_BOUNDS = (1.0, 1.005, 1.01, 1 + SLACK, 1.1, 1.25)
#: From how many ops on single ops are not weighed.
SINGLE_OPS = 2048

Family = Literal["prefix", "single"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A way to cut that was weighed.

    Attributes:
        family: ``prefix`` or ``single``.
        places: Positions of the line after which it cuts, ascending; the spec's own cuts included.
        costs: What each stage costs.
        nbytes: Bytes that are live at each cut.
    """

    family: Family
    places: tuple[int, ...]
    costs: tuple[int, ...]
    nbytes: tuple[int, ...]

    @property
    def slowest(self) -> int:
        return max(self.costs)

    @property
    def crossing(self) -> int:
        return sum(self.nbytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The way taken, and the others, best first."""

    taken: Weighed
    others: tuple[Weighed, ...]


def capacity(line: Line) -> int:
    """Return the most stages that a line can be cut into, each of which costs anything."""
    return _Prefixes(line).capacity if line.nodes else 1


def choose(line: Line, stages: int) -> Choice:
    """Return the best way to cut a line into exactly ``stages`` stages.

    Raises:
        ValueError: ``stages`` is more than :func:`capacity`, or less than the line's segments.
    """
    prefixes = _Prefixes(line)
    if not len(prefixes.anchors) <= stages <= prefixes.capacity:
        raise ValueError(stages)
    families: list[_Prefixes | _Singles] = [prefixes]
    if len(line.nodes) <= SINGLE_OPS:
        families.append(_Singles(line))
    floors = [family.floor(stages) for family in families]
    best = min(f for f in floors if f is not None)
    found: dict[tuple[Family, tuple[int, ...]], Weighed] = {}
    for bound in _BOUNDS:
        limit = int(best * bound)
        for family, floor in zip(families, floors, strict=True):
            if floor is not None and floor <= limit:
                way = family.fewest_bytes(stages, limit)
                if way is not None:
                    found.setdefault((way.family, way.places), way)
    for family, floor in zip(families, floors, strict=True):
        if floor is not None and floor > best:
            way = family.fewest_bytes(stages, floor)
            if way is not None:
                found.setdefault((way.family, way.places), way)
    ranked = sorted(found.values(), key=lambda w: (w.slowest, w.crossing))
    limit = int(best * (1 + SLACK))
    taken = min(
        (w for w in ranked if w.slowest <= limit),
        key=lambda w: (w.crossing, w.slowest, w.family != "single", w.places),
    )
    others: dict[tuple[int, int], Weighed] = {}
    for way in ranked:
        # Dearer is only worth showing where it sends less, or is the best of its family.
        least = way.slowest == floors[way.family == "single" and len(floors) > 1]
        if way.slowest <= limit or way.crossing < taken.crossing or least:
            others.setdefault((way.slowest, way.crossing), way)
    others.pop((taken.slowest, taken.crossing), None)
    return Choice(taken=taken, others=tuple(others.values()))


class _Prefixes:
    """Cuts after an op of the line: everything up to it, and everything behind."""

    def __init__(self, line: Line) -> None:
        forced = line.forced()
        closed, allowed = line.closed(), line.allowed
        fixed = set(forced)
        live = line.live_bytes()
        total, spent = 0, []
        for cost in line.costs:
            total += cost
            spent.append(total)
        size = len(line.nodes)
        #: Positions a stage may end at; -1 is the start, the last one the end.
        self.at = [-1] + [
            i
            for i in range(size - 1)
            if i in fixed or (not closed[i] and (allowed is None or i in allowed))
        ]
        self.at.append(size - 1)
        self.spent = [0] + [spent[i] for i in self.at[1:]]
        self.live = [0] + [live[i] for i in self.at[1:-1]] + [0]
        #: Indices of ``at`` that every way goes through, but for the start.
        self.anchors = [i for i, at in enumerate(self.at) if at in fixed] + [len(self.at) - 1]

    @property
    def capacity(self) -> int:
        count, first = 0, 0
        for last in self.anchors:
            inner = set(self.spent[first + 1 : last]) - {self.spent[first], self.spent[last]}
            count += len(inner) + 1
            first = last
        return count

    def floor(self, stages: int) -> int:
        """Return the least that the slowest of so many stages can cost."""
        low = -(-self.spent[-1] // stages)
        high = self.spent[-1]
        while low < high:
            middle = (low + high) // 2
            if self._fits(stages, middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _fits(self, stages: int, limit: int) -> bool:
        """Return whether stages of at most ``limit`` suffice: each is filled as far as it goes."""
        spent, at = self.spent, 0
        for last in self.anchors:
            while spent[last] - spent[at] > limit:
                reach = bisect_right(spent, spent[at] + limit, at, last) - 1
                if spent[reach] <= spent[at]:
                    return False
                at, stages = reach, stages - 1
                if stages <= 0:
                    return False
            at, stages = last, stages - 1
            if stages < 0:
                return False
        return True

    def fewest_bytes(self, stages: int, limit: int) -> Weighed | None:
        """Return the way with the fewest live bytes of those whose stages cost at most ``limit``.

        Dynamic programming over (stages so far, last place); the best predecessor within the bound
        is the front of a queue whose values rise.
        """
        spent, live = self.spent, self.live
        size = len(self.at)
        far = 1 << 62
        before = [0] + [far] * (size - 1)
        came: list[list[int]] = []
        for _ in range(stages):
            sums, back = [far] * size, [-1] * size
            first = 0
            for last in self.anchors:
                queue: deque[int] = deque()
                fresh = first  # the next place that may become a predecessor
                for here in range(first + 1, last + 1):
                    while fresh < here and spent[fresh] < spent[here]:
                        while queue and before[queue[-1]] >= before[fresh]:
                            queue.pop()
                        queue.append(fresh)
                        fresh += 1
                    while queue and spent[here] - spent[queue[0]] > limit:
                        queue.popleft()
                    best = queue[0] if queue else -1
                    if here == last and spent[first] == spent[last]:
                        best = first  # the spec's own cuts may hold a stage that costs nothing
                    if best >= 0 and before[best] < far:
                        sums[here], back[here] = before[best] + live[here], best
                first = last
            came.append(back)
            before = sums
        if before[-1] >= far:
            return None
        indices = [size - 1]
        for back in reversed(came):
            indices.append(back[indices[-1]])
        indices.reverse()
        return Weighed(
            family="prefix",
            places=tuple(self.at[i] for i in indices[1:-1]),
            costs=tuple(spent[b] - spent[a] for a, b in pairwise(indices)),
            nbytes=tuple(live[i] for i in indices[1:-1]),
        )


class _Singles:
    """Cuts after one op: it and all it depends on, each inside the next."""

    def __init__(self, line: Line) -> None:
        import numpy as np

        size = len(line.nodes)
        inside = np.zeros((size, size), dtype=bool)
        forced = line.forced()
        start = 0
        starts: list[int] = []
        for at, sources in enumerate(line.reads):
            if at and line.segments[at] != line.segments[at - 1]:
                start = at
            starts.append(start)
            row = inside[at]
            row[:start] = True
            for source in sources:
                row |= inside[source]
            row[at] = True
        costs = np.array(line.costs, dtype=np.int64)
        spent = np.array([int(costs[row].sum()) for row in inside], dtype=np.int64)
        live = np.zeros(size, dtype=np.int64)
        divided = np.zeros(size, dtype=bool)
        for value in line.values:
            readers = inside[:, list(value.readers)]
            held = readers.any(axis=1) if value.floating else inside[:, value.at]
            crosses = held & ~readers.all(axis=1)
            live += crosses * value.nbytes
            if not value.fits:
                divided |= crosses
        for whole in line.whole:
            part = inside[:, list(whole)]
            divided |= part.any(axis=1) & ~part.all(axis=1)
        total = int(costs.sum())
        ends = set(forced)
        #: Places: the position of each, -1 the start, the last the end of the line.
        self.at = [-1]
        self.spent = [0]
        self.live = [0]
        self.before = [np.zeros(0, dtype=np.int64)]  # places that may come right before each
        place = np.full(size, -1, dtype=np.int64)  # of each position, if it is one
        prefix = line.live_bytes()
        paid = anchor = 0
        for at in range(size):
            paid += line.costs[at]
            first = starts[at]
            cut = not divided[at] and (line.allowed is None or at in line.allowed)
            if cut and at not in ends and spent[at] < total:
                place[at] = len(self.at)
                mine = place[first:at][inside[at, first:at]]
                self._add(at, int(spent[at]), int(live[at]), anchor, mine[mine >= 0])
            if at in ends or at == size - 1:
                # All of the segment, whatever its last op depends on.
                mine = place[first : at + 1]
                sent = 0 if at == size - 1 else prefix[at]
                self._add(at, paid, sent, anchor, mine[mine >= 0], end=True)
                anchor = len(self.at) - 1

    def _add(
        self, at: int, spent: int, live: int, anchor: int, before: Ids, end: bool = False
    ) -> None:
        import numpy as np

        cheaper = before[np.array(self.spent, dtype=np.int64)[before] < spent]
        first = [anchor] if end or self.spent[anchor] < spent else []
        self.before.append(np.concatenate([np.array(first, dtype=np.int64), cheaper]))
        self.at.append(at)
        self.spent.append(spent)
        self.live.append(live)

    def floor(self, stages: int) -> int | None:
        """Return the least that the slowest of so many stages can cost; ``None``: no such cut."""
        import numpy as np

        spent = np.array(self.spent, dtype=np.int64)
        far = np.iinfo(np.int64).max
        slowest = np.full(len(spent), far)
        slowest[0] = 0
        for _ in range(stages):
            after = np.full(len(spent), far)
            for here, before in enumerate(self.before):
                if len(before):
                    after[here] = np.maximum(slowest[before], spent[here] - spent[before]).min()
            slowest = after
        return None if slowest[-1] == far else int(slowest[-1])

    def fewest_bytes(self, stages: int, limit: int) -> Weighed | None:
        """Return the way with the fewest live bytes whose stages cost at most ``limit``."""
        import numpy as np

        spent = np.array(self.spent, dtype=np.int64)
        far = 1 << 62
        sums = np.full(len(spent), far)
        sums[0] = 0
        befores = [b[spent[i] - spent[b] <= limit] for i, b in enumerate(self.before)]
        came: list[list[int]] = []
        for _ in range(stages):
            after, back = np.full(len(spent), far), [-1] * len(spent)
            for here, before in enumerate(befores):
                if len(before):
                    best = int(before[np.argmin(sums[before])])
                    if sums[best] < far:
                        after[here], back[here] = sums[best] + self.live[here], best
            came.append(back)
            sums = after
        if sums[-1] >= far:
            return None
        indices = [len(spent) - 1]
        for back in reversed(came):
            indices.append(back[indices[-1]])
        indices.reverse()
        return Weighed(
            family="single",
            places=tuple(self.at[i] for i in indices[1:-1]),
            costs=tuple(self.spent[b] - self.spent[a] for a, b in pairwise(indices)),
            nbytes=tuple(self.live[i] for i in indices[1:-1]),
        )


def stage_edges(line: Line, way: Weighed) -> list[tuple[int, ...]]:
    """Return for each cut of a way the ids to cut after."""
    edges: list[tuple[int, ...]] = []
    fixed = set(line.forced())
    first = 0
    for place in way.places:
        if way.family == "single" and place not in fixed:
            edges.append((line.nodes[place],))
        else:
            edges.append(line.edge(first, place))
            first = place + 1
    return edges
