"""Checks on regions: functions that a backend compiles."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from surgery.diagnostics import Diagnostic
from surgery.doctor.boundaries import Boundary
from surgery.doctor.places import Places
from surgery.graph import Graph, Module, TensorType, TupleType, ValueType
from surgery.pattern import leftover_marks
from surgery.source import Span


def is_nested(type_: ValueType) -> bool:
    """Return whether a type is a tuple that holds a tuple."""
    return isinstance(type_, TupleType) and any(isinstance(f, TupleType) for f in type_.fields)


def returns_nested(graph: Graph, id_: int) -> bool:
    """Return whether a result is a tuple in a tuple: by its type, or as it is written."""
    if is_nested(graph.types[id_]):
        return True
    value = graph.resolve(id_).node
    return graph.kinds[value] == "tuple" and any(
        graph.kinds[graph.resolve(o).node] == "tuple" or isinstance(graph.types[o], TupleType)
        for o in graph.operands[value]
    )


def differ(one: ValueType, other: ValueType) -> bool:
    """Return whether two types are known not to be the same; ``?`` may be anything."""
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        return len(one.fields) != len(other.fields) or any(
            differ(a, b) for a, b in zip(one.fields, other.fields, strict=True)
        )
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return {type(one), type(other)} == {TensorType, TupleType}
    if "?" in (one.dtype, other.dtype):
        return False
    return (
        one.dtype != other.dtype
        or len(one.shape) != len(other.shape)
        or any(
            isinstance(a, int) and isinstance(b, int) and a != b
            for a, b in zip(one.shape, other.shape, strict=True)
        )
    )


def count(number: int, what: str) -> str:
    """Return a number with its noun: ``1 argument``, ``7 arguments``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def check_symbols(module: Module, places: Places) -> list[Diagnostic]:
    """Check that each region is compiled under a symbol of its own: its function's name."""
    found: list[Diagnostic] = []
    owners: dict[str, str] = {}
    for name, graph in module.functions.items():
        symbol = graph.function_attrs.get("global_symbol")
        is_region = graph.function_attrs.get("Compiler") is not None
        if symbol is None:
            if is_region:
                found.append(
                    Diagnostic(
                        code="S324",
                        message=f"region @{name} has no global_symbol",
                        span=places.function(name),
                        reason="A backend gives its code the name that this attribute says.",
                        remedy=f'set it: `global_symbol="{name}"`',
                    )
                )
            continue
        symbol = str(symbol)
        first = owners.setdefault(symbol, name)
        if first != name:
            what, reason = (
                f"@{name} and @{first} have one symbol, {symbol}",
                "Two functions of one name can't be linked; the wrong one may run.",
            )
        elif symbol != name and symbol in module.functions:
            what, reason = (
                f"the symbol of @{name}, {symbol}, is another function's name",
                f"@{symbol} is compiled under that name too.",
            )
        elif symbol != name and is_region:
            what, reason = (
                f"the symbol of region @{name} is {symbol}, not its own name",
                "The runtime calls a region by its function's name, which nothing will define.",
            )
        else:
            continue
        found.append(
            Diagnostic(
                code="S324",
                message=what,
                span=places.function(name),
                reason=reason,
                remedy=f'give each function its own name: `global_symbol="{name}"`',
            )
        )
    return found


def check_marks(graph: Graph, places: Places) -> list[Diagnostic]:
    """Find what AnnotateTarget wrote and PartitionGraph did not take away."""
    marks = leftover_marks(graph)
    if not marks:
        return []
    first = marks[0]
    return [
        Diagnostic(
            code="S327",
            message=f"@{graph.function} still holds {count(len(marks), 'annotation')} of "
            f"AnnotateTarget, the first {graph.ops[first]} at {graph.label(first)}",
            span=places.value(graph, first),
            reason="compiler_begin and compiler_end mark where a region starts and ends; no target "
            "has code for them.",
            remedy="run `relay.transform.MergeCompilerRegions()` and `PartitionGraph()`, or give "
            "the model as it was to `surgery apply`",
        )
    ]


def place_of(region: Boundary, places: Places) -> Span | None:
    """Return where a region's function is named, or its literal bound."""
    if region.literal is None:
        return places.function(region.name)
    return places.value(region.graph, region.literal)


def check_inline(
    module: Module, regions: Sequence[Boundary], places: Places
) -> list[tuple[str, Diagnostic]]:
    """Check the symbols of a module's literals, and the calls of them.

    Each finding comes with its region's name.
    """
    found: list[tuple[str, Diagnostic]] = []
    owners = {str(g.function_attrs.get("global_symbol", n)): n for n, g in module.functions.items()}
    by_graph: dict[int, dict[int, Boundary]] = {}
    for region in regions:
        assert region.literal is not None
        by_graph.setdefault(id(region.graph), {})[region.literal] = region
        symbol, what = region.symbol, ""
        if symbol is None:
            what = f"region @{region.name} has no global_symbol"
        elif (first := owners.setdefault(symbol, region.name)) != region.name:
            what = f"@{region.name} and @{first} have one symbol, {symbol}"
        if what:
            told = Diagnostic(
                code="S324",
                message=what,
                span=place_of(region, places),
                reason="A backend gives a region's code the name that this attribute says; two of "
                "one name can't be linked.",
                remedy="give each its own: `global_symbol=NAME`, or let PartitionGraph make them",
            )
            found.append((region.name, told))
    for literals in by_graph.values():
        graph = next(iter(literals.values())).graph
        for id_, op in enumerate(graph.ops):
            if op != "fn" or graph.kinds[id_] != "call":
                continue
            callee, *arguments = graph.operands[id_]
            called = literals.get(graph.resolve(callee).node)
            if called is None:
                continue
            fault = call_fault(graph, arguments, graph, called.params, f"region @{called.name}")
            if fault:
                told = Diagnostic(
                    code="S321",
                    message=fault,
                    span=places.value(graph, id_),
                    reason="The compiled region reads as many buffers, of the types, as its own "
                    "parameters say.",
                    remedy="call it with what its parameters say",
                )
                found.append((called.name, told))
    return found


