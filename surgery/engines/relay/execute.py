"""Loads and runs built stages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.compilers import cxx_compiler
from surgery.engines.relay.binding import DTYPES, GraphBinding, dtype, fits, misfit, store, view
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.packages import is_package, open_package
from surgery.engines.relay.params import write_params
from surgery.engines.relay.tvm_import import tvm as load_tvm

if TYPE_CHECKING:
    from surgery.engines.base import Array

tvm = load_tvm()

#: What the code of a region says of a C kernel that doesn't return 0.
_REFUSED = re.compile(r"kernel (\S+) of region \S+ returned an error")
#: What TVM says of a kernel `via packed` that nobody registered.
_ABSENT = re.compile(r"Cannot find function (\S+) in the imported modules or global registry")
#: ``runtime.config_threadpool``'s mode of threads that share a set of CPUs; all others bind each
#: thread to one, the calling thread too.
_SHARE_CPUS = -3


def open_stage(
    folder: Path, library: str, executor: str, inputs: Sequence[str] = ()
) -> GraphRunner | AotRunner | VMRunner:
    """Load a built library.

    Args:
        folder: The output folder.
        library: Path of the library in it.
        executor: ``graph``, ``aot`` or ``vm``, as it was built.
        inputs: Names of the stage's inputs, so that a missing one is reported.

    Raises:
        SurgeryError: S430 no such file, S431 it doesn't load, S432 it is no stage of that
            executor.
    """
    loaded = _loaded(folder, library, executor)
    try:
        if executor == "vm":
            return VMRunner(loaded)
        return AotRunner(loaded, inputs) if executor == "aot" else GraphRunner(loaded, inputs)
    except (tvm.TVMError, AttributeError, ValueError, TypeError) as failure:
        raise error(
            "S432",
            f"{library} is not a stage built for the {executor} executor",
            reason=engine_error(failure),
            remedy="run `surgery build` on the folder",
        ) from failure


def _loaded(folder: Path, library: str, executor: str) -> Any:
    path = folder / library
    if not path.is_file():
        raise error(
            "S430",
            f"{library} does not exist",
            reason=f"{folder} was not built, or the file was removed",
            remedy="run `surgery build` on the folder",
        )
    try:
        if is_package(library):
            return open_package(path, executor, cxx_compiler)
        return tvm.runtime.load_module(str(path))
    except (tvm.TVMError, OSError, ValueError, RuntimeError) as failure:
        raise error(
            "S431",
            f"{library} cannot be loaded",
            reason=engine_error(failure),
            remedy="it may be from another machine or another TVM: run `surgery build` again here",
        ) from failure


def write_graph(folder: Path, library: str, graph: Path, params: Path) -> None:
    """Write the graph of a built stage of the graph executor (JSON), and its weights, to files.

    Raises:
        SurgeryError: S431 the library doesn't load here, S514 a file can't be written.
    """
    loaded = _loaded(folder, library, "graph")
    graph.write_text(loaded["get_graph_json"](), encoding="utf-8")
    weights = {str(name): array for name, array in loaded["get_graph_params"]().items()}
    write_params(params, dict(sorted(weights.items())))


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
                DTYPES.get(str(dtypes[name]), str(dtypes[name])),
            )
            for name, shape in info["shape"].items()
        }
        self._slots: dict[str, Any] = {}
        self._run = self._executor["run"]
        count = int(self._executor["get_num_outputs"]())
        get_output = self._executor["get_output"]
        self._outputs = [get_output(i) for i in range(count)]
        self._binding: GraphBinding | None = None

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Run once. Inputs by name; outputs in the stage's order, each a copy.

        An input that the compiler found unused is not in the library, and is not looked at.

        Raises:
            SurgeryError: S433 an input is missing or of a wrong shape or dtype, S434 the run fails.
        """
        self._check(inputs)
        if self._binding is not None:
            outputs: list[Array] = [np.empty(o.shape, dtype(o)) for o in self._outputs]
            self.bind(inputs, outputs)()
            return outputs
        for name, array in inputs.items():
            if name in self._types:
                self._own(name).copyfrom(array)
        try:
            self._run()
        except Exception as failure:
            raise run_failed(failure) from failure
        return [output.numpy() for output in self._outputs]

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """Return a run that reads and writes these buffers.

        Without a copy where they are aligned to 64 bytes and the graph allows it
        (:mod:`surgery.engines.relay.binding`).

        Raises:
            SurgeryError: S433 an input is missing or of a wrong shape or dtype, S588 the stage
                gives other outputs. The run raises S434.
        """
        self._check(inputs)
        if not fits(self._outputs, outputs):
            raise misfit(self._outputs, outputs)
        if self._binding is None:
            own = {name: self._own(name) for name in self._inputs if name in self._types}
            graph = self._library["get_graph_json"]()
            self._binding = GraphBinding(self._executor, graph, own, self._outputs)
        return _failing(self._binding.bind(inputs, outputs))

    def _check(self, inputs: Mapping[str, Array]) -> None:
        missing = [name for name in self._inputs if name not in inputs]
        if missing:
            raise _missing(missing, list(inputs))
        for name, array in inputs.items():
            if name in self._types:
                _check(name, array, *self._types[name])

    def _own(self, name: str) -> Any:
        slot = self._slots.get(name)
        if slot is None:
            slot = self._slots[name] = self._get_input(name)
        return slot


