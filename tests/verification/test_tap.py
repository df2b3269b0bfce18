"""Values of intermediates: which builds they take, and that they are the right ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.codes.planning import CODES
from surgery.diagnostics import SurgeryError
from surgery.engines import get_engine
from surgery.engines.base import EngineModel
from surgery.graph import Ref
from surgery.planning import BuildPlan
from surgery.verification import tap_batches, tap_values
from tests.graphs import GraphBuilder

ENGINE = get_engine("relay")
X = np.linspace(-2, 2, 12, dtype="float32").reshape(3, 4)
W = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)


def sized(*extents: int | str) -> tuple[GraphBuilder, list[Ref]]:
    """Return a graph of one value an extent, of 4 bytes an element."""
    builder = GraphBuilder()
    x = builder.input("x", "float32(1)")
    made = [builder.call("exp", x, type=f"float32({n})") for n in extents]
    return builder, [Ref(i) for i in made]


@pytest.mark.parametrize(
    ("extents", "memory", "expected"),
    [
        ((1, 1, 1), None, [3]),
        ((1, 1, 1), 16, [2, 1]),  # a value of 4 bytes takes 8
        ((100, 1, 1), 16, [1, 2]),
        ((1, 100, 1), 16, [1, 1, 1]),
        (("?", "?", 2), 16, [3]),
        ((1, 1), 1, [1, 1]),
    ],
)
def test_values_of_a_run_fit_into_memory(
    extents: Sequence[int | str], memory: int | None, expected: Sequence[int]
) -> None:
    builder, refs = sized(*extents)
    graph = builder.graph(refs[-1].node)
    batches = tap_batches(graph, refs, memory)
    assert [len(b) for b in batches] == expected
    assert [ref for batch in batches for ref in batch] == refs
    assert tap_batches(graph, [], memory) == ()


@pytest.fixture(scope="module")
def model() -> EngineModel:
    """``add(dense(exp(x), w), split(exp(x)).1)`` and more: a weight, a constant, a field."""
    x, w = relay.var("x", shape=(3, 4)), relay.var("w", shape=(3, 4))
    e = relay.exp(x)
    d = relay.nn.dense(e, w)
    s = relay.split(e, 2, axis=1)
    total = relay.nn.relu(relay.sum(s[1] * relay.const(2.0)) + d)
    return ENGINE.adopt(
        tvm.IRModule.from_expr(relay.Function([x, w], total)), {"w": tvm.nd.array(W)}
    )


def refs_of(model: EngineModel, *ops: str) -> list[Ref]:
    graph = model.module.main
    return [graph.resolve(graph.ops.index(op)) for op in ops]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("memory", [None, 100])
def test_values_are_what_numpy_computes(
    model: EngineModel, whole: bool, opt: int, memory: int | None
) -> None:
    exp, dense, split, relu = refs_of(model, "exp", "nn.dense", "split", "nn.relu")
    graph = model.module.main
    weight = next(Ref(p) for p in graph.params if graph.kinds[p] == "param")
    half = Ref(split.node, (1,))
    builds: list[tuple[int, int]] = []
    found: dict[Ref, np.ndarray] = {}
    wanted = [exp, dense, half, weight, relu, exp]
    for values in tap_values(
        ENGINE, model, wanted, {"x": X}, build=BuildPlan(opt_level=opt), memory=memory,
        whole=whole, on_batch=lambda done, count: builds.append((done, count)),
    ):  # fmt: skip
        found.update(values)
    expected = {
        exp: np.exp(X),
        dense: np.exp(X) @ W.T,
        half: np.exp(X)[:, 2:],
        weight: W,
        relu: np.maximum((np.exp(X)[:, 2:] * 2).sum() + np.exp(X) @ W.T, 0),
    }
    assert set(found) == set(expected)
    if memory is None:
        assert list(found) == list(expected)
    for ref, value in expected.items():
        np.testing.assert_allclose(found[ref], value, rtol=1e-5)
    assert builds == [(0, 1)]


def test_what_is_inside_a_branch_has_no_value() -> None:
    x = relay.var("x", shape=(2,))
    branch = relay.If(relay.const(True), relay.exp(x), relay.tanh(x))
    model = ENGINE.adopt(tvm.IRModule.from_expr(relay.Function([x], branch)))
    with pytest.raises(SurgeryError) as caught:
        list(tap_values(ENGINE, model, refs_of(model, "exp"), {"x": X[0, :2]}))
    (found,) = caught.value.diagnostics
    assert found.code == "S271"
    assert found.code in CODES
    graph = model.module.main
    (values,) = tap_values(ENGINE, model, [Ref(graph.result)], {"x": X[0, :2]})
    np.testing.assert_allclose(values[Ref(graph.result)], np.exp(X[0, :2]), rtol=1e-6)
