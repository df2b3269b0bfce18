"""Loads and runs built stages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.tvm_import import tvm as load_tvm

if TYPE_CHECKING:
    from surgery.engines.base import Array

tvm = load_tvm()

#: What TVM says of a kernel `via packed` that nobody registered.
#: What the code of a region says of a C kernel that doesn't return 0.
_REFUSED = re.compile(r"kernel (\S+) of region \S+ returned an error")
_ABSENT = re.compile(r"Cannot find function (\S+) in the imported modules or global registry")
#: How the graph executor calls a dtype -> how everybody else does.
_DTYPES = {"uint1": "bool"}


def open_stage(
    folder: Path, library: str, executor: str, inputs: Sequence[str] = ()
) -> GraphRunner | VMRunner:
    """Load a built library.

    Args:
        folder: The output folder.
        library: Path of the library in it.
        executor: ``graph`` or ``vm``, as it was built.
        inputs: Names of the stage's inputs, so that a missing one is reported.

    Raises:
        SurgeryError: S430 no such file, S431 it doesn't load, S432 it is no stage of that
            executor.
    """
    path = folder / library
    if not path.is_file():
        raise error(
            "S430",
            f"{library} does not exist",
            reason=f"{folder} was not built, or the file was removed",
            remedy="run `surgery build` on the folder",
        )
    try:
        loaded = tvm.runtime.load_module(str(path))
    except (tvm.TVMError, OSError, ValueError, RuntimeError) as failure:
        raise error(
            "S431",
            f"{library} cannot be loaded",
            reason=engine_error(failure),
            remedy="it may be from another machine or another TVM: run `surgery build` again here",
        ) from failure
    try:
        return VMRunner(loaded) if executor == "vm" else GraphRunner(loaded, inputs)
    except (tvm.TVMError, AttributeError, ValueError, TypeError) as failure:
        raise error(
            "S432",
            f"{library} is not a stage built for the {executor} executor",
            reason=engine_error(failure),
            remedy="run `surgery build` on the folder",
        ) from failure


class GraphRunner:
    """A stage built for the graph executor."""

    def __init__(self, library: Any, inputs: Sequence[str]) -> None:
        self._library = library
        self._inputs = inputs
        self._executor = library["default"](tvm.cpu())
        info = self._executor["get_input_info"]()
        dtypes = info["dtype"]
        self._get_input = self._executor["get_input"]
        self._types = {
            str(name): (
                tuple(int(d) for d in shape),
                _DTYPES.get(str(dtypes[name]), str(dtypes[name])),
            )
            for name, shape in info["shape"].items()
        }
        self._slots: dict[str, Any] = {}
        self._run = self._executor["run"]
        count = int(self._executor["get_num_outputs"]())
        get_output = self._executor["get_output"]
        self._outputs = [get_output(i) for i in range(count)]

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Run once. Inputs by name; outputs in the stage's order, each a copy.

        An input that the compiler found unused is not in the library, and is not looked at.

        Raises:
            SurgeryError: S433 an input is missing or of a wrong shape or dtype, S434 the run fails.
        """
        missing = [name for name in self._inputs if name not in inputs]
        if missing:
            raise _missing(missing, list(inputs))
        for name, array in inputs.items():
            expected = self._types.get(name)
            if expected is None:
                continue
            _check(name, array, *expected)
            slot = self._slots.get(name)
            if slot is None:
                slot = self._slots[name] = self._get_input(name)
            slot.copyfrom(array)
        try:
            self._run()
        except Exception as failure:
            raise _failed(failure) from failure
        return [output.numpy() for output in self._outputs]


class VMRunner:
    """A stage built for TVM's VM."""

    def __init__(self, library: Any) -> None:
        self._machine = tvm.runtime.vm.VirtualMachine(library, tvm.cpu())
        arity = int(library["get_function_arity"]("main"))
        named = library["get_function_param_name"]
        self._names = [str(named("main", i)) for i in range(arity)]

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Run once. Inputs by name; outputs in the stage's order, each a copy.

        Raises:
            SurgeryError: S433 an input is missing, S434 the run fails.
        """
        missing = [name for name in self._names if name not in inputs]
        if missing:
            raise _missing(missing, list(inputs))
        try:
            arguments = [tvm.nd.array(inputs[name]) for name in self._names]
            result = self._machine.invoke("main", *arguments)
        except Exception as failure:
            raise _failed(failure) from failure
        found: list[Array] = []
        stack = [result]
        while stack:
            value = stack.pop()
            if isinstance(value, tvm.nd.NDArray):
                found.append(value.numpy())
            else:
                stack.extend(reversed(list(value)))
        return found


def _check(name: str, array: Array, shape: Sequence[int], dtype: str) -> None:
    given = tuple(int(d) for d in array.shape)
    if given != tuple(shape) or str(array.dtype) != dtype:
        raise error(
            "S433",
            f"input {name} is {array.dtype}{list(given)}, the stage takes {dtype}{list(shape)}",
            reason="the library is compiled for one shape and dtype",
            remedy=f"pass {name}.astype('{dtype}')" if given == tuple(shape) else "reshape it",
        )


def _missing(missing: Sequence[str], given: Sequence[str]) -> SurgeryError:
    close = nearest(missing[0], given, limit=1)
    return error(
        "S433",
        f"input {', '.join(missing)} is missing",
        remedy=f"{close[0]} was given: did you mean {missing[0]}?" if close else "pass it as well",
    )


def _failed(failure: Exception) -> SurgeryError:
    reason = engine_error(failure)
    remedy = "check the values of its inputs (indices in range, shapes as the model expects)"
    absent = _ABSENT.match(reason)
    if absent:
        reason = f"no packed function {absent[1]} is registered in this process"
        remedy = f'register it first: `tvm.register_func("{absent[1]}", f)`'
    refused = _REFUSED.match(reason)
    if refused:
        remedy = f"look at what {refused[1]} returns: 0 is success, and a skeleton of "
        remedy += "`surgery stub` returns 1 until it is filled in"
    return error("S434", "the stage fails when it runs", reason=reason, remedy=remedy)
