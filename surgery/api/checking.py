"""A user's own command as a check: run on a candidate, and whether it fails as it did before."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What a check may name, in braces.
PLACES = ("model", "params", "inputs", "spec")
#: Of a check's output the last so many bytes are looked at.
_KEPT = 1 << 20
_CODE = re.compile(r"error\[(S\d{3})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a check ended.

    Attributes:
        state: Its exit state, 128 and more of a shell's that a signal ended; ``None``: it took
            too long.
        code: The first diagnostic of surgery in its output, if any.
        matched: What the pattern found, where one is asked for.
        text: The end of its output.
    """

    state: int | None
    code: str = ""
    matched: bool = True
    text: str = ""

    @property
    def failed(self) -> bool:
        return self.state != 0

    def is_like(self, other: Failure) -> bool:
        """Tell whether another run failed in the same way."""
        return (self.state, self.code, self.matched) == (other.state, other.code, other.matched)

    def __str__(self) -> str:
        if self.state is None:
            return "took too long"
        if self.state > 128 and self.state - 128 in {s.value for s in signal.Signals}:
            said = f"was ended by {signal.Signals(self.state - 128).name}"
        else:
            said = f"exit state {self.state}"
        return said + (f", {self.code}" if self.code else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command of the user.

    Attributes:
        command: Run by the shell; ``{model}``, ``{params}``, ``{inputs}`` and ``{spec}`` are paths.
        pattern: What its output must hold to fail in the same way; then no exit state counts.
        timeout: Seconds that it may take.
    """

    command: str
    pattern: re.Pattern[str] | None = None
    timeout: float | None = None

    def names(self, place: str) -> bool:
        """Tell whether the command takes a file."""
        return "{" + place + "}" in self.command

    def run(self, files: Mapping[str, Path | None], seconds: float | None = None) -> Failure:
        """Run the command, and whatever it starts, to its end, or until its time is over.

        Args:
            files: What it may take, by what it calls it.
            seconds: What is left for it, if less than its own timeout; running out of that is no
                failure of the command.
        """
        limits = [limit for limit in (self.timeout, seconds) if limit is not None]
        limit = min(limits, default=None)
        command = self.command
        for place in PLACES:
            path = files.get(place)
            quoted = "''" if path is None else shlex.quote(str(path))
            command = command.replace("{" + place + "}", quoted)
        with tempfile.TemporaryFile() as output:
            # A session of its own, so that all of it ends when it takes too long.
            child = subprocess.Popen(
                command, shell=True, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            state: int | None
            try:
                state = child.wait(limit)
            except subprocess.TimeoutExpired:
                state = None if limit == self.timeout else 0
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            size = output.seek(0, os.SEEK_END)
            output.seek(max(0, size - _KEPT))
            text = output.read().decode("utf-8", "replace")
        if state is not None and state < 0:
            state = 128 - state
        if self.pattern is not None:
            found = self.pattern.search(text) is not None
            return Failure(state=1 if found else 0, matched=found, text=text)
        code = _CODE.search(text)
        return Failure(state=state, code=code[1] if code else "", text=text)
