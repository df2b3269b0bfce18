"""The example library: its C functions against NumPy, with a BLAS and with plain loops."""

from __future__ import annotations

import ctypes
import itertools
import math
import subprocess
import sys
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


def convolved(
    data: np.ndarray, weight: np.ndarray, stride: int, pad: int, dilation: int, groups: int
) -> np.ndarray:
    """Convolve in float64, one product a kernel position."""
    n, ci, h, w = data.shape
    co, per, kh, kw = weight.shape
    oh = (h + 2 * pad - dilation * (kh - 1) - 1) // stride + 1
    ow = (w + 2 * pad - dilation * (kw - 1) - 1) // stride + 1
    padded = np.pad(data.astype("float64"), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    out = np.zeros((n, co, oh, ow))
    split = padded.reshape(n, groups, ci // groups, *padded.shape[2:])
    filters = weight.astype("float64").reshape(groups, co // groups, per, kh, kw)
    for y, x in itertools.product(range(kh), range(kw)):
        rows = slice(y * dilation, y * dilation + stride * (oh - 1) + 1, stride)
        columns = slice(x * dilation, x * dilation + stride * (ow - 1) + 1, stride)
        part = np.einsum("goc,ngchw->ngohw", filters[..., y, x], split[..., rows, columns])
        out += part.reshape(out.shape)
    return out


SHAPES = [
    # n, ci, co, h, w, kernel, stride, pad, dilation, groups
    (1, 3, 8, 11, 9, 3, 1, 1, 1, 1),
    (2, 4, 6, 8, 8, 3, 2, 1, 1, 2),
    (1, 6, 6, 10, 7, 3, 2, 1, 1, 6),
    (1, 6, 6, 5, 5, 5, 1, 2, 1, 6),
    (1, 5, 7, 6, 4, 1, 1, 0, 1, 1),
    (1, 5, 7, 7, 5, 1, 2, 0, 1, 1),
    (1, 4, 4, 9, 9, 3, 1, 2, 2, 1),
    (1, 2, 3, 2, 2, 5, 1, 4, 1, 1),
    (1, 3, 3, 1, 2, 3, 3, 2, 1, 3),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_convolution_with_all_that_follows(library: Any, shape: tuple[int, ...]) -> None:
    n, ci, co, h, w, kernel, stride, pad, dilation, groups = shape
    rng = np.random.default_rng(0)
    data = rng.standard_normal((n, ci, h, w)).astype("float32")
    weight = rng.standard_normal((co, ci // groups, kernel, kernel)).astype("float32")
    plain = convolved(data, weight, stride, pad, dilation, groups)
    scale, shift = rng.standard_normal((2, co)).astype("float32")
    residual = rng.standard_normal(plain.shape).astype("float32")
    conv = Conv(n, ci, h, w, co, kernel, kernel, *plain.shape[2:], stride, stride, pad, pad,
                dilation, dilation, groups)  # fmt: skip
    for kind in KINDS:
        wanted = activated(kind, plain * scale[:, None, None] + shift[:, None, None] + residual)
        after = Epilogue(pointer(scale), pointer(shift), pointer(residual), activation(kind))
        out = np.full(plain.shape, np.nan, "float32")
        status = library.bm_conv2d(ctypes.byref(conv), pointer(data), pointer(weight),
                                   ctypes.byref(after), pointer(out))  # fmt: skip
        assert status == 0
        np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-4, err_msg=kind)


def test_batch_normalisation_follows_the_running_statistics(library: Any) -> None:
    rng = np.random.default_rng(1)
    data = rng.standard_normal((1, 4, 6, 6)).astype("float32")
    weight = rng.standard_normal((5, 4, 3, 3)).astype("float32")
    gamma, beta, mean = rng.standard_normal((3, 5)).astype("float32")
    variance = rng.uniform(0.1, 2, 5).astype("float32")
    plain = convolved(data, weight, 1, 1, 1, 1)
    normal = (plain - mean[:, None, None]) / np.sqrt(variance + 1e-3)[:, None, None]
    wanted = np.maximum(normal * gamma[:, None, None] + beta[:, None, None], 0)
    conv = Conv(1, 4, 6, 6, 5, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1)
    out = np.empty(plain.shape, "float32")
    arrays = [pointer(a) for a in (data, weight, gamma, beta, mean, variance)]
    status = library.bm_conv2d_bn(
        ctypes.byref(conv), *arrays, ctypes.c_double(1e-3), activation("relu"), pointer(out)
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
    rng = np.random.default_rng(3)
    q = rng.standard_normal((3, 5, 4)).astype("float32")
    k, v = rng.standard_normal((2, 3, 6, 4)).astype("float32")
    mask = np.array([0, 0, -10000, 0, -10000, 0], "float32")
    scores = np.einsum("hid,hjd->hij", q.astype("float64"), k) / 8 + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = (weights / weights.sum(-1, keepdims=True)) @ v
    out = np.empty(q.shape, "float32")
    arrays = [pointer(a) for a in (q, k, v, mask)]
    status = library.bm_attention(3, 5, 6, 4, *arrays, ctypes.c_float(8), pointer(out))
    assert status == 0
    np.testing.assert_allclose(out, wanted, rtol=2e-4, atol=2e-5)
