"""What a user does today, to compare with: scripts over TVM's own API, and TVM's own passes.

Each takes a typed module and leaves it as it is. They are written the way such scripts usually
are, with what Relay offers: mutators, let chains, ``post_order_visit``.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tvm
from tvm import relay
from tvm.relay.dataflow_pattern import is_op, is_tuple_get_item, wildcard

#: Where to split: after the N-th op (from 0) of a kind.
SplitPoint = tuple[str, int]


def _copy(module: tvm.IRModule) -> tvm.IRModule:
    return tvm.IRModule(dict(module.functions.items()))


# ---------------------------------------------------------------- splitting


class _Part:
    """One part of a let chain: what it binds, what it takes from before, what it gives on."""

    def __init__(self) -> None:
        self.bindings: list[tuple[Any, Any]] = []
        self.given: list[Any] = []


class LetSplitter:
    """The pipeline tests' way: A-normal form, one recursive walk down the let chain, split at ops.

    Python recursion: one frame a ``let``. Every value that a later part needs becomes an output of
    its part and a parameter of the parts that need it; constants bound so far are bound again in
    every later part, which drops those that it doesn't use.
    """

    def __init__(self, module: tvm.IRModule, points: Sequence[SplitPoint]) -> None:
        self.points = list(points)
        self.counts: dict[str, int] = {}
        self.parts = [_Part()]
        self.home: dict[Any, int] = {}
        self.constants: set[Any] = set()
        chained = relay.transform.ToANormalForm()(_copy(module))
        self.function = relay.transform.InferType()(chained)["main"]
        self.outer = set(self.function.params)

    def split(self) -> list[tvm.IRModule]:
        """Return the parts as typed modules in graph-normal form, in order."""
        result = self._walk(self.function.body)
        self._uses(result, len(self.parts) - 1)
        return [self._module(index, result) for index in range(len(self.parts))]

    def _walk(self, expr: Any) -> Any:
        if not isinstance(expr, relay.Let):
            return expr
        part = len(self.parts) - 1
        self.parts[part].bindings.append((expr.var, expr.value))
        self.home[expr.var] = part
        if isinstance(expr.value, relay.Constant):
            self.constants.add(expr.var)
        self._uses(expr.value, part)
        if isinstance(expr.value, relay.Call) and isinstance(expr.value.op, tvm.ir.Op):
            name = expr.value.op.name
            at = self.counts.get(name, 0)
            self.counts[name] = at + 1
            if self.points and self.points[0] == (name, at):
                self.points.pop(0)
                self.parts.append(_Part())
        return self._walk(expr.body)

    def _uses(self, value: Any, part: int) -> None:
        for used in _operands(value):
            if not isinstance(used, relay.Var) or used in self.outer:
                continue
            home = self.home[used]
            if home != part and used not in self.constants and used not in self.parts[home].given:
                self.parts[home].given.append(used)

    def _module(self, index: int, result: Any) -> tvm.IRModule:
        part, last = self.parts[index], index == len(self.parts) - 1
        bindings = [b for p in self.parts[:index] for b in p.bindings if b[0] in self.constants]
        bindings += part.bindings
        own = {variable for variable, _ in bindings}
        given = [result] if last else part.given
        body = given[0] if len(given) == 1 else relay.Tuple(given)
        fresh: dict[Any, Any] = {}
        for _, value in part.bindings:
            for used in _operands(value):
                if isinstance(used, relay.Var) and used not in own and used not in self.outer:
                    fresh.setdefault(used, relay.Var(used.name_hint, used.checked_type))
        for variable, value in reversed(bindings):
            body = relay.Let(variable, value, body)
        body = relay.bind(body, fresh)
        function = relay.Function(relay.analysis.free_vars(body), body)
        module = tvm.IRModule.from_expr(function)
        module = relay.transform.ToGraphNormalForm()(relay.transform.InferType()(module))
        return relay.transform.InferType()(module)


def _operands(value: Any) -> list[Any]:
    if isinstance(value, relay.Call):
        return list(value.args)
    if isinstance(value, relay.Tuple):
        return list(value.fields)
    if isinstance(value, relay.TupleGetItem):
        return [value.tuple_value]
    return [value]


def graph_split(module: tvm.IRModule, points: Sequence[SplitPoint]) -> list[tvm.IRModule]:
    """Split a module at ops, recursively over its A-normal form (see :class:`LetSplitter`)."""
    return LetSplitter(module, points).split()


def linear_split(module: tvm.IRModule, points: Sequence[SplitPoint]) -> list[tvm.IRModule]:
    """Split a module at ops in one pass over its post-order, without recursion.

    Every op is rebuilt once, and each part is typed on its own: what the splitting needs at least
    when it is written in Python over TVM's objects.
    """
    order: list[Any] = []
    relay.analysis.post_order_visit(module["main"].body, order.append)
    remaining = list(points)
    counts: dict[str, int] = {}
    home: dict[Any, int] = {}
    operands: dict[Any, list[Any]] = {}
    given: list[list[Any]] = [[]]
    nodes = [e for e in order if isinstance(e, (relay.Call, relay.Tuple, relay.TupleGetItem))]
    for expr in nodes:
        part = len(given) - 1
        home[expr] = part
        operands[expr] = _operands(expr)
        for used in operands[expr]:
            before = home.get(used, part)
            if before != part and used not in given[before]:
                given[before].append(used)
        if isinstance(expr, relay.Call) and remaining:
            name = expr.op.name
            at = counts.get(name, 0)
            counts[name] = at + 1
            if remaining[0] == (name, at):
                remaining.pop(0)
                given.append([])
    given[-1] = [module["main"].body]
    parts: list[tvm.IRModule] = []
    built: list[dict[Any, Any]] = [{} for _ in given]
    for expr in nodes:
        part = home[expr]
        here = built[part]
        values = []
        for used in operands[expr]:
            value = here.get(used)
            if value is None:
                outside = home.get(used, part) != part
                name = f"value_{len(here)}"
                value = here[used] = relay.Var(name, used.checked_type) if outside else used
            values.append(value)
        if isinstance(expr, relay.Call):
            here[expr] = relay.Call(expr.op, values, expr.attrs, expr.type_args, expr.span)
        elif isinstance(expr, relay.Tuple):
            here[expr] = relay.Tuple(values, expr.span)
        else:
            here[expr] = relay.TupleGetItem(values[0], expr.index, expr.span)
    for part, outputs in enumerate(given):
        results = [built[part][o] for o in outputs]
        body = results[0] if len(results) == 1 else relay.Tuple(results)
        function = relay.Function(relay.analysis.free_vars(body), body)
        parts.append(relay.transform.InferType()(tvm.IRModule.from_expr(function)))
    return parts


# ---------------------------------------------------------------- the rest of the table


def json_round_trip(text: str) -> str:
    """Read a module from TVM JSON, type it, and write it again."""
    module = relay.transform.InferType()(tvm.ir.load_json(text))
    return str(tvm.ir.save_json(module))


def extract_outputs(
    module: tvm.IRModule, ids: Sequence[int], *, typed: bool = False
) -> list[tvm.IRModule]:
    """Expose values one by one by TVM's own ``extract_intermdeiate_expr`` (sic).

    It leaves the modules it returns untyped; ``typed`` types each, as surgery's result is.
    """
    found = [relay.analysis.extract_intermdeiate_expr(module, i) for i in ids]
    return [relay.transform.InferType()(m) for m in found] if typed else found


def conv_pattern_table() -> list[tuple[str, Any]]:
    """Return the pattern table that states ``conv2d > bn > relu`` for TVM's BYOC passes."""
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    normal = is_op("nn.batch_norm")(conv, wildcard(), wildcard(), wildcard(), wildcard())
    return [("bmlib.conv_bn_relu", is_op("nn.relu")(is_tuple_get_item(normal, 0)))]


