"""Attributes that TVM's text parser demands, although TVM itself may not print them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from surgery.diagnostics import Diagnostic
from surgery.listing.text import ListingText, listing_text
from surgery.source import Source

#: Op -> attribute -> an example value, in the order in which TVM 0.19 asks for them. Only ops that
#: models hold; a test checks each entry against TVM.
REQUIRED: Mapping[str, Mapping[str, str]] = {
    "arange": {"start": "0"},
    "broadcast_to": {"shape": "[1, 8]"},
    "cast": {"dtype": '"float32"'},
    "clip": {"a_min": "0f", "a_max": "6f"},
    "contrib_reverse_reshape": {"newshape": "[1, -1]"},
    "einsum": {"equation": '"ij,jk->ik"'},
    "expand_dims": {"axis": "0"},
    "fixed_point_multiply": {"multiplier": "1", "shift": "0"},
    "full": {"shape": "[1, 8]"},
    "image.affine_grid": {"target_shape": "[8, 8]"},
    "layout_transform": {"src_layout": '"NCHW"', "dst_layout": '"NHWC"'},
    "nn.avg_pool1d": {"pool_size": "[2]"},
    "nn.avg_pool2d": {"pool_size": "[2, 2]"},
    "nn.avg_pool3d": {"pool_size": "[2, 2, 2]"},
    "nn.batch_to_space_nd": {"crops": "[[0, 0]]"},
    "nn.contrib_dense_pack": {"units": "None"},
    "nn.dense": {"units": "None"},
    "nn.l2_normalize": {"eps": "1e-05f", "axis": "[1]"},
    "nn.matmul": {"units": "None"},
    "nn.max_pool1d": {"pool_size": "[2]"},
    "nn.max_pool2d": {"pool_size": "[2, 2]"},
    "nn.max_pool3d": {"pool_size": "[2, 2, 2]"},
    "nn.mirror_pad": {"pad_width": "[[0, 0], [1, 1]]"},
    "nn.nll_loss": {"ignore_index": "-100"},
    "nn.pad": {"pad_width": "[[0, 0], [1, 1]]"},
    "nn.space_to_batch_nd": {"paddings": "[[0, 0]]"},
    "nn.upsampling": {"scale_h": "2f", "scale_w": "2f"},
    "nn.upsampling3d": {"scale_d": "2f", "scale_h": "2f", "scale_w": "2f"},
    "ones": {"shape": "[1, 8]"},
    "qnn.avg_pool2d": {"pool_size": "[2, 2]"},
    "qnn.dense": {"units": "None"},
    "qnn.dequantize": {"out_dtype": '"float32"'},
    "qnn.quantize": {"out_dtype": '"int8"'},
    "random.normal": {"out_shape": "[1, 8]"},
    "random.uniform": {"out_shape": "[1, 8]"},
    "reinterpret": {"dtype": '"int32"'},
    "repeat": {"repeats": "2"},
    "reshape": {"newshape": "[1, -1]"},
    "slice_like": {"axes": "None"},
    "sliding_window": {"axis": "1", "window_shape": "[2]", "strides": "[1]"},
    "sparse_to_dense": {"output_shape": "[1, 8]"},
    "split": {"indices_or_sections": "2"},
    "strided_slice": {"begin": "[0]", "end": "[1]", "strides": "[1]", "axes": "None"},
    "tile": {"reps": "[1, 2]"},
    "topk": {"k": "1"},
    "transpose": {"axes": "None"},
    "zeros": {"shape": "[1, 8]"},
}

_CALL = re.compile(r"(?<![\w.%@/])([a-z][\w.]*+)\s*\(")
_PART = re.compile(r"[()\[\]{}]|([A-Za-z_]\w*)\s*=(?!=)|meta\[(?:relay\.attrs\.|[\w.]*Attrs\])")


def missing_required_attrs(source: Source) -> list[Diagnostic]:
    """Return the calls that TVM's parser refuses because an attribute without default is missing.

    A listing may leave them out; text that TVM is to parse may not. Codes: ``S529``.
    """
    listing = listing_text(source)
    return [
        finding
        for call in _CALL.finditer(listing.code)
        if (asked := REQUIRED.get(call[1])) and (finding := _check(listing, call, asked))
    ]


def _check(
    listing: ListingText, call: re.Match[str], asked: Mapping[str, str]
) -> Diagnostic | None:
    """Return what one call lacks; ``None`` when it is complete."""
    given: set[str] = set()
    depth = 1
    for part in _PART.finditer(listing.code, call.end()):
        mark = part.group()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif mark.startswith("meta["):
            if depth == 1:
                return None
            depth += 1
        elif depth == 1:
            given.add(part[1])
    missing = [name for name in asked if name not in given]
    if not missing:
        return None
    op = call[1]
    names = " and ".join(f"`{name}`" for name in missing)
    example = ", ".join(f"{name}={asked[name]}" for name in missing)
    plural = "s" if len(missing) > 1 else ""
    return Diagnostic(
        code="S529",
        message=f"`{op}` lacks its attribute{plural} {names}",
        span=listing.span(call.start(1), call.end(1)),
        reason="TVM's text parser has no default for it, although TVM may not print it",
        remedy=f"write `{op}(..., {example})`",
    )
