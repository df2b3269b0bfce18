"""Runs graphs and plans on made-up values: an op's result is a term of its operands.

Two programs compute the same exactly when their terms are equal, whatever the ops mean, so a plan
can be checked without a compiler.
"""

from __future__ import annotations

from collections.abc import Mapping

from surgery.graph import Graph, Ref
from surgery.planning import Plan

Term = tuple[object, ...]


class _Machine:
    """Evaluates values of a graph given the terms of some of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known: dict[Ref, Term] = {}

    def read(self, ref: Ref) -> Term:
        """Return the term of a tensor, or of a tuple made of known fields."""
        graph = self.graph
        if ref in self.known:
            return self.known[ref]
        if graph.kinds[ref.node] == "constant":
            return ("constant", ref.node)
        leaves = graph.leaves(ref)
        if leaves != [ref]:
            return ("tuple", *(self.read(leaf) for leaf in leaves))
        raise AssertionError(f"{graph.label(ref)} is used but neither computed nor given")

    def compute(self, node: int) -> None:
        """Compute one op of the body; scopes inside it are part of it."""
        graph = self.graph
        operands = tuple(
            self.read(graph.leaves(Ref(o))[0]) if len(graph.leaves(Ref(o))) == 1
            else self.read(Ref(o))
            for o in graph.operands[node]
        )  # fmt: skip
        term = (graph.ops[node], *operands)
        for leaf in graph.leaves(Ref(node)):
            self.known[leaf] = (*term, leaf.path) if leaf.path else term


def whole(graph: Graph, refs: list[Ref]) -> list[Term]:
    """Compute tensors of a graph in one piece."""
    machine = _Machine(graph)
    for node, kind in enumerate(graph.kinds):
        if kind in ("input", "param"):
            machine.known[Ref(node)] = (kind, graph.names[node])
        elif kind == "call":
            machine.compute(node)
    return [machine.read(r) for r in refs]


def staged(plan: Plan) -> Mapping[str, Term]:
    """Run a plan's stages in order, each seeing only what it is given; return public outputs."""
    graph = plan.module.main
    values: dict[tuple[int, str], Term] = {}
    for stage in plan.stages:
        machine = _Machine(graph)
        by_name = {graph.names[p] or "": p for p in graph.params}
        for given in stage.inputs:
            machine.known[given.ref] = (
                ("input", given.name) if given.source is None else values[given.source, given.name]
            )
        for name in stage.params:
            machine.known[Ref(by_name[name])] = ("param", name)
        for node in stage.nodes:
            if graph.kinds[node] == "call":
                machine.compute(node)
        for output in stage.outputs:
            values[stage.index, output.name] = machine.read(output.ref)
    public: dict[str, Term] = {}
    for output in plan.outputs:
        (term,) = {
            values[s.index, o.name]
            for s in plan.stages
            for o in s.outputs
            if o.public and o.ref == output.ref
        }
        public[output.name] = term
    return public
