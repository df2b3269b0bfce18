"""Measured times on disk: one small file a kernel, so that nothing is measured twice.

They lie in ``$XDG_CACHE_HOME/surgery/times`` (``~/.cache`` by default), named by a hash of all that
decides how long a kernel runs. A file that can't be read is measured anew; a folder that can't be
written costs the next run its time, no more.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Mapping
from pathlib import Path

from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.planning.model import BuildPlan

#: Changes when what is measured does.
_FORMAT = 1


class TimeCache:
    """The times of kernels that are built in one way.

    Attributes:
        faults: What was wrong with it, a sentence each.
    """

    def __init__(self, build: BuildPlan, target: str) -> None:
        self.faults: list[str] = []
        self._folder = cache_folder()
        self._common = {
            "format": _FORMAT,
            "tvm": str(load_tvm().__version__),
            "processor": processor(),
            "target": target,
            "opt_level": build.opt_level,
            "config": {k: repr(v) for k, v in sorted(build.config)},
            "disable": sorted(build.disable),
        }

    def find(self, signature: str) -> int | None:
        """Return a kernel's nanoseconds, or ``None`` when they aren't known."""
        path = self._path(signature)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as failure:
            self._fault(f"{path.name} can't be read ({_reason(failure)}): it is measured again")
            return None
        time = found.get("nanoseconds") if isinstance(found, Mapping) else None
        if not isinstance(time, int) or isinstance(time, bool) or time < 0 or (
            found.get("signature") != signature
        ):  # fmt: skip
            self._fault(f"{path.name} holds no time: it is measured again")
            return None
        return time

    def keep(self, signature: str, nanoseconds: int) -> None:
        """Write a kernel's time; whole or not at all, whoever else writes the same."""
        path = self._path(signature)
        document = {**self._common, "signature": signature, "nanoseconds": nanoseconds}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, half = tempfile.mkstemp(prefix=".", dir=path.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(document, file, indent=1)
                os.replace(half, path)
            except BaseException:
                Path(half).unlink(missing_ok=True)
                raise
        except OSError as failure:
            self._fault(f"times can't be kept: {_reason(failure)}")

    def _path(self, signature: str) -> Path:
        text = json.dumps([self._common, signature], sort_keys=True)
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"

    def _fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)


def cache_folder() -> Path:
    """Return where times are kept."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    return base / "surgery" / "times"


def processor() -> str:
    """Return the model of this machine's processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model") and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _reason(failure: Exception) -> str:
    return getattr(failure, "strerror", None) or "it is no JSON"
