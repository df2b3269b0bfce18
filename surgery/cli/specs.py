"""What a SPEC argument stands for: a file, standard input, or the text of a spec itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from surgery.diagnostics import error
from surgery.source import Source
from surgery.syntax import load_spec, load_text
from surgery.syntax.ast import Model, Spec

#: Files of these names are specs.
SUFFIXES = (".surgery", ".yaml", ".yml")
COMMAND_LINE = "<command line>"
STDIN = "<stdin>"
_VERSION_KEY = re.compile(r"^[\"']?version[\"']?\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A spec as the command line gave it.

    Attributes:
        spec: The spec.
        path: Its file; ``None`` for text on the command line or standard input.
    """

    spec: Spec
    path: Path | None

    def output_folder(self, model: str | None) -> Path:
        """Return the default output folder: the stem of the spec (or of the model) + ``.out``."""
        if self.path is not None:
            return Path(self.path.stem + ".out")
        if model is None:
            named = (s.path for s in self.spec.statements if isinstance(s, Model))
            model = next(named, "surgery")
        return Path(Path(model).name.split(".")[0] + ".out")


def is_path(text: str) -> bool:
    """Whether a SPEC argument names a file rather than being a spec's text."""
    if any(c in text for c in ";\n{"):
        return False
    if text.endswith(SUFFIXES):
        return True
    try:
        if Path(text).exists():
            return True
    except OSError:  # too long for a file name
        return False
    # Every statement but a bare `verify` has a blank in it, and no blank-free one has a dot.
    return not any(c.isspace() for c in text) and ("/" in text or "." in text)


def read_spec(text: str, variables: Mapping[str, str]) -> Given:
    """Read a SPEC argument.

    Raises:
        SurgeryError: Every fault of syntax; a file that isn't there or can't be read.
    """
    if text == "-":
        return Given(spec=load_text(read_stdin(), variables), path=None)
    if is_path(text):
        return Given(spec=load_spec(text, variables), path=Path(text))
    return Given(spec=load_text(Source(text, COMMAND_LINE), variables, form="text"), path=None)


def read_stdin() -> Source:
    """Read a text from standard input.

    Raises:
        SurgeryError: S595 it isn't UTF-8.
    """
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise error(
            "S595",
            "standard input is not UTF-8 text",
            reason=f"byte {failure.start} is 0x{data[failure.start]:02x}",
        ) from None
    # The form goes by a source's name; only YAML specs have this key, and all of them do.
    name = STDIN + ".yaml" if _VERSION_KEY.search(text) else STDIN
    return Source(text.replace("\r\n", "\n"), name)
