"""What is tried again, with workers that are given work ahead: any faults, on a made-up backend."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.diagnostics import SurgeryError, error
from surgery.recipe import Recipe
from surgery.runtime.pipeline import PipelineOptions, WorkerLost
from surgery.runtime.pipeline.driver import Pipeline
from tests.recipe.plans import two_stage_recipe
from tests.runtime.pipeline.fakes import item

#: (stage, item) -> what befalls it, time after time; then it goes well.
Faults = Mapping[tuple[int, int], list[str]]


class Worker:
    """Adds one to a slot's value, but for what the script says."""

    ahead = 2

    def __init__(self, stage: int, faults: Faults) -> None:
        self._stage = stage
        self._faults = faults
        self._queue: deque[dict[str, Any]] = deque()
        self._gone = False

    def begin(self, slot: dict[str, Any]) -> None:
        if not self._gone:
            self._queue.append(slot)
            assert len(self._queue) <= self.ahead

    def finish(self) -> float:
        if self._gone:
            raise WorkerLost("it was gone")
        slot = self._queue[0]
        left = self._faults.get((self._stage, slot["item"]), [])
        fault = left.pop(0) if left else ""
        if fault == "lost":
            self._gone = True
            raise WorkerLost("it went away")
        self._queue.popleft()
        if fault == "raises":
            raise error("S434", "it failed")
        slot["stages"].append(self._stage)
        return 0.001

    def restart(self) -> None:
        self._queue.clear()
        self._gone = False

    def interrupt(self) -> bool:
        return False


class Backend:
    def __init__(self, stages: int, slots: int, faults: Faults) -> None:
        self.workers = tuple(Worker(n, faults) for n in range(stages))
        self.slots: tuple[dict[str, Any], ...] = tuple({} for _ in range(slots))
        self.closed = threading.Event()

    def load(self, slot: dict[str, Any], inputs: Mapping[str, Any]) -> None:
        slot.update(item=int(inputs["x"][0, 0]), stages=[])

    def unload(self, slot: dict[str, Any]) -> dict[str, Any]:
        # Each stage ran to its end once: none was left out, none done again after it went well.
        assert slot["stages"] == list(range(len(self.workers)))
        return {"item": np.array(slot["item"])}

    def close(self) -> None:
        self.closed.set()


ITEMS = 12
faults = st.dictionaries(
    st.tuples(st.integers(0, 1), st.integers(0, ITEMS - 1)),
    st.lists(st.sampled_from(["lost", "raises"]), min_size=1, max_size=4),
    max_size=5,
)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return two_stage_recipe(tmp_path_factory.mktemp("retries"))


@given(script=faults, retries=st.integers(0, 3), depth=st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_any_faults(
    recipe: Recipe, script: dict[tuple[int, int], list[str]], retries: int, depth: int
) -> None:
    fatal = {number for (_, number), left in script.items() if len(left) > retries}
    first = min(fatal, default=ITEMS)
    # The pipeline uses up what it is given.
    backend = Backend(2, 2 * depth, {key: list(left) for key, left in script.items()})
    pipeline = Pipeline(recipe, backend, PipelineOptions(retries=retries))
    found: list[int] = []
    try:
        for outputs in pipeline.map(item(n) for n in range(ITEMS)):
            found.append(int(outputs["item"]))
    except SurgeryError as failure:
        message = failure.diagnostics[0].message
        assert message.startswith(f"item {first}: stage ")
        assert (f"it was tried {retries + 1} times" in failure.diagnostics[0].notes) == (
            retries > 0
        )
    else:
        assert not fatal
    assert found == list(range(first))
    # Whatever happened, it is as good as new.
    backend.workers[0]._faults = backend.workers[1]._faults = {}
    again = [int(o["item"]) for o in pipeline.map(item(n) for n in range(5))]
    assert again == list(range(5))
    pipeline.close()
    assert backend.closed.is_set()
