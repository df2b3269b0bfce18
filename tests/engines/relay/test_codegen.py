"""Regions compiled by TVM itself: kernels of every dtype and shape agree with the model."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay import codegen
from surgery.graph import Graph, Ref
from tests.engines.relay.plans import (
    Ask,
    Site,
    agree,
    array,
    const,
    evaluate,
    ids,
    make_model,
    make_plan,
    operate,
)
from tests.engines.relay.stages import build_all, run_all


def _ops(graph: Graph, *ops: str) -> list[int]:
    wanted = [i for op in ops for i in ids(graph, op)]
    fields = [
        i for i in range(len(graph))
        if graph.kinds[i] == "field" and graph.operands[i][0] in wanted
    ]  # fmt: skip
    return wanted + fields


def _offloaded(
    folder: Path, function: Any, *ops: str, params: Any = None, feed: Any = None, **options: Any
) -> list[Any]:
    """Offload the ops named, build, run, compare with TVM's own run of the whole model."""
    model = make_model(function, params)
    plan = make_plan(model, Ask(sites=[Site(nodes=_ops(model.module.main, *ops))]))
    build_all(model, plan, folder, **options)
    found = run_all(plan, folder, feed, options.get("executor", "graph"))
    agree(found, evaluate(model.ir, feed, model.params), 1e-3)
    return found


