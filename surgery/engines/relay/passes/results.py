"""What ``@main`` returns by a plan, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass

from surgery.engines.relay.passes.carry import Expr, relay
from surgery.engines.relay.rebuild import Rebuilder, internal
from surgery.graph import Graph, Ref, TensorType
from surgery.planning.model import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The tensors that ``@main`` returns, in order.

    Attributes:
        refs: One a place of the flattened result.
        types: Their types.
        changed: Whether they differ from what the model returned before.
        whole: The model's own result, with its (nested) structure.
    """

    refs: tuple[Ref, ...]
    types: tuple[TensorType, ...]
    changed: bool
    whole: Ref

    def body(self, rebuilder: Rebuilder) -> Expr:
        """Return the function's new body: as it was structured, or a flat tuple if it changes."""
        if not self.changed:
            return rebuilder.values([self.whole])[0]
        values = rebuilder.values(self.refs)
        return values[0] if len(values) == 1 else relay.Tuple(values)


def result_refs(plan: Plan) -> Results:
    """Return what the plan's ``@main`` returns.

    Raises:
        SurgeryError: A place has no value, or a value is computed conditionally (``S300``).
    """
    graph: Graph = plan.module.main
    by_index: dict[int, tuple[Ref, TensorType]] = {}
    for output in plan.outputs:
        by_index.setdefault(output.index, (output.ref, output.type))
    if not by_index or sorted(by_index) != list(range(len(by_index))):
        raise internal("the plan's outputs leave a gap", f"places {sorted(by_index)}")
    refs = tuple(by_index[i][0] for i in range(len(by_index)))
    for ref in refs:
        if graph.scopes[ref.node] != 0:
            raise internal(f"{graph.label(ref)} is conditional", "it is not always computed")
    return Results(
        refs=refs,
        types=tuple(by_index[i][1] for i in range(len(by_index))),
        changed=refs != graph.outputs,
        whole=Ref(graph.result),
    )
