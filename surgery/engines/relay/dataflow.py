"""TVM's dataflow patterns, said in surgery's own pattern language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from surgery.engines.relay.columns import plain
from surgery.engines.relay.tvm_import import tvm
from surgery.syntax import ast

#: How many ways to read a pattern's alternatives are tried, and how many parts it may have.
_MAX_READINGS = 64
_MAX_PARTS = 400

DFPattern = Any


class Inexpressible(Exception):
    """The language has no words for a pattern; the message says which part."""


def express(pattern: DFPattern) -> ast.Pattern:
    """Return a dataflow pattern as a pattern of the spec language.

    Each choice of its alternatives becomes a reading of its own. A part that two others share is
    captured and referred to, as TVM lets it match one value only.

    Raises:
        Inexpressible: It holds what the language can't say.
    """
    _check_size(pattern)
    readings: list[ast.Pattern] = []
    open_: list[dict[int, int]] = [{}]
    while open_:
        reading = _Reading(choices=open_.pop())
        found = reading.read(pattern)
        if reading.undecided is not None:
            # The left side first, as TVM tries it.
            for side in (1, 0):
                open_.append({**reading.choices, reading.undecided: side})
        elif found not in readings and not isinstance(found, ast.AnyValue | ast.ConstLeaf):
            readings.append(found)
        if len(readings) + len(open_) > _MAX_READINGS:
            raise Inexpressible(f"more than {_MAX_READINGS} alternatives")
    if not readings:
        raise Inexpressible("a pattern without an op")
    return readings[0] if len(readings) == 1 else ast.Alternative(choices=tuple(readings))


def parts_of(pattern: DFPattern) -> list[DFPattern]:
    """Return the patterns that a pattern is made of, in order."""
    kinds = tvm().relay.dataflow_pattern
    match pattern:
        case kinds.CallPattern():
            return [pattern.op, *(pattern.args or ())]
        case kinds.AltPattern():
            return [pattern.left, pattern.right]
        case kinds.TuplePattern():
            return list(pattern.fields or ())
        case kinds.TupleGetItemPattern():
            return [pattern.tuple]
        case (
            kinds.AttrPattern() | kinds.TypePattern() | kinds.DataTypePattern()
            | kinds.ShapePattern()
        ):  # fmt: skip
            return [pattern.pattern]
    return []


def unset_attribute(pattern: DFPattern) -> str:
    """Return an attribute that a pattern wants to be ``None``, else ''."""
    seen: set[int] = set()
    stack = [pattern]
    while stack:
        at = stack.pop()
        if _key(at) in seen:
            continue
        seen.add(_key(at))
        if isinstance(at, tvm().relay.dataflow_pattern.AttrPattern):
            for name, value in dict(at.attrs).items():
                if value is None:
                    return str(name)
        stack.extend(parts_of(at))
    return ""


def _check_size(pattern: DFPattern) -> None:
    seen = 0
    stack = [pattern]
    while stack:
        seen += 1
        if seen > _MAX_PARTS:
            raise Inexpressible(f"more than {_MAX_PARTS} parts")
        stack.extend(parts_of(stack.pop()))


def _key(pattern: DFPattern) -> int:
    return int(pattern.handle.value)


@dataclass(slots=True)
class _Reading:
    """One reading of a pattern: for each alternative, which side is taken.

    Attributes:
        choices: 0 or 1 by the alternative.
        undecided: An alternative met that has no choice yet.
    """

    choices: Mapping[int, int]
    undecided: int | None = None
    _named: dict[int, str] = field(default_factory=dict)
    _uses: Counter[int] = field(default_factory=Counter)

    def read(self, pattern: DFPattern) -> ast.Pattern:
        self._count(pattern)
        return ast.AnyValue() if self.undecided is not None else self._said(pattern)

    def _count(self, pattern: DFPattern) -> None:
        """Count how often each part is used in this reading."""
        stack = [pattern]
        while stack:
            at = self._taken(stack.pop())
            if at is None:
                return
            self._uses[_key(at)] += 1
            if self._uses[_key(at)] == 1:
                stack.extend(parts_of(at))

    def _taken(self, pattern: DFPattern) -> DFPattern | None:
        """Return the side of an alternative that is taken, or ``None`` if that is undecided."""
        while isinstance(pattern, tvm().relay.dataflow_pattern.AltPattern):
            side = self.choices.get(_key(pattern))
            if side is None:
                self.undecided = _key(pattern)
                return None
            pattern = pattern.right if side else pattern.left
        return pattern

    def _said(self, pattern: DFPattern) -> ast.Pattern:
        taken = self._taken(pattern)
        assert taken is not None
        key = _key(taken)
        shared = self._uses[key] > 1 and not isinstance(
            taken, tvm().relay.dataflow_pattern.ExprPattern
        )
        if not shared:
            return self._whole(taken)
        if key in self._named:
            return ast.OpPattern(op=self._named[key])
        self._named[key] = f"v{len(self._named)}"
        name = self._named[key]
        return ast.Capture(name=name, pattern=self._whole(taken))

    def _whole(self, pattern: DFPattern) -> ast.Pattern:
        kinds = tvm().relay.dataflow_pattern
        match pattern:
            case kinds.WildcardPattern():
                return ast.AnyValue()
            case kinds.ConstantPattern():
                return ast.ConstLeaf()
            case kinds.CallPattern():
                return self._call(pattern)
            case kinds.TupleGetItemPattern():
                inner = self._said(pattern.tuple)
                index = -1 if pattern.index is None else int(pattern.index)
                if isinstance(inner, ast.OpPattern) and inner.field is None and index >= 0:
                    return _with(inner, field=index)
                raise Inexpressible("a field of something other than one op's result")
            case kinds.AttrPattern():
                attrs = {str(k): plain(v) for k, v in dict(pattern.attrs).items()}
                return self._constrained(pattern.pattern, attrs)
            case kinds.DataTypePattern():
                return self._constrained(pattern.pattern, {"dtype": str(pattern.dtype)})
            case kinds.ShapePattern():
                shape = tuple(_dim(d) for d in pattern.shape)
                return self._constrained(pattern.pattern, {"shape": shape})
            case kinds.TypePattern() if isinstance(pattern.type, tvm().ir.TensorType):
                shape = tuple(_dim(d) for d in pattern.type.shape)
                return self._constrained(
                    pattern.pattern, {"dtype": str(pattern.type.dtype), "shape": shape}
                )
        raise Inexpressible(f"a {type(pattern).__name__}")

    def _call(self, pattern: DFPattern) -> ast.Pattern:
        kinds = tvm().relay.dataflow_pattern
        callee = self._taken(pattern.op)
        if not isinstance(callee, kinds.ExprPattern) or not isinstance(callee.expr, tvm().ir.Op):
            raise Inexpressible("a call of something other than an op")
        op = str(callee.expr.name)
        if pattern.args is None:
            return ast.OpPattern(op=op)
        arguments: list[ast.Pattern] = []
        for argument in pattern.args:
            taken = self._taken(argument)
            if isinstance(taken, kinds.TuplePattern):
                if taken.fields is None:
                    # A tuple of any length: the language's word for it is to write no operands.
                    if len(pattern.args) > 1:
                        raise Inexpressible("a tuple of any length beside other operands")
                    return ast.OpPattern(op=op)
                arguments += [self._said(f) for f in taken.fields]
            else:
                arguments.append(self._said(argument))
        return ast.OpPattern(op=op, arguments=tuple(arguments))

    def _constrained(self, pattern: DFPattern, wanted: Mapping[str, object]) -> ast.Pattern:
        inner = self._said(pattern)
        constraints: list[ast.AttrConstraint] = []
        for name, value in sorted(wanted.items()):
            if not _is_value(value):
                raise Inexpressible(f"the attribute {name}={value}")
            constraints.append(
                ast.AttrConstraint(name=name, comparison="=", value=value)  # type: ignore[arg-type]
            )
        match inner:
            case ast.OpPattern():
                return _with(inner, constraints=(*inner.constraints, *constraints))
            case ast.AnyValue() if set(wanted) <= {"dtype", "shape"}:
                return ast.AnyValue(constraints=(*inner.constraints, *constraints))
            case ast.ConstLeaf() if set(wanted) <= {"dtype", "shape"}:
                return ast.ConstLeaf(constraints=(*inner.constraints, *constraints))
        raise Inexpressible(f"attributes of a {type(pattern).__name__}")


def _with(pattern: ast.OpPattern, **changed: Any) -> ast.OpPattern:
    from dataclasses import replace

    return replace(pattern, **changed)


def _dim(dim: Any) -> ast.Star | int:
    value = getattr(dim, "value", None)
    return value if isinstance(value, int) else ast.Star()


def _is_value(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_is_value(v) for v in value)
    return isinstance(value, bool | int | float | str | ast.Star)
