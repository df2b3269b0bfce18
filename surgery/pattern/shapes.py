"""Readings of a pattern on the way from its syntax to programs, and writing them as elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

from surgery.diagnostics import SurgeryError, error
from surgery.pattern.program import Choice, Element, LeafKind, Program, Rule
from surgery.syntax import ast, print_pattern

#: Bounds on one pattern: matching goes as deep as a pattern is long.
MAX_OPS = 100
MAX_READINGS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafShape:
    kind: LeafKind
    name: str | None = None
    constraints: tuple[ast.AttrConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefShape:
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpShape:
    choices: tuple[Choice, ...]
    arguments: tuple[Shape, ...] | None = None
    optional: bool = False
    repeat: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceShape:
    parts: tuple[OpShape, ...]


Shape = LeafShape | RefShape | OpShape | SequenceShape


def pattern_text(pattern: ast.Pattern) -> str:
    """Return a pattern as the user wrote it."""
    if pattern.span is not None:
        return " ".join(pattern.span.text.split())
    return print_pattern(pattern)


def too_large(pattern: ast.Pattern) -> SurgeryError:
    return error(
        "S239",
        "the pattern is too large",
        pattern.span,
        reason=f"A pattern may have {MAX_OPS} ops and {MAX_READINGS} readings at most.",
        remedy="split it into several `offload` statements, or use fewer alternatives",
    )


def is_simple(op: OpShape) -> bool:
    """Whether an op has no operand that is an op, and is always one op."""
    return op.arguments is None and not op.optional and not op.repeat


def flatten(shape: OpShape | SequenceShape, pattern: ast.Pattern) -> Program:
    """Write a reading as elements in post-order."""
    elements: list[Element] = []
    parents: dict[int, int] = {}
    refs: set[str] = set()

    def emit(op: OpShape, open_: bool) -> None:
        start = len(elements)
        rules: list[Rule] = []
        children: list[int] = []
        for argument in op.arguments or ():
            match argument:
                case LeafShape(kind=kind, name=name, constraints=constraints):
                    rules.append(Rule(kind=kind, name=name, constraints=constraints))
                case RefShape(name=name):
                    refs.add(name)
                    rules.append(Rule(kind="ref", name=name))
                case SequenceShape(parts=()):
                    rules.append(Rule(kind="any"))
                case OpShape() | SequenceShape():
                    first = len(elements)
                    parts = (argument,) if isinstance(argument, OpShape) else argument.parts
                    for part in parts:
                        emit(part, isinstance(argument, SequenceShape))
                    children.append(len(elements) - 1)
                    rules.append(Rule(kind="child", child=children[-1], child_start=first))
        if len(elements) >= MAX_OPS:
            raise too_large(pattern)
        skip: int | None = None
        if op.optional or op.repeat:
            skip = rules[0].child if rules and rules[0].kind == "child" else start - 1
        given = None if op.arguments is None else tuple(rules)
        elements.append(
            Element(
                choices=tuple(replace(c, rules=given) for c in op.choices),
                start=start,
                skip=skip,
                repeat=op.repeat,
                open=open_,
                names=op.names,
            )
        )
        for child in children:
            parents[child] = len(elements) - 1

    for part in (shape,) if isinstance(shape, OpShape) else shape.parts:
        emit(part, isinstance(shape, SequenceShape))
    elements = [replace(e, shared=bool(refs & set(e.names))) for e in elements]
    after: list[tuple[int, ...]] = []
    for index, element in enumerate(elements):
        rest = () if element.skip is None else (after[element.skip] if element.skip >= 0 else (-1,))
        after.append((index, *rest))
    return Program(
        elements=tuple(elements),
        after=tuple(after),
        roots=tuple(i for i in after[-1] if i >= 0),
        parents=tuple(parents.get(i, -1) for i in range(len(elements))),
        required=sum(e.skip is None for e in elements),
    )
