"""Reads spec files, with all that they include."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from surgery.diagnostics import Collector, SurgeryError, error, nearest
from surgery.source import Source, Span
from surgery.syntax import ast
from surgery.syntax.conflicts import find_conflicts
from surgery.syntax.origin import Origin, Variables
from surgery.syntax.text import parse_statements

Form = Literal["text", "yaml"]
#: Includes inside includes.
MAX_INCLUDES = 64
_YAML_SUFFIXES = (".yaml", ".yml", ".json")


def form_of(path: str) -> Form:
    """Return the form of a spec by its file's name."""
    return "yaml" if path.lower().endswith(_YAML_SUFFIXES) else "text"


def statements_of(
    source: Source, form: Form, variables: Variables, found: Collector
) -> tuple[ast.Statement, ...]:
    """Return the statements of one source; faults go to ``found``."""
    if form == "yaml":
        # PyYAML and jsonschema take longer to import than a text spec takes to check.
        from surgery.syntax.yaml_form import parse_yaml_statements

        return parse_yaml_statements(source, variables, found)
    return parse_statements(source.text, Origin(source), variables, found)


def parse_source(source: Source, form: Form, variables: Variables) -> ast.Spec:
    """Return the spec of one source; includes stay statements.

    Raises:
        SurgeryError: with every finding.
    """
    found = Collector()
    statements = statements_of(source, form, variables, found)
    find_conflicts(statements, found)
    found.raise_if_errors()
    return ast.Spec(statements=statements, span=Span(source, 0, len(source.text)))


def read_source(path: Path, shown: str, span: Span | None = None) -> Source:
    """Return the text of a spec file.

    Args:
        path: The file.
        shown: What to call it in messages.
        span: The ``include`` that asks for it.

    Raises:
        SurgeryError: ``S545`` when it can't be read, ``S546`` when it is no UTF-8 text.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise error(
            "S545",
            f"`{shown}` can't be read",
            span,
            reason=(fault.strerror or type(fault).__name__).lower(),
            remedy=_similar(path, span),
        ) from None
    except ValueError:
        raise error("S545", "a path can't hold a zero character", span) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise error(
            "S546",
            f"`{shown}` is not a text in UTF-8",
            span,
            reason=f"line {line} holds the byte 0x{data[fault.start]:02x}",
            remedy="save it as UTF-8; a model is given by `model` or `--model`, not as a spec",
        ) from None
    return Source(text.replace("\r\n", "\n").replace("\r", "\n"), shown)


def load(path: Path, variables: Mapping[str, str]) -> ast.Spec:
    """Return the spec of a file, the statements of its includes in their places.

    Raises:
        SurgeryError: with every finding, those of included files too.
    """
    loader = _Loader(Variables(variables))
    source = read_source(path, str(path))
    statements = loader.file(source, path, (path.resolve(),))
    find_conflicts(statements, loader.found)
    loader.found.raise_if_errors()
    return ast.Spec(statements=statements, span=Span(source, 0, len(source.text)))


def load_source(source: Source, form: Form, variables: Mapping[str, str]) -> ast.Spec:
    """Return the spec of a text that is no file, the statements of its includes in their places.

    Paths of includes are relative to the working folder.

    Raises:
        SurgeryError: with every finding, those of included files too.
    """
    loader = _Loader(Variables(variables))
    nowhere = Path(source.path)
    statements = loader.file(source, nowhere, (nowhere.absolute(),), form)
    find_conflicts(statements, loader.found)
    loader.found.raise_if_errors()
    return ast.Spec(statements=statements, span=Span(source, 0, len(source.text)))


@dataclass(slots=True)
class _Loader:
    variables: Variables
    found: Collector = field(default_factory=Collector)
    seen: set[Path] = field(default_factory=set)

    def file(
        self, source: Source, path: Path, chain: tuple[Path, ...], form: Form | None = None
    ) -> tuple[ast.Statement, ...]:
        """Return a file's statements; a file that several include is taken once."""
        self.seen.add(chain[-1])
        spliced: list[ast.Statement] = []
        form = form or form_of(str(path))
        for statement in statements_of(source, form, self.variables, self.found):
            if isinstance(statement, ast.Include):
                try:
                    spliced += self._included(statement, path, chain)
                except SurgeryError as failure:
                    self.found.take(failure)
            else:
                spliced.append(statement)
        return tuple(spliced)

    def _included(
        self, include: ast.Include, includer: Path, chain: tuple[Path, ...]
    ) -> tuple[ast.Statement, ...]:
        path = includer.parent / include.path
        try:
            target = path.resolve()
        except (OSError, RuntimeError, ValueError):
            target = path
        if target in chain:
            names = [p.name for p in (*chain[chain.index(target) :], target)]
            raise error(
                "S547",
                "specs include each other in a circle",
                include.span,
                reason=" -> ".join(names),
                remedy="move what both need to a spec that includes neither",
            )
        if len(chain) > MAX_INCLUDES:
            raise error("S547", f"includes nested more than {MAX_INCLUDES} deep", include.span)
        source = read_source(path, str(path), include.span)
        if target in self.seen:
            return ()
        return self.file(source, path, (*chain, target))


def _similar(path: Path, include: Span | None) -> str:
    own = None if include is None else Path(include.source.path).name
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except (OSError, ValueError):
        return "check the path"
    close = nearest(path.name, [n for n in names if n != own], limit=1)
    return f"did you mean `{path.parent / close[0]}`?" if close else "check the path"
