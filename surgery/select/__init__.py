"""Selectors: from what a spec writes to values of a model."""

from surgery.select.context import text_of
from surgery.select.names import NAMED_KINDS, components, holds_run
from surgery.select.predicates import using_ops
from surgery.select.require import check_expect, describe, exactly_one
from surgery.select.resolve import select

__all__ = [
    "NAMED_KINDS", "check_expect", "components", "describe", "exactly_one", "holds_run", "select",
    "text_of", "using_ops",
]  # fmt: skip
