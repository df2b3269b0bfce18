"""From a TVM module in memory to a :class:`RelayModel`: copied, checked, typed and viewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.failure import Finding, diagnosed, engine_error
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.names import variable_name
from surgery.engines.relay.reader import reader
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm
from surgery.engines.relay.view import relay_functions, view

if TYPE_CHECKING:
    from surgery.engines.relay.model import IRModule


def adopt(ir: IRModule, params: Mapping[str, Any] | None = None) -> RelayModel:
    """Take a module that is already in memory. The caller's objects are never changed.

    Args:
        ir: A Relay module; it needn't be typed.
        params: Weights by name: TVM arrays, or anything :func:`tvm.nd.array` takes.

    Raises:
        SurgeryError: S504 no Relay module, S505 no ``main``, S506 a type error, S510 a weight of
            another shape or dtype, S511 two parameters of one name, S512 no weight is a parameter.
    """
    from surgery.engines.relay.params import check_params
    from surgery.engines.relay.unmatched import check_names

    module = tvm()
    if not isinstance(ir, module.IRModule):
        raise error(
            "S504",
            f"not a Relay module but a {type(ir).__name__}",
            remedy="pass a tvm.IRModule (IRModule.from_expr(function) makes one)",
        )
    given = {
        name: array if isinstance(array, module.nd.NDArray) else module.nd.array(array)
        for name, array in (params or {}).items()
    }
    try:
        # Looking through the whole model for a call of @main, which hardly any has, is dear.
        typed = checked(copied(ir, main_is_called=False), "<memory>")
    except SurgeryError:
        if "main" not in [n for n, _ in relay_functions(ir)] or not _is_called(ir, "main"):
            raise
        typed = checked(copied(ir, main_is_called=True), "<memory>")
    picture, exprs = view(typed, given.keys())
    kept = check_params(picture.main, given, "params")
    warnings, notes = check_names(picture.main, given, "params") if given else ([], [])
    return RelayModel(
        path="<memory>", sha256={}, ir=typed, params=kept, module=picture, exprs=exprs,
        notes=tuple(notes), warnings=tuple(warnings),
    )  # fmt: skip


def copied(ir: IRModule, *, main_is_called: bool | None = None) -> IRModule:
    """Return a new module that holds the same functions, type definitions and attributes.

    TVM's passes change a module in place when they can, and type inference writes its results into
    the function objects and the variables that name them: each Relay function gets a new shell
    around the same body, and ``@main`` a name of its own unless something calls it.

    Args:
        main_is_called: Whether it does, where the caller knows; looked up otherwise.
    """
    relay = tvm().relay
    if main_is_called is None:
        main_is_called = _is_called(ir, "main")
    attrs = dict(ir.attrs.items()) if ir.attrs is not None else None
    functions = {}
    for var, function in ir.functions.items():
        if isinstance(function, relay.Function):
            if var.name_hint == "main" and not main_is_called:
                var = relay.GlobalVar("main")
            function = relay.Function(
                function.params, function.body, function.ret_type, function.type_params,
                function.attrs, function.span,
            )  # fmt: skip
        functions[var] = function
    return tvm().IRModule(functions, ir.type_definitions, attrs)


def _is_called(ir: IRModule, name: str) -> bool:
    """Return whether any function of a module refers to a function of it."""
    # Not by TVM's own visitor: it overflows the stack on 40,000 ops in a row.
    name = f"@{name}"
    return any(name in traverse(function).ops for _, function in relay_functions(ir))


def checked(ir: IRModule, path: str, *, typed: bool = False) -> IRModule:
    """Return the module with every value's type known.

    Args:
        ir: A module of our own, which may be changed.
        path: What to call it in messages.
        typed: Whether its types are known already.

    Raises:
        SurgeryError: S505 no ``main``, S506 a type error, S511 two parameters of one name.
    """
    functions = relay_functions(ir)
    _require_main([name for name, _ in functions], path)
    read = reader()
    for name, function in functions:
        params = read.array(read.child("params")(int(function.handle.value)))
        _require_distinct_names(name, [variable_name(read, p) for p in params], path)
    if typed:
        return ir
    with diagnosed() as found:
        try:
            return tvm().relay.transform.InferType()(ir)
        except Exception as failure:
            reason = engine_error(failure, found)
    raise _ill_typed(functions, ir, path, reason, found)


def _require_main(names: Sequence[str], path: str) -> None:
    if "main" in names:
        return
    if not names:
        raise error(
            "S504",
            f"{path} holds no Relay function",
            reason="the module is empty, or holds lowered (TIR) or Relax functions only",
            remedy="save the module before it is lowered: tvm.ir.save_json(mod)",
        )
    listed = ", ".join(f"@{name}" for name in names[:5])
    raise error(
        "S505",
        f"{path} has no function @main",
        reason=f"it has {listed}{', ...' if len(names) > 5 else ''}",
        remedy="name the function that computes the model 'main': mod['main'] = mod['NAME']",
    )


def _require_distinct_names(function: str, names: Sequence[str], path: str) -> None:
    twice = (
        sorted({name for name in names if names.count(name) > 1})
        if len(set(names)) < len(names)
        else []
    )
    if twice:
        raise error(
            "S511",
            f"{path}: @{function} has several parameters named " + ", ".join(map(repr, twice)),
            reason="weights are bound by name: TVM would leave all but one of them uninitialised",
            remedy="give every parameter a name of its own",
        )


def _ill_typed(
    functions: Sequence[tuple[str, Any]],
    ir: IRModule,
    path: str,
    reason: str,
    found: Sequence[Finding],
) -> SurgeryError:
    place = next(filter(None, (_first_ill_typed(name, f, ir) for name, f in functions)), "")
    return error(
        "S506",
        f"{path}: the model doesn't type-check{' at ' + place if place else ''}",
        reason=reason,
        remedy="correct the shapes or dtypes; an input of unknown shape needs one before saving",
        notes=[f.message.split("\n")[0] for f in found[1:4] if "unable to infer" not in f.message],
    )


def _first_ill_typed(name: str, function: Any, ir: IRModule) -> str:
    """Return the first op of a function that doesn't type, or "" when it can't be told.

    By bisection over the ops in order: the first ``k`` ops are typed as outputs of a function.
    """
    relay = tvm().relay
    walked = traverse(function)
    if any(kind in ("let", "local") for kind in walked.kinds):
        return ""
    picture, exprs = view(copied(ir))
    graph = picture.functions[name]
    calls = [i for i, kind in enumerate(walked.kinds) if kind == "call"]

    def types(count: int) -> bool:
        outputs = relay.Tuple([exprs[name][i] for i in calls[:count]])
        trial = copied(ir)
        trial[name] = relay.Function(function.params, outputs)
        with diagnosed():
            try:
                relay.transform.InferType()(trial)
            except Exception:
                return False
        return True

    low, high = 0, len(calls)
    if types(high):
        return ""
    while high - low > 1:
        middle = (low + high) // 2
        if types(middle):
            low = middle
        else:
            high = middle
    id_ = calls[high - 1]
    source = graph.names[id_]
    text = graph.describe(id_).rsplit(": ", 1)[0]
    return f"{text}{f' ({source})' if source else ''}"
