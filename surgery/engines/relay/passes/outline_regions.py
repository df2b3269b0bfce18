"""``surgery.OutlineRegions``: each region becomes a function of its own, called where it was.

A region is a global function that a backend compiles; its body calls composite function literals,
in the order they run. The call and the function have the same parameters in the same order, and
so has each composite and its call; every result is one flat tuple of tensors. Embedded constants
are inside the composites: what the runtime passes is what the region's code takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgery.engines.relay.composites import mark_kernel
from surgery.engines.relay.copying import copy_call
from surgery.engines.relay.passes.carry import (
    Carrier,
    Expr,
    IRModule,
    Standing,
    module_pass,
    relay,
    relay_result_type,
    relay_type,
)
from surgery.engines.relay.passes.results import Results
from surgery.engines.relay.rebuild import OutlinedCall, Rebuilder, internal
from surgery.engines.relay.traversal import traverse
from surgery.graph import Graph, Ref
from surgery.planning.model import Composite, Region


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineRegions:
    """Options of the pass.

    Attributes:
        regions: The regions, by the function they are in.
        results: What ``@main`` returns.
    """

    regions: Mapping[str, Sequence[Region]]
    results: Results

    def as_pass(self, carrier: Carrier) -> Expr:
        """Return the TVM pass."""
        return module_pass("surgery.OutlineRegions", lambda module: self.apply(module, carrier))

    def apply(self, module: IRModule, carrier: Carrier) -> IRModule:
        """Return a module with one function more a region, and calls in place of their ops.

        Raises:
            SurgeryError: A region isn't closed, convex or flat, or its symbol is taken (``S300``).
        """
        taken = {str(v.name_hint) for v in module.get_global_vars()}
        changed: dict[str, Standing] = {}
        added: list[tuple[Expr, Expr]] = []
        for name, regions in self.regions.items():
            standing = carrier.read(module, name)
            graph = carrier.graph(name)
            calls = []
            for region in regions:
                if region.symbol in taken:
                    raise internal(f"@{region.symbol} is taken", "the module has such a function")
                taken.add(region.symbol)
                callee = relay.GlobalVar(region.symbol)
                added.append((callee, _region_function(region, graph, standing, carrier.params)))
                calls.append(outlined_call(region, callee))
            rebuilder = Rebuilder(graph=graph, exprs=standing.exprs, calls=calls)
            if name == "main":
                body = self.results.body(rebuilder)
            else:
                body = rebuilder.values([Ref(graph.result)])[0]
            old = standing.function
            # A weight that is now inside regions only is no parameter any more.
            gone = {c.node for r in regions for c in r.constants if c.embedded} - rebuilder.used
            left = [standing.exprs[g] for g in gone]
            addresses = {e.handle.value for e in left if e is not None}
            params = [p for p in old.params if p.handle.value not in addresses]
            function = relay.Function(
                params, body, None if name == "main" else old.ret_type, old.type_params,
                old.attrs, old.span,
            )  # fmt: skip
            standings = {}
            for index, region in enumerate(regions):
                found = rebuilder.result(index)
                if found is not None:
                    standings[region.symbol] = found
            changed[name] = Standing(
                function=function, exprs=rebuilder.updated_exprs(), calls=standings
            )
        return carrier.write(module, changed, added)


def outlined_call(
    region: Region, callee: Expr, standing: tuple[Expr, tuple[Expr, ...]] | None = None
) -> OutlinedCall:
    """Return a region as its caller sees it.

    Args:
        standing: The call as it stands in the module and the tensors it returns, if it does.
    """
    passed = [a.ref for a in region.arguments]
    passed += [Ref(c.node) for c in region.constants if not c.embedded]
    return OutlinedCall(
        symbol=region.symbol,
        callee=callee,
        operands=tuple(passed),
        outputs=region.outputs,
        nodes=region.nodes,
        call=standing[0] if standing else None,
        results=standing[1] if standing else (),
    )


def _region_function(
    region: Region, graph: Graph, standing: Standing, weights: Mapping[str, Any]
) -> Expr:
    signature = [(a.name, a.type) for a in region.arguments]
    signature += [(c.name, c.type) for c in region.constants if not c.embedded]
    names = _distinct([name for name, _ in signature])
    outer = [relay.Var(n, relay_type(t)) for n, (_, t) in zip(names, signature, strict=True)]
    passed = dict(
        zip((i for i, c in enumerate(region.constants) if not c.embedded),
            outer[len(region.arguments) :], strict=True)
    )  # fmt: skip

    results: list[list[Expr]] = []
    for composite in region.composites:
        given: list[Expr | None] = []
        for operand in composite.operands:
            match operand.source:
                case ("argument", index):
                    given.append(outer[index])
                case ("constant", index):
                    given.append(passed.get(index))
                case ("composite", index, output):
                    given.append(results[index][output])
        literal = _composite_function(region, composite, given, graph, standing, weights)
        call = relay.Call(literal, [g for g in given if g is not None])
        several = len(composite.outputs) > 1
        results.append(
            [relay.TupleGetItem(call, i) for i in range(len(composite.outputs))]
            if several
            else [call]
        )
    produced = {
        ref: results[j][k]
        for j, composite in enumerate(region.composites)
        for k, ref in enumerate(composite.outputs)
    }
    last = region.composites[-1]
    if len(region.outputs) > 1 and region.outputs == last.outputs:
        body = results[-1][0].tuple_value  # the composite's own tuple
    elif len(region.outputs) == 1:
        body = produced[region.outputs[0]]
    else:
        body = relay.Tuple([produced[r] for r in region.outputs])
    return relay.Function(outer, body, relay_result_type(region.output_types)).with_attr(
        {
            "Primitive": 1,
            "Inline": 1,
            "Compiler": region.backend,
            "global_symbol": region.symbol,
        }
    )


def _composite_function(
    region: Region,
    composite: Composite,
    given: Sequence[Expr | None],
    graph: Graph,
    standing: Standing,
    weights: Mapping[str, Any],
) -> Expr:
    """Return a composite as a function literal.

    Args:
        given: What its call passes for each operand; ``None`` for what is embedded.
    """
    passed = [o for o, g in zip(composite.operands, given, strict=True) if g is not None]
    names = _distinct([o.name for o in passed])
    params = [relay.Var(n, relay_type(o.type)) for n, o in zip(names, passed, strict=True)]
    left = iter(params)
    leaves: list[Expr] = []
    for operand, value in zip(composite.operands, given, strict=True):
        if value is not None:
            leaves.append(next(left))
            continue
        # An object of its own for each operand: codegens tell operands apart by it.
        node = region.constants[operand.source[1]].node
        leaves.append(relay.Constant(_constant(node, graph, standing, weights)))
    body = _composite_body(composite, graph, standing, leaves)
    literal = relay.Function(params, body, relay_result_type(composite.output_types))
    literal = literal.with_attr(
        {"Composite": composite.name, "PartitionedFromPattern": composite.pattern}
    )
    _check(composite, graph, literal, len(params))
    return mark_kernel(literal, composite.kernel, leaves)


def _distinct(names: Sequence[str]) -> list[str]:
    """Number repeated names: a function's parameters must differ."""
    found: list[str] = []
    seen: set[str] = set()
    for name in names:
        new, count = name, 1
        while new in seen:
            new = f"{name}_{count}"
            count += 1
        seen.add(new)
        found.append(new)
    return found


