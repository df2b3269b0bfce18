"""Keras: ``.keras`` and ``.h5`` files, run once by Keras into a frozen TensorFlow graph.

TVM's own importer knows Keras 2 only and gives ops no names. The TensorFlow graph that Keras
makes has the layers' names as scopes: ``block_1_expand/Conv2D``.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import error
from surgery.engines.relay.frontends import keras_files, tensorflow
from surgery.engines.relay.frontends import tensorflow_files as files
from surgery.engines.relay.frontends import tensorflow_graph as graphs
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request, check_bound


@dataclass(frozen=True, slots=True)
class Keras:
    """The importer of Keras's files (see :class:`~.base.Frontend`)."""

    name: str = "keras"
    title: str = "Keras"
    packages: Sequence[Package] = (
        *tensorflow.FRONTEND.packages,
        Package(distribution="keras", module="keras", tested=">=3.9,<3.16"),
        Package(distribution="h5py", module="h5py", tested=">=3.10,<3.17"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether it is HDF5, or a zip archive with a Keras configuration."""
        return keras_files.recognises(path, head)

    def files(self, path: Path) -> Sequence[Path]:
        """Return the one file there is."""
        return [path]

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; spans are the names of the TensorFlow ops: layers are their components.

        Raises:
            SurgeryError: S501-S503 damaged, S540-S544 what can't be converted.
        """
        progress("loading the Keras model")
        frozen = _trace(_load(request), request)
        return tensorflow.convert_frozen(frozen, request, progress)

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as Keras runs it, layer by layer; nothing is frozen."""
        tf = files.tensorflow()
        model = _load(request)
        inputs, outputs = _specs(model, request), list(model.output_names)

        def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
            given = [tf.constant(arrays[spec.name], spec.dtype) for spec in inputs]
            results = tf.nest.flatten(model(_arranged(model, given), training=False))
            return {n: r.numpy() for n, r in zip(outputs, results, strict=True)}

        return run


def _load(request: Request) -> Any:
    """Load a file with the Keras that wrote it: Keras 3, or tf_keras for what is older."""
    path = request.path
    version = keras_files.look(path, request.allow_code)
    # Keras 3 runs on TensorFlow only if it is told so before its first import.
    os.environ["KERAS_BACKEND"] = "tensorflow"
    files.tensorflow()
    old = not version.startswith("3") and importlib.util.find_spec("tf_keras") is not None
    keras = importlib.import_module("tf_keras" if old else "keras")
    try:
        model = keras.saving.load_model(str(path), compile=False, safe_mode=not request.allow_code)
    except Exception as failure:  # whatever a layer's configuration makes Keras raise
        lines = str(failure).strip().splitlines() or [type(failure).__name__]
        more = "" if old or version.startswith("3") else "; pip install tf_keras reads older files"
        raise error(
            "S503",
            f"Keras can't load {path}",
            reason=lines[0],
            remedy=f"save it with the Keras that reads it here ({keras.__version__}){more}",
            notes=[f"written by Keras {version or '(unknown)'}"],
        ) from failure
    if not getattr(model, "inputs", None):
        raise error(
            "S541",
            f"{path} has no inputs yet",
            reason="a model that was never called has no shapes",
            remedy="call or build it once before saving, or start it with an Input layer",
        )
    return model


def _input_names(model: Any) -> list[str]:
    """Return the names of the input layers: those of Keras 3's tensors are counters, not saved."""
    names = []
    for tensor in model.inputs:
        history = getattr(tensor, "_keras_history", None)
        layer = getattr(history, "operation", None) or getattr(history, "layer", None)
        names.append(str(layer.name if layer is not None else tensor.name))
    return names


def _specs(model: Any, request: Request) -> list[Any]:
    """Return a TensorFlow specification of each input, with every dimension known."""
    tf = files.tensorflow()
    names = _input_names(model)
    check_bound(request, names)
    specs, lacking = [], []
    for name, tensor in zip(names, model.inputs, strict=True):
        shape = tuple(-1 if d is None else int(d) for d in tensor.shape)
        dtype = tf.dtypes.as_dtype(tensor.dtype).name
        bound = request.inputs.get(name)
        if bound is not None:
            graphs.agree(name, bound, shape, dtype, request.path)
            shape = tuple(int(d) for d in bound.shape)
        elif -1 in shape:
            dims = ",".join("?" if d < 0 else str(d) for d in shape)
            lacking.append(f"{name}: {dtype}({dims})")
            continue
        specs.append(tf.TensorSpec(shape, dtype, name=name))
    graphs.all_bound(lacking, request.path)
    return specs


def _trace(model: Any, request: Request) -> files.Frozen:
    tf = files.tensorflow()
    specs = _specs(model, request)

    def call(*given: Any) -> Any:
        return tf.nest.flatten(model(_arranged(model, given), training=False))

    with _scopes_as_layers():
        function = tf.function(call, input_signature=specs, autograph=False).get_concrete_function()
    frozen = files.freeze(function, model, list(model.output_names))
    # TensorFlow may have given a placeholder another name than the layer's.
    ports = [
        files.Port(name=spec.name, ref=port.ref)
        for spec, port in zip(specs, frozen.inputs, strict=True)
    ]
    return files.Frozen(
        graph=frozen.graph, inputs=ports, outputs=frozen.outputs, signature=frozen.signature
    )


@contextmanager
def _scopes_as_layers() -> Iterator[None]:
    """Let Keras 3 call a layer's scope what it calls the layer.

    It enters each scope twice, once to see whether the layer is built, and TensorFlow numbers what
    is entered again: layer ``d`` would be found as ``d_1``, which may be the name of another.
    """
    core: Any = sys.modules.get("keras.src.backend.tensorflow.core")
    kind = getattr(core, "name_scope", None)
    if kind is None:
        yield
        return
    tf = files.tensorflow()
    made = kind.__init__

    class Again:
        """A scope that may be entered again under the same name."""

        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            outer = tf.compat.v1.get_default_graph().get_name_scope()
            self.scope = tf.name_scope(f"{outer}/{self.name}/" if outer else f"{self.name}/")
            self.scope.__enter__()

        def __exit__(self, *failure: Any) -> None:
            self.scope.__exit__(*failure)

    def init(self: Any, name: str, **more: Any) -> None:
        made(self, name, **more)
        self._tf_name_scope = Again(name)

    kind.__init__ = init
    try:
        yield
    finally:
        kind.__init__ = made


def _arranged(model: Any, tensors: Sequence[Any]) -> Any:
    """Return tensors in the structure that the model was declared with: one, a list, a dict."""
    tf = files.tensorflow()
    structure = getattr(model, "_inputs_struct", None)
    if structure is None:
        structure = getattr(model, "_nested_inputs", None)
    if structure is None:
        return tensors[0] if len(tensors) == 1 else list(tensors)
    return tf.nest.pack_sequence_as(structure, list(tensors))


FRONTEND = Keras()
