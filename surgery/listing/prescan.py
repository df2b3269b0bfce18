"""A fast look at a listing before anything parses it: what TVM would silently misread.

TVM's parser keeps one table of ``%N`` for a whole file and takes the first binding of a number for
all of its uses; equal parameter names build and then read uninitialised memory. Regular
expressions only, so that this costs next to nothing for any file.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from surgery.diagnostics import Diagnostic
from surgery.listing.text import ListingText, listing_text
from surgery.source import Source, Span

_NUMBERS = re.compile(r"%(\d+)(\s*=(?!=))?(?![\w/])")
_BRACES = re.compile(r"[{}]")
_OPEN_COMMENT = re.compile(r"/\*(?:(?!\*/).)*\Z", re.DOTALL)


def prescan(source: Source) -> list[Diagnostic]:
    """Return what makes a listing unfit to be read, with exact places.

    ``S521`` text cut off or braces that don't match, ``S522`` a ``%N`` bound more than once,
    ``S523`` two parameters of one name, ``S524`` a ``%N`` that its function never binds. A warning
    ``S530`` for a ``%N`` that is only bound further down: TVM prints such text and can't read it.
    """
    listing = listing_text(source)
    found = _braces(listing)
    cut_off = bool(found)
    found += _duplicate_parameters(listing)
    found += _numbers(listing, cut_off)
    return found


def _braces(listing: ListingText) -> list[Diagnostic]:
    comment = _OPEN_COMMENT.search(listing.plain, max(0, listing.plain.rfind("/*")))
    if comment and listing.plain.rfind("/*") >= 0:
        return [_cut_off(listing, comment.start(), 2, "a comment begins here and never ends")]
    opened: list[int] = []
    for brace in _BRACES.finditer(listing.code):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            opened.pop()
        else:
            return [
                Diagnostic(
                    code="S521",
                    message="a `}` that closes nothing",
                    span=listing.span(brace.start(), brace.end()),
                    reason="every `}` needs a `{` before it",
                    remedy="delete it, or paste the listing from its first line on",
                )
            ]
    if opened:
        return [_cut_off(listing, opened[-1], 1, "this `{` is never closed")]
    return []


def _cut_off(listing: ListingText, at: int, size: int, reason: str) -> Diagnostic:
    return Diagnostic(
        code="S521",
        message="the listing is cut off",
        span=listing.span(at, at + size),
        reason=reason,
        remedy="paste or save the whole listing, to the last `}`",
    )


def _duplicate_parameters(listing: ListingText) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    seen: dict[tuple[int, str], int] = {}
    for declared in listing.declarations:
        if declared.kind not in ("parameter", "local"):
            continue
        first = seen.setdefault((declared.header, declared.name), declared.start)
        if first != declared.start:
            line, column = listing.source.position(first)
            found.append(
                Diagnostic(
                    code="S523",
                    message=f"`@{declared.function}` has two parameters `%{declared.name}`",
                    span=listing.span(declared.start, declared.end),
                    reason="TVM builds such a function and then reads memory that nothing wrote",
                    remedy="give one of them another name",
                    notes=(f"the first is on line {line}, column {column}",),
                )
            )
    return found


def _numbers(listing: ListingText, cut_off: bool) -> list[Diagnostic]:
    starts = [f.start for f in listing.functions]
    names = ["main", *(f.name for f in listing.functions)]
    bound: dict[str, list[int]] = {}
    known: set[str] = set()
    early: dict[tuple[int, str], int] = {}  # first use before any binding, by function
    function = 0
    limit = starts[0] if starts else listing.end + 1
    for mention in _NUMBERS.finditer(listing.code):
        at = mention.start()
        if at >= limit:
            function = bisect_right(starts, at)
            limit = starts[function] if function < len(starts) else listing.end + 1
            known = set()
        number = mention[1]
        if mention[2] is not None:
            bound.setdefault(number, []).append(at)
            known.add(number)
        elif number not in known:
            early.setdefault((function, number), at)
    found = [_bound_twice(listing, n, places) for n, places in bound.items() if len(places) > 1]
    for (function, number), at in early.items():
        places = bound.get(number, [])
        here = any(bisect_right(starts, place) == function for place in places)
        lines = [listing.source.position(place)[0] for place in places]
        span = listing.span(at, at + 1 + len(number))
        if here:
            found.append(_bound_later(number, span, lines[0]))
        else:
            found.append(_unbound(number, span, lines, names[function], cut_off))
    return found


def _unbound(number: str, span: Span, lines: list[int], function: str, cut_off: bool) -> Diagnostic:
    where = f"it is bound on line {lines[0]}, in another function" if lines else "no line binds it"
    return Diagnostic(
        code="S524",
        message=f"`%{number}` is used but not bound",
        span=span,
        reason=f"{where}: `@{function}` can only use its own values",
        remedy="paste the whole listing" if cut_off or not lines else "correct the number",
    )


def _bound_later(number: str, span: Span, line: int) -> Diagnostic:
    return Diagnostic(
        code="S530",
        severity="warning",
        message=f"`%{number}` is used before line {line} binds it",
        span=span,
        reason="TVM prints a value that a branch shares with what is outside in the branch, also "
        "when a line before it uses the value; its own parser can't read that back",
        remedy="save the model as JSON: tvm.ir.save_json(mod)",
    )


def _bound_twice(listing: ListingText, number: str, places: list[int]) -> Diagnostic:
    lines = [str(listing.source.position(p)[0]) for p in places]
    listed = ", ".join(lines[:-1]) + " and " + lines[-1]
    return Diagnostic(
        code="S522",
        message=f"`%{number}` is bound on lines {listed}",
        span=listing.span(places[1], places[1] + 1 + len(number)),
        reason="TVM keeps one table of numbers a file and would silently use the first",
        remedy="give each value a number of its own",
    )
