"""Pattern tables of the compiler: what one entry is, as planning sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from surgery.syntax import ast


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSite:
    """A place that the compiler's own matcher found.

    Attributes:
        root: Id of the value it ends at: a call, or the field taken of one.
        nodes: Ids of the calls, tuple literals and fields inside, ``root`` among them.
    """

    root: int
    nodes: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePattern:
    """One entry of a pattern table.

    Attributes:
        name: The composite's name, ``dnnl.conv2d_bias_relu``.
        pattern: The pattern in surgery's own language; ``None`` when that can't say it.
        sites: Finds the places in a function (by name) where ``pattern`` is ``None``; raises a
            SurgeryError where the compiler's matcher fails.
        check: Given a function's name and the id of the value that a site ends at, returns why the
            table's predicate refuses it, ``""`` when it doesn't.
        unsaid: What the language can't say, when ``pattern`` is ``None``.
    """

    name: str
    pattern: ast.Pattern | None
    sites: Callable[[str], list[TableSite]] | None = None
    check: Callable[[str, int], str] | None = None
    unsaid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTable:
    """A pattern table.

    Attributes:
        name: Its name, which is also the backend its regions go to unless the spec says another.
        patterns: Its entries, in its own order.
        notes: What the user should know about how it was read, by entry.
    """

    name: str
    patterns: tuple[TablePattern, ...]
    notes: Mapping[str, str] = field(default_factory=dict)


#: Gives a table by its name, or raises a SurgeryError.
Tables = Callable[[str], PatternTable]
