"""The process of one stage: runs it on slots in shared memory, told their numbers by the parent."""

from __future__ import annotations

import json
import os
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from surgery.diagnostics import Diagnostic, SurgeryError

#: Messages of a worker: it is ready; a slot is done (and the seconds it took); a failure.
READY, DONE, FAILED = b"R", b"D", b"F"
SECONDS = struct.Struct("<d")
SLOT = struct.Struct("<I")

#: What Python runs first. Ctrl-C is for the parent, and what kernels print not for its output.
BOOT = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "import json, os, sys; os.dup2(2, 1); sys.path[:] = json.loads(sys.argv[2]); "
    "from surgery.runtime.pipeline.worker import main; main(int(sys.argv[1]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a worker is told first.

    Attributes:
        inputs: Offset in a slot, shape and dtype of each input, by name.
        outputs: The same of each output, in the stage's order.
        memory: Descriptor of the shared memory, ``slots`` slots of ``slot_size`` bytes.
    """

    engine: str
    folder: str
    library: str
    executor: str
    inputs: Mapping[str, tuple[int, tuple[int, ...], str]]
    outputs: tuple[tuple[int, tuple[int, ...], str], ...]
    memory: int
    slots: int
    slot_size: int
    threads: int
    cpus: tuple[int, ...]

    def encoded(self) -> bytes:
        return json.dumps({name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def decoded(cls, text: bytes) -> Work:
        data: dict[str, Any] = json.loads(text)
        data["inputs"] = {n: (o, tuple(s), t) for n, (o, s, t) in data["inputs"].items()}
        data["outputs"] = tuple((o, tuple(s), t) for o, s, t in data["outputs"])
        data["cpus"] = tuple(data["cpus"])
        return cls(**data)


def encode_failure(failure: Exception) -> bytes:
    """Return a failure as a message to the parent."""
    if not isinstance(failure, SurgeryError):
        from surgery.runtime.pipeline.items import unforeseen

        failure = unforeseen(failure)
    return FAILED + json.dumps([d.as_json() for d in failure.diagnostics]).encode()


def decode_failure(message: bytes) -> SurgeryError:
    """Return the failure that a worker told."""
    found = []
    for data in json.loads(message[len(FAILED) :]):
        data.pop("place")
        found.append(Diagnostic(**{**data, "notes": tuple(data["notes"])}))
    return SurgeryError(found)


def main(descriptor: int) -> None:
    """Serve until the parent closes the connection, or is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    connection = Connection(descriptor)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        _serve(connection)
    os._exit(0)  # the compiler's threads must not see Python go down


def _end_with_parent() -> None:
    """Wait for the end of standard input, which the parent holds open: also in a kernel."""
    while os.read(0, 1):
        pass
    os._exit(0)


def _serve(connection: Connection) -> None:
    work = Work.decoded(connection.recv_bytes())
    try:
        runs = _open(work)
    except Exception as failure:
        connection.send_bytes(encode_failure(failure))
        return
    connection.send_bytes(READY)
    while True:
        (slot,) = SLOT.unpack(connection.recv_bytes())
        start = perf_counter()
        try:
            runs[slot]()
        except Exception as failure:
            connection.send_bytes(encode_failure(failure))
        else:
            connection.send_bytes(DONE + SECONDS.pack(perf_counter() - start))


def _open(work: Work) -> list[Any]:
    """Load the stage; return a run of it on each slot."""
    from pathlib import Path

    from surgery.engines import get_engine
    from surgery.runtime.pipeline.shared import shared_array
    from surgery.runtime.pipeline.slots import value_at

    engine = get_engine(work.engine)
    engine.limit_threads(work.threads, work.cpus)
    stage = engine.open_stage(Path(work.folder), work.library, work.executor, list(work.inputs))
    memory = shared_array(work.memory, work.slots * work.slot_size)
    runs = []
    for slot in range(work.slots):
        at = memory[slot * work.slot_size : (slot + 1) * work.slot_size]
        inputs = {name: value_at(at, *place) for name, place in work.inputs.items()}
        runs.append(stage.bind(inputs, [value_at(at, *place) for place in work.outputs]))
    return runs