class AotRunner:
    """A stage built for the AOT executor."""

    def __init__(self, library: Any, inputs: Sequence[str]) -> None:
        executor = library["default"](tvm.cpu())
        self._names = inputs
        # An input that the stage doesn't use has no place.
        index = executor["get_input_index"]
        get_input = executor["get_input"]
        self._slots = {n: get_input(n) for n in inputs if int(index(n)) >= 0}
        self._run = executor["run"]
        get_output = executor["get_output"]
        self._outputs = [get_output(i) for i in range(int(executor["get_num_outputs"]()))]

    def __call__(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Run once. Inputs by name; outputs in the stage's order, each a copy.

        Raises:
            SurgeryError: S433 an input is missing or of a wrong shape or dtype, S434 the run fails.
        """
        self._check(inputs)
        self._execute(inputs)
        return [output.numpy() for output in self._outputs]

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """Return a run that copies from these buffers and to others.

        Raises:
            SurgeryError: S433 an input is missing or of a wrong shape or dtype, S588 the stage
                gives other outputs. The run raises S434.
        """
        self._check(inputs)
        if not fits(self._outputs, outputs):
            raise misfit(self._outputs, outputs)

        def run() -> None:
            self._execute(inputs)
            store(self._outputs, outputs)

        return run

    def _execute(self, inputs: Mapping[str, Array]) -> None:
        try:
            for name, slot in self._slots.items():
                slot.copyfrom(inputs[name])
            self._run()
        except Exception as failure:
            raise run_failed(failure) from failure

    def _check(self, inputs: Mapping[str, Array]) -> None:
        missing = [name for name in self._names if name not in inputs]
        if missing:
            raise _missing(missing, list(inputs))
        for name, slot in self._slots.items():
            _check(name, inputs[name], tuple(slot.shape), dtype(slot))


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
        self._check(inputs)
        try:
            found = self._invoke([tvm.nd.array(inputs[name]) for name in self._names])
        except Exception as failure:
            raise run_failed(failure) from failure
        return [value.numpy() for value in found]

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """Return a run that reads these buffers where they are and copies its results to others.

        Raises:
            SurgeryError: S433 an input is missing. The run raises S434, and S588 where the stage
                gives other outputs.
        """
        self._check(inputs)
        arguments = [(inputs[name], view(inputs[name], as_bytes=False)) for name in self._names]

        def run() -> None:
            store(
                self._invoke([tvm.nd.array(a) if v is None else v for a, v in arguments]), outputs
            )

        return _failing(run)

    def _check(self, inputs: Mapping[str, Array]) -> None:
        missing = [name for name in self._names if name not in inputs]
        if missing:
            raise _missing(missing, list(inputs))

    def _invoke(self, arguments: Sequence[Any]) -> list[Any]:
        """Run the VM; return its results, flattened."""
        found: list[Any] = []
        stack = [self._machine.invoke("main", *arguments)]
        while stack:
            value = stack.pop()
            if isinstance(value, tvm.nd.NDArray):
                found.append(value)
            else:
                stack.extend(reversed(list(value)))
        return found


def limit_threads(count: int, cpus: Sequence[int] = ()) -> None:
    """Say how many threads, on which CPUs, run the stages that the calling thread runs.

    TVM has a pool of threads for each thread that runs kernels, made when that runs its first one.
    The calling thread is one of ``count``.

    Args:
        count: 1 or more; no more than TVM found CPUs when the pool was made.
        cpus: Those to use; by default all that this process may use.
    """
    if hasattr(os, "sched_setaffinity"):
        if cpus:
            os.sched_setaffinity(0, cpus)  # of the calling thread; its pool inherits it
        else:
            cpus = sorted(os.sched_getaffinity(0))
    configure = tvm.get_global_func("runtime.config_threadpool")
    configure(_SHARE_CPUS, count, [str(cpu) for cpu in cpus])


def _failing(run: Callable[[], None]) -> Callable[[], None]:
    """Make what a run raises a diagnostic."""

    def guarded() -> None:
        try:
            run()
        except SurgeryError:
            raise
        except Exception as failure:
            raise run_failed(failure) from failure

    return guarded


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


def run_failed(failure: Exception) -> SurgeryError:
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
