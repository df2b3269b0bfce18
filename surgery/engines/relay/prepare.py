"""``bind`` and ``prepare``: a model made ready before any selector looks at it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import Collector, SurgeryError, error, nearest
from surgery.engines.relay.adopt import checked, copied
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.names import source_name, text_place
from surgery.engines.relay.naming import carried_names, named_module, unnamed
from surgery.engines.relay.reader import reader
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm
from surgery.engines.relay.view import relay_functions, view
from surgery.graph import Graph, TensorType, ValueType

if TYPE_CHECKING:
    from surgery.engines.relay.model import IRModule, NDArray
    from surgery.syntax.ast import Value

#: Kinds of values that a text's comments name.
_NAMED = frozenset(("call", "tuple", "field", "if"))

#: Passes that fold or simplify only where weights are constants.
_WANT_CONSTANTS = frozenset(
    (
        "FoldConstant",
        "FoldScaleAxis",
        "SimplifyInference",
        "BackwardFoldScaleAxis",
        "ForwardFoldScaleAxis",
    )
)


def prepare(
    model: RelayModel,
    inputs: Mapping[str, TensorType],
    passes: Sequence[tuple[str, tuple[Value, ...]]],
    bind_params: Sequence[str] = (),
) -> RelayModel:
    """Return a new model: input types bound, weights made constants, then Relay passes run.

    Args:
        model: The loaded model; it stays as it is.
        inputs: New type of each named parameter of ``main``.
        passes: Names in ``relay.transform`` with their positional arguments, in order.
        bind_params: Names of the weights to make constants: they are no parameters any more, and
            leave :attr:`RelayModel.params`. Their arrays are shared, not copied.

    Raises:
        SurgeryError: S403 no such pass, S404 a pass failed, S405 wrong arguments, S406 no such
            parameter or a type that doesn't fit, S506 it doesn't type with the new types.
    """
    if not inputs and not passes and not bind_params:
        return model
    made = []
    found = Collector()
    for name, arguments in passes:
        try:
            made.append((name, _make_pass(name, arguments)))
        except SurgeryError as failure:
            found.take(failure)
    found.raise_if_errors()
    ir = copied(model.ir)
    if inputs or bind_params:
        _check_inputs(model, inputs)
        _check_weights(model, bind_params)
        ir["main"] = _rebound(ir["main"], inputs, {n: model.params[n] for n in bind_params})
    params = {name: array for name, array in model.params.items() if name not in set(bind_params)}
    module, exprs = model.module, model.exprs
    for step in (None, *made):
        before, before_exprs = module.main, exprs["main"]
        ir = checked(ir if step is None else _run(*step, ir), model.path)
        names = _names_by_place(model, ir)
        module, exprs = view(ir, params.keys(), names=names)
        if not model.module.has_source_names:
            continue
        carried = carried_names(before, before_exprs, module.main, exprs["main"])
        if carried:
            ir = named_module(ir, module.main, exprs["main"], carried, model.path)
            names = _names_by_place(model, ir)
            if "let" in module.main.kinds:
                names["main"] = {**names.get("main", {}), **carried}
            module, exprs = view(ir, params.keys(), names=names)
    kept = len(module.main.outputs) == len(model.module.output_names)
    module = replace(
        module,
        dtype_note=model.module.dtype_note,
        output_names=model.module.output_names if kept else (),
    )
    notes = (*model.notes, *_notes(model, module.main, [name for name, _ in passes]))
    return replace(model, ir=ir, params=params, module=module, exprs=exprs, notes=notes)


def _names_by_place(model: RelayModel, ir: IRModule) -> dict[str, dict[int, str]]:
    """Return the names that stood in a text's comments, for what the passes left of it.

    TVM knows nothing of them, but keeps where in the text each op was read.
    """
    read = reader()
    places: dict[tuple[str, tuple[int, ...]], str | None] = {}
    for name, function in relay_functions(model.ir):
        graph = model.module.functions[name]
        for id_, address in enumerate(traverse(function).addresses):
            label = graph.names[id_] if graph.kinds[id_] in _NAMED else None
            if label is None or source_name(read, address) is not None:
                continue
            place = text_place(read, address)
            if place is not None:
                # A pass may put other ops in the place of one; they go by its name then.
                for key in ((graph.ops[id_], place), ("", place)):
                    places[key] = label if places.get(key, label) == label else None
    if not places:
        return {}
    names: dict[str, dict[int, str]] = {}
    for name, function in relay_functions(ir):
        walked = traverse(function)
        for id_, address in enumerate(walked.addresses):
            place = text_place(read, address) if walked.kinds[id_] in _NAMED else None
            if place is None:
                continue
            label = places.get((walked.ops[id_], place)) or places.get(("", place))
            if label is not None:
                names.setdefault(name, {})[id_] = label
    return names


def _rebound(
    function: Any, inputs: Mapping[str, TensorType], weights: Mapping[str, NDArray]
) -> Any:
    """Return a function some of whose parameters have another type, or have become constants."""
    relay = tvm().relay
    values: dict[Any, Any] = {}
    for old in function.params:
        name = str(old.name_hint)
        if name in weights:
            # The constant goes by the weight's name from now on.
            span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
            values[old] = relay.Constant(weights[name], span)
        elif name in inputs:
            values[old] = relay.Var(name, _tvm_type(inputs[name]), old.span)
    params = [values.get(p, p) for p in function.params if str(p.name_hint) not in weights]
    body = relay.bind(function.body, values)
    # The old result type may not hold any more; None has it inferred.
    return relay.Function(params, body, None, function.type_params, function.attrs, function.span)


def _check_inputs(model: RelayModel, inputs: Mapping[str, TensorType]) -> None:
    main = model.module.main
    types = {str(main.names[i]): main.types[i] for i in main.params}
    faults = [
        _bad_binding(name, type_, types, model.path)
        for name, type_ in inputs.items()
        if name not in types or not _allowed(types[name], type_)
    ]
    if faults:
        raise SurgeryError([d for fault in faults for d in fault.diagnostics])


def _check_weights(model: RelayModel, names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in model.params]
    if unknown:
        close = nearest(unknown[0], model.params)
        raise error(
            "S406",
            f"{model.path}: no weight named '{unknown[0]}' has a value",
            reason="only a parameter that the params file holds can become a constant",
            remedy=f"did you mean {' or '.join(map(repr, close))}?"
            if close
            else "give the weights with `params` (--params)",
        )


def _tvm_type(type_: TensorType) -> Any:
    module = tvm()
    shape = [module.tir.Any() if isinstance(d, str) else d for d in type_.shape]
    return module.relay.TensorType(shape, type_.dtype)


def _allowed(now: ValueType, wanted: TensorType) -> bool:
    """Tell whether a type keeps rank and dtype (an input of unknown type may get any)."""
    return not isinstance(now, TensorType) or (
        now.dtype == wanted.dtype and len(now.shape) == len(wanted.shape)
    )


def _bad_binding(
    name: str, type_: TensorType, types: Mapping[str, ValueType], path: str
) -> SurgeryError:
    if name in types:
        return error(
            "S406",
            f"can't bind '{name}' to {type_}",
            reason=f"the model has it as {types[name]}: rank and dtype must stay",
            remedy="bind a type that differs in the extents of dimensions only",
        )
    close = nearest(name, types)
    return error(
        "S406",
        f"{path}: no input is named '{name}'",
        remedy=f"did you mean {' or '.join(map(repr, close))}?" if close else "",
        notes=[] if close else ["inputs: " + ", ".join(list(types)[:10])],
    )


def _make_pass(name: str, arguments: tuple[Value, ...]) -> Any:
    transform = tvm().relay.transform
    made = getattr(transform, name, None) if name[:1].isupper() else None
    if made is None or not callable(made):
        raise _unknown_pass(name)
    given = [_argument(a) for a in arguments]
    if name == "ConvertLayout" and given and all(isinstance(a, str) for a in given):
        given = [_layouts(str(given[0]))]
    try:
        step = made(*given)
    except Exception as failure:
        raise error(
            "S405",
            f"the pass {name} doesn't take the arguments ({', '.join(map(repr, arguments))})",
            reason=engine_error(failure),
            remedy=f"its signature is {name}{_signature(made)}",
        ) from failure
    if not isinstance(step, tvm().transform.Pass):
        raise _unknown_pass(name)
    return step


def _layouts(layout: str) -> dict[str, list[str]]:
    """Return what ``ConvertLayout(NHWC)`` stands for: TVM asks for a layout an op kind.

    Convolutions take a data and a kernel layout (TVM chooses the latter), pooling ops one.
    """
    convolutions = ("nn.conv2d", "nn.conv2d_transpose", "qnn.conv2d", "nn.deformable_conv2d")
    pools = ("nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d", "nn.global_max_pool2d")
    return {
        **{op: [layout, "default"] for op in convolutions},
        **{op: [layout] for op in pools},
    }


def _argument(value: Value) -> Any:
    return [_argument(v) for v in value] if isinstance(value, tuple) else value


def _signature(made: Any) -> str:
    try:
        return str(inspect.signature(made))
    except (TypeError, ValueError):
        return "(...)"


def pass_names() -> list[str]:
    """Return the names of Relay's passes."""
    transform = tvm().relay.transform
    return sorted(
        n
        for n, value in vars(transform).items()
        if n[0].isupper() and callable(value) and not _is_class(value)
    )


