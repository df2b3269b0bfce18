"""Reads Relay text with TVM's parser, and gives back what that parser loses.

It can't read many names, forgets source names (they stand in comments), renumbers, silently takes
the first of two ``%N``, and reports faults in its own terms. So: a scan before it, names mangled
and restored, numbers and source names attached from the file, faults placed in the user's file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import Diagnostic, SurgeryError, nearest
from surgery.engines.relay.adopt import checked
from surgery.engines.relay.failure import Finding, diagnosed, engine_error
from surgery.engines.relay.labels import Labels, label
from surgery.engines.relay.mangle import Mangled, mangle
from surgery.engines.relay.params import original_name
from surgery.engines.relay.tvm_import import tvm
from surgery.engines.relay.view import relay_functions
from surgery.listing import begins_inside, missing_required_attrs, prescan, read_listing
from surgery.source import Source, Span

if TYPE_CHECKING:
    from surgery.engines.relay.model import IRModule

_VERSION = '#[version = "0.0.5"] '
#: What may stand before a text's first function: blanks, comments, a version of any age.
_LEAD = re.compile(
    r'(?:\s|/\*.*?\*/|//[^\n]*\n|#\[version\s*=\s*"[^"]*"\]|v0\.0\.\d+(?=\s))*', re.DOTALL
)
_WORD = re.compile(r"[\w.%@/]*")
#: What TVM says of an attribute that an op lacks, before the list of those it has.
_NO_FIELD = re.compile(
    r"(relay\.attrs\.\w+): does not have field '(\w+)', Possible fields:(.*)", re.DOTALL
)
_SECTION = re.compile(r"^#\[metadata\]", re.MULTILINE)
_REFERENCE = re.compile(r'meta\[[\w.]+\]\[\d+\]|"(?:\\.|[^"\\])*"|/\*.*?\*/', re.DOTALL)
_DTYPE_NOTE = "text keeps 6 digits of a scalar: the model it was printed from may have had more"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedText:
    """A Relay text as TVM reads it, with the file's own names and numbers.

    Attributes:
        ir: The module, type-checked, parameters under their original names.
        labels: Names and numbers by function and id that ``ir`` itself doesn't carry.
        dtype_note: What reading text has lost.
    """

    ir: IRModule
    labels: Labels
    dtype_note: str


def read_text(source: Source, weights: Mapping[str, Any]) -> ParsedText:
    """Read a Relay text.

    Args:
        source: The file.
        weights: The weights that come with it: their names tell what TVM printed as ``v_x``.

    Raises:
        SurgeryError: S506 it doesn't type-check, S507 it doesn't parse, S508 its metadata section
            is missing, S52x what the scan before the parser finds; each at its place.
    """
    _refuse(source)
    mangled = mangle(source)
    ir = _parse(source, mangled)
    labels = label(source, mangled.text, ir, mangled.originals)
    ir, renamed = _restored(ir, mangled, weights)
    return ParsedText(
        ir=checked(ir, source.path, typed=not renamed), labels=labels, dtype_note=_DTYPE_NOTE
    )


_SAVE_JSON = "save the model exactly: open(path, 'w').write(tvm.ir.save_json(mod))"


def _refuse(source: Source) -> None:
    """Raise for whatever TVM's parser would misread, or fail on without a place."""
    # A value printed above its operand is a warning in a listing; TVM's parser can't read it.
    found = [
        replace(d, severity="error", reason="TVM prints such values out of order and can't read "
                "its own text back", remedy=_SAVE_JSON) if d.code == "S530" else d
        for d in (*prescan(source), *missing_required_attrs(source))
    ]  # fmt: skip
    inside = begins_inside(source)
    if inside is not None:
        found.append(_excerpt(source, inside))
    missing = _missing_metadata(source)
    if missing:
        found.append(_no_metadata(source, missing))
    if any(d.severity == "error" for d in found):
        raise SurgeryError(sorted(found, key=lambda d: d.severity != "error"))


def _missing_metadata(source: Source) -> list[Span]:
    """Return every reference to a metadata section that isn't there."""
    if "meta[" not in source.text or _SECTION.search(source.text):
        return []
    found = (m for m in _REFERENCE.finditer(source.text) if m[0].startswith("meta"))
    return [Span(source, m.start(), m.end()) for m in found]


def _excerpt(source: Source, inside: Span) -> Diagnostic:
    return Diagnostic(
        code="S521",
        message=f"{source.path} begins inside a function",
        span=inside,
        reason="there is no `def @main(...) {` before it, which says what the inputs and their "
        "types are: the model can be shown and planned from this text, but not rebuilt",
        remedy="paste or save the whole listing, from the line with `def @main(`",
    )


def _no_metadata(source: Source, missing: Sequence[Span]) -> Diagnostic:
    lines: dict[str, list[int]] = {}
    for span in missing:
        lines.setdefault(span.text, []).append(span.line)
    return Diagnostic(
        code="S508",
        message=f"{source.path} refers to {missing[0].text}, but has no metadata section",
        span=missing[0],
        reason="print(mod) leaves the section out; it holds the constants, so the model can be "
        "shown and planned from this text, but not rebuilt",
        remedy="save the whole model: open(path, 'w').write(mod.astext()), or exactly, with "
        "tvm.ir.save_json(mod)",
        notes=tuple(
            f"missing: {name} on line {', '.join(map(str, dict.fromkeys(at)))}"
            for name, at in list(lines.items())[:20]
        ),
    )