DTYPES = ["float64", "float16", "int8", "uint8", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(tmp_path: Path, dtype: str) -> None:
    x = relay.var("x", shape=(2, 3), dtype=dtype)
    other = const(2, 3, dtype=dtype)
    if dtype == "bool":
        body = relay.logical_and(relay.logical_not(x), other)
        ops = ["logical_not", "logical_and"]
    else:
        body = relay.multiply(relay.add(x, other), x)
        ops = ["add", "multiply"]
    feed = {"x": array(2, 3, dtype=dtype)}
    _offloaded(tmp_path, relay.Function([x], relay.concatenate([body, x], 0)), *ops, feed=feed)


def _scalars() -> tuple[Any, list[str]]:
    x = relay.var("x", shape=(2, 3))
    return relay.Function([x], relay.add(relay.exp(relay.mean(x)), x)), ["mean", "exp"]


def _several_results() -> tuple[Any, list[str]]:
    x = relay.var("x", shape=(2, 3))
    parts = relay.split(relay.exp(x), 3, axis=1)
    return relay.Function([x], relay.Tuple([parts[0], relay.tanh(parts[2])])), ["exp", "split"]


def _several_kernels() -> tuple[Any, list[str]]:
    x = relay.var("x", shape=(1, 4, 8, 8))
    one = relay.nn.conv2d(x, const(8, 4, 3, 3), padding=(1, 1), channels=8, kernel_size=(3, 3))
    two = relay.nn.max_pool2d(relay.nn.relu(one), pool_size=(2, 2), strides=(2, 2))
    three = relay.nn.dense(relay.nn.batch_flatten(two), const(5, 128))
    ops = ["nn.conv2d", "nn.relu", "nn.max_pool2d", "nn.batch_flatten", "nn.dense"]
    return relay.Function([x], relay.nn.softmax(three)), ops


def _only_reshape() -> tuple[Any, list[str]]:
    x = relay.var("x", shape=(2, 3))
    return relay.Function([x], relay.exp(relay.reshape(x, (3, 2)))), ["reshape"]


@pytest.mark.parametrize("make", [_scalars, _several_results, _several_kernels, _only_reshape])
@pytest.mark.parametrize("executor", ["graph", "vm"])
def test_shapes_of_regions(
    tmp_path: Path, make: Callable[[], tuple[Any, list[str]]], executor: str
) -> None:
    function, ops = make()
    shape = [int(d) for d in function.params[0].type_annotation.shape]
    _offloaded(tmp_path, function, *ops, feed={"x": array(*shape)}, executor=executor)


def test_large_constants_are_embedded_exactly(tmp_path: Path) -> None:
    x = relay.var("x", shape=(4, 300))
    weight = relay.var("w", shape=(500, 300))
    params = {"w": array(500, 300, seed=3)}
    function = relay.Function([x, weight], relay.nn.relu(relay.nn.dense(x, weight)))
    _offloaded(tmp_path, function, "nn.dense", params=params, feed={"x": array(4, 300)})
    size = (tmp_path / "lib/stage0.so").stat().st_size
    # Once in the library, and in no params file.
    assert 500 * 300 * 4 < size < 1.5 * 500 * 300 * 4
    assert not (tmp_path / "stages/0/params.bin").exists()


def test_weights_outside_regions_are_in_the_library_once(tmp_path: Path) -> None:
    x = relay.var("x", shape=(4, 300))
    weight = relay.var("w", shape=(500, 300))
    function = relay.Function([x, weight], relay.nn.relu(relay.nn.dense(x, weight)))
    feed = {"x": array(4, 300)}
    params = {"w": array(500, 300, seed=3)}
    for executor in ("graph", "vm"):
        folder = tmp_path / executor
        _offloaded(folder, function, "nn.relu", params=params, feed=feed, executor=executor)
        assert (folder / "lib/stage0.so").stat().st_size < 1.5 * 500 * 300 * 4


def test_several_regions_share_a_library_and_need_no_surgery(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 4))
    value: Any = x
    for place in range(3):
        dense = relay.nn.dense(value, const(4, 4, seed=place))
        value = relay.nn.relu(relay.add(dense, const(4, seed=9 + place)))
    model = make_model(relay.Function([x], value))
    graph = model.module.main
    triples = zip(ids(graph, "nn.dense"), ids(graph, "add"), ids(graph, "nn.relu"), strict=True)
    sites = [Site(nodes=t, symbol=f"bmlib_{i}") for i, t in enumerate(triples)]
    plan = make_plan(model, Ask(sites=sites))
    build_all(model, plan, tmp_path)
    feed = {"x": array(2, 4)}
    expected = evaluate(model.ir, feed, {})
    agree(run_all(plan, tmp_path, feed), expected)
    np.save(tmp_path / "x.npy", feed["x"])
    np.save(tmp_path / "y.npy", expected[0])
    script = (
        "import sys, numpy, tvm\n"
        "library = tvm.runtime.load_module('lib/stage0.so')\n"
        "module = library['default'](tvm.cpu())\n"
        "module['set_input']('x', tvm.nd.array(numpy.load('x.npy')))\n"
        "module['run']()\n"
        "found = module['get_output'](0).numpy()\n"
        "numpy.testing.assert_allclose(found, numpy.load('y.npy'), rtol=1e-5)\n"
        "assert not any(m.split('.')[0] == 'surgery' for m in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=120)


def _region_module() -> Any:
    x = relay.var("x", shape=(2,))
    model = make_model(relay.Function([x], relay.tanh(relay.exp(x))))
    nodes = _ops(model.module.main, "exp", "tanh")
    return operate(model, make_plan(model, Ask(sites=[Site(nodes=nodes)])))


def test_a_kernel_is_a_packed_function_of_inputs_then_outputs() -> None:
    kernel = codegen.compile_region(_region_module()["bmlib_0"])["bmlib_0"]
    x, y = tvm.nd.array(array(2)), tvm.nd.empty((2,))
    kernel(x, y)
    np.testing.assert_allclose(y.numpy(), np.tanh(np.exp(array(2))), rtol=1e-5)
    with pytest.raises(tvm.TVMError, match="num_args should be 2"):
        kernel(x, y, y)


def test_a_kernel_of_another_arity_is_refused() -> None:
    region = _region_module()["bmlib_0"]
    wrong = relay.TupleType([region.ret_type, region.ret_type])
    lying = relay.Function(region.params, region.body, wrong, None, region.attrs)
    with pytest.raises(SurgeryError) as caught:
        codegen.compile_region(lying)
    assert caught.value.diagnostics[0].code == "S421"


def test_registration_comes_and_goes() -> None:
    name = "relay.ext.someone_elses"

    def theirs(function: Any) -> Any:
        return function

    tvm.register_func(name, theirs, override=True)
    try:
        with codegen.registered(dict.fromkeys(("someone_elses", "ours"), codegen.compile_region)):
            assert tvm.get_global_func("relay.ext.ours") is not None
        assert tvm.get_global_func("relay.ext.ours", allow_missing=True) is None
        assert tvm.get_global_func("relay.ext.ours.constant_updater", allow_missing=True) is None
        assert tvm.get_global_func(name)(7) == 7
    finally:
        tvm._ffi.registry.remove_global_func(name)


def test_regions_work_in_anyones_own_build() -> None:
    module = _region_module()
    codegen.register("bmlib")
    try:
        with tvm.transform.PassContext(opt_level=3), tvm.autotvm.FallbackContext():
            library = relay.build(module, target="llvm")
    finally:
        tvm._ffi.registry.remove_global_func("relay.ext.bmlib")
        tvm._ffi.registry.remove_global_func("relay.ext.bmlib.constant_updater")
    executor = library["default"](tvm.cpu())
    executor["set_input"]("x", tvm.nd.array(array(2)))
    executor["run"]()
    np.testing.assert_allclose(
        executor["get_output"](0).numpy(), np.tanh(np.exp(array(2))), rtol=1e-5
    )


def test_a_region_in_a_stage_of_a_cut_model(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 4))
    hidden = relay.nn.relu(relay.nn.dense(x, const(4, 4)))
    body = relay.add(relay.nn.dense(hidden, const(4, 4, seed=2)), hidden)
    model = make_model(relay.Function([x], body))
    graph = model.module.main
    ask = Ask(
        outputs=[("hidden", Ref(ids(graph, "nn.relu")[0]))],
        cuts=[[Ref(ids(graph, "nn.relu")[0])]],
        sites=[Site(nodes=[ids(graph, "nn.dense")[1], *ids(graph, "add")])],
    )
    plan = make_plan(model, ask)
    feed = {"x": array(2, 4)}
    expected = evaluate(operate(model, plan), feed, {})
    for executor in ("graph", "vm"):
        build_all(model, plan, tmp_path / executor, executor=executor)
        agree(run_all(plan, tmp_path / executor, feed, executor), expected)
