"""TensorFlow operators that TVM's importer lacks, or converts to other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from surgery.engines.relay.frontends.arithmetic import half_to_even


@contextmanager
def todays_operators() -> Iterator[None]:
    """Teach TVM's importer, for a while, what TensorFlow computes today."""
    from tvm.relay.frontend import tensorflow_ops

    more = {
        "Erfc": _erfc,  # tf.nn.gelu computes with it since TensorFlow 2.19
        "Reciprocal": _reciprocal,
        "EnsureShape": _same,  # shapes are fixed, and TensorFlow has checked them
        "PreventGradient": _same,
        "Snapshot": _same,
    }
    put_right = {
        "Round": _round,
        "Rint": _round,
        # TVM's own converter looks at neither pixels' centres nor the rule of cubic kernels.
        "ResizeBicubic": _resize("cubic"),
        "ResizeBilinear": _resize("linear"),
        "ResizeNearestNeighbor": _resize("nearest_neighbor"),
    }
    table = tensorflow_ops._convert_map
    kept = dict(table)
    table.update({op: how for op, how in more.items() if op not in table})
    table.update(put_right)
    try:
        yield
    finally:
        table.clear()
        table.update(kept)


def _dtype(value: Any, mod: Any) -> str:
    from tvm.relay.frontend.tensorflow_ops import _infer_type

    return str(_infer_type(value, mod).checked_type.dtype)


def _erfc(inputs: Any, attr: Any, params: Any, mod: Any) -> Any:
    from tvm import relay

    return relay.subtract(relay.const(1, _dtype(inputs[0], mod)), relay.erf(inputs[0]))


def _reciprocal(inputs: Any, attr: Any, params: Any, mod: Any) -> Any:
    from tvm import relay

    return relay.divide(relay.const(1, _dtype(inputs[0], mod)), inputs[0])


def _same(inputs: Any, attr: Any, params: Any, mod: Any) -> Any:
    return inputs[0]


def _round(inputs: Any, attr: Any, params: Any, mod: Any) -> Any:
    return half_to_even(inputs[0], _dtype(inputs[0], mod))


def _resize(method: str) -> Callable[[Any, Any, Any, Any], Any]:
    """Return the converter of a resize, as TensorFlow's kernels compute it.

    Cubic kernels have ``a = -0.75``, but -0.5 between pixels' centres, where neighbours outside
    the image count as nothing (Keys, 1981); linear and cubic ones give float32, of any image.
    """

    def convert(inputs: Any, attr: Any, params: Any, mod: Any) -> Any:
        from tvm import relay
        from tvm.relay.frontend.tensorflow_ops import _infer_value

        image = inputs[0]
        size = [int(n) for n in _infer_value(inputs[1], params, mod).numpy().reshape(-1)]
        centres = bool(attr["half_pixel_centers"])
        mode = "half_pixel" if centres else "asymmetric"
        rounding = "floor"
        if attr["align_corners"] and max(size) > 1:  # of a single pixel it is the first
            if min(size) == 1:
                raise ValueError("corners aligned, to a single row or column")
            mode, rounding = "align_corners", "round"
        if method == "nearest_neighbor":
            mode = "tf_half_pixel_for_nn" if centres else mode
        elif _dtype(image, mod) != "float32":
            image = relay.cast(image, "float32")
        return relay.image.resize2d(
            image,
            size,
            layout="NHWC",
            method=method,
            coordinate_transformation_mode=mode,
            rounding_method=rounding if method == "nearest_neighbor" else "",
            cubic_alpha=-0.5 if centres else -0.75,
            cubic_exclude=int(centres),
        )

    return convert
