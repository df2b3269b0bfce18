"""Starts the Ray actor of a stage, looks at where it is, and sends it what it needs to run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.recipe import Recipe
from surgery.runtime.pipeline.actor import StageWork, actor_class, surgery_version
from surgery.runtime.pipeline.processes import THREAD_VARIABLES
from surgery.runtime.pipeline.session import ANSWER, RaySession, Reference, how_it_ended
from surgery.runtime.pipeline.worker import decode_failure

#: Seconds that an actor may take to find a machine, import the compiler and load its stage.
STARTING = 120.0
#: How often it is tried to start an actor that is lost before it is ready.
STARTS = 3
#: Bytes of a file that are sent at once.
CHUNK = 8 << 20
#: Machines by their number in the header of an ELF file, as ``platform.machine()`` calls them.
_MACHINES = {3: "i686", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}


class StageActor:
    """An actor that is asked for when this is made, and gets ready meanwhile.

    Args:
        session: Where.
        recipe, folder, number: The stage, and where its library is.
        threads: The compiler's.
        cpus: Of the cluster, that are the actor's alone.

    Attributes:
        handle: Ray's own.
        home: Id of the node it is on.
        pid: Its process there.
        shown: What to call it; empty until that is known.

    Raises:
        WorkerLost: The session has ended.
    """

    def __init__(
        self,
        session: RaySession,
        recipe: Recipe,
        folder: Path,
        number: int,
        threads: int,
        cpus: float,
    ) -> None:
        self._session = session
        self._recipe = recipe
        self._stage = recipe.stages[number]
        self._folder = folder
        self._threads = threads
        self._cpus = cpus
        self._spawn()

    def _spawn(self) -> None:
        session = self._session
        session.check()
        self.home, self.pid, self.shown = "", 0, ""
        remote = session.ray.remote(actor_class()).options(
            num_cpus=self._cpus,
            scheduling_strategy="SPREAD",  # a machine for each stage as far as there are
            max_restarts=0,  # the pipeline does that itself, and only where it is asked to
            max_task_retries=0,
        )
        path = [os.path.abspath(p) for p in sys.path] if session.own else None
        self.handle = remote.remote(path, dict.fromkeys(THREAD_VARIABLES, str(self._threads)))
        self._about: Reference = self.handle.about.remote(self._recipe.engine)
        if session.ended:  # since it was looked at above
            self.end()

    def end(self) -> None:
        """Kill it."""
        if self._session.ray.is_initialized():
            with suppress(Exception):  # whatever Ray says, it is of no use any more
                self._session.ray.kill(self.handle)

    def wait_until_ready(self) -> None:
        """Wait for the actor, and send it its stage.

        One that is lost before it is ready is replaced: the cluster may not know yet that a machine
        is gone.

        Raises:
            SurgeryError: S566 the machine can't run the stage, S573 it does not start; a library
                that can't be loaded.
            WorkerLost: The session has ended.
        """
        until = time.monotonic() + STARTING
        for left in reversed(range(STARTS)):
            try:
                self._get_ready(until)
                return
            except self._session.errors.GetTimeoutError as late:
                raise self._does_not_start(self._why_late()) from late
            except self._session.errors.RayError as failed:
                lost = isinstance(failed, self._session.signs_of_loss)
                if not left or not lost or time.monotonic() > until:
                    raise self._does_not_start(how_it_ended(failed, self.shown)) from failed
            time.sleep(ANSWER)
            self._spawn()

    def _get_ready(self, until: float) -> None:
        get = self._session.get
        about = get(self._about, until)
        self.home, self.pid = about["node"], about["pid"]
        self.shown = f"process {self.pid} on {about['host']}"
        self.check(about)
        library = self._send(until)
        work = StageWork(
            engine=self._recipe.engine, stage=self._stage, library=library, threads=self._threads
        )
        failure = get(self.handle.ask.remote("open", work), until)
        if failure is not None:
            raise decode_failure(failure)

    def check(self, about: Mapping[str, Any]) -> None:
        """Compare what is on the actor's machine with what the stage needs.

        Raises:
            SurgeryError: S566.
        """
        remedy = "install the same on each machine of the cluster"
        wanted = machine_of(self._folder / self._stage.library)
        if about["lacks"] is not None:
            reason = f"surgery or its engine can't be imported there: {about['lacks']}"
        elif about["surgery"] != surgery_version():
            reason = f"it has surgery {about['surgery']}, this is {surgery_version()}"
        elif about["engine"] != self._recipe.tvm:
            reason = f"it has TVM {about['engine']}, the stages were built with {self._recipe.tvm}"
        elif wanted not in (None, about["machine"]):
            reason = f"{self._stage.library} is for {wanted}, the machine is {about['machine']}"
            remedy = "build the stages for the machines of the cluster"
        else:
            return
        raise error(
            "S566",
            f"stage {self._stage.name!r} can't run on {about['host']}",
            reason=reason,
            remedy=remedy,
        )

    def _send(self, until: float) -> str:
        """Send the stage's files, a piece at a time; return what its library is called there."""
        library = self._folder / self._stage.library
        others = {self._folder / s.library for s in self._recipe.stages} - {library}
        try:
            for path in library.parent.iterdir():
                if path.is_file() and path not in others:
                    self._send_file(path, until)
        except OSError as failure:
            raise error(
                "S573",
                f"the actor of stage {self._stage.name!r} can't be sent its files",
                reason=f"{failure.filename or library}: {failure.strerror or failure}",
            ) from failure
        return library.name

    def _send_file(self, path: Path, until: float) -> None:
        before: Reference = None
        with open(path, "rb") as file:
            while (chunk := np.fromfile(file, np.uint8, CHUNK)).size:
                sent = self.handle.ask.remote("receive", path.name, chunk)
                if before is not None:  # one piece is read while another is on its way
                    self._session.get(before, until)
                before = sent
        if before is not None:
            self._session.get(before, until)

    def _why_late(self) -> str:
        if self.shown:
            return f"{self.shown} was not ready within {STARTING:g} s"
        ray = self._session.ray
        free, whole = (
            resources.get("CPU", 0.0)
            for resources in (ray.available_resources(), ray.cluster_resources())
        )
        return (
            f"no machine had {self._cpus:g} CPUs for it within {STARTING:g} s: of {whole:g} in "
            f"the cluster {free:g} are free"
        )

    def _does_not_start(self, reason: str) -> SurgeryError:
        return error(
            "S573",
            f"the actor of stage {self._stage.name!r} does not start",
            reason=reason,
            remedy="give fewer --threads, or look at `ray status` and Ray's logs",
        )


def machine_of(library: Path) -> str | None:
    """Return the machine that a library is for; None where its header doesn't say (not ELF)."""
    with suppress(OSError), open(library, "rb") as file:
        head = file.read(20)
        if head[:4] == b"\x7fELF" and len(head) == 20:
            return _MACHINES.get(int.from_bytes(head[18:], "little" if head[5] == 1 else "big"))
    return None
