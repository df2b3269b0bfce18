"""What the copy of a prebuilt shared library is called, and which others it brings along."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

_NEEDED = re.compile(r"^\s*NEEDED\s+(\S+)", re.M)
#: Whose libraries the loader finds without being told where.
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def name_by_content(library: Path) -> str:
    """Return a name for a copy of a shared library that no other library has.

    A process loads only one library of a name, whatever folder it is wanted from.
    """
    with library.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{library.name.partition('.so')[0]}-{digest[:12]}.so"


def needed_beside(library: Path) -> tuple[Path, ...]:
    """Return the shared libraries in its own folder that a library needs, directly or not.

    Those that the loader finds elsewhere (the C library, an installed BLAS) are not among them.
    Read by ``objdump`` of the binutils, which C compilers on Linux come with; none without it.
    """
    folder = library.parent
    if library.suffix == ".a" or any(folder.is_relative_to(s) for s in _SYSTEM):
        return ()
    found = [library]
    for path in found:
        others = (folder / name for name in _needed(path) if os.sep not in name)
        found.extend(p for p in others if p.is_file() and p not in found)
    return tuple(found[1:])


def _needed(library: Path) -> list[str]:
    """Return the names of the libraries that a library asks the loader for, in order."""
    objdump = shutil.which("objdump")
    if objdump is None:
        return []
    done = subprocess.run(
        [objdump, "-p", str(library)], capture_output=True, text=True, errors="replace", check=False
    )
    return _NEEDED.findall(done.stdout)
