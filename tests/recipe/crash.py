"""Runs a piece of work in a child process that dies, or fails, at its N-th file-system step."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

#: Audit events of what changes a file system; every such call in the child is one step.
STEPS = frozenset(
    {
        "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink",
        "os.truncate", "open", "shutil.copyfile",
    }
)  # fmt: skip


def run_until_step(step: int, work: Callable[[], object], action: Callable[[], object]) -> bool:
    """Run ``work`` in a child and perform ``action`` in it right before its ``step``-th step.

    Returns:
        Whether the work had that many steps, so that the action took place.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        count = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            if event not in STEPS or (event == "open" and _reads(arguments)):
                return
            count += 1
            if count == step:
                os.write(tell, b"x")
                action()

        try:
            sys.addaudithook(hook)
            work()
        except BaseException:
            os._exit(1)
        finally:
            os._exit(0)
    os.close(tell)
    reached = os.read(told, 1) == b"x"
    os.close(told)
    os.waitpid(child, 0)
    return reached


def _reads(arguments: tuple[object, ...]) -> bool:
    flags = arguments[2]
    return isinstance(flags, int) and not flags & (os.O_WRONLY | os.O_RDWR)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def snapshot(folder: Path) -> dict[str, bytes] | None:
    """Return the folder's files by relative path, ``None`` when there is no folder."""
    if not folder.exists():
        return None
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
