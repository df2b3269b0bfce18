"""Which kernels a build has, and which values of the model they compute.

TVM keeps no record of that. So the ops of the model are given spans that name them (``#42``), and
its compiler is watched: after each pass, ops that lost the span get it back where it is proven
whose it was (:func:`surgery.graph.inherited_names`). The kernels are the fused functions of the
last module; the graph that is executed must call them in the same order on the same operands.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import error
from surgery.engines.base import Kernel
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.naming import carried_names, named_module
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.engines.relay.view import view
from surgery.graph import Dim, Graph, Ref, TensorType

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.engines.relay.model import Expr, IRModule

tvm = load_tvm()
relay = tvm.relay

#: Passes that only type, or only call others.
_SAME = frozenset(("InferType", "sequential"))
#: Passes that make the fused functions, and complete them.
_FUSED = frozenset(("FuseOps", "InlineGlobals", "LabelOps", "AnnotateMemoryScope"))
_FUSES = "FuseOps"
#: Ops that hand the very numbers on.
_MOVES = frozenset(("annotation.stop_fusion", "copy", "device_copy", "layout_transform"))


def marked(model: RelayModel) -> IRModule:
    """Return the model's module with each op of ``main`` named after its id.

    Raises:
        SurgeryError: S435 for a main with ``let``, whose ops can't be named.
    """
    main = model.module.main
    if "let" in main.kinds:
        raise error(
            "S435",
            "the kernels of a model with `let` can't be told apart",
            reason="its graph is written as a sequence of bindings",
            remedy="write `prepare ToGraphNormalForm`, or read its values without --debug-executor",
        )
    names = {i: f"#{i}" for i, kind in enumerate(main.kinds) if kind == "call"}
    return named_module(model.ir, main, model.exprs["main"], names, model.path)


@dataclass(slots=True)
class Watcher:
    """A pass instrument's memory: the last module seen, its picture and what its ops are.

    Attributes:
        fused: The module of fused functions, once it is there.
    """

    graph: Graph | None = None
    exprs: Sequence[Expr] = ()
    names: dict[int, str] = field(default_factory=dict)
    fused: IRModule | None = None
    _busy: bool = False

    def instrument(self) -> Any:
        """Return the ``tvm.ir.instrument`` that feeds this watcher."""
        watcher = self

        @tvm.instrument.pass_instrument
        class Watch:
            def enter_pass_ctx(self) -> None:
                watcher.graph, watcher.exprs = None, ()
                watcher.names, watcher.fused = {}, None

            def run_after_pass(self, module: IRModule, info: Any) -> None:
                watcher.seen(str(info.name), module)

        return Watch()

    def seen(self, name: str, module: IRModule) -> None:
        """Take in what a pass made."""
        if self._busy or name in _SAME or "main" not in _names(module):
            return
        self._busy = True  # typing runs passes itself
        try:
            typed = relay.transform.InferType()(tvm.IRModule(dict(module.functions)))
        except Exception:
            return  # no module of Relay's any more
        finally:
            self._busy = False
        if name == _FUSES or (self.fused is not None and name in _FUSED):
            self.fused = typed
        elif self.fused is None:
            self._take(typed)

    def _take(self, module: IRModule) -> None:
        seen, exprs = view(module)
        after = seen.main
        if self.graph is not None and _same_structure(self.graph, after):
            names = dict(self.names)
        else:
            names = {i: n for i, n in enumerate(after.names) if n and _is_mark(n)}
            if self.graph is not None:
                known = _renamed(self.graph, self.names)
                fresh = _renamed(after, names)
                names |= carried_names(known, self.exprs, fresh, exprs["main"])
        self.graph, self.exprs, self.names = after, exprs["main"], names


def _names(module: IRModule) -> list[str]:
    return [str(v.name_hint) for v in module.functions]


def _is_mark(name: str) -> bool:
    return name[:1] == "#" and name[1:].isdigit()


def _same_structure(a: Graph, b: Graph) -> bool:
    return (
        len(a) == len(b)
        and list(a.kinds) == list(b.kinds)
        and list(a.ops) == list(b.ops)
        and list(a.operands) == list(b.operands)
    )


def _renamed(graph: Graph, names: Mapping[int, str]) -> Graph:
    """Return a graph whose ops have these names, and no others; variables keep theirs."""
    kept = [
        names.get(i) if kind == "call" else name
        for i, (kind, name) in enumerate(zip(graph.kinds, graph.names, strict=True))
    ]
    return graph.with_names(kept)


# -- kernels


def kernels_of(model: RelayModel, watcher: Watcher, executed: Mapping[str, Any]) -> list[Kernel]:
    """Return the kernels of a build in the order they run.

    Args:
        executed: The graph JSON of the build.

    Raises:
        SurgeryError: S436 the graph doesn't call the fused functions as they stand in the module.
    """
    main = model.module.main
    groups = _groups(watcher)
    places = [i for i, n in enumerate(executed["nodes"]) if n["op"] != "null"]
    if len(groups) != len(places) or not _same_calls(groups, places, executed):
        raise error(
            "S436",
            "the kernels of this build can't be told apart",
            reason=f"TVM fused the model into {len(groups)} functions; the graph that it runs "
            f"calls {len(places)}, or in another order",
            remedy="read the values without --debug-executor",
        )
    rows = executed["node_row_ptr"]
    shapes, dtypes = executed["attrs"]["shape"][1], executed["attrs"]["dltype"][1]
    found = []
    for group, place in zip(groups, places, strict=True):
        values: dict[int, Ref] = {}
        packed = set()
        for output, ref in group.values.items():
            type_ = main.type_of(ref)
            entry = rows[place] + output
            if not isinstance(type_, TensorType) or type_.dtype != dtypes[entry]:
                continue
            if type_.shape != tuple(shapes[entry]):
                if not _is_packed(shapes[entry], type_.shape):
                    continue  # in another layout it isn't the model's value as such
                packed.add(output)
            values[output] = ref
        found.append(
            Kernel(
                node=place, name=str(executed["nodes"][place]["name"]), ops=group.ops,
                made=group.made, values=values, packed=frozenset(packed),
            )
        )  # fmt: skip
    return found


def _is_packed(shape: Sequence[int], own: Sequence[Dim]) -> bool:
    """Tell whether a shape is NCHW{c}c for an own of NCHW: channels in blocks of c, c last."""
    if len(shape) != 5 or len(own) != 4:
        return False
    n, blocks, height, width, block = shape
    return [n, blocks * block, height, width] == list(own)


def unpacked(array: Array) -> Array:
    """Return a tensor of NCHW{c}c as NCHW."""
    n, blocks, height, width, block = array.shape
    return array.transpose(0, 1, 4, 2, 3).reshape(n, blocks * block, height, width)


def _same_calls(
    groups: Sequence[_Group], places: Sequence[int], executed: Mapping[str, Any]
) -> bool:
    """Tell whether a graph's nodes are the calls of fused functions, on the same results."""
    nodes = executed["nodes"]
    at = {place: index for index, place in enumerate(places)}
    for group, place in zip(groups, places, strict=True):
        attrs = nodes[place].get("attrs", {})
        if group.hash and attrs.get("hash", group.hash) != group.hash:
            return False
        read = [(at[n], out) for n, out, _ in nodes[place]["inputs"] if n in at]
        if read != list(group.reads):
            return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """A call of a fused function.

    Attributes:
        ops: Ids in the model of the ops inside, of those that are known.
        made: The ops inside, as TVM calls them.
        values: The model's tensors among its results, by place.
        reads: Results of other calls that it reads, in order: the call's place, and the result's.
        hash: TVM's hash of the function.
    """

    ops: tuple[int, ...]
    made: tuple[str, ...]
    values: Mapping[int, Ref]
    reads: tuple[tuple[int, int], ...]
    hash: str


