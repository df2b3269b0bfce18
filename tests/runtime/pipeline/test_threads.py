"""Real stages in threads of this process: the same bits, threads of their own, flat memory."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.recipe import read_recipe
from surgery.runtime import Runner
from surgery.runtime.pipeline import PipelineOptions, open_pipeline
from tests.runtime.pipeline import faulty
from tests.runtime.pipeline.fakes import FakeEngine, fault, made, opened
from tests.runtime.pipeline.fakes import item as fake_item


def resident() -> int:
    """Return this process's resident memory in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_bits_are_those_of_one_stage_after_the_other(harm: Path) -> None:
    plain = Runner(read_recipe(harm), harm)
    generator = np.random.default_rng(0)
    items = [{"x": generator.standard_normal((1, 4), "float32")} for _ in range(50)]
    with open_pipeline(harm, PipelineOptions()) as runner:
        for given, found in zip(items, runner.map(items), strict=True):
            for name, wanted in plain(given).items():
                np.testing.assert_array_equal(found[name], wanted)


def test_a_kernel_that_fails(harm: Path) -> None:
    with open_pipeline(harm, PipelineOptions(retries=1)) as runner:
        results = runner.map(map(faulty.item, (1, 2, faulty.RAISES, 3)))
        assert [faulty.number(next(results)) for _ in range(2)] == [1, 2]
        seen = fault(lambda: next(results))
    assert seen.code == "S434"
    assert seen.message == "item 2: stage 'stage1': the stage fails when it runs"
    assert "harm_relu_k0" in seen.reason
    assert "it was tried 2 times" in seen.notes


def test_ten_thousand_items_in_flat_memory(harm: Path) -> None:
    def items() -> Iterator[dict[str, Any]]:
        for n in range(10_000):
            yield faulty.item(n % 997)

    with open_pipeline(harm, PipelineOptions()) as runner:
        after: dict[int, int] = {}
        for count, outputs in enumerate(runner.map(items())):
            assert faulty.number(outputs) == count % 997
            if count in (1_999, 9_999):
                after[count] = resident()
        assert runner.statistics.items == 10_000
    assert after[9_999] - after[1_999] < 2 << 20


def test_threads_and_cpus_of_each_stage(tmp_path: Path) -> None:
    made(tmp_path)
    engine = FakeEngine()
    cpus = sorted(os.sched_getaffinity(0))
    options = {"threads": (3, 4), "affinity": ((cpus[0],), (cpus[-1],))}
    with opened(tmp_path, engine=engine, **options) as runner:
        runner(fake_item(1))
    assert engine.limits == {
        "surgery stage0": (3, (cpus[0],)), "surgery stage1": (4, (cpus[-1],))
    }  # fmt: skip
    engine = FakeEngine()
    with opened(tmp_path, engine=engine) as runner:
        runner(fake_item(1))
    share = max(1, len(cpus) // 2)
    assert set(engine.limits.values()) == {(share, ())}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"on": "cloud"}, "on 'cloud'"),
        ({"depth": 0}, "depth 0"),
        ({"depth": 1 << 40}, "depth 1099511627776"),
        ({"retries": -1}, "retries -1"),
        ({"threads": (1, 0)}, "threads"),
        ({"threads": (1, 1, 1)}, "threads of 3 stages"),
        ({"affinity": ((0,),)}, "affinity of 1 stages"),
        ({"affinity": ((0,), (4096,))}, "affinity to CPU 4096"),
        ({"affinity": ((0,), ())}, "affinity to no CPU"),
        ({"timeout": 0.0}, "timeout 0.0"),
        ({"timeout": float("nan")}, "timeout nan"),
        ({"timeout": float("inf")}, "timeout inf"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, Any], what: str) -> None:
    made(tmp_path)
    seen = fault(lambda: opened(tmp_path, **options))
    assert seen.code == "S578"
    assert seen.message == f"no pipeline can be made with {what}"


def test_more_memory_than_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 4096}.__getitem__)
    seen = fault(lambda: opened(tmp_path, depth=1000))
    assert seen.code == "S576"
    assert seen.reason == "the machine has 4,096 bytes"


def test_no_more_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was started is ended again."""
    made(tmp_path)
    before, start = threading.active_count(), threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "surgery results":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        opened(tmp_path)
    assert threading.active_count() == before


def test_values_of_unknown_size(tmp_path: Path) -> None:
    """Without a fixed place in a slot, values go from stage to stage as they are."""
    made(tmp_path)
    text = (tmp_path / "recipe.json").read_text()
    document = json.loads(text)
    for tensor in (
        *document["inputs"], *document["outputs"],
        *(t for s in document["stages"] for t in (*s["inputs"], *s["outputs"])),
    ):  # fmt: skip
        tensor["shape"][0] = "?"
    (tmp_path / "recipe.json").write_text(json.dumps(document))
    sizes = [1, 3, 2, 2, 5]
    with opened(tmp_path, depth=1, retries=1) as runner:
        for round_ in range(2):
            items = [{"x": np.full((n, 4), round_ + 1, "float32")} for n in sizes]
            found = list(runner.map(items))
            assert [o["out0"].shape for o in found] == [(n, 4) for n in sizes]
            assert all((o["out0"] == 2 * (round_ + 1)).all() for o in found)
    seen = fault(lambda: opened(tmp_path, on="processes"))
    assert seen.code == "S577"
    assert "'x' has no fixed size: float32(?,4)" in seen.message
