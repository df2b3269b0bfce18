"""The example library: its C functions against NumPy, with a BLAS and with plain loops."""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parents[2] / "examples" / "bmlib"
KINDS = ("none", "relu", "clip", "hard_swish", "hard_sigmoid", "gelu")


class Conv(ctypes.Structure):
    _fields_ = [
        (n, ctypes.c_int)
        for n in (
            "n", "ci", "h", "w", "co", "kh", "kw", "oh", "ow", "stride_h", "stride_w", "pad_top",
            "pad_left", "dilation_h", "dilation_w", "groups",
        )
    ]  # fmt: skip


class Activation(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int),
        *((n, ctypes.c_float) for n in ("low", "high", "scale", "shift")),
    ]


class Epilogue(ctypes.Structure):
    _fields_ = [
        *((n, ctypes.c_void_p) for n in ("scale", "shift", "residual")),
        ("act", Activation),
    ]


@pytest.fixture(scope="module", params=["best", "loops"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    build = tmp_path_factory.mktemp(request.param)
    blas = ["BLAS=loops"] if request.param == "loops" else []
    make = ["make", "-s", "-C", str(HERE), f"BUILD={build}", f"PYTHON={sys.executable}", *blas]
    subprocess.run([*make, str(build / "libbmlib.so")], check=True)
    loaded = ctypes.CDLL(str(build / "libbmlib.so"))
    loaded.bm_blas.restype = ctypes.c_char_p
    if blas:
        assert loaded.bm_blas() == b"loops"
    return loaded


def pointer(array: np.ndarray | None) -> ctypes.c_void_p | None:
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def activated(kind: str, x: np.ndarray) -> np.ndarray:
    match kind:
        case "relu":
            return np.maximum(x, 0)
        case "clip":
            return np.clip(x, -0.5, 0.5)
        case "hard_swish":
            return x * np.clip(x + 3, -0.5, 0.5) / 6
        case "hard_sigmoid":
            return np.clip(x * 6 + 3, -0.5, 0.5)
        case "gelu":
            return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
        case _:
            return x


def activation(kind: str) -> Activation:
    return Activation(KINDS.index(kind), -0.5, 0.5, 6.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A convolution: data (n, ci, *size), weight (co, ci / groups, *kernel).

    ``pad``: top, left, bottom, right.
    """

    n: int = 1
    ci: int
    co: int
    size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1

    @property
    def out(self) -> tuple[int, int]:
        along = zip(
            self.size, self.kernel, self.stride, self.dilation, self.pad[:2], self.pad[2:],
            strict=True,
        )  # fmt: skip
        rows, columns = ((s + p + q - d * (k - 1) - 1) // t + 1 for s, k, t, d, p, q in along)
        return rows, columns

    def as_c(self) -> Conv:
        return Conv(self.n, self.ci, *self.size, self.co, *self.kernel, *self.out, *self.stride,
                    *self.pad[:2], *self.dilation, self.groups)  # fmt: skip

    def arrays(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        data = rng.standard_normal((self.n, self.ci, *self.size)).astype("float32")
        weight = rng.standard_normal((self.co, self.ci // self.groups, *self.kernel))
        return data, weight.astype("float32")


def convolved(shape: Shape, data: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Convolve in float64, one product a kernel position."""
    groups, (oh, ow) = shape.groups, shape.out
    top, left, bottom, right = shape.pad
    padded = np.pad(data.astype("float64"), ((0, 0), (0, 0), (top, bottom), (left, right)))
    out = np.zeros((shape.n, shape.co, oh, ow))
    split = padded.reshape(shape.n, groups, shape.ci // groups, *padded.shape[2:])
    filters = weight.astype("float64").reshape(groups, shape.co // groups, *weight.shape[1:])
    for y, x in itertools.product(*map(range, shape.kernel)):
        rows, columns = (
            slice(at * d, at * d + t * (count - 1) + 1, t)
            for at, d, t, count in zip((y, x), shape.dilation, shape.stride, (oh, ow), strict=True)
        )
        part = np.einsum("goc,ngchw->ngohw", filters[..., y, x], split[..., rows, columns])
        out += part.reshape(out.shape)
    return out


SHAPES = {
    "same": Shape(ci=3, co=8, size=(11, 9), kernel=(3, 3), pad=(1, 1, 1, 1)),
    "groups and batch": Shape(
        n=2, ci=4, co=6, size=(8, 8), kernel=(3, 3), stride=(2, 2), pad=(1, 1, 1, 1), groups=2
    ),
    "depthwise": Shape(
        n=2, ci=6, co=6, size=(10, 7), kernel=(3, 3), stride=(2, 2), pad=(1, 1, 1, 1), groups=6
    ),
    "wide depthwise": Shape(ci=6, co=6, size=(5, 5), kernel=(5, 5), pad=(2, 2, 2, 2), groups=6),
    "depth multiplier": Shape(ci=3, co=6, size=(6, 5), kernel=(3, 3), pad=(1, 1, 1, 1), groups=3),
    "one channel": Shape(n=3, ci=1, co=1, size=(4, 6), kernel=(2, 3), pad=(0, 1, 1, 1)),
    "pointwise": Shape(n=2, ci=5, co=7, size=(6, 4), kernel=(1, 1)),
    "pointwise with stride": Shape(ci=5, co=7, size=(7, 5), kernel=(1, 1), stride=(2, 2)),
    "pointwise, padded below": Shape(ci=5, co=7, size=(7, 5), kernel=(1, 1), pad=(0, 0, 1, 2)),
    "pointwise, cropped by its stride": Shape(
        ci=5, co=7, size=(4, 4), kernel=(1, 1), stride=(1, 3), pad=(0, 0, 0, 6)
    ),
    "dilated": Shape(ci=4, co=4, size=(9, 9), kernel=(3, 3), pad=(2, 2, 2, 2), dilation=(2, 2)),
    "larger than its data": Shape(ci=2, co=3, size=(2, 2), kernel=(5, 5), pad=(4, 4, 4, 4)),
    "depthwise over its padding": Shape(
        ci=3, co=3, size=(1, 2), kernel=(3, 3), stride=(3, 3), pad=(2, 2, 2, 2), groups=3
    ),
    "no two numbers alike": Shape(
        n=2, ci=4, co=2, size=(9, 12), kernel=(2, 5), stride=(3, 2), pad=(0, 3, 2, 1),
        dilation=(4, 1), groups=2,
    ),
    "depthwise, no two numbers alike": Shape(
        n=2, ci=4, co=4, size=(9, 12), kernel=(2, 5), stride=(3, 2), pad=(5, 3, 2, 1),
        dilation=(4, 3), groups=4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_convolution_with_all_that_follows(library: Any, name: str) -> None:
    shape = SHAPES[name]
    rng = np.random.default_rng(0)
    data, weight = shape.arrays(rng)
    plain = convolved(shape, data, weight)
    scale, shift = rng.standard_normal((2, shape.co)).astype("float32")
    residual = rng.standard_normal(plain.shape).astype("float32")
    for kind in KINDS:
        wanted = activated(kind, plain * scale[:, None, None] + shift[:, None, None] + residual)
        after = Epilogue(pointer(scale), pointer(shift), pointer(residual), activation(kind))
        out = np.full(plain.shape, np.nan, "float32")
        status = library.bm_conv2d(ctypes.byref(shape.as_c()), pointer(data), pointer(weight),
                                   ctypes.byref(after), pointer(out))  # fmt: skip
        assert status == 0
        np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-4, err_msg=kind)


def test_calls_from_several_threads_keep_apart(library: Any) -> None:
    """What a call works in is its own, also when threads come and go."""
    shapes = list(SHAPES.values())
    given = [shape.arrays(np.random.default_rng(i)) for i, shape in enumerate(shapes)]
    wanted = [convolved(shape, *arrays) for shape, arrays in zip(shapes, given, strict=True)]
    after = Epilogue(None, None, None, activation("none"))

    def compute(number: int) -> None:
        at = number % len(shapes)
        out = np.full(wanted[at].shape, np.nan, "float32")
        arrays = map(pointer, given[at])
        conv = ctypes.byref(shapes[at].as_c())
        assert library.bm_conv2d(conv, *arrays, ctypes.byref(after), pointer(out)) == 0
        np.testing.assert_allclose(out, wanted[at], rtol=2e-4, atol=2e-4)

    for _ in range(4):
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(compute, range(200)))


def test_batch_normalisation_follows_the_running_statistics(library: Any) -> None:
    rng = np.random.default_rng(1)
    shape = Shape(ci=4, co=5, size=(6, 6), kernel=(3, 3), pad=(1, 1, 1, 1))
    data, weight = shape.arrays(rng)
    gamma, beta, mean = rng.standard_normal((3, 5)).astype("float32")
    variance = rng.uniform(0.1, 2, 5).astype("float32")
    plain = convolved(shape, data, weight)
    normal = (plain - mean[:, None, None]) / np.sqrt(variance + 1e-3)[:, None, None]
    wanted = np.maximum(normal * gamma[:, None, None] + beta[:, None, None], 0)
    out = np.empty(plain.shape, "float32")
    arrays = [pointer(a) for a in (data, weight, gamma, beta, mean, variance)]
    status = library.bm_conv2d_bn(
        ctypes.byref(shape.as_c()), *arrays, ctypes.c_double(1e-3), activation("relu"), pointer(out)
    )
    assert status == 0
    np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("kind", ["none", "gelu"])
def test_dense(library: Any, kind: str, with_bias: bool, transposed: bool) -> None:
    rng = np.random.default_rng(2)
    data = rng.standard_normal((5, 12)).astype("float32")
    weight = rng.standard_normal((7, 12)).astype("float32")
    bias = rng.standard_normal(7).astype("float32") if with_bias else None
    stored = np.ascontiguousarray(weight.T) if transposed else weight
    out = np.empty((5, 7), "float32")
    arrays = [pointer(a) for a in (data, stored, bias)]
    status = library.bm_dense(5, 7, 12, int(transposed), *arrays, activation(kind), pointer(out))
    assert status == 0
    plain = data.astype("float64") @ weight.T.astype("float64")
    wanted = activated(kind, plain + (0 if bias is None else bias))
    np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-4)


def test_attention_leaves_out_what_the_mask_hides(library: Any) -> None:
    batch, heads, rows, columns, width = 2, 3, 5, 6, 4
    rng = np.random.default_rng(3)
    q = rng.standard_normal((batch * heads, rows, width)).astype("float32")
    k, v = rng.standard_normal((2, batch * heads, columns, width)).astype("float32")
    mask = np.array([[0, 0, -10000, 0, -10000, 0], [-10000, 0, 0, 0, 0, 0]], "float32")
    scores = np.einsum("hid,hjd->hij", q.astype("float64"), k) / 8
    scores += np.repeat(mask, heads, axis=0)[:, None, :]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = (weights / weights.sum(-1, keepdims=True)) @ v
    out = np.empty(q.shape, "float32")
    arrays = [pointer(a) for a in (q, k, v, mask)]
    numbers = (batch, heads, rows, columns, width)
    status = library.bm_attention(*numbers, *arrays, ctypes.c_float(8), pointer(out))
    assert status == 0
    np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-5)


def test_nothing_to_compute(library: Any) -> None:
    """Dimensions of zero: no memory is needed, an empty sum is 0."""
    rng = np.random.default_rng(4)
    data, bias = rng.standard_normal((5, 0)).astype("float32"), np.ones(7, "float32")
    weight, out = np.empty((7, 0), "float32"), np.full((5, 7), np.nan, "float32")
    arrays = [pointer(a) for a in (data, weight, bias)]
    assert library.bm_dense(5, 7, 0, 0, *arrays, activation("none"), pointer(out)) == 0
    np.testing.assert_array_equal(out, np.ones((5, 7)))
    assert library.bm_dense(0, 7, 3, 0, *arrays, activation("none"), pointer(out)) == 0
    empty = pointer(np.empty(0, "float32"))
    after = Epilogue(None, None, None, activation("relu"))
    conv = Conv(0, 3, 4, 4, 2, 3, 3, 2, 2, 1, 1, 0, 0, 1, 1, 1)
    assert library.bm_conv2d(ctypes.byref(conv), empty, empty, ctypes.byref(after), empty) == 0
    assert library.bm_attention(0, 1, 0, 0, 0, *[empty] * 4, ctypes.c_float(1), empty) == 0


def test_the_library_needs_nothing_outside_its_folder(library: Any, tmp_path: Path) -> None:
    """The BLAS of a Python package is copied beside it: both may move, and the package may go."""
    moved = tmp_path / "moved"
    shutil.copytree(Path(library._name).parent, moved)
    said = subprocess.run(
        ["ldd", str(moved / "libbmlib.so")], check=True, capture_output=True, text=True
    ).stdout
    assert "not found" not in said and "site-packages" not in said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("-DK_DATA_DIM1=4", "NCHW with OIHW"),
        ("-DK_OUT0_DIM1=4", "NCHW with OIHW"),
        ("-DK_BIAS_SIZE=4", "the bias is one of channels"),
        ("-DK_RESIDUAL_SIZE=6", "the residual is not broadcast"),
        ("", ""),
    ],
)
def test_kernels_that_bmlib_cannot_compute_do_not_compile(
    tmp_path: Path, wrong: str, said: str
) -> None:
    right = {
        "DATA": (1, 3, 5, 5), "WEIGHT": (6, 3, 3, 3), "OUT0": (1, 6, 3, 3),
        "CONV2D_STRIDES": (1, 1), "CONV2D_PADDING": (0, 0), "CONV2D_DILATION": (1, 1),
        "CONV2D_KERNEL_SIZE": (3, 3),
    }  # fmt: skip
    numbers = {
        f"K_{name}{'_DIM' if name in ('DATA', 'WEIGHT', 'OUT0') else '_'}{i}": number
        for name, values in right.items()
        for i, number in enumerate(values)
    }
    numbers |= {"K_CONV2D_GROUPS": 1, "K_BIAS_SIZE": 6, "K_RESIDUAL_SIZE": 54, "K_OUT0_SIZE": 54}
    lines = [f"#ifndef {n}\n#define {n} {v}\n#endif" for n, v in numbers.items()]
    lines += [
        f'#include "{HERE}/kernels/fill.h"',
        "int f(float *data, float *weight, float *bias, float *residual, float *out0) {",
        "    return CONV_BIAS_ADD(K, RELU);",
        "}",
    ]
    source = tmp_path / "kernel.c"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
         *filter(None, [wrong]), str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) == (not wrong)
    assert said in done.stderr
