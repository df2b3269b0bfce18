"""ONNX files, converted by TVM's own importer; ONNX Runtime is what they are compared with."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends import onnx_files as files
from surgery.engines.relay.frontends import onnx_graph as graphs
from surgery.engines.relay.frontends import onnx_operators as operators
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request
from surgery.engines.relay.frontends.onnx_fold import quick_fold
from surgery.engines.relay.frontends.onnx_wrong import wrong_nodes
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import TensorType


@dataclass(frozen=True, slots=True)
class Onnx:
    """The importer of ONNX files (see :class:`~.base.Frontend`)."""

    name: str = "onnx"
    title: str = "ONNX"
    packages: Sequence[Package] = (
        Package(distribution="onnx", module="onnx", tested=">=1.16,<1.24"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file starts like a ModelProto: a small IR version, then a known field."""
        if path.is_dir() or len(head) < 4:
            return False
        # Field 1 (ir_version) is a varint; 2 to 8 and 14, 20, 25 are the others.
        starts = head[0] == 0x08 and 1 <= head[1] <= 32 and head[2] in _SECOND
        return starts or path.suffix == ".onnx"

    def files(self, path: Path) -> Sequence[Path]:
        """Return the file and those with its external data."""
        return [path, *files.external_files(path)]

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; spans are the nodes' names, weights are called as in the file.

        Raises:
            SurgeryError: S500, S503 damaged, S534-S536 what can't be converted.
        """
        progress("reading the ONNX model")
        path = request.path
        model = files.read(path, weights=False)
        graph = model.graph
        given = graphs.input_types(graph, request.inputs, path)
        graphs.plain_constants(graph)
        graphs.drop_unread_results(graph)
        unnamed = graphs.name_nodes(graph)
        version = graphs.opset(model)
        tvm()
        with _todays_onnx() as importer:
            supported = importer._get_convert_map(version).keys() | {
                *importer._identity_list,
                "Constant",
            }
            graphs.refuse_unsupported(graph, supported, wrong_nodes(graph, version), path)
            _check(path)
            files.load_weights(model, path)
            graphs.lift_weights(graph)
            graphs.settle_constants(graph)
            module, params = _import(importer, graph, version, given, path, progress)
        notes = [f"{unnamed} nodes without a name are called after their output"] if unnamed else []
        main = module["main"]
        names = [p.name_hint for p in main.params]
        return Converted(
            ir=module,
            params={n: params[n].numpy() for n in names if n in params},
            inputs=[n for n in names if n not in params],
            outputs=[value.name for value in graph.output],
            notes=notes,
            values={n.name: n.output[0] for n in graph.node if n.output and n.output[0]},
        )

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as ONNX Runtime runs it, operator by operator."""
        return runner(request.path, request.values)


#: External tensors of up to this many bytes are put into the message for ONNX Runtime.
_INLINE = 64 << 10
#: Tags of the fields that may follow ir_version in a ModelProto.
_SECOND = frozenset({0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72})


