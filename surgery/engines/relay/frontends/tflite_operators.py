"""TFLite operators that TVM's importer converts to other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgery.engines.relay.frontends.arithmetic import half_to_even


def converter() -> Any:
    """Return TVM's class of converters, with what TFLite computes.

    It compares the shape of every result with the file's.
    """
    from tvm.relay.frontend import tflite as importer

    class Operators(importer.OperatorConverter):  # type: ignore[misc]
        def __init__(self, model: Any, subgraph: Any, exp_tab: Any) -> None:
            super().__init__(model, subgraph, exp_tab)
            self.convert_map |= {
                "BROADCAST_TO": self._broadcast,
                "GATHER": self._gather,
                "ONE_HOT": self._one_hot,
                "RESIZE_BILINEAR": self._bilinear,
                "REVERSE_V2": self._reverse,
                "ROUND": self._round,
                "STRIDED_SLICE": self._slice,
            }

        def convert_op_to_relay(self) -> None:
            super().convert_op_to_relay()
            _check_shapes(self)

        def _round(self, op: Any) -> Any:
            from tvm.relay.frontend.common import infer_type

            value = self.get_tensor_expr(self.get_input_tensors(op)[0])
            return half_to_even(value, str(infer_type(value).checked_type.dtype))

        def _gather(self, op: Any) -> Any:
            from tflite.GatherOptions import GatherOptions
            from tvm import relay

            options = _options(op, GatherOptions)
            if not options.BatchDims():
                return self.convert_gather(op)
            data, places = (self.get_tensor_expr(t) for t in self.get_input_tensors(op))
            return relay.take(data, places, options.Axis(), options.BatchDims())

        def _broadcast(self, op: Any) -> Any:
            from tvm import relay

            data, shape = self.get_input_tensors(op)
            sizes = [int(n) for n in self.get_tensor_value(shape)]
            return relay.broadcast_to(self.get_tensor_expr(data), sizes)

        def _one_hot(self, op: Any) -> Any:
            from tflite.OneHotOptions import OneHotOptions
            from tvm import relay

            places, depth, on, off = self.get_input_tensors(op)
            count = int(self.get_tensor_value(depth).reshape(()))
            dtype = self.get_tensor_type_str(on.tensor.Type())
            values = (relay.const(self.get_tensor_value(t).reshape(()), dtype) for t in (on, off))
            axis = _options(op, OneHotOptions).Axis()
            return relay.one_hot(self.get_tensor_expr(places), *values, count, axis, dtype)

        def _reverse(self, op: Any) -> Any:
            from tvm import relay

            data, axes = self.get_input_tensors(op)
            value = self.get_tensor_expr(data)
            for axis in self.get_tensor_value(axes).reshape(-1):
                value = relay.reverse(value, int(axis))
            return value

        def _bilinear(self, op: Any) -> Any:
            """Refuse corners of a single row or column, which TVM divides by zero for."""
            from tflite.ResizeBilinearOptions import ResizeBilinearOptions

            sizes = self.get_tensor_value(self.get_input_tensors(op)[1])
            if _options(op, ResizeBilinearOptions).AlignCorners() and min(sizes) == 1:
                raise NotImplementedError("corners aligned, to a single row or column")
            return self.convert_resize_bilinear(op)

        def _slice(self, op: Any) -> Any:
            from tflite.StridedSliceOptions import StridedSliceOptions

            options = _options(op, StridedSliceOptions)
            data, *rest = self.get_input_tensors(op)
            begin, end, stride = ([int(n) for n in self.get_tensor_value(t)] for t in rest)
            index: list[Any] = []
            for place in range(len(begin)):
                bit = 1 << place
                if options.EllipsisMask() & bit:
                    index.append(Ellipsis)
                elif options.NewAxisMask() & bit:
                    index.append(None)
                elif options.ShrinkAxisMask() & bit:
                    index.append(begin[place])
                else:
                    first = None if options.BeginMask() & bit else begin[place]
                    last = None if options.EndMask() & bit else end[place]
                    index.append(slice(first, last, stride[place]))
            shape = [int(n) for n in self.get_tensor_shape(data)]
            return sliced(self.get_tensor_expr(data), shape, index)

    return Operators


def sliced(data: Any, shape: Sequence[int], index: Sequence[Any]) -> Any:
    """Return data at a NumPy index of slices, places, new axes and at most one ellipsis."""
    import numpy as np
    from tvm import relay

    named = sum(part is not None and part is not Ellipsis for part in index)
    parts: list[Any] = []
    for part in index if Ellipsis in index else [*index, Ellipsis]:
        if part is Ellipsis:
            parts += [slice(None)] * (len(shape) - named)
        elif part is not None:
            parts.append(part)
    begins, ends, strides = [], [], []
    for part, extent in zip(parts, shape, strict=True):
        if isinstance(part, int):
            place = part % extent
            part = slice(place, place + 1)
        first, last, step = part.indices(extent)
        begins.append(first)
        # Before the first element: counted from the end, which -1 would be.
        ends.append(last if last >= 0 else -extent - 1)
        strides.append(step)
    taken = relay.strided_slice(data, begins, ends, strides)
    result = np.broadcast_to(np.int8(0), shape)[tuple(index)].shape
    return relay.reshape(taken, result)


def _options(op: Any, kind: Any) -> Any:
    given = op.BuiltinOptions()
    options = kind()
    options.Init(given.Bytes, given.Pos)
    return options


def _check_shapes(converter: Any) -> None:
    """Refuse a model of which TVM gives a value another shape than the file has.

    Raises:
        ValueError: Naming the first such value, and the operator.
    """
    import tvm
    from tvm import relay
    from tvm.relay.frontend.tflite import get_tensor_name

    graph, table = converter.subgraph, converter.exp_tab
    found: list[tuple[str, Any, tuple[int, ...]]] = []
    for place in range(graph.OperatorsLength()):
        operator = graph.Operators(place)
        for tensor in converter.get_output_tensors(operator):
            name = get_tensor_name(graph, tensor.tensor_idx)
            value = table.exprs.get(name)
            signature = tensor.tensor.ShapeSignatureAsNumpy()
            is_open = not isinstance(signature, int) and any(int(d) < 0 for d in signature)
            if value is not None and not is_open:
                kind = converter.get_op_code_str(operator)
                shape = tuple(int(d) for d in converter.get_tensor_shape(tensor))
                found.append((f"{name} ({kind})", value, shape))
    if not found:
        return
    whole = relay.Tuple([value for _, value, _ in found])
    module = relay.transform.InferType()(tvm.IRModule.from_expr(whole))
    for (name, _, right), type_ in zip(found, module["main"].ret_type.fields, strict=True):
        if isinstance(type_, relay.TensorType):
            shape = tuple(int(d) if hasattr(d, "value") else -1 for d in type_.shape)
            if shape != right:
                raise ValueError(f"{name} would have the shape {shape} instead of {right}")
