"""Runs on the caller's own buffers: bound where that is right, copied where it isn't."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.binding import rebindable
from tests.engines.relay.plans import array, make_model, make_plan
from tests.engines.relay.stages import ENGINE, build_all

NAMES = ("x", "flag", "untouched")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two builds of a model with all that shares a tensor: see the outputs' comments."""
    x, flag = relay.var("x", shape=(2, 8)), relay.var("flag", shape=(3,), dtype="bool")
    untouched = relay.var("untouched", shape=(2,))
    h = relay.nn.relu(relay.nn.dense(x, relay.const(array(8, 8, seed=5))))
    shaped = relay.reshape(h, (4, 4))
    outputs = [
        h,  # also the operand of a reshape
        shaped,  # a reshape of an output
        relay.tanh(shaped),  # nobody else's
        relay.reshape(x, (16,)),  # a reshape of an input
        untouched,  # an input
        relay.logical_not(flag),  # of a type that DLPack lacks
        relay.const(np.float32(3)),  # a constant of no dimension
        relay.exp(h),
    ]
    model = make_model(relay.Function([x, flag, untouched], relay.Tuple(outputs)))
    where = tmp_path_factory.mktemp("bound")
    for executor in ("graph", "vm"):
        build_all(model, make_plan(model), where / executor, executor=executor)
    return where


def _open(folder: Path, executor: str) -> Any:
    return ENGINE.open_stage(folder / executor, "lib/stage0.so", executor, NAMES)


def _aligned(like: Any, offset: int = 0) -> Any:
    """Return a buffer that starts ``offset`` bytes after one of 64-byte alignment."""
    like = np.asarray(like)
    memory = np.zeros(like.nbytes + 128, "uint8")
    start = -memory.ctypes.data % 64 + offset
    return memory[start : start + like.nbytes].view(like.dtype).reshape(like.shape)


def _feed(seed: int) -> dict[str, Any]:
    return {
        "x": array(2, 8, seed=seed),
        "flag": np.arange(3) % 2 == seed % 2,
        "untouched": array(2, seed=seed + 50),
    }


def _expected(feed: Mapping[str, Any]) -> list[Any]:
    h = np.maximum(feed["x"] @ array(8, 8, seed=5).T, 0)
    return [
        h, h.reshape(4, 4), np.tanh(h.reshape(4, 4)), feed["x"].reshape(16), feed["untouched"],
        ~feed["flag"], np.float32(3), np.exp(h),
    ]  # fmt: skip


def _agree(found: Any, expected: Any) -> None:
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("executor", ["graph", "vm"])
@pytest.mark.parametrize("offsets", [(0, 0), (4, 4), (0, 4)], ids=["aligned", "not", "mixed"])
def test_slots_take_turns(folder: Path, executor: str, offsets: tuple[int, int]) -> None:
    runner = _open(folder, executor)
    slots = []
    for offset in offsets:
        inputs = {n: _aligned(v, offset if n == "x" else 0) for n, v in _feed(0).items()}
        outputs = [_aligned(v, offset if v.dtype == "float32" else 0) for v in _expected(_feed(0))]
        slots.append((inputs, outputs, runner.bind(inputs, outputs)))
    for seed in range(6):
        inputs, outputs, run = slots[seed % 2]
        for name, value in _feed(seed).items():
            inputs[name][...] = value
        run()
        _agree(outputs, _expected(_feed(seed)))
        if seed:  # what the other slot holds is left alone
            _agree(slots[(seed + 1) % 2][1], _expected(_feed(seed - 1)))
        if seed == 3:  # a run on tensors of its own in between
            _agree(runner(_feed(9)), _expected(_feed(9)))
            _agree(outputs, _expected(_feed(seed)))


def test_what_has_a_tensor_to_itself(folder: Path) -> None:
    library = tvm.runtime.load_module(str(folder / "graph" / "lib" / "stage0.so"))
    found = rebindable(library["get_graph_json"]())
    assert found.outputs == {2, 5, 7}
    assert found.inputs & set(NAMES) == {"flag"}


