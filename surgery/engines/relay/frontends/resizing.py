"""Resize and Upsample as ONNX defines them, also where TVM's own resizing is something else.

TVM's resizes keep the first two axes and reckon with the quotient of the extents. What that isn't
enough for is interpolated one axis after the other, by elements taken and weighted: the places and
weights are constants, reckoned here (ONNX's operator reference, Resize).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: By these TVM reckons places as ONNX does.
_TVM_MODES = frozenset(
    {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"}
    | {"tf_crop_and_resize"}
)
_RANKS = range(3, 6)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis that is resized: its number, both extents, the scale, and the part of it."""

    number: int
    before: int
    after: int
    scale: float
    start: float = 0.0
    end: float = 1.0

    @property
    def is_quotient(self) -> bool:
        """Whether the scale is the quotient of the extents, as TVM takes it to be."""
        return math.isclose(self.scale * self.before, self.after, rel_tol=1e-6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a Resize interpolates: its attributes, with ONNX's defaults."""

    method: str
    coordinates: str
    nearest: str
    cubic: float = -0.75
    exclude_outside: bool = False
    extrapolation: float = 0.0

    @classmethod
    def of(cls, attrs: Mapping[str, Any]) -> Rule:
        """Return the rule of a Resize from opset 11 on."""

        def text(name: str, default: str) -> str:
            value = attrs.get(name, default)
            return value.decode() if isinstance(value, bytes) else str(value)

        return cls(
            method=text("mode", "nearest"),
            coordinates=text("coordinate_transformation_mode", "half_pixel"),
            nearest=text("nearest_mode", "round_prefer_floor"),
            cubic=float(attrs.get("cubic_coeff_a", -0.75)),
            exclude_outside=bool(attrs.get("exclude_outside", 0)),
            extrapolation=float(attrs.get("extrapolation_value", 0.0)),
        )


def upsampling(mode: str) -> Rule:
    """Return the rule of an Upsample, and of a Resize of opset 10."""
    return Rule(method=mode, coordinates="asymmetric", nearest="floor")


def axes_of(
    shape: Sequence[int],
    *,
    scales: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    roi: Sequence[float] | None = None,
    axes: Sequence[int] | None = None,
    policy: str = "stretch",
) -> list[Axis]:
    """Return what happens to the axes that are named, or to all; one of scales, sizes is given."""
    numbers = [a % len(shape) for a in axes] if axes is not None else list(range(len(shape)))
    before = [shape[a] for a in numbers]
    count = len(numbers)
    if sizes is not None:
        factors = [size / b for size, b in zip(sizes, before, strict=True)]
        if policy != "stretch":
            same = min(factors) if policy == "not_larger" else max(factors)
            factors = [same] * count
            sizes = [math.floor(same * b + 0.5) for b in before]
        after = list(sizes)
    else:
        assert scales is not None
        factors = list(scales)
        # In the precision that the scales are written in.
        after = [math.floor(f * b + 1e-6 * f * b) for f, b in zip(factors, before, strict=True)]
    part = list(roi) if roi else [0.0] * count + [1.0] * count
    found = zip(numbers, before, after, factors, part[:count], part[count:], strict=True)
    return [Axis(n, b, a, f, float(s), float(e)) for n, b, a, f, s, e in found]


def resize(data: Any, shape: Sequence[int], dtype: str, axes: Sequence[Axis], rule: Rule) -> Any:
    """Return the resized data.

    Args:
        data: A Relay expression.
        shape: Its shape.
        dtype: Its type; of whole numbers results are truncated, as TVM's own resizes are.
        axes: What happens to each axis.
        rule: How to interpolate.

    Raises:
        NotImplementedError: A mode that ONNX doesn't define.
    """
    from tvm import relay

    whole = rule.coordinates == "tf_crop_and_resize"
    if not whole:
        axes = [a for a in axes if a.before != a.after or not a.is_quotient]
    if _by_tvm(shape, axes, rule):
        return _tvm(data, shape, axes, rule)
    kept = rule.method == "nearest" or dtype in ("float32", "float64")
    inner = dtype if kept else "float32"
    value = data if kept else relay.cast(data, inner)
    for axis in axes:
        value = _along(value, axis, rule, len(shape), inner)
    if whole:
        value = _outside(value, axes, rule, len(shape), inner)
    return value if kept else relay.cast(value, dtype)


def _by_tvm(shape: Sequence[int], axes: Sequence[Axis], rule: Rule) -> bool:
    """Tell whether TVM's resize of all axes but the first two does the same."""
    known = len(shape) in _RANKS and rule.coordinates in _TVM_MODES
    # It divides by zero for the corners of a single element.
    corners = rule.coordinates == "align_corners" and any(a.after == 1 for a in axes)
    inner = all(
        a.is_quotient and (a.number >= 2 or (a.before == a.after and (a.start, a.end) == (0, 1)))
        for a in axes
    )
    # Of whole factors it takes the floor, whatever the rounding.
    floors = rule.method == "nearest" and rule.coordinates == "asymmetric"
    rounds = floors and rule.nearest != "floor"
    return bool(axes) and known and inner and not corners and not rounds


def _tvm(data: Any, shape: Sequence[int], axes: Sequence[Axis], rule: Rule) -> Any:
    from tvm import relay

    rank = len(shape)
    sizes, start, end = list(shape), [0.0] * rank, [1.0] * rank
    for axis in axes:
        sizes[axis.number] = axis.after
        start[axis.number], end[axis.number] = axis.start, axis.end
    layout = {3: "NCW", 4: "NCHW", 5: "NCDHW"}[rank]
    function = getattr(relay.image, f"resize{rank - 2}d")
    return function(
        data,
        sizes[2:],
        [*start[2:], *end[2:]] if rule.coordinates == "tf_crop_and_resize" else None,
        layout,
        {"nearest": "nearest_neighbor"}.get(rule.method, rule.method),
        rule.coordinates,
        rule.nearest if rule.method == "nearest" else "",
        rule.cubic,
        int(rule.exclude_outside),
        rule.extrapolation,
    )


def _places(axis: Axis, rule: Rule) -> Any:
    """Return where each element of the result lies on the axis before, as fractions.

    In float32, as ONNX Runtime reckons: what lies between two elements is rounded as there.
    """
    import numpy as np

    at = np.arange(axis.after, dtype="float32")
    scale = np.float32(axis.scale)
    mode = rule.coordinates
    if mode == "align_corners":
        return at * (axis.before - 1) / (axis.after - 1) if axis.after > 1 else at * 0
    if mode == "asymmetric":
        return at / scale
    if mode == "tf_half_pixel_for_nn":
        return (at + np.float32(0.5)) / scale
    if mode == "tf_crop_and_resize":
        last = axis.before - 1
        if axis.after == 1:
            return np.array([0.5 * (axis.start + axis.end) * last])
        return axis.start * last + at * (axis.end - axis.start) * last / (axis.after - 1)
    if mode == "pytorch_half_pixel" and axis.after == 1:
        return at * 0
    centre = (at + np.float32(0.5)) / scale - np.float32(0.5)
    if mode == "half_pixel_symmetric":
        exact = axis.scale * axis.before
        return axis.before / 2 * (1 - axis.after / exact) + centre
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return centre
    raise NotImplementedError(f"coordinate_transformation_mode {mode}")


def _taps(axis: Axis, rule: Rule) -> list[tuple[Any, Any]]:
    """Return the elements that are added up, each by its places and its weights."""
    import numpy as np

    places = _places(axis, rule)
    if rule.method == "nearest":
        rounded: Mapping[str, Callable[[Any], Any]] = {
            "round_prefer_floor": lambda p: np.ceil(p - 0.5),
            "round_prefer_ceil": lambda p: np.floor(p + 0.5),
            "floor": np.floor,
            "ceil": np.ceil,
        }
        if rule.nearest not in rounded:
            raise NotImplementedError(f"nearest_mode {rule.nearest}")
        return [(rounded[rule.nearest](places), None)]
    low = np.floor(places)
    part = places - low
    if rule.method == "linear":
        return [(low, 1 - part), (low + 1, part)]
    if rule.method != "cubic":
        raise NotImplementedError(f"mode {rule.method}")
    a = rule.cubic
    taps = []
    for offset in range(-1, 3):
        d = np.abs(part - offset)
        near = (a + 2) * d**3 - (a + 3) * d**2 + 1
        far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        taps.append((low + offset, np.where(d <= 1, near, np.where(d < 2, far, 0))))
    if rule.exclude_outside:
        inside = [(p >= 0) & (p < axis.before) for p, _ in taps]
        taps = [(p, w * i) for (p, w), i in zip(taps, inside, strict=True)]
        total = sum(w for _, w in taps)
        taps = [(p, w / total) for p, w in taps]
    return taps


def _along(data: Any, axis: Axis, rule: Rule, rank: int, dtype: str) -> Any:
    """Return data interpolated along one axis."""
    import numpy as np
    from tvm import relay

    value = None
    for places, weights in _taps(axis, rule):
        index = np.clip(places, 0, axis.before - 1).astype("int32")
        taken = relay.take(data, relay.const(index), axis.number, mode="clip")
        if weights is None:
            return taken
        across = weights.astype(dtype).reshape([-1] + [1] * (rank - axis.number - 1))
        taken = relay.multiply(taken, relay.const(across))
        value = taken if value is None else relay.add(value, taken)
    return value


def _outside(value: Any, axes: Sequence[Axis], rule: Rule, rank: int, dtype: str) -> Any:
    """Return a value whose places outside of the data are the value for these."""
    import numpy as np
    from tvm import relay

    outside = np.zeros([1] * rank, bool)
    for axis in axes:
        places = _places(axis, rule)
        off = (places < 0) | (places > axis.before - 1)
        outside = outside | off.reshape([-1 if n == axis.number else 1 for n in range(rank)])
    if not outside.any():
        return value
    return relay.where(relay.const(outside), relay.const(rule.extrapolation, dtype), value)
