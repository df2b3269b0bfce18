"""TensorFlow: frozen GraphDefs and SavedModels, converted by TVM's own importer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends import tensorflow_files as files
from surgery.engines.relay.frontends import tensorflow_graph as graphs
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request
from surgery.engines.relay.frontends.tensorflow_operators import todays_operators
from surgery.engines.relay.tvm_import import tvm

#: Whole-number weights up to this many bytes are shapes, axes and masks: constants of the graph.
_SMALL = 4096
_LAYOUTS = ("NHWC", "NCHW")


@dataclass(frozen=True, slots=True)
class TensorFlow:
    """The importer of TensorFlow's files (see :class:`~.base.Frontend`).

    Options: ``signature`` of a SavedModel; ``outputs`` of a GraphDef, tensors separated by commas;
    ``layout``: ``NHWC`` as in the file, or ``NCHW``.
    """

    name: str = "tensorflow"
    title: str = "TensorFlow"
    packages: Sequence[Package] = (
        Package(distribution="tensorflow-cpu", module="tensorflow", tested=">=2.15,<2.22"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether it is a SavedModel folder, or starts like a GraphDef."""
        return files.folder_of(path) is not None or files.looks_like_graph(head)

    def files(self, path: Path) -> Sequence[Path]:
        """Return the GraphDef, or every file of the SavedModel, its graph first."""
        folder = files.folder_of(path)
        if folder is None:
            return [path]
        found = sorted(p for p in folder.rglob("*") if p.is_file())
        return sorted(found, key=lambda p: p.parent != folder or p.stem != "saved_model")

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; spans are the nodes' names, weights are called as their constants.

        Raises:
            SurgeryError: S500-S503 damaged, S540-S544 what can't be converted.
        """
        progress("reading the TensorFlow graph")
        return convert_frozen(files.read(request), request, progress)

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as TensorFlow runs it."""
        frozen = graphs.settle(
            files.read(request), request.path, request.options.get("outputs", "")
        )
        return runner(frozen)


def runner(frozen: files.Frozen) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a frozen graph as a function of arrays by input name to arrays by output name."""
    tf = files.tensorflow()
    function = graphs.function_of(frozen)
    dtypes = [tensor.dtype for tensor in function.inputs]

    def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        given = [
            tf.constant(arrays[port.name], dtype)
            for port, dtype in zip(frozen.inputs, dtypes, strict=True)
        ]
        results = function(*given)
        results = results if isinstance(results, list | tuple) else [results]
        names = [port.name for port in frozen.outputs]
        return {n: r.numpy() for n, r in zip(names, results, strict=True)}

    return run


def convert_frozen(frozen: files.Frozen, request: Request, progress: Progress) -> Converted:
    """Convert a frozen graph, from whichever file it came.

    Raises:
        SurgeryError: S503 damaged, S540, S541 what can't be converted.
    """
    layout = request.options.get("layout", "NHWC")
    if layout not in _LAYOUTS:
        raise error("S543", f"there is no layout {layout}", remedy=f"one of: {', '.join(_LAYOUTS)}")
    frozen = graphs.settle(frozen, request.path, request.options.get("outputs", ""))
    tvm()
    from tvm.relay.frontend.tensorflow import _convert_map

    with todays_operators():
        ready = graphs.prepare(frozen, request, frozenset(_convert_map))
        progress("converting the TensorFlow graph", total=len(ready.graph.node))
        main, params = _import(ready, layout, request.path, progress)
    module = tvm().IRModule.from_expr(main)  # without TVM's prelude, which nothing here uses
    return Converted(
        ir=module,
        params={name: value.numpy() for name, value in params.items()},
        inputs=[p.ref for p in ready.inputs],
        outputs=[p.name for p in ready.outputs],
        notes=ready.notes,
    )


def _import(ready: graphs.Ready, layout: str, path: Path, progress: Progress) -> tuple[Any, Any]:
    """Return TVM's function and weights, and say at which node it stops when it does."""
    from tvm import relay
    from tvm.relay.frontend.tensorflow import GraphProto

    at = ""
    done = 0

    class Importer(GraphProto):  # type: ignore[misc]
        def _convert_operator(self, op_name: str, node_name: str, *args: Any, **more: Any) -> Any:
            nonlocal at, done
            at = f"{node_name} ({op_name})"
            done += 1
            progress("converting", done, len(ready.graph.node))
            return super()._convert_operator(op_name, node_name, *args, **more)

    importer = Importer()
    shapes = {name: type_.shape for name, type_ in ready.types.items()}
    try:
        module, params = importer.from_tensorflow(
            ready.graph, layout=layout, shape=shapes, outputs=[p.ref for p in ready.outputs]
        )
        at = "the whole"
        typed = relay.transform.InferType()(tvm().IRModule.from_expr(module["main"]))
    except SurgeryError:
        raise
    except Exception as failure:  # whatever TVM's converters stumble over
        lines = str(failure).strip().splitlines() or [""]
        raise error(
            "S540",
            f"TVM can't convert {at or 'the graph'} of {path}",
            reason=f"{type(failure).__name__}: {lines[-1].strip()}",
            remedy="its converter doesn't know this form of the operator; export the model "
            "without it, or cut the graph before it (option outputs)",
        ) from failure
    _slots(ready, importer._nodes, path)
    _shapes(ready, typed["main"].ret_type, path)
    small = {
        name: value
        for name, value in params.items()
        if not str(value.dtype).startswith(("float", "bfloat")) and value.numpy().nbytes <= _SMALL
    }
    main = relay.build_module.bind_params_by_name(module["main"], small)
    return main, {n: v for n, v in params.items() if n not in small}


def _slots(ready: graphs.Ready, made: Mapping[str, Any], path: Path) -> None:
    """Refuse a graph that reads a second result which TVM's converter doesn't compute.

    TVM would hand out the first result in its place, without a word.
    """
    from tvm.relay.expr import TupleWrapper

    reads = [(ref, n.name) for n in ready.graph.node for ref in n.input]
    reads += [(p.ref, "an output") for p in ready.outputs]
    wrong = []
    for ref, reader in reads:
        name, _, slot = ref.partition(":")
        value = made[name]
        size = value.size if isinstance(value, TupleWrapper) else len(value)
        if slot.isdigit() and int(slot) >= (size if isinstance(value, TupleWrapper) else 1):
            wrong.append(f"{ref}, read by {reader}")
    if wrong:
        raise error(
            "S540",
            f"{path} uses results of operators that TVM 0.19 doesn't compute",
            reason="it converts only the first result of these",
            remedy="export the model without them, or cut the graph before them (option outputs)",
            notes=wrong,
        )


def _shapes(ready: graphs.Ready, type_: Any, path: Path) -> None:
    """Refuse a graph whose outputs TVM gives other shapes than TensorFlow."""
    from tvm import relay

    types = [type_] if len(ready.outputs) == 1 else list(type_.fields)
    wrong = []
    for port, made, right in zip(
        ready.outputs, types, graphs.output_shapes(ready, path), strict=True
    ):
        if right is None or not isinstance(made, relay.TensorType):
            continue
        shape = tuple(int(d) if hasattr(d, "value") else -1 for d in made.shape)
        if shape != right:
            wrong.append(f"{port.name}: {shape} instead of {right}")
    if wrong:
        raise error(
            "S540",
            f"TVM converts {path} to another shape than TensorFlow computes",
            reason="its conversion of some operator before these outputs is not the same",
            remedy="cut the graph before it (option outputs); transposed convolutions are known",
            notes=wrong,
        )


FRONTEND = TensorFlow()
