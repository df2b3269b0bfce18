"""The driver of a pipeline: order, limits, errors with stage and item, and every early end."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.diagnostics import error
from tests.runtime.pipeline.fakes import (
    FakeEngine,
    double,
    fault,
    item,
    made,
    number,
    opened,
    relu,
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    made(tmp_path)


def slow(seconds: float, stage: Any) -> Any:
    def run(inputs: Mapping[str, Any]) -> list[Any]:
        time.sleep(seconds)
        return stage(inputs)  # type: ignore[no-any-return]

    return run


def fails_at(value: float, stage: Any, times: int = 1 << 30) -> Any:
    """Return a stage that raises for an item, so many times."""
    left = [times]

    def run(inputs: Mapping[str, Any]) -> list[Any]:
        (given,) = inputs.values()
        if given[0, 0] == value and left[0]:
            left[0] -= 1
            raise error("S434", "the stage fails when it runs", reason="kernel returned 1")
        return stage(inputs)  # type: ignore[no-any-return]

    return run


def taken(results: Iterator[Any], into: list[float]) -> None:
    for outputs in results:
        into.append(number(outputs))


# -- results


def test_one_item(tmp_path: Path) -> None:
    with opened(tmp_path) as runner:
        outputs = runner(item(3))
        assert list(outputs) == ["out0", "hidden", "again"]
        assert number(outputs) == 3


@pytest.mark.parametrize("depth", [1, 3])
def test_many_in_order_whichever_stage_is_slow(tmp_path: Path, depth: int) -> None:
    for engine in (FakeEngine(stage0=slow(0.002, relu)), FakeEngine(stage1=slow(0.002, double))):
        with opened(tmp_path, engine=engine, depth=depth) as runner:
            found = [number(o) for o in runner.map(item(n) for n in range(30))]
            assert found == list(range(30))
            assert runner.statistics.items == 30


def test_stages_run_side_by_side(tmp_path: Path) -> None:
    begun = [threading.Event() for _ in range(21)]
    together: list[bool] = []

    def first(inputs: Mapping[str, Any]) -> list[Any]:
        (given,) = inputs.values()
        begun[int(given[0, 0])].set()
        time.sleep(0.002)
        return relu(inputs)

    def second(inputs: Mapping[str, Any]) -> list[Any]:
        # Whenever this stage has an item, the other one takes up the next.
        together.append(begun[len(together) + 1].wait(30))
        time.sleep(0.002)
        return double(inputs)

    begun[20].set()  # none comes after the last
    with opened(tmp_path, engine=FakeEngine(stage0=first, stage1=second)) as runner:
        assert len(list(runner.map(item(n) for n in range(20)))) == 20
        seen = runner.statistics
    assert together == [True] * 20
    assert all(0 < s.utilisation <= 1 for s in seen.stages)
    assert [s.name for s in seen.stages] == [s.name for s in runner.recipe.stages]
    assert 0.002 <= seen.stages[0].times.p50 <= seen.latency.p50 <= seen.latency.max


def test_results_are_the_callers(tmp_path: Path) -> None:
    with opened(tmp_path, depth=1) as runner:
        given = item(1)
        results = runner.map(itertools.repeat(given, 6))
        first = next(results)
        first["hidden"][:] = 77
        assert [number(o) for o in results] == [1] * 5
        assert first["hidden"][0, 0] == 77
        np.testing.assert_array_equal(given["x"], item(1)["x"])


def test_an_item_may_be_overwritten_once_it_was_given(tmp_path: Path) -> None:
    buffer = item(0)

    def items() -> Iterator[dict[str, Any]]:
        for n in range(20):
            buffer["x"][:] = item(n)["x"]
            yield buffer

    with opened(tmp_path, engine=FakeEngine(stage0=slow(0.001, relu))) as runner:
        assert [number(o) for o in runner.map(items())] == list(range(20))


def test_no_items(tmp_path: Path) -> None:
    with opened(tmp_path) as runner:
        assert list(runner.map([])) == []
        assert runner.statistics.throughput == 0


# -- limits


def test_the_source_is_read_no_further_than_there_are_slots(tmp_path: Path) -> None:
    read = []

    def items() -> Iterator[dict[str, Any]]:
        for n in range(100):
            read.append(n)
            yield item(n)

    with opened(tmp_path, depth=2) as runner:
        results = runner.map(items())
        assert not read
        for n in range(5):
            assert number(next(results)) == n
            time.sleep(0.02)
            assert len(read) <= n + 1 + 4
        assert [number(o) for o in results] == list(range(5, 100))


def test_a_result_is_given_although_the_source_has_no_more_yet(tmp_path: Path) -> None:
    go_on = threading.Event()

    def items() -> Iterator[dict[str, Any]]:
        yield item(0)
        assert go_on.wait(10)
        yield item(1)

    with opened(tmp_path) as runner:
        results = runner.map(items())
        assert number(next(results)) == 0
        go_on.set()
        assert number(next(results)) == 1


def test_calls_and_maps_share_the_stages(tmp_path: Path) -> None:
    found: dict[int, list[float]] = {n: [] for n in range(4)}
    with opened(tmp_path, depth=1) as runner:

        def work(base: int) -> None:
            taken(runner.map(item(base * 100 + n) for n in range(25)), found[base])

        threads = [threading.Thread(target=work, args=(n,)) for n in found]
        for thread in threads:
            thread.start()
        assert [number(runner(item(n))) for n in range(25)] == list(range(25))
        for thread in threads:
            thread.join(20)
        # A map of a map, on the same stages.
        again = runner.map({"x": o["hidden"]} for o in runner.map(item(n) for n in range(30)))
        assert [number_of_positive(o) for o in again] == list(range(30))
    assert found == {n: [n * 100 + k for k in range(25)] for n in range(4)}


def number_of_positive(outputs: Mapping[str, Any]) -> float:
    return float(outputs["hidden"][0, 0])


# -- faults


@pytest.mark.parametrize("stage", [0, 1])
def test_a_stage_that_raises_is_named_with_the_item(tmp_path: Path, stage: int) -> None:
    engine = FakeEngine(**{f"stage{stage}": fails_at(7, (relu, double)[stage])})
    found: list[float] = []
    with opened(tmp_path, engine=engine, depth=3) as runner:
        results = runner.map(item(n) for n in range(20))
        seen = fault(lambda: taken(results, found))
        name = runner.recipe.stages[stage].name
        assert seen.message == f"item 7: stage '{name}': the stage fails when it runs"
        assert f"in stage '{name}' (lib/stage{stage}.so)" in seen.notes
        assert found == list(range(7))
        assert list(results) == []
        # The stages are none the worse for it.
        assert [number(o) for o in runner.map(item(n) for n in range(5))] == list(range(5))
        alone = fault(lambda: runner(item(7)))
        assert alone.message == f"stage '{name}': the stage fails when it runs"


def test_a_stage_is_tried_again_as_often_as_asked(tmp_path: Path) -> None:
    engine = FakeEngine(stage1=fails_at(7, double, times=2))
    with opened(tmp_path, engine=engine, retries=2) as runner:
        assert [number(o) for o in runner.map(item(n) for n in range(20))] == list(range(20))
        assert [s.restarts for s in runner.statistics.stages] == [0, 2]
    assert engine.opened == ["stage0", "stage1", "stage1", "stage1"]
    engine = FakeEngine(stage1=fails_at(7, double, times=2))
    with opened(tmp_path, engine=engine, retries=1) as runner:
        seen = fault(lambda: list(runner.map(item(n) for n in range(20))))
        assert seen.message.startswith("item 7: ")
        assert "it was tried 2 times" in seen.notes


def test_an_exception_that_no_engine_explains(tmp_path: Path) -> None:
    def broken(inputs: Mapping[str, Any]) -> list[Any]:
        raise ZeroDivisionError("division by zero")

    with opened(tmp_path, engine=FakeEngine(stage1=broken)) as runner:
        seen = fault(lambda: runner(item(1)))
        assert seen.code == "S587"
        assert seen.reason == "division by zero"
        # A library that gives something else than the recipe says ends as clearly.
    with opened(tmp_path, engine=FakeEngine(stage1=lambda _: [np.zeros((3, 3))])) as runner:
        assert "could not broadcast" in fault(lambda: runner(item(1))).reason


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"x": np.zeros((1, 5), "float32")}, "S584"),
        ({"x": np.zeros((1, 4), "float64")}, "S585"),
        ({"y": np.zeros((1, 4), "float32")}, "S583"),
        ({}, "S582"),
    ],
)
def test_wrong_inputs_amid_a_stream(tmp_path: Path, wrong: dict[str, Any], code: str) -> None:
    found: list[float] = []
    with opened(tmp_path, engine=FakeEngine(stage1=slow(0.001, double))) as runner:
        items = [item(0), item(1), item(2), wrong, item(4)]
        seen = fault(lambda: taken(runner.map(items), found))
        assert seen.code == code
        assert seen.message.startswith("item 3: ")
        assert found == [0, 1, 2]
        assert fault(lambda: runner(wrong)).code == code
        assert number(runner(item(1))) == 1


def test_a_source_that_raises(tmp_path: Path) -> None:
    def items() -> Iterator[dict[str, Any]]:
        yield item(0)
        yield item(1)
        raise LookupError("no more of it")

    found: list[float] = []
    with opened(tmp_path, engine=FakeEngine(stage0=slow(0.01, relu))) as runner:
        with pytest.raises(LookupError, match="no more of it") as caught:
            taken(runner.map(items()), found)
        assert found == [0, 1]
        assert caught.value.__notes__ == ["raised by what gives the inputs, for item 2"]
        with pytest.raises(TypeError):
            list(runner.map(7))  # type: ignore[arg-type]


# -- early ends


def test_a_consumer_that_stops_early(tmp_path: Path) -> None:
    with opened(tmp_path, engine=FakeEngine(stage0=slow(0.005, relu))) as runner:
        for outputs in runner.map(item(n) for n in itertools.count()):
            if number(outputs) == 3:
                break
        results = runner.map(item(n) for n in itertools.count())
        next(results)
        del results
        assert [number(o) for o in runner.map(item(n) for n in range(9))] == list(range(9))


def test_a_closed_runner(tmp_path: Path) -> None:
    with opened(tmp_path) as runner:
        results = runner.map(item(n) for n in itertools.count())
        assert number(next(results)) == 0
    assert fault(lambda: list(results)).code == "S575"
    assert fault(lambda: runner(item(1))).code == "S575"
    assert fault(lambda: runner.map([])).code == "S575"
    runner.close()
    assert runner.statistics.items >= 1
    seconds = runner.statistics.seconds
    time.sleep(0.01)
    assert runner.statistics.seconds == seconds


def test_closing_wakes_who_waits(tmp_path: Path) -> None:
    codes: list[str] = []
    runner = opened(tmp_path, engine=FakeEngine(stage1=slow(0.2, double)), depth=1)

    def work(n: int) -> None:
        codes.append(fault(lambda: [runner(item(k)) for k in range(20)]).code)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    runner.close()
    for thread in threads:
        thread.join(5)
    assert codes == ["S575"] * 5
    assert not runner.stuck


def test_a_forgotten_runner_ends_its_threads(tmp_path: Path) -> None:
    def alive() -> int:
        return sum(t.name.startswith("surgery") for t in threading.enumerate())

    before = alive()
    runner = opened(tmp_path)
    results = runner.map(item(n) for n in itertools.count())
    del runner
    gc.collect()
    assert number(next(results)) == 0  # the iterator keeps it
    del results
    gc.collect()
    until = time.monotonic() + 5
    while alive() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert alive() == before


def test_a_stage_that_hangs(tmp_path: Path) -> None:
    go_on = threading.Event()

    def hangs(inputs: Mapping[str, Any]) -> list[Any]:
        if inputs["x"][0, 0] == 3:
            go_on.wait(20)
        return relu(inputs)

    found: list[float] = []
    engine = FakeEngine(stage0=hangs, stage1=slow(0.02, double))
    with opened(tmp_path, engine=engine, timeout=0.3) as runner:
        seen = fault(lambda: taken(runner.map(item(n) for n in range(9)), found))
        assert seen.code == "S574"
        assert seen.message == "item 3: stage 'stage0': it took longer than 0.3 s"
        assert found == [0, 1, 2]
        assert fault(lambda: runner(item(1))).code == "S574"
        assert fault(lambda: list(runner.map([item(1)]))).code == "S574"
        go_on.set()
    assert fault(lambda: runner(item(1))).code == "S575"


def test_closing_leaves_a_hung_thread_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surgery.runtime.pipeline.driver.CLOSING", 0.1)
    go_on, there = threading.Event(), threading.Event()

    def hangs(inputs: Mapping[str, Any]) -> list[Any]:
        there.set()
        go_on.wait(600)
        return relu(inputs)

    runner = opened(tmp_path, engine=FakeEngine(stage0=hangs))
    threading.Thread(target=lambda: fault(lambda: runner(item(1))), daemon=True).start()
    assert there.wait(5)
    runner.close()  # while the stage waits for longer than a test may take
    assert runner.stuck
    go_on.set()
    until = time.monotonic() + 5
    while runner.stuck and time.monotonic() < until:
        time.sleep(0.01)
    assert not runner.stuck