def _is_class(value: Any) -> bool:
    return isinstance(value, type) and not issubclass(value, tvm().transform.Pass)


def _unknown_pass(name: str) -> SurgeryError:
    close = nearest(name, pass_names())
    return error(
        "S403",
        f"Relay has no pass named {name}",
        remedy=f"did you mean {' or '.join(close)}?" if close else
        "see tvm.relay.transform for the names, such as SimplifyInference or FoldConstant",
    )  # fmt: skip


def _run(name: str, step: Any, ir: IRModule) -> IRModule:
    module = tvm()
    with diagnosed() as found:
        try:
            # opt_level 4: a pass that is asked for runs, whatever its own level.
            with module.transform.PassContext(opt_level=4):
                return inlined(ir) if name == "Inline" else step(ir)
        except Exception as failure:
            reason = engine_error(failure, found)
    raise error(
        "S404",
        f"the pass {name} failed on this model",
        reason=reason,
        remedy="leave it out of `prepare`, or run the passes first that it relies on",
    )


def inlined(ir: IRModule) -> IRModule:
    """Return the module with calls of its functions replaced by their bodies.

    TVM's own Inline takes only functions that are marked for it, which no importer does, and fails
    where one is called twice. The pass that puts partitioned functions back does the same well, so
    the functions are marked as such first. Functions that call themselves stay.
    """
    relay = tvm().relay
    module, _ = view(ir)
    calls = {
        name: {op[1:] for op in graph.ops if op.startswith("@")}
        for name, graph in module.functions.items()
    }
    made = copied(ir)
    reached = {name: _reached(calls, name) for name in calls}
    # Fewest callees first, so that a body is put in with its own calls already replaced.
    for name in sorted(calls, key=lambda n: (len(reached[n]), n)):
        if name == "main" or module.functions[name].function_attrs.get("Compiler"):
            continue
        if name in reached[name]:
            continue
        variable = made.get_global_var(name)
        marked = made[variable].with_attr("Compiler", "inline").with_attr("global_symbol", name)
        made.update_func(variable, marked)
        made = relay.transform.InlineCompilerFunctionsBoundTo([variable])(made)
    return made