def byoc(module: tvm.IRModule) -> tvm.IRModule:
    """Outline every ``conv2d > bn > relu`` by TVM's own BYOC passes."""
    steps = [
        relay.transform.MergeComposite(conv_pattern_table()),
        relay.transform.AnnotateTarget("bmlib"),
        relay.transform.MergeCompilerRegions(),
        relay.transform.PartitionGraph(),
        relay.transform.InferType(),
    ]
    return tvm.transform.Sequential(steps)(_copy(module))


def process_floor(text: Path, out: Path, points: Sequence[SplitPoint]) -> None:
    """Do in one process what a whole ``apply`` can't do without: read, type, rebuild, write.

    Relay text is parsed and typed; every op is rebuilt once into parts that are typed; the whole
    and the parts are written as TVM JSON.
    """
    module = relay.transform.InferType()(relay.fromtext(text.read_text(encoding="utf-8")))
    out.mkdir(parents=True)
    (out / "module.json").write_text(tvm.ir.save_json(module), encoding="utf-8")
    for index, part in enumerate(linear_split(module, points)):
        (out / f"stage{index}.json").write_text(tvm.ir.save_json(part), encoding="utf-8")


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's bytes and bring them to the disk's cache, as a writer of weights does."""
    with source.open("rb") as reader, target.open("wb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
