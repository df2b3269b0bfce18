"""Compilers that surgery drives: ``base`` says what one must offer; each has its own package."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from surgery.diagnostics import error

if TYPE_CHECKING:
    from surgery.engines.base import Engine

#: Names that a recipe may give as its ``engine``.
ENGINES = ("relay",)


@lru_cache
def get_engine(name: str) -> Engine:
    """Return the engine of a name. The compiler itself is imported when the engine first needs it.

    Raises:
        SurgeryError: S407 there is no engine of this name.
    """
    if name == "relay":
        from surgery.engines.relay.engine import RelayEngine

        return RelayEngine()
    raise error(
        "S407",
        f"there is no engine '{name}'",
        reason="a newer surgery may have it",
        remedy=f"this one has: {', '.join(ENGINES)}",
    )


__all__ = ["ENGINES", "get_engine"]
