"""Sites that weren't taken for one reason, together: layers of a model are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from surgery.planning.model import Rejected

#: What differs from layer to layer: ``%12``, ``%3.1``, ``@f:%x``, ``result (nn.relu)``.
_VALUE: Final = re.compile(
    r'(?:@[^\s:()]+:)?%(?:"[^"]*")?[^\s,;()]*|\bresult(?:\.\d+)*(?= \()|\bconstant [^\s,;()]+'
)
_NUMBER: Final = re.compile(r"\d+")


def without_values(text: str) -> str:
    """Return a line without the values that it names, to compare it with another layer's."""
    return _VALUE.sub("%", text)


def by_reason(rejected: Iterable[Rejected]) -> list[list[Rejected]]:
    """Group sites by their reason, whatever values it names, each group at its first site."""
    groups: dict[tuple[str, bool], list[Rejected]] = {}
    for site in rejected:
        groups.setdefault((without_values(site.reason), site.distant), []).append(site)
    return list(groups.values())


def name_globs(names: Iterable[str]) -> list[str]:
    """Return names with the numbers that differ between them as ``*``.

    ``layer_._0/query`` and ``layer_._1/query`` are ``layer_._*/query``; a name alone is itself.
    """
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(tuple(_NUMBER.split(name)), []).append(_NUMBER.findall(name))
    globs = []
    for texts, numbers in alike.items():
        shown = [
            "*" if len(set(column)) > 1 else column[0] for column in zip(*numbers, strict=True)
        ]
        globs.append("".join(t + n for t, n in zip(texts, (*shown, ""), strict=True)))
    return globs
