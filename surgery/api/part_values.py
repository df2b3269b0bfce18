"""The values of a model on disk: what its parts start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.api.reading import Progress
from surgery.diagnostics import SurgeryError
from surgery.engines.base import Engine, EngineModel
from surgery.graph import Graph, Ref, TensorType
from surgery.planning import BuildPlan

if TYPE_CHECKING:
    from surgery.engines.base import Array


@dataclass(slots=True)
class ModelValues:
    """What a model computes, on disk: the inputs of its parts."""

    graph: Graph
    given: Mapping[str, Array]
    path: Path
    keys: dict[Ref, str]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def computed(
        cls,
        engine: Engine,
        model: EngineModel,
        inputs: Mapping[str, Array] | str | Path | None,
        seed: int,
        scratch: Path,
        tell: Progress,
    ) -> ModelValues:
        """Run the model once, and keep every value; without, where it can't be built."""
        from surgery.recipe import RecipeInput
        from surgery.runtime import check_inputs, load_npz, npz_writer, random_inputs
        from surgery.verification import input_bounds, tap_stream
        from surgery.verification.matching import computed

        graph = model.module.main
        wanted = []
        for id_ in graph.params:
            type_ = graph.types[id_]
            if graph.kinds[id_] == "input" and isinstance(type_, TensorType):
                name = graph.names[id_] or ""
                wanted.append(RecipeInput(name=name, shape=type_.shape, dtype=type_.dtype))
        if inputs is None:
            given = random_inputs(wanted, seed, input_bounds(model.module))
        else:
            arrays = load_npz(inputs) if isinstance(inputs, str | Path) else inputs
            given = check_inputs(wanted, arrays)
        refs = list(computed(graph))
        found = cls(graph, given, scratch / "values.npz", {})
        tell("reading every value of the model")
        try:
            # No fusion: what a part starts from needn't be as fast as it can be.
            with npz_writer(found.path) as write:
                for ref, value in tap_stream(
                    engine, model, refs, given, build=BuildPlan(opt_level=0)
                ):
                    found.keys[ref] = f"v{len(found.keys)}"
                    write(found.keys[ref], value)
        except SurgeryError as failure:
            found.keys.clear()
            found.notes.append(
                "the whole model can't be run, so parts get random numbers: "
                + failure.diagnostics[0].message
            )
        return found

    def of(self, ref: Ref) -> Array:
        """Return a tensor's value, or a random one where it isn't known."""
        import numpy as np

        from surgery.recipe import RecipeInput
        from surgery.runtime import random_inputs

        if self.graph.kinds[ref.node] == "input":
            return self.given[self.graph.names[ref.node] or ""]
        key = self.keys.get(ref)
        if key is not None:
            with np.load(self.path, allow_pickle=False) as archive:
                value: Array = archive[key]
                return value
        type_ = self.graph.type_of(ref)
        assert isinstance(type_, TensorType)
        wanted = RecipeInput(name="value", shape=type_.shape, dtype=type_.dtype)
        return random_inputs([wanted], ref.node, {})["value"]
