"""The reference backend ``via tvm``: a region is compiled by TVM itself, as one kernel.

TVM hands each region's function to the global function ``relay.ext.NAME`` and takes a runtime
module that exports the region's symbol. Here that symbol is a packed function whose arguments are
the region's inputs and then its outputs; its constants are inside it, so that the library needs
nothing else to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from surgery.diagnostics import error
from surgery.engines.relay.backends.region import Source, is_outlined, read_region
from surgery.engines.relay.constants import compact, embedded
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.named_values import compiling, current
from surgery.engines.relay.rebuild import Rebuilder
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.engines.relay.view import view
from surgery.graph import Ref

tvm = load_tvm()
relay = tvm.relay

#: What the stage around a region is compiled for. TVM does not tell it to external codegens.
_target: ContextVar[str] = ContextVar("surgery_region_target", default="llvm")

_ENTRY = "__tvm_main__"

#: What TVM says when the schedule of an extern op looks for a constant that it has inlined.
_LOST_CONSTANT: Final = "it != rmap->end()"

#: Takes a region's Relay function, returns a runtime module that exports the region's symbol.
Codegen = Callable[[Any], Any]


@contextmanager
def region_target(target: str) -> Iterator[None]:
    """Compile regions for a target while the context lasts (``llvm`` otherwise)."""
    token = _target.set(target)
    try:
        yield
    finally:
        _target.reset(token)


def target() -> Any:
    """Return what the stage around a region is compiled for."""
    return tvm.target.Target(_target.get(), host=_target.get())


def register(backend: str, codegen: Codegen | None = None) -> None:
    """Make TVM compile a backend's regions by a codegen, by default :func:`compile_region`."""
    tvm.register_func(f"relay.ext.{backend}", codegen or compile_region, override=True)
    # Otherwise TVM copies every constant of a region into the library's weights as well.
    tvm.register_func(f"relay.ext.{backend}.constant_updater", _no_constants, override=True)


@contextmanager
def registered(codegens: Mapping[str, Codegen]) -> Iterator[None]:
    """Serve backends while the context lasts; what was registered before comes back after."""
    names = [f"relay.ext.{b}{s}" for b in codegens for s in ("", ".constant_updater")]
    before = {name: tvm.get_global_func(name, allow_missing=True) for name in names}
    try:
        for backend, codegen in codegens.items():
            register(backend, codegen)
        yield
    finally:
        for name, function in before.items():
            if function is None:
                tvm._ffi.registry.remove_global_func(name)
            else:
                tvm.register_func(name, function, override=True)


def _no_constants(_expr: Any, _symbol: str) -> dict[str, Any]:
    return {}


def compile_region(function: Any) -> Any:
    """Compile one region's Relay function.

    Returns:
        A runtime module that exports the region's symbol: a packed function of the region's
        parameters, then its results, all ``DLTensor``.

    Raises:
        SurgeryError: TVM cannot compile it (``S420``), or what it made takes another number of
            arguments than the region's call passes (``S421``).
    """
    symbol = str(function.attrs["global_symbol"])
    try:
        with diagnosed() as found:
            return compiling(lambda: _region_code(function, symbol, target()), **current())
    except (tvm.TVMError, ValueError, TypeError) as failure:
        raise error(
            "S420",
            f"region {symbol} cannot be compiled",
            reason=engine_error(failure, found),
            remedy=known_fault(failure)
            or "narrow the offload so that it leaves its ops out, or compile at a lower level "
            "(`build opt 2`)",
        ) from failure


def _region_code(function: Any, symbol: str, device: Any) -> Any:
    inlined, lifted = _lifted(_inlined(function))
    try:
        lowered = _lower(inlined, symbol, device)
    except tvm.TVMError as failure:
        if _LOST_CONSTANT not in str(failure):
            raise
        inlined, lifted = _lifted(_inlined(function), every=True)
        lowered = _lower(inlined, symbol, device)
    functions = {}
    for variable, kernel in lowered.functions.items():
        if variable.name_hint == _ENTRY:
            variable = relay.GlobalVar(symbol)
            kernel = embedded(kernel, lifted, len(function.params))
            _check_arity(symbol, function, len(kernel.params))
            kernel = kernel.with_attr("global_symbol", symbol)
        functions[variable] = compact(kernel)
    return _machine_code(tvm.IRModule(functions, attrs=lowered.attrs), device)


