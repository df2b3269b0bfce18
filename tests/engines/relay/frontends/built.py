"""Runs converted models as TVM builds them, and compares them with their framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surgery.engines.relay.frontends.base import Converted, Request

Arrays = Mapping[str, Any]


def quiet(*args: Any, **more: Any) -> None:
    """Take progress, and say nothing."""


def run(converted: Converted, arrays: Arrays) -> list[Any]:
    """Return the results of a converted model, compiled as surgery does."""
    import tvm
    from tvm import relay
    from tvm.contrib import graph_executor

    from surgery.engines.relay.named_values import compiling

    params = {name: tvm.nd.array(value) for name, value in converted.params.items()}
    if not _static(converted.ir):
        return _by_vm(converted, params, arrays)

    library = compiling(lambda: relay.build(converted.ir, "llvm", params=params), {}, opt_level=1)
    module = graph_executor.GraphModule(library["default"](tvm.cpu()))
    for name, value in arrays.items():
        if name in converted.inputs:
            module.set_input(name, value)
    module.run()
    return [module.get_output(i).numpy() for i in range(module.get_num_outputs())]


def _static(ir: Any) -> bool:
    """Tell whether the graph executor can run it: no branch or loop, no shape that is computed."""
    from tvm import relay

    def plain(expr: Any) -> bool:
        type_ = expr.checked_type
        fields = type_.fields if isinstance(type_, relay.TupleType) else [type_]
        return all(
            isinstance(f, relay.TensorType) and all(hasattr(d, "value") for d in f.shape)
            for f in fields
        )

    found: list[bool] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Call):
            found.append(hasattr(expr.op, "name") and plain(expr))
        elif isinstance(expr, relay.If):
            found.append(False)

    relay.analysis.post_order_visit(relay.transform.InferType()(ir)["main"], visit)
    return all(found)


def _by_vm(converted: Converted, params: Any, arrays: Arrays) -> list[Any]:
    import tvm
    from tvm import relay

    from surgery.engines.relay.named_values import compiling

    executable = compiling(
        lambda: relay.vm.compile(converted.ir, "llvm", params=params),
        {},
        opt_level=1,
        required_pass=["ToANormalForm"],
    )
    machine = tvm.runtime.vm.VirtualMachine(executable, tvm.cpu())
    found = machine.invoke("main", *[tvm.nd.array(arrays[name]) for name in converted.inputs])
    found = [found] if isinstance(found, tvm.nd.NDArray) else list(found)
    return [value.numpy() for value in found]


def compared(frontend: Any, request: Request, arrays: Arrays, tolerance: float = 1e-4) -> Converted:
    """Convert, and compare with the framework; tolerance is relative to the largest value."""
    converted: Converted = frontend.convert(request, quiet)
    expected = frontend.reference(request)(arrays)
    assert list(expected) == list(converted.outputs)
    for name, value in zip(converted.outputs, run(converted, arrays), strict=True):
        right = np.asarray(expected[name])
        assert value.shape == right.shape and value.dtype == right.dtype
        if right.dtype.kind in "biu":
            np.testing.assert_array_equal(value, right)
            continue
        scale = float(np.abs(right).max())
        assert scale > 0
        assert float(np.abs(value - right).max()) <= tolerance * scale, name
    return converted
