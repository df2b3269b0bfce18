"""The offload regions of a recipe: what each takes and gives, and the kernels that it calls."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from surgery.graph import Dim, Graph, TensorType

if TYPE_CHECKING:  # the planner is not needed to read or write a recipe
    from surgery.planning import model as planned


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeTensor:
    """A named tensor. ``shape`` is outermost first; a text is an extent that is not static."""

    name: str
    shape: tuple[Dim, ...]
    dtype: str

    @property
    def type(self) -> TensorType:
        return TensorType(self.shape, self.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class FromInput:
    """A stage input that is fed from a model input."""

    input: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionConstant(RecipeTensor):
    """A constant of a region: inside the kernel, or an argument after the region's inputs."""

    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FromConstant:
    """A kernel's operand that is a constant of its region."""

    constant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FromComposite:
    """A kernel's operand that an earlier kernel of the region computes."""

    composite: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOperand(RecipeTensor):
    """A kernel's operand, and what of its region it is (``from`` in the file)."""

    origin: FromInput | FromConstant | FromComposite


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeComposite:
    """One kernel call of a region.

    The kernel's arguments are ``inputs``, all ``constants`` (embedded ones too), then ``outputs``;
    the names are those of the kernel's parameters.

    Attributes:
        name: ``BACKEND.NAME``.
        kernel: Symbol of the backend's own function.
        pattern: TVM's own name of its shape.
        ops: Its ops, in the order they run.
    """

    name: str
    kernel: str
    pattern: str
    ops: tuple[str, ...]
    inputs: tuple[KernelOperand, ...]
    constants: tuple[KernelOperand, ...]
    outputs: tuple[RecipeTensor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeRegion:
    """A region's function: it takes ``inputs``, the ``constants`` not embedded, then ``outputs``.

    Attributes:
        composites: The kernels it calls, in the order they run.
    """

    symbol: str
    pattern: str
    ops: tuple[str, ...]
    stage: int
    inputs: tuple[RecipeTensor, ...]
    constants: tuple[RegionConstant, ...]
    outputs: tuple[RecipeTensor, ...]
    composites: tuple[RecipeComposite, ...] = ()


def _results(types: Sequence[TensorType], taken: Set[str]) -> tuple[RecipeTensor, ...]:
    """Name results ``output``, or ``output0``, ``output1``, ...: unlike any of the operands."""
    outputs: list[RecipeTensor] = []
    for index, type_ in enumerate(types):
        name = "output" if len(types) == 1 else f"output{index}"
        while name in taken:
            name += "_"
        outputs.append(RecipeTensor(name=name, shape=type_.shape, dtype=type_.dtype))
    return tuple(outputs)


def recipe_region(plan: planned.Plan, region: planned.Region) -> RecipeRegion:
    """Return a planned region as the recipe lists it."""
    graph = plan.module.functions[region.function]
    taken = {a.name for a in region.arguments} | {c.name for c in region.constants}
    return RecipeRegion(
        symbol=region.symbol,
        pattern=region.pattern,
        ops=tuple(graph.ops[n] for n in region.nodes if graph.kinds[n] == "call"),
        stage=region.stage,
        inputs=tuple(
            RecipeTensor(name=a.name, shape=a.type.shape, dtype=a.type.dtype)
            for a in region.arguments
        ),
        constants=tuple(
            RegionConstant(name=c.name, shape=c.type.shape, dtype=c.type.dtype, embedded=c.embedded)
            for c in region.constants
        ),
        outputs=_results(region.output_types, taken),
        composites=_composites(graph, region),
    )


def _composites(graph: Graph, region: planned.Region) -> tuple[RecipeComposite, ...]:
    found: list[RecipeComposite] = []
    for composite in region.composites:
        inputs: list[KernelOperand] = []
        constants: list[KernelOperand] = []
        for operand in composite.operands:
            origin: FromInput | FromConstant | FromComposite
            match operand.source:
                case ("argument", index):
                    origin = FromInput(input=region.arguments[index].name)
                case ("constant", index):
                    origin = FromConstant(constant=region.constants[index].name)
                case ("composite", index, output):
                    name = found[index].outputs[output].name
                    origin = FromComposite(composite=index, output=name)
                case _:
                    assert_never(operand.source)
            (constants if isinstance(origin, FromConstant) else inputs).append(
                KernelOperand(
                    name=operand.name,
                    shape=operand.type.shape,
                    dtype=operand.type.dtype,
                    origin=origin,
                )
            )
        found.append(
            RecipeComposite(
                name=composite.name,
                kernel=composite.kernel,
                pattern=composite.pattern,
                ops=tuple(graph.ops[n] for n in composite.nodes if graph.kinds[n] == "call"),
                inputs=tuple(inputs),
                constants=tuple(constants),
                outputs=_results(composite.output_types, {o.name for o in composite.operands}),
            )
        )
    return tuple(found)
