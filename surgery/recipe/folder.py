"""The output folder as one unit: a run leaves the whole new folder or the whole old one.

New files are gathered in a hidden folder beside the target, ``.NAME.surgery-xxxxxxxx``. To commit,
the old folder steps aside to ``.NAME.surgery-old``, the new one takes its place, and the old one is
removed. A run that dies between the two renames leaves no target but a whole ``-old``; the next
reader or writer puts it back. So at every moment a whole folder stands under one of two names.

A rebuild (:func:`replace_in`) keeps the folder and changes entries in it: the new entries are
moved into ``NAME/.surgery-commit`` by one rename, which is the commit, and from there to their
places; whoever finds that folder finishes the moves.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from surgery.diagnostics import error
from surgery.recipe.atomic import write_error
from surgery.recipe.lock import EndingSignals, FolderLock, unbroken
from surgery.recipe.log import LOG_NAME, logged_files, record_files
from surgery.recipe.place import (
    JOURNAL,
    RECIPE_NAME,
    Names,
    discard,
    finish,
    is_output_folder,
    no_recipe,
    repair,
    scratch_name,
)

#: What a rebuild writes anew; everything else in the folder stays as it is.
_REBUILT = ("lib", RECIPE_NAME, LOG_NAME)
_WRITING_FAILED = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE,
}  # fmt: skip


class OutputFolder:
    """Writes an output folder whole or not at all.

    ``with OutputFolder("bert.out") as out:`` gives the path of an empty folder to write into. When
    the block ends well it replaces the target; when it raises (also Ctrl-C and SIGTERM) it is
    removed and the target is as it was.

    Args:
        target: The folder to write. Missing parents are made; a link is followed.
        force: Replace a folder that surgery did not write.
        protect: Files that the target must not hold, as replacing it would destroy them.

    Raises:
        SurgeryError: S560 a folder that isn't surgery's, or that must not be replaced; S561 not a
            folder; S562 another run writes it; S563 the file system refuses.
    """

    def __init__(
        self,
        target: str | os.PathLike[str],
        *,
        force: bool = False,
        protect: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self._shown = os.fspath(target)
        self._names = Names.of(target)
        self._force = force
        self._protect = [Path(os.path.realpath(p)) for p in protect]
        self._lock = FolderLock(self._names.lock, self._shown)
        self._signals = EndingSignals()
        self._made: list[Path] = []
        self._temporary: Path | None = None

    @property
    def target(self) -> Path:
        """The folder that is replaced, links followed."""
        return self._names.target

    def __enter__(self) -> Path:
        self._signals.install()
        try:
            try:
                self._make_parents()
                self._lock.acquire()
                repair(self._names)
                self._check()
                fresh = self._names.fresh()
                self._temporary = fresh
                self._fill(fresh)
                return fresh
            except OSError as failure:
                raise write_error(self._shown, failure) from failure
        except BaseException:
            self._close()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if exception is None:
                try:
                    assert self._temporary is not None
                    self._commit(self._temporary)
                except OSError as failure:
                    raise write_error(self._shown, failure) from failure
            elif isinstance(exception, OSError) and self._is_ours(exception):
                raise write_error(self._shown, exception) from exception
        finally:
            self._close()

    def _is_ours(self, failure: OSError) -> bool:
        """Tell an error of writing here from one of reading something else."""
        if failure.errno in _WRITING_FAILED:
            return True
        named = failure.filename
        return isinstance(named, str) and named.startswith(str(self._temporary))

    def _make_parents(self) -> None:
        missing = []
        parent = self.target.parent
        while not parent.exists():
            missing.append(parent)
            parent = parent.parent
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            self._made.append(folder)

    def _check(self) -> None:
        check_target(self._shown, force=self._force, protect=self._protect)

    def _fill(self, fresh: Path) -> None:
        fresh.mkdir()

    def _commit(self, new: Path) -> None:
        record_files(new)
        target, aside = self.target, self._names.aside
        with unbroken():
            if not target.exists():
                os.rename(new, target)
                return
            os.chmod(new, stat.S_IMODE(target.stat().st_mode))
            os.rename(target, aside)
            try:
                os.rename(new, target)
            except BaseException:
                os.rename(aside, target)
                raise
            # The new folder stands; what fails from here on is left to the next run.
            discard(self._names)

    def _close(self) -> None:
        """Remove what must not stay, whatever happened; never raises OSError."""
        with unbroken():
            if self._temporary is not None:
                _remove(self._temporary)
                self._temporary = None
            self._lock.release()
            for folder in reversed(self._made):
                with suppress(OSError):  # holds the finished output, or somebody else's files
                    folder.rmdir()
        self._signals.restore()


class _Rebuild(OutputFolder):
    """Replaces ``lib/``, the recipe and the log inside a folder, the rest staying as it is."""

    def _check(self) -> None:
        if not (self.target / RECIPE_NAME).is_file():
            raise no_recipe(self._shown)

    def _fill(self, fresh: Path) -> None:
        target = self.target

        def skip(folder: str, names: list[str]) -> list[str]:
            if Path(folder) != target:
                return []
            return [n for n in names if n in _REBUILT or n.startswith(".surgery-")]

        shutil.copytree(target, fresh, symlinks=True, ignore=skip, copy_function=_link)
        for name in (RECIPE_NAME, LOG_NAME):
            if (target / name).is_file():
                shutil.copyfile(target / name, fresh / name)

    def _commit(self, new: Path) -> None:
        record_files(new)
        scratch = scratch_name(self.target)
        scratch.mkdir()
        try:
            with unbroken():
                for name in _REBUILT:
                    if (new / name).exists():
                        os.rename(new / name, scratch / name)
                os.rename(scratch, self.target / JOURNAL)
                finish(self.target)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise


def replace_in(folder: str | os.PathLike[str]) -> OutputFolder:
    """Return a context that rewrites ``lib/`` and ``recipe.json`` inside an output folder.

    ``with replace_in("bert.out") as out:`` gives the path of a copy of the folder (its files are
    hard links) without ``lib/``. What the block puts into ``lib/``, ``recipe.json`` and the log
    replaces those of the folder when the block ends well; other changes are dropped. Existing
    files of the copy other than those must not be written in place.

    Raises:
        SurgeryError: As :class:`OutputFolder`; S550 when the folder has no recipe.
    """
    return _Rebuild(folder)


def check_target(
    target: str | os.PathLike[str],
    *,
    force: bool = False,
    protect: Sequence[str | os.PathLike[str]] = (),
) -> None:
    """Check that a folder may be replaced, without changing anything.

    Raises:
        SurgeryError: S560 or S561, as :class:`OutputFolder`.
    """
    shown, real = os.fspath(target), Names.of(target).target
    if real.exists() and not real.is_dir():
        raise error(
            "S561",
            f"the output {shown} is a file, not a folder",
            remedy="give another name with -o, or move the file away",
        )
    for what, held in (
        ("the current folder", Path.cwd()),
        ("your home folder", Path(os.path.realpath(os.path.expanduser("~")))),
        *((Path(p).name, Path(os.path.realpath(p))) for p in protect),
    ):
        if held == real or real in held.parents:
            raise error(
                "S560",
                f"{shown} cannot be the output folder: it is or holds {what}",
                reason="the output folder is replaced as a whole",
                remedy="give a folder of its own with -o",
            )
    if force or not real.exists():
        return
    entries = sorted(e.name for e in real.iterdir())
    if not entries:
        return
    if not is_output_folder(real):
        raise error(
            "S560",
            f"{shown} was not written by surgery and is not replaced",
            reason=f"it has no {RECIPE_NAME} or {LOG_NAME} of surgery, but {_some(entries)}",
            remedy="give another folder with -o, or replace it with --force",
        )
    written = logged_files(real)
    foreign = [e for e in entries if written and e not in written and not e.startswith(".")]
    if foreign:
        raise error(
            "S560",
            f"{shown} holds files that surgery did not write and is not replaced",
            reason=f"{_some(foreign)} would be lost",
            remedy="move them away, or drop them with --force",
        )


def _remove(folder: Path) -> None:
    """Remove a folder, also while a compiler that an interrupt left behind still writes there."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.01)


def _link(source: str, target: str) -> str:
    """Copy a file by hard link where the file system has them."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target


def _some(names: Sequence[str], limit: int = 4) -> str:
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")
