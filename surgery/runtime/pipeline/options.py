"""How the stages of a recipe are driven as a pipeline."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import get_args

from surgery.diagnostics import SurgeryError, error
from surgery.recipe import PipelineOn

#: What ``pipeline on ...`` may name.
BACKENDS: tuple[PipelineOn, ...] = get_args(PipelineOn)
#: Items that may be in or before a stage at once, where nobody says.
DEFAULT_DEPTH = 2
MOST_DEPTH = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineOptions:
    """How the stages of a recipe are driven.

    Attributes:
        on: ``threads`` of this process, ``processes`` of this machine, or ``ray`` actors.
        depth: Items in flight for each stage: ``depth`` times the number of stages are in the
            pipeline at once, and no more memory than they need.
        retries: How often an item is tried again by a stage that failed on it, or whose worker was
            lost meanwhile (and is then started anew).
        threads: Threads of the compiler for each stage; one number for all, or one a stage. None:
            what the recipe says of the stage, else the CPUs shared out evenly.
        affinity: CPUs each stage may use, one tuple a stage. None: all.
        timeout: Seconds that a stage may take for an item before it counts as failed; None: any.
        address: ``HOST:PORT`` of a Ray cluster, or ``auto``. None: the one that the program is
            connected to or ``RAY_ADDRESS`` names, else one started for the run on this machine.
    """

    on: PipelineOn = "threads"
    depth: int = DEFAULT_DEPTH
    retries: int = 0
    threads: tuple[int, ...] | None = None
    affinity: tuple[tuple[int, ...], ...] | None = None
    timeout: float | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.on not in BACKENDS:
            raise _cannot(f"on {self.on!r}", f"a pipeline runs on {', '.join(BACKENDS)}")
        if not 1 <= self.depth <= MOST_DEPTH:
            raise _cannot(f"depth {self.depth}", f"it is a number from 1 to {MOST_DEPTH}")
        if self.retries < 0:
            raise _cannot(f"retries {self.retries}", "it counts from 0 up")
        if self.threads is not None and not (self.threads and min(self.threads) >= 1):
            raise _cannot("threads", "a stage needs at least one thread")
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise _cannot(f"timeout {self.timeout}", "it is a finite number of seconds above 0")
        if self.address is not None and self.on != "ray":
            raise _cannot(f"the address {self.address}", f"it runs on {self.on}, not on ray")
        if self.affinity is not None and self.on == "ray":
            raise _cannot("affinity on ray", "Ray chooses machines; `threads` says how many CPUs")
        for cpus in self.affinity or ():
            missing = sorted(set(cpus) - available_cpus())
            if missing or not cpus:
                have = ", ".join(map(str, sorted(available_cpus())))
                raise _cannot(
                    f"affinity to CPU {missing[0]}" if missing else "affinity to no CPU",
                    f"this process may use {have}",
                )

    def stage_threads(self, stage: int, stages: int, asked: int | None = None) -> int:
        """Return how many threads the compiler gets for a stage.

        Args:
            stage: Its number, of ``stages``.
            asked: What the recipe says of the stage, if anything.
        """
        if self.threads is not None:
            return self.threads[stage if len(self.threads) > 1 else 0]
        if asked is not None:
            return asked
        cpus = self.affinity[stage] if self.affinity is not None else ()
        return len(cpus) or max(1, len(available_cpus()) // stages)

    def check_stages(self, stages: int) -> None:
        """Check that what is given for each stage is given for each.

        Raises:
            SurgeryError: S578.
        """
        for what, given in (("threads", self.threads), ("affinity", self.affinity)):
            if given is None or len(given) == stages or (what == "threads" and len(given) == 1):
                continue
            raise _cannot(f"{what} of {len(given)} stages", f"the recipe has {stages} stage(s)")


def available_cpus() -> set[int]:
    """Return the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _cannot(what: str, reason: str) -> SurgeryError:
    return error("S578", f"no pipeline can be made with {what}", reason=reason)
