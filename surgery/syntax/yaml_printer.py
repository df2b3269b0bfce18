"""AST -> the YAML form, which parses back to the same statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from surgery.syntax import ast
from surgery.syntax.origin import WHOLE_VARIABLE, KeptFloat, KeptInt, escape_references
from surgery.syntax.printer import Printer

_T = TypeVar("_T", bound=ast.Statement)
_PLAIN = re.compile(
    r"[A-Za-z](?:[\w ./%>|()+=,\"'*{}$?<~^&@;:-]*[\w./%>|()+=\"'*{}$?<~^&@;-])?"
    r"|\.{0,2}/[\w./-]*",
    re.ASCII,
)
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z][\w./-]*", re.ASCII)
#: Words that YAML 1.1 readers take for something else than text.
_SPECIAL = re.compile(r"(?:y|n|yes|no|on|off|true|false|null|none)", re.IGNORECASE)


def scalar(text: str, *, flow: bool = False, quoted: bool = False) -> str:
    """Return a text as a YAML scalar of one line: plain where every reader takes it as that text.

    Args:
        text: What the scalar stands for.
        flow: Whether it stands inside ``[ ]``, where fewer characters may be plain.
        quoted: Whether it has to be in double quotes.
    """
    plain = (
        (_PLAIN_IN_FLOW if flow else _PLAIN).fullmatch(text) is not None
        and not _SPECIAL.fullmatch(text)
        and ": " not in text
    )
    if plain and not quoted:
        return text
    if not quoted and "'" not in text and ('"' in text or "\\" in text) and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    match character:
        case '"' | "\\":
            return f"\\{character}"
        case "\n":
            return "\\n"
        case "\t":
            return "\\t"
        case _ if character.isprintable():
            return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class YamlPrinter:
    """Prints a spec in the YAML form; ``raw`` as for :class:`surgery.syntax.printer.Printer`."""

    def __init__(self, *, raw: bool = False) -> None:
        self.raw = raw
        self.printer = Printer(raw=raw)

    # ------------------------------------------------------------ scalars

    def text(self, text: str) -> str:
        """Return a text that isn't parsed any further."""
        return scalar(text if self.raw else escape_references(text))

    def number(self, number: float) -> str:
        """Return a number; YAML writes infinity by a dot."""
        if isinstance(number, KeptInt | KeptFloat):
            return number.text
        written = repr(number)
        return re.sub(r"(inf|nan)", r".\1", written) if isinstance(number, float) else written

    def value(self, value: Any) -> str:
        """Return a value of an option, in flow style."""
        match value:
            case None:
                return "null"
            case bool():
                return "true" if value else "false"
            case int() | float():
                return self.number(value)
            case tuple():
                return f"[{', '.join(self.value(item) for item in value)}]"
            case str() if self.raw and WHOLE_VARIABLE.fullmatch(value):
                return value
            case _:
                return scalar(value if self.raw else escape_references(value), flow=True)

    # ------------------------------------------------------------ the document

    def spec(self, spec: ast.Spec) -> str:
        """Return a spec: keys of the document for what it has one of, ``steps`` for the rest."""
        left = list(spec.statements)
        blocks = ["version: 1\n"]
        tail: list[str] = []
        self._single(left, ast.Model, self._model, blocks)
        self._all(left, ast.Include, self._include, blocks)
        self._named(left, ast.Let, self._let, blocks)
        self._named(left, ast.PatternDef, self._patterns, blocks)
        self._bind(left, blocks)
        self._single(left, ast.Prepare, self._prepare, blocks)
        self._named(left, ast.Backend, self._backends, tail)
        self._single(left, ast.Build, self._build, tail)
        self._single(left, ast.Verify, self._verify, tail)
        self._single(left, ast.Pipeline, self._pipeline, tail)
        if left:
            steps = "".join(f"  - {scalar(self.printer.statement(s))}\n" for s in left)
            blocks.append(f"steps:\n{steps}")
        return "".join(blocks + tail)

    def _take(self, left: list[ast.Statement], kind: type[_T]) -> list[_T]:
        taken: list[_T] = [s for s in left if isinstance(s, kind)]
        left[:] = [s for s in left if not isinstance(s, kind)]
        return taken

    def _single(
        self,
        left: list[ast.Statement],
        kind: type[_T],
        write: Callable[[_T], str],
        blocks: list[str],
    ) -> None:
        """Write the only statement of a kind; several stay steps, each as it is."""
        if sum(isinstance(s, kind) for s in left) == 1:
            blocks.append(write(self._take(left, kind)[0]))

    def _all(
        self,
        left: list[ast.Statement],
        kind: type[_T],
        write: Callable[[Sequence[_T]], str],
        blocks: list[str],
    ) -> None:
        taken = self._take(left, kind)
        if taken:
            blocks.append(write(taken))

    def _named(
        self,
        left: list[ast.Statement],
        kind: Any,
        write: Callable[[Any], str],
        blocks: list[str],
    ) -> None:
        """Write all definitions of a kind, unless a name stands twice."""
        names = Counter(s.name for s in left if isinstance(s, kind))
        if names and max(names.values()) == 1:
            blocks.append(write(self._take(left, kind)))

    # ------------------------------------------------------------ keys

    def _model(self, model: ast.Model) -> str:
        if model.params is None:
            return f"model: {self.text(model.path)}\n"
        return _block(
            "model", [("path", self.text(model.path)), ("params", self.text(model.params))]
        )

    def _include(self, includes: Sequence[ast.Include]) -> str:
        if len(includes) == 1:
            return f"include: {self.text(includes[0].path)}\n"
        return _list("include", (self.text(i.path) for i in includes))

    def _let(self, lets: Sequence[ast.Let]) -> str:
        pairs = [(self.text(s.name), scalar(self.printer.selector(s.selector))) for s in lets]
        return _block("let", pairs)

    def _patterns(self, patterns: Sequence[ast.PatternDef]) -> str:
        pairs = [(scalar(s.name), scalar(self.printer.pattern(s.pattern))) for s in patterns]
        return _block("patterns", pairs)

    def _bind(self, left: list[ast.Statement], blocks: list[str]) -> None:
        params = [s.glob for s in left if isinstance(s, ast.BindParams)]
        inputs = [s for s in left if isinstance(s, ast.BindInput)]
        if len({s.name for s in inputs}) < len(inputs) or (None in params and len(params) > 1):
            return
        lines = []
        if params == [None]:
            lines.append("  params: all\n")
        elif params:
            globs = "".join(f"    - {self.text(glob or '')}\n" for glob in params)
            lines.append(f"  params:\n{globs}")
        if inputs:
            lines.append("  inputs:\n")
            for statement in inputs:
                kind = scalar(self.printer.tensor_type(statement))
                lines.append(f"    {self.text(statement.name)}: {kind}\n")
        if lines:
            left[:] = [s for s in left if not isinstance(s, ast.BindParams | ast.BindInput)]
            blocks.append("bind:\n" + "".join(lines))

    def _prepare(self, prepare: ast.Prepare) -> str:
        return _list("prepare", (scalar(self.printer.pass_call(c)) for c in prepare.passes))

    def _backends(self, backends: Sequence[ast.Backend]) -> str:
        lines = ["backends:\n"]
        for backend in backends:
            lines.append(f"  {self.text(backend.name)}:\n    via: {backend.kind}\n")
            if backend.source is not None:
                lines.append(f"    source: {self.text(backend.source)}\n")
            if backend.library is not None:
                lines.append(f"    library: {self.text(backend.library)}\n")
            if backend.options:
                lines.append("    options:\n")
                lines += [f"      {scalar(k)}: {self.value(v)}\n" for k, v in backend.options]
        return "".join(lines)

    def _build(self, build: ast.Build) -> str:
        pairs = []
        if build.target is not None:
            pairs.append(("target", self.text(build.target)))
        if build.opt_level is not None:
            pairs.append(("opt_level", self.number(build.opt_level)))
        if build.executor is not None:
            pairs.append(("executor", build.executor))
        if build.format is not None:
            pairs.append(("format", build.format))
        block = _block("build", pairs) if pairs else "build:\n"
        if build.config:
            block += "  config:\n"
            block += "".join(f"    {scalar(k)}: {self.value(v)}\n" for k, v in build.config)
        if build.disable:
            block += "  disable:\n" + "".join(f"    - {self.text(n)}\n" for n in build.disable)
        return block if block != "build:\n" else "build: {}\n"

    def _verify(self, verify: ast.Verify) -> str:
        pairs = []
        if verify.each:
            pairs.append(("each", "true"))
        if verify.inputs is not None:
            pairs.append(("inputs", self.text(verify.inputs)))
        if verify.seed is not None:
            pairs.append(("seed", self.number(verify.seed)))
        if verify.rtol is not None:
            pairs.append(("rtol", self.number(verify.rtol)))
        if verify.atol is not None:
            pairs.append(("atol", self.number(verify.atol)))
        return _block("verify", pairs) if pairs else "verify: true\n"

    def _pipeline(self, pipeline: ast.Pipeline) -> str:
        pairs: list[tuple[str, str]] = [("on", pipeline.on)]
        if pipeline.depth is not None:
            pairs.append(("depth", self.number(pipeline.depth)))
        return _block("pipeline", pairs)


def _block(key: str, pairs: Iterable[tuple[str, str]]) -> str:
    return f"{key}:\n" + "".join(f"  {name}: {value}\n" for name, value in pairs)


def _list(key: str, items: Iterable[str]) -> str:
    return f"{key}:\n" + "".join(f"  - {item}\n" for item in items)
