"""Measured times of groups of ops: what planning asks of a compiler, and what it gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from surgery.planning.model import BuildPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long each group of ops runs.

    Attributes:
        nanoseconds: Of each group, for one run with one thread; ``None`` where it can't be
            measured.
        measured, cached: How many distinct groups were measured, and known from before.
        conditions: What was measured: the processor, the target, TVM's version.
        reasons: Why a group has no time, by its index.
        notes: What else the user should know (a broken cache).
    """

    nanoseconds: tuple[int | None, ...]
    measured: int
    cached: int
    conditions: str
    reasons: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def unmeasured(groups: Sequence[tuple[int, ...]]) -> Timings:
    """Return times of which none is known, where measuring is more than is asked for."""
    return Timings(
        nanoseconds=(None,) * len(groups),
        measured=0,
        cached=0,
        conditions="nothing: estimates only",
    )


#: Times groups of ids of ``@main``, each a kernel of its own, as they would be built.
Timer = Callable[[Sequence[tuple[int, ...]], BuildPlan], Timings]
