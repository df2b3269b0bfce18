"""Source names that a pass dropped, given back to the ops that provably are what had them.

A value of the graph after a pass stands for one of the graph before it when

- it is the same input, weight or constant;
- it only hands such a value on (a cast, another layout);
- its op still has its source name, and nothing else of that op has it;
- its op is the same, and so are all its operands (an op twice on the same operands is one value);
- it stands where that value stood, as the same operand of an op that is known, or among the
  results, and its op is the same, or it is computed from that value's operands alone: a pass put
  it in its place. What it is computed by has the name as well then.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from surgery.graph.graph import Graph, Ref
from surgery.graph.types import TensorType

#: Ops that hand on a value, in another type or layout.
_SAME_VALUE = frozenset(
    ("annotation.stop_fusion", "cast", "cast_like", "copy", "device_copy", "identity",
     "layout_transform", "on_device")
)  # fmt: skip
#: Ops that do so to what is known at build time, where a pass fits a weight to a layout.
_SAME_WEIGHT = frozenset(("expand_dims", "reshape", "squeeze", "transpose"))
_LEAVES = frozenset(("input", "param", "constant"))
#: Kinds that have source names of their own.
_COMPUTED = frozenset(("call", "if"))
#: Each round can only follow from a name found in the one before.
_ROUNDS = 8
#: The most ops that a pass puts in the place of one (a softmax, a normalisation, a batch_norm).
_MOST = 40

#: Identifies a constant by the array that it holds; ``None`` when that isn't known.
ArrayKey = Callable[[int], Hashable]


def inherited_names(
    before: Graph, after: Graph, key_before: ArrayKey, key_after: ArrayKey
) -> dict[int, str]:
    """Return names for ops of ``after`` that have none, by id; linear in the sizes.

    Args:
        before, after: A function and what a pass made of it.
        key_before, key_after: Identify the constants of each by their arrays.
    """
    return _Inheritance(before, after, key_before, key_after).run()


@dataclass(slots=True)
class _Side:
    """One graph, read as values that casts and layouts are seen through."""

    graph: Graph
    array: ArrayKey
    _behind: dict[Ref, Ref] = field(default_factory=dict)
    _weights: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        graph = self.graph
        self._weights = bytearray(len(graph))
        for id_, kind in enumerate(graph.kinds):
            if kind in ("param", "constant"):
                self._weights[id_] = 1
            elif kind == "call" and graph.ops[id_] in _SAME_VALUE | _SAME_WEIGHT:
                self._weights[id_] = self._weights[graph.resolve(graph.operands[id_][0]).node]

    def behind(self, ref: Ref) -> Ref:
        """Return the value that a tensor hands on: itself, unless by a cast and the like."""
        graph, passed = self.graph, []
        while ref not in self._behind:
            id_ = ref.node
            if ref.path or graph.kinds[id_] != "call" or not graph.operands[id_]:
                break
            op = graph.ops[id_]
            if op not in _SAME_VALUE and not (op in _SAME_WEIGHT and self._weights[id_]):
                break
            passed.append(ref)
            ref = graph.resolve(graph.operands[id_][0])
        ref = self._behind.get(ref, ref)
        for each in passed:
            self._behind[each] = ref
        return ref

    def leaf(self, ref: Ref) -> Hashable:
        """Return what identifies an input, weight or constant; ``None`` for anything else."""
        graph, id_ = self.graph, ref.node
        match graph.kinds[id_]:
            case "input" | "param":
                return graph.names[id_], ref.path
            case "constant":
                scalar = graph.scalar(id_)
                if scalar:
                    return "scalar", scalar
                key = self.array(id_)
                return None if key is None else ("array", key)
            case _:
                return None

    def operands(self, id_: int) -> Iterator[Ref]:
        """Yield the tensors an op reads, tuples taken apart, casts and layouts seen through."""
        graph = self.graph
        for operand in graph.operands[id_]:
            for ref in graph.leaves(graph.resolve(operand)):
                yield self.behind(ref)

    def computed(self) -> list[int]:
        graph = self.graph
        return [
            i for i, kind in enumerate(graph.kinds) if kind in _COMPUTED and not graph.scopes[i]
        ]


class _Inheritance:
    def __init__(
        self, before: Graph, after: Graph, key_before: ArrayKey, key_after: ArrayKey
    ) -> None:
        self.old, self.new = _Side(before, key_before), _Side(after, key_after)
        self.names: dict[int, str] = {}
        #: Tensors of the graph after by what they stand for before; and the ops likewise.
        self.stands_for: dict[Ref, Ref] = {}
        self.op_of: dict[int, int] = {}
        leaves: dict[Hashable, Ref] = {}
        #: Leaves before that are one and the same, by the first of them.
        self.same: dict[Ref, Ref] = {}
        for i in range(len(before)):
            if before.kinds[i] in _LEAVES and (key := self.old.leaf(Ref(i))) is not None:
                self.same[Ref(i)] = leaves.setdefault(key, Ref(i))
        for i in range(len(after)):
            if after.kinds[i] in _LEAVES:
                there = leaves.get(self.new.leaf(Ref(i)))
                if there is not None:
                    self.stands_for[Ref(i)] = there
        self.index: dict[Hashable, list[int]] = {}
        for id_ in self.old.computed():
            looks = (before.ops[id_], tuple(self._operands_before(id_)))
            self.index.setdefault(looks, []).append(id_)

    def run(self) -> dict[int, str]:
        self._by_name()
        for _ in range(_ROUNDS):
            known = len(self.op_of), len(self.names)
            self._by_operands()
            self._by_place()
            if known == (len(self.op_of), len(self.names)):
                break
        return self.names

    def _by_name(self) -> None:
        """Find the ops that kept their names."""
        where: list[dict[tuple[str, str], int]] = []
        for side in (self.old, self.new):
            graph = side.graph
            keys = {i: (graph.ops[i], n) for i in side.computed() if (n := graph.names[i])}
            counts = Counter(keys.values())
            where.append({key: i for i, key in keys.items() if counts[key] == 1})
        for key, id_ in where[1].items():
            if key in where[0]:
                self._found(id_, where[0][key])

    def _found(self, id_: int, there: int) -> None:
        """Record that an op stands for one before it."""
        old, new = self.old.graph, self.new.graph
        ours, theirs = new.leaves(Ref(id_)), old.leaves(Ref(there))
        if len(ours) != len(theirs):
            return
        self.op_of[id_] = there
        for ref, origin in zip(ours, theirs, strict=True):
            self.stands_for[ref] = origin
        name = old.names[there]
        if name and not new.names[id_]:
            self.names[id_] = name

    def _by_operands(self) -> None:
        new = self.new.graph
        taken = set(self.op_of.values())
        for id_ in self.new.computed():
            if id_ in self.op_of:
                continue
            operands = [self._origin(r) for r in self.new.operands(id_)]
            if None in operands:
                continue
            alike = self.index.get((new.ops[id_], tuple(operands)), [])
            free = [i for i in alike if i not in taken and self._may_be(i, id_)]
            if free:
                taken.add(free[0])
                self._found(id_, free[0])

    def _operands_before(self, id_: int) -> Iterator[Ref]:
        return (self.same.get(ref, ref) for ref in self.old.operands(id_))

    def _origin(self, ref: Ref) -> Ref | None:
        there = self.stands_for.get(ref)
        if there is None:
            return None
        there = self.old.behind(there)
        return self.same.get(there, there)

    def _may_be(self, there: int, id_: int) -> bool:
        """Whether names and attributes (but types and layouts) allow an op to be the other."""
        old, new = self.old.graph, self.new.graph
        name = new.names[id_]
        if name and name != old.names[there]:
            return False
        if old.ops[there] in _SAME_VALUE:
            # One of several casts of a value: only that to the same type is the same op.
            return old.type_of(Ref(there)) == new.type_of(Ref(id_))
        # Data in another layout has other axes and shapes.
        moved = self._shapes(new, id_) != self._shapes(old, there)
        ours, theirs = new.attrs[id_], old.attrs[there]
        if not moved and _shape(new, Ref(id_)) != _shape(old, Ref(there)):
            return False
        return all(
            ours[k] == theirs[k] for k in ours.keys() & theirs.keys()
            if "layout" not in k and "dtype" not in k and not (moved and k in _MOVED)
        )  # fmt: skip

    def _shapes(self, graph: Graph, id_: int) -> list[Hashable]:
        """Return the shapes of what an op reads, as it reads it."""
        return [
            _shape(graph, r) for o in graph.operands[id_] for r in graph.leaves(graph.resolve(o))
        ]

    def _by_place(self) -> None:
        """Name what stands where an op stood: that op itself, or what was put in its place."""
        old, new = self.old.graph, self.new.graph
        gone = set(self.op_of.values())
        ends = list(
            zip(map(self.new.behind, new.outputs), map(self.old.behind, old.outputs), strict=False)
        )
        pending = sorted(self.op_of.items())
        while ends or pending:
            if not ends:
                # From the end on: each tells of those before it.
                ends = self._unsettled(*pending.pop())
                continue
            ref, origin = ends.pop()
            if origin.node in gone or ref in self.stands_for:
                continue
            if self._one_op(ref, origin):
                gone.add(origin.node)
                self._found(ref.node, origin.node)
                pending.append((ref.node, origin.node))
            elif not ref.path:
                self._replaced(ref, origin)

    def _unsettled(self, id_: int, there: int) -> list[tuple[Ref, Ref]]:
        """Return the one operand of a known op that isn't known, if all others are.

        Of two that are unknown a pass may have changed both, and kept what comes of them: a scale
        that it moved from the data to the weights.
        """
        pairs = list(zip(self.new.operands(id_), self._operands_before(there), strict=False))
        left = [(ref, origin) for ref, origin in pairs if self._origin(ref) != origin]
        return left if len(left) == 1 else []

    def _one_op(self, ref: Ref, origin: Ref) -> bool:
        """Whether the ops of two values that stand in one place are one."""
        old, new = self.old.graph, self.new.graph
        return (
            new.kinds[ref.node] in _COMPUTED
            and ref.path == origin.path
            and ref.node not in self.op_of
            and new.ops[ref.node] == old.ops[origin.node]
            and self._may_be(origin.node, ref.node)
        )

    def _replaced(self, ref: Ref, origin: Ref) -> None:
        """Take a value for that of an op which a pass replaced, if it is of its operands only."""
        old, new = self.old.graph, self.new.graph
        if new.kinds[ref.node] not in _COMPUTED or new.names[ref.node]:
            return
        if old.kinds[origin.node] not in _COMPUTED or not _alike(old, origin, new, ref):
            return
        allowed = set(self._operands_before(origin.node))
        inside, pending = [], [ref.node]
        seen = {ref.node}
        while pending:
            id_ = pending.pop()
            inside.append(id_)
            if len(inside) > _MOST:
                return
            for operand in self.new.operands(id_):
                node = operand.node
                there = self._origin(operand)
                if there is not None:
                    if there not in allowed and not self.new.leaf(operand):
                        return
                elif new.kinds[node] == "call" and not new.names[node]:
                    if node not in seen:
                        seen.add(node)
                        pending.append(node)
                elif new.kinds[node] != "constant":
                    return
        name = old.names[origin.node]
        if name:
            for id_ in inside:
                self.names.setdefault(id_, name)
        self.stands_for[ref] = origin


#: Attributes that a pass changes with the layout of an op's data.
_MOVED = frozenset(("axis", "newshape"))


def _shape(graph: Graph, ref: Ref) -> Hashable:
    type_ = graph.type_of(ref)
    return type_.shape if isinstance(type_, TensorType) else str(type_)


def _alike(a: Graph, left: Ref, b: Graph, right: Ref) -> bool:
    """Whether two values have as many elements, in another layout or of another type maybe."""
    one, other = a.type_of(left), b.type_of(right)
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return False
    if one.shape == other.shape:
        return True
    return (
        one.is_static and other.is_static
        and math.prod(map(int, one.shape)) == math.prod(map(int, other.shape))
    )  # fmt: skip
