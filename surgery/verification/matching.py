"""Which value of one graph is which of another: the same model changed, operated or built anew.

Two graphs of one structure match id by id. Others are walked from the inputs on: an op's
counterpart has the same op, attributes and (matched) operands; of several the one with the same
source name, then the first that is left. Where something was changed the source name tells, and
last the place: the same operands and shape. What only hands a value on (casts, copies,
annotations) is seen through.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from surgery.graph import Graph, Module, Ref, TensorType, is_meant

#: Ops whose result stands for their operand when structure is compared.
_SEEN_THROUGH = frozenset(
    ("annotation.stop_fusion", "cast", "cast_like", "copy", "device_copy", "identity", "on_device")
)
#: Kinds that are computed; all others are leaves or plumbing.
COMPUTED = frozenset(("call", "if", "opaque"))
#: So many unary ops in a row that only the first graph has are seen past.
_SKIPPED = 3
_DTYPES = ("dtype", "out_dtype")

_Key = Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One value in both graphs.

    Attributes:
        a, b: The tensor in each.
    """

    a: Ref
    b: Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The values two graphs have in common.

    Attributes:
        pairs: In the order in which the second graph computes them.
        unmatched_a, unmatched_b: Nodes of each body that compute a value without a counterpart.
            Casts and the like are not listed: they are seen through.
        identical: Whether the graphs have one structure, so that ids say all.
    """

    pairs: tuple[Pair, ...]
    unmatched_a: tuple[int, ...]
    unmatched_b: tuple[int, ...]
    identical: bool


def match_graphs(
    a: Module, b: Module, regions: Mapping[str, Sequence[Ref]] | None = None
) -> Matching:
    """Match the values of two ``@main``s; linear in their sizes.

    Args:
        regions: For each function of ``b`` that was taken out of ``a`` the tensors of ``a`` that
            it returns.
    """
    if _same_structure(a.main, b.main):
        pairs = [Pair(a=r, b=r) for r in computed(b.main) if _alike(a.main, r, b.main, r)]
        paired = {p.b.node for p in pairs}
        left = tuple(sorted({r.node for r in computed(b.main)} - paired))
        return Matching(pairs=tuple(pairs), unmatched_a=left, unmatched_b=left, identical=True)
    return _Matcher(a.main, b.main, regions or {}).run()


def computed(graph: Graph) -> Iterator[Ref]:
    """Yield the tensors that the body computes for somebody, in order."""
    for id_ in _live(graph):
        yield from (ref for ref in _tensors(graph, id_) if is_meant(graph, ref))


def _tensors(graph: Graph, id_: int) -> list[Ref]:
    return [r for r in graph.leaves(Ref(id_)) if isinstance(graph.type_of(r), TensorType)]


def _live(graph: Graph) -> list[int]:
    return [
        i for i, kind in enumerate(graph.kinds) if kind in COMPUTED and graph.scopes[i] == 0
    ]  # fmt: skip


def _same_structure(a: Graph, b: Graph) -> bool:
    return (
        len(a) == len(b)
        and list(a.kinds) == list(b.kinds)
        and list(a.operands) == list(b.operands)
        and dict(a.fields) == dict(b.fields)
        and a.result == b.result
    )


def _alike(a: Graph, left: Ref, b: Graph, right: Ref) -> bool:
    """Whether two tensors can be compared: one shape, and one type or both of floats."""
    one, other = a.type_of(left), b.type_of(right)
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return False
    floats = "float" in one.dtype and "float" in other.dtype
    return one.shape == other.shape and (one.dtype == other.dtype or floats)


@dataclass(slots=True)
class _Candidates:
    """Nodes of the first graph by what they look like, those that are taken aside."""

    table: dict[_Key, list[int]] = field(default_factory=dict)

    def add(self, key: _Key, id_: int) -> None:
        self.table.setdefault(key, []).append(id_)

    def left(self, key: _Key, taken: bytearray) -> list[int]:
        found = self.table.get(key)
        if found is None:
            return []
        left = [id_ for id_ in found if not taken[id_]]
        self.table[key] = left
        return left


class _Matcher:
    def __init__(self, a: Graph, b: Graph, regions: Mapping[str, Sequence[Ref]]) -> None:
        self.a, self.b = a, b
        self.regions = regions
        self.map: dict[Ref, Ref] = {}
        #: What ops that only the second graph has stand for, where their users are looked up.
        self.aside: dict[Ref, Ref] = {}
        self.taken = bytearray(len(a))
        self.index = _Candidates()
        for id_ in _live(a):
            op, shape = a.ops[id_] or a.kinds[id_], self._shape(a, id_)
            tokens = self._tokens_a(id_)
            name = a.names[id_]
            self.index.add(("exact", op, tokens, _attrs(a, id_), shape), id_)
            self.index.add(("op", op, tokens, shape), id_)
            self.index.add(("place", tokens, shape, self._users(a, id_)), id_)
            shorter = tokens
            for hops in range(1, _SKIPPED + 1):
                skipped = self._tokens_a(id_, hops)
                if skipped == shorter:
                    break
                shorter = skipped
                self.index.add(("skip", op, skipped, _attrs(a, id_), shape), id_)
            if name:
                self.index.add(("name", name, op, shape), id_)
                self.index.add(("name", name, shape), id_)

    def run(self) -> Matching:
        a, b = self.a, self.b
        matched: set[int] = set()
        seen: set[int] = set()
        for id_ in _live(b):
            op = b.ops[id_]
            if op[:1] == "@" and op[1:] in self.regions:
                if self._region(id_, self.regions[op[1:]]):
                    matched.add(id_)
                continue
            found = self._find(id_)
            if found is None:
                if op in _SEEN_THROUGH:
                    seen.add(id_)
                self._set_aside(id_)
                continue
            self.taken[found] = 1
            matched.add(id_)
            for left, right in zip(_tensors(a, found), _tensors(b, id_), strict=True):
                self.map[right] = left
        self._outputs(matched)
        pairs = tuple(
            Pair(a=self.map[r], b=r)
            for r in computed(b)
            if r in self.map and _alike(a, self.map[r], b, r)
        )
        inside = {p.a.node for p in pairs}
        return Matching(
            pairs=pairs,
            unmatched_a=tuple(
                i for i in _live(a) if not self.taken[i] and i not in inside
                and a.ops[i] not in _SEEN_THROUGH
            ),
            unmatched_b=tuple(i for i in _live(b) if i not in matched and i not in seen),
            identical=False,
        )  # fmt: skip

    def _region(self, id_: int, outputs: Sequence[Ref]) -> bool:
        tensors = _tensors(self.b, id_)
        if len(tensors) != len(outputs):
            return False
        for right, left in zip(tensors, outputs, strict=True):
            self.map[right] = left
            self.taken[left.node] = 1
        return True

    def _set_aside(self, id_: int) -> None:
        """Let an op without a counterpart stand for the operand that has its shape, if any has."""
        own = Ref(id_)
        for operand in self.b.operands[id_]:
            ref = _through(self.b, self.b.resolve(operand))
            there = self.map.get(ref, self.aside.get(ref))
            if there is not None and _alike(self.a, there, self.b, own):
                self.aside[own] = there
                return

    def _users(self, graph: Graph, id_: int) -> _Key:
        """Return the ops that use a node: an op that was put in has other users than its twin."""
        return tuple(sorted({graph.ops[u] or graph.kinds[u] for u in graph.users[id_]}))

    def _outputs(self, matched: set[int]) -> None:
        """Match what both models return at one place, where nothing else did."""
        ours, theirs = self.a.outputs, self.b.outputs
        if len(ours) != len(theirs):
            return
        for left, right in zip(ours, theirs, strict=True):
            if right not in self.map and _alike(self.a, left, self.b, right):
                self.map[right] = left
                self.taken[left.node] = 1
                matched.add(right.node)

    def _find(self, id_: int) -> int | None:
        b = self.b
        op, shape = b.ops[id_] or b.kinds[id_], self._shape(b, id_)
        name = b.names[id_]
        tokens = self._tokens_b(id_)
        keys: list[_Key] = []
        if tokens is not None:
            keys.append(("exact", op, tokens, _attrs(b, id_), shape))
        if name:
            keys.append(("name", name, op, shape))
        if tokens is not None:
            keys.append(("op", op, tokens, shape))
        if name:
            keys.append(("name", name, shape))
        if tokens is not None and op not in _SEEN_THROUGH:
            keys.append(("skip", op, tokens, _attrs(b, id_), shape))
            keys.append(("place", tokens, shape, self._users(b, id_)))
        for key in keys:
            left = self.index.left(key, self.taken)
            if left:
                return self._best(id_, left)
        return None

    def _best(self, id_: int, left: Sequence[int]) -> int:
        """Of several prefer the one of the same source name, then that with the same weights."""
        name = self.b.names[id_]
        if len(left) > 1 and name:
            named = [i for i in left if self.a.names[i] == name]
            left = named or left
        if len(left) > 1:
            weights = _weights(self.b, id_)
            alike = [i for i in left if _weights(self.a, i) == weights]
            left = alike or left
        return left[0]

    def _shape(self, graph: Graph, id_: int) -> _Key:
        shapes: list[_Key] = []
        for ref in graph.leaves(Ref(id_)):
            type_ = graph.type_of(ref)
            shapes.append(tuple(map(str, type_.shape)) if isinstance(type_, TensorType) else None)
        return tuple(shapes)

    def _tokens_a(self, id_: int, hops: int = 0) -> _Key:
        """Return what an op reads, as if so many unary ops before it weren't there."""
        a = self.a
        found: list[_Key] = []
        for operand in a.operands[id_]:
            refs = list(_operand(a, operand))
            for _ in range(hops if len(refs) == 1 else 0):
                refs = [self._before(refs[0])]
            found.append(tuple(_leaf(a, r) or (r.node, r.path) for r in refs))
        return tuple(found)

    def _before(self, ref: Ref) -> Ref:
        """Return what an op of one operand reads, if that has its shape, else its own result."""
        a = self.a
        if ref.path or a.kinds[ref.node] != "call" or len(a.operands[ref.node]) != 1:
            return ref
        before = _through(a, a.resolve(a.operands[ref.node][0]))
        return before if _alike(a, before, a, ref) else ref

    def _tokens_b(self, id_: int) -> _Key | None:
        """Return what an op reads in terms of the first graph; ``None`` if that isn't known."""
        found: list[_Key] = []
        for operand in self.b.operands[id_]:
            tokens: list[_Key] = []
            for ref in _operand(self.b, operand):
                leaf = _leaf(self.b, ref)
                if leaf is None:
                    there = self.map.get(ref, self.aside.get(ref))
                    if there is None:
                        return None
                    seen = _through(self.a, there)
                    leaf = _leaf(self.a, seen) or (seen.node, seen.path)
                tokens.append(leaf)
            found.append(tuple(tokens))
        return tuple(found)


