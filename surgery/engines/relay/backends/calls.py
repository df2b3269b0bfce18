"""Kernels that are called by name: C functions that are linked in, packed functions found at run.

The region's own code is a packed function: it holds the constants, finds room for what its kernels
pass to each other, calls them in order, and hands on the first failure.
"""

from __future__ import annotations

from typing import Any

from surgery.engines.relay.backends.region import RegionCode, Source, Step, Tensor
from surgery.engines.relay.constants import constant, pointer
from surgery.engines.relay.rebuild import internal
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
tir = tvm.tir


def calling(code: RegionCode, *, packed: bool) -> Any:
    """Return the PrimFunc of a region whose kernels are called by name.

    Args:
        packed: Look kernels up as TVM's packed functions, with a ``DLTensor`` an argument;
            otherwise they are C functions with a pointer an argument, which return 0 on success.
    """
    taken = [_buffer(f"a{i}", t) for i, t in enumerate(code.params)]
    given = [_buffer(f"out{i}", code.type_of(r)) for i, r in enumerate(code.results)]
    if len(set(code.results)) != len(code.results) or any(r[0] != "step" for r in code.results):
        raise internal(
            f"region {code.symbol} returns what is no kernel's own output",
            "each result must be another output of a kernel",
        )
    buffers: dict[Source, Any] = {("param", i): b for i, b in enumerate(taken)}
    buffers |= dict(zip(code.results, given, strict=True))
    for index, array in enumerate(code.constants):
        type_ = code.type_of(("constant", index))
        variable = pointer(f"c{index}", str(array.dtype))
        buffers["constant", index] = _buffer(f"c{index}", type_, variable)
    between: list[tuple[Any, Tensor]] = []
    for number, step in enumerate(code.steps):
        for place, type_ in enumerate(step.output_types):
            if ("step", number, place) not in buffers:
                variable = pointer(f"t{number}_{place}", type_.dtype)
                buffers["step", number, place] = _buffer(variable.name, type_, variable)
                between.append((variable, type_))

    invoke = _packed_call if packed else _c_call
    calls = [invoke(code, i, step, buffers) for i, step in enumerate(code.steps)]
    body = tir.SeqStmt(calls) if len(calls) > 1 else calls[0]
    for variable, type_ in reversed(between):
        always = tir.const(True, "bool")
        body = tir.Allocate(variable, type_.dtype, list(type_.shape) or [1], always, body)
    for index, array in reversed(list(enumerate(code.constants))):
        body = constant(buffers["constant", index].data, array.numpy(), body)

    handles = [tir.Var(f"p{i}", "handle") for i in range(len(taken) + len(given))]
    arguments = dict(zip(handles, [*taken, *given], strict=True))
    return tir.PrimFunc(handles, body, buffer_map=arguments)


def _buffer(name: str, type_: Tensor, data: Any = None) -> Any:
    return tir.decl_buffer(type_.shape, type_.dtype, name, data=data)


def _arguments(number: int, step: Step, buffers: dict[Source, Any]) -> list[Any]:
    outputs = [buffers["step", number, i] for i in range(len(step.output_types))]
    return [*(buffers[o] for o in step.operands), *outputs]


def _c_call(code: RegionCode, number: int, step: Step, buffers: dict[Source, Any]) -> Any:
    pointers = [b.data for b in _arguments(number, step, buffers)]
    status = tir.Var(f"status{number}", "int32")
    return tir.LetStmt(
        status,
        tir.call_extern("int32", step.kernel, *pointers),
        tir.AssertStmt(
            tir.EQ(status, tir.const(0, "int32")),
            tir.StringImm(f"kernel {step.kernel} of region {code.symbol} returned an error"),
            tir.Evaluate(0),
        ),
    )


def _packed_call(code: RegionCode, number: int, step: Step, buffers: dict[Source, Any]) -> Any:
    return tir.Evaluate(tir.call_packed(step.kernel, *_arguments(number, step, buffers)))
