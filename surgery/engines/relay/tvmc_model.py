"""The archives that tvmc saves a model in: Relay as JSON, and its weights."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from surgery.diagnostics import SurgeryError, error

_MODEL, _PARAMS = "model.json", "model.params"
_SAVE = "save the Relay module: TVMCModel.save('model.tar'), or tvm.ir.save_json"


def is_archive(path: str) -> bool:
    """Tell whether a file is an archive as tvmc writes them, uncompressed, whatever is in it."""
    place = Path(path)
    try:
        if not place.is_file() or place.stat().st_size < tarfile.BLOCKSIZE:
            return False
        with place.open("rb") as file:
            head = file.read(tarfile.BLOCKSIZE)
            return head[257:262] == b"ustar"
    except OSError:
        return False


@contextmanager
def unpacked(path: str) -> Iterator[tuple[str, str | None]]:
    """Give the model and the weights in an archive as files, for as long as the context lasts.

    Raises:
        SurgeryError: S502 it holds no Relay, as what `tvmc compile` writes doesn't; S503 damaged.
    """
    with TemporaryDirectory(prefix="surgery-") as scratch:
        try:
            with tarfile.open(path, "r:") as archive:
                members = {m.name.removeprefix("./"): m for m in archive if m.isfile()}
                wanted = [n for n in (_MODEL, _PARAMS) if n in members]
                for name in wanted:
                    # Read one by one: names and links in an archive may lead anywhere.
                    source = archive.extractfile(members[name])
                    assert source is not None
                    with source, (Path(scratch) / name).open("wb") as file:
                        shutil.copyfileobj(source, file)
        except (tarfile.TarError, EOFError, OSError) as failure:
            raise error(
                "S503",
                f"{path} can't be unpacked",
                reason=str(failure),
                remedy="it is probably cut off: copy it again",
            ) from failure
        if _MODEL not in wanted:
            built = any(n.endswith(".so") or n.startswith("codegen/") for n in members)
            raise error(
                "S502",
                f"{path} is {'a compiled package' if built else 'an archive'}, not a model",
                reason=f"{_MODEL} is not among what it holds: {', '.join(sorted(members)[:4])}",
                remedy="give the model that it was compiled from" if built else _SAVE,
            )
        model, params = (Path(scratch) / n for n in (_MODEL, _PARAMS))
        try:
            yield str(model), str(params) if params.is_file() else None
        except SurgeryError as failure:
            raise SurgeryError(
                [
                    replace(
                        d,
                        message=d.message.replace(scratch, path),
                        reason=d.reason.replace(scratch, path),
                    )
                    for d in failure.diagnostics
                ]
            ) from failure
