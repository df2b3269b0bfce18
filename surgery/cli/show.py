"""``show``: the numbered values of a model, or its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from surgery import api
from surgery.cli.console import Outcome, Session, json_text
from surgery.cli.importing import types
from surgery.cli.settings import Settings
from surgery.cli.specs import COMMAND_LINE, SUFFIXES, is_path, read_spec
from surgery.graph import Graph, Module, Ref, Resolved
from surgery.planning import Plan
from surgery.report import (
    clean,
    draw,
    drawn,
    listed,
    model_page,
    name_tree,
    plan_page,
    show_json,
    show_table,
    show_text,
    svg,
    tree_json,
    tree_lines,
)
from surgery.select import select
from surgery.source import Source
from surgery.syntax import parse_selector
from surgery.syntax.ast import BindInput, BindParams, Let, Model, Prepare, Selector, Spec


def show(
    session: Session,
    *,
    source: str,
    selector: str | None,
    model: str | None,
    params: str | None,
    variables: Settings,
    binds: tuple[BindInput, ...],
    form: str,
    names: str | None,
    depth: int | None,
    output: Path | None,
) -> Outcome:
    """Run ``surgery show``."""
    if depth is not None and names is None:
        raise click.UsageError("--depth goes with --names tree")
    if names is not None and form in ("svg", "html", "text"):
        raise click.UsageError(f"--names has no --format {form}: leave it out, or take json")
    shown = _show(
        session, source, selector, model, params, variables, binds, form, names, depth, output
    )
    unused = variables.unused()
    if not unused:
        return shown
    return replace(
        shown,
        document=lambda: {**shown.document(), "diagnostics": [d.as_json() for d in unused]},
        diagnostics=unused,
    )


def _show(
    session: Session,
    source: str,
    selector: str | None,
    model: str | None,
    params: str | None,
    variables: Mapping[str, str],
    binds: tuple[BindInput, ...],
    form: str,
    names: str | None,
    depth: int | None,
    output: Path | None,
) -> Outcome:
    picture = form in ("svg", "html")
    if form == "svg" and selector is not None:
        raise click.UsageError("a selector lists values: use --format table, text, json or html")
    lets: Mapping[str, Selector] = {}
    plan: Plan | None = None
    if source.endswith(SUFFIXES) or not is_path(source):
        if binds:
            raise click.UsageError("--bind goes with a model; a spec has `bind` of its own")
        given = read_spec(source, variables)
        lets = {s.name: s.selector for s in given.spec.statements if isinstance(s, Let)}
        base = None if given.path is None else given.path.parent
        spec = given.spec if picture else _up_to_prepare(given.spec)
        plan = api.plan(spec, model=model, params=params, base=base).plan
        module = plan.module
    elif model is not None:
        raise click.UsageError("--model goes with a spec; here the model is the argument itself")
    else:
        with session.progress() as progress:
            module = api.load_picture(source, params, inputs=types(binds), progress=progress)
    picked = None if selector is None else _pick(selector, module, lets)
    groups = listed(module, picked, scalars=False)
    if names is not None:
        return _names(groups, form, depth, output)
    title = source if is_path(source) else COMMAND_LINE
    if form == "svg":
        text = svg(draw(drawn(module), plan, title))
    elif form == "html" and plan is not None and picked is None:
        text = plan_page(plan, title=title)
    elif form == "html":
        text = model_page(module, groups, title=title)
    elif form == "json":
        text = json_text({"ok": True, **_values(module, picked)})
    else:
        lines = show_text(groups) if form == "text" else show_table(groups)
        return _deliver(output, lines, lambda: _values(module, picked))
    if form == "json" and output is None:
        return Outcome(document=lambda: _values(module, picked), lines=lambda: [text.rstrip()])
    return _deliver(output, text.splitlines(), lambda: {"format": form, "text": text})


def _names(
    groups: Sequence[tuple[Graph, list[Ref]]], form: str, depth: int | None, output: Path | None
) -> Outcome:
    trees = [(graph.function, name_tree(graph, refs)) for graph, refs in groups]

    def document() -> dict[str, object]:
        return {"names": {function: tree_json(tree) for function, tree in trees}}

    if form == "json":
        return _deliver(output, json_text({"ok": True, **document()}).splitlines(), document)
    lines: list[str] = []
    for function, tree in trees:
        titled = len(trees) > 1 or function != "main"
        lines += [f"@{clean(function)}"] * titled + tree_lines(tree, depth)
    return _deliver(output, lines, document)


def _values(module: Module, picked: Sequence[Resolved] | None) -> dict[str, object]:
    return {"values": show_json(listed(module, picked))}


def _up_to_prepare(spec: Spec) -> Spec:
    """Return the part of a spec that decides what its selectors see."""
    kept = (Model, Let, BindInput, BindParams, Prepare)
    return Spec(span=spec.span, statements=tuple(s for s in spec.statements if isinstance(s, kept)))


def _pick(text: str, module: Module, lets: Mapping[str, Selector]) -> tuple[Resolved, ...]:
    parsed = parse_selector(Source(text, COMMAND_LINE))
    return select(parsed, module, lets=lets, functions=tuple(module.functions))


def _deliver(
    output: Path | None, lines: Iterable[str], document: Callable[[], dict[str, object]]
) -> Outcome:
    """Return an outcome that prints a result, or write it to a file and say so."""
    if output is None:
        return Outcome(document=document, lines=lambda: lines)
    from surgery.recipe import write_atomic

    write_atomic(output, ("\n".join(lines) + "\n").encode("utf-8"))
    return Outcome(document=lambda: {"written": str(output)}, lines=lambda: [f"wrote {output}"])
