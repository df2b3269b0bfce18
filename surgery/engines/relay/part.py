"""Parts of a model as models of their own, and operated models as one graph again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from surgery.engines.base import SavedStage
from surgery.engines.relay.adopt import copied
from surgery.engines.relay.loader import load
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.params import read_params
from surgery.engines.relay.passes.carry import relay_type
from surgery.engines.relay.prepare import inlined
from surgery.engines.relay.rebuild import Rebuilder, internal
from surgery.engines.relay.save import write_stage
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.engines.relay.view import enumerate_exprs, view
from surgery.graph import Ref, TensorType

Expr = Any
IRModule = Any

tvm = load_tvm()
relay = tvm.relay


def save_part(
    model: RelayModel,
    inputs: Sequence[tuple[str, Ref]],
    outputs: Sequence[Ref],
    folder: Path,
    same: Iterable[tuple[Ref, Ref]] = (),
) -> SavedStage:
    """Write the part of a model that computes some tensors from others.

    Args:
        inputs: Tensors that are given, with the names of the inputs they become.
        outputs: Tensors to compute; no runtime input of the model but those given is needed.
        folder: Gets ``module.json``, ``module.relay`` and the weights that are used.
        same: Tensors, and the earlier ones that stand for them.

    Raises:
        SurgeryError: S300 more is needed than is given, S440 or S514 it can't be written.
    """
    graph, exprs = model.module.main, model.exprs["main"]
    variables = []
    replace: dict[Ref, Expr] = {}
    for name, ref in inputs:
        type_ = graph.type_of(ref)
        if not isinstance(type_, TensorType):
            raise internal(f"{graph.label(ref)} can't be an input", f"it is {type_}")
        variable = relay.Var(name, relay_type(type_))
        variables.append(variable)
        replace[ref] = variable
    rebuilder = Rebuilder(graph=graph, exprs=exprs, replace=dict(replace))
    for ref, earlier in sorted(same):
        if ref not in replace:
            (stands,) = rebuilder.values([earlier])
            rebuilder.stand_in(ref, stands)
    values = rebuilder.values(outputs)
    stray = [i for i in rebuilder.used if graph.kinds[i] == "input"]
    if stray:
        raise internal(
            "a part needs more inputs than it is given",
            ", ".join(sorted(graph.label(i) for i in stray)),
        )
    variables += [exprs[i] for i in sorted(rebuilder.used) if graph.kinds[i] == "param"]
    body = values[0] if len(values) == 1 else relay.Tuple(values)
    functions = _with_called(model.ir, relay.Function(variables, body))
    module = relay.transform.InferType()(tvm.IRModule(functions, model.ir.type_definitions))
    return write_stage(folder, "", module, model.params)


def _with_called(ir: IRModule, main: Expr) -> dict[Any, Expr]:
    """Return ``@main`` and the functions it calls, directly or through others."""
    functions = {relay.GlobalVar("main"): main}
    own = dict(copied(ir, main_is_called=False).functions.items())
    by_name = {f"@{v.name_hint}": v for v in own}
    pending, seen = [main], {"@main"}
    while pending:
        for op in traverse(pending.pop()).ops:
            if op in by_name and op not in seen:
                seen.add(op)
                functions[by_name[op]] = own[by_name[op]]
                pending.append(own[by_name[op]])
    return functions


def weights(model: RelayModel, ids: Sequence[int]) -> dict[int, Any]:
    """Return the values of constants and weights of ``@main`` as NumPy arrays, by id."""
    graph, exprs = model.module.main, model.exprs["main"]
    found = {}
    for id_ in ids:
        if graph.kinds[id_] == "constant":
            found[id_] = exprs[id_].data.numpy()
        elif graph.kinds[id_] == "param":
            found[id_] = model.params[graph.names[id_] or ""].numpy()
    return found


def load_operated(path: str, params: Sequence[str], staged: bool) -> RelayModel:
    """Read the operated module of an output folder.

    Args:
        params: The weights of its stages.
        staged: Whether it was cut: ``@main`` then only calls stages, which are put back into it.
    """
    read = load(path)
    ir = read.ir
    if staged:
        functions = _with_called(ir, _unstaged(ir))
        ir = relay.transform.InferType()(tvm.IRModule(functions, ir.type_definitions))
    weights = {n: a for file in params for n, a in read_params(file).items()}
    module, exprs = view(ir, weights.keys())
    return RelayModel(
        path=path, sha256=read.sha256, ir=ir, params=weights, module=module, exprs=exprs
    )


def in_one(model: RelayModel, operated: IRModule) -> RelayModel:
    """Return a module that surgery has begun to change as one graph that runs without backends.

    Functions are put back where they are called: stages, and regions with what is inside.

    Args:
        model: What the module was made of; its weights are those of the module too.
    """
    ir = copied(operated)
    regions = [
        variable
        for variable, function in ir.functions.items()
        if isinstance(function, relay.Function) and function.attrs and "Compiler" in function.attrs
    ]
    if regions:
        ir = relay.transform.InlineCompilerFunctionsBoundTo(regions)(ir)
    ir = inlined(relay.transform.InferType()(ir))
    ir = relay.transform.InferType()(tvm.IRModule({"main": ir["main"]}, ir.type_definitions))
    names = {str(p.name_hint) for p in ir["main"].params}
    weights = {name: array for name, array in model.params.items() if name in names}
    module, exprs = view(ir, weights.keys())
    return RelayModel(
        path=model.path, sha256=model.sha256, ir=ir, params=weights, module=module, exprs=exprs
    )


def _unstaged(ir: IRModule) -> Expr:
    """Return ``@main`` with the stages it calls put in their place."""
    main = ir["main"]
    walked = traverse(main)
    built: list[Expr] = []
    for id_, expr in enumerate(enumerate_exprs(main)):
        operands = [built[o] for o in walked.operands[id_]]
        match walked.kinds[id_]:
            case "call":
                stage = ir[walked.ops[id_][1:]]
                given = dict(zip(stage.params, operands, strict=True))
                built.append(relay.bind(stage.body, given))
            case "field":
                index = int(expr.index)
                whole = operands[0]
                tuple_ = isinstance(whole, relay.Tuple)
                built.append(whole.fields[index] if tuple_ else relay.TupleGetItem(whole, index))
            case "tuple":
                built.append(relay.Tuple(operands))
            case _:
                built.append(expr)
    return relay.Function(main.params, built[walked.result], None, main.type_params, main.attrs)
