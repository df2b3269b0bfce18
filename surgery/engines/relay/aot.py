"""Makes a stage fit for TVM's AOT executor, whose memory planning has faults of its own."""

from __future__ import annotations

from typing import Any

from surgery.engines.relay.codegen import inputs_in_tuples, own_buffer, with_copies
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay


def aot_options() -> dict[str, Any]:
    """Return what ``relay.build`` is given so that it builds for the AOT executor."""
    return {
        "executor": relay.backend.Executor("aot", {"interface-api": "packed"}),
        "runtime": relay.backend.Runtime("cpp"),
    }


def for_aot(module: Any, target: Any) -> Any:
    """Return a module whose results and tuples the AOT executor gets right.

    It writes no result that is an input, a constant, another result or a reshape of any value; and
    it passes an input inside a tuple, where that isn't fused, as memory that nobody has written.
    """
    main = module["main"]
    module = _with_main(module, relay.Function(main.params, _own_results(main.body)))
    attrs = aot_options()
    optimized, _ = relay.build_module.BuildModule().optimize(
        module.with_attrs(attrs), target=target
    )
    aliased = inputs_in_tuples(optimized["main"])
    return _with_main(module, with_copies(module["main"], aliased)) if aliased else module


def _with_main(module: Any, main: Any) -> Any:
    functions = dict(module.functions)
    functions[module.get_global_var("main")] = main
    return relay.transform.InferType()(tvm.IRModule(functions, module.type_definitions))


def _own_results(body: Any) -> Any:
    if not isinstance(body, relay.Tuple):
        return _own(body)
    taken: list[Any] = []
    fields = []
    for field in body.fields:
        again = any(field.same_as(t) for t in taken)
        taken.append(field)
        fields.append(relay.copy(field) if again else _own(field))
    return relay.Tuple(fields)


def _own(result: Any) -> Any:
    if isinstance(result, relay.Var | relay.Constant | relay.TupleGetItem):
        return relay.copy(result) if _is_tensor(result) else result
    return own_buffer(result)


def _is_tensor(value: Any) -> bool:
    return isinstance(value.checked_type, relay.TensorType)
