"""Stages in Ray actors on a cluster of two nodes: the same results, and what may befall a node."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery
from surgery.api import parse_spec
from surgery.recipe import check_files, read_recipe
from surgery.runtime import Runner, random_inputs
from surgery.runtime.pipeline import PipelineOptions, PipelineRunner, rays, starting
from surgery.runtime.pipeline.actor import StageHost, StageWork, actor_class
from surgery.runtime.pipeline.rays import RayBackend
from surgery.runtime.pipeline.starting import machine_of
from surgery.runtime.pipeline.worker import decode_failure
from tests.runtime.pipeline import faulty
from tests.runtime.pipeline.fakes import fault
from tests.runtime.pipeline.test_processes import gone

pytest.importorskip("ray", reason="the extra surgery[ray] is not installed")

ROOT = Path(__file__).parents[3]
#: Values of 131 kB: small ones never leave this process, and can't be lost.
NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 64, 64), float32], %w: Tensor[(8, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
  %1 = nn.relu(%0);
  %2 = add(%1, %0);
  nn.softmax(%2, axis=1)
}
"""
SPEC = """\
output %2 as sum
cut after %0
cut after %1
build target "llvm"
pipeline on ray
"""
#: The least that Ray takes: /dev/shm may be small.
STORE = 80 << 20


@pytest.fixture(scope="module")
def conv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conv")
    (folder / "net.relay").write_text(NET)
    return surgery.apply(parse_spec(SPEC), folder / "net.out", model=folder / "net.relay").folder


@pytest.fixture(scope="module")
def cluster(conv: Path, harm: Path) -> Iterator[Any]:
    """A cluster whose second node may be gone after a test; libraries are built before it runs."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": 8, "object_store_memory": STORE, "include_dashboard": False}
    quick = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}
    made = Cluster(initialize_head=True, head_node_args={**node, "_system_config": quick})
    try:
        made.add_node(**node)
        made.node = node
        yield made
    finally:
        made.shutdown()


def runner(cluster: Any, folder: Path, **options: Any) -> PipelineRunner:
    recipe = read_recipe(folder)
    check_files(recipe, folder, to_run=True)
    given = {"address": cluster.address, "threads": (1,), **options}
    return PipelineRunner(recipe, folder, PipelineOptions(on="ray", **given))


def backend(runner: PipelineRunner) -> RayBackend:
    return runner._pipeline._backend  # type: ignore[return-value]


def pids(runner: PipelineRunner) -> list[int]:
    return [w.actor.pid for w in backend(runner).workers]


def homes(runner: PipelineRunner) -> list[str]:
    return [w.actor.home for w in backend(runner).workers]


def items(folder: Path, count: int) -> list[dict[str, Any]]:
    return [random_inputs(read_recipe(folder).inputs, seed) for seed in range(count)]


def wanted(folder: Path, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    plain = Runner(read_recipe(folder), folder)
    return [plain(one) for one in given]


def same(found: dict[str, Any], right: dict[str, Any]) -> None:
    assert list(found) == list(right)
    for name, value in right.items():
        np.testing.assert_array_equal(found[name], value)


def test_bits_are_those_of_one_stage_after_the_other(
    cluster: Any, conv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = items(conv, 12)
    right = wanted(conv, given)
    with runner(cluster, conv) as opened:
        assert len(set(homes(opened))) == 2
        for found, value in zip(opened.map(given), right, strict=True):
            same(found, value)
            assert all(v.flags.writeable for v in found.values())
        assert [s.items for s in opened.statistics.stages] == [12, 12, 12]
        # What isn't public has never been here.
        slot = next(s for s in backend(opened).slots if s.references)
        assert {(o.stage, o.output) for o in slot.results} == {
            (o.stage, o.output) for o in opened.recipe.outputs
        }
        compared(opened, monkeypatch)
        before = pids(opened)
    assert gone(before)


def compared(opened: PipelineRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an actor tells of its machine is looked at."""
    actor = backend(opened).workers[0].actor
    about = dict(backend(opened).session.ray.get(actor._about))
    actor.check(about)
    for difference, reason in (
        ({"surgery": "9.9"}, f"it has surgery 9.9, this is {surgery.__version__}"),
        ({"engine": "0.1"}, "it has TVM 0.1, the stages were built with 0.19.0"),
        ({"machine": "vax"}, f"lib/stage0.so is for {about['machine']}, the machine is vax"),
    ):
        seen = fault(lambda given={**about, **difference}: actor.check(given))  # type: ignore[misc]
        assert (seen.code, seen.reason) == ("S566", reason)
    # One that finds no surgery can still tell so.
    monkeypatch.setitem(sys.modules, "surgery.runtime.pipeline.actor", None)
    bare = actor_class()(None, {}).about("relay")
    seen = fault(lambda: actor.check(bare))
    assert "surgery or its engine can't be imported there" in seen.reason


