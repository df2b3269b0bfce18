"""What ops cost: FLOPs, and bytes read and written, from their types alone.

The one model of costs there is (`docs/costs.md` lists it): FLOPs are twice the multiply-accumulates
of :mod:`surgery.graph.contractions` and what :mod:`surgery.graph.cost_table` says of the rest. An
`if` costs its dearer branch, a call what its function's body does. Nothing here walks recursively.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from surgery.graph.contractions import macs, shape_of
from surgery.graph.cost_table import (
    MAKERS,
    MOVES,
    PER_OPERAND,
    PER_RESULT,
    PICKS,
    SORTS,
    TRANSCENDENTAL,
    VIEWS,
)
from surgery.graph.graph import Graph, Module, Ref
from surgery.graph.ops import attribute
from surgery.graph.types import OtherType, TensorType

Measure = Literal["flops", "bytes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What each node of one function costs to run once.

    Attributes:
        flops, bytes: By node id; an ``if`` or a call holds what is inside it, a node inside a
            branch or a function literal its own as well.
        unknown: Ids of calls by op, where there is no count: one FLOP an element of the result is
            assumed, or nothing for what is no op. No ids for what only a called function holds.
        untyped: Ids of calls whose operands or result have no static shape (of a function's call:
            that hold such), in id order; they count as 0.
    """

    flops: Sequence[int]
    bytes: Sequence[int]
    unknown: Mapping[str, tuple[int, ...]]
    untyped: tuple[int, ...]

    def of(self, measure: Measure) -> Sequence[int]:
        return self.flops if measure == "flops" else self.bytes


def op_flops(graph: Graph, node: int) -> tuple[int | None, bool]:
    """Return the FLOPs of a call of an op, and whether the model counts that op.

    The number is ``None`` where a shape it depends on isn't static. An op without a count is taken
    as one FLOP an element of its result.
    """
    op = graph.ops[node]
    if op in VIEWS or op in PICKS or op in MAKERS or op in MOVES:
        return 0, True
    if op in PER_RESULT:
        return _times(PER_RESULT[op], _result_elements(graph, node)), True
    if op in PER_OPERAND:
        return _times(PER_OPERAND[op], _elements(graph, Ref(graph.operands[node][0]))), True
    found, counted = _special(graph, node, op)
    if counted:
        return found, True
    products = macs(graph, node)
    if products != 0:
        return _times(2, products), True
    return _result_elements(graph, node), False


def op_bytes(graph: Graph, node: int) -> int | None:
    """Return the bytes that a call of an op reads and writes; ``None`` where they aren't known."""
    op = graph.ops[node]
    if op in VIEWS:
        return 0
    result = _bytes(graph, Ref(node))
    if result is None:
        return None
    operands = list(dict.fromkeys(graph.operands[node]))
    if op in MAKERS:
        return result
    if op in PICKS and operands:
        picked = [_bytes(graph, Ref(o)) for o in operands[1:]]
        return None if None in picked else 2 * result + sum(p or 0 for p in picked)
    leaves = dict.fromkeys(leaf for o in operands for leaf in graph.leaves(graph.resolve(o)))
    read = [_bytes(graph, leaf) for leaf in leaves]
    return None if None in read else result + sum(r or 0 for r in read)


def _times(factor: int, count: int | None) -> int | None:
    return None if count is None else factor * count


def _elements(graph: Graph, ref: Ref) -> int | None:
    """Return the elements of a tensor, or of all tensors of a tuple."""
    total = 0
    resolved = graph.resolve(ref.node) if not ref.path else ref
    for leaf in graph.leaves(resolved):
        type_ = graph.type_of(leaf)
        if not isinstance(type_, TensorType) or not type_.is_static or type_.dtype == "?":
            return None
        total += math.prod(int(d) for d in type_.shape)
    return total


def _result_elements(graph: Graph, node: int) -> int | None:
    """Return the elements of a result; of a tuple those of its first field, which goes on."""
    leaves = graph.leaves(Ref(node))
    return _elements(graph, leaves[0]) if leaves else 0


def _bytes(graph: Graph, ref: Ref) -> int | None:
    total = 0
    for leaf in graph.leaves(ref):
        type_ = graph.type_of(leaf)
        if isinstance(type_, OtherType):
            continue
        if not isinstance(type_, TensorType) or type_.dtype == "?" or type_.nbytes is None:
            return None
        total += type_.nbytes
    return total


