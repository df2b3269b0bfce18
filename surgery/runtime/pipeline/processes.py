"""Stages in processes of this machine: values in shared memory, only slot numbers go through pipes.

Workers are started anew, not forked (the compiler's threads don't survive a fork), and without
:mod:`multiprocessing`, which would run a script that has no ``if __name__ == "__main__"`` again.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from surgery.diagnostics import SurgeryError, error
from surgery.engines import get_engine
from surgery.engines.base import Array
from surgery.engines.runnable import check_runnable
from surgery.recipe import FromStage, Recipe
from surgery.runtime.pipeline.base import WorkerLost
from surgery.runtime.pipeline.items import STRETCH
from surgery.runtime.pipeline.options import PipelineOptions
from surgery.runtime.pipeline.shared import SharedMemory
from surgery.runtime.pipeline.slots import Layout, Slot, layout, slots_in_memory
from surgery.runtime.pipeline.worker import (
    BOOT,
    DONE,
    FAILED,
    READY,
    SECONDS,
    SLOT,
    Work,
    decode_failure,
)

#: Seconds that a worker may take to import the compiler and load its stage.
STARTING = 120.0
#: Seconds that a worker gets to end by itself.
ENDING = 2.0
#: How a process ends by a fault of the code it runs.
_CRASHES = {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"}
#: Variables that libraries under the kernels take their number of threads from.
THREAD_VARIABLES = ("TVM_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class ProcessesBackend:
    """Runs each stage in a process of its own.

    Args:
        recipe: What to run.
        folder: The output folder its libraries are in.
        options: Depth, threads and affinity count here.

    Raises:
        SurgeryError: S573 a worker doesn't start; S576 no memory; S577 a shape that isn't static;
            a library that can't be loaded or isn't this recipe's.
    """

    def __init__(self, recipe: Recipe, folder: Path, options: PipelineOptions) -> None:
        check_runnable(recipe.stages, get_engine(recipe.engine))
        self._recipe = recipe
        count = options.depth * len(recipe.stages)
        plan = layout(recipe)
        self._memory = SharedMemory(plan.size * count)
        self.slots = slots_in_memory(plan, self._memory.array, count)
        self.workers: tuple[_ProcessWorker, ...] = ()
        try:
            self.workers = tuple(
                _ProcessWorker(_work(recipe, n, folder, options, plan, count, self._memory),
                               stage.name, (options.threads or stage.threads) is not None,
                               backends_in(recipe, n))
                for n, stage in enumerate(recipe.stages)
            )  # fmt: skip
            for worker in self.workers:
                worker.spawn()
            for worker in self.workers:
                worker.wait_until_ready()
        except BaseException:
            self.close()
            raise

    def load(self, slot: Slot, inputs: Mapping[str, Array]) -> None:
        slot.load(inputs)

    def unload(self, slot: Slot) -> dict[str, Array]:
        return slot.unload(self._recipe)

    def close(self) -> None:
        """End the processes, those that hang too."""
        for worker in self.workers:
            worker.end()
        for worker in self.workers:
            worker.wait_until_ended()
        self._memory.close()


def _work(
    recipe: Recipe,
    number: int,
    folder: Path,
    options: PipelineOptions,
    plan: Layout,
    count: int,
    memory: SharedMemory,
) -> Work:
    stage = recipe.stages[number]
    places = {origin: (p.offset, p.shape, p.dtype) for origin, p in plan.places.items()}
    return Work(
        engine=recipe.engine,
        folder=os.path.abspath(folder),
        library=stage.library,
        executor=stage.executor,
        inputs={i.name: places[i.origin] for i in stage.inputs},
        outputs=tuple(places[FromStage(stage=number, output=o.name)] for o in stage.outputs),
        memory=memory.descriptor,
        slots=count,
        slot_size=plan.size,
        threads=options.stage_threads(number, len(recipe.stages), stage.threads),
        cpus=options.affinity[number] if options.affinity is not None else (),
    )


class _ProcessWorker:
    """A stage's process, and the pipe to it."""

    ahead = 2  # the next slot is with the process when it has done one

    def __init__(self, work: Work, stage: str, limited: bool, backends: tuple[str, ...]) -> None:
        self._work = work
        self._stage = stage
        self._limited = limited
        self._backends = backends
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._ended = False

    def spawn(self) -> None:
        """Start the process and tell it what to do; it gets ready meanwhile."""
        mine, its = Pipe()
        environment = dict(os.environ)
        for name in THREAD_VARIABLES:
            if self._limited or name not in environment:
                environment[name] = str(self._work.threads)
        path = [os.path.abspath(p) for p in sys.path]
        command = [sys.executable, "-c", BOOT, str(its.fileno()), json.dumps(path)]
        with its, self._lock:
            if self._ended:
                raise WorkerLost("it was ended")
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    pass_fds=(its.fileno(), self._work.memory),
                    env=environment,
                    process_group=0,  # a Ctrl-C is for this process alone
                )
            except OSError as failure:
                raise self._does_not_start(failure.strerror or str(failure)) from failure
        self._connection = mine
        with suppress(OSError):
            mine.send_bytes(self._work.encoded())

    def wait_until_ready(self) -> None:
        assert self._connection is not None
        try:
            until = time.monotonic() + STARTING
            while not self._connection.poll(STRETCH):
                if time.monotonic() > until:
                    raise self._does_not_start(f"it said nothing for {STARTING:g} s")
            message = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise self._does_not_start(self._how_it_ended()) from None
        if message[:1] == FAILED:
            raise decode_failure(message)
        assert message == READY

    def _does_not_start(self, reason: str) -> SurgeryError:
        return error(
            "S573",
            f"the process of stage {self._stage!r} does not start",
            reason=reason,
            remedy="look at what it printed; `--on threads` needs no process",
        )

    def begin(self, slot: Slot) -> None:
        assert self._connection is not None
        with suppress(OSError):  # it is gone, as the next finish says
            self._connection.send_bytes(SLOT.pack(slot.number))

    def finish(self) -> float:
        assert self._connection is not None
        try:
            message = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLost(self._how_it_ended()) from None
        if message[:1] == FAILED:
            raise decode_failure(message)
        (seconds,) = SECONDS.unpack(message[len(DONE) :])
        return float(seconds)

    def restart(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._close_pipes()
        self.spawn()
        self.wait_until_ready()

    def interrupt(self) -> bool:
        if self._process is not None:
            self._process.kill()
        return True

    def end(self) -> None:
        """Ask the process to end: its standard input does."""
        with self._lock:
            self._ended = True
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def wait_until_ended(self) -> None:
        if self._process is None:
            return
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _close_pipes(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _how_it_ended(self) -> str:
        """Return how the process ended, which has closed its end of the pipe."""
        assert self._process is not None
        try:
            state = self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return "it closed the connection"
        if state >= 0:
            return f"its process ended with state {state}"
        try:
            name = signal.Signals(-state).name
        except ValueError:
            name = f"signal {-state}"
        why = ""
        if name == "SIGKILL":
            why = ", as the system does when memory is short"
        elif name in _CRASHES and self._backends:
            why = f": a kernel crashed, likely one of backend {' or '.join(self._backends)}"
        return f"its process was killed by {name}{why}"


def backends_in(recipe: Recipe, stage: int) -> tuple[str, ...]:
    """Return the backends whose code, not the compiler's, is in a stage; in the recipe's order."""
    found = (b for b in recipe.backends if b.kind != "tvm")
    return tuple(b.name for b in found if any(r.stage == stage for r in b.regions))
