"""What a prebuilt shared library is called and which others it brings along.

Read by ``objdump`` of the binutils, which C compilers on Linux come with. Without it a
library is taken to have no name of its own and to need nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

_ENTRY = re.compile(r"^\s*(NEEDED|SONAME)\s+(\S+)", re.M)
#: Whose libraries the loader finds without being told where.
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def soname(library: Path) -> str:
    """Return the name that a shared library is looked up by at run time."""
    named = [name for tag, name in _dynamic(library) if tag == "SONAME"]
    return named[0] if named else library.name


def needed_beside(library: Path) -> tuple[Path, ...]:
    """Return the shared libraries in its own folder that a library needs, directly or not.

    Those that the loader finds elsewhere (the C library, an installed BLAS) are not among them.
    """
    folder = library.parent
    if library.suffix == ".a" or any(folder.is_relative_to(s) for s in _SYSTEM):
        return ()
    found = [library]
    for path in found:
        names = [name for tag, name in _dynamic(path) if tag == "NEEDED"]
        others = (folder / name for name in names if os.sep not in name)
        found.extend(p for p in others if p.is_file() and p not in found)
    return tuple(found[1:])


def _dynamic(library: Path) -> list[tuple[str, str]]:
    """Return the entries of a library's dynamic section that name libraries, in order."""
    objdump = shutil.which("objdump")
    if objdump is None:
        return []
    done = subprocess.run(
        [objdump, "-p", str(library)], capture_output=True, text=True, errors="replace", check=False
    )
    return _ENTRY.findall(done.stdout)
