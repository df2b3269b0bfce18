"""A plan, a comparison and a recipe as plain sections of text for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surgery.planning import signature
from surgery.planning.model import Plan, PlannedStatement
from surgery.report.balance import (
    alternative_rows,
    balance_remarks,
    balance_title,
    place_rows,
    share_rows,
    share_total,
    stage_cost_rows,
)
from surgery.report.model import (
    Comparison,
    alike_regions,
    build_rows,
    crossing_rows,
    output_rows,
    overlap_rule,
    region_counts,
    region_kernels,
    region_ops,
    region_place,
    region_remarks,
    region_shape,
    rejected_groups,
    resolved_line,
    sites_line,
    stage_rows,
)
from surgery.report.text import clean, few, human_bytes, name_list, plural, table

#: How much of a long list is shown unless everything is asked for.
RESOLVED_SHOWN = 6
USES_SHOWN = 4
INPUTS_SHOWN = 10
SHARES_SHOWN = 12
REGIONS_SHOWN = 20
REJECTED_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled part of a terminal report.

    Attributes:
        title: Its heading.
        lines: Its text, one entry a line, without control characters from the model.
    """

    title: str
    lines: tuple[str, ...]


def plan_sections(plan: Plan, *, full: bool = False) -> list[Section]:
    """Return everything a plan decided.

    Args:
        full: Show every resolved value, region and rejected site; otherwise long lists are capped
            and say how much they leave out (inputs always are).
    """
    sections = [
        ("model", _model(plan)),
        ("statements", _statements(plan, None if full else RESOLVED_SHOWN)),
        ("outputs", _outputs(plan)),
        ("crossing values", _crossings(plan, None if full else USES_SHOWN)),
        ("transfer or recompute", _shares(plan, None if full else SHARES_SHOWN)),
        ("stages", _stages(plan, None if full else USES_SHOWN)),
        ("balance", _balance(plan)),
        ("offload regions", _regions(plan, full)),
        ("rejected near-misses", _rejected(plan, False, None if full else REJECTED_SHOWN)),
        ("kept out", _rejected(plan, True, None if full else REJECTED_SHOWN)),
        ("build", table((), build_rows(plan), indent="  ") if plan.build.asked else []),
    ]
    return [Section(title=t, lines=tuple(lines)) for t, lines in sections if lines]


def outcome_sections(plan: Plan) -> list[Section]:
    """Return what a plan came to, briefly: outputs, crossing values, stages, kinds of regions."""
    counts = table(
        ("regions", "pattern", "to", "stages", "embedded constants"),
        region_counts(plan) if plan.regions else [],
        "><<<>",
        indent="  ",
    )
    sections = [
        ("outputs", _outputs(plan)),
        ("crossing values", _crossings(plan, USES_SHOWN)),
        ("stages", _stages(plan, USES_SHOWN)),
        ("balance", _balance(plan)),
        ("offload", counts if plan.regions else []),
    ]
    return [Section(title=t, lines=tuple(lines)) for t, lines in sections if lines]


def summary_line(plan: Plan) -> str:
    """Return a plan in one line: how many outputs, stages, crossings, regions."""
    added = sum(o.added for o in plan.outputs)
    parts = [plural(len(plan.outputs), "output") + (f" ({added} added)" if added else "")]
    parts.append(plural(len(plan.stages), "stage"))
    if len(plan.stages) > 1:
        sizes = [c.type.nbytes for c in plan.crossings]
        total = human_bytes(None if None in sizes else sum(s or 0 for s in sizes))
        parts.append(f"{plural(len(plan.crossings), 'crossing value')} ({total})")
    if plan.regions or plan.rejected:
        sites = f"{plural(len(plan.regions), 'region')} offloaded"
        merged = sum(len(r.composites) for r in plan.regions)
        if merged > len(plan.regions):
            sites += f" ({merged} sites)"
        if rejected := sum(not r.distant and not r.excluded for r in plan.rejected):
            sites += f", {plural(rejected, 'site')} rejected"
        if excluded := sum(r.excluded for r in plan.rejected):
            sites += f", {plural(excluded, 'site')} kept out"
        parts.append(sites)
    return ", ".join(parts)


def comparison_lines(rows: Sequence[Comparison]) -> list[str]:
    """Return a verification as a table, one line an output, with each measured difference."""
    titles = list(dict.fromkeys(t for row in rows for t in row.cells))
    body = [
        (
            row.name,
            "ok" if row.passed else "DIFFERS",
            *(row.cells.get(t, "") for t in titles),
            row.note,
        )
        for row in rows
    ]
    return table(("output", "", *titles, ""), body, "<<" + ">" * len(titles), indent="  ")


def _model(plan: Plan) -> list[str]:
    main = plan.module.main
    kinds = main.kinds
    calls = sum(kind == "call" for kind in kinds)
    weights = sum(kind == "param" for kind in kinds)
    size = f"  {plan.model_path}: {plural(calls, 'op')}, {plural(weights, 'weight')}"
    if len(plan.module.functions) > 1:
        size += f", {plural(len(plan.module.functions), 'function')}"
    inputs = table((), [(f"  input {i.name}", str(i.type)) for i in plan.inputs])
    lines = [clean(size), *inputs[:INPUTS_SHOWN]]
    if (rest := len(inputs) + 1 - len(lines)) > 0:
        # A model whose weights weren't given has hundreds of inputs.
        lines.append(f"  ... and {plural(rest, 'more input')} (`surgery show` lists all)")
    if plan.prepare:
        lines.append("  after " + ", ".join(name for name, _ in plan.prepare))
    return lines


