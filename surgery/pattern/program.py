"""A compiled pattern: its ops in post-order, each with what it may take as operands.

Both forms of a pattern become the same thing. Read as postfix, an element takes results still
pending to its left; an element that was written as a call says itself which of its operands are
results (``child``) and which are leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from surgery.graph.ops import OP_CLASSES
from surgery.syntax.ast import AttrConstraint

LeafKind = Literal["any", "const", "input"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one operand of an element written as a call must be.

    Attributes:
        kind: A leaf (``any``, ``const``, ``input``), a ``child`` element, or ``ref``: the value
            that a capture of this name stands for.
        name: The capture's name, or the capture that a ``ref`` means.
        child: Index of the child element (the last one of a chain).
        child_start: Index of the first element below the child.
    """

    kind: LeafKind | Literal["child", "ref"]
    name: str | None = None
    constraints: tuple[AttrConstraint, ...] = ()
    child: int = -1
    child_start: int = -1


ANY_LEAF = Rule(kind="any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One way an element can be matched.

    Attributes:
        written: The op as the pattern writes it.
        ops: The ops it means; empty for a glob that names no known op.
        glob: A glob, tried on ops that aren't in the table as well; '' if there is none.
        field: The field that goes on, ``None`` when not written.
        rules: One an operand, ``None`` when all operands are free.
    """

    written: str
    ops: frozenset[str]
    glob: str = ""
    field: int | None = None
    constraints: tuple[AttrConstraint, ...] = ()
    rules: tuple[Rule, ...] | None = None

    def takes(self, op: str) -> bool:
        """Return whether an op is one of those meant."""
        if op in self.ops:
            return True
        return bool(self.glob) and op[:1] != "@" and op != "fn" and fnmatchcase(op, self.glob)

    @property
    def is_class(self) -> bool:
        """Whether it names a class of ops or a glob rather than one op."""
        return bool(self.glob) or self.written in OP_CLASSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One op of a pattern.

    Attributes:
        choices: The ways to match it; more than one for ``(relu|clip)``.
        start: Index of the first element of what it takes explicitly (its own without children).
        skip: Where reading goes on when it is absent: an element's index, or ``start - 1``;
            ``None`` when it must be there.
        repeat: Any number of such ops in a row.
        open: It may take results pending to its left.
        names: Captures that stand for its op.
        shared: A back-reference means it, so it may be used more than once inside.
    """

    choices: tuple[Choice, ...]
    start: int
    skip: int | None = None
    repeat: bool = False
    open: bool = True
    names: tuple[str, ...] = ()
    shared: bool = False

    @property
    def written(self) -> str:
        return "|".join(c.written for c in self.choices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One reading of a pattern: its elements in post-order.

    Attributes:
        after: For each element the indices that reading may go on with there: its own, then what
            is left when it, and what can be absent below it, are skipped. -1: nothing is left.
        roots: Indices of the elements that may be the last op (several when the end is optional).
        parents: Index of the element that takes an element explicitly; -1 in a chain.
        required: How many elements can't be absent.
    """

    elements: tuple[Element, ...]
    after: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]
    parents: tuple[int, ...]
    required: int

    def __len__(self) -> int:
        return len(self.elements)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPattern:
    """A pattern ready to be searched for.

    Attributes:
        text: The pattern in short, for messages.
        programs: Its readings: several where alternatives differ in shape. Earlier ones win.
    """

    text: str
    programs: tuple[Program, ...]
    captures: tuple[str, ...] = ()