def _constant(node: int, graph: Graph, standing: Standing, weights: Mapping[str, Any]) -> Any:
    expr = standing.exprs[node]
    if isinstance(expr, relay.Constant):
        return expr.data
    name = graph.names[node]
    if name is None or name not in weights:
        raise internal(f"{graph.label(node)} cannot be embedded", "its value is not known")
    return weights[name]


def _composite_body(
    composite: Composite, graph: Graph, standing: Standing, leaves: Sequence[Expr]
) -> Expr:
    values: dict[int, Expr] = {}

    def inside(ref: Ref) -> Expr:
        expr = values.get(ref.node)
        if expr is None:
            raise internal(
                f"composite {composite.name} is not closed",
                f"{graph.label(ref)} is used in it and is neither inside nor an operand",
            )
        for index in ref.path:
            expr = relay.TupleGetItem(expr, index)
        return expr

    copy = copy_call()
    skipped = _annotations(composite, graph)
    for node in composite.nodes:
        operands = []
        for place, operand in enumerate(graph.operands[node]):
            slot = composite.uses.get((node, place))
            if slot is not None:
                operands.append(leaves[slot])
            elif operand in values:
                operands.append(values[operand])
            else:
                operands.append(inside(graph.resolve(operand)))
        old = standing.exprs[node]
        match graph.kinds[node]:
            case "call" if node in skipped:
                values[node] = operands[0]
            case "call" if graph.ops[node] != "fn":
                values[node] = copy(old, operands)
            case "field":
                values[node] = relay.expr.TupleGetItemWithFields(old, operands[0])
            case "tuple":
                values[node] = relay.expr.TupleWithFields(old, operands)
            case "let":
                values[node] = operands[0]
            case kind:
                raise internal(f"{graph.label(node)} cannot be in a region", f"it is a {kind}")
    taken = {graph.resolve(n): n for n in reversed(composite.nodes) if graph.kinds[n] == "field"}
    results = [values[taken[r]] if r in taken else inside(r) for r in composite.outputs]
    return results[0] if len(results) == 1 else relay.Tuple(results)


def _annotations(composite: Composite, graph: Graph) -> frozenset[int]:
    """Return the identities inside that only tell a compiler something: they are left out.

    No kernel needs them, and TVM can't compile all of them.
    """
    calls = [n for n in composite.nodes if graph.kinds[n] == "call"]
    found = frozenset(
        n for n in calls if graph.ops[n].startswith("annotation.") or graph.ops[n] == "on_device"
    )
    return found if len(found) < len(calls) else frozenset()


def _check(composite: Composite, graph: Graph, literal: Expr, arity: int) -> None:
    """Make sure of what a backend relies on: the planned ops, flat tensors, as many as passed."""
    walked = traverse(literal)
    skipped = _annotations(composite, graph)
    planned = sorted(
        graph.ops[n] for n in composite.nodes if graph.kinds[n] == "call" and n not in skipped
    )
    found = sorted(o for k, o in zip(walked.kinds, walked.ops, strict=True) if k == "call")
    if planned != found:
        raise internal(
            f"composite {composite.name} does not hold what was planned",
            f"planned {', '.join(planned)}; found {', '.join(found)}",
        )
    free = walked.kinds.count("local")
    if free or len(walked.params) != arity or len(composite.outputs) != len(composite.output_types):
        raise internal(
            f"composite {composite.name} does not agree with its call",
            f"{len(walked.params)} parameters for {arity} arguments, {free} of them free",
        )