def runner(
    path: Path, values: Sequence[str] = ()
) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a model, run by ONNX Runtime, as a function of arrays by name to arrays by name.

    Args:
        path: The file.
        values: Values inside the graph that are wanted also.

    Raises:
        SurgeryError: S503 ONNX Runtime refuses the model, S536 there is no such value.
    """
    import onnx
    import onnxruntime

    model = files.read(path, weights=False)
    # Shapes and axes it wants in the message; weights it finds itself, so 2 GB are no limit.
    files.load_weights(model, path, limit=_INLINE)
    made = {name for node in model.graph.node for name in node.output if name}
    unknown = sorted(set(values) - made)
    if unknown:
        raise error("S536", f"{path} computes no value {', '.join(unknown)}")
    ends = {value.name for value in model.graph.output}
    wanted = [name for name in dict.fromkeys(values) if name not in ends]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Fusions would compute the values asked for in another order, or not at all.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(path.parent.resolve())
    )
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as failure:  # ONNX Runtime's kinds of errors share no base
        raise files.damaged(path, str(failure)) from failure
    names = [o.name for o in session.get_outputs()]
    taken = [i.name for i in session.get_inputs()]

    def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        results = session.run(names, {n: arrays[n] for n in taken if n in arrays})
        return dict(zip(names, results, strict=True))

    return run


def _check(path: Path) -> None:
    """Have ONNX's checker look at the file, where it lies: a model may exceed protobuf's 2 GB."""
    import onnx

    try:
        onnx.checker.check_model(str(path))
    except onnx.checker.ValidationError as failure:
        if "Field 'shape' of 'type' is required" in str(failure):
            return  # exporters leave the shapes of outputs out, and every runtime takes that
        raise files.damaged(path, str(failure)) from failure


@contextmanager
def _todays_onnx() -> Iterator[Any]:
    """Yield TVM's importer, adapted for a while to today's onnx and to what it gets wrong."""
    import onnx

    shim = None
    try:
        import onnx.mapping
    except ImportError:
        # onnx 1.19 took this module away; TVM reads one table of it.
        shim = types.ModuleType("onnx.mapping")
        table: dict[int, Any] = {}
        for kind in onnx.helper.get_all_tensor_dtypes():
            table[int(kind)] = onnx.helper.tensor_dtype_to_np_dtype(kind)
        shim.TENSOR_TYPE_TO_NP_TYPE = table  # type: ignore[attr-defined]
        sys.modules["onnx.mapping"] = shim
        onnx.mapping = shim
    from tvm.relay.frontend import common
    from tvm.relay.frontend import onnx as importer

    whole, fold = importer.GraphProto, importer.fold_constant
    importer.GraphProto = _adapted(importer)
    # TVM compiles every small expression of shapes with LLVM, about five for a MatMul.
    importer.fold_constant = common.fold_constant = quick_fold(fold)
    try:
        yield importer
    finally:
        importer.GraphProto = whole
        importer.fold_constant = common.fold_constant = fold
        if shim is not None:
            del sys.modules["onnx.mapping"], onnx.mapping


def _adapted(importer: Any) -> Any:
    """Return TVM's class that converts a graph, also for the graphs inside If and Loop."""

    class Importer(importer.GraphProto):  # type: ignore[misc]
        at = ""
        done: Callable[[], None] | None = None

        def _set_parameter_span(self, node: Any, source: str) -> None:
            Importer.at = f"{source} ({node.op_type})"
            if Importer.done is not None:
                Importer.done()
            super()._set_parameter_span(node, source)

        def _convert_operator(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
            if op_name == "If":
                return self._if(inputs[0], attrs)
            node = operators.Operator(importer, op_name, inputs, attrs, opset)
            value = operators.convert(node)
            if value is not None:
                return value
            return super()._convert_operator(op_name, node.inputs, node.attrs, node.opset)

        def _construct_nodes(self, graph: Any) -> None:
            super()._construct_nodes(graph)
            Importer.at = ""

        def _if(self, condition: Any, attrs: Any) -> Any:
            """Return an If, or the branch that is taken where its condition is known.

            TVM converts both branches always, fits the rank of one to the other's, which computes
            something else, fails on a known scalar condition, and takes a variable that both read
            for two.
            """
            from tvm import relay

            branches = [attrs["then_branch"], attrs["else_branch"]]
            count = len(branches[0].output)
            known = importer.fold_constant(condition)
            if isinstance(known, relay.Constant):
                result = self._branch(branches[0 if known.data.numpy().all() else 1])
            else:
                then, other = map(self._branch, branches)
                if importer.infer_shape(condition):
                    condition = relay.take(condition, relay.const(0, "int64"))
                result = relay.If(condition, then, other)
            return relay.expr.TupleWrapper(result, count) if count > 1 else result

        def _branch(self, graph: Any) -> Any:
            from tvm import relay

            at = Importer.at
            inner = Importer(self._shape, self._dtype, self._freeze_params, self._op_type_dict)
            inner._nodes = self._nodes.copy()
            with inner:
                result = inner.from_onnx(graph, self.opset, get_output_expr=True)
            Importer.at = at
            self._params.update(inner._params)
            outer: dict[Any, Any] = {}
            for variable in relay.analysis.free_vars(result):
                own = self._nodes.setdefault(variable.name_hint, variable)
                if not own.same_as(variable):
                    outer[variable] = own
            return relay.bind(result, outer)

    return Importer


def _import(
    importer: Any,
    graph: Any,
    version: int,
    given: Mapping[str, TensorType],
    path: Path,
    progress: Progress,
) -> tuple[Any, Mapping[str, Any]]:
    """Return TVM's module and weights, and say at which node it stops when it does."""
    from tvm import relay

    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress("converting", done, len(graph.node))

    cls = importer.GraphProto
    cls.done = staticmethod(advance)
    proto = cls({n: t.shape for n, t in given.items()}, {}, False, op_type_dict={})
    try:
        with warnings.catch_warnings(), proto:
            warnings.simplefilter("ignore")
            module, params = proto.from_onnx(graph, version)
            module = relay.transform.InferType()(module)
            if any(op.startswith("dyn.") for op in relay.analysis.list_op_freqs(module)):
                module = relay.transform.DynamicToStatic()(module)
    except SurgeryError:
        raise
    except Exception as failure:  # whatever TVM's converters stumble over
        lines = [line for line in str(failure).strip().splitlines() if line.strip()] or [""]
        raise error(
            "S536",
            f"TVM can't convert {cls.at or 'the graph'} of {path}",
            reason=f"{type(failure).__name__}: {lines[-1].strip()}",
            remedy="its converter doesn't know this form of the operator; export the model "
            "without it, or extract a part without it (onnx.utils.extract_model)",
        ) from failure
    return module, params


FRONTEND = Onnx()
