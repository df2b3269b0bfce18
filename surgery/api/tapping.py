"""Reading values of intermediates: from a model and selectors to arrays and statistics."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.api.kernels import kernel_values
from surgery.api.picking import Picked, array_keys, pick, source_name
from surgery.api.plans import engine_model, plan
from surgery.api.reading import ModelLike, Progress, silent
from surgery.diagnostics import Collector, Diagnostic, error
from surgery.engines.base import Engine
from surgery.graph import Graph, Module, Ref, TensorType
from surgery.planning import BuildPlan, Plan, build_plan
from surgery.planning.settings import fusion_hazard
from surgery.syntax import ast

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.verification import Statistics

#: Statements of a spec that say what the numbers of its values are, and how it is built.
_KEPT = (ast.Model, ast.Let, ast.BindInput, ast.BindParams, ast.Prepare, ast.Build)


@dataclass(frozen=True, slots=True, kw_only=True)
class TappedValue:
    """One tensor that was read.

    Attributes:
        ref: The tensor of ``@main``.
        key: What its array is called: its source name, or the label where others have it too.
        label: How ``surgery show`` lists it (``%42``, ``%3.1``).
        op: The op that computes it, or ``input``, ``param``, ``constant``, ``if``.
        name: Its source name; '' when it has none.
        type: Its type in the model.
        shape: Its shape in this run.
        kernel: The kernel that computed it, when TVM's own kernels were read.
    """

    ref: Ref
    key: str
    label: str
    op: str
    name: str
    type: TensorType
    shape: tuple[int, ...]
    statistics: Statistics
    kernel: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the value's entry in the manifest."""
        return {
            "key": self.key,
            "value": self.label,
            "op": self.op,
            "name": self.name or None,
            "shape": list(self.shape),
            "dtype": self.type.dtype,
            **({"kernel": self.kernel} if self.kernel else {}),
            "statistics": self.statistics.as_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tapped:
    """What ``tap`` read.

    Attributes:
        values: The tensors, in the order of ``surgery show``.
        arrays: Their values by key; empty when they were not to be kept.
        inputs: What the model ran on: ``x.npz``, ``random, seed 0``.
        builds: How often the model was built.
        peak_bytes: The most memory that the process has taken so far; ``None`` where the system
            doesn't tell.
    """

    module: Module
    values: tuple[TappedValue, ...]
    arrays: Mapping[str, Array]
    build: BuildPlan
    inputs: str
    builds: int
    peak_bytes: int | None
    notes: tuple[Diagnostic, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return what was read as JSON-ready data, without the arrays."""
        return {
            "inputs": self.inputs,
            "target": self.build.target,
            "opt_level": self.build.opt_level,
            "builds": self.builds,
            "peak_bytes": self.peak_bytes,
            "values": [value.as_json() for value in self.values],
        }


def tap(
    source: ModelLike | ast.Spec,
    selectors: Sequence[str] = (),
    *,
    every: bool = False,
    model: ModelLike | None = None,
    params: Any = None,
    base: Path | None = None,
    inputs: Mapping[str, Array] | str | Path | None = None,
    seed: int | None = None,
    output: str | Path | None = None,
    keep: bool = True,
    memory: int | None = None,
    target: str | None = None,
    opt_level: int | None = None,
    debug_executor: bool = False,
    progress: Progress | None = None,
) -> Tapped:
    """Read the values of intermediates of a model, as a build of it computes them.

    Args:
        source: A model (path, loaded, or an IR module of the engine), or a spec: its model after
            ``bind`` and ``prepare``, built as its ``build`` statement says.
        selectors: What to read, in the spec language; a tuple stands for its fields. A bare glob
            (``*/attention/*``) needs no quotes.
        every: Read everything that ``@main`` computes.
        model, params, base: Of a spec, as for :func:`surgery.plan`; ``params`` also of a model.
        inputs: Arrays by name or an ``.npz`` file.
        seed: Make random inputs instead; integers that index a table stay within it.
        output: An ``.npz`` file to write, with a manifest ``OUTPUT.json`` beside it.
        keep: Return the arrays.
        memory: Bytes for values at a time, where a build's values are all there at once.
        target, opt_level: How to build; ``llvm`` and 3 by default.
        debug_executor: Build the model as it is, with no output more, and read what its kernels
            compute. What is inside a kernel, or not there any more, is left out (``notes``).

    Raises:
        SurgeryError: Selectors that pick nothing or what has no value; inputs that don't fit; a
            build or run that fails; a file that can't be written.
    """
    from surgery.runtime import npz_writer
    from surgery.verification import statistics_of, tap_stream

    tell = progress or silent
    spec = source if isinstance(source, ast.Spec) else ast.Spec(statements=())
    kept = replace(spec, statements=tuple(s for s in spec.statements if isinstance(s, _KEPT)))
    planned = plan(
        kept,
        model=model if isinstance(source, ast.Spec) else source,
        params=params,
        base=base,
        progress=tell,
    )
    loaded, engine = engine_model(planned)
    made = planned.plan
    graph = made.module.main
    lets = {s.name: s.selector for s in kept.statements if isinstance(s, ast.Let)}
    picked, notes = pick(made.module, selectors, every, lets)
    if not picked:
        raise error(
            "S211",
            "nothing is to be read",
            reason="No selector is given, or @main computes nothing.",
            remedy="name a value (`%42`, a source name, `op nn.dense`), or ask for all of them",
        )
    how = build_plan(kept)
    how = replace(
        how,
        target=how.target if target is None else target,
        opt_level=how.opt_level if opt_level is None else opt_level,
    )
    found = Collector()
    for _, fault in engine.option_faults(how, True):
        found.add(fault)
    found.raise_if_errors()
    _require_codegens(engine, made.module)
    arrays_in, origin = _inputs(made, inputs, seed)
    builds = [0]
    stream: Iterator[tuple[Ref, Array]] | None = None
    hazard = fusion_hazard(graph, how.opt_level, how.config, how.disable)
    if hazard is not None:
        notes = (*notes, replace(hazard, severity="warning"))
    kernels: dict[Ref, str] = {}
    if debug_executor:
        stream, picked, kernels, left_out = kernel_values(
            engine, loaded, picked, arrays_in, how, every, tell
        )
        notes = (*notes, *left_out)
        builds = [1]
    keys = array_keys(graph, picked)
    order = {p.ref: place for place, p in enumerate(picked)}
    values: dict[Ref, TappedValue] = {}
    arrays: dict[str, Array] = {}

    def on_batch(done: int, count: int) -> None:
        builds[0] = count
        tell("building and running", len(values), len(picked))

    with _writer(output, npz_writer) as write:
        if stream is None:
            stream = tap_stream(
                engine, loaded, [p.ref for p in picked], arrays_in,
                build=how, memory=memory, on_batch=on_batch,
            )  # fmt: skip
        for ref, array in stream:
            item = picked[order[ref]]
            values[ref] = replace(
                _value(graph, item, keys[ref], array, statistics_of(array)),
                kernel=kernels.get(ref, ""),
            )
            write(keys[ref], array)
            if keep:
                arrays[keys[ref]] = array
            tell("building and running", len(values), len(picked))
    notes = (*notes, *_not_finite(graph, [values[p.ref] for p in picked]))
    peak = _peak_bytes()
    if memory is not None and peak is not None and peak > memory:
        notes = (*notes, _over(memory, peak))
    tapped = Tapped(
        module=made.module,
        values=tuple(values[p.ref] for p in picked),
        arrays={keys[p.ref]: arrays[keys[p.ref]] for p in picked} if keep else {},
        build=how,
        inputs=origin,
        builds=builds[0],
        peak_bytes=peak,
        notes=(*(n for n in made.notes if n.severity != "error"), *notes),
    )
    if output is not None:
        _write_manifest(output, tapped)
    return tapped


# -- what it runs on


def _require_codegens(engine: Engine, module: Module) -> None:
    """Refuse a partitioned model whose regions nothing here compiles: it builds, and can't run.

    Raises:
        SurgeryError: S326, one a backend.
    """
    regions: dict[str, str] = {}
    for name, graph in module.functions.items():
        backend = graph.function_attrs.get("Compiler")
        # TVM puts a function that is to be inlined back where it is called.
        if backend is not None and not graph.function_attrs.get("Inline"):
            regions.setdefault(str(backend), name)
    served = engine.codegens(sorted(regions)) if regions else frozenset()
    found = Collector()
    for backend, name in regions.items():
        if backend not in served:
            found.add(
                Diagnostic(
                    code="S326",
                    message=f"nothing compiles region @{name}: no codegen {backend} is installed",
                    reason="The model was partitioned before, and can't run without it.",
                    remedy="read the values of the model as it was before it was partitioned, or "
                    f"register relay.ext.{backend} in this process (from Python)",
                )
            )
    found.raise_if_errors()


def _inputs(
    made: Plan, given: Mapping[str, Array] | str | Path | None, seed: int | None
) -> tuple[dict[str, Array], str]:
    from surgery.recipe import RecipeInput
    from surgery.runtime import check_inputs, load_npz, random_inputs
    from surgery.verification import input_bounds

    wanted = [RecipeInput(name=i.name, shape=i.type.shape, dtype=i.type.dtype) for i in made.inputs]
    if given is None and seed is None and wanted:
        listed = ", ".join(f"{w.name}: {w.type}" for w in wanted[:8])
        more = f" and {len(wanted) - 8} more" if len(wanted) > 8 else ""
        raise error(
            "S582",
            "no inputs are given",
            reason=f"The model takes {listed}{more}.",
            remedy="give an .npz file (`--inputs x.npz`), or a seed for random ones (`--seed 0`)",
        )
    if given is None:
        return random_inputs(wanted, seed or 0, input_bounds(made.module)), f"random, seed {seed}"
    arrays = load_npz(given) if isinstance(given, str | Path) else given
    return check_inputs(wanted, arrays), str(given) if isinstance(given, str | Path) else "given"


# -- what comes out


def _value(graph: Graph, item: Picked, key: str, array: Array, found: Statistics) -> TappedValue:
    type_ = graph.type_of(item.ref)
    assert isinstance(type_, TensorType)
    node = item.ref.node
    return TappedValue(
        ref=item.ref,
        key=key,
        label=item.label,
        op=graph.ops[node] or graph.kinds[node],
        name=source_name(graph, item.ref),
        type=type_,
        shape=tuple(int(d) for d in array.shape),
        statistics=found,
    )


@contextmanager
def _writer(
    output: str | Path | None, npz_writer: Callable[..., Any]
) -> Iterator[Callable[[str, Array], None]]:
    """Give a function that writes an array to the output as it comes, if there is one."""
    if output is None:
        yield lambda key, array: None
        return
    with npz_writer(output) as write:
        yield write


def manifest_path(output: str | Path) -> Path:
    """Return where the manifest of an ``.npz`` is written: beside it."""
    return Path(f"{output}.json")


def _write_manifest(output: str | Path, tapped: Tapped) -> None:
    from surgery.recipe import write_atomic

    if not Path(output).is_file():
        return  # a device or a pipe has nothing beside it
    text = json.dumps(tapped.as_json(), indent=2, ensure_ascii=False) + "\n"
    write_atomic(manifest_path(output), text.encode("utf-8"))


def _peak_bytes() -> int | None:
    try:
        import resource
    except ImportError:  # no such thing on this system
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _not_finite(graph: Graph, values: Sequence[TappedValue]) -> list[Diagnostic]:
    """Warn of NaN and infinity, and say where they begin among what was read."""
    odd = {v.ref.node for v in values if v.statistics.nan or v.statistics.infinite}
    if not odd:
        return []
    read = {v.ref.node for v in values}
    first = next(
        (v for v in sorted(values, key=lambda v: v.ref)
         if v.ref.node in odd and not _reads_one_of(graph, v.ref.node, odd, read)),
    )  # fmt: skip
    found = first.statistics
    named = f" ({first.name})" if first.name else ""
    return [
        Diagnostic(
            code="S374",
            severity="warning",
            message=f"{len(odd)} of {len(read)} values have elements that are NaN or infinite",
            reason=f"The first is {first.label}, {first.op}{named}: {found.nan} NaN, "
            f"{found.infinite} infinite of {found.elements}.",
            remedy="read what it reads as well, to see whether it begins there"
            if not _operands_read(graph, first.ref.node, read)
            else "look at its operands: they are finite",
        )
    ]


def _reads_one_of(graph: Graph, node: int, wanted: set[int], read: set[int]) -> bool:
    """Tell whether a value depends on one of others, through what wasn't read."""
    pending, seen = [node], {node}
    while pending:
        for operand in graph.operands[pending.pop()]:
            if operand in wanted:
                return True
            if operand not in seen and operand not in read:
                seen.add(operand)
                pending.append(operand)
    return False


def _operands_read(graph: Graph, node: int, read: set[int]) -> bool:
    fixed = ("constant", "param", "input")
    operands = (graph.resolve(o).node for o in graph.operands[node])
    return all(o in read or graph.kinds[o] in fixed for o in operands)


def _over(memory: int, peak: int) -> Diagnostic:
    return Diagnostic(
        code="S366",
        severity="warning",
        message=f"the process took {peak / 2**30:.2f} GiB at most, more than the "
        f"{memory / 2**30:.2f} GiB asked for",
        reason="Loading and compiling the model take memory that doesn't depend on how many "
        "values are read.",
        remedy="build at a lower `--opt`: from 2 on TVM computes constants ahead, and holds both",
    )
