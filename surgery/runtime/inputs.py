"""Inputs of a run: checked against what the recipe asks for, or made up from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.engines.base import Array
from surgery.recipe import RecipeTensor

#: Bounds ``[low, high)`` of integer inputs of which nothing is known: valid indices and flags.
_SMALL = (0, 2)


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return numpy's type of a compiler's element type (``bfloat16`` and ``float8`` included).

    Raises:
        SurgeryError: S589, numpy has no such type (``int4``, ``handle``).
    """
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        extra: object = None
    else:
        extra = getattr(ml_dtypes, name.replace("e4m3_float8", "float8_e4m3fn"), None)
    if not (isinstance(extra, type) and issubclass(extra, np.generic)):
        raise error(
            "S589",
            f"inputs of type {name} cannot be given as numpy arrays",
            reason=f"numpy has no type {name}",
            remedy="cast the input in the model to a type that numpy has",
        )
    return np.dtype(extra)


def check_inputs(wanted: Iterable[RecipeTensor], given: Mapping[str, object]) -> dict[str, Array]:
    """Return the inputs as native, contiguous arrays in the recipe's order.

    Types must be exact: a silent cast would hide a wrong file. An extent that isn't static takes
    any size.

    Args:
        wanted: What the model's inputs are.
        given: Arrays by name (anything ``numpy.asarray`` takes).

    Raises:
        SurgeryError: S582 an input is missing; S583 a name that the model doesn't have; S584 a
            wrong shape; S585 a wrong type. All faults are reported together.
    """
    inputs = {w.name: w for w in wanted}
    found = Collector()
    unknown = [name for name in given if name not in inputs]
    missing = [name for name in inputs if name not in given]
    for name in unknown:
        close = nearest(name, missing or inputs)
        found.add(
            Diagnostic(
                code="S583",
                message=f"the model has no input {name!r}",
                reason=f"its inputs are {', '.join(map(repr, inputs)) or 'none'}",
                remedy=f"did you mean {close[0]!r}?" if close else "leave it out",
            )
        )
    for name in missing:
        found.add(
            Diagnostic(
                code="S582",
                message=f"input {name!r} is missing: {inputs[name].type}",
                reason=f"given are {', '.join(map(repr, given)) or 'none'}",
                remedy=f"add an array of the name {name!r}",
            )
        )
    checked: dict[str, Array] = {}
    for name, want in inputs.items():
        if name in given:
            try:
                checked[name] = _check(want, given[name])
            except SurgeryError as failure:
                found.take(failure)
    found.raise_if_errors()
    return checked


def _check(want: RecipeTensor, value: object) -> Array:
    dtype = numpy_dtype(want.dtype)
    try:
        array = np.asarray(value)
    except ValueError as failure:
        raise error(
            "S584", f"input {want.name!r} is not an array", reason=str(failure)
        ) from failure
    if array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize:
        array = array.view(dtype)  # an .npz keeps the bytes of bfloat16, and forgets its name
    found = Collector()
    if array.dtype.newbyteorder("=") != dtype:
        found.add(
            Diagnostic(
                code="S585",
                message=f"input {want.name!r} has type {array.dtype}, the model takes {want.dtype}",
                reason="types must be the same: a cast could lose values without a word",
                remedy=f'cast it when you make it: array.astype("{want.dtype}")',
            )
        )
    if len(array.shape) != len(want.shape) or any(
        isinstance(w, int) and w != h for w, h in zip(want.shape, array.shape, strict=True)
    ):
        wanted = ",".join(map(str, want.shape))
        found.add(
            Diagnostic(
                code="S584",
                message=f"input {want.name!r} has shape ({','.join(map(str, array.shape))}), "
                f"the model takes ({wanted})",
                remedy=_reshape(want, array, wanted),
            )
        )
    found.raise_if_errors()
    return np.require(array, dtype=dtype, requirements="C")


def _reshape(want: RecipeTensor, array: Array, wanted: str) -> str:
    size = want.type.nbytes
    if size is not None and size == array.size * numpy_dtype(want.dtype).itemsize:
        return f"it has the right number of elements: array.reshape({wanted})"
    return "give an array of that shape, or `bind` another shape in the spec"


def random_inputs(
    inputs: Iterable[RecipeTensor],
    seed: int = 0,
    bounds: Mapping[str, tuple[int, int]] | None = None,
) -> dict[str, Array]:
    """Return made-up inputs: floats are standard normal, integers small, booleans even.

    Each array depends on the seed and its own name, shape and type only, so a model with another
    input more, or in another order, gets the same values for the rest.

    Args:
        inputs: What the model's inputs are.
        seed: Any integer.
        bounds: ``[low, high)`` of the values of an input, for example of token ids that index an
            embedding (:func:`surgery.verification.input_bounds`); 0 and 1 for other integers.

    Raises:
        SurgeryError: S589 for an extent that isn't static, or a type numpy doesn't have.
    """
    made = {}
    for want in inputs:
        if not want.type.is_static:
            raise error(
                "S589",
                f"no values can be made up for input {want.name!r}: {want.type}",
                reason="its shape is not static",
                remedy="give the inputs as a file, or fix the shape with "
                f"`bind {want.name}: {want.dtype}(...)`",
            )
        shape = tuple(int(d) for d in want.shape)
        digest = hashlib.sha256(f"{seed}\0{want.name}".encode("utf-8", "surrogatepass")).digest()
        generator = np.random.default_rng(int.from_bytes(digest[:16], "little"))
        bound = (bounds or {}).get(want.name)
        made[want.name] = _values(generator, shape, numpy_dtype(want.dtype), bound)
    return made


def _values(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    bound: tuple[int, int] | None,
) -> Array:
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu" or bound is not None:
        low, high = bound or _SMALL
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            low, high = max(low, int(info.min)), min(high, int(info.max) + 1)
        return generator.integers(low, max(high, low + 1), shape).astype(dtype)
    return np.asarray(generator.standard_normal(shape)).astype(dtype)