def _parse(source: Source, mangled: Mangled) -> IRModule:
    lead = _LEAD.match(mangled.text)
    start = lead.end() if lead else 0
    begin = _VERSION
    if re.match(r"fn\s*[(\[<]", mangled.text[start : start + 9]):
        # A function printed alone: the same text with the name of the model's function.
        begin += "def @main"
        start += 2
    # Lines before the text's own start are kept, so that line numbers stay.
    lines = "\n" * mangled.text.count("\n", 0, start)
    text = lines + begin + mangled.text[start:]
    shift = len(lines) + len(begin) - start
    with diagnosed() as found:
        try:
            return tvm().relay.fromtext(text)
        except Exception as failure:
            raise _unparsed(source, mangled, Source(text), shift, found, failure) from failure


def _unparsed(
    source: Source,
    mangled: Mangled,
    parsed: Source,
    shift: int,
    found: Sequence[Finding],
    failure: Exception,
) -> SurgeryError:
    typing = "InferType" in str(failure)
    placed = [f for f in found if f.line is not None and "unable to infer" not in f.message]
    diagnostics: list[Diagnostic] = []
    for item in placed:
        assert item.line is not None
        span = _user_span(source, mangled, parsed, shift, item)
        diagnostics.append(_fault(source, span, engine_error(failure, [item]), typing))
    if diagnostics:
        return SurgeryError(dict.fromkeys(diagnostics))
    attribute = _unknown_attribute(source, str(failure))
    if attribute is not None:
        return SurgeryError(attribute)
    # TVM gives no place (an unknown variable, a broken attribute): surgery's own reader may.
    try:
        read_listing(source)
    except SurgeryError as placed_error:
        return placed_error
    return SurgeryError(_fault(source, None, engine_error(failure, list(found)), typing))


def _unknown_attribute(source: Source, said: str) -> Diagnostic | None:
    """Return the finding for an attribute that an op doesn't have: TVM gives no place for it."""
    match = _NO_FIELD.search(said)
    if match is None:
        return None
    key, name, fields = match.groups()
    known = re.findall(r"^\s*(\w+) : ", fields, re.MULTILINE)
    close = nearest(name, known)
    at = next(
        (
            found
            for found in re.finditer(rf"(?<![\w.%]){re.escape(name)}(?=\s*=)", source.text)
            if _attrs_key(_callee(source.text, found.start())) == key
        ),
        None,
    )
    return Diagnostic(
        code="S507",
        message=f"the op has no attribute `{name}`",
        span=None if at is None else Span(source, at.start(), at.end()),
        reason=f"its attributes are {', '.join(known)}",
        remedy=f"did you mean {' or '.join(close)}?" if close else "leave it out",
    )


def _callee(text: str, offset: int) -> str:
    """Return the name before the bracket that a place is inside of."""
    depth = 0
    for at in range(offset - 1, -1, -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            if depth == 0:
                word = re.search(r"[\w.]+$", text[:at])
                return word.group() if word else ""
            depth -= 1
    return ""


def _attrs_key(op: str) -> str:
    try:
        return str(tvm().ir.Op.get(op).attrs_type_key)
    except (tvm().TVMError, AttributeError, ValueError):
        return ""


def _fault(source: Source, span: Span | None, reason: str, typing: bool) -> Diagnostic:
    if typing:
        return Diagnostic(
            code="S506",
            message=f"{source.path}: the model doesn't type-check",
            span=span,
            reason=reason,
            remedy="correct the shapes, dtypes or arguments at this place",
        )
    return Diagnostic(
        code="S507",
        message=f"{source.path} is not Relay text that TVM can parse",
        span=span,
        reason=reason,
        remedy="correct the text here, or save the model as JSON: tvm.ir.save_json(mod)",
    )


def _user_span(source: Source, mangled: Mangled, parsed: Source, shift: int, item: Finding) -> Span:
    """Return a finding's place in the user's own text."""

    def back(offset: int) -> int:
        return min(mangled.original_offset(max(0, offset - shift)), len(source.text))

    start = parsed.offset(item.line or 1, item.column or 1)
    end = parsed.offset(item.end_line or item.line or 1, item.end_column or 1)
    # TVM miscounts columns by one or two behind some marks: back to where the word begins.
    text, word = parsed.text, start
    while 0 < word < len(text) and _WORD.fullmatch(text, word - 1, word + 1):
        word -= 1
    begin = back(word)
    return Span(source, begin, max(back(end - (start - word)), begin + 1))


def _restored(ir: IRModule, mangled: Mangled, weights: Mapping[str, Any]) -> tuple[IRModule, bool]:
    """Return the module with its functions' parameters under their original names."""
    relay = tvm().relay
    originals = mangled.originals
    renamed = False
    for name, function in relay_functions(ir):
        fresh = {}
        for old in function.params:
            printed = str(old.name_hint)
            wanted = originals.get(printed, printed)
            if name == "main":
                wanted = original_name(wanted, weights)
            if wanted != printed:
                fresh[old] = relay.Var(wanted, old.type_annotation, old.span)
        if not fresh:
            continue
        renamed = True
        ir[name] = relay.Function(
            [fresh.get(p, p) for p in function.params],
            relay.bind(function.body, fresh),
            function.ret_type,
            function.type_params,
            function.attrs,
            function.span,
        )
    return ir, renamed
