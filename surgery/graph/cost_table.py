"""FLOPs of Relay's ops by family: data only, read by :mod:`surgery.graph.costs`.

One FLOP is one arithmetic operation, of floats or integers; a multiply-accumulate is two. A
comparison, a maximum, a conversion and a division count as one. Bytes are those of the operands
that are read and of the result that is written.
"""

from __future__ import annotations

from typing import Final

#: FLOPs of one ``exp``, ``log``, ``tanh``, ``erf``, ``sin``, ``pow``: what a polynomial of single
#: precision takes, about. Counted alike for all of them.
TRANSCENDENTAL: Final = 10
#: FLOPs a value to quantise it (divide, round, shift, clip), to read a quantised one (shift,
#: multiply), and to change from one scale to another (shift, multiply, round, shift, clip).
QUANTIZE: Final = 4
DEQUANTIZE: Final = 2
REQUANTIZE: Final = 5

#: Another shape, or an annotation, of the same elements: no FLOP, and no byte moves (compilers make
#: them views).
VIEWS: Final = frozenset(
    {
        "annotation.cast_hint", "annotation.checkpoint", "annotation.compiler_begin",
        "annotation.compiler_end", "annotation.stop_fusion", "annotation.with_funcid",
        "annotation.bitpack_end", "annotation.bitpack_start", "contrib_reverse_reshape", "debug",
        "dyn.expand_dims", "dyn.reshape", "dyn.squeeze", "expand_dims", "nn.batch_flatten",
        "nn.dropout", "on_device", "reinterpret", "reshape", "reshape_like", "sparse_reshape",
        "squeeze",
    }
)  # fmt: skip

#: Read as many elements of the first operand as they write (and the other operands whole): an
#: embedding reads the rows it looks up, not its table.
PICKS: Final = frozenset(
    {
        "adv_index", "dyn.strided_slice", "gather", "gather_nd", "slice_like", "strided_slice",
        "take",
    }
)  # fmt: skip

#: Write their result and read no tensor of data.
MAKERS: Final = frozenset(
    {
        "dyn.full", "dyn.ones", "dyn.zeros", "full", "full_like", "ndarray_size", "ones",
        "ones_like", "shape_of", "zeros", "zeros_like",
    }
)  # fmt: skip

#: Data movement: no FLOP; reads its operands, writes its result.
MOVES: Final = frozenset(
    {
        "auto_scheduler_layout_transform", "broadcast_to", "broadcast_to_like", "concatenate",
        "copy", "device_copy", "dyn.broadcast_to", "dyn.nn.pad",
        "dyn.sparse_to_dense", "dyn.tile",
        "invert_permutation", "layout_transform", "matrix_set_diag", "meshgrid",
        "meta_schedule_layout_transform", "nn.batch_to_space_nd", "nn.bitpack",
        "nn.contrib_conv2d_gemm_weight_transform", "nn.depth_to_space", "nn.dilate",
        "nn.fifo_buffer", "nn.mirror_pad", "nn.pad", "nn.space_to_batch_nd", "nn.space_to_depth",
        "nn.sparse_transpose", "repeat", "reverse", "reverse_sequence", "scatter",
        "scatter_elements", "scatter_nd", "sliding_window", "sparse_fill_empty_rows",
        "sparse_to_dense", "split", "stack", "strided_set", "tile", "transpose",
        "vision.yolo_reorg",
    }
)  # fmt: skip

_ONE = (
    "abs add bitwise_and bitwise_not bitwise_or bitwise_xor cast cast_like "
    "ceil divide equal floor greater greater_equal isfinite isinf isnan left_shift less less_equal "
    "logical_and logical_not logical_or logical_xor maximum minimum multiply negative nn.bias_add "
    "nn.relu not_equal one_hot dyn.one_hot right_shift round sequence_mask sign sqrt subtract "
    "trilu trunc trunc_divide where"
)
_TWO = (
    "arange clip floor_divide nn.leaky_relu nn.prelu mod rsqrt trunc_mod unravel_index "
    "nn.batch_norm"
)
_THREE = "floor_mod fixed_point_multiply fixed_point_multiply_per_axis vision.multibox_prior"
_TRANSCENDENTAL = (
    "acos acosh asin asinh atan atanh cos cosh erf exp fast_erf fast_exp fast_tanh log log10 log2 "
    "power sin sinh tan tanh"
)
_QNN_UNARY = {
    "abs": 1, "erf": TRANSCENDENTAL, "exp": TRANSCENDENTAL, "hardswish": 5, "leaky_relu": 2,
    "log": TRANSCENDENTAL, "rsqrt": 2, "sigmoid": TRANSCENDENTAL + 3, "sqrt": 1,
    "tanh": TRANSCENDENTAL,
}  # fmt: skip

#: FLOPs an element of the result.
PER_RESULT: Final[dict[str, int]] = {
    **dict.fromkeys(_ONE.split(), 1),
    **dict.fromkeys(_TWO.split(), 2),
    **dict.fromkeys(_THREE.split(), 3),
    **dict.fromkeys(_TRANSCENDENTAL.split(), TRANSCENDENTAL),
    "hardswish": 5,
    "sigmoid": TRANSCENDENTAL + 3,
    "image.affine_grid": 6,
    "vision.roi_align": 4 * 9,
    "qnn.quantize": QUANTIZE,
    "qnn.simulated_quantize": QUANTIZE,
    "relay.op.annotation.simulated_quantize": QUANTIZE,
    "qnn.dequantize": DEQUANTIZE,
    "qnn.simulated_dequantize": DEQUANTIZE,
    "qnn.requantize": REQUANTIZE,
    "qnn.concatenate": REQUANTIZE,
    **{f"qnn.{op}": 2 * DEQUANTIZE + 1 + QUANTIZE for op in ("add", "mul", "subtract")},
    **{f"qnn.{op}": DEQUANTIZE + flops + QUANTIZE for op, flops in _QNN_UNARY.items()},
}

_SOFTMAX = 4 + TRANSCENDENTAL  # maximum, subtract, exp, sum, divide (log_softmax: subtract)

#: FLOPs an element of the first operand (all its tensors, when it is a tuple).
PER_OPERAND: Final[dict[str, int]] = {
    **dict.fromkeys(("all", "any", "argmax", "argmin", "max", "min", "prod", "sum"), 1),
    **dict.fromkeys(("collapse_sum_like", "collapse_sum_to", "cumprod", "cumsum", "mean"), 1),
    **dict.fromkeys(("argwhere", "nn.global_avg_pool2d", "nn.global_max_pool2d"), 1),
    **{f"nn.adaptive_{kind}_pool{n}d": 1 for kind in ("avg", "max") for n in (1, 2, 3)},
    "variance": 3,
    "nn.l2_normalize": 3,
    "nn.softmax": _SOFTMAX,
    "nn.log_softmax": _SOFTMAX,
    "nn.fast_softmax": _SOFTMAX,
    "qnn.softmax": DEQUANTIZE + _SOFTMAX + QUANTIZE,
    # mean 1, variance 3, normalise 2, scale 1, shift 1
    **dict.fromkeys(("nn.layer_norm", "nn.group_norm", "nn.instance_norm"), 8),
    "nn.cross_entropy": 2 + TRANSCENDENTAL,
    "nn.cross_entropy_with_logits": 2,
    "nn.nll_loss": 2,
    "nn.sparse_add": 1,
}

#: Comparison sorts of rows of n elements: n log2(n) FLOPs a row.
SORTS: Final = frozenset({"argsort", "dyn.topk", "sort", "topk", "unique"})
