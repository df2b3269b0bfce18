"""Files written whole or not at all, and what to say when a file system refuses."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from surgery.diagnostics import SurgeryError, error

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def write_error(path: str | os.PathLike[str], failure: OSError) -> SurgeryError:
    """Return the error for a file or folder that can't be written (S563), with its remedy."""
    if failure.errno in _NO_SPACE:
        remedy = "free some space (or raise the quota), or write to another disk, and run again"
    elif failure.errno in _NOT_ALLOWED:
        remedy = "choose a place that you may write to with -o, or change its permissions"
    elif failure.errno in {errno.ENOTDIR, errno.EEXIST, errno.EISDIR}:
        remedy = "a file stands where a folder is needed (or the reverse): choose another path"
    elif failure.errno in {errno.EBUSY, errno.EXDEV}:
        remedy = "it is a mount point, which can't be replaced: give a folder inside it with -o"
    else:
        remedy = "correct that, or choose another path with -o"
    return error(
        "S563",
        f"cannot write {os.fspath(path)}",
        reason=failure.strerror or str(failure),
        remedy=remedy,
    )


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name, complete, when the block ends well.

    Whatever stood there before stays as it is until then, and also when the block raises. Missing
    parent folders are made. A link is kept: the file that it points at is replaced. A device or a
    pipe (``/dev/stdout``) is written directly.

    Raises:
        SurgeryError: S561 for a folder, S563 for what the file system refuses.
    """
    temporary: Path | None = None
    try:
        mode = None
        with suppress(FileNotFoundError):
            mode = os.stat(path).st_mode
        if mode is not None and stat.S_ISDIR(mode):
            raise error(
                "S561",
                f"{os.fspath(path)} is a folder, not a file",
                remedy="give the name of a file in it",
            )
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as direct:
                yield direct
            return
        real = Path(os.path.realpath(path))
        real.parent.mkdir(parents=True, exist_ok=True)
        temporary = real.parent / f"{hidden_stem(real.name)}-{secrets.token_hex(4)}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, real)
        temporary = None
    except OSError as failure:
        raise write_error(path, failure) from failure
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    Raises:
        SurgeryError: S561 or S563, as :func:`atomic_file`.
    """
    with atomic_file(path) as file:
        file.write(data)


def hidden_stem(name: str) -> str:
    """Return ``.NAME.surgery``, what temporary names beside ``NAME`` start with.

    A name too long to be lengthened (255 bytes is the usual limit) is stood for by its hash.
    """
    if len(os.fsencode(name)) > 200:
        import hashlib

        name = "~" + hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return f".{name}.surgery"