def _place(statement: PlannedStatement) -> str:
    span = statement.span
    return "" if span is None else f"{span.source.path}:{span.line}:{span.column}"


def _statements(plan: Plan, limit: int | None) -> list[str]:
    lines: list[str] = []
    for index, statement in enumerate(plan.statements):
        lines.append(f"  {clean(statement.text)}  [{clean(_place(statement))}]")
        if sites := sites_line(plan, index):
            lines.append(f"      {sites}")
        shown = statement.resolved if limit is None else statement.resolved[:limit]
        lines += table((), [resolved_line(plan, r) for r in shown], indent="      ")
        if (rest := len(statement.resolved) - len(shown)) > 0:
            lines.append(f"      ... and {rest} more (--explain shows all)")
    return lines


def _outputs(plan: Plan) -> list[str]:
    rows = output_rows(plan)
    return table(("#", "name", "value", "type", "size", "stage", ""), rows, "><<<>>", indent="  ")


def _crossings(plan: Plan, uses: int | None) -> list[str]:
    rows = crossing_rows(plan, uses)
    if len(plan.stages) < 2:
        return []
    if not rows:
        return ["  none: the stages share only graph inputs"]
    return table(("name", "value", "type", "size", "stages", "used by"), rows, "<<<>", indent="  ")


def _stages(plan: Plan, names: int | None) -> list[str]:
    headers = (
        "stage", "ops", "recomputed", "weights", "size", "inputs", "outputs", "target", "executor",
    )  # fmt: skip
    rows = stage_rows(plan, names)
    keep = [i for i in range(len(headers)) if headers[i] != "recomputed" or any(
        row[i] != "0" for row in rows
    )]  # fmt: skip
    align = "<>>>><<<<"
    return table(
        [headers[i] for i in keep],
        [[row[i] for i in keep] for row in rows],
        "".join(align[i] for i in keep),
        indent="  ",
    )


def _shares(plan: Plan, limit: int | None) -> list[str]:
    rows = share_rows(plan)
    headers = ("value", "stages", "choice", "sending it, a run", "computing it again")
    lines = table(headers, rows if limit is None else rows[:limit], "<<<><", indent="  ")
    if rows and len(lines) <= len(rows):
        lines.append(f"  ... and {len(rows) + 1 - len(lines)} more (--explain shows all)")
    if total := share_total(plan):
        lines.append(f"  {total}")
    return lines if rows else []


def _balance(plan: Plan) -> list[str]:
    balance = plan.balance
    if balance is None:
        return []
    lines = [f"  {clean(balance_title(plan, balance))}"]
    lines += table((), stage_cost_rows(plan, balance), "<>><", indent="    ")
    places = ("stages", "place", "live bytes", "source name")
    lines += table(places, place_rows(plan, balance), "<<><", indent="  ")
    weighed = ("weighed", "slowest stage", "", "live bytes", "after")
    if balance.others:
        lines += table(weighed, alternative_rows(plan, balance), "<>>><", indent="  ")
    lines += [f"  {clean(r)}" for r in balance_remarks(balance)]
    return lines


def _regions(plan: Plan, full: bool) -> list[str]:
    lines: list[str] = []
    groups = alike_regions(plan)
    shown = groups if full else groups[:REGIONS_SHOWN]
    for region, *others in shown:
        lines.append(f"  {clean(signature(plan.module, region))}")
        lines.append(
            f"      {clean(region_shape(region))}  to {clean(region.backend)}, stage "
            f"{region.stage}, ends at {clean(region_place(plan, region))}"
        )
        lines += _indented(few(region_kernels(plan, region), None if full else 8, "more calls"))
        lines += _indented(few(region_ops(plan, region), None if full else 8, "more ops"))
        lines += _indented(few(region_remarks(plan, region), None if full else 8, "more remarks"))
        signatures = [
            clean(f"{signature(plan.module, r)}, ends at {region_place(plan, r)}") for r in others
        ]
        if signatures:
            lines.append(f"      and {plural(len(others), 'region')} like it:")
            lines += [f"          {s}" for s in few(signatures, None if full else 8)]
    if (rest := sum(map(len, groups[len(shown) :]))) > 0:
        lines.append(f"  ... and {plural(rest, 'more region')} (--explain shows all)")
    return lines


def _rejected(plan: Plan, excluded: bool, limit: int | None) -> list[str]:
    lines: list[str] = []
    for heading, groups in rejected_groups(plan, excluded):
        lines.append(f"  {clean(heading)}")
        for group in groups if limit is None else groups[:limit]:
            lines.append(f"      {clean(group.place)}")
            lines.append(f"          {clean(group.reason)}")
            if group.matched and limit is None:
                said = "its ops" if excluded else "matched so far"
                lines.append(f"          {said}: {clean(group.matched)}")
            if group.others:
                others = name_list(group.others, limit)
                like = plural(len(group.others), "site")
                lines.append(f"          and {like} like it: {clean(others)}")
            if group.names and limit is None:
                lines += [f"              {clean(name)}" for name in group.names]
        if limit is not None and len(groups) > limit:
            more = sum(group.count for group in groups[limit:])
            lines.append(f"      ... and {more} more (--explain shows all)")
    if excluded and (rule := overlap_rule(plan)):
        lines.append(f"  {rule}")
    return lines


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"      {clean(line)}" for line in lines]
