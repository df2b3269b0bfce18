"""Reads a model file: TVM JSON or Relay text, by its content, with its weights."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.adopt import checked
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.frontends.base import Frontend, Progress
from surgery.engines.relay.frontends.conversion import converted, run_reference
from surgery.engines.relay.frontends.registry import recognise
from surgery.engines.relay.json_check import json_fault
from surgery.engines.relay.labels import Labels
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.params import (
    MAGIC,
    check_params,
    read_params,
    readable_sha256,
    unreadable,
)
from surgery.engines.relay.text import read_text
from surgery.engines.relay.tvm_import import tvm
from surgery.engines.relay.tvmc_model import is_archive, unpacked
from surgery.engines.relay.unmatched import check_names
from surgery.engines.relay.view import view
from surgery.graph import TensorType
from surgery.listing import unpasted
from surgery.source import Source, Span, file_sha256

if TYPE_CHECKING:
    from surgery.engines.relay.model import IRModule

_XZ = b"\xfd7zXZ\x00"
_SAVE = "save the model with: open(path, 'w').write(tvm.ir.save_json(mod))"

#: First bytes of files that are no models, and what they are.
_OTHER = {
    MAGIC: "a TVM params file",
    b"\x7fELF": "a built library",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x93NUMPY": "a numpy array",
}


def load(
    path: str,
    params: str | None = None,
    inputs: Mapping[str, TensorType] | None = None,
    allow_code: bool = False,
    progress: Progress | None = None,
) -> RelayModel:
    """Read a model file and, when given, its weights.

    Args:
        path: TVM JSON (``tvm.ir.save_json``) or Relay text; either may be compressed (``.xz``). Or
            an archive of tvmc's (``TVMCModel.save``), which brings weights; or a model of another
            framework, which is converted.
        params: Weights: TVM's params format, safetensors or npz.
        inputs: Types of a model that is converted, where its own are open.
        allow_code: Run what a model that is converted brings as code.

    Raises:
        SurgeryError: S400-S402 no usable TVM; S500 and on: what is wrong with a file, and where.
    """
    foreign = recognise(Path(path))
    if foreign is not None:
        return _converted(path, params, foreign, inputs or {}, allow_code, progress or _silent)
    if is_archive(path):
        with unpacked(path) as (inner, weights_of_it):
            found = load(inner, params or weights_of_it)
            hashes = {"model": file_sha256(path)}
            if params is not None:
                hashes["params"] = found.sha256["params"]
            return replace(found, path=path, sha256=hashes)
    data = _read(path)
    hashes = {"model": hashlib.sha256(data).hexdigest()}
    data = _unpacked(path, data)
    weights = {}
    if params is not None:
        weights = read_params(params)
        hashes["params"] = readable_sha256(params)
    text = _decoded(path, data)
    del data
    if _is_json(path, text):
        ir, dtype_note = checked(_from_json(path, text), path), ""
        labels = Labels()
    else:
        pasted = unpasted(text.replace("\r\n", "\n"))
        parsed = read_text(Source(pasted.text, path), weights)
        ir, labels, dtype_note = parsed.ir, parsed.labels, parsed.dtype_note
        labels.notes.extend(f"{path}: {note}" for note in pasted.notes)
    module, exprs = view(ir, weights.keys(), names=labels.names, numbers=labels.numbers)
    kept = check_params(module.main, weights, params or "")
    warnings, unknown = ([], []) if params is None else check_names(module.main, weights, params)
    return RelayModel(
        path=path,
        sha256=hashes,
        ir=ir,
        params=kept,
        module=replace(module, dtype_note=dtype_note),
        exprs=exprs,
        notes=(*labels.notes, *unknown),
        warnings=tuple(warnings),
    )


def _converted(
    path: str,
    params: str | None,
    frontend: Frontend,
    inputs: Mapping[str, TensorType],
    allow_code: bool,
    progress: Progress,
) -> RelayModel:
    """Convert another framework's model, and read what comes out as any other."""
    if params is not None:
        raise error(
            "S518",
            f"{path} brings its own weights",
            reason=f"it is a {frontend.title} model; {params} would be others",
            remedy="leave the params out",
        )
    with converted(Path(path), frontend, inputs, allow_code, progress) as made:
        weights = None if made.params is None else str(made.params)
        model = load(str(made.module), weights)
        outputs = made.outputs if len(made.outputs) == len(model.module.main.outputs) else ()
        return replace(
            model,
            path=path,
            sha256={"model": made.sha256},
            module=replace(model.module, output_names=outputs),
            notes=(*made.notes, *model.notes),
            warnings=(*made.warnings, *model.warnings),
            foreign=frontend.title,
            foreign_values=made.values,
        )


def reference(
    path: str,
    arrays: Mapping[str, Any],
    inputs: Mapping[str, TensorType],
    allow_code: bool,
    progress: Progress,
    values: Sequence[str] = (),
) -> dict[str, Any]:
    """Run another framework's model as that does; return its outputs, and values, by name."""
    frontend = recognise(Path(path))
    assert frontend is not None
    return run_reference(Path(path), frontend, arrays, inputs, allow_code, progress, values)


