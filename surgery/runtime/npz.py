"""Named arrays in ``.npz`` files."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import atomic_file


def load_npz(path: str | os.PathLike[str]) -> dict[str, Array]:
    """Read every array of an ``.npz`` file. Pickled objects are refused, never executed.

    Raises:
        SurgeryError: S580 the file can't be read; S581 it is not a whole ``.npz`` of arrays.
    """
    shown = os.fspath(path)
    try:
        opened = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise error(
            "S580",
            f"there is no file {shown}",
            remedy='write it with numpy.savez("inputs.npz", NAME=array, ...)',
        ) from None
    except OSError as failure:
        if failure.errno is None:  # numpy's own words for what it can't interpret
            raise _broken(shown, str(failure)) from failure
        raise error(
            "S580", f"cannot read {shown}", reason=failure.strerror or str(failure)
        ) from failure
    except (ValueError, EOFError, zipfile.BadZipFile) as failure:
        raise _broken(shown, _why(failure)) from failure
    if not isinstance(opened, np.lib.npyio.NpzFile):
        raise error(
            "S581",
            f"{shown} holds one array without a name",
            reason="it is an .npy file; arrays are found by name",
            remedy='write numpy.savez("inputs.npz", NAME=array) instead',
        )
    arrays: dict[str, Array] = {}
    with opened:
        for name in opened.files:
            try:
                value = opened[name]
            except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as failure:
                raise _broken(shown, f"array {name!r}: {_why(failure)}") from failure
            if not isinstance(value, np.ndarray):
                raise _broken(shown, f"{name!r} is not an array")
            arrays[name] = value
    return arrays


def _why(failure: Exception) -> str:
    text = str(failure).strip() or type(failure).__name__
    if "allow_pickle" in text or "pickle" in text.lower():
        # numpy takes whatever has none of its own signatures for a pickle.
        return "it holds pickled Python objects, which could run code, or no arrays at all"
    return text.splitlines()[0]


def _broken(shown: str, reason: str) -> SurgeryError:
    return error(
        "S581",
        f"{shown} is not a whole .npz file of arrays",
        reason=reason,
        remedy="write it again with numpy.savez, with arrays of numbers",
    )


def save_npz(path: str | os.PathLike[str], arrays: Mapping[str, Array]) -> None:
    """Write named arrays, whole or not at all; the same arrays give the same bytes.

    Raises:
        SurgeryError: S561 or S563, as :func:`surgery.recipe.atomic_file`.
    """
    with npz_writer(path) as write:
        for name, value in arrays.items():
            write(name, value)


@contextmanager
def npz_writer(path: str | os.PathLike[str]) -> Iterator[Callable[[str, Array], None]]:
    """Give a function that adds a named array to a file; it appears, whole, when the block ends.

    Written member by member: ``numpy.savez`` needs all arrays at once, cannot take one called
    ``file``, and stamps the time into the archive.

    Raises:
        SurgeryError: S561 or S563, as :func:`surgery.recipe.atomic_file`.
    """
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def write(name: str, value: Array) -> None:
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(value), allow_pickle=False)

        yield write
