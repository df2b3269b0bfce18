"""The spec statement that would have made a region as it should be."""

from __future__ import annotations

from surgery.diagnostics import SurgeryError
from surgery.doctor.composites import Composite, ops_in_order
from surgery.graph import Graph
from surgery.graph.ops import KNOWN_OPS, canonical_op
from surgery.pattern import compile_pattern, find
from surgery.source import Source
from surgery.syntax import parse_pattern


def short_op(op: str) -> str:
    """Return the shortest name that a pattern may write for an op."""
    if op == "nn.batch_norm":
        return "bn"
    tail = op.rsplit(".", 1)[-1]
    return tail if canonical_op(tail) == [op] else op


def pattern_of(body: Graph | None) -> str:
    """Return the chain that matches a composite's body and nothing less, ``''`` if none does.

    Proven by matching it: a body that shares a value inside is no chain.
    """
    if body is None:
        return ""
    calls = ops_in_order(body)
    taken: dict[int, set[int]] = {}
    for id_, index in body.fields.items():
        taken.setdefault(body.operands[id_][0], set()).add(index)
    parts: list[str] = []
    for call in calls:
        fields = taken.get(call, set())
        name = short_op(body.ops[call])
        parts.append(f"{name}.{min(fields)}" if fields and name != "bn" else name)
    text = ">".join(parts)
    if not parts or len(parts) > 64:
        return ""
    try:
        found = find(compile_pattern(parse_pattern(Source(text, "<composite>"))), body)
    except SurgeryError:
        return ""
    return text if any(set(m.ops) == set(calls) for m in found.matches) else ""


def statement_of(composite: Composite, body: Graph | None, backend: str) -> str:
    """Return the offload statement that stands for a composite, ``''`` if its shape has none."""
    chain = pattern_of(body)
    return f"offload pattern {chain} to {backend}" if chain else ""


def named_ops(shape: str) -> list[str] | None:
    """Return the ops that a ``PartitionedFromPattern`` names, in its order.

    The name joins its parts by ``_``, which ops hold too: the longest known op is taken first.

    Returns:
        ``None`` for a name that TVM would not write.
    """
    parts = shape.split("_")
    if parts[-1] != "":
        return None
    parts.pop()
    # ends[i]: how the name up to part i can be read; from the left, so one pass.
    readings: list[tuple[int, str] | None] = [None] * (len(parts) + 1)
    reached = {0}
    for end in range(1, len(parts) + 1):
        for start in range(max(0, end - 8), end):
            word = "_".join(parts[start:end])
            if start in reached and (word in KNOWN_OPS or _is_structure(word)):
                readings[end] = (start, word)
                reached.add(end)
                break
    if len(parts) not in reached:
        return None
    found: list[str] = []
    at = len(parts)
    while at:
        reading = readings[at]
        assert reading is not None
        at, word = reading
        if word in KNOWN_OPS:
            found.append(word)
    return found[::-1]


def _is_structure(word: str) -> bool:
    """Return whether a part of a name stands for something other than an op."""
    return word in ("Tuple", "Function", "Call", "Let", "If") or (
        word.startswith("TupleGetItem") and word[len("TupleGetItem") :].isdigit()
    )