def _silent(event: str, done: int | None = None, total: int | None = None) -> None:
    """Report progress to nobody."""


def printed(model: Any) -> str:
    """Return a module as text, without its metadata; it needn't type-check.

    Args:
        model: A JSON file, by path, or an ``IRModule``.

    Raises:
        SurgeryError: S500 and on: the file can't be read.
    """
    if isinstance(model, str):
        model = _from_json(model, _decoded(model, _unpacked(model, _read(model))))
    return str(model.astext(show_meta_data=False))


def _read(path: str) -> bytes:
    place = Path(path)
    if place.is_dir():
        raise error(
            "S500",
            f"{path} is a folder",
            reason="a model is one file, or a TensorFlow SavedModel",
            remedy="name the model file in it (module.json in an output folder)",
        )
    try:
        data = place.read_bytes()
    except OSError as failure:
        raise unreadable(path, failure) from failure
    if not data.strip():
        raise error("S501", f"the model file {path} is empty", remedy=_SAVE)
    return data


def _unpacked(path: str, data: bytes) -> bytes:
    if not data.startswith(_XZ):
        return data
    try:
        return lzma.decompress(data)
    except (lzma.LZMAError, EOFError) as failure:
        raise error(
            "S503",
            f"{path} can't be decompressed",
            reason=str(failure),
            remedy="it is probably cut off: copy it again",
        ) from failure


def _decoded(path: str, data: bytes) -> str:
    for head, what in _OTHER.items():
        if data.startswith(head):
            raise error(
                "S502",
                f"{path} is {what}, not a model",
                remedy="give the model file; weights go to `params` (--params)"
                if head == MAGIC
                else _SAVE,
            )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        text, reason = "", f"byte {failure.start} is not UTF-8 text"
    else:
        reason = "it contains zero bytes" if "\0" in text else ""
    if reason:
        raise error("S502", f"{path} is not a model but binary data", reason=reason, remedy=_SAVE)
    return text


def _is_json(path: str, text: str) -> bool:
    start = text.lstrip()[:1]
    return start in ("{", "[") or (
        start != "#" and Path(path.removesuffix(".xz")).suffix == ".json"
    )


def _from_json(path: str, text: str) -> IRModule:
    """Return the module in a TVM JSON text."""
    module = tvm()
    if not text.rstrip().endswith("}"):
        raise _bad_json(path, text, None)  # TVM's reader crashes on some texts that are cut off
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        raise _bad_json(path, text, None) from None
    if not isinstance(tree, dict) or not {"root", "nodes"} <= set(tree):
        raise _bad_json(path, text, None)
    fault = json_fault(tree)
    if fault:
        raise error(
            "S504",
            f"{path} is damaged",
            reason=f"{fault}; TVM would crash on it",
            remedy="copy or save it again",
        )
    try:
        found = module.ir.load_json(text)
    except Exception as failure:
        raise _bad_json(path, text, failure) from failure
    if isinstance(found, module.IRModule):
        return found
    if isinstance(found, module.relay.Function):
        return module.IRModule.from_expr(found)
    raise error(
        "S504",
        f"{path} holds a {type(found).__name__}, not a module",
        reason="TVM JSON can hold any TVM object; a model is an IRModule",
        remedy=_SAVE,
    )


def _bad_json(path: str, text: str, failure: BaseException | None) -> SurgeryError:
    """Return what is wrong with a JSON text that TVM didn't take."""
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as fault:
        source = Source(text, path)
        end = len(text.rstrip())
        at = min(fault.pos, max(0, end - 1))
        short = fault.pos >= end or fault.msg.startswith("Unterminated") or text[end - 1] != "}"
        return error(
            "S503",
            f"{path} is {'not complete' if short else 'not valid'} JSON",
            Span(source, at, at + 1),
            reason=fault.msg,
            remedy="it is probably cut off or edited by hand: copy or save it again",
        )
    return error(
        "S504", f"{path} is not a Relay model", reason=_why_not(tree, failure), remedy=_SAVE
    )


def _why_not(tree: Any, failure: BaseException | None) -> str:
    keys = set(tree) if isinstance(tree, dict) else set()
    if {"nodes", "arg_nodes", "heads"} <= keys:
        return "it is the graph of an already built model (graph executor JSON)"
    if "recipe" in keys:
        return "it is a build recipe of surgery: `surgery build` and `surgery run` read it"
    if not {"root", "nodes"} <= keys:
        return "it is JSON, but not TVM's: 'root' and 'nodes' are missing"
    attrs = tree.get("attrs")
    version = attrs.get("tvm_version") if isinstance(attrs, dict) else None
    reason = engine_error(failure) if failure is not None else "TVM can't read it"
    if version and version != tvm().__version__:
        return f"it was saved by TVM {version}, this is {tvm().__version__}: {reason}"
    return reason