def test_a_value_returned_twice_is_copied() -> None:
    graph = {
        "nodes": [
            {"op": "null", "name": "x", "inputs": []},
            {"op": "tvm_op", "name": "f", "attrs": {"func_name": "f"}, "inputs": [[0, 0, 0]]},
        ],
        "heads": [[1, 0, 0], [1, 0, 0], [1, 1, 0]],
    }
    assert rebindable(json.dumps(graph)).outputs == {2}


def test_a_bound_run_uses_the_buffers_themselves(folder: Path) -> None:
    """The kernels are given their addresses; what shares a tensor has one of TVM's."""
    runner = _open(folder, "graph")
    inputs = {n: _aligned(v) for n, v in _feed(0).items()}
    outputs = [_aligned(v) for v in _expected(_feed(0))]
    runner.bind(inputs, outputs)()
    addresses = [own.handle.contents.data for own in runner._outputs]
    same = {i for i, o in enumerate(outputs) if o.ctypes.data == addresses[i]}
    assert same == {2, 5, 7}


@pytest.mark.parametrize("executor", ["graph", "vm"])
def test_buffers_that_do_not_fit(folder: Path, executor: str) -> None:
    runner = _open(folder, executor)
    inputs, outputs = _feed(0), [np.asarray(v).copy() for v in _expected(_feed(0))]
    for wrong in (outputs[:-1], [*outputs[:-1], outputs[-1].astype("float64")]):
        with pytest.raises(SurgeryError) as caught:
            runner.bind(inputs, wrong)()
        (found,) = caught.value.diagnostics
        assert found.code == "S588"
        assert "float32(2,8)" in found.reason
    del inputs["flag"]
    with pytest.raises(SurgeryError) as caught:
        runner.bind(inputs, outputs)
    assert caught.value.diagnostics[0].code == "S433"


def test_threads_of_a_stage_are_those_of_its_thread(folder: Path) -> None:
    """One thread to itself leaves the CPUs of the thread and of others as they are."""
    import os

    before = os.sched_getaffinity(0)
    seen: list[set[int]] = []
    one = min(before)

    def work(cpus: tuple[int, ...]) -> None:
        ENGINE.limit_threads(1, cpus)
        _open(folder, "graph")(_feed(0))
        seen.append(os.sched_getaffinity(0))

    for cpus in ((), (one,)):
        thread = threading.Thread(target=work, args=(cpus,))
        thread.start()
        thread.join()
    assert seen == [before, {one}]
    assert os.sched_getaffinity(0) == before


def test_memory_that_the_graph_uses_more_than_once(tmp_path: Path) -> None:
    """Outputs whose tensors held other values before, and inputs that are last used early."""
    x, y = relay.var("x", shape=(4, 16)), relay.var("y", shape=(4, 16))
    h = x
    for layer in range(5):
        h = relay.nn.softmax(relay.nn.dense(h, relay.const(array(16, 16, seed=layer))))
        h = relay.add(h, y) if layer == 2 else h
    model = make_model(relay.Function([x, y], relay.Tuple([h, relay.exp(h)])))
    build_all(model, make_plan(model), tmp_path)
    feed = {"x": array(4, 16, seed=8), "y": array(4, 16, seed=9)}
    expected = ENGINE.open_stage(tmp_path, "lib/stage0.so", "graph", ["x", "y"])(feed)
    library = tvm.runtime.load_module(str(tmp_path / "lib" / "stage0.so"))
    graph = json.loads(library["get_graph_json"]())
    _, storage = graph["attrs"]["storage_id"]
    assert all(storage.count(storage[head]) > 1 for head, _, _ in graph["heads"])
    runner = ENGINE.open_stage(tmp_path, "lib/stage0.so", "graph", ["x", "y"])
    inputs = {n: _aligned(v) for n, v in feed.items()}
    for name, value in feed.items():
        inputs[name][...] = value
    outputs = [_aligned(v) for v in expected]
    run = runner.bind(inputs, outputs)
    for _ in range(2):
        run()
        for got, want in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(got, want)
    for name, value in feed.items():
        np.testing.assert_array_equal(inputs[name], value)
