"""What a compiler must offer: load a model, show it as a graph, run a plan's passes, build, run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from surgery.diagnostics import Diagnostic
from surgery.graph import Module, Ref, TensorType
from surgery.planning.model import BuildPlan, Plan
from surgery.planning.tables import PatternTable
from surgery.planning.timing import Timings
from surgery.syntax.ast import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]
else:
    Array = Any


class EngineModel(Protocol):
    """A loaded model: the engine's own IR together with its picture."""

    @property
    def path(self) -> str:
        """The file as the user named it."""

    @property
    def sha256(self) -> Mapping[str, str]:
        """Hash of each file read, by role: ``model``, ``params``."""

    @property
    def module(self) -> Module:
        """The picture. Weights with known values are of kind ``param``."""

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know about how the file was read."""

    @property
    def warnings(self) -> Sequence[str]:
        """What is probably not meant."""

    @property
    def foreign(self) -> str:
        """Which kind of another framework's model it was converted from; '' when from none."""

    @property
    def foreign_values(self) -> Mapping[str, str]:
        """What that framework calls the result of an op, by the op's source name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedStage:
    """Where one stage was written, relative to the output folder (POSIX paths)."""

    module: str
    params: str | None
    sha256: Mapping[str, str]


#: Entry points of this group are modules of lowerings, which `via te NAME` names.
LOWERINGS_GROUP = "surgery.backends"

BackendKind = Literal["tvm", "te", "c", "packed", "builtin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendBuild:
    """How the regions of one backend become code. Regions name their kernels themselves.

    Attributes:
        sources: Paths in the output folder: the file the backend names first, then what that one
            includes or imports.
        library: Path of a prebuilt library in the output folder.
        builtin: Name of the installed TVM's own codegen (``relay.ext.NAME``).
        module: Entry point of installed lowerings, in place of a source.
        options: ``KEY=VALUE`` pairs: ``cflags`` and ``ldflags`` of a C backend.
        shown: What to call a source in a message: the user's own path, by path in the folder.
    """

    kind: BackendKind
    sources: tuple[str, ...] = ()
    library: str | None = None
    builtin: str | None = None
    module: str | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageBuild:
    """What it takes to compile one saved stage.

    Attributes:
        folder: The output folder.
        module: Path of the stage's module JSON in it.
        params: Path of its weights in it, if it has any.
        library: Path to write in it; its ending is the format: ``.so``, ``.tar``, ``.mlf.tar``.
        target, opt_level, executor, config, disabled_passes: TVM build options.
        backends: How each backend makes code, by name; regions name their backend themselves.
    """

    folder: Path
    module: str
    params: str | None
    library: str
    target: str
    opt_level: int
    executor: str
    config: Mapping[str, Value]
    disabled_passes: Sequence[str]
    backends: Mapping[str, BackendBuild]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel of a build, and what of the model it computes.

    Attributes:
        name: The compiler's name of it.
        node: Its place in what is executed.
        ops: Ids of the ops of ``@main`` that are computed inside, of those that are known.
        made: All ops inside, as the compiler has them: some of them its own.
        values: The tensors of ``@main`` that are among its results, by place.
        packed: Those of them whose channels the kernel has in blocks; they are given unpacked.
    """

    name: str
    node: int
    ops: tuple[int, ...]
    made: tuple[str, ...]
    values: Mapping[int, Ref]
    packed: Collection[int] = ()


class DebugBuild(Protocol):
    """A model built as it is, with nothing read from it, whose kernels can be looked into."""

    @property
    def kernels(self) -> Sequence[Kernel]:
        """In the order they run."""

    def run(
        self, inputs: Mapping[str, Array], wanted: Collection[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], Array]]:
        """Run kernel by kernel; yield wanted results, each by node and place, the caller's own."""


class StageRunner(Protocol):
    """A built stage, loaded and ready."""

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Run once. Inputs by name; outputs in the stage's order."""

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """Return a run on buffers of the caller's: inputs by name; outputs in the stage's order.

        The run reads and writes the buffers themselves where the compiler can, and copies
        elsewhere: bind once for each set of buffers, run often. Buffers are C-contiguous.
        """


