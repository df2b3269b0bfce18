"""Which framework's model a file is, told by its content."""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache
from pathlib import Path

from surgery.engines.relay.frontends.base import Frontend

#: In the order in which they are asked: the surest first.
_MODULES = ("tflite", "keras", "pytorch", "tensorflow", "onnx")
_HEAD = 4096
#: Files that are called as a framework's, whatever they hold: that importer says what is wrong.
_CALLED = {".pb": "tensorflow", ".keras": "keras", ".h5": "keras", ".hdf5": "keras"}
#: What starts the files that surgery reads itself: JSON, Relay text, xz.
_OWN = (b"{", b"[", b"#", b"def ", b"fn ", b"\xfd7zXZ")


@lru_cache
def frontends() -> tuple[Frontend, ...]:
    """Return the importers; none of them imports its framework by that."""
    names = (f"surgery.engines.relay.frontends.{name}" for name in _MODULES)
    found = (importlib.import_module(n) for n in names if importlib.util.find_spec(n) is not None)
    return tuple(module.FRONTEND for module in found)


def recognise(path: Path) -> Frontend | None:
    """Return the importer of a model file or folder; ``None`` for what isn't another framework's.

    What can't be read is nobody's: the loader says why.
    """
    head = b""
    if not path.is_dir():
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError:
            return None
        if not head or head.lstrip().startswith(_OWN):
            return None
    found = next((f for f in frontends() if f.recognises(path, head)), None)
    if found is None and not path.is_dir() and path.suffix in _CALLED:
        return by_name(_CALLED[path.suffix])
    return found


def by_name(name: str) -> Frontend:
    """Return an importer by its name."""
    return next(f for f in frontends() if f.name == name)