def _groups(watcher: Watcher) -> list[_Group]:
    """Return the calls of fused functions in the order in which a graph executor runs them."""
    graph = watcher.graph
    assert graph is not None and watcher.fused is not None
    before = _Before(graph, watcher.exprs)
    looks: dict[tuple[str, tuple[Hashable, ...]], list[int]] = {}
    for id_ in before.calls():
        looks.setdefault((graph.ops[id_], before.operands(id_)), []).append(id_)
    seen, exprs = view(watcher.fused)
    after = _Tokens(seen.main, exprs["main"])
    calls = after.calls()
    results = {
        leaf: (place, output)
        for place, id_ in enumerate(calls)
        for output, leaf in enumerate(seen.main.leaves(Ref(id_)))
    }
    return [_group(watcher, after, id_, looks, results) for id_ in calls]


def _group(
    watcher: Watcher,
    after: _Tokens,
    call: int,
    looks: Mapping[tuple[str, tuple[Hashable, ...]], list[int]],
    results: Mapping[Ref, tuple[int, int]],
) -> _Group:
    """Say what a call of a fused function computes, op by op, in terms of the graph before it."""
    graph, main = watcher.graph, after.graph
    assert graph is not None
    literal, *arguments = main.operands[call]
    given = [r for a in arguments for r in main.leaves(main.resolve(a))]
    reads = tuple(results[r] for r in given if r in results)
    function = after.exprs[literal]
    for parameter, argument in zip(function.params, arguments, strict=True):
        after.local[after.ids[parameter.handle.value]] = argument
    inside = [i for i in after.inner.get(literal, ()) if main.kinds[i] == "call"]
    known: list[int] = []
    for id_ in inside:
        alike = [
            i for i in looks.get((main.ops[id_], after.operands(id_)), ())
            if graph.types[i] == main.types[id_] and _attrs(graph, i) == _attrs(main, id_)
        ]  # fmt: skip
        if alike:
            # Of several on the same operands, which are one value, the first.
            known.append(alike[0])
            pairs = zip(main.leaves(Ref(id_)), graph.leaves(Ref(alike[0])), strict=True)
            after.stands.update(pairs)
    (result,) = main.operands[literal]
    values: dict[int, Ref] = {}
    for place, (inner, outer) in enumerate(
        zip(main.leaves(main.resolve(result)), main.leaves(Ref(call)), strict=True)
    ):
        origin = after.stands.get(inner)
        if origin is None:
            continue
        after.stands[outer] = origin
        named = _in_place(graph, origin)
        mark = watcher.names.get(named.node)
        if mark is not None:
            values[place] = Ref(int(mark[1:]), named.path)
    attrs = main.attrs[literal]
    marks = [watcher.names.get(i) for i in known]
    return _Group(
        ops=tuple(sorted({int(m[1:]) for m in marks if m})),
        made=tuple(main.ops[i] for i in inside),
        values=values,
        reads=reads,
        hash=str(attrs["hash"]) if "hash" in attrs else "",
    )


