"""A region as its codegen sees it: kernels called one after the other, and how values flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from surgery.diagnostics import error
from surgery.engines.relay.composites import KERNEL, kernel_of, operands_of
from surgery.engines.relay.rebuild import internal
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay

#: Where a value comes from: parameter ``i`` or constant ``i`` of the region, or output ``k`` of
#: step ``j``.
Source = tuple[Literal["param", "constant"], int] | tuple[Literal["step"], int, int]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Shape and dtype of a value: what a buffer is made from."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype}({','.join(map(str, self.shape))})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a kernel.

    Attributes:
        call: The composite's Relay call: ``call.op`` is the function literal.
        name: The composite's name behind its backend's: ``conv_block`` of ``bmlib.conv_block``.
        operands: Where the kernel's operands come from, in kernel order.
        arguments: Where the composite's own parameters come from: operands it doesn't embed.
    """

    call: Any
    kernel: str
    name: str
    operands: tuple[Source, ...]
    arguments: tuple[Source, ...]
    operand_types: tuple[Tensor, ...]
    output_types: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionCode:
    """A region: its steps in the order they run.

    Attributes:
        params: The types of what the runtime passes.
        constants: The arrays inside.
        results: Where its results come from, in order.
    """

    symbol: str
    backend: str
    params: tuple[Tensor, ...]
    constants: tuple[Any, ...]
    steps: tuple[Step, ...]
    results: tuple[Source, ...]

    def type_of(self, source: Source) -> Tensor:
        match source:
            case ("param", index):
                return self.params[index]
            case ("constant", index):
                array = self.constants[index]
                return Tensor(tuple(int(d) for d in array.shape), str(array.dtype))
            case (_, step, output):
                return self.steps[step].output_types[output]


def is_outlined(function: Any) -> bool:
    """Return whether a region's function is surgery's own: composites that name their kernels."""
    body = function.body
    while isinstance(body, (relay.Tuple, relay.TupleGetItem)):
        body = body.fields[0] if isinstance(body, relay.Tuple) else body.tuple_value
    composite = body.op if isinstance(body, relay.Call) else None
    return isinstance(composite, relay.Function) and KERNEL in (composite.attrs or {})


def read_region(function: Any) -> RegionCode:
    """Read a region's Relay function, typed, as outlining wrote it.

    Raises:
        SurgeryError: S420 its composites don't name their kernels, as other passes made it; S300
            it holds anything but calls of composites.
    """
    symbol = str(function.attrs["global_symbol"])
    if not is_outlined(function):
        raise error(
            "S420",
            f"region {symbol} cannot be compiled",
            reason="other passes than surgery's made it: its composites don't name their kernels",
            remedy="give the model as it was before it was partitioned, or let TVM build it: "
            f"`backend {function.attrs['Compiler']} {{ via tvm }}`",
        )
    reader = _Reader(symbol)
    for index, param in enumerate(function.params):
        reader.values[param.handle.value] = [("param", index)]
    results = reader.read(function.body)
    return RegionCode(
        symbol=symbol,
        backend=str(function.attrs["Compiler"]),
        params=tuple(_tensor(p.checked_type) for p in function.params),
        constants=tuple(reader.constants),
        steps=tuple(reader.steps),
        results=tuple(results),
    )


class _Reader:
    """Reads a region's body: a small graph of calls, tuples and fields."""

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol
        self.values: dict[int, list[Source]] = {}
        self.steps: list[Step] = []
        self.constants: list[Any] = []
        self._places: dict[tuple[object, ...], int] = {}

    def read(self, body: Any) -> list[Source]:
        stack = [body]
        while stack:
            expr = stack[-1]
            if expr.handle.value in self.values:
                stack.pop()
                continue
            waiting = [e for e in _inputs(expr) if e.handle.value not in self.values]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            self.values[expr.handle.value] = self._sources(expr)
        return self.values[body.handle.value]

    def _sources(self, expr: Any) -> list[Source]:
        if isinstance(expr, relay.Constant):
            return [self._constant(expr)]
        if isinstance(expr, relay.Tuple):
            return [s for f in expr.fields for s in self.values[f.handle.value]]
        if isinstance(expr, relay.TupleGetItem):
            return [self.values[expr.tuple_value.handle.value][int(expr.index)]]
        if isinstance(expr, relay.Call) and isinstance(expr.op, relay.Function):
            return self._step(expr)
        raise internal(
            f"region {self.symbol} holds more than calls of composites",
            f"it holds a {type(expr).__name__}",
        )

    def _constant(self, expr: Any) -> Source:
        # Constants of several kernels may be one array: it is in the library once.
        array = expr.data
        key = (array.handle.contents.data, tuple(array.shape), str(array.dtype))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.constants)
            self.constants.append(array)
        return ("constant", place)

    def _step(self, call: Any) -> list[Source]:
        composite = call.op
        arguments = [self.values[a.handle.value][0] for a in call.args]
        given = {p.handle.value: a for p, a in zip(composite.params, arguments, strict=True)}
        operands: list[Source] = []
        for operand in operands_of(composite):
            known = given.get(operand.handle.value)
            operands.append(known if known is not None else self._constant(operand))
        self.steps.append(
            Step(
                call=call,
                kernel=kernel_of(composite),
                name=str(composite.attrs["Composite"]).partition(".")[2],
                operands=tuple(operands),
                arguments=tuple(arguments),
                operand_types=tuple(_tensor(o.checked_type) for o in operands_of(composite)),
                output_types=tuple(_tensors(composite.ret_type)),
            )
        )
        step = len(self.steps) - 1
        return [("step", step, i) for i in range(len(self.steps[step].output_types))]


def _inputs(expr: Any) -> Sequence[Any]:
    if isinstance(expr, relay.Call):
        return list(expr.args)
    if isinstance(expr, relay.Tuple):
        return list(expr.fields)
    if isinstance(expr, relay.TupleGetItem):
        return [expr.tuple_value]
    return ()


def _tensors(type_: Any) -> list[Tensor]:
    fields = type_.fields if isinstance(type_, tvm.ir.TupleType) else [type_]
    return [_tensor(f) for f in fields]


def _tensor(type_: Any) -> Tensor:
    return Tensor(tuple(int(d) for d in type_.shape), str(type_.dtype))
