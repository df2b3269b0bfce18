"""Rebuilds values of a Relay function with some tensors replaced.

The structure comes from :class:`~surgery.graph.Graph` (reading operands back from TVM is the
dearest step there is), the op, attributes and span of each node from its expression. What
depends on nothing that changed is used as it stands, so the cost is that of the changed part.

``field``, ``tuple`` and ``let`` nodes are only plumbing: a value is looked up by the tensor it
stands for, so lets dissolve into dataflow and a field of a tuple literal is the literal's operand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.copying import copy_call
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.graph import Graph, Ref, TupleType, ValueType

Expr = Any

tvm = load_tvm()
relay = tvm.relay

# Each copies a node with its op, attributes and span in one call into TVM.
_copy_call = _respanned = relay.expr.CallWithFields
_copy_if = relay.expr.IfWithFields
_copy_field = relay.expr.TupleGetItemWithFields
_copy_tuple = relay.expr.TupleWithFields
_copy_function = relay.function.FunctionWithFields

#: Kinds that have no operands and are never rebuilt.
LEAVES = frozenset(("input", "param", "constant", "local", "global"))


def internal(message: str, reason: str) -> SurgeryError:
    """Return the error for a plan that cannot be carried out: a fault of surgery itself."""
    return error(
        "S300",
        message,
        reason=reason,
        remedy="this is a fault in surgery or in a plan made by hand: please report it with the "
        "spec and the output of `surgery plan --json`",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinedCall:
    """A region as its caller sees it: one call in place of its ops.

    Attributes:
        symbol: The name of the function that is called.
        callee: The global variable that is called.
        operands: The tensors passed, in kernel order.
        outputs: The tensors it returns, in order.
        nodes: The ids it replaces.
        call: The call as it stands in the module, when the region is outlined already.
        results: The tensors it returns as they stand, with ``call``.
    """

    symbol: str
    callee: Expr
    operands: tuple[Ref, ...]
    outputs: tuple[Ref, ...]
    nodes: tuple[int, ...]
    call: Expr | None = None
    results: tuple[Expr, ...] = ()


@dataclass(kw_only=True)
class Rebuilder:
    """Builds values of one function over replaced tensors, each value once.

    Attributes:
        graph: The function's picture.
        exprs: The expression of each node id, ``None`` for nodes that no longer stand anywhere.
        replace: New expressions for tensors (resolved refs).
        calls: Regions that stand, or are to stand, as one call.
        allowed: Marks the nodes of the body that may be computed; ``None`` allows all.
        spans: New spans for calls, by id.
        built: The expression of each node built so far; ``len(graph) + i`` is the call ``i``.
        used: The leaves that what was built uses: parameters, constants.
    """

    graph: Graph
    exprs: Sequence[Expr | None]
    replace: dict[Ref, Expr] = field(default_factory=dict)
    calls: Sequence[OutlinedCall] = ()
    allowed: bytearray | None = None
    spans: Mapping[int, Expr] = field(default_factory=dict)
    built: dict[int, Expr] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    _dirty: set[int] = field(default_factory=set)
    _fields: dict[Ref, Expr] = field(default_factory=dict)
    _from_call: dict[Ref, tuple[int, int]] = field(default_factory=dict)
    _inside: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._copy = copy_call()
        self._replaced = {r.node: e for r, e in self.replace.items() if not r.path}
        for index, call in enumerate(self.calls):
            self._inside.update(call.nodes)
            for place, ref in enumerate(call.outputs):
                self._from_call[ref] = (index, place)
        self._plain = self.allowed is None and not self._from_call

    def values(self, refs: Sequence[Ref]) -> list[Expr]:
        """Return the expressions of tensors or tuples (refs resolved, or plain node ids).

        Raises:
            SurgeryError: A value is needed that must not be computed here (``S300``), or a
                construct that surgery cannot rebuild depends on a change (``S301``).
        """
        resolved = [r if r.path else self.graph.resolve(r.node) for r in refs]
        self._build([s for r in resolved for s in self._sources(r)])
        return [self._value(r)[0] for r in resolved]

    def stand_in(self, ref: Ref, expr: Expr) -> None:
        """Let an expression stand for a tensor in everything that is built from here on."""
        self.replace[ref] = expr
        if not ref.path:
            self._replaced[ref.node] = expr

    def result(self, index: int) -> tuple[Expr, tuple[Expr, ...]] | None:
        """Return a call and what it returns, tensor by tensor; ``None`` if nobody asked for it."""
        call = self.built.get(len(self.graph) + index)
        if call is None:
            return None
        return call, tuple(self._value(r)[0] for r in self.calls[index].outputs)

    def updated_exprs(self) -> list[Expr | None]:
        """Return the expression of each node id after the rebuild.

        Nodes inside a region are gone; nodes that nobody asked for keep their old expression.
        """
        exprs = list(self.exprs)
        for id_ in self._inside:
            exprs[id_] = None
        for id_ in self._dirty:
            if id_ < len(exprs):
                exprs[id_] = self.built[id_]
        if self._fields:
            for id_ in self.graph.fields:
                new = self._fields.get(self.graph.resolve(id_))
                if new is not None:
                    exprs[id_] = new
        return exprs

    # -- what a value needs

    def _computable(self, node: int) -> bool:
        if self._plain or self.graph.kinds[node] == "tuple":
            return True
        if node in self._inside:
            return False
        return self.allowed is None or bool(self.allowed[node]) or self.graph.scopes[node] != 0

    def _sources(self, ref: Ref) -> tuple[int, ...]:
        """Return what must be built before the value of a resolved ref can be written."""
        node = ref.node
        if ref in self.replace or self.graph.kinds[node] in LEAVES:
            return ()
        if ref in self._from_call:
            return (len(self.graph) + self._from_call[ref][0],)
        if self._computable(node):
            return (node,)
        type_ = self.graph.type_of(ref)
        if isinstance(type_, TupleType):
            return tuple(
                s
                for i in range(len(type_.fields))
                for s in self._sources(Ref(node, (*ref.path, i)))
            )
        raise internal(
            f"{self.graph.label(ref)} is needed where it is not computed",
            "its op belongs to another stage, or lies inside an offload region",
        )

    def _operand_sources(self, operand: int) -> tuple[int, ...]:
        kind = self.graph.kinds[operand]
        if kind in LEAVES or operand in self._replaced:
            return ()
        if kind == "field" or kind == "let":
            return self._sources(self.graph.resolve(operand))
        if self._plain:
            return (operand,)
        return self._sources(Ref(operand))

    def _dependencies(self, id_: int) -> list[int]:
        size = len(self.graph)
        if id_ >= size:
            return [s for r in self.calls[id_ - size].operands for s in self._sources(r)]
        return [s for o in self.graph.operands[id_] for s in self._operand_sources(o)]

    def _build(self, roots: list[int]) -> None:
        built, size = self.built, len(self.graph)
        stack = roots[::-1]
        waiting: set[int] = set()
        while stack:
            id_ = stack[-1]
            if id_ in built:
                stack.pop()
            elif id_ in waiting:
                stack.pop()
                waiting.discard(id_)
                if id_ < size:
                    self._make(id_)
                else:
                    self._make_call(id_)
            else:
                waiting.add(id_)
                for source in self._dependencies(id_):
                    if source in waiting:
                        raise internal(
                            f"{self._describe(source)} depends on itself",
                            "a path leaves an offload region and comes back into it",
                        )
                    if source not in built:
                        stack.append(source)

    def _describe(self, id_: int) -> str:
        size = len(self.graph)
        return self.graph.label(id_) if id_ < size else f"region {self.calls[id_ - size].symbol}"

    # -- writing values

    def _value(self, ref: Ref) -> tuple[Expr, bool]:
        """Return a resolved ref's expression, and whether it differs from the one that stands."""
        if ref in self.replace:
            return self.replace[ref], True
        place = self._from_call.get(ref)
        if place is not None:
            return self._returned(ref, *place)
        node = ref.node
        if self.graph.kinds[node] in LEAVES:
            self.used.add(node)
            return self._taken(ref) if ref.path else (self.exprs[node], False)
        if not self._computable(node):
            return self._gather(ref, self.graph.type_of(ref)), True
        if not ref.path:
            return self.built[node], node in self._dirty
        return self._taken(ref)

    def _returned(self, ref: Ref, index: int, place: int) -> tuple[Expr, bool]:
        id_ = len(self.graph) + index
        if id_ not in self._dirty:
            return self.calls[index].results[place], False
        call = self.built[id_]
        if len(self.calls[index].outputs) == 1:
            return call, True
        known = self._fields.get(ref)
        if known is None:
            known = self._fields[ref] = relay.TupleGetItem(call, place)
        return known, True

    def _taken(self, ref: Ref) -> tuple[Expr, bool]:
        known = self._fields.get(ref)
        if known is not None:
            return known, True
        node = ref.node
        base = self.exprs[node] if self.graph.kinds[node] in LEAVES else self.built[node]
        taker = self.graph.field_nodes.get(ref)
        old = self.exprs[taker] if taker is not None else None
        if old is not None and node not in self._dirty:
            return old, False
        for index in ref.path[:-1]:
            base = relay.TupleGetItem(base, index)
        known = (
            _copy_field(old, base) if old is not None else relay.TupleGetItem(base, ref.path[-1])
        )
        self._fields[ref] = known
        return known, True

    def _gather(self, ref: Ref, type_: ValueType) -> Expr:
        """Put a tuple together again from its fields (recursion over its type only)."""
        assert isinstance(type_, TupleType)
        parts = []
        for index, inner in enumerate(type_.fields):
            at = Ref(ref.node, (*ref.path, index))
            if at in self.replace or at in self._from_call or not isinstance(inner, TupleType):
                parts.append(self._value(at)[0])
            else:
                parts.append(self._gather(at, inner))
        return relay.Tuple(parts)

    def _operand(self, operand: int) -> tuple[Expr, bool]:
        """Return an operand's expression, and whether its user has to be rebuilt for it."""
        if operand in self._replaced:
            return self._replaced[operand], True
        kind = self.graph.kinds[operand]
        if kind in LEAVES:
            self.used.add(operand)
            return self.exprs[operand], False
        if kind == "field" or kind == "let":
            ref = self.graph.resolve(operand)
            expr, dirty = self._value(ref)
            # A let's variable, or a field of a tuple literal, is seen through: its user changes.
            return expr, dirty or kind == "let" or self.graph.operands[operand][0] != ref.node
        if self._plain:
            return self.built[operand], operand in self._dirty
        return self._value(Ref(operand))

    def _make_call(self, id_: int) -> None:
        outlined = self.calls[id_ - len(self.graph)]
        values = [self._value(r) for r in outlined.operands]
        if outlined.call is not None and not any(dirty for _, dirty in values):
            self.built[id_] = outlined.call
            return
        self._dirty.add(id_)
        self.built[id_] = relay.Call(outlined.callee, [expr for expr, _ in values])

    def _make(self, id_: int) -> None:
        old = self.exprs[id_]
        dirty = old is None or id_ in self.spans
        values: list[Expr] = []
        for operand in self.graph.operands[id_]:
            expr, changed = self._operand(operand)
            dirty = dirty or changed
            values.append(expr)
        if dirty:
            self._dirty.add(id_)
            self.built[id_] = self._rewrite(id_, old, values)
        else:
            self.built[id_] = old

    def _rewrite(self, id_: int, old: Expr | None, values: list[Expr]) -> Expr:
        kind = self.graph.kinds[id_]
        if kind == "tuple":
            return relay.Tuple(values) if old is None else _copy_tuple(old, values)
        if old is None:
            raise internal(
                f"{self.graph.label(id_)} is nowhere in the module",
                "an earlier pass took it out of its function",
            )
        match kind:
            case "call" if id_ in self.spans and self.graph.ops[id_] != "fn":
                return _respanned(old, None, values, None, None, None, self.spans[id_])
            case "call" if self.graph.ops[id_] == "fn":
                return _copy_call(old, values[0], values[1:])
            case "call":
                return self._copy(old, values)
            case "if":
                return _copy_if(old, *values)
            case "function":
                return _copy_function(old, None, values[0])
            case _:
                raise error(
                    "S301",
                    f"{self.graph.label(id_)} cannot be rebuilt",
                    reason=f"a value that it uses changes, and surgery does not look into "
                    f"`{self.graph.ops[id_] or kind}`",
                    remedy="choose a place after it, or simplify the model first "
                    "(`prepare PartialEvaluate`)",
                )
