"""Quantised models: scales and zero points stay inside, are named and printed, kernels compute."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.planning import Plan
from surgery.report import plan_sections
from tests.cases.support import reasons

DATA = Path(__file__).parent / "data"
OFFLOADS = """
offload pattern qnn.conv2d>bias_add>requantize>clip to q8 as conv expect 2
offload pattern qnn.dense>bias_add>requantize to q8 as fc
offload pattern qnn.add to q8 as qadd
"""

qnn = relay.qnn.op


def scale(value: float) -> relay.Expr:
    return relay.const(np.float32(value))


def zero(value: int) -> relay.Expr:
    return relay.const(np.int32(value))


def conv(
    x: relay.Expr, rng: np.random.Generator, weight: tuple[int, ...], *, first: bool
) -> relay.Expr:
    """A convolution with a scale a channel, its bias, requantised to uint8."""
    x_scale, x_zero = (0.05, 128) if first else (0.1, 3)
    kernel_scale = rng.uniform(0.001, 0.004, weight[0]).astype("float32")
    y = qnn.conv2d(
        x, relay.const(rng.integers(-127, 128, weight).astype("int8")), zero(x_zero), zero(0),
        scale(x_scale), relay.const(kernel_scale), kernel_size=weight[2:], channels=weight[0],
        padding=(weight[2] // 2, weight[3] // 2),
    )  # fmt: skip
    y = relay.nn.bias_add(y, relay.const(rng.integers(-500, 500, weight[0]).astype("int32")))
    into = relay.const(np.float32(x_scale) * kernel_scale)
    y = qnn.requantize(y, into, zero(0), scale(0.1), zero(3), axis=1, out_dtype="uint8")
    return relay.clip(y, 0, 255)


def net(path: Path) -> Path:
    """Write a net: quantise, two convolutions and their sum, a dense layer, dequantise."""
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 3, 8, 8))
    first = conv(
        qnn.quantize(x, scale(0.05), zero(128), out_dtype="uint8"), rng, (8, 3, 3, 3), first=True
    )
    second = conv(first, rng, (8, 8, 1, 1), first=False)
    y = qnn.add(first, second, scale(0.1), zero(3), scale(0.1), zero(3), scale(0.15), zero(5))
    weight = relay.const(rng.integers(-127, 128, (10, 512)).astype("int8"))
    y = qnn.dense(
        relay.reshape(y, (1, -1)), weight, zero(5), zero(0), scale(0.15), scale(0.002), units=10
    )
    y = relay.nn.bias_add(y, relay.const(rng.integers(-500, 500, 10).astype("int32")))
    y = qnn.requantize(y, scale(0.0003), zero(0), scale(0.2), zero(10), out_dtype="int8")
    return write(relay.Function([x], qnn.dequantize(y, scale(0.2), zero(10))), path)


def write(function: relay.Function, folder: Path) -> Path:
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    path = folder / "model.json"
    path.write_text(tvm.ir.save_json(module))
    return path


def shown(plan: Plan) -> str:
    return "\n".join(line for s in plan_sections(plan, full=True) for line in s.lines)


@pytest.mark.parametrize(
    "backend", ["via tvm", 'via c "q8.c"', 'via te "q8_lowerings.py"', 'via c "q8.c"; merge=off']
)
@pytest.mark.parametrize("constants", ["embed", "pass"])
def test_a_quantised_net_runs_on_kernels(backend: str, constants: str, tmp_path: Path) -> None:
    for name in ("q8.c", "q8_lowerings.py"):
        shutil.copy(DATA / name, tmp_path)
    text = OFFLOADS.replace(" as ", f" constants {constants} as ").strip()
    spec = tmp_path / "net.surgery"
    spec.write_text(f"backend q8 {{ {backend} }}\n{text}\nverify atol 0 rtol 0\n")
    model = net(tmp_path)
    if "q8.c" in backend:
        api.stub(api.load_spec(spec), tmp_path, model=model)  # the header that the kernels include
    done = api.apply(
        api.load_spec(spec), tmp_path / "out", model=model, verify=True, allow_code=True
    )
    assert done.verification is not None and done.verification.passed
    sites = [c for r in done.plan.regions for c in r.composites]
    assert sorted(c.name for c in sites) == ["q8.conv", "q8.conv", "q8.fc", "q8.qadd"]
    for region in done.plan.regions:
        roles = {c.name: c.embedded for c in region.constants}
        # Scales and zero points never leave the region, not even where weights are passed.
        assert all(inside for name, inside in roles.items() if "scale" in name or "zero" in name)
        weights = [inside for name, inside in roles.items() if name.startswith(("weight", "bias"))]
        assert set(weights) <= {constants == "embed"}
        assert all("scale" not in a.name and "zero" not in a.name for a in region.arguments)
    feed = {"x": np.random.default_rng(1).normal(size=(1, 3, 8, 8)).astype("float32")}
    found = api.run(tmp_path / "out", feed).outputs["out0"]
    assert len(np.unique(found)) > 5  # the net says something: not all is saturated


def test_the_plan_and_the_stub_print_the_values(tmp_path: Path) -> None:
    spec = api.parse_spec(f'backend q8 {{ via c "q8.c" }}{OFFLOADS}')
    model = net(tmp_path)
    text = shown(api.plan(spec, model=model).plan)
    assert "input_zero_point=128, kernel_zero_point=0, input_scale=0.05" in text
    assert "lhs_scale=0.1, lhs_zero_point=3, rhs_scale=0.1, rhs_zero_point=3" in text
    assert "%9 = qnn.add(%4, %8, 0.1, 3, 0.1, 3, 0.15, 5)" in text
    constants = [
        c for r in api.plan(spec, model=model).as_json()["regions"] for c in r["constants"]
    ]
    assert {"scalar": 0.05}.items() <= next(
        c for c in constants if c["name"] == "input_scale"
    ).items()
    assert "scalar" not in next(c for c in constants if c["name"] == "weight")
    api.stub(spec, tmp_path, model=model)
    header = (tmp_path / "q8.h").read_text()
    assert "const int32_t *input_zero_point, /* int32(), constant 128 */" in header
    assert "const float *input_scale, /* float32(), constant 0.05 */" in header


def test_a_kernel_with_other_scales_at_each_call_lists_them(tmp_path: Path) -> None:
    x = relay.var("x", shape=(4,), dtype="int32")
    y = qnn.requantize(x, scale(0.5), zero(0), scale(0.25), zero(0), out_dtype="int8")
    y = qnn.requantize(
        relay.cast(y, "int32"), scale(0.125), zero(0), scale(0.25), zero(0), out_dtype="int8"
    )
    spec = api.parse_spec("offload pattern requantize to q8")
    api.stub(spec, tmp_path, model=write(relay.Function([x], y), tmp_path))
    header = (tmp_path / "q8.h").read_text()
    assert "q8_requantize_0, stage 0: %0 (input_scale=0.5)" in header
    assert "q8_requantize_1, stage 0: result (input_scale=0.125)" in header
    assert "*input_scale, /* float32(), constant */" in header
    assert "*output_scale, /* float32(), constant 0.25 */" in header


IMAGE = (1, 4, 4, 4)


def image(name: str = "x") -> relay.Var:
    return relay.var(name, shape=IMAGE, dtype="uint8")


def matmul(a: relay.Var, b: relay.Var) -> relay.Expr:
    return qnn.batch_matmul(a, b, zero(1), zero(2), scale(0.1), scale(0.2))


#: An op, what it is made of, and the roles its scales and zero points must have.
KINDS = {
    "qnn.concatenate": (
        [x := image(), y := image("y")],
        qnn.concatenate(
            [x, y], [scale(0.1), scale(0.2)], [zero(3), zero(4)], scale(0.2), zero(5), 1
        ),
        ["input_scale", "input_scale_1", "input_zero_point", "input_zero_point_1",
         "output_scale", "output_zero_point"],
    ),
    "qnn.sigmoid": (
        [x := image()],
        qnn.sigmoid(x, scale(0.2), zero(4), scale(1 / 256), zero(0)),
        ["input_scale", "input_zero_point", "output_scale", "output_zero_point"],
    ),
    "qnn.leaky_relu": (
        [x := image()],
        qnn.leaky_relu(x, 0.1, scale(0.1), zero(2), scale(0.2), zero(4)),
        ["input_scale", "input_zero_point", "output_scale", "output_zero_point"],
    ),
    "qnn.mul": (
        [x := image(), y := image("y")],
        qnn.mul(x, y, scale(0.1), zero(2), scale(0.2), zero(4), scale(0.3), zero(6)),
        ["lhs_scale", "lhs_zero_point", "rhs_scale", "rhs_zero_point", "output_scale",
         "output_zero_point"],
    ),
    "qnn.batch_matmul": (
        [x := relay.var("x", shape=(2, 3, 4), dtype="int8"),
         y := relay.var("y", shape=(2, 5, 4), dtype="int8")],
        matmul(x, y),
        ["lhs_zero_point", "rhs_zero_point", "lhs_scale", "rhs_scale"],
    ),
    "qnn.avg_pool2d": (
        [x := image()],
        qnn.avg_pool2d(x, scale(0.1), zero(2), scale(0.2), zero(4), (2, 2), (2, 2), (0, 0), (1, 1)),
        ["input_scale", "input_zero_point", "output_scale", "output_zero_point"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("op", KINDS)
@pytest.mark.parametrize("constants", ["embed", "pass"])
def test_every_scale_has_its_role_and_stays_inside(op: str, constants: str, tmp_path: Path) -> None:
    params, body, roles = KINDS[op]
    model = write(relay.Function(params, body), tmp_path)
    spec = api.parse_spec(f"offload pattern {op} to q8 constants {constants}")
    done = api.apply(spec, tmp_path / "out", model=model, verify=True)
    assert done.verification is not None and done.verification.passed
    (region,) = done.plan.regions
    assert [a.name for a in region.arguments] == [p.name_hint for p in params]
    assert [c.name for c in region.constants] == roles
    assert all(c.embedded for c in region.constants)


S = relay.var("s", shape=(), dtype="float32")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (S, "%s is an input"),
        (relay.multiply(S, scale(0.1)), "%0 is computed at run time"),
        (
            relay.multiply(scale(0.2), scale(0.1)),
            "%0 is computed of constants; `prepare FoldConstant`",
        ),
    ],
)
def test_a_scale_that_is_no_constant(given: relay.Expr, why: str, tmp_path: Path) -> None:
    x, y = image(), image("y")
    body = qnn.add(x, y, scale(0.1), zero(0), given, zero(0), scale(0.1), zero(0))
    model = write(relay.Function([x, y, S], body), tmp_path)
    plan = api.plan(api.parse_spec("offload pattern qnn.add to q8 optional"), model=model).plan
    assert f"rhs_scale of result (qnn.add) is not constant: {why}" in reasons(plan)["result"]
    body = qnn.concatenate([x, y], [scale(0.1), given], [zero(0), zero(0)], scale(0.1), zero(0), 1)
    model = write(relay.Function([x, y, S], body), tmp_path)
    spec = api.parse_spec("offload pattern qnn.concatenate to q8 optional")
    told = " ".join(reasons(api.plan(spec, model=model).plan).values())
    assert "input_scale of result (qnn.concatenate) is not constant" in told
    if why.endswith("FoldConstant`"):
        folded = api.parse_spec(
            f"prepare FoldConstant\n{OFFLOADS.splitlines()[0]}offload pattern qnn.concatenate to q8"
        )
        assert api.plan(folded, model=model).plan.regions
