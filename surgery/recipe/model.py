"""The build recipe: everything needed to rebuild and run an operated model from its folder.

The dataclasses are ``recipe.json`` key for key; ``grammar/recipe.schema.json`` describes the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

from surgery.diagnostics import Diagnostic
from surgery.graph import Ref
from surgery.planning.model import installed_lowerings
from surgery.recipe.regions import FromInput, RecipeRegion, RecipeTensor, recipe_region
from surgery.syntax.ast import Value

if TYPE_CHECKING:  # the planner is not needed to read or write a recipe
    from surgery.engines.base import BackendKind, SavedStage
    from surgery.planning import model as planned

#: Version of the format. Raised only when an older reader would misread a newer file.
RECIPE_VERSION = 1

#: Endings of libraries, by the format that ``build`` names.
_ENDINGS = {"so": "so", "tar": "tar", "mlf": "mlf.tar"}

Json = dict[str, Any]

#: Where stages may run as a pipeline.
PipelineOn = Literal["threads", "processes", "ray"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReference:
    """A file that took part: its path, from the output folder, and the hash of its bytes.

    The hash is empty for what was no file: a model given in memory.
    """

    path: str
    sha256: str

    @classmethod
    def beside(cls, path: str | os.PathLike[str], sha256: str, folder: Path) -> FileReference:
        """Return a reference that is found again from the output folder, wherever both move."""
        if not os.path.isfile(path):
            return cls.portable(path, sha256)
        return cls.portable(os.path.relpath(path, folder), sha256)

    @classmethod
    def portable(cls, path: str | os.PathLike[str], sha256: str) -> FileReference:
        """Return a reference that reads the same on every machine: no absolute path, no ``\\``."""
        pure = PurePath(path)
        text = pure.name if pure.is_absolute() else pure.as_posix()
        return cls(path=os.fsencode(text).decode("utf-8", "replace"), sha256=sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeInput(RecipeTensor):
    """An input of the whole model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeOutput(RecipeTensor):
    """A public output: output ``output`` of stage number ``stage``."""

    stage: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FromStage:
    """A stage input that an earlier stage computes."""

    stage: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageInput(RecipeTensor):
    """An input of a stage and where it comes from (``from`` in the file)."""

    origin: FromInput | FromStage


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutput(RecipeTensor):
    """An output of a stage; ``public`` when it is (also) an output of the model."""

    public: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeStage:
    """One stage: its files in the folder, its interface, and how it is compiled.

    Attributes:
        sha256: Hash of each of its files, by path in the folder; of the library once built.
        library: Where the compiled stage is, or will be.
        threads: The compiler's threads when it runs; ``None``: the runtime's own choice.
    """

    name: str
    module: str
    params: str | None
    sha256: Mapping[str, str]
    inputs: tuple[StageInput, ...]
    outputs: tuple[StageOutput, ...]
    target: str
    opt_level: int
    executor: str
    config: Mapping[str, Value]
    disabled_passes: tuple[str, ...]
    library: str
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeBackend:
    """A backend, the files its kernels come from, and the regions it was given.

    Attributes:
        sources: Files in the folder: what the backend names, what that includes or imports, and
            the library.
        library: Path of a prebuilt library in the folder.
        builtin: Name of TVM's own codegen.
        module: Entry point of installed lowerings.
        options: The ``KEY=VALUE`` pairs of the backend's statement.
    """

    name: str
    kind: BackendKind
    sources: tuple[FileReference, ...]
    regions: tuple[RecipeRegion, ...]
    library: str | None = None
    builtin: str | None = None
    module: str | None = None
    options: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipePipeline:
    """What drives the stages, unless a run asks for something else.

    Attributes:
        on: Where they run.
        depth: Items in flight for each stage; ``None``: the runtime's own choice.
    """

    on: PipelineOn
    depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A build recipe.

    Attributes:
        pipeline: What the spec's ``pipeline`` statement says, if it has one.
        notes: What a reader should know (keys that were ignored); never written.
    """

    engine: str
    tvm: str
    spec: FileReference
    model: FileReference
    params: FileReference | None = None
    inputs: tuple[RecipeInput, ...]
    outputs: tuple[RecipeOutput, ...]
    stages: tuple[RecipeStage, ...]
    backends: tuple[RecipeBackend, ...]
    pipeline: RecipePipeline | None = None
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def from_plan(
        cls,
        plan: planned.Plan,
        saved: Sequence[SavedStage],
        *,
        tvm_version: str,
        spec: FileReference,
        model: FileReference,
        params: FileReference | None = None,
        sources: Mapping[str, Sequence[FileReference]] | None = None,
        libraries: Mapping[str, str] | None = None,
    ) -> Recipe:
        """Return the recipe of a plan whose stages have been written.

        Args:
            saved: Where each stage of the plan was written, in stage order.
            sources: Files each backend's kernels come from, by backend name.
            libraries: Path of each prebuilt library among them, by backend name.

        Raises:
            ValueError: The plan contradicts itself (a stage uses what no earlier stage gives).
        """
        if len(saved) != len(plan.stages):
            raise ValueError(f"{len(plan.stages)} stages are planned, {len(saved)} were saved")
        graph_inputs = {i.ref: i.name for i in plan.inputs}
        stages = tuple(
            RecipeStage(
                name=stage.name,
                module=files.module,
                params=files.params,
                sha256=dict(files.sha256),
                inputs=tuple(
                    StageInput(
                        name=i.name,
                        shape=i.type.shape,
                        dtype=i.type.dtype,
                        origin=_origin(plan, graph_inputs, i),
                    )
                    for i in stage.inputs
                ),
                outputs=tuple(
                    StageOutput(
                        name=o.name, shape=o.type.shape, dtype=o.type.dtype, public=o.public
                    )
                    for o in stage.outputs
                ),
                target=stage.target,
                opt_level=stage.opt_level,
                executor=stage.executor,
                config=dict(plan.build.config),
                disabled_passes=plan.build.disable,
                library=f"lib/stage{stage.index}.{_ENDINGS[plan.build.format]}",
                threads=stage.threads,
            )
            for stage, files in zip(plan.stages, saved, strict=True)
        )
        return cls(
            engine=plan.engine,
            tvm=tvm_version,
            spec=spec,
            model=model,
            params=params,
            inputs=tuple(
                RecipeInput(name=i.name, shape=i.type.shape, dtype=i.type.dtype)
                for i in plan.inputs
            ),
            outputs=tuple(_public(plan, output) for output in plan.outputs),
            stages=stages,
            backends=tuple(
                RecipeBackend(
                    name=b.name,
                    kind=b.kind,
                    sources=tuple((sources or {}).get(b.name, ())),
                    regions=tuple(
                        recipe_region(plan, r) for r in plan.regions if r.backend == b.name
                    ),
                    library=(libraries or {}).get(b.name),
                    builtin=b.source if b.kind == "builtin" else None,
                    module=installed_lowerings(b.kind, b.source),
                    options=dict(b.options),
                )
                for b in plan.backends
            ),
            pipeline=None
            if plan.pipeline is None
            else RecipePipeline(on=plan.pipeline.on, depth=plan.pipeline.depth),
        )

    def with_hashes(self, hashes: Mapping[str, str | None]) -> Recipe:
        """Return the recipe with hashes of files set, or forgotten where the hash is ``None``.

        Args:
            hashes: Hash by path; only files that a stage names (module, params, library) count.
        """
        stages = []
        for stage in self.stages:
            known = dict(stage.sha256)
            for path in (stage.module, stage.params, stage.library):
                if path is not None and path in hashes:
                    digest = hashes[path]
                    if digest is None:
                        known.pop(path, None)
                    else:
                        known[path] = digest
            stages.append(replace(stage, sha256=known))
        return replace(self, stages=tuple(stages))


def _origin(
    plan: planned.Plan, graph_inputs: Mapping[Ref, str], value: planned.StageInput
) -> FromInput | FromStage:
    if value.source is None:
        return FromInput(input=graph_inputs.get(value.ref, value.name))
    for output in plan.stages[value.source].outputs:
        if output.ref == value.ref:
            return FromStage(stage=value.source, output=output.name)
    raise ValueError(f"stage {value.source} has no output for the stage input {value.name!r}")


def _public(plan: planned.Plan, output: planned.Output) -> RecipeOutput:
    """Find the stage output that a public output is; one of its own name when there are several."""
    found = [
        (stage.index, candidate.name)
        for stage in plan.stages
        for candidate in stage.outputs
        if candidate.public and candidate.ref == output.ref
    ]
    if not found:
        raise ValueError(f"no stage gives the public output {output.name!r}")
    stage, name = next((f for f in found if f[1] == output.name), found[0])
    return RecipeOutput(
        name=output.name,
        shape=output.type.shape,
        dtype=output.type.dtype,
        stage=stage,
        output=name,
    )
