"""A region's own code: its kernels called in order.

It is a packed function: it holds the constants, finds room for what its kernels pass to each other,
runs them in order, and hands on the first failure. Kernels are C functions that are linked in,
packed functions found at run, or written out in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from surgery.engines.relay.backends.region import RegionCode, Source, Step, Tensor
from surgery.engines.relay.constants import constant, pointer
from surgery.engines.relay.rebuild import internal
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
tir = tvm.tir

#: Makes the statement that runs a step of a region on TIR buffers: operands, then outputs.
Invoke = Callable[[RegionCode, Step, Sequence[Any]], Any]


def calling(code: RegionCode, invoke: Invoke) -> Any:
    """Return the PrimFunc of a region."""
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

    calls = [invoke(code, step, _arguments(i, step, buffers)) for i, step in enumerate(code.steps)]
    body = tir.SeqStmt(calls) if len(calls) > 1 else calls[0]
    for variable, type_ in reversed(between):
        always = tir.const(True, "bool")
        body = tir.Allocate(variable, type_.dtype, list(type_.shape) or [1], always, body)
    for index, array in reversed(list(enumerate(code.constants))):
        body = constant(buffers["constant", index].data, array.numpy(), body)

    handles = [tir.Var(f"p{i}", "handle") for i in range(len(taken) + len(given))]
    arguments = dict(zip(handles, [*taken, *given], strict=True))
    # The executor writes results to buffers of their own.
    made = tir.PrimFunc(handles, body, buffer_map=arguments)
    return made.with_attr("tir.noalias", tir.const(True, "bool"))


def _buffer(name: str, type_: Tensor, data: Any = None) -> Any:
    return tir.decl_buffer(type_.shape, type_.dtype, name, data=data)


def _arguments(number: int, step: Step, buffers: dict[Source, Any]) -> list[Any]:
    outputs = [buffers["step", number, i] for i in range(len(step.output_types))]
    return [*(buffers[o] for o in step.operands), *outputs]


def c_call(code: RegionCode, step: Step, buffers: Sequence[Any]) -> Any:
    """Call a C function with a pointer an argument, which returns 0 on success."""
    status = tir.Var("status", "int32")
    return tir.LetStmt(
        status,
        tir.call_extern("int32", step.kernel, *(b.data for b in buffers)),
        tir.AssertStmt(
            tir.EQ(status, tir.const(0, "int32")),
            tir.StringImm(f"kernel {step.kernel} of region {code.symbol} returned an error"),
            tir.Evaluate(0),
        ),
    )


def packed_call(_code: RegionCode, step: Step, buffers: Sequence[Any]) -> Any:
    """Call a packed function of the kernel's name, with a ``DLTensor`` an argument."""
    return tir.Evaluate(tir.call_packed(step.kernel, *buffers))


def written_out(kernel: Any, buffers: Sequence[Any]) -> Any:
    """Return a PrimFunc's body, as a statement on other buffers than its own parameters."""
    fresh = tir.stmt_functor.renew_defs(kernel)  # it may be written out more than once
    places: dict[Any, Any] = {}
    for param, buffer in zip(fresh.params, buffers, strict=True):
        own = fresh.buffer_map[param]
        places[own.data] = buffer.data
        if isinstance(own.elem_offset, tir.Var):
            places[own.elem_offset] = tir.const(0, own.elem_offset.dtype)
    return tir.stmt_functor.substitute(fresh.body, places)
