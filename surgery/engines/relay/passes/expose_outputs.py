"""``surgery.ExposeOutputs``: ``@main`` returns the plan's outputs, one flat tuple of tensors."""

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
from surgery.engines.relay.passes.results import Results
from surgery.engines.relay.rebuild import Rebuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeOutputs:
    """Options of the pass.

    Attributes:
        results: What ``@main`` is to return.
    """

    results: Results

    def as_pass(self, carrier: Carrier) -> Expr:
        """Return the TVM pass."""
        return module_pass("surgery.ExposeOutputs", lambda module: self.apply(module, carrier))

    def apply(self, module: IRModule, carrier: Carrier) -> IRModule:
        """Return a module with the new result; only values bound by ``let`` are rebuilt."""
        standing = carrier.read(module, "main")
        rebuilder = Rebuilder(graph=carrier.graph("main"), exprs=standing.exprs)
        body = self.results.body(rebuilder)
        old = standing.function
        # The old result type no longer holds.
        function = relay.Function(old.params, body, None, old.type_params, old.attrs, old.span)
        new = Standing(function=function, exprs=rebuilder.updated_exprs())
        return carrier.write(module, {"main": new})