def _operand(graph: Graph, id_: int) -> Iterable[Ref]:
    return [_through(graph, r) for r in graph.leaves(graph.resolve(id_))]


def _through(graph: Graph, ref: Ref) -> Ref:
    """Return the tensor behind casts, copies and annotations."""
    while not ref.path and graph.kinds[ref.node] == "call" and graph.ops[ref.node] in _SEEN_THROUGH:
        ref = graph.resolve(graph.operands[ref.node][0])
    return ref


def _leaf(graph: Graph, ref: Ref) -> _Key | None:
    """Return what a leaf is called in keys; ``None`` for what is computed.

    A weight may be a constant in one graph and a parameter in the other: its shape must do.
    """
    match graph.kinds[ref.node]:
        case "input":
            return "input", graph.names[ref.node], ref.path
        case "param" | "constant":
            type_ = graph.type_of(ref)
            return "weight", tuple(map(str, type_.shape)) if isinstance(type_, TensorType) else ()
        case _:
            return None


def _weights(graph: Graph, id_: int) -> tuple[str | None, ...]:
    return tuple(graph.names[o] for o in graph.operands[id_] if graph.kinds[o] == "param")


def _attrs(graph: Graph, id_: int) -> _Key:
    attrs = graph.attrs[id_]
    return tuple((k, repr(attrs[k])) for k in sorted(attrs) if k not in _DTYPES)
