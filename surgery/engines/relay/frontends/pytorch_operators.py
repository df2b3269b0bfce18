"""PyTorch operators that TVM's importer lacks forms of, or converts to other values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from surgery.engines.relay.frontends.arithmetic import gelu_by_tanh, half_to_even
from surgery.engines.relay.frontends.resizing import Rule, axes_of, resize

#: TVM's converter of an operator: of its inputs (expressions and Python values) and their types.
Converter = Callable[[list[Any], list[str]], Any]
#: PyTorch's numbers of its types.
_TYPES = {0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32"}
_TYPES |= {7: "float64", 11: "bool"}


@contextmanager
def todays_operators() -> Iterator[frozenset[str]]:
    """Teach TVM's importer, for a while, what PyTorch computes; yield what can be converted."""
    from tvm.relay.frontend import pytorch as importer

    theirs = importer.PyTorchOpConverter

    class Operators(importer.PyTorchOpConverter):  # type: ignore[misc]
        def create_convert_map(self) -> None:
            super().create_convert_map()
            kept = dict(self.convert_map)
            for kind, own in _OWN.items():
                self.convert_map[kind] = partial(_typed, own, self, kept.get(kind))

    importer.PyTorchOpConverter = Operators
    try:
        yield frozenset(Operators(None, "float32").convert_map)
    finally:
        importer.PyTorchOpConverter = theirs


