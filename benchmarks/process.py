"""Measures in processes of their own, so that a piece neither warms nor breaks the next one.

A piece is a function of :mod:`benchmarks.pieces` or :mod:`benchmarks.pipelined`. It sets itself
up, times what counts with :func:`timed` and returns numbers; ``python -m benchmarks.process NAME
JSON`` runs it and prints them as one line of JSON.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one piece or command took.

    Attributes:
        cpu: CPU seconds, user and system, of all threads: of the timed part for a piece (the best
            of its repetitions), of the whole process for a command.
        wall: Seconds that passed meanwhile.
        peak: Peak resident memory of the process in bytes.
        numbers: What else the piece counted.
        failure: Why there is no time: the process's last line, or the signal that ended it.
    """

    cpu: float = 0.0
    wall: float = 0.0
    peak: int = 0
    numbers: dict[str, Any] = field(default_factory=dict)
    failure: str = ""


def timed(
    run: Callable[[], T], *, repeats: int = 1, warm: Callable[[], object] | None = None
) -> tuple[T, dict[str, float]]:
    """Run a function and return its last result and its best CPU and wall time, in seconds.

    The garbage collector is off meanwhile, for what is measured and for what it is measured
    against alike.

    Args:
        warm: Run before, untimed: the same on a tiny input, so that imports don't count.
    """
    if warm is not None:
        warm()
    cpu = wall = float("inf")
    for _ in range(repeats):
        gc.collect()
        gc.disable()
        start, start_cpu = time.perf_counter(), time.process_time()
        result = run()
        used, passed = time.process_time() - start_cpu, time.perf_counter() - start
        gc.enable()
        if used < cpu:
            cpu, wall = used, passed
    return result, {"cpu": cpu, "wall": wall}


def run_piece(name: str, *, timeout: float = 900, **arguments: Any) -> Measured:
    """Run a piece in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.process", name, json.dumps(arguments)]
    status, out, err, whole = _child(command, timeout)
    if status:
        return Measured(failure=_reason(status, err), peak=whole.peak)
    numbers: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
    cpu, wall = numbers.pop("cpu", whole.cpu), numbers.pop("wall", whole.wall)
    return Measured(cpu=cpu, wall=wall, peak=whole.peak, numbers=numbers)


def run_command(arguments: Sequence[str], *, repeats: int = 1, timeout: float = 900) -> Measured:
    """Run ``python ARGUMENTS`` whole, and return the best of its repetitions."""
    found: list[Measured] = []
    for _ in range(repeats):
        status, out, err, whole = _child([sys.executable, *arguments], timeout)
        if status:
            return Measured(failure=_reason(status, err), peak=whole.peak)
        found.append(
            Measured(
                cpu=whole.cpu, wall=whole.wall, peak=whole.peak, numbers={"out": out, "err": err}
            )
        )
    return min(found, key=lambda m: m.cpu)


def _child(command: Sequence[str], timeout: float) -> tuple[int, str, str, Measured]:
    """Run a command to its end; its exit status (negative: a signal), output and usage."""
    environment = {**os.environ, "TOPHUB_LOCATION": "NONE", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, env=environment, cwd=ROOT)
        deadline = start + timeout
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() > deadline:
                child.send_signal(signal.SIGKILL)
                pid, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.002)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = out.read().decode(), err.read().decode(errors="replace")
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    spent = Measured(cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak=usage.ru_maxrss * unit)
    return child.returncode, *texts, spent


def _reason(status: int, err: str) -> str:
    if status == -signal.SIGKILL:
        return "killed: out of time or memory"
    if status < 0:
        return f"dies of {signal.Signals(-status).name}"
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return lines[-1][:200] if lines else f"exit status {status}"


def main() -> None:
    """Run the piece that the command line names."""
    from benchmarks import pieces, pipelined, taps

    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    rooms = (m for m in (pipelined, taps) if hasattr(m, name))
    piece = getattr(next(rooms, pieces), name)
    print(json.dumps(piece(**arguments)))


if __name__ == "__main__":
    main()
