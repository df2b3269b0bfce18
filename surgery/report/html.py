"""``report.html``: one self-contained page about a plan, readable without scripts or network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.graph import Graph, Module, Ref
from surgery.planning import relative, signature
from surgery.planning.model import Plan
from surgery.report.balance import (
    alternative_rows,
    balance_remarks,
    balance_title,
    place_rows,
    share_rows,
    share_total,
    stage_cost_rows,
)
from surgery.report.drawing import Drawing, draw
from surgery.report.layout import STYLE, svg_body
from surgery.report.listing import drawn, rows
from surgery.report.model import (
    Comparison,
    NotTaken,
    alike_regions,
    build_rows,
    crossing_rows,
    output_rows,
    overlap_rule,
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
from surgery.report.terminal import summary_line
from surgery.report.text import clean, plural

#: Longer lists are folded behind a heading that says how many there are.
FOLD = 12

PAGE_STYLE = """
:root { color-scheme:light dark; --page:#ffffff; --text:#1c2430; --soft:#566272; --rule:#d7dde6;
  --head:#f3f6fa; --link:#1f5fae; --good:#1d7a34; --bad:#b3261e; }
@media (prefers-color-scheme:dark) { :root { --page:#12161c; --text:#e6eaf0; --soft:#9fabba;
  --rule:#323c49; --head:#1b222c; --link:#7db4f5; --good:#6fd086; --bad:#ff8a80; } }
* { box-sizing:border-box; }
body { margin:0 auto; padding:1.5rem 1.25rem 4rem; max-width:76rem; background:var(--page);
  color:var(--text); font:15px/1.5 system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif; }
h1 { font-size:1.5rem; margin:0 0 .25rem; overflow-wrap:anywhere; }
h2 { font-size:1.15rem; margin:2.2rem 0 .6rem; padding-bottom:.25rem;
  border-bottom:1px solid var(--rule); }
h3 { font-size:1rem; margin:1.3rem 0 .3rem; overflow-wrap:anywhere; }
h3 .soft { font-weight:400; font-size:.85em; }
p { margin:.4rem 0; } .soft { color:var(--soft); } .good { color:var(--good); font-weight:600; }
.bad { color:var(--bad); font-weight:600; }
code, pre, td.code { font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
  monospace; font-size:.86em; }
nav { display:flex; flex-wrap:wrap; gap:.2rem 1rem; margin:.8rem 0; }
a { color:var(--link); } a:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline:2px solid var(--link); outline-offset:2px; }
.scroll { overflow:auto; max-width:100%; }
.picture { border:1px solid var(--rule); border-radius:6px; padding:.75rem; max-height:85vh; }
.picture svg { display:block; margin:0 auto; }
table { border-collapse:collapse; min-width:40%; }
caption { text-align:left; color:var(--soft); padding:.2rem 0; }
th, td { text-align:left; vertical-align:top; padding:.3rem .7rem; border:1px solid var(--rule); }
thead th { background:var(--head); } td.num, th.num { text-align:right;
  font-variant-numeric:tabular-nums; white-space:nowrap; }
td.code { overflow-wrap:anywhere; } td.whole { overflow-wrap:normal; }
th[scope=row] { font-weight:600; }
.miss { margin:.5rem 0; padding:.1rem .8rem; border-left:3px solid var(--rule);
  overflow-wrap:anywhere; }
ul { margin:.3rem 0; padding-left:1.2rem; } li { margin:.1rem 0; }
details > summary { cursor:pointer; margin:.3rem 0; }
.key { display:flex; flex-wrap:wrap; gap:.3rem 1rem; margin:.5rem 0; color:var(--soft);
  font-size:.9em; } .key span::before { content:""; display:inline-block; width:.8em; height:.8em;
  margin-right:.4em; border:1.5px solid; border-radius:3px; vertical-align:-.08em; }
.key .k-in::before { border-color:#3b78c4; } .key .k-cross::before { border-color:#b97a07; }
.key .k-out::before { border-color:#2f8a43; } .key .k-kernel::before { border-color:#7d3fb8; }
@media print { .picture { max-height:none; } }
"""


def plan_page(
    plan: Plan,
    *,
    title: str,
    comparisons: Sequence[Comparison] | None = None,
    tolerance: str = "",
    versions: Mapping[str, str] | None = None,
    notes: Sequence[Diagnostic] = (),
) -> str:
    """Return ``report.html`` for a plan. The same arguments give the same bytes.

    Args:
        plan: What was decided.
        title: What the page is about, for example the spec's path as the user gave it.
        comparisons: Verification rows; ``None`` when nothing was verified.
        tolerance: What the verification allowed, in words.
        versions: Versions of what made the folder, by name.
        notes: Warnings and notes beside the plan's own.
    """
    remarks = list(dict.fromkeys((*plan.notes, *notes)))
    sections = [
        ("picture", "Picture", _picture(draw(plan.module.main, plan, title))),
        ("verification", "Verification", _verification(comparisons, tolerance)),
        ("outputs", "Outputs", grid(_OUTPUTS, output_rows(plan))),
        ("crossings", "Crossing values", _crossings(plan)),
        ("shares", "Transfer or recompute", _shares(plan)),
        ("stages", "Stages", grid(_STAGES, stage_rows(plan, FOLD))),
        ("balance", "Balance", _balance(plan)),
        ("regions", "Offload regions", _regions(plan)),
        ("rejected", "Rejected near-misses", _rejected(plan, False)),
        ("excluded", "Kept out", _rejected(plan, True)),
        ("statements", "Statements", _statements(plan)),
        ("build", "Build options", _pairs(build_rows(plan), "Option", "Value")),
        ("notes", "Warnings and notes", _notes(remarks)),
        ("versions", "Versions", _pairs(list((versions or {}).items()), "Part", "Version")),
    ]
    lead = f"<p>{safe(relative(plan.model_path))}: {safe(summary_line(plan))}</p>"
    if comparisons is not None:
        bad = [c.name for c in comparisons if not c.passed]
        said = f"differs in {', '.join(bad)}" if bad else "equal within tolerance"
        lead += f'<p class="{"bad" if bad else "good"}">Verification: {safe(said)}</p>'
    return page(title, lead, sections)


def model_page(module: Module, groups: Sequence[tuple[Graph, list[Ref]]], *, title: str) -> str:
    """Return a page with a picture of a model's ``main`` and the listed values."""
    sections = [("picture", "Picture", _picture(draw(drawn(module), None, title)))]
    for index, (graph, refs) in enumerate(groups):
        listed = [(*cells,) for cells in rows(graph, refs)]
        body = grid(_VALUES, listed)
        sections.append((f"values-{index}", f"Values of @{graph.function}", body))
    return page(
        title, f"<p>{plural(sum(map(len, module.functions.values())), 'value')}</p>", sections
    )


#: Column titles; a leading ``>`` stands for numbers, ``.`` for code.
_OUTPUTS = (">#", ".Name", ".Value", ".Type", ">Size", ">Stage", "")
_CROSSINGS = (".Name", ".Value", ".Type", ">Size", "Stages", ".Used by")
_STAGES = (
    ".Stage", ">Ops", ">Recomputed", ">Weights", ">Size", ".Inputs", ".Outputs", ".Target",
    "Executor",
)  # fmt: skip
_SHARES = (".Value", "Stages", "Choice", ">Sending it, a run", "Computing it again")
_COSTS = (".Stage", ">Cost", ">Share", "")
_PLACES = ("Stages", ".Place", ">Live bytes", ".Source name")
_WEIGHED = ("Weighed", ">Slowest stage", ">Compared", ">Live bytes", ".After")
_VALUES = (".Value", ".Computed by", ".Type", ">Users", ".Name")


def page(title: str, lead: str, sections: Iterable[tuple[str, str, str]]) -> str:
    """Return a whole page. Sections: an id, a heading, HTML; those without HTML are left out."""
    shown = [s for s in sections if s[2]]
    links = "".join(f'<a href="#{id_}">{safe(name)}</a>' for id_, name, _ in shown)
    body = "\n".join(
        f'<section id="{id_}" aria-labelledby="h-{id_}">\n'
        f'<h2 id="h-{id_}">{safe(name)}</h2>\n{html}\n</section>'
        for id_, name, html in shown
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)} - surgery</title>\n<style>{PAGE_STYLE}{STYLE}</style>\n"
        f'</head>\n<body>\n<header>\n<h1>{safe(title)}</h1>\n{lead}\n<nav aria-label="Sections">'
        f"{links}</nav>\n</header>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def safe(text: str) -> str:
    """Return a text as HTML shows it, control characters escaped."""
    return escape(clean(text))


def grid(columns: Sequence[str], cells: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return a table that scrolls by itself; ``''`` when it has no rows."""
    if not cells:
        return ""
    kinds = ["num" if c[:1] == ">" else "code" if c[:1] == "." else "" for c in columns]
    titles = [c[1:] if kind else c for c, kind in zip(columns, kinds, strict=True)]
    # A type is read as one word: the columns beside it make room.
    kinds = [f"{k} whole" if t == "Type" else k for k, t in zip(kinds, titles, strict=True)]
    used = [i for i, t in enumerate(titles) if t != "Recomputed" or any(r[i] != "0" for r in cells)]
    head = "".join(
        f'<th scope="col"{_class(kinds[i] if kinds[i] == "num" else "")}>{safe(titles[i])}</th>'
        for i in used
    )
    body = "\n".join(
        "<tr>" + "".join(f"<td{_class(kinds[i])}>{safe(row[i])}</td>" for i in used) + "</tr>"
        for row in cells
    )
    title = f"<caption>{safe(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0"><table>{title}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _pairs(pairs: Sequence[tuple[str, str]], left: str, right: str) -> str:
    return grid((left, f".{right}"), pairs)


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li><code>{safe(i)}</code></li>" for i in items) + "</ul>"


def _fold(items: Sequence[str], what: str) -> str:
    """Return a list, folded when it is long."""
    if len(items) <= FOLD:
        return _list(items) if items else ""
    return f"<details><summary>{plural(len(items), what)}</summary>{_list(items)}</details>"


def _picture(drawing: Drawing) -> str:
    try:
        body = svg_body(drawing)
    except SurgeryError as failure:
        said = failure.diagnostics[0]
        return f'<p class="soft">No picture: {safe(said.message)}. {safe(said.remedy)}</p>'
    about = ""
    if drawing.collapsed:
        about = (
            f'<p class="soft">{drawing.collapsed} ops: each box stands '
            "for the ops of one part of the model. Hold the pointer over a box for its ops.</p>"
        )
    if drawing.inputs_left_out:
        about += (
            f'<p class="soft">{drawing.inputs_left_out} inputs are not drawn: parameters whose '
            "values were not given count as inputs.</p>"
        )
    key = [("k-in", "input"), ("k-out", "output")]
    if drawing.stages:
        key.append(("k-cross", "crosses a cut"))
    if drawing.regions:
        key.append(("k-kernel", "offloaded"))
    legend = "".join(f'<span class="{c}">{t}</span>' for c, t in key)
    return (
        f'{about}<div class="key">{legend}</div>\n'
        f'<div class="scroll picture" tabindex="0" role="group" aria-label="Picture">{body}</div>'
    )


def _verification(comparisons: Sequence[Comparison] | None, tolerance: str) -> str:
    if comparisons is None:
        return ""
    titles = list(dict.fromkeys(t for c in comparisons for t in c.cells))
    noted = any(c.note for c in comparisons)
    columns = [".Output", "Result", *(f">{t}" for t in titles), *(["Remark"] if noted else [])]
    cells = [
        [
            c.name,
            "equal" if c.passed else "differs",
            *(c.cells.get(t, "") for t in titles),
            *([c.note] if noted else []),
        ]
        for c in comparisons
    ]
    return grid(columns, cells, "Operated model against the original" + (
        f", {tolerance}" if tolerance else ""
    ))  # fmt: skip


def _crossings(plan: Plan) -> str:
    if len(plan.stages) < 2:
        return ""
    found = grid(_CROSSINGS, crossing_rows(plan, FOLD))
    return found or "<p>None: the stages share only graph inputs.</p>"


def _shares(plan: Plan) -> str:
    found = grid(_SHARES, share_rows(plan))
    return found + (f"<p>{safe(total)}</p>" if (total := share_total(plan)) else "")


def _balance(plan: Plan) -> str:
    balance = plan.balance
    if balance is None:
        return ""
    return "\n".join(
        [
            grid(_COSTS, stage_cost_rows(plan, balance), balance_title(plan, balance)),
            grid(_PLACES, place_rows(plan, balance), "Where stages meet"),
            grid(_WEIGHED, alternative_rows(plan, balance), "Other places that were weighed")
            if balance.others
            else "",
            *(f'<p class="soft">{safe(r)}</p>' for r in balance_remarks(balance)),
        ]
    )


def _regions(plan: Plan) -> str:
    parts = []
    for region, *others in alike_regions(plan):
        remarks = region_remarks(plan, region)
        parts.append(
            f"<h3><code>{safe(signature(plan.module, region))}</code></h3>"
            f"<p>{safe(region_shape(region))}, to {safe(region.backend)}, "
            f"stage {region.stage}, ends at {safe(region_place(plan, region))}</p>"
            + _fold(region_kernels(plan, region), "kernel call")
            + _fold(region_ops(plan, region), "op")
            + (
                _fold(remarks, "remark")
                if len(remarks) > FOLD
                else "".join(f'<p class="soft">{safe(r)}</p>' for r in remarks)
            )
            + _alike(
                [f"{signature(plan.module, r)}, ends at {region_place(plan, r)}" for r in others]
            )
        )
    if len(parts) > FOLD:
        total = plural(len(plan.regions), "region")
        return f"<details><summary>{total}</summary>{''.join(parts)}</details>"
    return "\n".join(parts)


def _rejected(plan: Plan, excluded: bool) -> str:
    parts = []
    for title, groups in rejected_groups(plan, excluded):
        body = "".join(_not_taken(group, excluded) for group in groups)
        heading = f"<code>{safe(title)}</code>"
        fold = len(groups) > FOLD
        parts.append(
            f"<details><summary>{heading}</summary>{body}</details>"
            if fold
            else f"<h3>{heading}</h3>{body}"
        )
    if excluded and (rule := overlap_rule(plan)):
        parts.append(f'<p class="soft">{safe(rule)}</p>')
    return "\n".join(parts)


def _alike(signatures: Sequence[str]) -> str:
    if not signatures:
        return ""
    summary = f"{plural(len(signatures), 'region')} like it"
    return f"<details><summary>{summary}</summary>{_list(signatures)}</details>"


def _not_taken(group: NotTaken, excluded: bool) -> str:
    body = f"<p>{safe(group.reason)}</p><p><code>{safe(group.place)}</code></p>"
    if group.matched:
        said = "Its ops" if excluded else "Matched so far"
        body += f'<p class="soft">{said}: <code>{safe(group.matched)}</code></p>'
    if group.others:
        heading = f"{plural(len(group.others), 'site')} like it"
        listed = f"<p><code>{safe(', '.join(group.others))}</code></p>{_list(group.names)}"
        body += f"<details><summary>{heading}</summary>{listed}</details>"
    return f'<div class="miss">{body}</div>'


def _statements(plan: Plan) -> str:
    parts = []
    for index, statement in enumerate(plan.statements):
        span = statement.span
        place = "" if span is None else f"{relative(span.source.path)}:{span.line}:{span.column}"
        lines = ["  ".join(filter(None, resolved_line(plan, r))) for r in statement.resolved]
        sites = sites_line(plan, index)
        parts.append(
            f'<h3><code>{safe(statement.text)}</code> <span class="soft">{safe(place)}</span>'
            f"</h3>{f'<p>{sites}</p>' if sites else ''}{_fold(lines, 'value')}"
        )
    return "\n".join(parts)


def _notes(notes: Sequence[Diagnostic]) -> str:
    parts = []
    for note in notes:
        tail = " ".join(filter(None, (note.reason, *note.notes, note.remedy)))
        parts.append(
            f"<li><strong>{note.severity} {safe(note.code)}</strong>: {safe(note.message)}"
            + (f'<br><span class="soft">{safe(tail)}</span>' if tail else "")
            + "</li>"
        )
    return f"<ul>{''.join(parts)}</ul>" if parts else ""
