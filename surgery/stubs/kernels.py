"""The kernels of a plan: what each takes, computes and gives, and where it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from surgery.graph import AttrValue, Graph, Ref, TensorType
from surgery.planning.model import Composite, Plan, Region
from surgery.stubs.names import unique_identifier

Language = Literal["c", "te"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: A C identifier, unique in the kernel.
        type: Shape, outermost dimension first, and element type.
        role: ``runtime``, ``constant`` or ``output``.
        value: A scalar constant's value, where every call has the same; else empty.
        inplace: Whether the buffer may be overwritten with the output.
    """

    name: str
    type: TensorType
    role: Literal["runtime", "constant", "output"]
    value: str = ""
    inplace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One op of a kernel: ``result = op(operands)``, in the kernel's own names."""

    result: str
    op: str
    operands: str
    attrs: Mapping[str, AttrValue]
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One call of a kernel: the region it is in, and the value that its last op computes.

    Attributes:
        constants: ``name=value`` of the scalar constants that other calls give another value.
    """

    region: str
    stage: int
    value: str
    source_name: str
    constants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A function of a backend's library.

    Attributes:
        symbol: Its C symbol.
        composite: ``BACKEND.NAME``.
        short: The ``NAME``.
        inputs: Runtime operands, then constants.
        outputs: Where it writes.
        steps: What it computes, in order.
        results: For each output, the step value it is (``t2``).
        sites: Where it is called.
    """

    symbol: str
    composite: str
    short: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    steps: tuple[Step, ...]
    results: tuple[str, ...]
    sites: tuple[Site, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, in C order: operands, then outputs."""
        return (*self.inputs, *self.outputs)


def kernels_of(plan: Plan, backend: str) -> tuple[Kernel, ...]:
    """Return the kernels of one backend, in the order in which the plan first calls them."""
    calls: dict[str, list[tuple[Region, Composite]]] = {}
    for region in plan.regions:
        if region.backend == backend:
            for composite in region.composites:
                calls.setdefault(composite.kernel, []).append((region, composite))
    return tuple(_kernel(plan, symbol, of) for symbol, of in calls.items())


def _kernel(plan: Plan, symbol: str, calls: Sequence[tuple[Region, Composite]]) -> Kernel:
    region, composite = calls[0]
    graph = plan.module.functions[region.function]
    names: set[str] = set()
    inputs: list[Parameter] = []
    differing: list[tuple[str, Sequence[str]]] = []
    for index, operand in enumerate(composite.operands):
        name = unique_identifier(operand.name, names)
        runtime = operand.source[0] != "constant"
        values = [_value(plan, r, c, index) for r, c in calls]
        common = values[0] if len(set(values)) == 1 else ""
        if any(values) and not common:
            differing.append((name, values))
        inputs.append(
            Parameter(
                name=name,
                type=operand.type,
                role="runtime" if runtime else "constant",
                value=common,
                inplace=index in composite.inplace,
            )
        )
    outputs = tuple(
        Parameter(name=unique_identifier(f"out{k}", names), type=type_, role="output")
        for k, type_ in enumerate(composite.output_types)
    )
    steps, results = _steps(graph, composite, [p.name for p in inputs], names)
    return Kernel(
        symbol=symbol,
        composite=composite.name,
        short=composite.name.partition(".")[2] or composite.name,
        inputs=tuple(inputs),
        outputs=outputs,
        steps=steps,
        results=results,
        sites=tuple(
            _site(plan, r, c, [f"{name}={values[k]}" for name, values in differing if values[k]])
            for k, (r, c) in enumerate(calls)
        ),
    )


def _value(plan: Plan, region: Region, composite: Composite, index: int) -> str:
    """Return the value that a call passes as an operand, where it is a scalar constant."""
    source = composite.operands[index].source
    if source[0] != "constant":
        return ""
    return plan.module.functions[region.function].scalar(region.constants[source[1]].node)


def _site(plan: Plan, region: Region, composite: Composite, constants: Sequence[str]) -> Site:
    graph = plan.module.functions[region.function]
    last = composite.outputs[-1]
    return Site(
        region=region.symbol,
        stage=region.stage,
        value=graph.label(last),
        source_name=graph.names[last.node] or "",
        constants=tuple(constants),
    )


def _steps(
    graph: Graph, composite: Composite, inputs: Sequence[str], names: set[str]
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Write a composite's ops in the kernel's own names, whatever model they come from."""
    texts: dict[int, str] = {}
    steps: list[Step] = []

    def operand(node: int, index: int) -> str:
        used = composite.uses.get((node, index))
        if used is not None:
            return inputs[used]
        inner = graph.operands[node][index]
        return texts.get(inner, graph.label(inner))

    for node in composite.nodes:
        operands = [operand(node, i) for i in range(len(graph.operands[node]))]
        match graph.kinds[node]:
            case "tuple":
                texts[node] = f"({', '.join(operands)})"
            case "field":
                texts[node] = f"{operands[0]}.{graph.fields[node]}"
            case "let":
                texts[node] = operands[0]
            case _:
                texts[node] = unique_identifier(f"t{len(steps)}", names)
                steps.append(
                    Step(
                        result=texts[node],
                        op=graph.ops[node] or graph.kinds[node],
                        operands=", ".join(operands),
                        attrs=graph.attrs[node],
                        type=str(graph.types[node]),
                    )
                )
    return tuple(steps), tuple(_result(texts, graph, ref) for ref in composite.outputs)


def _result(texts: Mapping[int, str], graph: Graph, ref: Ref) -> str:
    return texts.get(ref.node, graph.label(ref.node)) + "".join(f".{i}" for i in ref.path)
