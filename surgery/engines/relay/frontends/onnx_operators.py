"""ONNX operators that TVM's importer lacks forms of, or converts to other values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from surgery.engines.relay.frontends.arithmetic import gelu_by_tanh
from surgery.engines.relay.frontends.resizing import Axis, Rule, axes_of, resize, upsampling

#: Of these, the reduction over no axes is the data themselves.
_PLAIN = frozenset({"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd"})
#: ONNX's later reductions take axes as an input.
_REDUCTIONS = _PLAIN | frozenset(
    f"Reduce{kind}" for kind in ("LogSumExp", "LogSum", "SumSquare", "L1", "L2")
)


class Operator:
    """A node that is about to be converted.

    Attributes:
        kind: Its operator.
        inputs: Relay expressions, TVM's own sequence of them.
        attrs: Its attributes, which are changed where TVM would misread them.
        opset: The version of ONNX's operators whose rules TVM follows for it.
    """

    def __init__(self, importer: Any, kind: str, inputs: Any, attrs: Any, opset: int) -> None:
        self.importer, self.kind, self.inputs, self.attrs = importer, kind, inputs, attrs
        self.opset = opset
        self._folded: dict[int, Any] = {}

    def given(self, place: int) -> Any:
        """Return an input, or ``None`` where it is left out."""
        inputs = list(self.inputs)
        return inputs[place] if place < len(inputs) else None

    def known(self, place: int) -> Any:
        """Return an input's values as an array; ``None`` where it is left out.

        Raises:
            NotImplementedError: They are computed while the model runs.
        """
        from tvm import relay

        value = self.given(place)
        if value is None:
            return None
        if place not in self._folded:  # TVM may compile what it folds
            self._folded[place] = self.importer.fold_constant(value)
        found = self._folded[place]
        if not isinstance(found, relay.Constant):
            # Named with its node by whoever converts the graph (S536), as all that is raised here.
            raise NotImplementedError(f"{self.kind} by values that are computed at run time")
        return found.data.numpy()

    def is_known(self, place: int) -> bool:
        """Tell whether an input's values are left out, or known while converting."""
        try:
            self.known(place)
        except NotImplementedError:  # what known() raises of others
            return False
        return True

    def with_inputs(self, *inputs: Any) -> None:
        """Replace the inputs."""
        self.inputs = type(self.inputs)(list(inputs))
        self._folded.clear()


def convert(node: Operator) -> Any:
    """Return the node's value, or ``None``: as TVM converts it, with its inputs and attributes now.

    Raises:
        NotImplementedError: A form that neither TVM nor this converts.
    """
    if node.kind in _REDUCTIONS:
        return _reduction(node)
    own = _OWN.get(node.kind)
    return own(node) if own else None


def _clip(node: Operator) -> Any:
    """Return a Clip whose bounds are inputs; with only one of them constant, TVM drops it."""
    from tvm import relay

    if node.opset < 11:
        return None
    data, low, high = (node.given(place) for place in range(3))
    both = isinstance(low, relay.Constant) and isinstance(high, relay.Constant)
    if both and low.data.dtype.startswith("float") and low.data.numpy() <= high.data.numpy():
        return None
    if low is not None:
        data = relay.maximum(data, low)
    if high is not None:
        data = relay.minimum(data, high)
    return data if low is not None or high is not None else relay.copy(data)


def _gelu(node: Operator) -> Any:
    if node.attrs.get("approximate", b"none") != b"tanh":
        return None
    data = node.given(0)
    return gelu_by_tanh(data, node.importer.infer_type(data).checked_type.dtype)


def _transposed(node: Operator) -> Any:
    """Spread the weights of a dilated transposed convolution, of which TVM compiles none."""
    from tvm import relay

    gaps = [int(d) for d in node.attrs.get("dilations", ())]
    if any(d != 1 for d in gaps):
        inputs = list(node.inputs)
        sizes = node.importer.infer_shape(inputs[1])[2:]
        inputs[1] = relay.nn.dilate(inputs[1], [1, 1, *gaps])
        node.attrs["dilations"] = [1] * len(gaps)
        node.attrs["kernel_shape"] = [d * (k - 1) + 1 for d, k in zip(gaps, sizes, strict=True)]
        node.with_inputs(*inputs)
    return None


def _reduction(node: Operator) -> Any:
    """Give TVM the axes of a reduction as an attribute.

    Of axes that are an input, it reads the first only, and without a word.
    """
    if node.given(1) is None:
        if len(node.inputs) < 2:
            return None
        axes = None
    elif node.is_known(1):
        axes = node.known(1)
    else:
        # Relay's reductions have their axes as attributes.
        raise NotImplementedError(f"{node.kind} over axes that are computed at run time")
    if axes is not None and axes.size:
        node.attrs["axes"] = tuple(int(v) for v in axes.reshape(-1))
    elif node.attrs.get("noop_with_empty_axes", 0):
        # TVM returns the data as they are, which is wrong for those with a square or a logarithm.
        if node.kind not in _PLAIN:
            raise NotImplementedError(f"{node.kind} with noop_with_empty_axes")
        return None
    node.with_inputs(node.given(0))
    node.opset = 1
    return None


def _cast(node: Operator) -> Any:
    """Forget a rule about 8-bit floats, which are refused before."""
    node.attrs.pop("saturate", None)
    return None


