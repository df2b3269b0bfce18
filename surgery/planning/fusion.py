"""Groups of ops that TVM's FuseOps would compile into one kernel.

After Chen et al., *TVM* (OSDI 2018), section 3, and `src/relay/transforms/fuse_ops.cc`: an op joins
its immediate post-dominator where the fusion kinds of both and of all on the paths between allow
that. Tuples end a group here, where TVM may go on through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surgery.graph import Graph, Ref, TupleType
from surgery.graph.op_table import OPS
from surgery.graph.ops import FIELD0_OPS

#: TVM's fusion kinds in its order: elementwise, broadcast, injective, reduction, output fusable,
#: opaque.
_KINDS = "ebirfo"
_ELEMENTWISE, _BROADCAST, _INJECTIVE, _REDUCTION, _FUSABLE, _OPAQUE = range(len(_KINDS))
#: TVM's default of `relay.FuseOps.max_depth`.
_MOST = 256


def fused_groups(graph: Graph, nodes: Iterable[int]) -> list[tuple[int, ...]]:
    """Return the groups that some ops of a function's body fall into, by their last op.

    Args:
        nodes: Ids of calls, ifs and other values that are computed, all of the body.
    """
    return _Fusion(graph, sorted(nodes)).run()


class _Fusion:
    def __init__(self, graph: Graph, nodes: Sequence[int]) -> None:
        self.graph = graph
        self.nodes = nodes
        self.place = {id_: at for at, id_ in enumerate(nodes)}
        self.kind = [self._kind_of(id_) for id_ in nodes]
        self.users: list[list[tuple[int, int]]] = [[] for _ in nodes]  # place and kind of the use
        self.escapes = bytearray(len(nodes))  # used by something that fuses with nothing
        self.group = list(range(len(nodes)))
        self.size = [1] * len(nodes)
        self.anchor = list(self.kind)

    def run(self) -> list[tuple[int, ...]]:
        self._link()
        parent, along = self._post_dominators()
        for phase in (0, 1):
            for at in range(len(self.nodes)):
                self._try(at, parent[at], along[at], phase)
        members: dict[int, list[int]] = {}
        for at, id_ in enumerate(self.nodes):
            members.setdefault(self._find(at), []).append(id_)
        return sorted((tuple(m) for m in members.values()), key=lambda m: m[-1])

    def _kind_of(self, id_: int) -> int:
        graph = self.graph
        if graph.kinds[id_] != "call" or graph.ops[id_] not in OPS:
            return _OPAQUE
        if graph.ops[id_] in FIELD0_OPS:
            return _BROADCAST  # what SimplifyInference, which every build runs, makes of them
        return _KINDS.index(OPS[graph.ops[id_]][1])

    def _link(self) -> None:
        graph, place = self.graph, self.place
        for id_, operands in enumerate(graph.operands):
            user, inside = place.get(id_), graph.scopes[id_]
            if user is None and not inside:
                continue  # plumbing is seen through by what uses it; the rest takes no part
            for operand in operands:
                whole = graph.resolve(operand)
                through = graph.kinds[whole.node] == "tuple"
                for leaf in graph.leaves(whole) if through else (whole,):
                    source = place.get(leaf.node)
                    if source is None:
                        continue
                    if user is None or through:
                        self.escapes[source] = 1
                    else:
                        self.users[source].append((user, self._use(leaf, user)))
        for output in graph.outputs:
            if output.node in place:
                self.escapes[place[output.node]] = 1

    def _use(self, source: Ref, user: int) -> int:
        """Return the kind of a use: a broadcast that keeps the shape is elementwise."""
        kind = self.kind[user]
        if kind == _BROADCAST:
            graph = self.graph
            result = graph.types[self.nodes[user]]
            if isinstance(result, TupleType):
                result = result.fields[0]
            if graph.type_of(source) == result:
                return _ELEMENTWISE
        return kind

    def _post_dominators(self) -> tuple[list[int], list[int]]:
        """Return for each place its immediate post-dominator (-1: none) and the kind of the way."""
        size = len(self.nodes)
        parent, along, depth = [-1] * size, [_OPAQUE] * size, [0] * size
        for at in range(size - 1, -1, -1):
            if self.escapes[at] or not self.users[at]:
                continue
            meet, worst = self.users[at][0]
            for user, kind in self.users[at][1:]:
                worst = max(worst, kind)
                other = user
                while meet != other and meet >= 0 and other >= 0:
                    if depth[meet] < depth[other]:
                        worst = max(worst, along[other])
                        other = parent[other]
                    elif depth[other] < depth[meet]:
                        worst = max(worst, along[meet])
                        meet = parent[meet]
                    else:
                        worst = max(worst, along[meet], along[other])
                        meet, other = parent[meet], parent[other]
                if meet != other:
                    meet = -1
                    break
            if meet >= 0:
                parent[at], along[at], depth[at] = meet, worst, depth[meet] + 1
        return parent, along

    def _find(self, at: int) -> int:
        while self.group[at] != at:
            self.group[at] = self.group[self.group[at]]
            at = self.group[at]
        return at

    def _try(self, at: int, parent: int, along: int, phase: int) -> None:
        """Fuse one op's group into that of its post-dominator, if TVM would."""
        mine = self.anchor[self._find(at)]
        if parent < 0 or mine == _OPAQUE or self._find(at) == self._find(parent):
            return
        if mine == _FUSABLE:
            ok = phase == 0 and along == _ELEMENTWISE and self._path(at, parent, _BROADCAST, None)
        elif mine <= _BROADCAST:
            ok = (along <= _INJECTIVE or along == _REDUCTION) and self._path(
                at, parent, _INJECTIVE, (_BROADCAST, _INJECTIVE, _REDUCTION, _FUSABLE)
            )
        elif mine == _INJECTIVE:
            ok = phase == 1 and self._path(at, parent, _INJECTIVE, None)
        else:
            ok = False
        if ok:
            self._join(at, parent)

    def _path(self, at: int, end: int, most: int, sink: tuple[int, ...] | None) -> bool:
        """Return whether all groups on the way, and the one at its end, are of fitting kinds."""
        last = self.anchor[self._find(end)]
        if not (last <= most if sink is None else last <= _BROADCAST or last in sink):
            return False
        inner = self._between(at, end, most)
        groups = {self._find(i) for i in (at, *(inner or ()), end)}
        return inner is not None and sum(self.size[g] for g in groups) <= _MOST

    def _between(self, at: int, end: int, most: int) -> set[int] | None:
        """Return the places on the ways to a post-dominator; ``None``: one is of another kind."""
        seen: set[int] = set()
        stack = [at]
        while stack:
            for user, _ in self.users[stack.pop()]:
                if user != end and user not in seen:
                    if self.anchor[self._find(user)] > most:
                        return None
                    seen.add(user)
                    stack.append(user)
        return seen

    def _join(self, at: int, end: int) -> None:
        root = self._find(end)
        for other in (at, *(self._between(at, end, _OPAQUE) or ())):
            mine = self._find(other)
            if mine != root:
                self.group[mine] = root
                self.size[root] += self.size[mine]
                self.anchor[root] = max(self.anchor[root], self.anchor[mine])


