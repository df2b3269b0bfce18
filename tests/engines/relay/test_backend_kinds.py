"""Kernels in C, in tensor expressions and found at run: right in every dtype and arrangement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.engines.base import BackendBuild
from tests.engines.relay.plans import array, const
from tests.engines.relay.regions_by_hand import (
    build,
    calling_module,
    composite,
    region,
    run,
    run_alone,
    write,
)

C = BackendBuild(kind="c", sources=("lib.c",))
TE = BackendBuild(kind="te", sources=("lib.py",))
PACKED = BackendBuild(kind="packed")

C_TYPES = {
    "float64": "double", "float32": "float", "float16": "_Float16", "bool": "bool",
    **{f"{u}int{b}": f"{u}int{b}_t" for u in ("", "u") for b in (8, 32, 64)},
}  # fmt: skip
DTYPES = ["float64", "float32", "float16", "int8", "uint8", "int32", "int64", "bool"]


def _two_outputs_then_one() -> Any:
    """``parts(x, c) = (exp(x), x * c)``, ``join(a, b) = a - b``; returns ``b`` and the join."""
    x, inner = relay.var("x", shape=(2, 3)), relay.var("x", shape=(2, 3))
    c = const(2, 3)
    parts = relay.Call(
        composite("parts", [inner], relay.Tuple([relay.exp(inner), relay.multiply(inner, c)]), [c]),
        [x],
    )
    a, b = relay.var("a", shape=(2, 3)), relay.var("b", shape=(2, 3))
    first, second = relay.TupleGetItem(parts, 0), relay.TupleGetItem(parts, 1)
    join = relay.Call(composite("join", [a, b], relay.subtract(a, b)), [first, second])
    return calling_module(region([x], relay.Tuple([second, join])))


FILES = {
    "lib.c": """
        #include <math.h>
        #include <stdint.h>
        int32_t lib_parts(const float *x, const float *c, float *e, float *m) {
            for (int i = 0; i < 6; i++) { e[i] = expf(x[i]); m[i] = x[i] * c[i]; }
            return 0;
        }
        int32_t lib_join(const float *a, const float *b, float *o) {
            for (int i = 0; i < 6; i++) o[i] = a[i] - b[i];
            return 0;
        }
    """,
    "lib.py": """
from tvm import topi

def parts(call, inputs):
    assert [str(f.op.name) for f in call.op.body.fields] == ["exp", "multiply"]
    x, c = inputs
    return topi.exp(x), topi.multiply(x, c)

def join(call, inputs):
    return topi.subtract(*inputs)
""",
}


@pytest.fixture
def packed_kernels() -> Any:
    def parts(x: Any, c: Any, e: Any, m: Any) -> None:
        e.copyfrom(np.exp(x.numpy()))
        m.copyfrom(x.numpy() * c.numpy())

    def join(a: Any, b: Any, o: Any) -> None:
        o.copyfrom(a.numpy() - b.numpy())

    tvm.register_func("lib_parts", parts, override=True)
    tvm.register_func("lib_join", join, override=True)
    yield
    for name in ("lib_parts", "lib_join"):
        tvm._ffi.registry.remove_global_func(name)


@pytest.mark.parametrize("executor", ["graph", "vm"])
@pytest.mark.parametrize("backend", [C, TE, PACKED], ids=lambda b: b.kind)
def test_several_kernels_and_results(
    tmp_path: Path, packed_kernels: None, backend: BackendBuild, executor: str
) -> None:
    write(tmp_path, FILES)
    build(tmp_path, _two_outputs_then_one(), {"lib": backend}, executor)
    x = array(2, 3)
    product = x * array(2, 3, seed=7)
    found = run(tmp_path, {"x": x}, executor)
    np.testing.assert_allclose(found[0], product, rtol=1e-6)
    np.testing.assert_allclose(found[1], np.exp(x) - product, rtol=1e-5)


@pytest.mark.parametrize("backend", [C, TE], ids=lambda b: b.kind)
def test_a_library_needs_nothing_else(tmp_path: Path, backend: BackendBuild) -> None:
    write(tmp_path, FILES)
    build(tmp_path, _two_outputs_then_one(), {"lib": backend})
    x = array(2, 3)
    for name in (*FILES, "module.json"):
        (tmp_path / name).unlink()
    found = run_alone(tmp_path / "lib" / "stage.so", {"x": x}, tmp_path)
    np.testing.assert_allclose(found[1], np.exp(x) - x * array(2, 3, seed=7), rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 3), ()])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    x, inner = relay.var("x", shape=shape, dtype=dtype), relay.var("x", shape=shape, dtype=dtype)
    value = array(*shape, dtype=dtype, seed=7) if shape else np.ones((), dtype)
    c = relay.const(value, dtype)
    op, sign = (relay.logical_and, "&&") if dtype == "bool" else (relay.add, "+")
    module = calling_module(
        region([x], relay.Call(composite("go", [inner], op(inner, c), [c]), [x]))
    )
    count = int(np.prod(shape))
    write(tmp_path, {"lib.c": f"""
        #include <stdbool.h>
        #include <stdint.h>
        typedef {C_TYPES[dtype]} T;
        int32_t lib_go(const T *x, const T *c, T *o) {{
            for (int i = 0; i < {count}; i++) o[i] = x[i] {sign} c[i];
            return 0;
        }}
    """, "lib.py": f"""
