"""What a Ray actor does for one stage: takes its files, loads it, runs it on what it is handed.

Ray hands values from machine to machine; nothing here knows of other stages, and no file system is
shared. The class that Ray starts is sent by value, so that a machine without surgery can say so.
"""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from surgery.diagnostics import error
from surgery.engines.base import Array, StageRunner
from surgery.recipe import RecipeStage
from surgery.source import file_sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class StageWork:
    """What an actor is to load.

    Attributes:
        library: Name of the stage's library among the files that were sent.
        threads: The compiler's.
    """

    engine: str
    stage: RecipeStage
    library: str
    threads: int


class StageHost:
    """A stage on the machine of its actor."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._work: StageWork | None = None
        self._run: StageRunner | None = None

    def receive(self, name: str, chunk: Array) -> None:
        """Add bytes (``uint8``) to a file that is being sent."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="surgery-"))
        with open(self._folder / name, "ab") as file:
            file.write(chunk.data)

    def open(self, work: StageWork) -> bytes | None:
        """Load the stage from the files that were sent; they are not needed after that.

        Returns:
            None, or why it can't be loaded (:func:`worker.decode_failure`).
        """
        from surgery.engines import get_engine
        from surgery.engines.runnable import unrunnable
        from surgery.runtime.pipeline.worker import encode_failure

        self._work = work
        stage = work.stage
        assert self._folder is not None
        try:
            wanted = stage.sha256.get(stage.library)
            if wanted is not None and file_sha256(self._folder / work.library) != wanted:
                raise error(
                    "S555",
                    f"{stage.library} was changed since the pipeline was opened",
                    reason="its SHA-256 is another",
                    remedy="open the folder again",
                )
            engine = get_engine(work.engine)
            reason = unrunnable(engine, stage.target)
            if reason:
                raise error(
                    "S566",
                    f"stage {stage.name!r} can't run on {platform.node()}",
                    reason=reason,
                    remedy="build the stages for the machines of the cluster",
                )
            engine.limit_threads(work.threads)
            names = [i.name for i in stage.inputs]
            self._run = engine.open_stage(self._folder, work.library, stage.executor, names)
        except Exception as failure:
            return encode_failure(failure)
        finally:
            # A killed actor could not tidy up; loaded libraries stay loaded without their files.
            shutil.rmtree(self._folder, ignore_errors=True)
        return None

    def run(self, *values: Array) -> list[Any]:
        """Run the stage on the values of its inputs.

        Returns:
            Seconds it took, then its outputs; or why it failed, then nothing for each output.
        """
        from surgery.runtime.pipeline.worker import encode_failure
        from surgery.runtime.runner import check_results

        assert self._work is not None and self._run is not None
        stage = self._work.stage
        start = perf_counter()
        try:
            inputs = dict(zip([i.name for i in stage.inputs], values, strict=True))
            results = self._run(inputs)
            check_results(stage, results)
        except Exception as failure:
            return [encode_failure(failure), *(None for _ in stage.outputs)]
        return [perf_counter() - start, *results]


def surgery_version() -> str:
    """Return the version of surgery that runs here."""
    # The package is above all rooms: none imports it.
    return str(sys.modules["surgery"].__version__)


def actor_class() -> type:
    """Return the class that Ray starts; defined here, so that it is sent by value."""

    class SurgeryStage:
        """Finds surgery on the machine it is started on."""

        def __init__(self, path: list[str] | None, variables: dict[str, str]) -> None:
            import os
            import sys

            if path is not None:
                sys.path[:] = path
            os.environ.update(variables)
            self._host: Any = None

        def about(self, engine: str) -> dict[str, Any]:
            """Tell where it is and what is installed there; ``lacks`` says what is not."""
            import os
            import platform

            import ray

            context = ray.get_runtime_context()
            found: dict[str, Any] = {
                "node": context.get_node_id(), "host": platform.node(), "pid": os.getpid(),
                "machine": platform.machine(), "lacks": None,
            }  # fmt: skip
            try:
                from surgery.engines import get_engine
                from surgery.runtime.pipeline.actor import StageHost, surgery_version

                found["surgery"] = surgery_version()
                found["engine"] = get_engine(engine).version
                self._host = StageHost()
            except Exception as failure:
                found["lacks"] = str(failure) or type(failure).__name__
            return found

        def ask(self, method: str, *arguments: Any) -> Any:
            """Call a method of the stage's host."""
            return getattr(self._host, method)(*arguments)

    return SurgeryStage
