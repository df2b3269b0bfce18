"""The Relay engine: what :class:`surgery.engines.base.Engine` asks for, with TVM 0.19.

Every method imports TVM itself when it needs it; a missing or unfit TVM is an error that says
which extra to install.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surgery.diagnostics import Diagnostic, SurgeryError, error
from surgery.engines.base import Array, DebugBuild, EngineModel, SavedStage, StageBuild, StageRunner
from surgery.engines.relay.apart import apart
from surgery.engines.relay.model import RelayModel
from surgery.graph import Ref, TensorType
from surgery.planning.model import BuildPlan, Plan
from surgery.planning.tables import PatternTable
from surgery.planning.timing import Timings
from surgery.syntax.ast import Value


class RelayEngine:
    """TVM's Relay."""

    @property
    def name(self) -> str:
        return "relay"

    @property
    def version(self) -> str:
        """TVM's version."""
        from surgery.engines.relay.tvm_import import tvm

        return str(tvm().__version__)

    @apart
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
        from surgery.engines.relay.loader import load

        return load(path, params, inputs, allow_code, progress)

    @apart
    def printed(self, model: Any) -> str:
        """Print a model that needn't type-check."""
        from surgery.engines.relay.loader import printed

        return printed(model)

    def adopt(self, ir: Any, params: Mapping[str, Any] | None = None) -> EngineModel:
        """Take a module that is already in memory; it is never changed."""
        from surgery.engines.relay.adopt import adopt

        return adopt(ir, params)

    @apart
    def prepare(
        self,
        model: EngineModel,
        inputs: Mapping[str, TensorType],
        passes: Sequence[tuple[str, tuple[Value, ...]]],
        bind_params: Sequence[str] = (),
    ) -> EngineModel:
        """Return a new model: input types bound, weights made constants, then passes run."""
        from surgery.engines.relay.prepare import prepare

        return prepare(_relay(model), inputs, passes, bind_params)

    def passes(self, model: EngineModel, plan: Plan) -> list[Any]:
        """Return the plan as ``tvm.transform`` passes, for anyone's own ``Sequential``."""
        from surgery.engines.relay.passes import plan_passes

        return plan_passes(_relay(model), plan)

    @apart
    def operate(
        self,
        model: EngineModel,
        plan: Plan,
        after: Callable[[str, Any], None] | None = None,
    ) -> Any:
        """Run the passes on a copy of the model; return the operated module.

        Args:
            after: Called with the name of each pass and the module it made.

        Raises:
            SurgeryError: S300 the plan can't be carried out, S301 a construct that can't be
                rebuilt, S302 the model isn't the plan's, S303 the result doesn't type.
        """
        from surgery.engines.relay.failure import diagnosed, engine_error
        from surgery.engines.relay.passes import plan_passes

        mine = _relay(model)
        module = mine.ir
        done: list[str] = []
        for step in plan_passes(mine, plan, portable=False):
            name = str(step.info.name)
            with diagnosed() as found:
                try:
                    module = step(module)
                except SurgeryError:
                    raise
                except Exception as failure:
                    raise error(
                        "S303",
                        f"{name} fails",
                        reason=engine_error(failure, found),
                        remedy="the model's own types may depend on what was cut or outlined; "
                        "try the statement on another value",
                        notes=[f"passes before it: {', '.join(done)}"] if done else (),
                    ) from failure
            done.append(name)
            if after is not None:
                after(name, module)
        return module

    def foreign_kind(self, path: str) -> str:
        """Return which other framework's model a file or folder is (``ONNX``); '' for none."""
        from surgery.engines.relay.frontends.registry import recognise

        found = recognise(Path(path))
        return "" if found is None else found.title

    @apart
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
        from surgery.engines.relay.loader import reference

        return reference(path, arrays, inputs, allow_code, progress, values)

    @apart
    def in_one(self, model: EngineModel, operated: Any) -> EngineModel:
        """Return a module made of a model as one graph that runs without backends."""
        from surgery.engines.relay.part import in_one

        return in_one(_relay(model), operated)

    def same(self, a: EngineModel, b: EngineModel) -> bool:
        """Tell whether two models have the same structure, constants included."""
        from surgery.engines.relay.tvm_import import tvm

        return bool(tvm().ir.structural_equal(_relay(a).ir, _relay(b).ir))

    @apart
    def save(
        self,
        model: EngineModel,
        plan: Plan,
        operated: Any,
        folder: Path,
        progress: Callable[[str], None],
    ) -> list[SavedStage]:
        """Write ``module.json``, ``module.relay`` and ``stages/N/*`` into a folder."""
        from surgery.engines.relay.save import save

        return save(_relay(model), plan, operated, folder, progress)

    @apart
    def save_reference(self, model: EngineModel, plan: Plan, folder: Path) -> SavedStage:
        """Write the model before surgery, but with the plan's outputs, to compare with."""
        from surgery.engines.relay.save import save_reference

        return save_reference(_relay(model), plan, folder)

    @apart
    def load_operated(self, path: str, params: Sequence[str], staged: bool) -> EngineModel:
        """Read the operated module of an output folder as one graph."""
        from surgery.engines.relay.part import load_operated

        return load_operated(path, params, staged)

    @apart
    def save_model(self, model: EngineModel, output: Path, params: Path | None) -> Path | None:
        """Write a whole model as TVM JSON, and its weights as another file."""
        from surgery.engines.relay.save import save_model

        return save_model(_relay(model), output, params)

    @apart
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
        from surgery.engines.relay.part import save_part

        return save_part(_relay(model), inputs, outputs, folder, same)

    def weights(self, model: EngineModel, ids: Sequence[int]) -> Mapping[int, Any]:
        """Return the values of constants and weights of ``@main`` as NumPy arrays, by id."""
        from surgery.engines.relay.part import weights

        return weights(_relay(model), ids)

    def build_stage(self, stage: StageBuild) -> None:
        """Compile one saved stage into its library."""
        from surgery.engines.relay.build import build_stage

        build_stage(stage)

    def open_stage(
        self, folder: Path, library: str, executor: str, inputs: Sequence[str] = ()
    ) -> StageRunner:
        """Load a built library. ``inputs``: the stage's input names, to say what is missing."""
        from surgery.engines.relay.execute import open_stage

        return open_stage(folder, library, executor, inputs)

    def stepwise(
        self, model: EngineModel, plan: Plan, build: BuildPlan, inputs: Mapping[str, Array]
    ) -> Iterator[tuple[int, Array]]:
        """Build in memory and run kernel by kernel; yield outputs as they are computed."""
        from surgery.engines.relay.stepwise import stepwise

        return stepwise(_relay(model), plan, build, inputs)

    @apart
    def debug(self, model: EngineModel, build: BuildPlan) -> DebugBuild:
        """Build a model in memory as it is, and find out what its kernels compute."""
        from surgery.engines.relay.stepwise import debug_build

        return debug_build(_relay(model), build)

    def write_graph(self, folder: Path, library: str, graph: Path, params: Path) -> None:
        """Write the graph of a built stage of the graph executor, and its weights, to files."""
        from surgery.engines.relay.execute import write_graph

        write_graph(folder, library, graph, params)

    def has_pipeline_executor(self) -> bool:
        """Return whether the installed TVM has its pipeline executor."""
        from surgery.engines.relay.tvm_import import tvm

        found = tvm().get_global_func("tvm.pipeline_executor.load", allow_missing=True)
        return found is not None

    def unrunnable(self, target: str) -> str:
        """Return why this machine can't run the code for a target, or ''.

        Raises:
            SurgeryError: S410 it is no target.
        """
        from surgery.engines.relay.machine import unrunnable

        return unrunnable(target)

    def limit_threads(self, count: int, cpus: Sequence[int] = ()) -> None:
        """Say how many threads, on which CPUs, run what the calling thread runs."""
        from surgery.engines.relay.execute import limit_threads

        limit_threads(count, cpus)

    def time_groups(
        self,
        model: EngineModel,
        groups: Sequence[tuple[int, ...]],
        build: BuildPlan,
        progress: Callable[..., None],
    ) -> Timings:
        """Measure groups of ops of ``@main``, each built alone, with one thread."""
        from surgery.engines.relay.measure import time_groups

        return time_groups(_relay(model), groups, build, progress)

    def pattern_table(self, name: str, model: EngineModel) -> PatternTable:
        """Return a table of ``tvm.relay.op.contrib``, its predicates bound to a model.

        Raises:
            SurgeryError: S340 there is none of this name, S341 it is no pattern table.
        """
        from surgery.engines.relay.tables import pattern_table

        return pattern_table(name, _relay(model))

    def codegens(self, names: Collection[str]) -> frozenset[str]:
        """Return which backends have ``relay.ext.NAME``, or a target with passes of its own."""
        from surgery.engines.relay.tables import codegens

        return codegens(names)

    @apart
    def option_faults(self, asked: BuildPlan, will_build: bool) -> list[tuple[str, Diagnostic]]:
        """Return each build option that can't be, by its text, with what is wrong."""
        from surgery.engines.relay.options import option_faults

        return list(option_faults(asked, will_build))


def _relay(model: EngineModel) -> RelayModel:
    if not isinstance(model, RelayModel):
        raise TypeError(f"a RelayModel is needed, not {type(model).__name__}")
    return model
