"""``surgery run`` of many items: through a pipeline, with progress, from and to files."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.cli.console import Interrupted, Outcome, Session
from surgery.diagnostics import SurgeryError
from surgery.report import human_seconds, number, table

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import Recipe
    from surgery.runtime.pipeline import PipelineOptions, PipelineStatistics
    from surgery.runtime.pipeline.streams import Sink, Stream

#: Seconds between two looks at the progress.
_PAUSE = 0.1


@dataclass(slots=True, kw_only=True)
class Summary:
    """An output over all items; ``None`` while no item had a value."""

    name: str
    shape: tuple[int, ...] | None
    dtype: str
    low: float | None = None
    high: float | None = None
    total: float = 0.0
    count: int = 0

    @classmethod
    def of(cls, name: str, array: Array) -> Summary:
        made = cls(name=name, shape=array.shape, dtype=str(array.dtype))
        made.add(array)
        return made

    def add(self, array: Array) -> None:
        import numpy as np

        if array.shape != self.shape:
            self.shape = None
        if array.size == 0:
            return
        values = np.asarray(array, dtype=np.float64)
        low, high = float(values.min()), float(values.max())
        self.low = low if self.low is None else float(np.minimum(self.low, low))
        self.high = high if self.high is None else float(np.maximum(self.high, high))
        self.total += float(values.sum())
        self.count += array.size

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name, "shape": None if self.shape is None else list(self.shape),
            "dtype": self.dtype, "min": self.low, "max": self.high, "mean": self.mean,
        }  # fmt: skip


@dataclass(slots=True, kw_only=True)
class _Done:
    """What a run of many items gave."""

    items: int = 0
    outputs: dict[str, Summary] = field(default_factory=dict)

    def add(self, outputs: dict[str, Array]) -> None:
        self.items += 1
        for name, array in outputs.items():
            if name in self.outputs:
                self.outputs[name].add(array)
            else:
                self.outputs[name] = Summary.of(name, array)


def run_stream(
    session: Session,
    recipe: Recipe,
    folder: Path,
    stream: Stream,
    options: PipelineOptions,
    output: Path | None,
    repeat: int,
) -> Outcome:
    """Run all items of a stream, ``repeat`` times over; outputs are those of the last time."""
    from surgery.runtime.pipeline import PipelineRunner
    from surgery.runtime.pipeline.streams import FileSink, FolderSink

    sink: Sink | None = None
    if output is not None:
        sink = FileSink(output) if output.suffix == ".npz" else FolderSink(output, stream)
    done = _Done()
    # Ray's client prints to standard output, in threads of its own, what clusters tell it.
    silence = redirect_stdout(sys.stderr) if options.on == "ray" else nullcontext()
    with session.progress() as progress, silence:
        tell = progress or (lambda *_: None)
        tell(f"starting {len(recipe.stages)} stages on {options.on}")
        try:
            with PipelineRunner(recipe, folder, options) as runner:
                total, told = stream.count * repeat, 0.0
                source = (item for _ in range(repeat) for item in stream.read())
                for outputs in runner.map(source):
                    done.add(outputs)
                    if sink is not None and done.items > total - stream.count:
                        sink.add(outputs)
                    if time.monotonic() - told > _PAUSE or done.items == total:
                        told = time.monotonic()
                        tell("running", done.items, total)
                statistics = runner.statistics
            if sink is not None:
                tell("writing the outputs")
                sink.finish()
        except SurgeryError as failure:
            first, *rest = failure.diagnostics
            notes = (*first.notes, _so_far(done, sink, output))
            raise SurgeryError((replace(first, notes=notes), *rest)) from failure
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted: {_so_far(done, sink, output)}") from None
    return Outcome(
        document=lambda: {
            "items": done.items,
            "pipeline": _options_json(recipe, runner.options),
            "statistics": statistics.as_json(),
            "outputs": [o.as_json() for o in done.outputs.values()],
            "saved": None if output is None else str(output),
            "diagnostics": [n.as_json() for n in recipe.notes],
        },
        lines=lambda: _ran(done, statistics, options, sink, output),
        diagnostics=recipe.notes,
    )


def _so_far(done: _Done, sink: Sink | None, output: Path | None) -> str:
    """Say what a run that was ended has left."""
    items = f"{done.items} item{'' if done.items == 1 else 's'} had been run"
    if sink is None:
        return items
    if not sink.written:
        return f"{items}; {output} was not written"
    return f"{items}; {sink.written} files are in {output}"


def _options_json(recipe: Recipe, options: PipelineOptions) -> dict[str, object]:
    stages = len(recipe.stages)
    return {
        "on": options.on,
        "depth": options.depth,
        "retries": options.retries,
        "threads": [
            options.stage_threads(n, stages, stage.threads) for n, stage in enumerate(recipe.stages)
        ],
        "affinity": options.affinity and [list(cpus) for cpus in options.affinity],
        "timeout": options.timeout,
        "address": options.address,
    }


def _ran(
    done: _Done,
    statistics: PipelineStatistics,
    options: PipelineOptions,
    sink: Sink | None,
    output: Path | None,
) -> Iterator[str]:
    rows = []
    for o in done.outputs.values():
        shape = "?" if o.shape is None else ",".join(map(str, o.shape))
        shown = ("" if v is None else number(v) for v in (o.low, o.high, o.mean))
        rows.append((o.name, f"{o.dtype}({shape})", *shown))
    yield from table(("output", "type", "min", "max", "mean"), rows, "<<>>>")
    yield ""
    stages = [
        (
            s.name, str(s.items), f"{s.utilisation:.0%}", human_seconds(s.times.p50),
            human_seconds(s.times.p90), human_seconds(s.times.p99), str(s.restarts),
        )
        for s in statistics.stages
    ]  # fmt: skip
    head = ("stage", "items", "busy", "median", "p90", "p99", "restarts")
    yield from table(head, stages, "<>>>>>>")
    yield ""
    latency = statistics.latency
    yield (
        f"{done.items} items on {options.on} in {human_seconds(statistics.seconds)}: "
        f"{statistics.throughput:.3g} items/s; latency median {human_seconds(latency.p50)}, "
        f"p90 {human_seconds(latency.p90)}, p99 {human_seconds(latency.p99)}, "
        f"max {human_seconds(latency.max)}"
    )
    if sink is not None:
        yield f"wrote {output}"
