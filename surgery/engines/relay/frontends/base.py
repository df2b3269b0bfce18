"""What the importer of one framework's models must offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from surgery.diagnostics import error, nearest
from surgery.graph import TensorType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from surgery.engines.relay.model import IRModule

#: Called as ``progress(event, done=None, total=None)`` while a long step runs.
Progress = Callable[..., None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A Python package that a frontend needs.

    Attributes:
        distribution: Its name on PyPI.
        module: What is imported.
        tested: The versions it was tried with, as a specifier: ``>=1.16,<1.24``.
    """

    distribution: str
    module: str
    tested: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One conversion.

    Attributes:
        path: The file or folder.
        inputs: Types that the user binds, by input name; dimensions are integers.
        allow_code: Whether what the file holds may be run (pickles, lambdas).
        values: Values inside the model that a run is to give as well.
        options: What else the frontend understands.
    """

    path: Path
    inputs: Mapping[str, TensorType] = field(default_factory=dict)
    allow_code: bool = False
    values: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A model as Relay.

    Attributes:
        ir: The module: ``main``, and what it calls. Spans of ops carry source names: no ``@N`` or
            counters that change when an unrelated node is added.
        params: Weights by the name of ``main``'s parameter; the framework's own names.
        inputs, outputs: What the framework calls them, in order; names of ``main``'s other
            parameters, and of its results.
        notes: What the user should know: what was adapted, which names were derived.
        values: What the framework calls the result of an op, by the op's source name; where its
            own run can give such values.
    """

    ir: IRModule
    params: Mapping[str, NDArray[np.generic]]
    inputs: Sequence[str]
    outputs: Sequence[str]
    notes: Sequence[str] = ()
    values: Mapping[str, str] = field(default_factory=dict)


class Frontend(Protocol):
    """The importer of one framework. Each is a module's ``FRONTEND``; it imports nothing itself."""

    @property
    def name(self) -> str:
        """``onnx``, ``tensorflow``: also the name of the extra."""

    @property
    def title(self) -> str:
        """What messages call such a model: ``ONNX``."""

    @property
    def packages(self) -> Sequence[Package]: ...

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file (``head``: its first 4 KiB, b'' of a folder) is such a model."""

    def files(self, path: Path) -> Sequence[Path]:
        """Return every file that belongs to the model (external data), the named one first."""

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; runs in a process of its own, with the packages installed.

        Raises:
            SurgeryError: S50x damaged, S52x can't be converted: what, where, and what to do.
        """

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as its own framework runs it: arrays by input to arrays by output."""


def to_bind(lines: Sequence[str]) -> str:
    """Return the remedy for inputs whose types are open; ``lines``: ``x: float32(1,?)``."""
    statements = "; ".join(f"bind {line}" for line in lines)
    options = " ".join(f"--bind '{line}'" for line in lines)
    return f"in a spec: {statements}; or {options}; with a number for each ?"


def check_bound(request: Request, names: Sequence[str]) -> None:
    """Refuse types for inputs that a model doesn't have.

    Raises:
        SurgeryError: S541.
    """
    for name in request.inputs:
        if name not in names:
            raise error(
                "S541",
                f"{request.path} has no input {name}",
                reason=f"its inputs are {', '.join(names)}" if names else "it has none",
                remedy="bind one of these" if names else "leave the type out",
                notes=nearest(name, names),
            )
