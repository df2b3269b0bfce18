"""Relay text -> :class:`surgery.graph.Module`, without TVM."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lark import Lark, UnexpectedToken

from surgery.diagnostics import SurgeryError, error
from surgery.graph import UNKNOWN, Graph, Module, ValueType
from surgery.listing.builder import Builder
from surgery.listing.expected import in_words
from surgery.listing.metadata import Metadata
from surgery.listing.prescan import prescan
from surgery.listing.text import ListingText, listing_text
from surgery.listing.tokens import Token, Tokenizer
from surgery.listing.types import TypeText
from surgery.source import Source
from surgery.syntax.resources import grammar_text

_META = re.compile(r"meta\[[\w.]+\]\[\d+\]")

_NAMED = frozenset(("call", "tuple", "field", "if", "function", "opaque"))


class _Parser(threading.local):
    """The grammar's tables and its actions, once a thread: the actions hold the listing's state."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.lark = Lark(
            grammar_text("relay_text.lark"),
            parser="lalr",
            lexer="basic",
            start=["start", "type"],
            keep_all_tokens=True,
            maybe_placeholders=False,
            transformer=self.builder,
        )
        self.tokenizer = Tokenizer(list(self.lark.terminals))


@lru_cache(maxsize=1)
def _parser() -> _Parser:
    """Return the parser; it is built at the first use, which takes about 60 ms."""
    return _Parser()


def read_listing(source: Source, *, needs_main: bool = True) -> Module:
    """Read Relay text as TVM prints it (0.6 to 0.19) into a picture of the model.

    Neither TVM nor a metadata section is needed. Parameters are of kind ``input``: a listing holds
    no values of weights. Types are those of the file; where it gives none, only what follows
    from tuples, fields, lets and ifs is filled in.

    Args:
        source: The listing: whole modules, or an expression or function that TVM printed alone.
        needs_main: Whether a listing of other functions only is refused.

    Returns:
        The module. ``missing`` holds each ``meta[...]`` that the file's metadata doesn't define,
        with its first line.

    Raises:
        SurgeryError: With every finding of :func:`prescan`, or ``S520`` for text that doesn't
            parse, ``S521`` cut-off text, ``S524``/``S525`` unknown values, ``S526`` no ``@main``,
            ``S527`` a function defined twice, ``S528`` a field that a tuple doesn't have.
    """
    findings = prescan(source)
    if any(f.severity == "error" for f in findings):
        raise SurgeryError([f for f in findings if f.severity == "error"])
    listing = listing_text(source)
    metadata = Metadata(listing)
    parser = _parser()
    builder = parser.builder
    builder.begin(listing, metadata, parse_type)
    try:
        _run(parser, "start", parser.tokenizer.tokens(listing))
    except UnexpectedToken as failure:
        raise _unexpected(listing, failure) from None
    functions = builder.graphs()
    if "main" not in functions and (needs_main or not functions):
        raise _no_main(listing, functions)
    return Module(
        functions=functions,
        has_source_names=any(_has_names(g) for g in functions.values()),
        missing=_missing(listing, metadata),
    )


def _has_names(graph: Graph) -> bool:
    """Return whether any op (not a variable) has a name from its source framework."""
    named = zip(graph.names, graph.kinds, strict=True)
    return any(name is not None and kind in _NAMED for name, kind in named)


@lru_cache(maxsize=4096)
def parse_type(text: str) -> ValueType:
    """Return the type that a text such as ``(Tensor[(1, 2), float32], bool)`` says.

    What isn't a type is :data:`~surgery.graph.UNKNOWN`: comments may hold anything.
    """
    parser = _parser()
    try:
        found = _run(parser, "type", parser.tokenizer.type_tokens(text))
    except (UnexpectedToken, ValueError):
        return UNKNOWN
    assert isinstance(found, TypeText)
    return found.value


def _run(parser: _Parser, start: str, tokens: Iterator[Token]) -> object:
    interactive = parser.lark.parse_interactive(start=start)
    feed: Callable[[Any], object] = interactive.feed_token
    for token in tokens:
        feed(token)
    finish: Callable[[], object] = interactive.feed_eof
    return finish()


def _unexpected(listing: ListingText, failure: UnexpectedToken) -> SurgeryError:
    token = failure.token
    expected = in_words(failure.expected)
    if not isinstance(token, Token):
        at = max(0, len(listing.text[: listing.end].rstrip()) - 1)
        if not listing.code.strip():
            return _no_main(listing, {})
        return error(
            "S521",
            "the listing is cut off",
            listing.span(at, at + 1),
            reason=f"after this comes {expected}" if expected else "the text ends too early",
            remedy="paste or save the whole listing, to the last `}`",
        )
    return error(
        "S520",
        f"`{token.value}` can't stand here",
        listing.span(token.start, token.end),
        reason=f"expected {expected}" if expected else "nothing can follow here",
        remedy="compare the line with what TVM prints (`print(mod)`)",
    )


def _no_main(listing: ListingText, functions: Mapping[str, Graph]) -> SurgeryError:
    at = listing.functions[0].start if listing.functions else 0
    names = ", ".join(f"`@{name}`" for name in functions)
    return error(
        "S526",
        "the listing has no `@main`",
        listing.span(at, min(at + 1, len(listing.text))),
        reason=f"it defines only {names}" if names else "it defines no function",
        remedy="the model itself is the function `def @main(...) { ... }`: paste it too",
    )


def _missing(listing: ListingText, metadata: Metadata) -> tuple[tuple[str, int], ...]:
    missing: dict[str, int] = {}
    for found in _META.finditer(listing.code):
        reference = found.group()
        if reference not in missing and not metadata.holds(reference):
            missing[reference] = listing.source.position(found.start())[0]
    return tuple(missing.items())
