"""Codes of the import of ONNX models."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S534": (
        "operators of an ONNX model that TVM can't convert",
        "Every such node is listed by operator: those TVM 0.19 has no converter for, those of "
        "domains other than ONNX's own, and those whose form it would convert into something that "
        "computes another value. Where a part of the model does without them, the call of "
        "onnx.utils.extract_model that takes it out is proposed, with your file names for IN and "
        "OUT.",
    ),
    "S535": (
        "an ONNX model's inputs don't fit what is bound",
        "TVM converts with the sizes of all inputs known. Dimensions that the file leaves open are "
        "bound by name and type, as in `bind x: float32(1,3,48,192)`; those which the file fixes, "
        "and dtypes, can't be changed by a binding. Inputs that aren't tensors (sequences, "
        "optionals) can't be converted.",
    ),
    "S536": (
        "TVM fails to convert an ONNX node",
        "TVM's importer knows the operator, but not in this form: the node and TVM's own message "
        "are shown. Often an input must be a constant and is computed. The code also stands for "
        "a value asked for that no node of the model computes.",
    ),
}
