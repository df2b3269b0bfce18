"""Slots: the values of one item, at fixed places in memory that stages read and write directly."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import Array
from surgery.recipe import FromInput, FromStage, Recipe, RecipeTensor
from surgery.runtime.inputs import numpy_dtype

#: Bytes that every value is aligned to: what compiled kernels ask of buffers they use directly.
ALIGNMENT = 64

Origin = FromInput | FromStage


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value is in a slot: bytes from its start."""

    offset: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where each value of an item is: model inputs and all that stages give.

    Attributes:
        size: Bytes of a slot, a multiple of the alignment.
    """

    places: Mapping[Origin, Place]
    size: int

    def views(self, memory: Array) -> dict[Origin, Array]:
        """Return each value as an array on a slot's memory (``uint8``, ``size`` bytes)."""
        return {o: value_at(memory, p.offset, p.shape, p.dtype) for o, p in self.places.items()}


def value_at(memory: Array, offset: int, shape: tuple[int, ...], dtype: str) -> Array:
    """Return the value at a place of a slot's memory, as an array on it."""
    type_: np.dtype[Any] = numpy_dtype(dtype)
    size = math.prod(shape) * type_.itemsize
    return memory[offset : offset + size].view(type_).reshape(shape)


def values(recipe: Recipe) -> dict[Origin, RecipeTensor]:
    """Return every value that goes through a recipe's stages."""
    found: dict[Origin, RecipeTensor] = {FromInput(input=i.name): i for i in recipe.inputs}
    for number, stage in enumerate(recipe.stages):
        found |= {FromStage(stage=number, output=o.name): o for o in stage.outputs}
    return found


def is_static(recipe: Recipe) -> bool:
    """Whether all values have a size that is known before a run."""
    return all(v.type.is_static for v in values(recipe).values())


def layout(recipe: Recipe) -> Layout:
    """Return where each value of an item is.

    Raises:
        SurgeryError: S577 a value without a fixed size; S589 of a type that numpy lacks.
    """
    places: dict[Origin, Place] = {}
    offset = 0
    for origin, value in values(recipe).items():
        if not value.type.is_static:
            raise error(
                "S577",
                f"value {value.name!r} has no fixed size: {value.type}",
                reason="processes exchange values through shared memory, at fixed places",
                remedy="fix the shape with `bind` in the spec, or run `--on threads`",
            )
        shape = tuple(int(d) for d in value.shape)
        size = math.prod(shape) * numpy_dtype(value.dtype).itemsize
        places[origin] = Place(offset=offset, shape=shape, dtype=value.dtype)
        offset += -(-size // ALIGNMENT) * ALIGNMENT
    return Layout(places=places, size=max(offset, ALIGNMENT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The values of one item.

    Attributes:
        number: Its place among the slots.
        values: Arrays by where they come from. On fixed memory when sizes are known, and then only
            ever written into; replaced by each stage otherwise.
    """

    number: int
    values: dict[Origin, Array] = field(default_factory=dict)

    def load(self, inputs: Mapping[str, Array]) -> None:
        """Copy an item's inputs in."""
        for name, value in inputs.items():
            origin = FromInput(input=name)
            there = self.values.get(origin)
            if there is None or there.shape != value.shape:
                self.values[origin] = value.copy()
            else:
                np.copyto(there, value)

    def unload(self, recipe: Recipe) -> dict[str, Array]:
        """Return copies of the public outputs, in the recipe's order."""
        return {
            o.name: self.values[FromStage(stage=o.stage, output=o.output)].copy()
            for o in recipe.outputs
        }


def slots_in_memory(plan: Layout, memory: Array, count: int) -> tuple[Slot, ...]:
    """Return slots one after the other in memory (``uint8``, aligned, ``count`` slots long)."""
    return tuple(
        Slot(number=n, values=plan.views(memory[n * plan.size : (n + 1) * plan.size]))
        for n in range(count)
    )


def aligned_memory(size: int) -> Array:
    """Return ``size`` bytes of memory of this process, aligned.

    Raises:
        SurgeryError: S576.
    """
    check_memory(size)
    try:
        whole = np.zeros(size + ALIGNMENT, np.uint8)
    except MemoryError as failure:
        raise no_memory(size, "the system refuses that much") from failure
    start = -whole.ctypes.data % ALIGNMENT
    return whole[start : start + size]


def check_memory(size: int) -> None:
    """Refuse what the machine can't have: the system may grant it, and kill who uses it.

    Raises:
        SurgeryError: S576.
    """
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if size > whole:
        raise no_memory(size, f"the machine has {whole:,} bytes")


def no_memory(size: int, reason: str) -> SurgeryError:
    return error(
        "S576",
        f"there is no memory for a pipeline: {size:,} bytes are needed",
        reason=reason,
        remedy="give a smaller depth",
    )