def _dropout(node: Operator) -> Any:
    """Return the data: a model that is run drops nothing."""
    for name in ("ratio", "seed", "is_test"):
        node.attrs.pop(name, None)
    training = node.known(2)
    if training is not None and training.any():
        # What it drops is random: nothing that it could be compared with.
        raise NotImplementedError("Dropout in training mode")
    node.with_inputs(node.given(0))
    return None


def _one_hot(node: Operator) -> Any:
    """Make a depth that is a float, as ONNX allows, a whole number."""
    from tvm import relay

    if node.is_known(1):
        depth = relay.const(int(node.known(1).reshape(())), "int64")
        node.with_inputs(node.given(0), depth, node.given(2))
    return None


def _grid_sample(node: Operator) -> Any:
    """Return a GridSample; TVM's converter knows neither names since opset 20 nor volumes."""
    from tvm import relay

    names = {"linear": "bilinear", "cubic": "bicubic"}
    mode = node.attrs.get("mode", b"linear").decode()
    rank = len(node.importer.infer_shape(node.given(0)))
    return relay.image.grid_sample(
        node.given(0),
        relay.transpose(node.given(1), [0, rank - 1, *range(1, rank - 1)]),
        names.get(mode, mode),
        layout={4: "NCHW", 5: "NCDHW"}[rank],
        padding_mode=node.attrs.get("padding_mode", b"zeros").decode(),
        align_corners=bool(node.attrs.get("align_corners", 0)),
    )


def _dft(node: Operator) -> Any:
    """Give TVM the axis as an attribute, which opset 20 made an input."""
    if node.opset >= 20:
        axis = node.known(2)
        node.attrs["axis"] = -2 if axis is None else int(axis.reshape(()))
        rank = len(node.importer.infer_shape(node.given(0)))
        node.attrs["axis"] %= rank
        node.with_inputs(node.given(0), node.given(1))
    return None


def _pad(node: Operator) -> Any:
    """Give TVM paddings of all axes, which opset 18 may name."""
    import numpy as np
    from tvm import relay

    if node.given(3) is None:
        return None
    rank = len(node.importer.infer_shape(node.given(0)))
    axes = [int(a) % rank for a in node.known(3).reshape(-1)]
    pads = np.zeros((2, rank), "int64")
    pads[:, axes] = node.known(1).reshape(2, -1)
    more = [] if node.given(2) is None else [node.given(2)]
    node.with_inputs(node.given(0), relay.const(pads.reshape(-1)), *more)
    return None


def _split(node: Operator) -> Any:
    """Return a Split into parts of which the last is smaller, as opset 18 has it."""
    from tvm import relay

    count = node.attrs.get("num_outputs")
    if count is None or node.given(1) is not None:
        return None
    axis = node.attrs.get("axis", 0)
    extent = node.importer.infer_shape(node.given(0))[axis]
    part = -(-extent // count)
    places = list(range(part, extent, part))
    return relay.split(node.given(0), places, axis) if len(places) == count - 1 else None


def _resize(node: Operator) -> Any:
    """Return a Resize, or ``None`` for a size that is computed at run time: TVM's own."""
    if len(node.inputs) == 2:  # opset 10
        return _enlarged(node, node.known(1)) if node.is_known(1) else None
    named: Sequence[int] | None = node.attrs.get("axes")
    policy = node.attrs.get("keep_aspect_ratio_policy", b"stretch").decode()
    rule = Rule.of(node.attrs)
    if not all(node.is_known(place) for place in (1, 2, 3)):
        if named is not None or policy != "stretch":
            # TVM's own converter, the only one for such sizes, takes those of all axes.
            raise NotImplementedError("Resize of some axes to a size that is computed at run time")
        return None
    roi, scales, sizes = (node.known(place) for place in (1, 2, 3))
    given_sizes = None if sizes is None or not sizes.size else [int(s) for s in sizes]
    given_scales = None if scales is None or not scales.size else _floats(scales)
    if (given_sizes is None) == (given_scales is None):
        raise ValueError("Resize takes either scales or sizes")
    shape = node.importer.infer_shape(node.given(0))
    part = _floats(roi) if roi is not None and rule.coordinates == "tf_crop_and_resize" else None
    axes = axes_of(
        shape, scales=given_scales, sizes=given_sizes, roi=part, axes=named, policy=policy
    )
    return _resized(node, axes, rule)


def _upsample(node: Operator) -> Any:
    scales = node.attrs.get("scales")
    return _enlarged(node, node.known(1) if scales is None else scales)


def _enlarged(node: Operator, scales: Any) -> Any:
    """Return an Upsample, or a Resize of opset 10."""
    mode = node.attrs.get("mode", b"nearest").decode()
    shape = node.importer.infer_shape(node.given(0))
    return _resized(node, axes_of(shape, scales=_floats(scales)), upsampling(mode))


def _resized(node: Operator, axes: Sequence[Axis], rule: Rule) -> Any:
    data = node.given(0)
    dtype = node.importer.infer_type(data).checked_type.dtype
    return resize(data, node.importer.infer_shape(data), dtype, axes, rule)


def _floats(values: Any) -> list[float]:
    import numpy as np

    return [float(v) for v in np.asarray(values).reshape(-1)]


_OWN: Mapping[str, Callable[[Operator], Any]] = {
    "Cast": _cast,
    "CastLike": _cast,
    "Clip": _clip,
    "ConvTranspose": _transposed,
    "DFT": _dft,
    "Dropout": _dropout,
    "Gelu": _gelu,
    "GridSample": _grid_sample,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Resize": _resize,
    "Split": _split,
    "Upsample": _upsample,
}
