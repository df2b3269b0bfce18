"""Sites that TVM's own matcher finds, for patterns that surgery's language can't say."""

from __future__ import annotations

from typing import Any

from surgery.engines.relay.dataflow import DFPattern
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.tvm_import import tvm
from surgery.planning.tables import TableSite


def native_sites(pattern: DFPattern, model: RelayModel, function: str) -> list[TableSite]:
    """Return where TVM's matcher finds a pattern in a function, by id of the last value.

    Whether a site may be taken out is not looked at.
    """
    module = tvm()
    graph, exprs = model.module.functions[function], model.exprs[function]
    kinds = module.relay.dataflow_pattern
    ids = {int(e.handle.value): i for i, e in enumerate(exprs) if graph.kinds[i] != "let"}
    # Alternatives and constraints match what the part inside them matches: a leaf, or an op.
    inner = (kinds.CallPattern, kinds.TuplePattern, kinds.TupleGetItemPattern)
    found: list[TableSite] = []

    class Collect(kinds.DFPatternCallback):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(rewrite_once=True)
            self.pattern = pattern

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            nodes = {
                ids[int(expr.handle.value)]
                for part, exprs in node_map.items()
                if isinstance(part, inner)
                for expr in exprs
                if int(expr.handle.value) in ids
            }
            root = ids.get(int(pre.handle.value))
            inside = frozenset(n for n in nodes if graph.kinds[n] in ("call", "tuple", "field"))
            if root is not None and root in inside:
                found.append(TableSite(root=root, nodes=inside))
            return pre

    kinds.rewrite(Collect(), model.ir[function].body)
    return sorted(found, key=lambda site: site.root)
