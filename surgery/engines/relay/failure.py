"""TVM's failures in one line: no C++ traces, nothing printed behind the user's back."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from surgery.engines.relay.tvm_import import tvm

_FRAME = re.compile(
    r"^\s*(\d+: |File \"|Stack trace|Traceback|\[bt\]|\[\d\d:\d\d:\d\d\]|_ZN|std::|tvm::|-{3,}|at )"
)
_KIND = re.compile(r"^(?:\w+\.)*(?:\w*Error|TVMError|Exception): ")
_CHECK = re.compile(r"^Check failed: \(?(.*?)\)?(?: is false)?: ?(.*)$")
_UNVERIFIED = "LLVM module verification failed"
_KERNEL = re.compile(r"^Assert fail: status\d* == 0, ")
_RENDERED = "one or more error diagnostics were emitted"


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic of TVM's own: its text, and the 1-based place in the text it parsed.

    Attributes:
        source: Name of the span it points at: a parsed text's, or an op's source name.
    """

    message: str
    source: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


_renderer_lock = threading.RLock()


@contextmanager
def diagnosed() -> Iterator[list[Finding]]:
    """Collect TVM's diagnostics (errors and bugs) instead of letting it print them."""
    module = tvm()
    override = module.ir.diagnostics.override_renderer
    found: list[Finding] = []

    def render(context: object) -> None:
        for item in getattr(context, "diagnostics", ()):
            if int(item.level) > 20:
                continue
            span = item.span
            if span is None:
                found.append(Finding(str(item.message)))
                continue
            start, end = (
                (int(span.line), int(span.column)),
                (int(span.end_line), int(span.end_column)),
            )
            found.append(Finding(str(item.message), str(span.source_name.name), *start, *end))

    with _renderer_lock:
        override(render)
        try:
            yield found
        finally:
            override(None)


def engine_error(failure: BaseException, found: list[Finding] | None = None) -> str:
    """Return why TVM failed, as one line.

    Args:
        failure: What it raised: often dozens of lines of C++ trace.
        found: What :func:`diagnosed` collected meanwhile; it says more than the exception.
    """
    # TVM reports the call it could not type after the reason why; the reason is the first.
    for item in found or ():
        if "unable to infer a type" not in item.message:
            return _one_line(item.message)
    if found:
        return "a type can't be inferred: an input has no type, or an operator is under-constrained"
    lines = [line.strip() for line in str(failure).splitlines()]
    for line, following in itertools.pairwise(lines):
        if _UNVERIFIED in line:  # pages of LLVM code come after it
            return _one_line(f"LLVM refuses the code TVM wrote: {following}")
    useful = [line for line in lines if line and not _FRAME.match(line)]
    # Python's own frames are followed by a source line each; the message stands last.
    text = useful[-1] if useful else type(failure).__name__
    if _RENDERED in text:
        return "TVM gave no reason"
    text = _KERNEL.sub("", _KIND.sub("", text))
    check = _CHECK.match(text)
    if check:
        condition, message = check.groups()
        text = message or f"TVM's check failed: {condition}"
    elif re.fullmatch(r"@\w+", text):
        text = f"the module has no function {text}"
    return _one_line(text)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".")
