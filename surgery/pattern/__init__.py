"""Patterns: from what a spec writes to sites of a model, and why others aren't sites."""

from surgery.pattern.compile import compile_pattern
from surgery.pattern.find import find, leftover_marks
from surgery.pattern.model import (
    Found,
    Match,
    MissKind,
    NearMiss,
    Slot,
    is_outlined,
    outlined,
    tvm_name,
)
from surgery.pattern.program import CompiledPattern, Element, Program
from surgery.pattern.unfinished import meant

__all__ = [
    "CompiledPattern", "Element", "Found", "Match", "MissKind", "NearMiss", "Program", "Slot",
    "compile_pattern", "find", "is_outlined", "leftover_marks", "meant", "outlined", "tvm_name",
]  # fmt: skip
