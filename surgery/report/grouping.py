"""Which ops share a box when a graph is too big to draw op by op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surgery.graph import Graph

#: About how many boxes a collapsed picture has, besides those of regions.
COLLAPSED_LIMIT = 70
#: The most regions that keep a box of their own in a collapsed picture.
REGION_LIMIT = 60
#: Fewer boxes than this tell too little: then neighbours of the next level share boxes.
FEW = 12
_SEPARATORS = "/", "."

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """What a grouping may not mix.

    Attributes:
        graph: The function.
        ops: The ids to group, ascending.
        stage_of: Stage by id; -1 outside of all.
        region_of: Region by id; -1 on the host.
        backends: Backend of each region by index.
    """

    graph: Graph
    ops: Sequence[int]
    stage_of: Sequence[int]
    region_of: Sequence[int]
    backends: dict[int, str]

    def by_name(self) -> list[list[int]] | None:
        """Group by the longest prefix of source names that keeps the picture small.

        Returns:
            The groups by their first op; ``None`` when names have no structure to group by.
        """
        graph = self.graph
        places: dict[int, tuple[str, ...]] = {}
        named = 0
        for id_ in self.ops:
            if name := graph.names[id_]:
                named += 1
                places[id_] = name_parts(name)
            else:
                # What an importer added on the way belongs with what it was made from.
                inherited = (places[o] for o in graph.operands[id_] if o in places)
                places[id_] = next(inherited, ())
        if named * 2 < len(self.ops):
            return None
        limit = COLLAPSED_LIMIT + min(len(self.backends), REGION_LIMIT)
        best: list[Key] | None = None
        for depth in range(1, max(map(len, places.values())) + 1):
            keys = [self._key(id_, places[id_][:depth]) for id_ in self.ops]
            count = len(set(keys))
            if count > limit:
                if best is None or len(set(best)) < FEW:
                    best = self._bundle(keys, -(-count // limit))
                break
            best = keys
        # One box for everything tells nothing.
        if best is None or len(set(best)) < 3:
            return None
        return self._collect(best)

    def by_run(self) -> list[list[int]]:
        """Group by runs of ops in dependency order; a region is never divided."""
        length = -(-len(self.ops) // COLLAPSED_LIMIT)
        run_of_region: dict[int, int] = {}
        keys = []
        for place, id_ in enumerate(self.ops):
            run = place // length
            region = self.region_of[id_]
            if region >= 0:
                run = run_of_region.setdefault(region, run)
            keys.append(self._key(id_, run))
        return self._collect(keys)

    def _bundle(self, keys: Sequence[Key], size: int) -> list[Key]:
        """Put each ``size`` neighbouring groups together: layers 0 to 2, layers 3 to 5."""
        counts: dict[Key, int] = {}
        bundles: dict[Key, Key] = {}
        for key in keys:
            if key not in bundles:
                same = key[:2]  # the stage, and the host or the region or its backend
                place = counts[same] = counts.get(same, -1) + 1
                bundles[key] = (*same, place // size)
        return [bundles[key] for key in keys]

    def _key(self, id_: int, place: object) -> Key:
        region, stage = self.region_of[id_], self.stage_of[id_]
        if region < 0:
            return stage, "", place
        if len(self.backends) <= REGION_LIMIT:
            return stage, region
        return stage, self.backends[region], place

    def _collect(self, keys: Sequence[Key]) -> list[list[int]]:
        groups: dict[Key, list[int]] = {}
        for id_, key in zip(self.ops, keys, strict=True):
            groups.setdefault(key, []).append(id_)
        return list(groups.values())


def name_parts(name: str | None) -> tuple[str, ...]:
    """Return the components of a source name: by ``/``, or by ``.`` where it has none."""
    separator = next((s for s in _SEPARATORS if s in (name or "")), "/")
    return tuple(part for part in (name or "").split(separator) if part)


def shared_parts(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the components that all names begin with."""
    if not names:
        return ()
    low, high = min(names), max(names)
    for at, (a, b) in enumerate(zip(low, high, strict=False)):
        if a != b:
            return low[:at]
    return min(low, high, key=len)
