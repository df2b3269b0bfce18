"""Stages as packages of object code: what ``tvmc run`` takes, and TVM's Model Library Format.

A package is one tar file, its bytes the same for the same stage. ``format tar`` is the package of
``tvmc compile --output-format tar``: ``mod.tar`` (object files), ``mod.json`` (the graph) and
``mod.params``, or ``lib.tar`` alone for the VM. ``format mlf`` is version 7 of the Model Library
Format, whose writer (``tvm.micro``) is no part of TVM 0.19.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import error
from surgery.engines.relay.params import read_params, write_params
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()

#: Endings of a stage's library, by format. The format is read off the ending.
MLF = ".mlf.tar"
TAR = ".tar"
#: Version of the Model Library Format that is written.
MLF_VERSION = 7
#: What TVM calls a model that nobody named.
_NAME = "default"
_MAIN = "__tvm_main__"
#: The text of a module in a package is for reading; constants are in the parameters.
_HEADER = '#[version = "0.0.5"]\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A stage that TVM has compiled.

    Attributes:
        module: What is exported so that one library holds all.
        code: Its code alone: the graph and the weights are beside it.
        graph: The graph executor's JSON.
        params: Weights that the graph reads, by name.
        memory: What TVM says of each function: workspace, constants, inputs and outputs.
        relay: The module that was compiled, as text.
        target: What for.
    """

    module: Any
    code: Any
    graph: str | None
    params: Mapping[str, Any]
    memory: Mapping[str, Any]
    relay: str
    target: str


def is_package(library: str) -> bool:
    """Return whether a library's name is that of a package."""
    return library.endswith(TAR)


def write_package(
    path: Path, stage: Compiled, executor: str, addons: Sequence[Path], scratch: Path
) -> None:
    """Write a stage as a package, of the format that its name says.

    Args:
        addons: Further object files.
        scratch: A folder for object files.

    Raises:
        SurgeryError: S426 no C compiler for the target.
        OSError: It can't be written.
    """
    code = stage.code if executor == "graph" else stage.module
    mlf = path.name.endswith(MLF)
    files = _object_files(code, stage.target, scratch, addons, sources=mlf)
    members: dict[str, Path | bytes] = {}
    if executor == "graph":
        assert stage.graph is not None
        weights = scratch / "mod.params"
        write_params(weights, dict(sorted(stage.params.items())))
    if mlf:
        members["metadata.json"] = _dump(_metadata(stage, executor))
        for file in files:
            kind = "src" if file.suffix == ".c" else "lib"
            members[f"codegen/host/{kind}/{file.name}"] = file
        if executor == "graph":
            members[f"executor-config/graph/{_NAME}.graph"] = str(stage.graph).encode()
            members[f"parameters/{_NAME}.params"] = weights
        members[f"src/{_NAME}.relay"] = (_HEADER + stage.relay).encode()
    else:
        inner = scratch / "objects.tar"
        _write_tar(inner, {f.name: f for f in files})
        members["lib.tar" if executor == "vm" else "mod.tar"] = inner
        if executor == "graph":
            members["mod.json"] = str(stage.graph).encode()
            members["mod.params"] = weights
    _write_tar(path, members)


def open_package(path: Path, executor: str, compiler: Callable[[], object]) -> Any:
    """Link a package's object code and load it, as the library of ``format so`` would be.

    Args:
        compiler: Checks that there is a compiler to link with.

    Raises:
        SurgeryError: S414 there is none.
        OSError, RuntimeError, ValueError: It is no package, or doesn't link.
    """
    compiler()
    with tempfile.TemporaryDirectory(prefix="surgery-") as scratch:
        at = Path(scratch)
        _unpack(path, at)
        if path.name.endswith(MLF):
            objects = sorted((at / "codegen" / "host").glob("*/*"))
            graph = at / "executor-config" / "graph" / f"{_NAME}.graph"
            weights = at / "parameters" / f"{_NAME}.params"
        else:
            inner = at / ("lib.tar" if executor == "vm" else "mod.tar")
            _unpack(inner, at / "objects")
            objects = sorted((at / "objects").iterdir())
            graph, weights = at / "mod.json", at / "mod.params"
        options = [f"-I{p}" for p in tvm._ffi.libinfo.find_include_path()]
        library = at / "stage.so"
        tvm.contrib.cc.create_shared(str(library), [str(o) for o in objects], options)
        # The file may go once it is loaded.
        code = tvm.runtime.load_module(str(library))
        if executor != "graph":
            return code
        params = read_params(str(weights))
        flat = [part for pair in params.items() for part in pair]
        create = tvm.get_global_func("tvm.graph_executor_factory.create")
        return create(graph.read_text(encoding="utf-8"), code, _NAME, *flat)


