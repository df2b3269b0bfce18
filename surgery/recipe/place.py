"""Where an output folder stands, the names beside it that belong to it, and their repair."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from surgery.diagnostics import SurgeryError, error
from surgery.recipe.atomic import hidden_stem, write_error
from surgery.recipe.lock import FolderLock
from surgery.recipe.log import logged_files

RECIPE_NAME = "recipe.json"
#: Entries that are committed and not yet in their places; see :mod:`surgery.recipe.folder`.
JOURNAL = ".surgery-commit"
_SCRATCH = re.compile(r"\.surgery-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Names:
    """The target and the names beside it that belong to it."""

    target: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Names:
        # A link to a folder is kept: the folder it points at is the target.
        return cls(Path(os.path.realpath(path)))

    @property
    def _stem(self) -> str:
        return hidden_stem(self.target.name)

    @property
    def lock(self) -> Path:
        return self.target.parent / f"{self._stem}-lock"

    @property
    def aside(self) -> Path:
        return self.target.parent / f"{self._stem}-old"

    def fresh(self) -> Path:
        return self.target.parent / f"{self._stem}-{secrets.token_hex(4)}"

    def leftovers(self) -> list[Path]:
        """Temporary folders of runs that died (only meaningful while the lock is held)."""
        ours = re.compile(re.escape(self._stem) + r"-[0-9a-f]{8}")
        with suppress(OSError):
            return [e for e in self.target.parent.iterdir() if ours.fullmatch(e.name)]
        return []


def is_output_folder(folder: Path) -> bool:
    """Tell whether surgery wrote a folder: by its log, or else by its recipe."""
    if logged_files(folder) is not None:
        return True
    try:
        data = json.loads((folder / RECIPE_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("recipe"), int) and "stages" in data


def no_recipe(shown: str) -> SurgeryError:
    """Return the error for a folder without ``recipe.json`` (S550)."""
    return error(
        "S550",
        f"there is no recipe in {shown}",
        reason=f"an output folder of `surgery apply` holds {RECIPE_NAME}",
        remedy="give the output folder or its recipe.json, or write it with `surgery apply`",
    )


def recover(folder: str | os.PathLike[str]) -> None:
    """Finish or undo what a run that died left half done to a folder. Readers call it first.

    Takes no lock and changes nothing when nothing is amiss.

    Raises:
        SurgeryError: S562 when another run is at it for more than a second; S563.
    """
    names = Names.of(folder)
    lock = FolderLock(names.lock, os.fspath(folder))
    for attempt in range(50):
        if not _needs_recovery(names):
            return
        try:
            lock.acquire()
        except SurgeryError:
            # A live run is between its two renames.
            if attempt == 49:
                raise
            time.sleep(0.02)
            continue
        except OSError as failure:
            raise write_error(folder, failure) from failure
        try:
            repair(names)
        except OSError as failure:
            raise write_error(folder, failure) from failure
        finally:
            lock.release()


def _needs_recovery(names: Names) -> bool:
    if not names.target.exists():
        return names.aside.exists()
    return (names.target / JOURNAL).exists()


def repair(names: Names) -> None:
    """Bring a folder and its surroundings in order; the lock is held."""
    if names.aside.exists():
        if names.target.exists():
            discard(names)
        else:
            os.rename(names.aside, names.target)
    for leftover in names.leftovers():
        shutil.rmtree(leftover, ignore_errors=True)
    if names.target.is_dir():
        finish(names.target)


def discard(names: Names) -> None:
    """Remove the old folder. It leaves its recoverable name first: it must be whole under that."""
    trash = names.fresh()
    with suppress(OSError):
        os.rename(names.aside, trash)
        shutil.rmtree(trash, ignore_errors=True)


def finish(target: Path) -> None:
    """Move committed entries to their places and remove scratch folders; may be repeated."""
    journal = target / JOURNAL
    if journal.is_dir():
        for name in sorted(os.listdir(journal)):
            place = target / name
            if place.is_dir() or place.is_symlink():
                os.rename(place, scratch_name(target))
            os.rename(journal / name, place)
        os.rmdir(journal)
    for entry in target.iterdir():
        if _SCRATCH.fullmatch(entry.name):
            if entry.is_symlink():
                entry.unlink()
            else:
                shutil.rmtree(entry, ignore_errors=True)


def scratch_name(target: Path) -> Path:
    """Return a fresh hidden name inside a folder; :func:`repair` removes what stands there."""
    return target / f".surgery-{secrets.token_hex(4)}"
