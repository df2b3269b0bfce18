"""TFLite flatbuffers, converted by TVM's own importer; LiteRT is what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request, check_bound
from surgery.engines.relay.frontends.tflite_operators import converter
from surgery.engines.relay.frontends.weights import rename_weights
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import TensorType

_MAGIC = b"TFL3"
#: Nodes named for each operator that can't be converted.
_NAMED = 4
#: Element types by their number in the file.
_DTYPES = {
    0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16",
    9: "int8", 10: "float64",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TFLite:
    """The importer of TFLite files (see :class:`~.base.Frontend`)."""

    name: str = "tflite"
    title: str = "TFLite"
    packages: Sequence[Package] = (
        Package(distribution="tflite", module="tflite", tested=">=2.18,<2.19"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file has a TFLite flatbuffer's identifier, or is called as one."""
        return head[4:8] == _MAGIC or (not path.is_dir() and path.suffix == ".tflite")

    def files(self, path: Path) -> Sequence[Path]:
        """Return the file: it holds everything."""
        return [path]

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; an op has the name of the tensor it computes, a weight that of its tensor.

        Raises:
            SurgeryError: S500, S503 damaged; S540 operators that can't be converted; S541 inputs
                bound otherwise than the file has them.
        """
        progress("reading the TFLite model")
        model = _read(request.path)
        graph = model.Subgraphs(0)
        given = _input_types(graph, request)
        tvm()
        from tvm import relay

        operators = converter()
        _check_operators(model, graph, request.path, operators)
        progress("converting the TFLite model", None, graph.OperatorsLength())
        try:
            module, params = relay.frontend.from_tflite(
                model,
                shape_dict={n: t.shape for n, t in given.items()},
                dtype_dict={n: t.dtype for n, t in given.items()},
                op_converter=operators,
            )
        except Exception as failure:  # whatever TVM's converters stumble over
            raise _failed(request.path, failure) from failure
        module, weights = _named(module, params)
        names = [_name(graph, i) for i in _ints(graph.OutputsAsNumpy())]
        return Converted(
            ir=module,
            params=weights,
            inputs=list(given),
            outputs=names,
            values={n: n for n in _computed(graph)},
        )

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as LiteRT runs it, without its delegates.

        Raises:
            SurgeryError: S537 the package ai-edge-litert is missing; S503 LiteRT refuses the file.
        """
        try:
            from ai_edge_litert.interpreter import Interpreter, OpResolverType
        except ImportError as failure:
            raise error(
                "S537",
                "running TFLite models needs ai-edge-litert",
                remedy="pip install ai-edge-litert",
            ) from failure
        try:
            interpreter = Interpreter(
                model_path=str(request.path),
                experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                experimental_preserve_all_tensors=bool(request.values),
            )
            interpreter.allocate_tensors()
        except (ValueError, RuntimeError) as failure:
            raise _damaged(request.path, str(failure)) from failure
        places = {d["name"]: d["index"] for d in interpreter.get_tensor_details()}
        wanted = {d["name"]: d["index"] for d in interpreter.get_output_details()}
        wanted |= {name: places[name] for name in request.values if name in places}

        def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
            for detail in interpreter.get_input_details():
                interpreter.set_tensor(detail["index"], arrays[detail["name"]])
            interpreter.invoke()
            return {name: interpreter.get_tensor(place) for name, place in wanted.items()}

        return run


def _read(path: Path) -> Any:
    """Return the file's model, its one graph checked for what a damaged file breaks first."""
    import tflite

    data = path.read_bytes()
    if data[4:8] != _MAGIC:
        raise _damaged(path, "its identifier TFL3 is missing")
    try:
        model = tflite.Model.GetRootAsModel(data, 0)
        graphs = model.SubgraphsLength()
        if graphs == 1:
            graph = model.Subgraphs(0)
            # Every tensor and operator is looked at, so that what is cut off is found here.
            for place in range(graph.TensorsLength()):
                model.Buffers(graph.Tensors(place).Buffer()).DataLength()
                _name(graph, place)
            for place in range(graph.OperatorsLength()):
                _kind(model, graph.Operators(place))
    except Exception as failure:  # a flatbuffer is read by offsets: anything may come of wrong ones
        raise _damaged(path, f"{type(failure).__name__}: {failure}") from failure
    if graphs != 1:
        raise error(
            "S540",
            f"{path} has {graphs} graphs",
            reason="those beside the first are bodies of control flow, which TVM doesn't convert",
            remedy="convert the model without `if` and `while`",
        )
    return model


