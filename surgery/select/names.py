"""Source names of a graph's ops, indexed by component for one query after another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Final
from weakref import WeakKeyDictionary

from surgery.diagnostics import nearest
from surgery.graph import Graph

#: What carries the name of a source op. Variables have names of their own.
NAMED_KINDS: Final = frozenset({"call", "if", "tuple", "field"})

_SUFFIX = re.compile(r":\d+$")


def base_name(name: str) -> str:
    """Return a name without the ``:0`` that frameworks append for an op's output."""
    return _SUFFIX.sub("", name)


def components(text: str, like: str) -> list[str]:
    """Split a name or a run the way ``like`` is split: by ``/``, or by ``.`` where it has none."""
    return text.strip("/").split("/") if "/" in like else text.strip(".").split(".")


def holds_run(name: str, run: str) -> bool:
    """Return whether a source name holds a run of whole components."""
    wanted = components(run, name)
    for candidate in {name, base_name(name)}:
        parts = components(candidate, name)
        for start in range(len(parts) - len(wanted) + 1):
            if parts[start : start + len(wanted)] == wanted:
                return True
    return False


class NameIndex:
    """The named ops of one graph.

    Attributes:
        named: ``(id, name)`` of every op that has a source name, in id order.
    """

    def __init__(self, graph: Graph) -> None:
        kinds = graph.kinds
        self.named: list[tuple[int, str]] = [
            (id_, name)
            for id_, name in enumerate(graph.names)
            if name and kinds[id_] in NAMED_KINDS
        ]
        # Names split by `/` and names split by `.` answer to different readings of a run.
        self._slashed: dict[str, list[int]] = {}
        self._dotted: dict[str, list[int]] = {}
        for place, (_, name) in enumerate(self.named):
            table = self._slashed if "/" in name else self._dotted
            parts = components(name, name)
            bare = base_name(parts[-1])
            if bare != parts[-1]:
                parts.append(bare)
            for part in dict.fromkeys(parts):
                table.setdefault(part, []).append(place)

    def run(self, text: str) -> list[int]:
        """Return the ids of the ops whose name holds a run of components, ascending."""
        places: set[int] = set()
        for table, like in ((self._slashed, "/"), (self._dotted, "")):
            lists = [table.get(part, []) for part in components(text, like)]
            # Only the names that hold the rarest component need a look.
            places.update(p for p in min(lists, key=len) if holds_run(self.named[p][1], text))
        return [self.named[p][0] for p in sorted(places)]

    def where(self, fits: Callable[[str], object]) -> list[int]:
        """Return the ids of the ops whose whole name fits, ascending."""
        verdicts: dict[str, bool] = {}
        found: list[int] = []
        for id_, name in self.named:
            verdict = verdicts.get(name)
            if verdict is None:
                verdict = verdicts[name] = bool(fits(name))
            if verdict:
                found.append(id_)
        return found

    def nearest_runs(self, text: str) -> list[str]:
        """Return runs that exist and are close to one that doesn't, best first."""
        like = "/" if "/" in text or self._slashed else ""
        table = self._slashed if like else self._dotted
        parts = components(text, like)
        missing = [i for i, part in enumerate(parts) if part not in table]
        if not missing:
            holders = [self.named[p][1] for p in table[parts[-1]]]
            return list(dict.fromkeys(holders))[:3]
        pool = list(table)[:5000]
        at = missing[0]
        guesses = [[*parts[:at], guess, *parts[at + 1 :]] for guess in nearest(parts[at], pool)]
        made = [(like or ".").join(guess) for guess in guesses]
        return [m for m in made if self.run(m)] or made

    def nearest_globs(self, text: str) -> list[str]:
        """Return globs that find something and differ from one that doesn't in a component."""
        like = "/" if "/" in text or self._slashed else ""
        table = self._slashed if like else self._dotted
        parts = text.split(like or ".")
        made: list[str] = []
        for at, part in enumerate(parts):
            if not part or part in table or any(c in part for c in "*?["):
                continue
            for guess in nearest(part, list(table)[:5000]):
                glob = (like or ".").join([*parts[:at], guess, *parts[at + 1 :]])
                if any(fnmatchcase(name, glob) for _, name in self.named):
                    made.append(glob)
        return made[:3]


_known: WeakKeyDictionary[Graph, NameIndex] = WeakKeyDictionary()


def index_of(graph: Graph) -> NameIndex:
    """Return the index of a graph's names, made once a graph."""
    found = _known.get(graph)
    if found is None:
        found = _known[graph] = NameIndex(graph)
    return found


def without_echoes(graph: Graph, ids: Iterable[int]) -> list[int]:
    """Drop tuples and fields that only repeat the source name of an op that is there as well.

    One op of a framework often becomes a call and the tuple it takes, or the field taken from it,
    all under one name. Two fields that are one value count once.
    """
    chosen = list(ids)
    ops = {
        base_name(graph.names[i] or "") for i in chosen if graph.kinds[i] not in ("tuple", "field")
    }
    kept: list[int] = []
    fields: set[object] = set()
    for id_ in chosen:
        if graph.kinds[id_] in ("tuple", "field"):
            value = graph.resolve(id_)
            if base_name(graph.names[id_] or "") in ops or value in fields:
                continue
            fields.add(value)
        kept.append(id_)
    return kept
