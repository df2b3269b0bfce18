"""From a pattern's syntax to programs: named patterns expanded, ops resolved, shapes fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from surgery.diagnostics import error, nearest
from surgery.graph.ops import (
    KNOWN_OPS,
    OP_CLASSES,
    attribute_names,
    canonical_op,
    leading_operands,
    nearest_ops,
    operand_count,
    ops_of,
)
from surgery.graph.values import is_ordered, shown
from surgery.pattern.program import Choice, CompiledPattern, Element, Program
from surgery.pattern.shapes import (
    MAX_OPS,
    MAX_READINGS,
    LeafShape,
    OpShape,
    RefShape,
    SequenceShape,
    Shape,
    flatten,
    is_simple,
    pattern_text,
    too_large,
)
from surgery.syntax import ast

#: What constraints ask of the result rather than of an attribute.
TYPE_KEYS = ("dtype", "shape", "rank")


def compile_pattern(
    pattern: ast.Pattern,
    definitions: Mapping[str, ast.Pattern] | None = None,
    *,
    known: frozenset[str] = frozenset(),
) -> CompiledPattern:
    """Prepare a pattern for searching.

    Args:
        pattern: What was written.
        definitions: Named patterns that ops of the pattern may stand for.
        known: Ops there are besides TVM's own.

    Raises:
        SurgeryError: An op, attribute or named pattern is unknown, an op gets the wrong number of
            operands, or the pattern is too large (S230 to S239).
    """
    work = _Compiler(definitions or {}, known)
    try:
        work.captures = work.captured(pattern, ())
        shapes = work.expand(pattern, argument=False)
    except RecursionError:
        raise too_large(pattern) from None
    programs: list[Program] = []
    for shape in shapes:
        if not isinstance(shape, (OpShape, SequenceShape)) or (
            isinstance(shape, SequenceShape) and not shape.parts
        ):
            if len(shapes) > 1:
                continue
            raise error(
                "S232",
                "the pattern holds no op",
                pattern.span,
                reason="A wildcard alone would match every value.",
                remedy="write an op, e.g. `nn.relu(*)`",
            )
        program = flatten(shape, pattern)
        if program not in programs:
            programs.append(program)
    if all(p.required == 0 and not any(not _skippable(e) for e in p.elements) for p in programs):
        raise error(
            "S232",
            "every op of the pattern may be absent",
            pattern.span,
            reason="It would match where nothing is.",
            remedy="leave out one `?` or `*`",
        )
    return CompiledPattern(
        text=pattern_text(pattern), programs=tuple(programs), captures=tuple(sorted(work.captures))
    )


def _skippable(element: Element) -> bool:
    return element.skip is not None


class _Compiler:
    """Expands a pattern into its readings."""

    def __init__(self, definitions: Mapping[str, ast.Pattern], known: frozenset[str]) -> None:
        self.definitions = definitions
        self.known = KNOWN_OPS | known
        self.extra = known
        self.captures: dict[str, int] = {}
        self.open: list[str] = []

    def captured(self, pattern: ast.Pattern, open_: tuple[str, ...]) -> dict[str, int]:
        """Return how often each name is captured, named patterns included."""
        found: dict[str, int] = {}
        inner: Sequence[ast.Pattern]
        match pattern:
            case ast.Capture(name=name, pattern=of):
                found[name] = 1
                inner = (of,)
            case ast.Chain(elements=elements):
                inner = elements
            case ast.OpPattern(op=op, arguments=arguments):
                inner = arguments or ()
                if op in self.definitions and op not in open_:
                    inner, open_ = (*inner, self.definitions[op]), (*open_, op)
            case ast.Alternative(choices=choices):
                # Only one of them is matched.
                for choice in choices:
                    for name, count in self.captured(choice, open_).items():
                        found[name] = max(found.get(name, 0), count)
                return found
            case _:
                return found
        for part in inner:
            for name, count in self.captured(part, open_).items():
                found[name] = found.get(name, 0) + count
        return found

    def expand(self, pattern: ast.Pattern, *, argument: bool) -> list[Shape]:
        """Return the readings of a pattern.

        Args:
            argument: It stands for an operand, so a bare name may mean a capture.
        """
        match pattern:
            case ast.AnyValue(constraints=constraints):
                return [LeafShape(kind="any", constraints=self._leaf(constraints))]
            case ast.ConstLeaf(constraints=constraints):
                return [LeafShape(kind="const", constraints=self._leaf(constraints))]
            case ast.InputLeaf(constraints=constraints):
                return [LeafShape(kind="input", constraints=self._leaf(constraints))]
            case ast.Capture():
                return [
                    self._name(shape, pattern)
                    for shape in self.expand(pattern.pattern, argument=False)
                ]
            case ast.Alternative():
                return self._alternative(pattern, argument)
            case ast.Chain():
                return self._chain(pattern)
            case ast.OpPattern():
                return self._op(pattern, argument)
            case _:
                assert_never(pattern)

    def _bounded(self, shapes: list[Shape], at: ast.Pattern) -> list[Shape]:
        if len(shapes) > MAX_READINGS:
            raise too_large(at)
        return shapes

    def _name(self, shape: Shape, capture: ast.Capture) -> Shape:
        match shape:
            case LeafShape() if shape.name is None:
                return replace(shape, name=capture.name)
            case OpShape():
                return replace(shape, names=(*shape.names, capture.name))
            case SequenceShape(parts=parts) if parts:
                last = replace(parts[-1], names=(*parts[-1].names, capture.name))
                return SequenceShape(parts=(*parts[:-1], last))
            case _:
                raise error(
                    "S235",
                    f"`{capture.name}:` names what has a name already",
                    capture.span,
                    remedy="leave one of the names out",
                )

    def _alternative(self, pattern: ast.Alternative, argument: bool) -> list[Shape]:
        shapes = [s for c in pattern.choices for s in self.expand(c, argument=argument)]
        simple = [s for s in shapes if isinstance(s, OpShape) and is_simple(s)]
        if len(simple) == len(shapes) and len({s.names for s in simple}) == 1:
            # Alternatives of one shape stay one element: no cost in readings.
            return [
                OpShape(
                    choices=tuple(c for s in simple for c in s.choices),
                    optional=pattern.optional,
                    names=simple[0].names,
                )
            ]
        if pattern.optional:
            shapes.append(LeafShape(kind="any") if argument else SequenceShape(parts=()))
        return self._bounded(shapes, pattern)

    def _chain(self, pattern: ast.Chain) -> list[Shape]:
        readings: list[tuple[OpShape, ...]] = [()]
        for element in pattern.elements:
            grown: list[tuple[OpShape, ...]] = []
            for shape in self.expand(element, argument=False):
                match shape:
                    case OpShape():
                        parts: tuple[OpShape, ...] = (shape,)
                    case SequenceShape(parts=inner):
                        parts = inner
                    case _:
                        raise error(
                            "S237",
                            f"`{pattern_text(element)}` can't stand in a chain",
                            element.span,
                            reason="A chain lists ops; operands that aren't written are free.",
                            remedy="leave it out, or give the op its operands: "
                            "`conv2d(x:*, w:const)`",
                        )
                grown += [(*reading, *parts) for reading in readings]
                if len(grown) > MAX_READINGS or any(len(g) > MAX_OPS for g in grown):
                    raise too_large(pattern)
            readings = grown
        return [SequenceShape(parts=reading) for reading in readings]

    def _op(self, pattern: ast.OpPattern, argument: bool) -> list[Shape]:
        name = pattern.op
        bare = pattern.arguments is None and not pattern.constraints and pattern.field is None
        if argument and bare and name in self.captures and not pattern.optional:
            if self.captures[name] > 1:
                raise error(
                    "S235",
                    f"`{name}` could mean several captures",
                    pattern.span,
                    reason=f"It is captured {self.captures[name]} times.",
                    remedy="give the captures different names",
                )
            return [RefShape(name=name)]
        if name in self.definitions and not (name in self.open and canonical_op(name, self.known)):
            return self._named(pattern, bare)
        choice = self._choice(pattern)
        if pattern.repeat and pattern.arguments is not None:
            raise error(
                "S236",
                f"`{name}*` can't have operands",
                pattern.span,
                reason="A repeated op takes the result before it; its other operands are free.",
                remedy=f"write `{name}*`",
            )
        if pattern.arguments is None:
            return [OpShape(choices=(choice,), optional=pattern.optional, repeat=pattern.repeat)]
        self._check_arity(pattern, choice)
        readings: list[tuple[Shape, ...]] = [()]
        for argument_pattern in pattern.arguments:
            shapes = self.expand(argument_pattern, argument=True)
            readings = [(*r, s) for r in readings for s in shapes]
            if len(readings) > MAX_READINGS:
                raise too_large(pattern)
        return [
            OpShape(choices=(choice,), arguments=reading, optional=pattern.optional)
            for reading in readings
        ]

    def _named(self, pattern: ast.OpPattern, bare: bool) -> list[Shape]:
        name = pattern.op
        if name in self.open:
            chain = " -> ".join([*self.open[self.open.index(name) :], name])
            raise error(
                "S238",
                f"`pattern {name}` is defined by itself",
                pattern.span,
                reason=f"The chain is {chain}.",
                remedy="a pattern may only use what doesn't use it",
            )
        if not bare or pattern.repeat:
            raise error(
                "S236",
                f"`{name}` is a named pattern: it can't have operands, attributes or `*`",
                pattern.span,
                remedy=f"write `{name}`, and put the rest into `pattern {name} = ...`",
            )
        self.open.append(name)
        try:
            shapes = self.expand(self.definitions[name], argument=False)
        finally:
            self.open.pop()
        if pattern.optional:
            shapes = [*shapes, SequenceShape(parts=())]
        return self._bounded(shapes, pattern)

    def _choice(self, pattern: ast.OpPattern) -> Choice:
        name = pattern.op
        glob = ""
        if name in OP_CLASSES:
            ops = OP_CLASSES[name]
        elif any(c in name for c in "*?["):
            ops, glob = ops_of(name), name
        elif name.startswith("@"):
            ops = frozenset({name})
        else:
            found = canonical_op(name, self.known)
            if len(found) > 1:
                raise error(
                    "S230",
                    f"`{name}` could be {', '.join(found[:-1])} or {found[-1]}",
                    pattern.span,
                    reason="A short name must name one op.",
                    remedy=f"write the full name, e.g. `{found[0]}`, or `({'|'.join(found)})`",
                )
            if not found:
                close = nearest_ops(name, self.known)
                close += [n for n in nearest(name, self.definitions) if n not in close]
                raise error(
                    "S230",
                    f"there is no op `{name}`",
                    pattern.span,
                    reason="It is no op, no class of ops and no `pattern` of this spec.",
                    remedy="the nearest: " + ", ".join(close[:6]) if close else "",
                )
            ops = frozenset(found)
        self._check_constraints(pattern, ops)
        return Choice(
            written=name, ops=ops, glob=glob, field=pattern.field, constraints=pattern.constraints
        )

    def _check_constraints(self, pattern: ast.OpPattern, ops: frozenset[str]) -> None:
        for constraint in pattern.constraints:
            _check_order(constraint)
            if constraint.name in TYPE_KEYS:
                continue
            known = [attribute_names(op) for op in ops]
            if not known or any(names is None for names in known):
                continue
            names = {n for own in known if own is not None for n in own}
            if constraint.name not in names:
                close = nearest(constraint.name, names) or sorted(names)
                subject = next(iter(ops)) if len(ops) == 1 else f"`{pattern.op}`"
                raise error(
                    "S233",
                    f"{subject} has no attribute `{constraint.name}`",
                    constraint.span or pattern.span,
                    reason="" if names else "It has no attributes.",
                    remedy="the nearest: " + ", ".join(close[:5]) if close else
                    "write `{dtype=...}` or `{shape=...}` to ask for the result's type",
                )  # fmt: skip

    def _leaf(self, constraints: tuple[ast.AttrConstraint, ...]) -> tuple[ast.AttrConstraint, ...]:
        for constraint in constraints:
            _check_order(constraint)
            if constraint.name not in TYPE_KEYS:
                raise error(
                    "S233",
                    f"a leaf has no attribute `{constraint.name}`",
                    constraint.span,
                    reason="Of a value that the pattern doesn't compute only its type is known.",
                    remedy="write one of " + ", ".join(f"`{k}`" for k in TYPE_KEYS),
                )
        return constraints

    def _check_arity(self, pattern: ast.OpPattern, choice: Choice) -> None:
        if len(choice.ops) != 1 or pattern.arguments is None:
            return
        (op,) = choice.ops
        count, least, given = operand_count(op), leading_operands(op), len(pattern.arguments)
        if count is None or least is None or given == count or least <= given < count:
            return
        raise error(
            "S231",
            f"{op} takes {count} operand{'s' * (count != 1)}, the pattern gives {given}",
            pattern.span,
            reason="In a call every operand is written; a free one is `*`.",
            remedy="write `" + f"{pattern.op}({', '.join(['*'] * count)})`",
        )


def _check_order(constraint: ast.AttrConstraint) -> None:
    if is_ordered(constraint.comparison, constraint.value) and not (
        constraint.name in ("dtype", "shape") and constraint.comparison not in ("=", "!=")
    ):
        return
    raise error(
        "S233",
        f"`{constraint.name}{constraint.comparison}{shown(constraint.value)}` can't hold",
        constraint.span,
        reason="Only numbers have an order.",
        remedy="compare with = or !=",
    )