def _damaged(path: Path, reason: str) -> SurgeryError:
    return error(
        "S503",
        f"{path} is no whole TFLite model",
        reason=reason.splitlines()[0] if reason else "",
        remedy="it is probably cut off: copy it again",
    )


def _ints(found: Any) -> list[int]:
    return [] if isinstance(found, int) else [int(i) for i in found]


def _name(graph: Any, place: int) -> str:
    return str(graph.Tensors(place).Name().decode("utf-8"))


def _kind(model: Any, operator: Any) -> str:
    """Return an operator's name: ``CONV_2D``, or that of a custom one."""
    import tflite

    code = model.OperatorCodes(operator.OpcodeIndex())
    number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
    names = {v: k for k, v in vars(tflite.BuiltinOperator).items() if isinstance(v, int)}
    if names.get(number) == "CUSTOM":
        return str((code.CustomCode() or b"CUSTOM").decode("utf-8"))
    return str(names.get(number, f"operator {number}"))


def _computed(graph: Any) -> Iterator[str]:
    """Yield the names of the first results of all operators."""
    for place in range(graph.OperatorsLength()):
        outputs = _ints(graph.Operators(place).OutputsAsNumpy())
        if outputs:
            yield _name(graph, outputs[0])


def _check_operators(model: Any, graph: Any, path: Path, operators: Any) -> None:
    """Refuse what TVM has no converter for: all of it at once.

    Raises:
        SurgeryError: S540.
    """
    known = operators(model, graph, None).convert_map
    missing: dict[str, list[str]] = {}
    reads: list[str] | None = None
    for place in range(graph.OperatorsLength()):
        operator = graph.Operators(place)
        kind = _kind(model, operator)
        if kind in known:
            continue
        if reads is None:
            reads = [_name(graph, i) for i in _ints(operator.InputsAsNumpy()) if i >= 0]
        outputs = _ints(operator.OutputsAsNumpy())
        missing.setdefault(kind, []).append(_name(graph, outputs[0]) if outputs else "?")
    if not missing:
        return
    notes = [
        f"{kind}: {', '.join(names[:_NAMED])}"
        + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        for kind, names in missing.items()
    ]
    raise error(
        "S540",
        f"{path} has operators that TVM doesn't convert: {', '.join(missing)}",
        reason="each is listed by the tensor it computes",
        remedy="convert the model without them, or only up to what the first of them reads: "
        + ", ".join(reads or []),
        notes=notes,
    )


def _input_types(graph: Any, request: Request) -> dict[str, TensorType]:
    """Return the inputs' types: the file's, with the open dimensions that are bound.

    Raises:
        SurgeryError: S541.
    """
    found: dict[str, TensorType] = {}
    for place in _ints(graph.InputsAsNumpy()):
        tensor = graph.Tensors(place)
        shape = _ints(tensor.ShapeAsNumpy())
        signature = _ints(tensor.ShapeSignatureAsNumpy()) or shape
        own = TensorType(tuple(shape), _DTYPES.get(tensor.Type(), "?"))
        name = _name(graph, place)
        bound = request.inputs.get(name)
        found[name] = own if bound is None else bound
        if bound is None:
            continue
        fits = len(bound.shape) == len(signature) and all(
            s in (-1, b) for s, b in zip(signature, bound.shape, strict=True)
        )
        if not fits or bound.dtype != own.dtype:
            raise error(
                "S541",
                f"{request.path} has input {name} as {own}, not as {bound}",
                reason="only dimensions that the file leaves open can be bound",
                remedy=f"bind {name}: {own}, or leave it out",
            )
    check_bound(request, list(found))
    return found


def _failed(path: Path, failure: Exception) -> SurgeryError:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return error(
        "S540",
        f"{path} can't be converted",
        reason=f"{type(failure).__name__}: {lines[-1] if lines else ''}",
        remedy="TVM's converter doesn't know this form of an operator: sparse weights and some "
        "quantised forms are such; convert the model without them",
    )


def _named(module: Any, params: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the module with its weights called as in the file, and them by these names."""
    taken = {str(v.name_hint) for v in module["main"].params} - params.keys()

    def name_of(old: Any) -> str:
        name = str(old.span.source_name.name) if old.span is not None else str(old.name_hint)
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    return rename_weights(module, params, name_of)


FRONTEND = TFLite()
