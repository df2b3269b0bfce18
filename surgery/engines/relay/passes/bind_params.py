"""``surgery.BindParams``: weights become constants of ``@main``."""

from __future__ import annotations

from dataclasses import dataclass

from surgery.engines.relay.passes.carry import (
    Carrier,
    Expr,
    IRModule,
    Standing,
    module_pass,
    relay,
)
from surgery.engines.relay.rebuild import Rebuilder, internal
from surgery.graph import Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class BindParams:
    """Options of the pass.

    Attributes:
        names: Weights to bind, sorted.
    """

    names: tuple[str, ...]

    def as_pass(self, carrier: Carrier) -> Expr:
        """Return the TVM pass."""
        return module_pass("surgery.BindParams", lambda module: self.apply(module, carrier))

    def apply(self, module: IRModule, carrier: Carrier) -> IRModule:
        """Return a module whose ``@main`` has the weights inside; no value is copied."""
        standing = carrier.read(module, "main")
        graph = carrier.graph("main")
        bound: dict[int, Expr] = {}
        ids = {graph.names[p]: p for p in graph.params if graph.kinds[p] == "param"}
        for name in self.names:
            if name not in ids or name not in carrier.params:
                raise internal(f"weight `{name}` cannot be bound", "it has no known value")
            bound[ids[name]] = relay.Constant(carrier.params[name])
        rebuilder = Rebuilder(
            graph=graph,
            exprs=standing.exprs,
            replace={Ref(id_): constant for id_, constant in bound.items()},
        )
        body = rebuilder.values([Ref(graph.result)])[0]
        old = standing.function
        params = [standing.exprs[p] for p in graph.params if p not in bound]
        function = relay.Function(params, body, None, old.type_params, old.attrs, old.span)
        exprs = rebuilder.updated_exprs()
        for id_, constant in bound.items():
            exprs[id_] = constant
        return carrier.write(module, {"main": Standing(function=function, exprs=exprs)})