def group_signature(graph: Graph, group: Sequence[int], fixed: bytearray) -> str:
    """Return what of a group decides how long it runs: ops, attributes, types, what reads what.

    Two groups of one signature are compiled to the same kernel.

    Args:
        fixed: Marks what is known when the group is compiled: weights, and what they decide.
    """
    local: dict[int, int] = {id_: at for at, id_ in enumerate(group)}
    outside: dict[Ref, int] = {}
    parts: list[str] = []

    def told(ref: Ref) -> str:
        path = "".join(f".{i}" for i in ref.path)
        if ref.node in local:
            return f"#{local[ref.node]}{path}"
        type_ = graph.type_of(ref)
        value = graph.attrs[ref.node].get("value") if graph.kinds[ref.node] == "constant" else None
        if value is not None:
            return f"{type_}={value!r}"
        index = outside.setdefault(ref, len(outside))
        return f"{'w' if fixed[ref.node] else 'x'}{index}: {type_}"

    for id_ in group:
        operands = []
        for operand in graph.operands[id_]:
            whole = graph.resolve(operand)
            if graph.kinds[whole.node] == "tuple":
                operands.append("(" + ", ".join(told(leaf) for leaf in graph.leaves(whole)) + ")")
            else:
                operands.append(told(whole))
        attrs = ", ".join(f"{k}={v!r}" for k, v in sorted(graph.attrs[id_].items()))
        parts.append(f"{graph.ops[id_]}({', '.join(operands)}){{{attrs}}}: {graph.types[id_]}")
    return "; ".join(parts)
