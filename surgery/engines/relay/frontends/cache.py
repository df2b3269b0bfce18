"""Converted models, kept by their content: what was converted once is read the next time."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

from surgery.engines.relay.frontends.worker import MANIFEST

#: The folder, or ``off``; and how many GiB it may hold.
_PLACE, _SIZE = "SURGERY_CACHE", "SURGERY_CACHE_GIB"
_DEFAULT_GIB = 20.0


def cache_folder() -> Path | None:
    """Return where conversions are kept; ``None`` when they aren't."""
    named = os.environ.get(_PLACE, "")
    if named.lower() in ("off", "0", "no"):
        return None
    return Path(named) if named else user_cache_path("surgery") / "models"


@contextmanager
def entry(key: str) -> Iterator[tuple[Path, bool]]:
    """Give the folder of a conversion, and whether it is there already.

    A new one is filled by the caller; it is kept when the block ends without an error, whole or not
    at all. Two that convert the same model at a time both do, and one of the two is kept.
    """
    cache = cache_folder()
    if cache is None:
        with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as made:
            yield Path(made), False
        return
    kept = cache / key
    if (kept / MANIFEST).is_file():
        os.utime(kept)
        yield kept, True
        return
    cache.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=cache))
    try:
        yield fresh, False
        shutil.rmtree(kept, ignore_errors=True)  # without a manifest it is no whole one
        try:
            fresh.rename(kept)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)  # somebody was faster
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _shrink(cache, kept)


def _shrink(cache: Path, newest: Path) -> None:
    """Remove what wasn't used longest until the cache is within its size."""
    try:
        limit = float(os.environ.get(_SIZE, _DEFAULT_GIB)) * 2**30
    except ValueError:
        limit = _DEFAULT_GIB * 2**30
    entries = [e for e in cache.iterdir() if e.is_dir() and not e.name.startswith(".new-")]
    sizes = {e: sum(f.stat().st_size for f in e.rglob("*") if f.is_file()) for e in entries}
    total = sum(sizes.values())
    for oldest in sorted(entries, key=lambda e: e.stat().st_mtime):
        if total <= limit:
            return
        if oldest != newest:
            shutil.rmtree(oldest, ignore_errors=True)
            total -= sizes[oldest]
