"""What a spec says about its offloads: ``prefer``, ``inplace``, a backend's ``merge``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from surgery.diagnostics import Collector, Diagnostic, nearest
from surgery.planning.limits import request_names
from surgery.planning.sites import OffloadRequest
from surgery.syntax import ast

_MERGE: dict[object, bool] = {
    "on": True, "yes": True, True: True, "off": False, "no": False, False: False,
}  # fmt: skip


def merging(statements: Sequence[ast.Statement], found: Collector) -> Callable[[str], bool]:
    """Return which backends merge neighbouring sites: all but those with ``merge=off``."""
    apart: set[str] = set()
    for statement in statements:
        if not isinstance(statement, ast.Backend):
            continue
        value = dict(statement.options).get("merge", True)
        if not isinstance(value, str | bool) or value not in _MERGE:
            found.add(
                Diagnostic(
                    code="S297",
                    message=f"`merge={value}` of backend {statement.name}",
                    span=statement.span,
                    reason="`merge=on` makes one region of neighbouring sites, `merge=off` keeps "
                    "each site a region of its own.",
                    remedy="write `merge=on` or `merge=off`",
                )
            )
        elif not _MERGE[value]:
            apart.add(statement.name)
    return lambda backend: backend not in apart


def preferences(
    statements: Sequence[ast.Statement], requests: Sequence[OffloadRequest], found: Collector
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of the ``prefer`` statements, each name checked."""
    names = {name for r in requests for name in request_names(r)}
    asked = [s for s in statements if isinstance(s, ast.Prefer)]
    for statement in asked:
        for name in (statement.winner, statement.loser):
            if name not in names:
                near = nearest(name, names, 3)
                found.add(
                    Diagnostic(
                        code="S294",
                        message=f"no offload is called `{name}`",
                        span=statement.span,
                        reason="`prefer P over Q` names offloads by `as NAME`, or by their named "
                        "pattern.",
                        remedy=f"did you mean {' or '.join(near)}?"
                        if near
                        else "give the offload a name: `as NAME`",
                    )
                )
    circle = _circle([(s.winner, s.loser) for s in asked])
    if circle:
        found.add(
            Diagnostic(
                code="S295",
                message=f"`prefer` goes in a circle: {', '.join(circle)}",
                span=next(s.span for s in asked if s.winner in circle and s.loser in circle),
                reason="Each of them would have to win against itself.",
                remedy="remove one of the `prefer` statements",
            )
        )
        return ()
    return tuple((s.winner, s.loser) for s in asked)


def _circle(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the names that win, over others, against themselves."""
    left = set(pairs)
    while True:
        winners, losers = {w for w, _ in left}, {q for _, q in left}
        inner = {(w, q) for w, q in left if w in losers and q in winners}
        if inner == left:
            return sorted(winners)
        left = inner


def check_inplace(statement: ast.Offload, captures: Sequence[str], found: Collector) -> None:
    """Record an error for each name in ``inplace`` that the pattern doesn't capture."""
    for name in statement.inplace:
        if name in captures:
            continue
        near = nearest(name, captures, 1)
        found.add(
            Diagnostic(
                code="S296",
                message=f"the pattern has no capture `{name}`",
                span=statement.span,
                reason="`inplace(NAME)` names an operand that the kernel may overwrite.",
                remedy=f"write inplace({near[0]})"
                if near
                else f"name the operand in the pattern, e.g. `add({name}:*, conv2d(*, *))`",
            )
        )