def _reached(calls: Mapping[str, set[str]], start: str) -> set[str]:
    """Return the functions that a function calls, directly or through others."""
    reached: set[str] = set()
    stack = [start]
    while stack:
        for callee in calls.get(stack.pop(), ()):
            if callee not in reached:
                reached.add(callee)
                stack.append(callee)
    return reached


def _notes(before: RelayModel, after: Graph, passes: Sequence[str]) -> list[str]:
    notes = []
    done = ", ".join(passes) or "bind"
    lost = _lost_names(before.module.main, after)
    if lost:
        few = ", ".join(lost[:3]) + (", ..." if len(lost) > 3 else "")
        notes.append(
            f"prepare: {len(lost)} of {_count_names(before.module.main)} source names are gone "
            f"after {done}, with the ops they were of: {few}"
        )
    added = unnamed(after) - unnamed(before.module.main)
    if added > 0 and before.module.has_source_names:
        count = f"{added} more {'op has' if added == 1 else 'ops have'}"
        notes.append(
            f"prepare: {count} no source name after {done}, which made them; "
            "select them by %N or op kind"
        )
    unbound = "param" in after.kinds and _WANT_CONSTANTS.intersection(passes)
    if unbound:
        notes.append(
            f"prepare: {', '.join(sorted(unbound))} saw the weights as variables; "
            "`bind all params` makes them constants first"
        )
    return notes


def _lost_names(before: Graph, after: Graph) -> list[str]:
    """Return the source names that no value has any more, in order."""
    left = set(_op_names(after))
    return [name for name in dict.fromkeys(_op_names(before)) if name not in left]


def _count_names(graph: Graph) -> int:
    return len(set(_op_names(graph)))


def _op_names(graph: Graph) -> Iterator[str]:
    return (
        name for name, kind in zip(graph.names, graph.kinds, strict=True) if name and kind in _NAMED
    )
