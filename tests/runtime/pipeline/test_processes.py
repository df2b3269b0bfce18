"""Stages in processes: the same results, and whatever may befall a process."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from surgery.runtime.pipeline import PipelineOptions, PipelineRunner, open_pipeline, processes
from surgery.runtime.pipeline.shared import SharedMemory
from tests.runtime.pipeline import faulty
from tests.runtime.pipeline.fakes import fault
from tests.runtime.pipeline.faulty import item, number
from tests.runtime.pipeline.test_threads import resident

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def runner(harm: Path) -> Iterator[PipelineRunner]:
    with open_pipeline(harm, PipelineOptions(on="processes")) as opened:
        yield opened


def pids(runner: PipelineRunner) -> list[int]:
    return [w._process.pid for w in runner._pipeline._backend.workers]  # type: ignore[attr-defined]


def alive(pid: int) -> bool:
    """Whether a process runs (and is no zombie)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(which: list[int], seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while any(map(alive, which)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, which))


def taken(results: Iterator[Any], into: list[float]) -> None:
    for outputs in results:
        into.append(number(outputs))


def test_many_items_in_order_in_flat_memory(runner: PipelineRunner) -> None:
    after: dict[int, int] = {}
    for count, outputs in enumerate(runner.map(item(n) for n in range(1000))):
        assert number(outputs) == count
        if count in (199, 999):
            after[count] = resident()
    assert after[999] - after[199] < 2 << 20
    assert all(alive(pid) for pid in pids(runner))
    assert len(set(pids(runner)) | {os.getpid()}) == 3


def test_a_kernel_that_fails_leaves_its_worker_alone(runner: PipelineRunner) -> None:
    before, found = pids(runner), list[float]()
    seen = fault(lambda: taken(runner.map(map(item, (1, 2, faulty.RAISES, 3))), found))
    assert seen.code == "S434"
    assert seen.message == "item 2: stage 'stage1': the stage fails when it runs"
    assert found == [1, 2]
    assert [number(o) for o in runner.map(map(item, (4, 5)))] == [4, 5]
    assert pids(runner) == before


def test_a_worker_that_is_killed_amid_a_run(runner: PipelineRunner) -> None:
    found: list[float] = []
    results = runner.map(item(faulty.SLOW if n % 2 else n) for n in range(1000))
    found.append(number(next(results)))
    os.kill(pids(runner)[0], signal.SIGKILL)
    seen = fault(lambda: taken(results, found))
    assert seen.code == "S572"
    assert seen.message == f"item {len(found)}: stage 'stage0': its worker was lost"
    assert "killed by SIGKILL" in seen.reason
    assert found == [faulty.SLOW if n % 2 else n for n in range(len(found))]
    # It is started again when there is something to do.
    assert [number(o) for o in runner.map(map(item, range(4)))] == [0, 1, 2, 3]


def test_a_kernel_that_crashes(runner: PipelineRunner) -> None:
    found: list[float] = []
    seen = fault(lambda: taken(runner.map(map(item, (1, 2, faulty.ABORTS, 3))), found))
    assert seen.code == "S572"
    assert seen.message == "item 2: stage 'stage1': its worker was lost"
    assert (
        seen.reason == "its process was killed by SIGABRT: "
        "a kernel crashed, likely one of backend harm"
    )
    assert "--retries 1" in seen.remedy
    assert found == [1, 2]
    assert number(runner(item(4))) == 4


def test_workers_are_replaced_where_asked(
    harm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(faulty.MARK, str(tmp_path / "killed"))
    options = PipelineOptions(on="processes", retries=1, timeout=1.0)
    with open_pipeline(harm, options) as runner:
        before = pids(runner)
        values = [0, faulty.SLOW, 1, 2, 3, faulty.KILLED_ONCE, 4, faulty.SLOW, 5]
        results = runner.map(map(item, values))
        found = [number(next(results))]
        os.kill(before[0], signal.SIGKILL)
        taken(results, found)
        assert found == values
        assert (tmp_path / "killed").exists()
        assert [s.restarts for s in runner.statistics.stages] == [1, 1]
        # What hangs each time ends the run all the same.
        found.clear()
        seen = fault(lambda: taken(runner.map(map(item, (2, faulty.HANGS, 3))), found))
        assert seen.code == "S574"
        assert seen.message == "item 1: stage 'stage1': it took longer than 1 s"
        assert "it was tried 2 times" in seen.notes
        assert found == [2]
        after = pids(runner)
    assert gone(before + after, 0)


@pytest.mark.parametrize(
    ("boot", "reason"),
    [
        ("import sys; sys.exit(3)", "its process ended with state 3"),
        ("import os; os.kill(os.getpid(), 11)", "its process was killed by SIGSEGV"),
        ("import time; time.sleep(60)", "it said nothing for 0.5 s"),
    ],
)
def test_a_worker_that_does_not_start(
    harm: Path, monkeypatch: pytest.MonkeyPatch, boot: str, reason: str
) -> None:
    monkeypatch.setattr(processes, "BOOT", boot)
    monkeypatch.setattr(processes, "STARTING", 0.5 if "sleep" in boot else 60)
    monkeypatch.setattr(processes, "ENDING", 0.2 if "sleep" in boot else 60)
    seen = fault(lambda: open_pipeline(harm, PipelineOptions(on="processes")))
    assert seen.code == "S573"
    assert seen.message == "the process of stage 'stage0' does not start"
    assert seen.reason == reason


def test_a_python_that_is_not_there(harm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    seen = fault(lambda: open_pipeline(harm, PipelineOptions(on="processes")))
    assert seen.code == "S573"
    assert "No such file" in seen.reason


SCRIPT = """
import sys, time
import surgery
from tests.runtime.pipeline.faulty import HANGS, item, number

runner = surgery.open(sys.argv[1], on="processes")
print(number(runner(item(3))), *(w._process.pid for w in runner._pipeline._backend.workers))
sys.stdout.flush()
if len(sys.argv) > 2:
    runner(item(HANGS))
"""


def start(harm: Path, *arguments: str) -> subprocess.Popen[str]:
    """Run a script that guards nothing by ``if __name__ == "__main__"``, and forgets to close."""
    script = harm.parent / "script.py"
    script.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(script), str(harm), *arguments],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_a_script_without_a_guard(harm: Path) -> None:
    process = start(harm)
    out, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    value, *workers = out.split()
    assert float(value) == 3
    assert gone([int(w) for w in workers])


def test_workers_end_with_a_parent_that_is_killed(harm: Path) -> None:
    """Even one in a kernel that hangs."""
    process = start(harm, "hang")
    assert process.stdout is not None
    value, *workers = process.stdout.readline().split()
    assert float(value) == 3
    assert all(alive(int(w)) for w in workers)
    process.kill()
    process.wait()
    assert gone([int(w) for w in workers])


def test_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = fault(lambda: SharedMemory(1 << 60))
    assert seen.code == "S576"
    assert seen.reason.startswith("the machine has ")
    assert "smaller depth" in seen.remedy
    open_before = len(os.listdir("/proc/self/fd"))

    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    seen = fault(lambda: SharedMemory(4096))
    assert (seen.code, seen.reason) == ("S576", "no space left on device")
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_memory_without_memfd(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on systems other than Linux: a file that has no name any more."""
    from surgery.runtime.pipeline.shared import shared_array

    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.delattr(os, "posix_fallocate")
    memory = SharedMemory(8192)
    memory.array[5] = 7
    assert shared_array(memory.descriptor, 8192)[5] == 7
    memory.close()
    memory.close()
