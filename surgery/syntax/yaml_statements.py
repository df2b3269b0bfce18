"""The mapping form of each statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from surgery.diagnostics import error
from surgery.source import Span
from surgery.syntax import ast, checks
from surgery.syntax.yaml_nodes import ListNode, MapNode, Node, ScalarNode
from surgery.syntax.yaml_reader import YamlReader

Statements = tuple[ast.Statement, ...]
Reader = Callable[[YamlReader, ScalarNode, Node], Statements]


class _Fields:
    """The keys of a mapping, read by kind; the schema has checked which there are."""

    def __init__(self, reader: YamlReader, node: MapNode, span: Span) -> None:
        self.reader = reader
        self.node = node
        self.span = span

    def has(self, key: str) -> bool:
        return self.node.get(key) is not None

    def need(self, key: str) -> Node:
        node = self.node.get(key)
        assert node is not None, f"the schema requires `{key}`"
        return node

    def selector(self, key: str) -> ast.Selector:
        return self.reader.selector(self.need(key))

    def maybe_selector(self, key: str) -> ast.Selector | None:
        node = self.node.get(key)
        return None if node is None else self.reader.selector(node)

    def pattern(self, key: str) -> ast.Pattern:
        return self.reader.pattern(self.need(key))

    def word(self, key: str) -> str:
        return self.reader.word(self.need(key))

    def maybe_word(self, key: str) -> str | None:
        node = self.node.get(key)
        return None if node is None else self.reader.word(node)

    def integer(self, key: str, low: int = 0) -> int:
        return self.reader.integer(self.need(key), low, f"`{key}`")

    def maybe_integer(self, key: str, low: int = 0) -> int | None:
        return self.integer(key, low) if self.has(key) else None

    def maybe_number(self, key: str) -> float | None:
        return self.reader.number(self.need(key)) if self.has(key) else None

    def opt_level(self) -> int | None:
        node = self.node.get("opt_level")
        if node is None:
            return None
        return checks.opt_level(self.reader.integer(node, 0, "`opt_level`"), node.span)

    def flag(self, key: str) -> bool:
        return self.reader.flag(self.node.get(key))

    def chosen(self, key: str, among: tuple[str, ...]) -> Any:
        return self.reader.chosen(self.need(key), among, f"`{key}`")

    def maybe_chosen(self, key: str, among: tuple[str, ...]) -> Any:
        return self.chosen(key, among) if self.has(key) else None

    def words(self, key: str) -> tuple[str, ...]:
        node = self.node.get(key)
        return () if node is None else tuple(self.reader.word(n) for n in _items(node))

    def pairs(self, key: str) -> tuple[tuple[str, ast.Value], ...]:
        node = self.node.get(key)
        if not isinstance(node, MapNode):
            return ()
        pairs = []
        for name, value in node.entries:
            if not re.fullmatch(r"[^\W\d][\w.]*", name.text):
                raise error(
                    "S115",
                    f"`{name.text}` can't name an option",
                    name.span,
                    remedy="use letters, digits, `_` and dots",
                )
            pairs.append((name.text, self.reader.value(value)))
        return tuple(pairs)

    def tail(self) -> dict[str, Any]:
        return {
            "expect": self.reader.expect(self.node.get("expect")),
            "optional": self.flag("optional"),
        }


def _mapping(keyword: str, read: Callable[[_Fields], ast.Statement]) -> Reader:
    """Return a reader for a statement that is a text after its keyword, or a mapping."""

    def reader(yaml: YamlReader, key: ScalarNode, node: Node) -> Statements:
        if isinstance(node, MapNode):
            return (read(_Fields(yaml, node, key.span.to(node.span))),)
        return yaml.after_keyword(keyword, node, key.span)

    return reader


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, ListNode) else (node,)


# ---------------------------------------------------------------- files and names


def _model(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    span = key.span.to(node.span)
    if isinstance(node, ScalarNode):
        return (ast.Model(path=reader.word(node), span=span),)
    assert isinstance(node, MapNode)
    fields = _Fields(reader, node, span)
    return (ast.Model(path=fields.word("path"), params=fields.maybe_word("params"), span=span),)


def _include(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    return tuple(ast.Include(path=reader.word(n), span=n.span) for n in _items(node))


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
    statements: list[ast.Statement] = []
    for name, value in node.entries:
        if isinstance(value, MapNode):
            fields = _Fields(reader, value, name.span)
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
            statements += [
                ast.BindParams(glob=reader.word(n), span=n.span) for n in _items(value)
            ]
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
    fields = _Fields(reader, node, span)
    if fields.has("drop"):
        return (ast.OutputDrop(output=_output_ref(fields, "drop"), span=span),)
    if fields.has("rename"):
        output = _output_ref(fields, "rename")
        return (ast.OutputRename(output=output, name=fields.word("as"), span=span),)
    items = (
        _output_items(reader, fields.need("values"))
        if fields.has("values")
        else (_output_item(fields),)
    )
    return (ast.Output(items=items, only=fields.flag("only"), **fields.tail(), span=span),)


def _output_items(reader: YamlReader, node: Node) -> tuple[ast.OutputItem, ...]:
    items: list[ast.OutputItem] = []
    for item in _items(node):
        if isinstance(item, MapNode):
            items.append(_output_item(_Fields(reader, item, item.span)))
        else:
            items += reader.output_items(item)
    return tuple(items)


def _output_item(fields: _Fields) -> ast.OutputItem:
    return ast.OutputItem(
        selector=fields.selector("value"),
        name=fields.maybe_word("as"),
        each=fields.flag("each"),
        span=fields.span,
    )


def _output_ref(fields: _Fields, key: str) -> str | int:
    node = fields.need(key)
    assert isinstance(node, ScalarNode)
    return int(node.data) if isinstance(node.data, int) else fields.reader.word(node)


def _cut(fields: _Fields) -> ast.Statement:
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


def _share(fields: _Fields) -> ast.Statement:
    return ast.Share(
        selector=fields.selector("value"),
        by=fields.chosen("by", ("transfer", "recompute")),
        optional=fields.flag("optional"),
        span=fields.span,
    )


def _recompute(reader: YamlReader, key: ScalarNode, node: Node) -> Statements:
    return reader.after_keyword("recompute", node, key.span)


# ---------------------------------------------------------------- offload


def _offload(fields: _Fields) -> ast.Statement:
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
    limits = None if between is None else tuple(reader.selector(n) for n in _items(between))
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


def _keep(fields: _Fields) -> ast.Statement:
    return ast.Keep(
        selector=fields.selector("value"), optional=fields.flag("optional"), span=fields.span
    )


def _prefer(fields: _Fields) -> ast.Statement:
    return ast.Prefer(winner=fields.word("pattern"), loser=fields.word("over"), span=fields.span)


# ---------------------------------------------------------------- edits


def _replace(fields: _Fields) -> ast.Statement:
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


def _remove(fields: _Fields) -> ast.Statement:
    return ast.Remove(selector=fields.selector("value"), **fields.tail(), span=fields.span)


def _insert(fields: _Fields) -> ast.Statement:
    after = fields.has("after")
    return ast.Insert(
        new=fields.pattern("op"),
        selector=fields.selector("after" if after else "before"),
        where="after" if after else "before",
        **fields.tail(),
        span=fields.span,
    )


def _set(fields: _Fields) -> ast.Statement:
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


def _cast(fields: _Fields) -> ast.Statement:
    return ast.Cast(
        selector=fields.selector("value"),
        dtype=fields.word("to"),
        **fields.tail(),
        span=fields.span,
    )


def _rename(fields: _Fields) -> ast.Statement:
    return ast.Rename(
        selector=fields.selector("value"),
        name=fields.word("as"),
        optional=fields.flag("optional"),
        span=fields.span,
    )


def _extract(fields: _Fields) -> ast.Statement:
    return ast.Extract(
        start=fields.selector("from"),
        end=fields.selector("to"),
        name=fields.word("as"),
        optional=fields.flag("optional"),
        span=fields.span,
    )


# ---------------------------------------------------------------- build, run


def _build(fields: _Fields) -> ast.Statement:
    return ast.Build(
        target=fields.maybe_word("target"),
        opt_level=fields.opt_level(),
        executor=fields.maybe_chosen("executor", ("graph", "aot", "vm")),
        format=fields.maybe_chosen("format", ("so", "tar", "mlf")),
        config=fields.pairs("config"),
        disable=fields.words("disable"),
        span=fields.span,
    )


def _stage(fields: _Fields) -> ast.Statement:
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
    fields = _Fields(reader, node, span)
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


def _pipeline(fields: _Fields) -> ast.Statement:
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
        keyword: _mapping(keyword, read)
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
