"""A model run kernel by kernel: all values right, in memory that is given back meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.codes.relay_build import CODES
from surgery.diagnostics import SurgeryError
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.stepwise import replan, stepwise
from surgery.planning import BuildPlan, make_plan
from surgery.source import Source
from surgery.syntax import load_text
from tests.engines.relay.plans import array, make_model

X = array(4, 8)


def graph_of(module: tvm.IRModule, opt: int = 3) -> dict[str, Any]:
    with tvm.transform.PassContext(opt_level=opt):
        return json.loads(relay.build(module, "llvm").get_graph_json())


def chain(length: int) -> relay.Function:
    """A chain of softmax ops, which TVM doesn't fuse, with a reshape of each among its results."""
    x = relay.var("x", shape=(4, 8))
    at, results = x, []
    for _ in range(length):
        at = relay.nn.softmax(at)
        results.append(relay.reshape(at, (8, 4)))
    return relay.Function([x], relay.Tuple([at, *results]))


def overlaps(graph: dict[str, Any]) -> Iterator[str]:
    """Run a graph in mind: whose memory is written while somebody still has to read it."""
    rows, storage = graph["node_row_ptr"], graph["attrs"]["storage_id"][1]
    holder: dict[int, int] = {}
    meaning = list(range(rows[-1]))
    for index, node in enumerate(graph["nodes"]):
        alias = node["op"] != "null" and node["attrs"]["func_name"] == "__nop"
        for n, out, _ in () if alias else node["inputs"]:
            entry = rows[n] + out
            if holder[storage[entry]] != meaning[entry]:
                yield f"node {index} reads {n}, which is overwritten"
        for entry in range(rows[index], rows[index + 1]):
            if alias:
                n, out, _ = node["inputs"][0]
                meaning[entry] = meaning[rows[n] + out]
                if storage[entry] != storage[rows[n] + out]:
                    yield f"alias {index} has memory of its own"
            else:
                holder[storage[entry]] = meaning[entry]


def test_memory_is_used_again_once_it_was_read() -> None:
    graph = graph_of(tvm.IRModule.from_expr(chain(20)))
    before = len(set(graph["attrs"]["storage_id"][1]))
    replan(graph)
    assert not list(overlaps(graph))
    after = len(set(graph["attrs"]["storage_id"][1]))
    assert before >= 20  # each result has a place of its own
    assert after <= 4


def test_weights_and_inputs_keep_their_memory() -> None:
    x, w = relay.var("x", shape=(4, 8)), relay.var("w", shape=(8, 8))
    body = x
    for _ in range(4):
        body = relay.nn.dense(relay.tanh(body), w)
    graph = graph_of(tvm.IRModule.from_expr(relay.Function([x, w], body)), 0)
    replan(graph)
    assert not list(overlaps(graph))
    storage, rows = graph["attrs"]["storage_id"][1], graph["node_row_ptr"]
    for fixed in graph["arg_nodes"]:
        assert storage.count(storage[rows[fixed]]) == 1


def run(
    model: RelayModel, text: str, opt: int = 3, inputs: Any = None
) -> list[tuple[int, np.ndarray]]:
    plan = make_plan(load_text(Source(text, "s.surgery"), {}), model.module)
    return list(stepwise(model, plan, BuildPlan(opt_level=opt), inputs or {"x": X}))


@pytest.mark.parametrize("opt", [0, 3])
def test_each_output_comes_once_and_right(opt: int) -> None:
    model = make_model(chain(3))
    found = run(model, "output %0 as first; output input x as given", opt)
    assert sorted(place for place, _ in found) == [0, 1, 2, 3, 4, 5]
    values = dict(found)
    at = X
    for index in range(3):
        e = np.exp(at - at.max(axis=1, keepdims=True))
        at = e / e.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(values[1 + index], at.reshape(8, 4), rtol=1e-5)
        if index == 0:
            np.testing.assert_allclose(values[4], at, rtol=1e-5)
    np.testing.assert_allclose(values[0], at, rtol=1e-5)
    np.testing.assert_array_equal(values[5], X)


def test_weights_without_a_copy_and_through_a_reshape() -> None:
    x, w = relay.var("x", shape=(4, 8)), relay.var("w", shape=(4, 2))
    body = relay.add(relay.nn.softmax(x), relay.reshape(w, (8,)))
    weight = array(4, 2, seed=3)
    module = tvm.IRModule.from_expr(relay.Function([x, w], relay.tanh(body)))
    from surgery.engines.relay.adopt import adopt

    model = adopt(module, {"w": tvm.nd.array(weight)})
    for opt in (0, 3):
        ((_, value),) = run(model, "", opt)
        e = np.exp(X - X.max(axis=1, keepdims=True))
        expected = np.tanh(e / e.sum(axis=1, keepdims=True) + weight.reshape(8))
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    np.testing.assert_array_equal(model.params["w"].numpy(), weight)


def test_the_model_stays_as_it_is() -> None:
    model = make_model(chain(2))
    before = tvm.ir.save_json(model.ir)
    run(model, "output %0 as first")
    assert tvm.ir.save_json(model.ir) == before


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (BuildPlan(target="nonsense"), "S410"),
        (BuildPlan(config=(("relay.Nonsense", 1),)), "S411"),
        (BuildPlan(disable=("Nonsense",)), "S412"),
    ],
)
def test_what_tvm_does_not_know_is_said(build: BuildPlan, code: str) -> None:
    model = make_model(chain(1))
    plan = make_plan(load_text(Source("", "s.surgery"), {}), model.module)
    with pytest.raises(SurgeryError) as caught:
        list(stepwise(model, plan, build, {"x": X}))
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert code in CODES
