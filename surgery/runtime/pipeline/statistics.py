"""What a pipeline took: items, throughput, latencies, and how busy each stage was."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

#: Two durations in one bin of a histogram differ by no more than this factor.
_STEP = 1.01
#: The shortest duration told from none, seconds.
_SHORTEST = 1e-7
_LOG_STEP = math.log(_STEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Durations in seconds; percentiles are right to 1 %. All 0 when there are none."""

    mean: float
    p50: float
    p90: float
    p99: float
    max: float

    def as_json(self) -> dict[str, float]:
        return {
            "mean": self.mean, "p50": self.p50, "p90": self.p90, "p99": self.p99, "max": self.max
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStatistics:
    """One stage's part.

    Attributes:
        items: Runs that ended well.
        busy: Seconds it ran.
        utilisation: ``busy`` as a part of the time in which anything was under way.
        times: Of one run.
        restarts: How often its worker was started again.
    """

    name: str
    items: int
    busy: float
    utilisation: float
    times: Times
    restarts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineStatistics:
    """What a pipeline did since it was opened.

    Attributes:
        items: Items that came out.
        seconds: Time in which anything was under way.
        throughput: Items a second of that time.
        latency: From when an item's inputs were in the pipeline until its outputs were out.
    """

    items: int
    seconds: float
    throughput: float
    latency: Times
    stages: tuple[StageStatistics, ...]

    def as_json(self) -> dict[str, object]:
        """Return it as JSON-ready data; times in seconds."""
        return {
            "items": self.items,
            "seconds": self.seconds,
            "throughput": self.throughput,
            "latency": self.latency.as_json(),
            "stages": [
                {
                    "name": s.name, "items": s.items, "busy": s.busy,
                    "utilisation": s.utilisation, "times": s.times.as_json(),
                    "restarts": s.restarts,
                }
                for s in self.stages
            ],
        }  # fmt: skip


class Histogram:
    """Durations counted in bins of equal ratio: percentiles of any number in the same memory."""

    def __init__(self) -> None:
        self._bins: dict[int, int] = {}
        self.count = 0
        self.total = 0.0
        self.max = 0.0

    def add(self, seconds: float) -> None:
        place = round(math.log(max(seconds, _SHORTEST)) / _LOG_STEP)
        self._bins[place] = self._bins.get(place, 0) + 1
        self.count += 1
        self.total += seconds
        self.max = max(self.max, seconds)

    def times(self) -> Times:
        bins = sorted(self._bins.copy().items())
        return Times(
            mean=self.total / self.count if self.count else 0.0,
            p50=self._percentile(bins, 0.5),
            p90=self._percentile(bins, 0.9),
            p99=self._percentile(bins, 0.99),
            max=self.max,
        )

    def _percentile(self, bins: Sequence[tuple[int, int]], part: float) -> float:
        """Return the duration that ``part`` of all do not exceed (nearest rank)."""
        wanted = part * sum(count for _, count in bins)
        seen = 0
        for place, count in bins:
            seen += count
            if seen >= wanted:
                return min(math.exp(place * _LOG_STEP), self.max)
        return 0.0


class StageRecord:
    """Counts one stage's runs; written by the one thread that drives it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.restarts = 0
        self.times = Histogram()

    def statistics(self, seconds: float) -> StageStatistics:
        return StageStatistics(
            name=self.name,
            items=self.times.count,
            busy=self.times.total,
            utilisation=min(1.0, self.times.total / seconds) if seconds else 0.0,
            times=self.times.times(),
            restarts=self.restarts,
        )


class Record:
    """Counts items as they come in and go out."""

    def __init__(self, stages: Sequence[str]) -> None:
        self.stages = tuple(StageRecord(name) for name in stages)
        self._lock = threading.Lock()
        self._latency = Histogram()
        self._inside = 0
        self._since = 0.0
        self._active = 0.0

    def entered(self) -> float:
        """Count an item in; return the time, for :meth:`left`."""
        now = time.perf_counter()
        with self._lock:
            if not self._inside:
                self._since = now
            self._inside += 1
        return now

    def left(self, entered: float, well: bool) -> None:
        """Count an item out; its latency counts when all went well."""
        now = time.perf_counter()
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._active += now - self._since
            if well:
                self._latency.add(now - entered)

    def stop(self) -> None:
        """Count what is still inside out."""
        with self._lock:
            if self._inside:
                self._inside = 0
                self._active += time.perf_counter() - self._since

    def statistics(self) -> PipelineStatistics:
        with self._lock:
            seconds = self._active
            if self._inside:
                seconds += time.perf_counter() - self._since
            items, latency = self._latency.count, self._latency.times()
        return PipelineStatistics(
            items=items,
            seconds=seconds,
            throughput=items / seconds if seconds else 0.0,
            latency=latency,
            stages=tuple(s.statistics(seconds) for s in self.stages),
        )