def check_region(
    region: Boundary, places: Places, served: Collection[str] | None
) -> list[Diagnostic]:
    """Check a region's boundary: its attributes, its arguments' and its result's types."""
    found: list[Diagnostic] = []
    graph, name, backend = region.graph, region.name, region.backend
    span = place_of(region, places)
    for param in region.params:
        if isinstance(graph.types[param], TupleType):
            found.append(
                Diagnostic(
                    code="S322",
                    message=f"argument {graph.label(param)} of region @{name} is a tuple: "
                    f"{graph.types[param]}",
                    span=places.value(graph, param),
                    reason="A kernel takes tensors; the graph executor refuses a tuple here.",
                    remedy="offload the op that makes the tuple as well; surgery's regions take "
                    "its fields one by one",
                )
            )
    result = graph.types[region.result]
    if returns_nested(graph, region.result):
        found.append(
            Diagnostic(
                code="S323",
                message=f"region @{name} returns a tuple in a tuple"
                + (f": {result}" if is_nested(result) else ""),
                span=span if region.literal is not None else places.value(graph, region.result),
                reason="Results are flattened when the region is called, so fields are counted "
                "differently inside and outside.",
                remedy="return the fields in one flat tuple; surgery's regions do",
            )
        )
    if region.attrs.get("Primitive") != 1:
        found.append(
            Diagnostic(
                code="S331",
                message=f"region @{name} is not Primitive",
                span=span,
                reason="TVM's passes then look into it and may fuse or inline its ops, so that its "
                f"{backend} code is never called.",
                remedy="set it: `Primitive=1`, as PartitionGraph does",
            )
        )
    if not backend:
        found.append(
            Diagnostic(
                code="S326",
                message=f"region @{name} names no backend: its `Compiler` is empty",
                span=span,
                reason="`relay.build` finds a region's codegen by this attribute.",
                remedy='say which: `Compiler="BACKEND"`, or take the attribute away',
            )
        )
    elif served is not None and backend not in served:
        found.append(
            Diagnostic(
                code="S326",
                severity="warning",
                message=f"nothing compiles region @{name}: no codegen {backend} is installed",
                span=span,
                reason=f"`relay.build` looks for the function relay.ext.{backend}, which the "
                "installed TVM doesn't have.",
                remedy=f"use a TVM built with {backend} or register relay.ext.{backend}; where "
                f"that is done elsewhere, `--codegen {backend}` says so",
            )
        )
    return found


def check_idle(graph: Graph, places: Places) -> list[Diagnostic]:
    """Find a region that computes nothing, or arguments that it has no use for."""
    name = graph.function
    if "call" not in graph.kinds:
        return [
            Diagnostic(
                code="S332",
                message=f"region @{name} is empty: it holds no op",
                span=places.function(name),
                reason="There is nothing in it for a backend to compile.",
                remedy=f"use in place of `@{name}(...)` what it returns, and remove the function",
            )
        ]
    idle = [p for p in graph.params if not graph.users[p] and p != graph.result]
    if not idle:
        return []
    prefix = f"@{name}:"
    shown = ", ".join(f"{graph.label(p).removeprefix(prefix)}: {graph.types[p]}" for p in idle)
    return [
        Diagnostic(
            code="S329",
            severity="warning",
            message=f"region @{name} never uses {count(len(idle), 'argument')}",
            span=places.value(graph, idle[0]),
            reason=f"{shown}. It is computed and passed for nothing, and a kernel that is made "
            "from the region's ops takes fewer arguments than it is called with.",
            remedy="remove it from the function and from its calls",
        )
    ]


def check_calls(module: Module, places: Places) -> list[tuple[str, Diagnostic]]:
    """Check that regions are called with what they take; each finding with its region's name."""
    regions = {
        f"@{name}": graph
        for name, graph in module.functions.items()
        if graph.function_attrs.get("Compiler") is not None
    }
    found: list[tuple[str, Diagnostic]] = []
    for graph in module.functions.values() if regions else ():
        for id_, op in enumerate(graph.ops):
            region = regions.get(op) if graph.kinds[id_] == "call" else None
            if region is None:
                continue
            fault = call_fault(graph, graph.operands[id_], region, region.params, f"region {op}")
            if fault:
                told = Diagnostic(
                    code="S321",
                    message=fault,
                    span=places.value(graph, id_),
                    reason="The compiled region reads as many buffers, of the types, as its own "
                    "parameters say.",
                    remedy="partition the original model again; the module was changed after",
                )
                found.append((op[1:], told))
    return found


def call_fault(
    graph: Graph,
    arguments: Collection[int],
    callee: Graph,
    params: Collection[int],
    title: str,
) -> str:
    """Return how a call's arguments differ from the parameters of what it calls, or ''."""
    if len(arguments) != len(params):
        return f"{title} takes {len(params)}, its call gives {count(len(arguments), 'argument')}"
    for at, (argument, param) in enumerate(zip(arguments, params, strict=True)):
        given, taken = graph.types[argument], callee.types[param]
        if differ(given, taken):
            return f"argument {at} of {title} is {given}, its parameter is {taken}"
    return ""