from tvm import topi

def go(call, inputs):
    return topi.{op.__name__}(*inputs)
"""})  # fmt: skip
    given = array(*shape, dtype=dtype) if shape else np.ones((), dtype)
    expected = given & value if dtype == "bool" else (given + value).astype(dtype)
    for backend in (C, TE):
        build(tmp_path, module, {"lib": backend})
        (found,) = run(tmp_path, {"x": given})
        assert found.dtype == expected.dtype and found.shape == shape
        np.testing.assert_array_equal(found, expected)
        (tmp_path / "lib" / "stage.so").unlink()


def test_a_large_constant_is_whole_and_there_once(tmp_path: Path) -> None:
    x = relay.var("x", shape=(64, 64))
    c = const(64, 64)

    def add(value: Any) -> Any:
        inner = relay.var("x", shape=(64, 64))
        return relay.Call(composite("add", [inner], relay.add(inner, c), [c]), [value])

    write(tmp_path, {"lib.c": """
        #include <stdint.h>
        int32_t lib_add(const float *restrict x, const float *restrict c, float *restrict o) {
            if ((uintptr_t)c % 4) return 1;
            for (int i = 0; i < 4096; i++) o[i] = x[i] + c[i];
            return 0;
        }
    """})  # fmt: skip
    build(tmp_path, calling_module(region([x], add(add(x)))), {"lib": C})
    (found,) = run(tmp_path, {"x": array(64, 64)})
    value = array(64, 64, seed=7)
    np.testing.assert_allclose(found, array(64, 64) + value + value, rtol=1e-6)
    assert (tmp_path / "lib" / "stage.so").read_bytes().count(value[3].tobytes()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_values_between_kernels_live_as_long_as_they_are_read(tmp_path: Path, seed: int) -> None:
    """TVM lets dead buffers be used again: random dataflow, outputs overwritten before use."""
    rng = np.random.default_rng(seed)
    x = relay.var("x", shape=(16,))
    given = array(16, seed=seed)
    values, numbers = [x], [given]
    for step in range(12):
        a, b = int(rng.integers(max(0, step - 3), step + 1)), int(rng.integers(0, step + 1))
        p, q, half = relay.var("p", shape=(16,)), relay.var("q", shape=(16,)), relay.const(0.5)
        body = relay.add(relay.multiply(p, half), q)
        values.append(relay.Call(composite("mix", [p, q], body, [half]), [values[a], values[b]]))
        numbers.append(numbers[a] * np.float32(0.5) + numbers[b])
    write(tmp_path, {"lib.c": """
        #include <stdint.h>
        int32_t lib_mix(const float *p, const float *q, const float *half, float *o) {
            for (int i = 0; i < 16; i++) o[i] = -1e9f;
            for (int i = 0; i < 16; i++) o[i] = p[i] * *half + q[i];
            return 0;
        }
    """})  # fmt: skip
    module = calling_module(region([x], relay.Tuple([values[7], values[12]])))
    build(tmp_path, module, {"lib": C})
    found = run(tmp_path, {"x": given})
    np.testing.assert_allclose(found[0], numbers[7], rtol=1e-5)
    np.testing.assert_allclose(found[1], numbers[12], rtol=1e-5)


def test_several_backends_in_one_stage(tmp_path: Path) -> None:
    def one(backend: str, body: Any, x: Any) -> Any:
        inner = relay.var("x", shape=(2,))
        call = relay.Call(composite("go", [inner], body(inner), backend=backend), [x])
        return region([x], call, f"{backend}_0", backend)

    x = relay.var("x", shape=(2,))
    module = calling_module(
        one("cc", relay.exp, x), one("py", relay.tanh, x), one("own", relay.negative, x)
    )
    write(tmp_path, {
        "cc.c": "#include <math.h>\n#include <stdint.h>\n"
        "int32_t cc_go(const float *x, float *o) {\n"
        "    for (int i = 0; i < 2; i++) o[i] = expf(x[i]);\n    return 0;\n}\n",
        "py.py": "from tvm import topi\n\ndef go(call, inputs):\n"
        "    return [topi.tanh(inputs[0])]\n",
    })  # fmt: skip
    build(tmp_path, module, {
        "cc": BackendBuild(kind="c", sources=("cc.c",)),
        "py": BackendBuild(kind="te", sources=("py.py",)),
        "own": BackendBuild(kind="tvm"),
    })  # fmt: skip
    value = array(2)
    found = run(tmp_path, {"x": value})
    for got, wanted in zip(found, (np.exp(value), np.tanh(value), -value), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_a_lowering_may_give_back_an_input(tmp_path: Path) -> None:
    x, inner = relay.var("x", shape=(2, 3)), relay.var("x", shape=(2, 3))
    literal = composite("same", [inner], relay.Tuple([relay.copy(inner), relay.copy(inner)]))
    write(tmp_path, {"lib.py": "def same(call, inputs):\n    return inputs[0], inputs[0]\n"})
    build(tmp_path, calling_module(region([x], relay.Call(literal, [x]))), {"lib": TE})
    for found in run(tmp_path, {"x": array(2, 3)}):
        np.testing.assert_array_equal(found, array(2, 3))


def test_a_lowering_may_write_its_own_loops(tmp_path: Path) -> None:
    """``te.extern`` as operand and as result of other expressions, and of both in one region."""
    lowering = """
