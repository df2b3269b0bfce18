"""Where many items come from, and where their outputs go: ``.npz`` files and folders of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import RecipeTensor
from surgery.runtime.inputs import check_inputs
from surgery.runtime.npz import load_npz, save_npz
from surgery.runtime.pipeline.items import of_item

_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Items that can be read more than once.

    Attributes:
        count: How many there are.
        read: Starts reading; yields the inputs of each item.
        single: The one item of a file that holds no more than that; ``None`` for many.
        names: File names to write the outputs of each item to.
    """

    count: int
    read: Callable[[], Iterator[Mapping[str, Array]]]
    single: Mapping[str, Array] | None = None
    names: Sequence[str] = ()

    def name(self, index: int) -> str:
        """Return the file name for an item's outputs."""
        return self.names[index] if self.names else f"{index:06}.npz"


def one_item(inputs: Mapping[str, Array]) -> Stream:
    """Return a stream of one item."""
    return Stream(count=1, read=lambda: iter((inputs,)), single=inputs)


def open_stream(path: str | os.PathLike[str], inputs: Sequence[RecipeTensor]) -> Stream:
    """Return the items that a path holds for a model's inputs.

    One ``.npz`` is one item where its arrays are as the model takes them. It is many where they
    have one axis more, in front, or where they are numbered (``x_0``, ``x_1``, ...); an array that
    is as the model takes it is then the same for all items. A folder has an item in each of its
    ``.npz`` files, in order of their names (2 before 10), read when its turn comes.

    Raises:
        SurgeryError: S580, S581 a file at fault; S579 what is there is no stream of items.
    """
    if Path(path).is_dir():
        return _of_folder(Path(path), inputs)
    return _of_arrays(os.fspath(path), load_npz(path), inputs)


def _of_folder(folder: Path, inputs: Sequence[RecipeTensor]) -> Stream:
    try:
        names = [p.name for p in folder.iterdir() if p.suffix == ".npz" and p.is_file()]
    except OSError as failure:
        raise error(
            "S580", f"cannot read {folder}", reason=failure.strerror or str(failure)
        ) from failure
    if not names:
        raise error(
            "S579",
            f"{folder} holds no items",
            reason="it has no .npz file",
            remedy="write one for each item with numpy.savez",
        )
    names.sort(key=_natural)

    def read() -> Iterator[Mapping[str, Array]]:
        for index, name in enumerate(names):
            try:
                yield check_inputs(inputs, load_npz(folder / name))
            except SurgeryError as failure:
                raise of_item(failure, f"item {index} ({name}): ") from failure

    return Stream(count=len(names), read=read, names=tuple(names))


def _natural(name: str) -> list[tuple[int, str]]:
    """Order numbers in names by value."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"([0-9]+)", name)]


def _of_arrays(shown: str, arrays: Mapping[str, Array], inputs: Sequence[RecipeTensor]) -> Stream:
    ranks = {i.name: len(i.shape) for i in inputs}
    shared: dict[str, Array] = {}
    many: dict[str, Sequence[Array]] = {}
    numbered: dict[str, dict[int, Array]] = {}
    for name, array in arrays.items():
        match = None if name in ranks else _NUMBERED.fullmatch(name)
        if name in ranks and array.ndim == ranks[name] + 1:
            many[name] = array  # type: ignore[assignment]  # an array is its own sequence of items
        elif match and match[1] in ranks and match[1] not in arrays:
            numbered.setdefault(match[1], {})[int(match[2])] = array
        else:
            shared[name] = array
    for name, found in numbered.items():
        missing = next((n for n in range(len(found)) if n not in found), None)
        if missing is not None:
            raise _no_stream(shown, f"{name}_{missing} is missing, {name}_{max(found)} is there")
        many[name] = [found[n] for n in range(len(found))]
    if not many:
        return one_item(arrays)
    counts = {name: len(values) for name, values in many.items()}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{count} of {name!r}" for name, count in counts.items())
        raise _no_stream(shown, f"there are {said}")
    (count,) = set(counts.values())
    if not count:
        raise _no_stream(shown, "the leading axis of its arrays is empty")

    def read() -> Iterator[Mapping[str, Array]]:
        for index in range(count):
            yield shared | {name: np.asarray(values[index]) for name, values in many.items()}

    return Stream(count=count, read=read)


def _no_stream(shown: str, reason: str) -> SurgeryError:
    return error(
        "S579",
        f"{shown} is no stream of items",
        reason=reason,
        remedy="give each input as many items: arrays with a leading axis, or x_0, x_1, ...",
    )


class Sink(Protocol):
    """Where outputs go."""

    written: int

    def add(self, outputs: Mapping[str, Array]) -> None:
        """Take the outputs of the next item."""

    def finish(self) -> None:
        """Write what is left to write."""


class FolderSink:
    """Writes a file for each item as it comes.

    Args:
        folder: Made if it isn't there; must be empty: what is left of other runs would be taken
            for results of this one.
        stream: What gives the files' names.

    Raises:
        SurgeryError: S561, S563.
    """

    def __init__(self, folder: Path, stream: Stream) -> None:
        self._folder = folder
        self._stream = stream
        self.written = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            there = next(folder.iterdir(), None)
        except OSError as failure:
            raise error(
                "S563", f"cannot write to {folder}", reason=failure.strerror or str(failure),
                remedy="give a folder for the outputs, or a file that ends in .npz",
            ) from failure  # fmt: skip
        if there is not None:
            raise error(
                "S561",
                f"the folder {folder} is not empty",
                reason=f"{there.name} is there: outputs of this run couldn't be told from others",
                remedy="empty it, or give another with -o",
            )

    def add(self, outputs: Mapping[str, Array]) -> None:
        save_npz(self._folder / self._stream.name(self.written), outputs)
        self.written += 1

    def finish(self) -> None:
        """Do nothing: everything is written."""


class FileSink:
    """Writes one ``.npz`` at the end: arrays with a leading axis of items.

    Numbered ones (``y_0``, ``y_1``, ...) where the shapes of an output differ.
    """

    written = 0

    def __init__(self, path: Path) -> None:
        self._path = path
        self._all: list[Mapping[str, Array]] = []

    def add(self, outputs: Mapping[str, Array]) -> None:
        self._all.append(outputs)

    def finish(self) -> None:
        """Write the file.

        Raises:
            SurgeryError: S561, S563.
        """
        arrays: dict[str, Array] = {}
        for name in self._all[0]:
            values = [outputs[name] for outputs in self._all]
            if len({v.shape for v in values}) == 1:
                arrays[name] = np.stack(values)
            else:
                arrays |= {f"{name}_{n}": value for n, value in enumerate(values)}
        save_npz(self._path, arrays)
        self.written = len(self._all)
