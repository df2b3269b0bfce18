"""Memory that processes share: a file without a name, so there is never one to clean up."""

from __future__ import annotations

import mmap
import os
import tempfile

import numpy as np

from surgery.engines.base import Array
from surgery.runtime.pipeline.slots import check_memory, no_memory


class SharedMemory:
    """Bytes that a process shares with those it hands the file descriptor to.

    Not :mod:`multiprocessing.shared_memory`: that has names in ``/dev/shm``, which outlive a
    process that is killed and, in a container, are often limited to 64 MB.

    Args:
        size: Bytes, all of them taken from the system at once: running out later would kill.

    Attributes:
        descriptor: To hand to another process, which calls :func:`shared_array`.

    Raises:
        SurgeryError: S576.
    """

    def __init__(self, size: int) -> None:
        check_memory(size)
        self.descriptor = -1
        try:
            self.descriptor = _file()
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self.descriptor, 0, size)
            else:
                os.truncate(self.descriptor, size)
            self.array = shared_array(self.descriptor, size)
        except (OSError, ValueError) as failure:
            self.close()
            reason = getattr(failure, "strerror", None) or str(failure)
            raise no_memory(size, reason[:1].lower() + reason[1:]) from failure

    def close(self) -> None:
        """Give the descriptor back; the memory goes with the last array on it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def shared_array(descriptor: int, size: int) -> Array:
    """Return the shared bytes of a descriptor as an array (``uint8``, page-aligned)."""
    return np.frombuffer(mmap.mmap(descriptor, size), np.uint8)


def _file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("surgery")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
