"""How threads of a pipeline call Ray: no wait outlasts the pipeline, no call the connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from surgery.runtime.pipeline.base import WorkerLost
from surgery.runtime.pipeline.cluster import Connection

#: Seconds of a wait for an answer at a stretch, and for values: a fetch that is given up starts
#: from the beginning.
ANSWER, VALUES = 0.5, 30.0
#: Seconds that closing waits for threads that are in a call of Ray.
CLOSING = 5.0

#: A reference to a value, wherever it is.
Reference = Any


class RaySession:
    """A pipeline's use of the connection to Ray.

    Args:
        connection: Closed with the session.

    Attributes:
        ray: The package.
        errors: Its ``exceptions``.
        own: Whether the cluster is this process's own.
        signs_of_loss: What it raises of a worker that is gone.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.ray = connection.ray
        self.own = connection.own
        self.errors = connection.ray.exceptions
        self.signs_of_loss: tuple[type[Exception], ...] = (
            self.errors.RayActorError, self.errors.WorkerCrashedError, self.errors.NodeDiedError,
            self.errors.LocalRayletDiedError, self.errors.OutOfMemoryError,
        )  # fmt: skip
        self._inside = threading.Condition()
        self._count = 0
        self._ended = False

    @property
    def ended(self) -> bool:
        return self._ended

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Keep the connection while a thread is in a call of Ray, which would crash without.

        Raises:
            WorkerLost: The session has ended.
        """
        with self._inside:
            self.check()
            self._count += 1
        try:
            yield
        finally:
            with self._inside:
                self._count -= 1
                self._inside.notify_all()

    def check(self) -> None:
        """Raise :class:`WorkerLost` once the session has ended."""
        if self._ended:
            raise WorkerLost("it was ended")

    def get(self, references: Any, until: float | None = None, stretch: float = ANSWER) -> Any:
        """Wait for values.

        Args:
            references: One, or a list of them.
            until: By :func:`time.monotonic`; None for as long as it takes.
            stretch: Seconds after which the end of session and time are looked at.

        Raises:
            WorkerLost: The session has ended.
            GetTimeoutError: The time is over.
        """
        while True:
            try:
                return self.ray.get(references, timeout=stretch)
            except self.errors.GetTimeoutError:
                self.check()
                if until is not None and time.monotonic() > until:
                    raise

    def end(self) -> None:
        """Let no call begin any more; those that wait end."""
        with self._inside:
            self._ended = True

    def close(self) -> None:
        """Wait for calls to end, and let go of the connection. May be called twice."""
        with self._inside:
            done = self._inside.wait_for(lambda: not self._count, CLOSING)
        if done:  # else it ends with this process
            self._connection.close()


def how_it_ended(failure: Exception, shown: str) -> str:
    """Return what Ray knows of how an actor ended, in a few words.

    Args:
        failure: What Ray raised of it.
        shown: What to call the actor; may be empty.
    """
    said = str(failure)
    who = shown or "it"
    if "node has died" in said or "node was terminated" in said:
        return f"the machine of {who} is gone"
    if type(failure).__name__ == "ActorUnavailableError":
        return f"{who} can't be reached any more"
    if "ray.kill" in said:
        return f"{who} was ended by ray.kill"
    if type(failure).__name__ == "OutOfMemoryError" or "memory monitor" in said:
        return f"Ray ended {who}, as its machine was short of memory"
    if "worker process has died" in said or "connection error" in said:
        return f"{who} was killed, or crashed"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"{who}: {lines[-1] if lines else type(failure).__name__}"
