"""Converts a model in a process of its own, or takes it from the cache."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet

from surgery.diagnostics import Diagnostic, SurgeryError, error
from surgery.engines.relay.frontends.base import Frontend, Package, Progress
from surgery.engines.relay.frontends.cache import entry
from surgery.engines.relay.frontends.worker import (
    MANIFEST,
    MODULE,
    PARAMS,
    RESULTS,
    read_arrays,
    write_arrays,
)
from surgery.engines.relay.tvm_import import tvm
from surgery.graph import TensorType
from surgery.source import file_sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A converted model on disk.

    Attributes:
        module, params: Its files; ``params`` is ``None`` when it has no weights.
        sha256: Hash of the files it was made of.
        outputs: What the framework calls its outputs, in order.
        values: What it calls the result of an op, by the op's source name.
        notes, warnings: What the user should know.
    """

    module: Path
    params: Path | None
    sha256: str
    outputs: tuple[str, ...]
    values: Mapping[str, str]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


@contextmanager
def converted(
    path: Path,
    frontend: Frontend,
    inputs: Mapping[str, TensorType],
    allow_code: bool,
    progress: Progress,
) -> Iterator[Conversion]:
    """Give a model as Relay; its files may be gone when the block ends.

    Raises:
        SurgeryError: S537 a package is missing; S538 the process was ended; what the frontend says.
    """
    versions, warnings = _versions(frontend)
    files = [*dict.fromkeys(frontend.files(path))]
    hashes = [file_sha256(f) for f in files if f.is_file()]
    content = hashlib.sha256("".join(hashes).encode()).hexdigest()
    asked = {
        "code": _code(),
        "frontend": frontend.name,
        "versions": {**versions, "tvm": str(tvm().__version__)},
        "content": hashes,
        "inputs": {n: [list(t.shape), t.dtype] for n, t in sorted(inputs.items())},
    }
    key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:40]
    with entry(key) as (folder, there):
        if not there:
            progress(f"converting the {frontend.title} model")
            _work(path, frontend, inputs, allow_code, folder, None, (), progress)
        about = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        yield Conversion(
            module=folder / MODULE,
            params=folder / PARAMS if about["params"] else None,
            sha256=content if len(hashes) != 1 else hashes[0],
            outputs=tuple(about["outputs"]),
            values=about["values"],
            notes=tuple(f"{path}: {note}" for note in about["notes"]),
            warnings=warnings,
        )


def run_reference(
    path: Path,
    frontend: Frontend,
    arrays: Mapping[str, Any],
    inputs: Mapping[str, TensorType],
    allow_code: bool,
    progress: Progress,
    values: Sequence[str] = (),
) -> dict[str, Any]:
    """Run a model in its own framework, in a process of its own; return its outputs by name.

    ``values``: Values inside the model to return as well, by the framework's names.

    Raises:
        SurgeryError: As :func:`converted`.
    """
    _versions(frontend)
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        given = Path(scratch) / "given"
        write_arrays(given, arrays)
        progress(f"running the {frontend.title} model in its own framework")
        _work(path, frontend, inputs, allow_code, Path(scratch), given, values, progress)
        return read_arrays(Path(scratch) / RESULTS)


def _versions(frontend: Frontend) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the versions of what a frontend needs, and a warning for each untried one."""
    found: dict[str, str] = {}
    warnings: list[str] = []
    missing: list[Package] = []
    for package in frontend.packages:
        if importlib.util.find_spec(package.module.split(".")[0]) is None:
            missing.append(package)
            continue
        version = _version(package)
        found[package.distribution] = version
        if version and not SpecifierSet(package.tested).contains(version, prereleases=True):
            warnings.append(
                f"{package.distribution} {version} was never tried with TVM's importer; "
                f"{package.tested} was"
            )
    if missing:
        names = ", ".join(f"{p.distribution} ({p.tested})" for p in missing)
        raise error(
            "S537",
            f"reading {frontend.title} models needs {names}",
            reason="each framework's reader is an extra, so that nobody has to install all",
            remedy=f"pip install 'surgery[{frontend.name}]'",
        )
    return found, tuple(warnings)


@lru_cache
def _code() -> str:
    """Return a hash of the importers themselves: another importer, another conversion."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256("".join(map(file_sha256, files)).encode()).hexdigest()


def _version(package: Package) -> str:
    for name in (package.distribution, package.module):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def _work(
    path: Path,
    frontend: Frontend,
    inputs: Mapping[str, TensorType],
    allow_code: bool,
    folder: Path,
    run: Path | None,
    values: Sequence[str],
    progress: Progress,
) -> None:
    """Have the worker convert or run a model."""
    request = {
        "frontend": frontend.name,
        "path": str(path.absolute()),
        "inputs": {n: [list(t.shape), t.dtype] for n, t in inputs.items()},
        "allow_code": allow_code,
        "folder": str(folder.absolute()),
        "run": None if run is None else str(run),
        "values": list(values),
    }
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as lines, tempfile.TemporaryFile() as said:
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", "surgery.engines.relay.frontends.worker", str(writing)],
                stdin=subprocess.PIPE, stdout=said, stderr=subprocess.STDOUT, pass_fds=[writing],
                env=_environment(),
            )  # fmt: skip
        finally:
            os.close(writing)
        try:
            assert child.stdin is not None
            with child.stdin:
                child.stdin.write(json.dumps(request).encode())
            outcome = _listen(lines, progress)
            state = child.wait()
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        if outcome.get("done") and state == 0:
            return
        failed = outcome.get("failed")
        if failed is not None:
            raise SurgeryError([_diagnostic(path, d) for d in failed])
        said.seek(0)
        raise _died(path, frontend, state, said.read().decode("utf-8", "replace"))


def _environment() -> dict[str, str]:
    """Return the worker's environment: this very surgery, and frameworks that keep quiet."""
    root = str(Path(__file__).resolve().parents[4])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "CUDA_VISIBLE_DEVICES": "",
    }


def _listen(lines: Any, progress: Progress) -> dict[str, Any]:
    """Pass progress on until the outcome comes, or the worker's end."""
    for line in lines:
        message = json.loads(line)
        if "progress" in message:
            progress(*message["progress"])
        else:
            return dict(message)
    return {}


def _diagnostic(path: Path, plain: Mapping[str, Any]) -> Diagnostic:
    # The worker was given the absolute path.
    def shown(text: str) -> str:
        return text.replace(str(path.absolute()), str(path))

    return Diagnostic(
        code=plain["code"],
        message=shown(plain["message"]),
        reason=shown(plain.get("reason", "")),
        remedy=shown(plain.get("remedy", "")),
        notes=tuple(map(shown, plain.get("notes", ()))),
    )


def _died(path: Path, frontend: Frontend, state: int, said: str) -> SurgeryError:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if state < 0:
        name = signal.Signals(-state).name
        memory = " (out of memory, most likely)" if name == "SIGKILL" else ""
        reason = f"it was ended by {name}{memory}" + (f"; its last words: {last}" if last else "")
    else:
        reason = last or f"it ended with state {state}"
    return error(
        "S538",
        f"{path}: the {frontend.title} importer fails",
        reason=reason,
        remedy="the file may be damaged, or use what the importer doesn't expect; open it with "
        f"{frontend.title}'s own tools to see",
    )
