"""Source names: what the framework called an op, as TVM's spans carry it."""

from __future__ import annotations

from surgery.engines.relay.reader import Reader

#: What TVM's text parser calls its input; a span of it is a place in a text, not a name.
PARSED = "from_string"
#: Files that a parser reads: with a line number, a span that names one is a place.
_TEXT_SUFFIXES = (".relay", ".rly", ".txt", ".py")


def source_name(read: Reader, address: int) -> str | None:
    """Return the source name of the expression at an address, whole, as the framework wrote it.

    A merged span holds several; its first name counts.
    """
    span = read.child("span")(address)
    return _span_name(read, span) if span else None


def _span_name(read: Reader, span: int) -> str | None:
    pending = [span]
    sequential = read.index_of("SequentialSpan")
    while pending:
        at = pending.pop()
        if read.type_index(at) == sequential:
            pending.extend(reversed(read.array(read.child("spans")(at))))
            continue
        source = read.child("source_name")(at)
        name = read.string(read.child("name")(source)) if source else ""
        if name and not (may_be_place(name) and is_place(name, read.field("line")(at))):
            return name
    return None


def text_place(read: Reader, address: int) -> tuple[int, ...] | None:
    """Return where in a parsed text an expression was read, which names it as long as it lives.

    Passes keep it as they keep the names of other spans; of a merged span the first place counts.
    """
    span = read.child("span")(address)
    pending = [span] if span else []
    sequential = read.index_of("SequentialSpan")
    while pending:
        at = pending.pop()
        if read.type_index(at) == sequential:
            pending.extend(reversed(read.array(read.child("spans")(at))))
            continue
        source = read.child("source_name")(at)
        if source and read.string(read.child("name")(source)) == PARSED:
            return tuple(read.field(f)(at) for f in ("line", "end_line", "column", "end_column"))
    return None


def may_be_place(name: str) -> bool:
    """Tell whether a span's name is that of a parsed text at some line, if not at every one."""
    return name == PARSED or name.endswith(_TEXT_SUFFIXES)


def is_place(name: str, line: int) -> bool:
    """Tell whether a span's name is that of a parsed text rather than an op's."""
    return name == PARSED or (line > 0 and name.endswith(_TEXT_SUFFIXES))


def variable_name(read: Reader, address: int) -> str:
    """Return the name of the variable at an address."""
    return read.string(read.child("name_hint")(read.child("vid")(address)))