def _machine_code(lowered: Any, target: Any) -> Any:
    """Compile lowered functions as ``relay.build`` does.

    Not by ``tvm.build``: it would lower them once more, which some kernels don't survive.
    """
    modules = {target: lowered.with_attr("runtime", relay.backend.Runtime("cpp"))}
    modules, host = tvm.target.Target.canon_target_map_and_host(modules, target)
    return tvm.get_global_func("driver.tir_to_runtime")(modules, host)


def known_fault(failure: BaseException) -> str:
    """Return how to get round a known fault of TVM's own passes, or ''."""
    text = str(failure)
    # It rewrites `add(y, y)` into an expression that has lost y's parameters, or that computes all
    # of y once more: regions too, which TVM's inliner then stumbles over.
    if "contains free variables" in text or (
        "Cannot find global function" in text and "to remove" in text
    ):
        return "TVM's pass SimplifyExpr is at fault: write `build disable SimplifyExpr`"
    if "QNN Canonicalize" in text:
        return "TVM lowers qnn ops from level 1 on: write `build opt 1` or higher"
    return ""


def _inlined(function: Any) -> Any:
    """Return a region as a plain function: its composites' bodies over parameters of its own."""
    params = [
        relay.Var(f"a{i}", p.checked_type if p.type_annotation is None else p.type_annotation)
        for i, p in enumerate(function.params)
    ]
    if not is_outlined(function):
        # Other passes made it: ops and composites, however they hang together.
        callee = relay.GlobalVar("region")
        caller = relay.Function(params, relay.Call(callee, params))
        # relay.build has taken the mark away that the pass looks for.
        marked = function.with_attr("Compiler", "region")
        module = relay.transform.InferType()(tvm.IRModule({callee: marked, "main": caller}))
        inline = relay.transform.InlineCompilerFunctionsBoundTo([callee])
        return inline(module)["main"]
    code = read_region(function)
    values: dict[Source, Any] = {("param", i): p for i, p in enumerate(params)}
    values |= {("constant", i): relay.Constant(a) for i, a in enumerate(code.constants)}
    for number, step in enumerate(code.steps):
        composite = step.call.op
        given = [values[a] for a in step.arguments]
        body = relay.bind(composite.body, dict(zip(composite.params, given, strict=True)))
        for place in range(len(step.output_types)):
            if len(step.output_types) == 1:
                value = body
            elif isinstance(body, relay.Tuple):
                value = body.fields[place]
            else:
                value = relay.TupleGetItem(body, place)
            values["step", number, place] = value
    results = [values[r] for r in code.results]
    if len(results) == 1:
        return relay.Function(params, results[0])
    return relay.Function(params, relay.Tuple([own_buffer(r) for r in results]))


def own_buffer(result: Any) -> Any:
    """Return one result of several such that the AOT executor writes its buffer.

    It lets a reshape share its operand's buffer, so that of two results only one would be written.
    """
    if isinstance(result, relay.Call) and isinstance(result.op, tvm.ir.Op):
        shares = result.op.has_attr("TReshapeOp") and result.op.get_attr("TReshapeOp")
        return relay.copy(result) if shares else result
    return result


def _lifted(function: Any, *, every: bool = False) -> tuple[Any, list[Any]]:
    """Turn boolean constants into trailing parameters; return them with the new function.

    TVM's own way of putting a constant into a kernel fails for them, and for any that an op written
    as ``te.extern`` takes (``vision.non_max_suppression``): ``every`` lifts all constants.
    """
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    picture, exprs = view(module)
    graph, values = picture.main, exprs["main"]
    lifted: dict[Ref, Any] = {}
    arrays: list[Any] = []
    for id_, kind in enumerate(graph.kinds):
        if kind == "constant":
            data = values[id_].data
            if every or (str(data.dtype) == "bool" and len(data.shape)):
                type_ = relay.TensorType(data.shape, data.dtype)
                lifted[Ref(id_)] = relay.Var(f"b{len(arrays)}", type_)
                arrays.append(data)
    if not lifted:
        return function, []
    rebuilder = Rebuilder(graph=graph, exprs=values, replace=lifted)
    (body,) = rebuilder.values([Ref(graph.result)])
    return relay.Function([*module["main"].params, *lifted.values()], body), arrays