def _typed(own: Any, tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    return own(tools, theirs, list(inputs), list(types))


def _dtype(tools: Any, value: Any) -> str:
    return str(tools.infer_type(value).dtype)


def _shape(tools: Any, value: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in tools.infer_shape(value))


def _is_tensor(value: Any) -> bool:
    from tvm import relay

    return isinstance(value, relay.Expr)


def _itself(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    """Return the input: what torch.export leaves in programs."""
    return inputs[0]


def _scaled(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Multiply what is added or subtracted by alpha, which TVM forgets."""
    from tvm import relay

    if len(inputs) > 2 and inputs[2] != 1:
        other, alpha = inputs[1], inputs[2]
        known = not _is_tensor(other)
        inputs[1] = other * alpha if known else other * relay.const(alpha, _dtype(tools, other))
        inputs[2] = 1
    return theirs(inputs, types)


def _divide(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return a quotient; TVM forgets how it is rounded, and divides whole numbers as C does."""
    from tvm import relay

    mode = inputs[2] if len(inputs) > 2 else None
    left, right = tools.pytorch_promote_types(inputs[:2], types[:2])
    dtype = _dtype(tools, left)
    whole = not dtype.startswith("float")
    if mode is None:
        if whole:
            left, right = relay.cast(left, "float32"), relay.cast(right, "float32")
        return relay.divide(left, right)
    if mode == "floor":
        return relay.floor_divide(left, right) if whole else relay.floor(relay.divide(left, right))
    return relay.divide(left, right) if whole else relay.trunc(relay.divide(left, right))


def _round(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    from tvm import relay

    dtype = _dtype(tools, inputs[0])
    digits = inputs[1] if len(inputs) > 1 else 0
    if not digits:
        return half_to_even(inputs[0], dtype)
    factor = relay.const(10.0**digits, dtype)
    return relay.divide(half_to_even(relay.multiply(inputs[0], factor), dtype), factor)


def _gelu(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    if len(inputs) > 1 and inputs[1] == "tanh":
        return gelu_by_tanh(inputs[0], _dtype(tools, inputs[0]))
    return theirs(inputs, types)


def _to(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Cast to any type; TVM knows five, and leaves data as they are for the others."""
    from tvm import relay

    data = inputs[0]
    if not _is_tensor(data):
        return theirs(inputs, types)
    wanted = inputs[1] if len(inputs) > 1 else None
    if _is_tensor(wanted):
        dtype = _dtype(tools, wanted)
    else:
        numbers = [n for n in inputs[1:3] if isinstance(n, int) and not isinstance(n, bool)]
        if not numbers:
            return data  # to a device, or a layout of memory
        if numbers[0] not in _TYPES:
            # Complex, quantised and 8-bit floats: Relay has no arithmetic on them.
            raise NotImplementedError(f"PyTorch's type number {numbers[0]}")
        dtype = _TYPES[numbers[0]]
    return data if dtype == _dtype(tools, data) else relay.cast(data, dtype)


def _places(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return places, or classes, as int64; TVM has them as int32."""
    found = theirs(inputs, types)
    if isinstance(found, (list, tuple)):
        return tuple(_int64(tools, value) if place else value for place, value in enumerate(found))
    return _int64(tools, found)


def _int64(tools: Any, value: Any) -> Any:
    from tvm import relay

    return value if _dtype(tools, value) == "int64" else relay.cast(value, "int64")


def _arg(op: str) -> Any:
    def convert(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
        from tvm import relay

        data = inputs[0]
        axis, keep = [*inputs[1:], None, False][:2]
        if axis is None:
            data, axis, keep = relay.reshape(data, [-1]), 0, False
        return relay.cast(getattr(relay, op)(data, axis, bool(keep)), "int64")

    return convert


def _extreme(op: str) -> Any:
    def convert(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
        """Return the extremes along an axis with their places, which TVM leaves out."""
        from tvm import relay

        if len(inputs) < 2 or not isinstance(inputs[1], int):
            return theirs(inputs, types)
        axis, keep = inputs[1], bool(inputs[2]) if len(inputs) > 2 else False
        places = getattr(relay, f"arg{op}")(inputs[0], axis, keep)
        return getattr(relay, op)(inputs[0], axis, keep), relay.cast(places, "int64")

    return convert


def _pool(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return a maximum pool; a window that begins behind the data is none, which TVM keeps."""
    strides = inputs[2] or inputs[1]
    return _windows(tools, theirs(inputs, types), inputs, strides, inputs[3], inputs[4], inputs[5])


def _average(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return an average pool, divided by what is asked for."""
    from tvm import relay

    data, kernel, strides, padding, ceil = inputs[:5]
    divisor = inputs[6] if len(inputs) > 6 else None
    if divisor is None:
        value = theirs(inputs, types)
        return _windows(tools, value, inputs, strides or kernel, padding, [1] * len(kernel), ceil)
    if ceil:
        # A window beyond the edge holds fewer elements: no one factor makes a sum of its mean.
        raise NotImplementedError("avg_pool2d with ceil_mode and divisor_override")
    value = theirs([data, kernel, strides, padding, False, True, None], types)
    factor = math.prod(int(k) for k in kernel) / divisor
    return relay.multiply(value, relay.const(factor, _dtype(tools, value)))


def _windows(
    tools: Any, value: Any, inputs: list[Any], strides: Any, padding: Any, dilation: Any, ceil: Any
) -> Any:
    """Return a pool without the windows that begin behind the data and its padding before them."""
    from tvm import relay

    if not ceil:
        return value
    kernel, shape, made = inputs[1], _shape(tools, inputs[0]), _shape(tools, value)
    lead = len(shape) - len(kernel)

    def each(given: Any) -> list[int]:
        numbers = [int(n) for n in given]
        return numbers * len(kernel) if len(numbers) == 1 else numbers

    ends = list(made)
    steps = zip(each(kernel), each(strides), each(padding), each(dilation), strict=True)
    for axis, (size, stride, pad, gap) in enumerate(steps, lead):
        count = -(-(shape[axis] + 2 * pad - gap * (size - 1) - 1) // stride) + 1
        if (count - 1) * stride >= shape[axis] + pad:
            count -= 1
        ends[axis] = count
    return value if ends == list(made) else relay.strided_slice(value, [0] * len(ends), ends)


def _convolution(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return a convolution; TVM compiles no dilated transposed one: its weights are spread here."""
    from tvm import relay

    if inputs[6] and any(int(d) != 1 for d in inputs[5]):
        gaps = [int(d) for d in inputs[5]]
        inputs[1] = relay.nn.dilate(inputs[1], [1, 1, *gaps])
        inputs[5] = [1] * len(gaps)
    return theirs(inputs, types)


def _same_convolution(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    """Return a convolution whose padding is a word: of an odd number the larger part is behind."""
    from tvm import relay

    data, weight, bias, strides, padding, dilation, groups = inputs
    rank = len(dilation)
    pads = [(0, 0)] * rank
    if padding == "same":
        sizes = _shape(tools, weight)[2:]
        whole = [int(d) * (k - 1) for d, k in zip(dilation, sizes, strict=True)]
        pads = [(n // 2, n - n // 2) for n in whole]
    if any(before != after for before, after in pads):
        data = relay.nn.pad(data, [(0, 0), (0, 0), *pads])
        pads = [(0, 0)] * rank
    given = [data, weight, bias, strides, [p for p, _ in pads], dilation, False, [0] * rank, groups]
    return tools.convolution(given, types)


def _layer_norm(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return a layer's norm over any number of axes; TVM's is over the last."""
    import numpy as np
    from tvm import relay

    data, over, weight, bias, epsilon = inputs[:5]
    shape = _shape(tools, data)
    size = math.prod(int(n) for n in over)
    dtype = _dtype(tools, data)
    flat = data
    if len(over) > 1:
        flat = relay.reshape(data, [*shape[: len(shape) - len(over)], size])
    gain, shift = (
        relay.const(np.full(size, default, dtype)) if v is None else relay.reshape(v, [-1])
        for v, default in ((weight, 1), (bias, 0))
    )
    value = relay.nn.layer_norm(
        flat, gain, shift, -1, epsilon, weight is not None, bias is not None
    )
    return relay.reshape(value, shape) if len(over) > 1 else value


def _rms_norm(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    import numpy as np
    from tvm import relay

    data, over, weight, epsilon = inputs
    dtype = _dtype(tools, data)
    if epsilon is None:
        epsilon = float(np.finfo(dtype).eps)
    axes = list(range(-len(over), 0))
    square = relay.mean(relay.multiply(data, data), axes, keepdims=True)
    value = relay.multiply(data, relay.rsqrt(relay.add(square, relay.const(epsilon, dtype))))
    return value if weight is None else relay.multiply(value, weight)


def _attention(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Give TVM a causal mask as numbers, which it can't compile otherwise, and the scale."""
    import numpy as np
    from tvm import relay

    if len(inputs) > 7 and inputs[7]:
        # TVM's converter multiplies as many heads of keys as there are of queries.
        raise NotImplementedError("attention with groups of queries (enable_gqa)")
    if inputs[5]:
        rows, columns = _shape(tools, inputs[0])[-2], _shape(tools, inputs[1])[-2]
        dtype = _dtype(tools, inputs[0])
        mask = np.triu(np.full((rows, columns), -np.inf, dtype), 1)
        inputs[3], inputs[5] = relay.const(mask), False
        types[3] = dtype
    return theirs(inputs[:7], types[:7])


def _resize(method: str, nearest: str = "") -> Any:
    """Return the converter of an upsampling, whose scales TVM takes to be the extents' quotient."""

    def convert(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
        data, sizes, *more = inputs
        shape = _shape(tools, data)
        rank = len(shape) - 2
        corners = bool(more.pop(0)) if method != "nearest" else False
        # A list in the form for users, a number for each axis in the other.
        scales = more[0] if more and isinstance(more[0], (list, tuple)) else more[:rank]
        if sizes is not None:
            sizes = [int(_number(n)) for n in sizes]
        known = [float(s) for s in scales if s is not None] if scales else []
        coordinates = "align_corners" if corners else "half_pixel"
        if method == "nearest":
            coordinates = nearest
        rule = Rule(method=method, coordinates=coordinates, nearest="floor")
        axes = list(range(2, len(shape)))
        if len(known) == rank:
            found = axes_of(shape, scales=known, axes=axes)
        else:
            found = axes_of(shape, sizes=sizes, axes=axes)
        return resize(data, shape, _dtype(tools, data), found, rule)

    return convert


def _number(value: Any) -> float:
    from tvm.relay.frontend.common import infer_value

    return float(infer_value(value, {}).numpy()) if _is_tensor(value) else float(value)


def _swapped(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    from tvm import relay

    rank = len(_shape(tools, inputs[0]))
    return relay.transpose(inputs[0], [*range(rank - 2), rank - 1, rank - 2])


def _moved(tools: Any, theirs: Any, inputs: list[Any], types: list[str]) -> Any:
    from tvm import relay

    rank = len(_shape(tools, inputs[0]))
    pairs = [[n % rank for n in ([v] if isinstance(v, int) else v)] for v in inputs[1:3]]
    order = [axis for axis in range(rank) if axis not in pairs[0]]
    for place, axis in sorted(zip(pairs[1], pairs[0], strict=True)):
        order.insert(place, axis)
    return relay.transpose(inputs[0], order)


def _clamp(tools: Any, theirs: Converter, inputs: list[Any], types: list[str]) -> Any:
    """Return what lies between bounds that may be tensors."""
    from tvm import relay

    data, low, high = [*inputs, None][:3]
    if not (_is_tensor(low) or _is_tensor(high)):
        return theirs(inputs, types)
    for bound, op in ((low, relay.maximum), (high, relay.minimum)):
        if bound is not None:
            other = bound if _is_tensor(bound) else relay.const(bound, _dtype(tools, data))
            data = op(data, other)
    return data


_OWN: Mapping[str, Callable[..., Any]] = {
    "aten::_convolution": _convolution,
    "aten::_convolution_mode": _same_convolution,
    "aten::_upsample_nearest_exact1d": _resize("nearest", "tf_half_pixel_for_nn"),
    "aten::_upsample_nearest_exact2d": _resize("nearest", "tf_half_pixel_for_nn"),
    "aten::_upsample_nearest_exact3d": _resize("nearest", "tf_half_pixel_for_nn"),
    "aten::_to_copy": _to,
    "aten::add": _scaled,
    "aten::alias": _itself,
    "aten::argmax": _arg("argmax"),
    "aten::argmin": _arg("argmin"),
    "aten::argsort": _places,
    "aten::avg_pool2d": _average,
    "aten::clamp": _clamp,
    "aten::div": _divide,
    "aten::gelu": _gelu,
    "aten::layer_norm": _layer_norm,
    "aten::lift_fresh": _itself,
    "aten::lift_fresh_copy": _itself,
    "aten::mT": _swapped,
    "aten::max": _extreme("max"),
    "aten::max_pool2d": _pool,
    "aten::min": _extreme("min"),
    "aten::movedim": _moved,
    "aten::one_hot": _places,
    "aten::rms_norm": _rms_norm,
    "aten::round": _round,
    "aten::scaled_dot_product_attention": _attention,
    "aten::sort": _places,
    "aten::sub": _scaled,
    "aten::to": _to,
    "aten::topk": _places,
    "aten::true_divide": _divide,
    "aten::upsample_bicubic2d": _resize("cubic"),
    "aten::upsample_bilinear2d": _resize("linear"),
    "aten::upsample_linear1d": _resize("linear"),
    "aten::upsample_nearest1d": _resize("nearest", "asymmetric"),
    "aten::upsample_nearest2d": _resize("nearest", "asymmetric"),
    "aten::upsample_nearest3d": _resize("nearest", "asymmetric"),
    "aten::upsample_trilinear3d": _resize("linear"),
}
