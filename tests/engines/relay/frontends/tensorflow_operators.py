"""Single TensorFlow operators with their attributes, for comparing Relay with TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: TVM 0.19 converts these to other values or shapes, or not at all.
REFUSED = {"conv_transposed", "matmul_batch", "dilation"}
#: Of TFLite files.
LITE_REFUSED = {"all", "matmul_batch", "resize_to_one"}
#: TensorFlow's converter has no TFLite operator for these.
LITE_MADE_OTHERWISE = {
    *(f"resize_cubic_{form}" for form in ("False_False", "True_False", "False_True")),
    *("truncate_mod", "crop", "resize_bytes", "resize_integers", "dilation"),
}
Case = tuple[dict[str, tuple[int, ...]], Callable[..., Any]]


def cases(tf: Any) -> dict[str, Case]:
    """Return each case: shapes of its inputs, and what is computed from them (values 0 to 1)."""
    image = {"x": (2, 7, 8, 3)}
    matrix = {"x": (3, 4)}
    nn, v1, raw = tf.nn, tf.compat.v1, tf.raw_ops
    kernel = np.random.default_rng(1).standard_normal((3, 3, 3, 6)).astype("float32")
    back = np.random.default_rng(1).standard_normal((3, 3, 5, 3)).astype("float32")
    four = [np.linspace(0.5, 1.5, 3, dtype="float32") * k for k in (1, 2, 3, 4)]
    norm = raw.FusedBatchNormV3
    edges = [[0, 0], [1, 2], [3, 1], [0, 0]]
    order = [[2, 0], [1, 1]]
    return {
        "conv_same": (image, lambda x: nn.conv2d(x, kernel, 2, "SAME")),
        "conv_dilated": (image, lambda x: nn.conv2d(x, kernel, 1, "SAME", dilations=2)),
        "conv_explicit": (image, lambda x: nn.conv2d(x, kernel, 2, edges)),
        "depthwise": (image, lambda x: nn.depthwise_conv2d(x, kernel, [1, 2, 2, 1], "SAME")),
        "conv_transposed": (
            image,
            lambda x: nn.conv2d_transpose(x, back, [2, 14, 16, 5], 2, "SAME"),
        ),
        "pool_max": (image, lambda x: nn.max_pool2d(x, 3, 2, "SAME")),
        "pool_average": (image, lambda x: nn.avg_pool2d(x, 3, 2, "SAME")),
        "batch_norm": (
            image,
            lambda x: norm(
                x=x,
                scale=four[0],
                offset=four[1],
                mean=four[2],
                variance=four[3],
                epsilon=0.1,
                is_training=False,
            )[0],
        ),
        "lrn": (image, lambda x: nn.lrn(x, 2, 1.5, 0.3, 0.6)),
        **{
            f"resize_{how}_{corners}_{half}": (
                image,
                lambda x, op=op, corners=corners, half=half: op(
                    images=x, size=[11, 5], align_corners=corners, half_pixel_centers=half
                ),
            )
            for how, op in (
                ("linear", raw.ResizeBilinear),
                ("nearest", raw.ResizeNearestNeighbor),
                ("cubic", raw.ResizeBicubic),
            )
            for corners, half in ((False, False), (True, False), (False, True))
        },
        "pad": (image, lambda x: tf.pad(x, edges, constant_values=2.0)),
        "pad_mirror": (image, lambda x: tf.pad(x, edges, "REFLECT")),
        "pad_symmetric": (image, lambda x: tf.pad(x, edges, "SYMMETRIC")),
        "space_depth": ({"x": (2, 4, 6, 8)}, lambda x: tf.nn.space_to_depth(x, 2)),
        "depth_space": ({"x": (2, 4, 6, 8)}, lambda x: tf.nn.depth_to_space(x, 2)),
        "space_batch": (
            {"x": (1, 4, 6, 2)},
            lambda x: tf.space_to_batch(x, [2, 3], [[0, 0], [0, 0]]),
        ),
        "slice_masks": (image, lambda x: x[:, ::-2, 1:-1, tf.newaxis, ..., 1]),
        "slice_negative": (image, lambda x: x[-1, 5:1:-1, :, -2:]),
        "slice": (image, lambda x: tf.slice(x, [0, 1, 2, 0], [-1, 3, -1, 2])),
        "gather": (image, lambda x: tf.gather(x, [1, 0, 1], axis=2)),
        "gather_batched": (image, lambda x: tf.gather(x, order, axis=2, batch_dims=1)),
        "gather_nd": (image, lambda x: tf.gather_nd(x, [[0, 1], [1, 2]])),
        "sums": (image, lambda x: tf.reduce_sum(x, [1, -1], keepdims=True)),
        "means": (image, lambda x: tf.reduce_mean(x)),
        "products": (image, lambda x: tf.reduce_prod(x + 0.5, -1)),
        "norms": (image, lambda x: tf.norm(x, axis=[1, 2])),
        "all": (matrix, lambda x: tf.cast(tf.reduce_all(x > 0.1, 1), tf.float32) + 1),
        "argmax": (matrix, lambda x: tf.argmax(x, 1, output_type=tf.int32) + 1),
        "softmax": (matrix, lambda x: nn.softmax(x * 9, axis=0)),
        "log_softmax": (matrix, lambda x: nn.log_softmax(x * 9)),
        "one_hot": (matrix, lambda x: tf.one_hot(tf.cast(x * 5, tf.int32), 5, 2.0, -1.0, axis=1)),
        "cast_down": (matrix, lambda x: tf.cast(x * 9 - 4, tf.int32)),
        "floor_div": (matrix, lambda x: tf.cast(x * 9 - 4, tf.int32) // 2),
        "floor_mod": (matrix, lambda x: tf.math.floormod(x * 9 - 4, 2.5)),
        "integer_mod": (matrix, lambda x: tf.math.floormod(tf.cast(x * 9 - 4, tf.int32), 3)),
        "truncate_mod": (matrix, lambda x: raw.TruncateMod(x=tf.cast(x * 9 - 4, tf.int32), y=3)),
        "round": (matrix, lambda x: tf.round(tf.constant([0.5, 1.5, 2.5, -0.5]) + x * 0 + 1)),
        "rint": (matrix, lambda x: tf.math.rint(tf.constant([0.5, 1.5, 2.5, -1.5]) + x * 0)),
        "leaky": (matrix, lambda x: nn.leaky_relu(x - 0.5, 0.3)),
        "elu": (matrix, lambda x: nn.elu(x - 0.5) + nn.selu(x - 0.5) + nn.softplus(x)),
        "gelu": (matrix, lambda x: nn.gelu(x - 0.5) + nn.silu(x) + nn.relu6(x * 9)),
        "gelu_tanh": (matrix, lambda x: nn.gelu(x - 0.5, approximate=True)),
        "reciprocal": (matrix, lambda x: tf.math.reciprocal(x + 1)),
        "where": (matrix, lambda x: tf.where(x > 0.5, x, -x)),
        "clip": (matrix, lambda x: tf.clip_by_value(x, 0.3, 0.6)),
        "tile": (matrix, lambda x: tf.tile(x, [2, 3])),
        "stack": (matrix, lambda x: tf.stack(tf.unstack(x, axis=1), axis=0)),
        "split_sizes": (matrix, lambda x: tf.split(x, [1, 3], axis=1)[1]),
        "reverse": (matrix, lambda x: tf.reverse(x, [1])),
        "broadcast": (matrix, lambda x: tf.broadcast_to(x, [2, 3, 4])),
        "squeeze": ({"x": (1, 3, 1)}, lambda x: tf.squeeze(x, [0])),
        "matmul": (
            {"x": (3, 4), "y": (5, 3)},
            lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True),
        ),
        "matmul_batch": ({"x": (2, 1, 3, 4), "y": (5, 4, 6)}, lambda x, y: tf.matmul(x, y)),
        "matmul_adjoint": (
            {"x": (2, 3, 4), "y": (2, 5, 4)},
            lambda x, y: tf.matmul(x, y, transpose_b=True),
        ),
        "einsum": ({"x": (2, 3, 4), "y": (4, 5)}, lambda x, y: tf.einsum("abc,cd->abd", x, y)),
        "top_k": (matrix, lambda x: nn.top_k(x, 2)[0]),
        "top_k_places": (matrix, lambda x: nn.top_k(x, 2)[1] + 1),
        "moments": (image, lambda x: nn.moments(x, [1, 2])[1]),
        "square_difference": (matrix, lambda x: tf.math.squared_difference(x, 0.3)),
        "bias_nchw": ({"x": (2, 3, 4, 5)}, lambda x: nn.bias_add(x, four[0], data_format="NCHW")),
        "crop": (
            image,
            lambda x: tf.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [1], [4, 5]),
        ),
        "resize_bytes": (
            image,
            lambda x: tf.image.resize(tf.cast(x * 255, tf.uint8), [9, 10]),
        ),
        "resize_integers": (
            image,
            lambda x: raw.ResizeNearestNeighbor(
                images=tf.cast(x * 255, tf.int32), size=[6, 6], half_pixel_centers=True
            ),
        ),
        "resize_to_one": (
            image,
            lambda x: raw.ResizeBilinear(images=x, size=[1, 1], align_corners=True),
        ),
        "dilation": (
            image,
            lambda x: v1.nn.dilation2d(x, kernel[..., 0], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
        ),
    }
