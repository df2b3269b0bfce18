"""``show``: the numbered values of a model, or its picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from surgery import api
from surgery.cli.console import Outcome, Session
from surgery.cli.specs import COMMAND_LINE, SUFFIXES, is_path, read_spec
from surgery.graph import Graph, Module, Ref
from surgery.plan import Plan, Resolved
from surgery.report import (
    draw,
    listed,
    model_page,
    plan_page,
    show_json,
    show_table,
    show_text,
    svg,
)
from surgery.source import Source
from surgery.syntax.ast import BindInput, BindParams, Let, Model, Prepare, Selector, Spec


def show(
    session: Session,
    *,
    source: str,
    selector: str | None,
    model: str | None,
    params: str | None,
    variables: Mapping[str, str],
    form: str,
    output: Path | None,
) -> Outcome:
    """Run ``surgery show``."""
    picture = form in ("svg", "html")
    if form == "svg" and selector is not None:
        raise click.UsageError("a selector lists values: use --format table, text, json or html")
    lets: Mapping[str, Selector] = {}
    plan: Plan | None = None
    if source.endswith(SUFFIXES) or not is_path(source):
        given = read_spec(source, variables)
        lets = {s.name: s.selector for s in given.spec.statements if isinstance(s, Let)}
        base = None if given.path is None else given.path.parent
        spec = given.spec if picture else _up_to_prepare(given.spec)
        plan = api.plan(spec, model=model, params=params, base=base).plan
        module = plan.module
    elif model is not None:
        raise click.UsageError("--model goes with a spec; here the model is the argument itself")
    else:
        module = api.load_picture(source, params)
    picked = None if selector is None else _pick(selector, module, lets)
    groups = listed(module, picked)
    title = source if is_path(source) else COMMAND_LINE
    if form == "json":
        values = show_json(groups)
        return _deliver(session, output, [], {"values": values})
    if form == "svg":
        text = svg(draw(module.main, plan, title))
    elif form == "html" and plan is not None and picked is None:
        text = plan_page(plan, title=title)
    elif form == "html":
        text = model_page(module, groups, title=title)
    else:
        lines = show_text(groups) if form == "text" else show_table(groups)
        return _deliver(session, output, lines, lambda: {"values": show_json(groups)})
    return _deliver(session, output, text.splitlines(), {"format": form, "text": text})