def _lower(function: Any, symbol: str, target: Any) -> Any:
    """Lower a function to TIR by the AOT executor's own lowering: kernels, and one that calls them.

    Under the pass context the stage is compiled with. Nothing is compiled to machine code yet.
    """
    optimized = _optimized(function, target)
    aliased = inputs_in_tuples(optimized["main"])
    if aliased:
        optimized = _optimized(with_copies(function, aliased), target)
    generator = tvm.get_global_func("relay.build_module._AOTExecutorCodegen")()
    generator["init"](None, tvm.target.Target.canon_multi_target_and_host(target))
    generator["codegen"](optimized, optimized["main"], symbol)
    (lowered,) = (m for _, m in generator["get_irmodule"]().items())
    return _sized(lowered, optimized["main"])


def _optimized(function: Any, target: Any) -> Any:
    """Run the passes of ``relay.build`` on a function: its ops are then fused into kernels."""
    module = tvm.IRModule.from_expr(function)
    options = {"interface-api": "packed", "unpacked-api": False, "link-params": True}
    attrs = {
        "executor": relay.backend.Executor("aot", options),
        "runtime": relay.backend.Runtime("cpp"),
    }
    module, _ = relay.build_module.BuildModule().optimize(module.with_attrs(attrs), target=target)
    return module.with_attrs(attrs)


def inputs_in_tuples(main: Any) -> list[int]:
    """Return which parameters of an optimized function a kernel would take inside a tuple.

    The AOT executor passes such a kernel memory that nobody has written, in the input's place. It
    happens where a tuple isn't fused with its consumer: at level 0, or past ``FuseOps.max_depth``.
    """
    walked = traverse(main)
    inside = {
        operand
        for id_, kind in enumerate(walked.kinds)
        if kind == "tuple" and not (walked.scopes and walked.scopes[id_])
        for operand in walked.operands[id_]
    }
    return [place for place, param in enumerate(walked.params) if param in inside]


def with_copies(function: Any, places: Sequence[int]) -> Any:
    """Let a function compute with copies of some of its parameters."""
    params = list(function.params)
    copies = {params[place]: relay.copy(params[place]) for place in places}
    return relay.Function(params, relay.bind(function.body, copies))


def _sized(lowered: Any, main: Any) -> Any:
    """Give kernels the sizes of their function's type, where TVM's own kernels leave them open.

    ``topk`` is lowered for any ``k``: the executor would pass on a size that it doesn't know.
    """
    buffers = {v: k.buffer_map.items() for v, k in lowered.functions.items()}
    if all(isinstance(d, tvm.tir.IntImm) for kernel in buffers.values()
           for _, buffer in kernel for d in buffer.shape):  # fmt: skip
        return lowered
    types: dict[str, list[Any]] = {}

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Function) and expr.attrs and "hash" in expr.attrs:
            taken = [*(p.checked_type for p in expr.params), expr.ret_type]
            types[str(expr.attrs["hash"])] = [t for outer in taken for t in _tensors(outer)]

    relay.analysis.post_order_visit(main, visit)
    sizes: dict[Any, Any] = {}
    for kernel in lowered.functions.values():
        known = types.get(str(kernel.attrs["hash"])) if "hash" in kernel.attrs else None
        if known is None or len(known) != len(kernel.params):
            continue
        for param, type_ in zip(kernel.params, known, strict=True):
            for open_, size in zip(kernel.buffer_map[param].shape, type_.shape, strict=True):
                if isinstance(open_, tvm.tir.Var):
                    sizes[open_] = tvm.tir.IntImm(open_.dtype, int(size))
    functions = {
        variable: kernel.with_body(tvm.tir.stmt_functor.substitute(kernel.body, sizes))
        if variable.name_hint == _ENTRY
        else kernel
        for variable, kernel in lowered.functions.items()
    }
    return tvm.IRModule(functions, attrs=lowered.attrs)


def _tensors(type_: Any) -> list[Any]:
    """Return the tensor types in a type, left to right."""
    found: list[Any] = []
    stack = [type_]
    while stack:
        at = stack.pop()
        if isinstance(at, tvm.ir.TupleType):
            stack.extend(reversed(at.fields))
        else:
            found.append(at)
    return found


def _check_arity(symbol: str, function: Any, found: int) -> None:
    result = function.ret_type
    outputs = len(result.fields) if isinstance(result, tvm.ir.TupleType) else 1
    expected = len(function.params) + outputs
    if found != expected:
        raise error(
            "S421",
            f"the kernel of region {symbol} takes {found} arguments, its call passes {expected}",
            reason=f"{len(function.params)} inputs and {outputs} outputs were planned",
            remedy="this is a fault in surgery: please report it with the spec and the model",
        )
