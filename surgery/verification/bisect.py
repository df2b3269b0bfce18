"""Finds the first value at which two models differ: a search over values read in few builds.

After delta debugging's idea (Zeller, *Yesterday, my program worked*, 1999) with the dataflow as
the order: a value that agrees clears all it depends on. Each round reads several values that are
spread over what is undecided, so the rounds are logarithmic in the ops. What clearing assumed is
checked in the end: the operands of the op that is found are read themselves. A value that agrees
although one before it differs has cleared nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from surgery.engines.base import Array
from surgery.graph import Graph, Ref, TensorType, ancestors, descendants, mark_ancestors
from surgery.verification.comparison import OutputComparison, compare_arrays, tolerances
from surgery.verification.matching import COMPUTED, Matching, Pair

#: Values that one round reads, spread over what is undecided.
FAN = 16
#: So many undecided values are read all at once.
LAST = 32

#: Gives both values of pairs: reads them in one build (or more, where memory is short) a side.
Read = Callable[[Sequence[Pair]], Iterable[tuple[Pair, Array, Array]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How the two values of a pair compare.

    Attributes:
        comparison: The numbers; ``a`` is what is expected.
    """

    pair: Pair
    comparison: OutputComparison

    @property
    def differs(self) -> bool:
        return not self.comparison.passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a search found.

    Attributes:
        first: The first value that differs while all that it reads agrees; ``None``: none does.
        reads: The tensors that it reads, as far as they are computed and matched.
        through: Ops without a counterpart between those and ``first``: it may be one of them.
        measured: Every value that was compared, in the order the second model computes them.
        outputs: The results of the second model, as far as they are matched.
        rounds: How often values were asked for.
        retracted: Values that agree although one before them differs: errors that cancel out.
    """

    first: Measured | None
    reads: tuple[Measured, ...]
    through: tuple[int, ...]
    measured: tuple[Measured, ...]
    outputs: tuple[Measured, ...]
    rounds: int
    retracted: tuple[Measured, ...] = ()


def search(
    graph: Graph,
    matching: Matching,
    read: Read,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    memory: int | None = None,
    complete: bool = False,
) -> Search:
    """Find the first value that differs.

    Args:
        graph: The second model's ``@main``.
        matching: Which of its values are which of the first model.
        read: Reads pairs; called once a round.
        rtol, atol: Tolerances (:func:`compare_values`).
        memory: Bytes that the values of a round may take on one side.
        complete: Compare every value before saying that none differs.
    """
    return _Search(graph, matching, read, rtol, atol, memory, complete).run()


def compare_values(
    name: str,
    actual: Array,
    expected: Array,
    rtol: float | None = None,
    atol: float | None = None,
) -> OutputComparison:
    """Compare two values of an intermediate.

    Unlike an output's, an intermediate's tolerance grows with its scale: ``atol`` plus ``rtol``
    times its root mean square. Rounding of a sum is as large as its terms, also where they cancel.
    Of two types of floats the coarser says how close they can be.
    """
    if not ("float" in str(actual.dtype) and "float" in str(expected.dtype)):
        return compare_arrays(name, actual, expected, rtol, atol)
    used = [tolerances(str(x.dtype), rtol, atol) for x in (actual, expected)]
    relative, absolute = max(u[0] for u in used), max(u[1] for u in used)
    if actual.dtype != expected.dtype:
        wide = np.float64 if "float64" in (actual.dtype, expected.dtype) else np.float32
        actual, expected = actual.astype(wide), expected.astype(wide)
    absolute += relative * _scale(expected)
    return compare_arrays(name, actual, expected, relative, absolute)


def _scale(array: Array) -> float:
    values = np.asarray(array, dtype=np.float64).reshape(-1)
    values = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0


@dataclass(slots=True, eq=False)
class _Search:
    graph: Graph
    matching: Matching
    read: Read
    rtol: float | None
    atol: float | None
    memory: int | None
    complete: bool
    results: dict[Ref, Measured] = field(default_factory=dict)
    rounds: int = 0
    unreliable: set[Ref] = field(default_factory=set)
    by_ref: dict[Ref, Pair] = field(default_factory=dict)

    def run(self) -> Search:
        self.by_ref = {p.b: p for p in self.matching.pairs}
        outputs = [self.by_ref[r] for r in dict.fromkeys(self.graph.outputs) if r in self.by_ref]
        rest = [p for p in self.matching.pairs if p not in outputs]
        self._measure([*outputs, *self._spread(rest)])
        while True:
            target = self._first()
            if target is None:
                untried = [p for p in rest if p.b not in self.results]
                if self.complete and untried:
                    self._measure(untried)
                    continue
                return self._found(None, (), (), outputs)
            undecided = self._undecided(target)
            if len(undecided) > LAST:
                self._measure(self._spread(undecided))
                continue
            if undecided:
                self._measure(self._with_operands(undecided, target))
                continue
            operands, through = self._frontier(target.pair.b.node)
            untried = [p for p in operands if p.b not in self.results]
            if untried:
                self._measure(untried)
                continue
            reads = tuple(self.results[p.b] for p in operands)
            return self._found(target, reads, through, outputs)

    def _found(
        self,
        first: Measured | None,
        reads: tuple[Measured, ...],
        through: tuple[int, ...],
        outputs: Sequence[Pair],
    ) -> Search:
        return Search(
            first=first,
            reads=reads,
            through=through,
            measured=tuple(self.results[r] for r in sorted(self.results)),
            outputs=tuple(self.results[p.b] for p in outputs),
            rounds=self.rounds,
            retracted=tuple(self.results[r] for r in sorted(self.unreliable)),
        )

    def _first(self) -> Measured | None:
        return min(
            (m for m in self.results.values() if m.differs), key=lambda m: m.pair.b, default=None
        )

    def _measure(self, pairs: Sequence[Pair]) -> None:
        if not pairs:
            return
        self.rounds += 1
        for pair, expected, actual in self.read(pairs):
            name = self.graph.label(pair.b)
            comparison = compare_values(name, actual, expected, self.rtol, self.atol)
            self.results[pair.b] = Measured(pair=pair, comparison=comparison)
        # A value that agrees although one before it differs clears nothing.
        bad = descendants(self.graph, {r.node for r, m in self.results.items() if m.differs})
        self.unreliable |= {r for r, m in self.results.items() if not m.differs and bad[r.node]}

    def _with_operands(self, undecided: Sequence[Pair], target: Measured) -> list[Pair]:
        """Return what is left to read, and what the ops of it read: it is checked in the end."""
        picked = dict.fromkeys(p.b for p in self._spread(undecided))
        if len(picked) == len(undecided):
            for node in {target.pair.b.node, *(r.node for r in picked)}:
                picked |= dict.fromkeys(p.b for p in self._frontier(node)[0])
        return [self.by_ref[r] for r in sorted(picked) if r not in self.results]

    def _undecided(self, target: Measured) -> list[Pair]:
        """Return what a value depends on that was neither read nor cleared."""
        node = target.pair.b.node
        before = ancestors(self.graph, [node])
        cleared = bytearray(len(self.graph))
        good = {
            m.pair.b.node
            for ref, m in self.results.items()
            if not m.differs and ref not in self.unreliable
        }
        bad = {m.pair.b.node for m in self.results.values() if m.differs}
        # An op with a result that differs is not cleared by another result that agrees.
        mark_ancestors(self.graph, good - bad, cleared)
        return [
            p for p in self.matching.pairs
            if p.b not in self.results and before[p.b.node] and not cleared[p.b.node]
            and p.b.node != node
        ]  # fmt: skip

    def _frontier(self, node: int) -> tuple[list[Pair], tuple[int, ...]]:
        """Return the matched tensors a value is made of, and the unmatched ops in between."""
        graph = self.graph
        found: dict[Ref, Pair] = {}
        through: set[int] = set()
        stack = [r for o in graph.operands[node] for r in graph.leaves(graph.resolve(o))]
        seen: set[Ref] = set()
        while stack:
            ref = stack.pop()
            if ref in seen:
                continue
            seen.add(ref)
            if ref in self.by_ref:
                found[ref] = self.by_ref[ref]
            elif graph.kinds[ref.node] in COMPUTED:
                through.add(ref.node)
                stack += [
                    r for o in graph.operands[ref.node] for r in graph.leaves(graph.resolve(o))
                ]  # fmt: skip
        return [found[r] for r in sorted(found)], tuple(sorted(through))

    def _spread(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pick pairs evenly over the order, or all that are left; no more than memory allows."""
        most = LAST if len(pairs) <= LAST else FAN
        if self.memory is not None and pairs:
            mean = sum(_bytes(self.graph, p.b) for p in pairs) / len(pairs)
            most = max(1, min(most, int(self.memory / mean))) if mean else most
        if len(pairs) <= most:
            return list(pairs)
        step = len(pairs) / (most + 1)
        return [pairs[int(step * (i + 1))] for i in range(most)]


def _bytes(graph: Graph, ref: Ref) -> int:
    type_ = graph.type_of(ref)
    return (type_.nbytes or 0) if isinstance(type_, TensorType) else 0