def _attrs(graph: Graph, id_: int) -> dict[str, str]:
    return {key: repr(value) for key, value in graph.attrs[id_].items()}


def _in_place(graph: Graph, ref: Ref) -> Ref:
    """Return the value that a tensor is in another layout, or a copy of."""
    while not ref.path and graph.kinds[ref.node] == "call" and graph.ops[ref.node] in _MOVES:
        ref = graph.resolve(graph.operands[ref.node][0])
    return ref


class _Tokens:
    """What identifies a tensor in two modules of which one was made of the other."""

    def __init__(self, graph: Graph, exprs: Sequence[Expr]) -> None:
        self.graph, self.exprs = graph, exprs
        self.ids = {e.handle.value: i for i, e in enumerate(exprs)}
        #: What a fused function's parameter is given.
        self.local: dict[int, int] = {}
        #: The tensors of the graph before that tensors of this one are.
        self.stands: dict[Ref, Ref] = {}
        self.inner: dict[int, list[int]] = {}
        for id_, scope in enumerate(graph.scopes):
            if scope:
                self.inner.setdefault(graph.scope_table[scope].owner, []).append(id_)

    def calls(self) -> list[int]:
        kinds, scopes = self.graph.kinds, self.graph.scopes
        return [i for i in range(len(kinds)) if kinds[i] == "call" and not scopes[i]]

    def operands(self, id_: int) -> tuple[Hashable, ...]:
        graph = self.graph
        return tuple(
            self.token(r) for o in graph.operands[id_] for r in graph.leaves(graph.resolve(o))
        )

    def token(self, ref: Ref) -> Hashable:
        graph = self.graph
        if ref.node in self.local:
            leaves = graph.leaves(graph.resolve(self.local[ref.node]))
            ref = leaves[ref.path[0]] if ref.path else leaves[0]
        match graph.kinds[ref.node]:
            case "input" | "param":
                return "variable", graph.names[ref.node], ref.path
            case "constant":
                tensor = self.exprs[ref.node].data.handle.contents
                return "array", tensor.data, tensor.byte_offset
            case _:
                there = self.stands.get(ref)
                return ("value", there) if there is not None else ("new", ref)


class _Before(_Tokens):
    """The graph whose tensors the other's are said in terms of."""

    def token(self, ref: Ref) -> Hashable:
        found = super().token(ref)
        return ("value", ref) if isinstance(found, tuple) and found[0] == "new" else found