class Engine(Protocol):
    """A compiler. Every method raises :class:`surgery.diagnostics.SurgeryError` on failure."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def load(
        self,
        path: str,
        params: str | None = None,
        *,
        inputs: Mapping[str, TensorType] | None = None,
        allow_code: bool = False,
        progress: Callable[..., None] | None = None,
    ) -> EngineModel:
        """Read a model file (and its weights), or convert another framework's model.

        Args:
            inputs: Types of a converted model's inputs, where the file leaves them open.
            allow_code: Run what such a file brings as code.
        """

    def printed(self, model: Any) -> str:
        """Print a model that needn't be valid: one that :meth:`load` refuses as ill-typed.

        Args:
            model: A file in the engine's own format, by path, or a module in memory.
        """

    def adopt(self, ir: Any, params: Mapping[str, Any] | None = None) -> EngineModel:
        """Take a module that is already in memory; it is never changed."""

    def prepare(
        self,
        model: EngineModel,
        inputs: Mapping[str, TensorType],
        passes: Sequence[tuple[str, tuple[Value, ...]]],
        bind_params: Sequence[str] = (),
    ) -> EngineModel:
        """Return a new model: input types bound, weights made constants, then IR passes run."""

    def passes(self, model: EngineModel, plan: Plan) -> list[Any]:
        """Return the plan as real passes of the compiler, in order."""

    def operate(
        self,
        model: EngineModel,
        plan: Plan,
        after: Callable[[str, Any], None] | None = None,
    ) -> Any:
        """Run the passes on a copy of the model; return the operated IR module.

        ``after`` is called with the name of each pass and the module it made.
        """

    def foreign_kind(self, path: str) -> str:
        """Return which other framework's model a file or folder is (``ONNX``); '' for none."""

    def reference(
        self,
        path: str,
        arrays: Mapping[str, Array],
        inputs: Mapping[str, TensorType],
        allow_code: bool,
        progress: Callable[..., None],
        values: Sequence[str] = (),
    ) -> dict[str, Array]:
        """Run another framework's model as that does; return its outputs, and values, by name."""

    def in_one(self, model: EngineModel, operated: Any) -> EngineModel:
        """Return a module made of a model as one graph that runs without backends."""

    def same(self, a: EngineModel, b: EngineModel) -> bool:
        """Tell whether two models have the same structure, constants included."""

    def save(
        self,
        model: EngineModel,
        plan: Plan,
        operated: Any,
        folder: Path,
        progress: Callable[[str], None],
    ) -> list[SavedStage]:
        """Write ``module.json``, ``module.relay`` and ``stages/N/*`` into a folder."""

    def save_reference(self, model: EngineModel, plan: Plan, folder: Path) -> SavedStage:
        """Write the model before surgery, but with the plan's outputs, to compare with."""

    def load_operated(self, path: str, params: Sequence[str], staged: bool) -> EngineModel:
        """Read the operated module of an output folder as one graph; ``staged``: it was cut."""

    def save_model(self, model: EngineModel, output: Path, params: Path | None) -> Path | None:
        """Write a whole model as one file, and its weights as another; embedded without one.

        Returns:
            The weights' file; ``None`` when none was written.
        """

    def save_part(
        self,
        model: EngineModel,
        inputs: Sequence[tuple[str, Ref]],
        outputs: Sequence[Ref],
        folder: Path,
        same: Iterable[tuple[Ref, Ref]] = (),
    ) -> SavedStage:
        """Write what computes some tensors of ``@main`` from others as a model of its own.

        ``same``: Tensors, and the earlier ones that stand for them.
        """

    def weights(self, model: EngineModel, ids: Sequence[int]) -> Mapping[int, Array]:
        """Return the values of constants and weights of ``@main``."""

    def build_stage(self, stage: StageBuild) -> None:
        """Compile one saved stage into its library."""

    def open_stage(
        self, folder: Path, library: str, executor: str, inputs: Sequence[str]
    ) -> StageRunner:
        """Load a built library. ``inputs``: the stage's input names, in order."""

    def stepwise(
        self, model: EngineModel, plan: Plan, build: BuildPlan, inputs: Mapping[str, Array]
    ) -> Iterator[tuple[int, Array]]:
        """Build in memory and run kernel by kernel: yield each output as soon as it is computed.

        For a model without offload regions, and the graph executor. Memory is needed for what is
        still to be read only, however many outputs there are.

        Yields:
            An output's place in the result, and its value, the caller's own. One value that is
            several outputs comes once for each.
        """

    def debug(self, model: EngineModel, build: BuildPlan) -> DebugBuild:
        """Build a model in memory as it is, and find out what its kernels compute.

        For a model without offload regions, and the graph executor.
        """

    def write_graph(self, folder: Path, library: str, graph: Path, params: Path) -> None:
        """Write the graph of a built stage of the graph executor, and its weights, to files."""

    def has_pipeline_executor(self) -> bool:
        """Return whether the installed compiler can run stages as a pipeline itself."""

    def unrunnable(self, target: str) -> str:
        """Return why this machine can't run the code for a target, or ''."""

    def limit_threads(self, count: int, cpus: Sequence[int] = ()) -> None:
        """Say how many threads, on which CPUs (all by default), run what the calling thread runs.

        The calling thread itself is kept to those CPUs as well.
        """

    def time_groups(
        self,
        model: EngineModel,
        groups: Sequence[tuple[int, ...]],
        build: BuildPlan,
        progress: Callable[..., None],
    ) -> Timings:
        """Measure groups of ops of ``@main`` (ids), each as one kernel, with one thread."""

    def pattern_table(self, name: str, model: EngineModel) -> PatternTable:
        """A pattern table that the compiler has registered, its predicates bound to a model."""

    def codegens(self, names: Collection[str]) -> frozenset[str]:
        """Which of these backends the installed compiler has a codegen for."""

    def option_faults(self, asked: BuildPlan, will_build: bool) -> list[tuple[str, Diagnostic]]:
        """Return each build option that can't be, by its text (target, key, pass), and why.

        ``will_build``: whether it is to compile here, not only to know the options.
        """
