"""``surgery bisect``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from surgery.cli.console import Outcome, Session
from surgery.cli.importing import types
from surgery.diagnostics import EXIT_DIFFERS, EXIT_DONE
from surgery.report import number, table
from surgery.report.text import clean, plural

if TYPE_CHECKING:
    from surgery.api.bisecting import Bisection, Finding
    from surgery.api.reproducing import Reproducer
    from surgery.graph import Ref
    from surgery.verification import Measured, OutputComparison

#: How many rows of the table of errors are shown before and after the value that was found.
_AROUND = 12
_OPS_SHOWN = 12


def bisect(
    session: Session,
    *,
    a: str,
    b: str | None,
    inputs: Path | None,
    seed: int | None,
    **options: Any,
) -> Outcome:
    """Run ``surgery bisect``."""
    from surgery.api.bisecting import bisect as search

    if sum(x is not None for x in (inputs, seed, options["data"])) > 1:
        raise click.UsageError("of --inputs, --seed and --data only one can stand")
    options["types"] = types(options.pop("binds"))
    memory = options.pop("memory")
    if memory is not None:
        options["memory"] = memory
    with session.progress() as progress:
        found = search(a, b, inputs=inputs, seed=seed or 0, progress=progress, **options)
    return Outcome(
        document=lambda: _document(found),
        lines=lambda: _lines(found),
        status=EXIT_DIFFERS if found.differs else EXIT_DONE,
    )


def _document(found: Bisection) -> dict[str, Any]:
    first, finding = found.search.first, found.finding
    return {
        "a": found.a.shown,
        "b": found.b.shown,
        "differs": found.differs,
        "outputs_differ": found.outputs_differ,
        "inputs": found.inputs,
        "builds": found.builds,
        "notes": list(found.notes),
        "matched": len(found.matching.pairs),
        "unmatched_a": _labels(found, "a"),
        "unmatched_b": _labels(found, "b"),
        "first": None
        if first is None or finding is None
        else {**_measured_json(found, first), **_finding_json(finding)},
        "operands": [_measured_json(found, m) for m in found.search.reads],
        "outputs": [
            {**_measured_json(found, m), "output": found.outputs.get(m.pair.b)}
            for m in found.search.outputs
        ],
        "measured": [_measured_json(found, m) for m in found.search.measured],
        "retracted": [found.b.model.module.main.label(m.pair.b) for m in found.search.retracted],
        "reproducer": None
        if found.reproducer is None
        else {
            "folder": str(found.reproducer.folder),
            "ops": found.reproducer.ops,
            "shows": found.reproducer.shows,
            "original_passes": found.reproducer.passes,
        },
        "diagnostics": [],
    }


def _labels(found: Bisection, side: str) -> list[str]:
    graph = (found.a if side == "a" else found.b).model.module.main
    ids = found.matching.unmatched_a if side == "a" else found.matching.unmatched_b
    return [graph.describe(i) for i in ids]


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "op_a": finding.op_a,
        "op_b": finding.op_b,
        "attributes": {k: list(v) for k, v in finding.attributes.items()},
        "weights": [
            {"operand": w.operand, "label": w.label, "comparison": w.comparison.as_json()}
            for w in finding.weights
        ],
        "inside": list(finding.inside),
        "through": list(finding.through),
    }


def _measured_json(found: Bisection, measured: Measured) -> dict[str, Any]:
    a, b = found.a.model.module.main, found.b.model.module.main
    pair = measured.pair
    return {
        "value_a": a.label(pair.a),
        "value_b": b.label(pair.b),
        "op": b.ops[pair.b.node] or b.kinds[pair.b.node],
        "source": b.names[pair.b.node] or a.names[pair.a.node],
        "comparison": measured.comparison.as_json(),
    }


def _lines(found: Bisection) -> Iterator[str]:
    yield from _sides(found)
    first, finding = found.search.first, found.finding
    if first is None or finding is None:
        compared = plural(len(found.search.measured), "value")
        every = len(found.search.measured) == len(found.matching.pairs)
        yield f"no difference beyond tolerance: {compared} agree, the outputs among them"
        if not every:
            yield "  --all compares every value: a difference may be lost on the way to the outputs"
        return
    yield "first value that differs:"
    yield from _first(found, first, finding)
    yield ""
    yield "what it reads:"
    rows = [_row(found, m) for m in found.search.reads]
    yield from _errors(rows) if rows else ("  inputs and weights of the model only",)
    yield ""
    yield "growth of the error, in the order the values are computed:"
    yield from _errors(_around(found))
    yield ""
    if not found.outputs_differ:
        yield "  the outputs agree all the same"
    if found.search.retracted:
        labels = [found.b.model.module.main.label(m.pair.b) for m in found.search.retracted[:6]]
        yield f"  the error falls below tolerance on the way: at {', '.join(labels)}"
    if found.reproducer is not None:
        yield from _reproducer(found.reproducer)
        yield ""


def _reproducer(made: Reproducer) -> Iterator[str]:
    yield f"reproducer {made.folder}: {plural(made.ops, 'op')}"
    if made.shows:
        passes = "; with the original's ops (--original) it passes" if made.passes else ""
        yield f"  `python run.py` there fails by itself{passes}"
    else:
        yield "  it does NOT fail by itself: the fault needs more of the model around it, as when"
        yield "  ops are fused"


def _sides(found: Bisection) -> Iterator[str]:
    yield "compared:"
    for letter, side in (("a", found.a), ("b", found.b)):
        yield clean(f"  {letter}  {side.shown}: {side.how}")
        for note in side.notes:
            yield clean(f"     {note}")
    matching = found.matching
    how = "one structure" if matching.identical else "matched by structure and source names"
    left = len(matching.unmatched_b)
    yield (
        f"  {plural(len(matching.pairs), 'value')} in both ({how})"
        + (f", {plural(left, 'op')} of b without a counterpart" if left else "")
        + f"; inputs: {found.inputs}; {plural(found.builds, 'build')}"
    )
    graph = found.b.model.module.main
    for note in found.notes:
        yield clean(f"  {note}")
    for id_ in matching.unmatched_b[:_OPS_SHOWN]:
        yield clean(f"     only in b: {graph.describe(id_)}")
    yield ""


def _first(found: Bisection, first: Measured, finding: Finding) -> Iterator[str]:
    a, b = found.a.model.module.main, found.b.model.module.main
    yield clean(f"  b  {_described(b, first.pair.b)}")
    yield clean(f"  a  {_described(a, first.pair.a)}")
    if finding.name:
        yield clean(f"  source name {finding.name}")
    yield clean(f"  {_numbers(first.comparison)}")
    if finding.op_a != finding.op_b and not finding.inside:
        yield clean(f"  the op is another one: {finding.op_b} in b, {finding.op_a} in a")
    for key, (one, other) in finding.attributes.items():
        yield clean(f"  attribute {key} is {other} in b, {one} in a")
    for weight in finding.weights:
        yield clean(
            f"  operand {weight.operand}, {weight.label}, differs: {_numbers(weight.comparison)}"
        )
    if finding.inside:
        ops = ", ".join(finding.inside[:_OPS_SHOWN])
        more = len(finding.inside) - _OPS_SHOWN
        yield clean(f"  a region: {ops}{f' and {more} more' if more > 0 else ''}")
    for text in finding.through:
        yield clean(f"  or an op before it that only b has: {text}")
    same = finding.op_a == finding.op_b and not finding.attributes and not finding.weights
    if same and not finding.inside and not finding.through:
        yield "  op, attributes and weights are the same: what was compiled for it differs"


def _described(graph: Any, ref: Ref) -> str:
    return f"{graph.describe(ref.node)}" + (
        f", result {'.'.join(map(str, ref.path))}" if ref.path else ""
    )


def _numbers(comparison: OutputComparison) -> str:
    if comparison.max_abs is None:
        return comparison.reason
    parts = [f"max abs {number(comparison.max_abs)}"]
    if comparison.max_rel is not None:
        parts.append(f"max rel {number(comparison.max_rel)}")
    if comparison.cosine is not None:
        parts.append(f"cosine {number(comparison.cosine)}")
    return f"{', '.join(parts)}; {comparison.mismatches} of {comparison.elements} out of tolerance"


def _row(found: Bisection, measured: Measured) -> tuple[str, ...]:
    b = found.b.model.module.main
    ref, c = measured.pair.b, measured.comparison
    mark = "DIFFERS" if measured.differs else "ok"
    first = found.search.first
    if first is not None and ref == first.pair.b:
        mark += " first"
    return (
        clean(b.label(ref)), clean(b.ops[ref.node] or b.kinds[ref.node]), mark,
        *("" if v is None else number(v) for v in (c.max_abs, c.max_rel, c.cosine)),
        f"{c.mismatches} of {c.elements}", clean(b.names[ref.node] or ""),
    )  # fmt: skip


def _errors(rows: list[tuple[str, ...]]) -> list[str]:
    head = ("value", "op", "", "max abs", "max rel", "cosine", "out of tolerance", "source name")
    return table(head, rows, "<<<>>>><", indent="  ")


def _around(found: Bisection) -> list[tuple[str, ...]]:
    measured = found.search.measured
    first = found.search.first
    place = next((i for i, m in enumerate(measured) if m == first), 0)
    shown = measured[max(0, place - _AROUND) : place + _AROUND]
    return [_row(found, m) for m in shown]
