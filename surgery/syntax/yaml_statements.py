"""The mapping form of each statement."""

from __future__ import annotations

import re
from typing import Any

from surgery.diagnostics import error
from surgery.syntax import ast, checks
from surgery.syntax.yaml_fields import Fields, Reader, Statements, items, mapping
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode
from surgery.syntax.yaml_reader import YamlReader

# ---------------------------------------------------------------- files and names


def _model(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    span = key.span.to(node.span)
    if isinstance(node, ScalarNode):
        return (ast.Model(path=reader.word(node), span=span),)
    assert isinstance(node, MapNode)
    fields = Fields(reader, node, span)
    return (ast.Model(path=fields.word("path"), params=fields.maybe_word("params"), span=span),)


def _include(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    return tuple(ast.Include(path=reader.word(n), span=n.span) for n in items(node))


def _let(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    assert isinstance(node, MapNode)
    return tuple(
        ast.Let(name=reader.word(name), selector=reader.selector(value), span=name.span)
        for name, value in node.entries
    )


def _patterns(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    assert isinstance(node, MapNode)
    return tuple(
        ast.PatternDef(
            name=checks.pattern_name(name.text, name.span),
            pattern=reader.pattern(value),
            span=name.span,
        )
        for name, value in node.entries
    )


def _backends(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    assert isinstance(node, MapNode)
    named, via = node.get("name"), node.get("via")
    if isinstance(named, ScalarNode) and isinstance(via, ScalarNode):
        # Read as backends called `name` and `via`, it would be refused for their values.
        raise error(
            "S113",
            "a backend's name is a key, not a value",
            node.entries[0][0].span,
            remedy=f"write `backend: {{{named.text}: {{via: {via.text}, ...}}}}`",
        )
    statements: list[ast.Statement] = []
    for name, value in node.entries:
        if isinstance(value, MapNode):
            fields = Fields(reader, value, name.span)
            source = value.get("source")
            statements.append(
                ast.Backend(
                    name=reader.word(name),
                    kind=fields.chosen("via", checks.BACKEND_KINDS),
                    source=None if source is None else reader.text(source),
                    library=fields.maybe_word("library"),
                    options=fields.pairs("options"),
                    span=name.span,
                )
            )
        else:
            statements += reader.backend_text(name, value)
    return tuple(statements)


# ---------------------------------------------------------------- bind, prepare


def _bind(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    if not isinstance(node, MapNode):
        return reader.after_keyword("bind", node, key.span)
    statements: list[ast.Statement] = []
    for name, value in node.entries:
        if name.text == "params" and isinstance(value, ScalarNode) and value.text == "all":
            statements.append(ast.BindParams(span=value.span))
        elif name.text == "params":
            statements += [ast.BindParams(glob=reader.word(n), span=n.span) for n in items(value)]
        else:
            assert isinstance(value, MapNode)
            for input_name, kind in value.entries:
                statements += reader.input_type(input_name, kind)
    return tuple(statements)


def _prepare(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    if not isinstance(node, ListNode):
        return reader.after_keyword("prepare", node, key.span)
    calls = [call for item in node.items for call in reader.pass_calls(item)]
    return (ast.Prepare(passes=tuple(calls), span=key.span.to(node.span)),)


# ---------------------------------------------------------------- outputs, cuts


def _output(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    if isinstance(node, ScalarNode):
        return reader.after_keyword("output", node, key.span)
    span = key.span.to(node.span)
    if isinstance(node, ListNode):
        return (ast.Output(items=_output_items(reader, node), span=span),)
    fields = Fields(reader, node, span)
    if fields.has("drop"):
        return (ast.OutputDrop(output=_output_ref(fields, "drop"), span=span),)
    if fields.has("rename"):
        output = _output_ref(fields, "rename")
        return (ast.OutputRename(output=output, name=fields.word("as"), span=span),)
    outputs = (
        _output_items(reader, fields.need("values"))
        if fields.has("values")
        else (_output_item(fields),)
    )
    return (ast.Output(items=outputs, only=fields.flag("only"), **fields.tail(), span=span),)


def _output_items(reader: YamlReader, node: Node) -> tuple[ast.OutputItem, ...]:
    outputs: list[ast.OutputItem] = []
    for item in items(node):
        if isinstance(item, MapNode):
            outputs.append(_output_item(Fields(reader, item, item.span)))
        else:
            outputs += reader.output_items(item)
    return tuple(outputs)


def _output_item(fields: Fields) -> ast.OutputItem:
    return ast.OutputItem(
        selector=fields.selector("value"),
        name=fields.maybe_word("as"),
        each=fields.flag("each"),
        span=fields.span,
    )


def _output_ref(fields: Fields, key: str) -> str | int:
    node = fields.need(key)
    assert isinstance(node, ScalarNode)
    return int(node.data) if isinstance(node.data, int) else fields.reader.word(node)


def _cut(fields: Fields) -> ast.Statement:
    if fields.has("into"):
        return ast.CutInto(
            stages=fields.integer("into", 1),
            by=fields.chosen("by", ("flops", "bytes", "time")),
            within=fields.maybe_selector("within"),
            span=fields.span,
        )
    where = "after" if fields.has("after") else "before"
    return ast.Cut(
        where="after" if where == "after" else "before",
        selector=fields.selector(where),
        **fields.tail(),
        span=fields.span,
    )


def _share(fields: Fields) -> ast.Statement:
    return ast.Share(
        selector=fields.selector("value"),
        by=fields.chosen("by", ("transfer", "recompute")),
        optional=fields.flag("optional"),
        span=fields.span,
    )


def _recompute(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    return reader.after_keyword("recompute", node, key.span)


# ---------------------------------------------------------------- offload


def _offload(fields: Fields) -> ast.Statement:
    reader = fields.reader
    what: Any
    if fields.has("pattern"):
        kind, what = "pattern", fields.pattern("pattern")
    elif fields.has("ops"):
        kind, what = "ops", fields.selector("ops")
    else:
        kind, what = "table", fields.word("table")
    expect = fields.node.get("expect")
    wants_all = isinstance(expect, ScalarNode) and expect.text.strip() == "all"
    between = fields.node.get("only_between")
    limits = None if between is None else tuple(reader.selector(n) for n in items(between))
    return ast.Offload(
        what=what,
        kind=kind,  # type: ignore[arg-type]
        backend=fields.maybe_word("to"),
        name=fields.maybe_word("as"),
        constants=fields.maybe_chosen("constants", ("embed", "pass")) or "embed",
        expect=None if wants_all else reader.expect(expect),
        optional=fields.flag("optional"),
        require_all=wants_all or fields.flag("require_all"),
        min_ops=fields.maybe_integer("min_ops", 1),
        min_macs=fields.maybe_integer("min_macs"),
        max_regions=fields.maybe_integer("max_regions", 1),
        until=fields.maybe_selector("until"),
        between=limits,  # type: ignore[arg-type]
        inplace=fields.words("inplace"),
        ignore_annotations=fields.flag("ignore_annotations"),
        span=fields.span,
    )


def _keep(fields: Fields) -> ast.Statement:
    return ast.Keep(
        selector=fields.selector("value"), optional=fields.flag("optional"), span=fields.span
    )


def _prefer(fields: Fields) -> ast.Statement:
    return ast.Prefer(winner=fields.word("pattern"), loser=fields.word("over"), span=fields.span)


# ---------------------------------------------------------------- edits


def _replace(fields: Fields) -> ast.Statement:
    if fields.has("pattern"):
        return ast.Replace(
            what=fields.pattern("pattern"),
            new=fields.pattern("with"),
            kind="pattern",
            **fields.tail(),
            span=fields.span,
        )
    return ast.Replace(
        what=fields.selector("value"),
        new=fields.selector("with"),
        kind="value",
        **fields.tail(),
        span=fields.span,
    )


def _remove(fields: Fields) -> ast.Statement:
    return ast.Remove(selector=fields.selector("value"), **fields.tail(), span=fields.span)


def _insert(fields: Fields) -> ast.Statement:
    after = fields.has("after")
    return ast.Insert(
        new=fields.pattern("op"),
        selector=fields.selector("after" if after else "before"),
        where="after" if after else "before",
        **fields.tail(),
        span=fields.span,
    )


def _set(fields: Fields) -> ast.Statement:
    attr = fields.need("attr")
    name = fields.word("attr")
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise error("S115", f"`{name}` can't name an attribute", attr.span)
    return ast.SetAttr(
        selector=fields.selector("value"),
        attr=name,
        value=fields.reader.value(fields.need("to")),
        **fields.tail(),
        span=fields.span,
    )


def _cast(fields: Fields) -> ast.Statement:
    return ast.Cast(
        selector=fields.selector("value"),
        dtype=fields.word("to"),
        **fields.tail(),
        span=fields.span,
    )


def _rename(fields: Fields) -> ast.Statement:
    return ast.Rename(
        selector=fields.selector("value"),
        name=fields.word("as"),
        optional=fields.flag("optional"),
        span=fields.span,
    )


def _extract(fields: Fields) -> ast.Statement:
    return ast.Extract(
        start=fields.selector("from"),
        end=fields.selector("to"),
        name=fields.word("as"),
        optional=fields.flag("optional"),
        span=fields.span,
    )


# ---------------------------------------------------------------- build, run


def _build(fields: Fields) -> ast.Statement:
    return ast.Build(
        target=fields.maybe_word("target"),
        opt_level=fields.opt_level(),
        executor=fields.maybe_chosen("executor", ("graph", "aot", "vm")),
        format=fields.maybe_chosen("format", ("so", "tar", "mlf")),
        config=fields.pairs("config"),
        disable=fields.words("disable"),
        span=fields.span,
    )


def _stage(fields: Fields) -> ast.Statement:
    return ast.StageOn(
        stage=fields.integer("index"),
        target=fields.maybe_word("on"),
        opt_level=fields.opt_level(),
        threads=fields.maybe_integer("threads", 1),
        span=fields.span,
    )


def _verify(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    span = key.span.to(node.span)
    if isinstance(node, ScalarNode):
        if node.data is True:
            return (ast.Verify(span=span),)
        return reader.after_keyword("verify", node, key.span)
    assert isinstance(node, MapNode)
    fields = Fields(reader, node, span)
    inputs, seed = fields.maybe_word("inputs"), fields.maybe_integer("seed")
    checks.inputs_or_seed(inputs, seed, span)
    return (
        ast.Verify(
            inputs=inputs,
            seed=seed,
            rtol=fields.maybe_number("rtol"),
            atol=fields.maybe_number("atol"),
            each=fields.flag("each"),
            span=span,
        ),
    )


def _pipeline(fields: Fields) -> ast.Statement:
    return ast.Pipeline(
        on=fields.chosen("on", ("threads", "processes", "ray")),
        depth=fields.maybe_integer("depth", 1),
        span=fields.span,
    )


#: For each key of a step what reads it.
READERS: dict[str, Reader] = {
    "model": _model,
    "include": _include,
    "let": _let,
    "pattern": _patterns,
    "backend": _backends,
    "bind": _bind,
    "prepare": _prepare,
    "output": _output,
    "recompute": _recompute,
    "verify": _verify,
    **{
        keyword: mapping(keyword, read)
        for keyword, read in {
            "cut": _cut,
            "share": _share,
            "offload": _offload,
            "keep": _keep,
            "prefer": _prefer,
            "replace": _replace,
            "remove": _remove,
            "insert": _insert,
            "set": _set,
            "cast": _cast,
            "rename": _rename,
            "extract": _extract,
            "build": _build,
            "stage": _stage,
            "pipeline": _pipeline,
        }.items()
    },
}
