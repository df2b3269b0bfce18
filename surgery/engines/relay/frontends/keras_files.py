"""Looks into Keras files without running them: what kind, how large, and whether code is inside."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surgery.diagnostics import error

HDF5 = b"\x89HDF\r\n\x1a\n"
_ZIP = b"PK\x03\x04"
#: Unpacked sizes that are only believed of files about as large.
_LARGE = 256 << 20
_RATIO = 100
#: A configuration is text that describes layers.
_CONFIG_LIMIT = 64 << 20
#: Where classes may come from without running what the file brings or names.
_TRUSTED = ("keras", "tf_keras", "builtins", "tensorflow.keras", "tensorflow.python.keras")


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is HDF5, or a zip archive with a Keras model's configuration."""
    if head.startswith(HDF5):
        return True
    if not head.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return {"config.json", "metadata.json"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return path.suffix == ".keras"


def look(path: Path, allow_code: bool) -> str:
    """Check a file before it is loaded and return the version of Keras that wrote it.

    Raises:
        SurgeryError: S501-S503 damaged or no model, S542 code inside, S544 sizes that can't be.
    """
    with path.open("rb") as file:
        head = file.read(8)
    if not head:
        raise error("S501", f"{path} is empty", remedy="save the model again")
    config, version = _hdf5(path) if head == HDF5 else _archive(path)
    if not allow_code:
        _refuse_code(path, config)
    return version


def _archive(path: Path) -> tuple[Any, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                limit = max(_LARGE, _RATIO * max(entry.compress_size, 1))
                if entry.file_size > limit or entry.compress_size > path.stat().st_size:
                    _absurd(path, entry.filename, entry.file_size)
                if entry.filename.endswith(".json") and entry.file_size > _CONFIG_LIMIT:
                    _absurd(path, entry.filename, entry.file_size)
            config = json.loads(archive.read("config.json"))
            metadata = json.loads(archive.read("metadata.json"))
            if broken := archive.testzip():
                raise zipfile.BadZipFile(f"{broken} has another checksum than was written")
        return config, str(metadata.get("keras_version", ""))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, NotImplementedError) as failure:
        # The last is zipfile's word for a way of compressing that it doesn't know.
        raise _damaged(path, failure) from failure


def _hdf5(path: Path) -> tuple[Any, str]:
    import h5py

    size = path.stat().st_size
    try:
        with h5py.File(path, "r") as file:
            config = file.attrs.get("model_config")
            version = file.attrs.get("keras_version", "")
            for name, dataset in _datasets(file, path):
                if dataset.external:
                    raise ValueError(f"{name} keeps its values in other files")
                if dataset.nbytes > max(_LARGE, _RATIO * size):
                    _absurd(path, name, dataset.nbytes)
        if config is None:
            raise error(
                "S502",
                f"{path} holds weights, but no model",
                reason="the file has no model_config: save_weights writes numbers without layers",
                remedy="save the whole model: model.save('net.keras')",
            )
        return json.loads(_text(config)), _text(version)
    except (OSError, ValueError, KeyError, RuntimeError) as failure:
        raise _damaged(path, failure) from failure


def _datasets(root: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield every dataset; links that lead elsewhere are not followed."""
    import h5py

    waiting = [root]
    seen = set()
    while waiting:
        group = waiting.pop()
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"{group.name}/{name} is a link to somewhere else")
            child = group[name]
            address = h5py.h5o.get_info(child.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(child, h5py.Group):
                waiting.append(child)
            elif isinstance(child, h5py.Dataset):
                yield str(child.name), child


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _refuse_code(path: Path, config: Any) -> None:
    found: list[str] = []
    waiting = [config]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            kind = part.get("class_name")
            module = part.get("module")
            inner = part.get("config")
            name = inner.get("name") if isinstance(inner, dict) else part.get("name")
            if kind in ("Lambda", "__lambda__"):
                found.append(f"{name or 'a function'}: {kind}")
            elif isinstance(module, str) and not _trusted(module):
                found.append(f"{name or kind}: {module}.{kind}")
    if found:
        raise error(
            "S542",
            f"{path} brings or names code of its own",
            reason="loading it would run Python that the file chooses",
            remedy="if you trust the file, allow it: --allow-code",
            notes=sorted(set(found)),
        )


def _trusted(module: str) -> bool:
    return any(module == t or module.startswith(f"{t}.") for t in _TRUSTED)


def _absurd(path: Path, name: str, size: int) -> None:
    raise error(
        "S544",
        f"{path}: {name} claims to unpack to {size:,} bytes",
        reason=f"the whole file has {path.stat().st_size:,}",
        remedy="save the model again, without compression",
    )


def _damaged(path: Path, failure: Exception) -> Exception:
    return error(
        "S503",
        f"{path} is no whole Keras file",
        reason=str(failure).strip().splitlines()[0] if str(failure) else type(failure).__name__,
        remedy="copy it or save it again: model.save('net.keras')",
    )