def test_faulty_items_and_early_ends(cluster: Any, conv: Path) -> None:
    given = items(conv, 4)
    right = wanted(conv, given)
    wrong = {**given[2], "x": given[2]["x"][:, :3]}
    with runner(cluster, conv) as opened:
        results = opened.map([*given[:2], wrong, given[3]])
        for value in right[:2]:
            same(next(results), value)
        seen = fault(lambda: next(results))
        assert (seen.code, seen.message[:7]) == ("S584", "item 2:")
        # A consumer that stops, of a stream that doesn't.
        results = opened.map(itertools.cycle(given))
        same(next(results), right[0])
        results.close()
        same(opened(given[3]), right[3])
        # A process is connected to one cluster at a time.
        seen = fault(lambda: runner(cluster, conv, address="127.0.0.1:1"))
        assert (seen.code, cluster.address in seen.reason) == ("S565", True)


def alternating(count: int) -> tuple[list[float], Iterator[Any]]:
    """Return values of which every other takes the second stage 20 ms, and items of them."""
    values = [float(faulty.SLOW if n % 2 else n) for n in range(count)]
    return values, map(faulty.item, values)


def test_whatever_ends_a_run(cluster: Any, harm: Path) -> None:
    """A kernel that fails, one that hangs, an actor that is killed: the runner is good after it."""
    found: list[float] = []

    def take(results: Iterator[Any]) -> None:
        for outputs in results:
            found.append(faulty.number(outputs))

    with runner(cluster, harm, timeout=2.0) as opened:
        before = pids(opened)
        seen = fault(lambda: take(opened.map(map(faulty.item, (1, 2, faulty.RAISES, 3)))))
        assert (seen.code, seen.message) == (
            "S434", "item 2: stage 'stage1': the stage fails when it runs",
        )  # fmt: skip
        assert found == [1, 2]
        assert pids(opened) == before
        seen = fault(lambda: take(opened.map(map(faulty.item, (4, faulty.HANGS, 3)))))
        assert (seen.code, seen.message) == (
            "S574", "item 1: stage 'stage1': it took longer than 2 s",
        )  # fmt: skip
        assert found == [1, 2, 4]
        found.clear()
        right, given = alternating(1000)
        results = opened.map(given)
        found += [faulty.number(next(results)) for _ in range(3)]
        os.kill(pids(opened)[1], signal.SIGKILL)
        seen = fault(lambda: take(results))
        assert seen.code == "S572"
        assert seen.message == f"item {len(found)}: stage 'stage1': its worker was lost"
        assert "was killed, or crashed" in seen.reason
        assert found == right[: len(found)]
        assert faulty.number(opened(faulty.item(7))) == 7


def test_lost_actors_are_replaced_where_asked(cluster: Any, harm: Path) -> None:
    with runner(cluster, harm, retries=1) as opened:
        right, given = alternating(60)
        results = opened.map(given)
        found = [faulty.number(next(results)) for _ in range(3)]
        os.kill(pids(opened)[1], signal.SIGKILL)
        backend(opened).session.ray.kill(backend(opened).workers[0].actor.handle)
        found += map(faulty.number, results)
        assert found == right
        assert [s.restarts for s in opened.statistics.stages] == [1, 1]


def test_a_node_that_is_gone(cluster: Any, conv: Path) -> None:
    """What was on it is computed again where asked; without, the value that was lost is told."""
    given = items(conv, 16)
    right = wanted(conv, given)
    node = next(iter(cluster.worker_nodes))
    with (
        ExitStack() as stack, runner(cluster, conv) as plain,
        runner(cluster, conv, retries=2) as retrying,
    ):  # fmt: skip
        stack.callback(cluster.add_node, **cluster.node)
        taken: list[tuple[RayBackend, Any, int]] = []
        for opened in (plain, retrying):
            # A stage has run there on an item; the next, elsewhere, has not fetched what it gave.
            at = homes(opened)
            last = next(n for n in (0, 1) if at[n] == node.node_id != at[n + 1])
            stages, slot = backend(opened), rays.RaySlot()
            stages.load(slot, given[0])
            for worker in stages.workers[: last + 1]:
                worker.begin(slot)
                assert worker.finish() > 0
            taken.append((stages, slot, last + 1))
        results = retrying.map(given)
        same(next(results), right[0])
        cluster.remove_node(node, allow_graceful=False)

        def go_on(stages: RayBackend, slot: Any, following: int) -> None:
            for worker in stages.workers[following:]:
                worker.begin(slot)
                worker.finish()

        seen = fault(lambda: go_on(*taken[0]))
        assert (seen.code, seen.message) == ("S572", "a value that it needs was lost"), seen
        for found, value in zip(results, right[1:], strict=True):
            same(found, value)
        go_on(*taken[1])
        same(taken[1][0].unload(taken[1][1]), right[0])
        assert set(homes(retrying)) == {cluster.head_node.node_id}


def test_no_room(cluster: Any, conv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "STARTING", 1.0)
    seen = fault(lambda: runner(cluster, conv, threads=(9,)))
    assert (seen.code, seen.message) == ("S573", "the actor of stage 'stage0' does not start")
    assert seen.reason == (
        "no machine had 9 CPUs for it within 1 s: of 16 in the cluster 16 are free"
    )


