"""PyTorch: TorchScript and exported programs, converted by TVM's own importer, names kept."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import TensorType

_ZIP = b"PK\x03\x04"
_SUFFIXES = (".pt", ".pth", ".pt2", ".jit", ".ts")
#: How many times larger than the file what it unpacks to may be.
_RATIO = 200
_NAMED = 4


@dataclass(frozen=True, slots=True)
class PyTorch:
    """The importer of PyTorch's files (see :class:`~.base.Frontend`)."""

    name: str = "pytorch"
    title: str = "PyTorch"
    packages: Sequence[Package] = (
        Package(distribution="torch", module="torch", tested=">=2.13,<2.14"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file is one of PyTorch's archives, or is called as one."""
        if path.is_dir():
            return False
        return (head.startswith(_ZIP) and _kind(path) != "") or path.suffix in _SUFFIXES

    def files(self, path: Path) -> Sequence[Path]:
        """Return the file: it holds everything."""
        return [path]

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; an op is called by its module's path and its kind: ``layer.3.query.linear``.

        Raises:
            SurgeryError: S500, S503 damaged; S540 operators that can't be converted; S541 inputs
                whose types are open; S542 pickled objects; S544 a size that can't be.
        """
        progress("reading the PyTorch model")
        ready = _load(request)
        tvm()
        progress("converting the PyTorch model")
        with _names_kept(ready) as kept:
            module, params = _import(ready, request.path)
        module, weights, outputs = _renamed(module, params, kept)
        return Converted(ir=module, params=weights, inputs=list(ready.inputs), outputs=outputs)

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as PyTorch runs it."""
        import torch

        ready = _load(request)

        def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
            with torch.no_grad():
                result = ready.script(*[torch.from_numpy(arrays[n]) for n in ready.inputs])
            found = [value.detach().numpy() for value in _flat(result)]
            return {f"out{place}": value for place, value in enumerate(found)}

        return run


def _flat(value: Any) -> Iterator[Any]:
    """Yield the tensors of a result as TVM numbers them."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    elif value is not None:
        yield value


# -- reading


def _kind(path: Path) -> str:
    """Tell TorchScript, exported programs and pickles apart; '' for no archive of PyTorch's."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile):
        return ""
    names = [entry.filename for entry in entries]
    if any("/models/" in n and n.endswith(".json") for n in names):
        return "exported"
    if any(n.startswith("serialized_exported_program") for n in names):
        return "exported"
    if any("/code/" in n for n in names) and any(n.endswith("/constants.pkl") for n in names):
        return "script"
    return "pickle" if any(n.endswith("data.pkl") for n in names) else ""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A model as TVM takes it.

    Attributes:
        script: A ScriptModule.
        inputs: Types of its inputs by name.
        paths: The path of the module that computes each value of its inlined graph.
        prefix: What its weights' names begin with, besides their own.
    """

    script: Any
    inputs: dict[str, TensorType]
    paths: Mapping[str, str]
    prefix: str = ""


def _load(request: Request) -> _Ready:
    """Read a file of either kind."""
    path = request.path
    kind = _kind(path)
    if kind in ("script", "exported"):
        _check_size(path)
    match kind:
        case "script":
            return _script(request)
        case "exported":
            return _exported(request)
        case "pickle":
            raise error(
                "S542",
                f"{path} holds pickled Python objects, and no graph",
                reason="it was written by torch.save: a state dict is weights only, and a whole "
                "module would run code when it is read",
                remedy="save the graph: torch.jit.trace(model, inputs).save('net.pt'), or "
                "torch.export.save(torch.export.export(model, inputs), 'net.pt2')",
            )
    raise error(
        "S503",
        f"{path} is no PyTorch model",
        reason="it is no archive of TorchScript or of an exported program",
        remedy="it is probably cut off, or an old pickle; save it again with torch.jit.save or "
        "torch.export.save",
    )


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _RATIO * max(path.stat().st_size, 1 << 20):
        raise error(
            "S544",
            f"{path} would unpack to {size / 2**30:.1f} GiB",
            reason=f"more than {_RATIO} times its own size",
            remedy="PyTorch doesn't compress weights: the file isn't what it claims to be",
        )


def _damaged(path: Path, failure: Exception) -> SurgeryError:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return error(
        "S503",
        f"{path} can't be read by PyTorch",
        reason=lines[0] if lines else type(failure).__name__,
        remedy="it is probably cut off, or of a newer PyTorch: save it again",
    )


def _script(request: Request) -> _Ready:
    import torch

    try:
        script = torch.jit.load(str(request.path), map_location="cpu").eval()
    except Exception as failure:  # PyTorch's reader raises what it stumbles over
        raise _damaged(request.path, failure) from failure
    names = [value.debugName().split(".")[0] for value in list(script.graph.inputs())[1:]]
    return _Ready(script, _types(request, names, {}), dict(_paths(script)))


def _exported(request: Request) -> _Ready:
    import torch

    with _weights_only(torch):
        try:
            program = torch.export.load(str(request.path))
        except Exception as failure:
            raise _damaged(request.path, failure) from failure
    known: dict[str, TensorType] = {}
    names = list(program.graph_signature.user_inputs)
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in names:
            value = node.meta.get("val")
            if value is not None and all(isinstance(d, int) for d in value.shape):
                known[node.name] = _type(value)
    inputs = _types(request, names, known)
    script, paths = _traced(program, inputs, request.path)
    return _Ready(script, inputs, paths, "m.")


@contextmanager
def _weights_only(torch: Any) -> Iterator[None]:
    """Have nothing unpickled but tensors while an exported program is read."""
    real = torch.load

    def load(*args: Any, **more: Any) -> Any:
        return real(*args, **{**more, "weights_only": True})

    torch.load = load
    try:
        yield
    finally:
        torch.load = real


def _traced(
    program: Any, inputs: Mapping[str, TensorType], path: Path
) -> tuple[Any, dict[str, str]]:
    """Return an exported program as TorchScript, and the module path of each value by its name."""
    import torch

    made: list[tuple[str, str]] = []

    class Recorded(torch.fx.Interpreter):  # type: ignore[misc]
        """Notes which module each traced operation belongs to."""

        def run_node(self, node: Any) -> Any:
            state = torch._C._get_tracing_state()
            if state is None or node.op != "call_function":
                return super().run_node(node)
            before = sum(1 for _ in state.graph().nodes())
            result = super().run_node(node)
            stack = list((node.meta.get("nn_module_stack") or {}).values())
            module = stack[-1][0] if stack else ""
            made.extend((n.kind(), module) for n in list(state.graph().nodes())[before:])
            return result

    class Wrapped(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.m = program.module()

        def forward(self, *given: Any) -> Any:
            return Recorded(self.m).run(*given)

    examples = tuple(
        torch.zeros(tuple(int(d) for d in t.shape), dtype=getattr(torch, t.dtype))
        for t in inputs.values()
    )
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            script = torch.jit.trace(Wrapped(), examples, check_trace=False, strict=False).eval()
    except Exception as failure:
        raise error(
            "S540",
            f"{path} can't be traced",
            reason=str(failure).splitlines()[0] if str(failure) else type(failure).__name__,
            remedy="export the model for the sizes it is to run with, without control flow",
        ) from failure
    operations = [n for n in _nodes(script.inlined_graph) if n.kind().startswith("aten::")]
    recorded = [(kind, module) for kind, module in made if kind.startswith("aten::")]
    if [n.kind() for n in operations] != [kind for kind, _ in recorded]:
        return script, {}  # tracing took some out again: whose the others are isn't sure
    paths = {
        value.debugName(): module
        for node, (_, module) in zip(operations, recorded, strict=True)
        for value in node.outputs()
    }
    return script, paths


def _type(value: Any) -> TensorType:
    return TensorType(tuple(int(d) for d in value.shape), str(value.dtype).removeprefix("torch."))


def _types(
    request: Request, names: Sequence[str], known: Mapping[str, TensorType]
) -> dict[str, TensorType]:
    """Return the type of each input: bound, or the file's own.

    Raises:
        SurgeryError: S541.
    """
    unknown = [n for n in request.inputs if n not in names]
    missing = [n for n in names if n not in request.inputs and n not in known]
    if unknown or missing:
        lines = "; ".join(f"bind {n}: float32(...)" for n in missing)
        raise error(
            "S541",
            f"{request.path} has no input {unknown[0]}"
            if unknown
            else f"{request.path} doesn't say what types its inputs have: {', '.join(missing)}",
            reason=f"its inputs are {', '.join(names)}"
            if unknown
            else "TorchScript keeps no shapes",
            remedy="use one of these" if unknown else lines,
        )
    return {n: request.inputs.get(n) or known[n] for n in names}


# -- converting


@dataclass(slots=True)
class _Kept:
    """Names that TVM's importer would lose.

    Attributes:
        weights: The state dict's key of each of TVM's parameters.
    """

    weights: dict[str, str] = field(default_factory=dict)


@contextmanager
def _names_kept(ready: _Ready) -> Iterator[_Kept]:
    """Have TVM's importer call ops by module paths, and each weight by a name of its own.

    It calls a weight after the first op that reads it: two weights of one op that are called the
    same in their modules would be taken for one.
    """
    from tvm.relay.frontend import pytorch as importer

    kept = _Kept()
    paths, prefix = dict(ready.paths), ready.prefix
    real_params, real_rename = importer.convert_params, importer._rename_outputs

    class Asked(dict[str, Any]):
        def __init__(self, own: Mapping[str, Any]) -> None:
            super().__init__(own)
            self.keys_read: list[str] = []

        def __getitem__(self, key: str) -> Any:
            self.keys_read.append(key)
            return super().__getitem__(key)

    class Distinct:
        def __init__(self) -> None:
            self.count = 0

        def __getitem__(self, node: Any) -> str:
            self.count += 1
            return f"weight{self.count}"

    def params(graph: Any, state: Any, source_map: Any, friendly: bool = False) -> Any:
        asked = Asked(state)
        found = real_params(graph, asked, Distinct(), friendly)
        keys = (key.removeprefix(prefix) for key in asked.keys_read)
        kept.weights.update(zip(found[1], keys, strict=True))
        return found

    def rename(node: Any, source_map: Any, types: Any, friendly: bool, scopes: bool) -> None:
        outputs = list(node.outputs())
        own = outputs[0].debugName() if outputs else ""
        path = paths.get(own, "")
        real_rename(node, source_map, types, friendly, False)
        if outputs and path:
            paths[outputs[0].debugName()] = path
        if node.kind() != "prim::GetAttr":
            kind = node.kind().split("::")[-1].rstrip("_")
            source_map[node] = f"{path}.{kind}" if path else kind

    importer.convert_params, importer._rename_outputs = params, rename
    try:
        yield kept
    finally:
        importer.convert_params, importer._rename_outputs = real_params, real_rename


def _paths(script: Any) -> Iterator[tuple[str, str]]:
    """Yield the path of the module that computes each value of the inlined graph, by its name.

    A traced module says it in the scope. A loaded one doesn't: its graph is the modules' graphs put
    in place of their calls, in order, so the nodes of both are the same one by one.
    """
    inlined = [n for n in _nodes(script.inlined_graph) if n.kind() not in _CALLS]
    scoped = [n for n in inlined if n.scopeName()]
    if scoped:
        for node in scoped:
            path = node.scopeName().split("/")[-1].removeprefix("__module.").removeprefix("m.")
            for value in node.outputs():
                yield value.debugName(), path
        return
    expanded = list(_expanded(script, ""))
    if [n.kind() for n in inlined] != [kind for kind, _ in expanded]:
        return
    for node, (_, path) in zip(inlined, expanded, strict=True):
        for value in node.outputs():
            yield value.debugName(), path


_CALLS = frozenset(("prim::GetAttr", "prim::CallMethod"))


def _nodes(graph: Any) -> Iterator[Any]:
    for node in graph.nodes():
        yield node
        for block in node.blocks():
            yield from _nodes(block)


def _expanded(module: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield kind and module path of each node of a module, calls of others replaced by theirs."""
    where: dict[str, str] = {}
    graph = module.graph
    own = next(iter(graph.inputs()), None)
    if own is not None:
        where[own.debugName()] = path
    for node in _nodes(graph):
        if node.kind() == "prim::GetAttr":
            base = where.get(next(iter(node.inputs())).debugName())
            if base is not None:
                name = node.s("name")
                where[node.output().debugName()] = f"{base}.{name}" if base else name
        elif node.kind() == "prim::CallMethod":
            child = where.get(next(iter(node.inputs())).debugName())
            if child is None or node.s("name") != "forward":
                yield "", ""  # no such node: the names are then not taken
                continue
            inner = module
            for part in child.removeprefix(path).strip(".").split("."):
                inner = getattr(inner, part)
            yield from _expanded(inner, child)
        else:
            yield node.kind(), path


def _import(ready: _Ready, path: Path) -> tuple[Any, Any]:
    from tvm import relay

    given = [(n, (list(t.shape), t.dtype)) for n, t in ready.inputs.items()]
    _check_operators(ready, path)
    try:
        return relay.frontend.from_pytorch(ready.script, given)  # type: ignore[no-any-return]
    except Exception as failure:  # whatever TVM's converters stumble over
        lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
        raise error(
            "S540",
            f"{path} can't be converted",
            reason=f"{type(failure).__name__}: {lines[-1] if lines else ''}",
            remedy="TVM's converter doesn't know this form of an operator; write the module "
            "without it, or bind the inputs to other types",
        ) from failure


def _check_operators(ready: _Ready, path: Path) -> None:
    """Refuse what TVM has no converter for: all of it at once, with where it is.

    Raises:
        SurgeryError: S540.
    """
    from tvm.relay.frontend.pytorch import PyTorchOpConverter

    converter = PyTorchOpConverter(None, "float32")
    missing: dict[str, list[str]] = {}
    for node in _nodes(ready.script.inlined_graph):
        kind = node.kind()
        base = kind[:-1] if kind.endswith("_") and not kind.endswith("__") else kind
        if base in converter.convert_map or kind in converter.convert_map:
            continue
        if kind.startswith("prim::") or kind in ("aten::Int", "aten::__getitem__"):
            continue
        outputs = list(node.outputs())
        where = ready.paths.get(outputs[0].debugName(), "") if outputs else ""
        missing.setdefault(kind, []).append(where or "the top module")
    if missing:
        notes = [
            f"{kind}: in {', '.join(list(dict.fromkeys(where))[:_NAMED])}"
            for kind, where in missing.items()
        ]
        raise error(
            "S540",
            f"{path} has operators that TVM doesn't convert: {', '.join(missing)}",
            reason="each is listed with the modules that it is in",
            remedy="trace the model without them, or only the modules before them",
            notes=notes,
        )


def _renamed(
    module: Any, params: Mapping[str, Any], kept: _Kept
) -> tuple[Any, dict[str, Any], list[str]]:
    """Return ``main`` alone, its weights called as in the state dict, and names of its outputs."""
    relay = tvm().relay
    main = module["main"]
    values: dict[Any, Any] = {}
    weights: dict[str, Any] = {}
    first: dict[str, Any] = {}
    variables = []
    for old in main.params:
        own = str(old.name_hint)
        if own not in params:
            variables.append(old)
            continue
        name = kept.weights.get(own, own)
        if name not in first:  # a tied weight is one
            weights[name] = params[own].numpy()
            span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
            first[name] = relay.Var(name, old.type_annotation, span)
            variables.append(first[name])
        values[old] = first[name]
    body = relay.bind(main.body, values)
    made = tvm().IRModule.from_expr(relay.Function(variables, body))
    typed = relay.transform.InferType()(made)
    return made, weights, [f"out{i}" for i in range(_count(typed["main"].ret_type))]


def _count(type_: Any) -> int:
    return sum(_count(f) for f in type_.fields) if hasattr(type_, "fields") else 1


FRONTEND = PyTorch()