def _object_files(
    code: Any, target: str, scratch: Path, addons: Sequence[Path], *, sources: bool
) -> list[Path]:
    """Return the files that a shared library of this code would be linked from.

    Args:
        sources: Leave C sources as they are, where code is generated as C; else compile them.
    """
    files: list[Path] = []

    def collect(_name: str, found: Sequence[str], **_options: Any) -> None:
        files.extend(Path(f) for f in found)

    if "mtriple" not in target:
        # What holds the other modules is then object code too, whatever the code's own form.
        collect.get_target_triple = lambda: _triple(target)  # type: ignore[attr-defined]
    code.export_library("stage.tar", fcompile=collect, workspace_dir=str(scratch))
    if not sources:
        files = [_compiled(f, target, scratch) if f.suffix == ".c" else f for f in files]
    return [*files, *addons]


def _triple(target: str) -> str:
    from surgery.engines.relay.machine import foreign_triple, here

    return foreign_triple(target) or here()


def _compiled(source: Path, target: str, scratch: Path) -> Path:
    """Compile C that TVM wrote, as it does when it links a library."""
    from surgery.engines.relay.machine import c_compiler

    cross = c_compiler(target)
    made = scratch / f"{source.stem}.o"
    options = ["-c", "-O2", *(f"-I{p}" for p in tvm._ffi.libinfo.find_include_path())]
    compiler = {"cc": cross[0]} if cross else {}
    tvm.contrib.cc.create_shared(str(made), [str(source)], [*cross[1:], *options], **compiler)
    return made


def _metadata(stage: Compiled, executor: str) -> dict[str, Any]:
    memory: dict[str, Any] = {"functions": _function_memory(stage.memory)}
    if stage.graph is not None:
        memory["sids"] = _storage(json.loads(stage.graph))
    return {
        "version": MLF_VERSION,
        "modules": {
            _NAME: {
                "model_name": _NAME,
                # The same stage gives the same bytes: no time of day.
                "export_datetime": "1970-01-01 00:00:00Z",
                "memory": memory,
                "target": [stage.target],
                "executors": [executor],
                "style": "full-model",
            }
        },
    }


def _function_memory(functions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the workspace of each kernel, and of all when they run one after the other."""
    operators = []
    largest = 0
    for name in sorted(functions):
        if name == _MAIN:
            continue
        needed = [
            {"device": int(t.get_target_device_type()), "workspace_size_bytes": int(size)}
            for t, size in functions[name].workspace_sizes.items()
        ]
        operators.append({"function_name": name, "workspace": needed})
        largest = max([largest, *(n["workspace_size_bytes"] for n in needed)])
    main = []
    if _MAIN in functions:
        whole = functions[_MAIN]
        # The AOT executor leaves out what it counts among the workspace.
        constants, passed = dict(whole.constant_sizes.items()), dict(whole.io_sizes.items())
        for target, own in whole.workspace_sizes.items():
            main.append(
                {
                    "device": int(target.get_target_device_type()),
                    "workspace_size_bytes": largest + int(own),
                    "constants_size_bytes": int(constants.get(target, 0)),
                    "io_size_bytes": int(passed.get(target, 0)),
                }
            )
    return {"operator_functions": operators, "main": main}


def _storage(graph: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the size of each piece of memory that the graph executor plans."""
    attrs = graph["attrs"]
    rows: list[tuple[int, Sequence[int], str]] = list(
        zip(attrs["storage_id"][1], attrs["shape"][1], attrs["dltype"][1], strict=True)
    )
    starts = graph["node_row_ptr"]
    inputs = {starts[n]: graph["nodes"][n]["name"] for n in graph["arg_nodes"]}
    found: dict[int, dict[str, Any]] = {}
    for row, (storage, shape, dtype) in enumerate(rows):
        bits = tvm.DataType(dtype).bits
        for extent in shape:
            bits *= extent
        entry = found.setdefault(storage, {"storage_id": storage, "size_bytes": 0})
        entry["size_bytes"] = max(entry["size_bytes"], (bits + 7) // 8)
        if row in inputs:
            entry["input_binding"] = inputs[row]
    return list(found.values())


def _dump(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


def _write_tar(path: Path, members: Mapping[str, Path | bytes]) -> None:
    """Write files into a tar: no times, no owners, in the given order."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.uname = info.gname = "root"
            if isinstance(content, bytes):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
                continue
            info.size = content.stat().st_size
            with content.open("rb") as file:
                tar.addfile(info, file)


def _unpack(path: Path, folder: Path) -> None:
    try:
        with tarfile.open(path) as tar:
            tar.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError) as failure:
        raise error(
            "S431",
            f"{path.name} cannot be unpacked",
            reason=str(failure),
            remedy="run `surgery build` on the folder",
        ) from failure