def test_a_processor_that_lacks_something(harm: Path) -> None:
    """What only the compiler there can tell: instructions that a library was built to use."""
    stage = replace(read_recipe(harm).stages[0], target="llvm -mtriple=riscv64-unknown-linux-gnu")
    host = StageHost()
    host.receive("stage0.so", np.frombuffer((harm / stage.library).read_bytes(), np.uint8))
    said = host.open(StageWork(engine="relay", stage=stage, library="stage0.so", threads=1))
    assert said is not None
    seen = decode_failure(said).diagnostics[0]
    assert (seen.code, "riscv64" in seen.reason) == ("S566", True)
    assert not (host._folder and host._folder.exists())


def test_the_machine_of_a_library(tmp_path: Path) -> None:
    assert machine_of(Path(sys.executable)) == os.uname().machine
    file = tmp_path / "lib.so"
    file.write_bytes(b"\x7fELF\x02\x01" + bytes(12) + (183).to_bytes(2, "little"))
    assert machine_of(file) == "aarch64"
    file.write_bytes(b"other")
    assert machine_of(file) is None


@pytest.fixture
def short() -> Iterator[Path]:
    """A temporary folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="s") as folder:
        yield Path(folder)


def command(temporary: Path, *arguments: object) -> subprocess.Popen[str]:
    """Run the command line in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "surgery", "run", *map(str, arguments), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
    )  # fmt: skip


def children(pid: int) -> list[int]:
    """Return the processes below one."""
    found, left = list[int](), [pid]
    while left:
        for task in Path(f"/proc/{left.pop()}/task").glob("*/children"):
            below = [int(child) for child in task.read_text().split()]
            found += below
            left += below
    return found


def test_a_cluster_of_its_own(conv: Path, tmp_path: Path, short: Path) -> None:
    """Started for the run, and nothing of it is left; nothing but the document is printed."""
    given = items(conv, 5)
    right = wanted(conv, given)
    np.savez(tmp_path / "x.npz", **{n: np.stack([i[n] for i in given]) for n in given[0]})
    out = tmp_path / "y.npz"
    # Without --on: the spec says ray.
    with command(short, conv, "--inputs", tmp_path / "x.npz", "-o", out) as process:
        printed, said = process.communicate(timeout=100)
    assert process.returncode == 0, said
    document = json.loads(printed)
    assert document["items"] == 5
    assert document["pipeline"]["on"] == "ray"
    assert all(line.startswith("surgery: ") for line in said.splitlines()), said
    found = np.load(out)
    for name in right[0]:
        np.testing.assert_array_equal(found[name], np.stack([o[name] for o in right]))
    assert list(short.iterdir()) == []


@pytest.mark.parametrize("when", ["starting", "running"])
def test_an_interrupt_leaves_nothing(
    harm: Path, tmp_path: Path, short: Path, when: str, request: pytest.FixtureRequest
) -> None:
    np.savez(tmp_path / "x.npz", **faulty.item(faulty.SLOW))
    given = ("--inputs", tmp_path / "x.npz", "--on", "ray", "--repeat", "100000")
    process = command(short, harm, *given)
    request.addfinalizer(process.kill)
    assert process.stderr is not None
    while when not in process.stderr.readline():
        assert process.poll() is None
    while len(below := children(process.pid)) < (2 if when == "starting" else 4):
        assert process.poll() is None
        time.sleep(0.01)
    assert len(list(short.glob("surgery-ray-*"))) == 1
    os.killpg(process.pid, signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert json.loads(printed)["interrupted"]
    assert "had been run" in said
    assert gone(below)
    assert not list(short.glob("surgery-ray-*"))


def test_without_ray(conv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    seen = fault(lambda: surgery.open(conv))
    assert seen.code == "S564"
    assert "surgery[ray]" in seen.remedy


def test_a_cluster_that_is_not_there(conv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said at once: Ray itself tries for minutes."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    start = time.monotonic()
    for given in (address, "nonsense"):
        seen = fault(lambda: surgery.open(conv, address=given))  # noqa: B023
        assert (seen.code, seen.message) == (
            "S565", f"the Ray cluster at {given} can't be reached",
        )  # fmt: skip
    monkeypatch.setenv("RAY_ADDRESS", address)
    assert address in fault(lambda: surgery.open(conv)).message
    assert time.monotonic() - start < 60


def test_options_of_ray() -> None:
    seen = fault(lambda: PipelineOptions(on="processes", address="auto"))
    assert (seen.code, seen.reason) == ("S578", "it runs on processes, not on ray")
    seen = fault(lambda: PipelineOptions(on="ray", affinity=((0,),)))
    assert seen.code == "S578"


@pytest.mark.parametrize(
    ("cpus", "stages", "each"),
    [
        ([8, 8], 2, 8), ([8, 8], 3, 4), ([3, 3], 3, 1), ([3, 3], 2, 3), ([1, 1], 3, 1 / 2),
        ([16], 3, 5), ([16, 2], 2, 8), ([0, 4], 4, 1), ([], 2, 0), ([0], 2, 0),
    ],
)  # fmt: skip
def test_cpus_shared_out(cpus: list[float], stages: int, each: float) -> None:
    from surgery.runtime.pipeline.cluster import even_threads

    assert even_threads(cpus, stages) == each