from tvm import te, tir, topi

def doubled(x):
    def loops(given, made):
        build = tir.ir_builder.create()
        a, out = build.buffer_ptr(given[0]), build.buffer_ptr(made[0])
        with build.for_range(0, x.shape[0]) as i:
            with build.for_range(0, x.shape[1]) as j:
                out[i, j] = a[i, j] + a[i, j]
        return build.get()
    return te.extern(x.shape, [x], loops, dtype=x.dtype)

def parts(call, inputs):
    x, c = inputs
    return topi.exp(x), topi.divide(doubled(topi.multiply(x, c)), 2.0)

def join(call, inputs):
    a, b = inputs
    return topi.divide(doubled(doubled(topi.subtract(a, b))), 4.0)
"""
    write(tmp_path, {"lib.py": lowering})
    build(tmp_path, _two_outputs_then_one(), {"lib": TE})
    x = array(2, 3)
    second, join = run(tmp_path, {"x": x})
    np.testing.assert_allclose(second, x * const(2, 3).data.numpy(), rtol=1e-6)
    np.testing.assert_allclose(join, np.exp(x) - second, rtol=1e-5, atol=1e-6)


def test_lowerings_import_their_neighbours(tmp_path: Path) -> None:
    x, inner = relay.var("x", shape=(2,)), relay.var("x", shape=(2,))
    write(tmp_path, {
        "lib.py": "from helper_of_lib import twice\n\ndef go(call, inputs):\n"
        "    return twice(inputs[0])\n",
        "helper_of_lib.py": "from tvm import topi\n\ndef twice(x):\n    return topi.add(x, x)\n",
    })  # fmt: skip
    body = relay.Call(composite("go", [inner], relay.add(inner, inner)), [x])
    build(tmp_path, calling_module(region([x], body)), {"lib": TE})
    np.testing.assert_array_equal(run(tmp_path, {"x": array(2)})[0], 2 * array(2))
    assert not list(tmp_path.rglob("__pycache__"))


def test_tvms_own_codegen(tmp_path: Path) -> None:
    """A stand-in for one: it sees its own name, and composites of its own prefix."""
    from surgery.engines.relay.codegen import compile_region

    seen: list[str] = []

    def codegen(function: Any) -> Any:
        seen.append(str(function.attrs["Compiler"]))
        seen.append(str(function.body.op.attrs["Composite"]))
        return compile_region(function)

    x, inner = relay.var("x", shape=(2,)), relay.var("x", shape=(2,))
    c = const(2)
    body = relay.Call(composite("go", [inner], relay.add(inner, c), [c]), [x])
    tvm.register_func("relay.ext.standin", codegen, override=True)
    try:
        backend = BackendBuild(kind="builtin", builtin="standin")
        build(tmp_path, calling_module(region([x], body)), {"lib": backend})
    finally:
        tvm._ffi.registry.remove_global_func("relay.ext.standin")
    assert seen == ["standin", "standin.go"]
    np.testing.assert_allclose(run(tmp_path, {"x": array(2)})[0], array(2) + array(2, seed=7))


@pytest.mark.parametrize(
    ("body", "given", "wanted"),
    [
        ("topi.argmax(inputs[0], axis=1)", (5, 7), lambda x: x.argmax(1)),
        ("topi.sort(inputs[0])", (5, 7), lambda x: np.sort(x)),
        ("topi.cumsum(inputs[0], axis=1)", (5, 7), lambda x: x.cumsum(1)),
        ("topi.nn.dense(topi.nn.relu(inputs[0]), inputs[0])", (96, 70),
         lambda x: np.maximum(x, 0) @ x.T),
        ("topi.sum(inputs[0], axis=0)", (300, 70), lambda x: x.sum(0)),
        ("topi.sum(inputs[0])", (30, 7), lambda x: x.sum()),
        ("topi.nn.softmax(inputs[0])", (3, 4, 31),
         lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
        ("topi.sum(topi.exp(inputs[0]), axis=0)", (0, 4), lambda x: np.exp(x).sum(0)),
    ],
)  # fmt: skip
def test_lowerings_are_scheduled_and_right(
    tmp_path: Path, body: str, given: tuple[int, ...], wanted: Callable[[Any], Any]
) -> None:
    x = array(*given)
    expected = np.asarray(wanted(x))
    inner, outer = relay.var("x", shape=given), relay.var("x", shape=given)
    dtype = "int32" if "argmax" in body else "float32"
    # What the composite computes is not what is run: any op of the right type will do.
    literal = composite("go", [inner], relay.zeros(expected.shape, dtype))
    write(
        tmp_path, {"lib.py": f"from tvm import topi\n\ndef go(call, inputs):\n    return {body}\n"}
    )
    build(tmp_path, calling_module(region([outer], relay.Call(literal, [outer]))), {"lib": TE})
    (found,) = run(tmp_path, {"x": x})
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_reduction_runs_over_strips_of_its_output_on_threads() -> None:
    from tvm import te, topi

    from surgery.engines.relay.backends.schedule import scheduled

    x, w = te.placeholder((128, 256), name="x"), te.placeholder((512, 256), name="w")
    text = scheduled(te.create_prim_func([x, w, topi.nn.relu(topi.nn.dense(x, w))])).script()
    assert text.count("T.parallel(") == 2
    assert "for k, i1_1 in T.grid(256, 32)" in text
    assert "T.block(" not in text


def test_nothing_elementwise_is_computed_twice() -> None:
    from tvm import te, topi

    from surgery.engines.relay.backends.schedule import scheduled

    row = te.placeholder((1, 64), name="row")
    value: Any = topi.exp(row)
    for _ in range(30):
        value = topi.add(value, value)
    text = scheduled(te.create_prim_func([row, topi.broadcast_to(value, (64, 64))])).script()
    assert text.count("T.exp(") == 1
    assert text.count(" + ") == 30