# -- ops whose count depends on their attributes


def _special(graph: Graph, node: int, op: str) -> tuple[int | None, bool]:
    short = op.rsplit(".", 1)[-1]
    out = _result_elements(graph, node)
    operands = graph.operands[node]
    if "_pool" in short and short[:4] in ("max_", "avg_"):
        window = attribute(graph, node, "pool_size")
        over = _elements(graph, Ref(operands[0])) if short.endswith("_grad") else out
        if not isinstance(window, tuple) or over is None:
            return None, True
        return over * math.prod(int(str(w)) for w in window), True
    if short.startswith(("resize", "upsampling")) or short in ("grid_sample", "crop_and_resize"):
        return _resampling(graph, node, short, out), True
    if op in SORTS:
        return _sort(graph, node), True
    if op == "searchsorted":
        rows = shape_of(graph, operands[0])
        if not rows or out is None:
            return None, True
        return out * math.ceil(math.log2(rows[-1] + 1)), True
    if op == "nn.lrn":
        size = attribute(graph, node, "size")
        return _times(2 * size + TRANSCENDENTAL + 3 if isinstance(size, int) else 0, out), True
    if op == "image.dilation2d":
        window = shape_of(graph, operands[1])
        layout = str(attribute(graph, node, "kernel_layout") or "IHW")
        if window is None or out is None:
            return None, True
        extents = [w for w, c in zip(window, layout, strict=False) if c in "HW"]
        return out * 2 * math.prod(extents), True
    if op == "nn.deformable_conv2d":
        return _deformable(graph, node), True
    if op in ("dft", "stft"):
        return _fourier(graph, node, op), True
    return None, False


def _resampling(graph: Graph, node: int, short: str, out: int | None) -> int | None:
    """Return the FLOPs of reading between elements: 3 a linear step, 8 a cubic one, 0 nearest."""
    method = str(attribute(graph, node, "method"))
    shape = shape_of(graph, node)
    if out is None or shape is None:
        return None
    axes = 1 if short.endswith("1d") else 3 if short.endswith("3d") or len(shape) == 5 else 2
    if "nearest" in method:
        return 0
    if "cubic" in method:
        return 2 * (1 << 2 * axes) * out
    return 3 * ((1 << axes) - 1) * out


def _sort(graph: Graph, node: int) -> int | None:
    shape = shape_of(graph, graph.operands[node][0])
    if shape is None:
        return None
    if not shape:
        return 0
    axis = attribute(graph, node, "axis")
    if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        axis = -1
    extent = shape[axis]
    return math.prod(shape) * math.ceil(math.log2(max(extent, 1)))


def _deformable(graph: Graph, node: int) -> int | None:
    """Return a convolution's FLOPs, and four multiply-adds for each element sampled."""
    out, weight = shape_of(graph, node), shape_of(graph, graph.operands[node][2])
    products = macs(graph, node)
    if out is None or weight is None or products is None:
        return None
    # What the result's channels multiply is sampled once for all of them.
    groups = attribute(graph, node, "groups")
    samples = products // max(out[1], 1) * (groups if isinstance(groups, int) else 1)
    return 2 * products + 8 * samples


def _fourier(graph: Graph, node: int, op: str) -> int | None:
    """Return the FLOPs as TVM computes it: by the sum, a complex multiply-add an element."""
    leaves = graph.leaves(Ref(node))
    out = _elements(graph, leaves[0]) if leaves else None
    shape = shape_of(graph, graph.operands[node][0])
    length = attribute(graph, node, "n_fft") if op == "stft" else shape[-1] if shape else None
    return out * length * (4 if op == "stft" else 8) if out and isinstance(length, int) else None


# -- whole functions


@dataclass(slots=True)
class _Totals:
    """What running a function (or a scope of one) once costs."""

    flops: int = 0
    bytes: int = 0


