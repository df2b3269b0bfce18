"""What a balanced cut chose and what sharing values costs, as rows of text."""

from __future__ import annotations

from surgery.planning.model import Balance, Plan
from surgery.report.text import human_bytes, human_flops, human_seconds, name_list, plural

#: How many of the ops that one place cuts after are named.
_PLACES_SHOWN = 4


def cost(balance: Balance, count: int) -> str:
    """Return a cost in the unit that is balanced."""
    match balance.by:
        case "flops":
            return human_flops(count)
        case "bytes":
            return human_bytes(count)
        case _:
            return human_seconds(count * 1e-9)


def balance_title(plan: Plan, balance: Balance) -> str:
    """Return what was balanced, in words."""
    unit = {"flops": "FLOPs", "bytes": "bytes read and written", "time": "measured time"}
    return f"{plan.statements[balance.statement].text}: {unit[balance.by]} of each stage"


def stage_cost_rows(plan: Plan, balance: Balance) -> list[tuple[str, ...]]:
    """Return a row a stage: its name, cost, share of all, and whether it is the slowest."""
    total, slowest = sum(balance.costs) or 1, max(balance.costs)
    return [
        (stage.name, cost(balance, c), f"{c / total:.1%}", "slowest" if c == slowest else "")
        for stage, c in zip(plan.stages, balance.costs, strict=True)
    ]


def place_rows(plan: Plan, balance: Balance) -> list[tuple[str, ...]]:
    """Return a row a cut: where stages meet, the spec text for it, bytes, source name."""
    graph = plan.module.main
    rows: list[tuple[str, ...]] = []
    for index, place in enumerate(balance.places):
        text = " or ".join(graph.label(n) for n in place.nodes)
        names = [n for i in place.nodes if (n := graph.names[i])]
        rows.append(
            (
                f"{index} | {index + 1}",
                "asked for" if place.asked else f"cut after {text}",
                human_bytes(place.nbytes),
                name_list(names, _PLACES_SHOWN),
            )
        )
    return rows


def alternative_rows(plan: Plan, balance: Balance) -> list[tuple[str, ...]]:
    """Return a row a way that was weighed: its slowest stage, compared, bytes, last ops."""
    graph, slowest = plan.module.main, max(balance.costs)
    sent = sum(p.nbytes for p in balance.places)
    rows: list[tuple[str, ...]] = [("chosen", cost(balance, slowest), "", human_bytes(sent), "")]
    for other in balance.others:
        ratio = max(other.costs) / slowest - 1
        rows.append(
            (
                "",
                cost(balance, max(other.costs)),
                f"{ratio:+.2%}",
                human_bytes(other.nbytes),
                ", ".join(graph.label(n) for n in other.nodes),
            )
        )
    return rows


def balance_remarks(balance: Balance) -> list[str]:
    """Return how the choice came about, a sentence each."""
    remarks = list(balance.notes)
    if balance.folded:
        remarks.append("what depends on no runtime input counts as nothing: the build folds it")
    if balance.unknown:
        remarks.append(f"without a known cost: {', '.join(balance.unknown)}")
    return remarks


def share_rows(plan: Plan) -> list[tuple[str, ...]]:
    """Return a row a value that several stages need: both choices and what each costs a run."""
    if plan.sharing is None:
        return []
    graph = plan.module.main
    rows: list[tuple[str, ...]] = []
    for value in plan.sharing.values:
        flops = "?" if value.flops is None else human_flops(value.flops)
        if value.folded:
            flops += " (folded)"
        targets = ", ".join(map(str, value.targets))
        rows.append(
            (
                graph.label(value.ref),
                f"{value.source} -> {targets}",
                "recompute" if value.recomputed else "transfer",
                human_bytes(value.nbytes),
                flops if not value.ops else f"{flops}, {plural(value.ops, 'op')}",
            )
        )
    return rows


def share_total(plan: Plan) -> str:
    """Return what computing values again saves and costs in all; ``''`` when nothing is."""
    sharing = plan.sharing
    if sharing is None or not any(v.recomputed for v in sharing.values):
        return ""
    flops = "?" if sharing.added_flops is None else human_flops(sharing.added_flops)
    saved = human_bytes(sharing.saved_bytes)
    return f"computing again saves {saved} a run, and adds {flops}"
