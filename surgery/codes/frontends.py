"""Codes of converting another framework's model (S540-S544)."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S540": (
        "operators that can't be converted",
        "TVM 0.19's importer has no conversion for these operators, or not for this form of them. "
        "All of them are listed, by kind, with the names of their nodes; where a part of the "
        "model comes before the first of them, the call that extracts that part is shown.",
    ),
    "S541": (
        "inputs whose types are open, or bound otherwise than the file has them",
        "Relay is built for one shape. Dimensions that the file leaves open are bound in the spec: "
        "`bind x: float32(1,224,224,3)`. Only those can be bound; what the file fixes stays.",
    ),
    "S542": (
        "the model brings code",
        "Loading it would run Python that the file holds or names: a Lambda layer, a class from "
        "outside the framework, py_function. Nothing of the kind is run unless you trust the file "
        "and say --allow-code. What a file can't bring along (py_function) is refused always.",
    ),
    "S543": (
        "no such part of the model",
        "A SavedModel may hold several signatures, and a frozen graph has as many outputs as nodes "
        "that nobody reads. Which to convert can be said; those that there are, are listed.",
    ),
    "S544": (
        "a size that can't be",
        "What the file claims to hold is far larger than the file itself, even compressed: a zip "
        "bomb, or damage to a shape. It is refused before memory is taken for it.",
    ),
    "S537": (
        "a framework's package is missing",
        "Models of other frameworks are read with those frameworks' own packages, which are "
        "extras: `pip install 'surgery[onnx]'`, `[tensorflow]`, `[keras]`, `[pytorch]`, "
        "`[tflite]`. The versions that were tried are named.",
    ),
    "S538": (
        "an importer that fails",
        "Models are converted in a process of their own. It ended before it was done: by a crash "
        "of the framework or of TVM's importer, or for want of memory. What it said last is shown.",
    ),
    "S518": (
        "weights beside a model that has its own",
        "A model of another framework (ONNX, TensorFlow, ...) brings its weights along, in its "
        "file or beside it. `params` are for TVM's own formats, which keep them apart. Leave them "
        "out; `surgery import` writes both for those who want to change weights.",
    ),
}