@dataclass(slots=True)
class _Walk:
    """Costs of one function, its callees known."""

    graph: Graph
    callees: Mapping[str, _Totals]
    flops: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    unknown: dict[str, list[int]] = field(default_factory=dict)
    untyped: list[int] = field(default_factory=list)

    def run(self) -> _Totals:
        graph = self.graph
        size = len(graph)
        self.flops, self.bytes = [0] * size, [0] * size
        scopes = [_Totals() for _ in graph.scope_table]
        owned: dict[int, list[int]] = {}
        for index, scope in enumerate(graph.scope_table):
            if scope.owner >= 0:
                owned.setdefault(scope.owner, []).append(index)
        bodies: dict[int, _Totals] = {}
        # The owner of a scope has a larger id than everything in it.
        for id_, kind in enumerate(graph.kinds):
            cost = None
            if kind == "call":
                cost = self._call(id_, bodies)
            elif kind == "if":
                branches = [scopes[s] for s in owned.get(id_, ())]
                cost = _Totals(
                    max((b.flops for b in branches), default=0),
                    max((b.bytes for b in branches), default=0),
                )
            elif id_ in owned:
                inside = [scopes[s] for s in owned[id_]]
                body = _Totals(sum(b.flops for b in inside), sum(b.bytes for b in inside))
                if kind == "function":
                    bodies[id_] = body
                else:
                    self.unknown.setdefault(graph.ops[id_] or kind, []).append(id_)
                    cost = body
            elif kind == "opaque":
                self.unknown.setdefault(graph.ops[id_] or kind, []).append(id_)
            if cost is not None:
                self.flops[id_], self.bytes[id_] = cost.flops, cost.bytes
                scopes[graph.scopes[id_]].flops += cost.flops
                scopes[graph.scopes[id_]].bytes += cost.bytes
        return scopes[0]

    def _call(self, id_: int, bodies: Mapping[int, _Totals]) -> _Totals:
        graph = self.graph
        op = graph.ops[id_]
        if op == "fn":
            body = bodies.get(graph.resolve(graph.operands[id_][0]).node)
            if body is None:
                self.unknown.setdefault("a call of a value", []).append(id_)
            return body or _Totals()
        if op[:1] == "@":
            callee = self.callees.get(op)
            if callee is None:
                self.unknown.setdefault(op, []).append(id_)
            return callee or _Totals()
        flops, counted = op_flops(graph, id_)
        moved = op_bytes(graph, id_)
        if flops is None or moved is None:
            self.untyped.append(id_)
        if not counted:
            self.unknown.setdefault(op, []).append(id_)
        return _Totals(flops or 0, moved or 0)


def module_costs(module: Module) -> Costs:
    """Return what each node of ``@main`` costs, callees included.

    A function that calls itself has no count: its calls are among ``unknown``.
    """
    totals: dict[str, _Totals] = {}
    unknown: dict[str, list[int]] = {}
    vague: set[str] = set()
    for name in _callees_first(module):
        graph = module.functions[name]
        walk = _Walk(graph, totals)
        totals[f"@{name}"] = walk.run()
        if walk.untyped or not vague.isdisjoint(graph.ops):
            vague.add(f"@{name}")
        for op in walk.unknown:
            unknown.setdefault(op, [])
    walk = _Walk(module.main, totals)
    walk.run()
    for op, ids in walk.unknown.items():
        unknown.setdefault(op, []).extend(ids)
    calls = [i for i, op in enumerate(module.main.ops) if op in vague]
    return Costs(
        flops=walk.flops,
        bytes=walk.bytes,
        unknown={op: tuple(ids) for op, ids in sorted(unknown.items())},
        untyped=tuple(sorted([*walk.untyped, *calls])),
    )


def _callees_first(module: Module) -> list[str]:
    """Return the functions that ``main`` calls, each after those it calls; none of a circle."""
    calls = {
        name: [c for c in dict.fromkeys(op[1:] for op in graph.ops if op[:1] == "@")
               if c in module.functions]
        for name, graph in module.functions.items()
    }  # fmt: skip
    order: list[str] = []
    state: dict[str, int] = {}  # 1: its callees are being visited, 2: done, 3: in a circle
    stack = [c for c in calls.get("main", ()) if c != "main"]
    while stack:
        name = stack[-1]
        if state.get(name, 0) >= 2:
            stack.pop()
        elif state.get(name) == 1:
            stack.pop()
            looping = any(state.get(c) in (1, 3) or c == "main" for c in calls[name])
            state[name] = 3 if looping else 2
            if not looping:
                order.append(name)
        else:
            state[name] = 1
            stack.extend(c for c in calls[name] if state.get(c, 0) == 0 and c != "main")
    return order
