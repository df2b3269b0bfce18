"""The language of specs: text and YAML to AST, and back. This is the package's only door."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from surgery.source import Source
from surgery.syntax import ast
from surgery.syntax.formatting import format_source
from surgery.syntax.load import Form, form_of, load, load_source, parse_source, read_source
from surgery.syntax.origin import Origin, Variables
from surgery.syntax.printer import print_pattern, print_selector, print_spec, print_statement
from surgery.syntax.resources import grammar_text
from surgery.syntax.text import parse_pattern_text, parse_selector_text

__all__ = [
    "Form",
    "ast",
    "form_of",
    "format_source",
    "grammar_text",
    "load_spec",
    "load_text",
    "parse",
    "parse_pattern",
    "parse_selector",
    "parse_text",
    "parse_yaml",
    "print_pattern",
    "print_selector",
    "print_spec",
    "print_statement",
    "print_yaml",
    "read_source",
    "spec_schema",
]

_NONE: Mapping[str, str] = {}


def parse_text(source: Source | str, variables: Mapping[str, str] = _NONE) -> ast.Spec:
    """Return the spec of a text; ``include`` stays a statement.

    Args:
        source: The text, or a source that has a name for messages.
        variables: The values of ``${NAME}``.

    Raises:
        SurgeryError: with every finding.
    """
    return parse_source(_source(source), "text", Variables(variables))


def parse_yaml(source: Source | str, variables: Mapping[str, str] = _NONE) -> ast.Spec:
    """Return the spec of a YAML document; ``include`` stays a statement.

    Raises:
        SurgeryError: with every finding.
    """
    return parse_source(_source(source), "yaml", Variables(variables))


def parse(
    source: Source | str, form: Form | None = None, variables: Mapping[str, str] = _NONE
) -> ast.Spec:
    """Return the spec of a source in either form, by its name when ``form`` is ``None``.

    Raises:
        SurgeryError: with every finding.
    """
    source = _source(source)
    return parse_source(source, form or form_of(source.path), Variables(variables))


def parse_selector(source: Source | str, variables: Mapping[str, str] = _NONE) -> ast.Selector:
    """Return the selector that a text is.

    Raises:
        SurgeryError: when it is none.
    """
    source = _source(source)
    return parse_selector_text(source.text, Origin(source), Variables(variables))


def parse_pattern(source: Source | str, variables: Mapping[str, str] = _NONE) -> ast.Pattern:
    """Return the pattern that a text is.

    Raises:
        SurgeryError: when it is none.
    """
    source = _source(source)
    return parse_pattern_text(source.text, Origin(source), Variables(variables))


def load_spec(path: str | PathLike[str], variables: Mapping[str, str] = _NONE) -> ast.Spec:
    """Return the spec of a file, with the statements of what it includes in their places.

    Paths of includes are relative to the file that includes them; a file included twice counts
    once.

    Raises:
        SurgeryError: with every finding: ``S545`` to ``S547`` for files, ``S1xx`` for contents.
    """
    return load(Path(path), variables)


def load_text(
    source: Source, variables: Mapping[str, str] = _NONE, *, form: Form | None = None
) -> ast.Spec:
    """Return the spec of a text that is no file, as :func:`load_spec` does for a file.

    Paths of includes are relative to the working folder.

    Raises:
        SurgeryError: with every finding.
    """
    return load_source(source, form or form_of(source.path), variables)


def print_yaml(spec: ast.Spec) -> str:
    """Return the canonical YAML form of a spec."""
    from surgery.syntax.yaml_printer import YamlPrinter

    return YamlPrinter().spec(spec)


def spec_schema() -> dict[str, Any]:
    """Return the JSON schema (Draft 2020-12) of the YAML form."""
    import json

    schema: dict[str, Any] = json.loads(grammar_text("spec.schema.json"))
    return schema


def _source(source: Source | str) -> Source:
    return source if isinstance(source, Source) else Source(source)
