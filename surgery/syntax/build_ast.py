"""Parse tree -> AST. Only constructs; what a rule means is in :mod:`surgery.syntax.ast`."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark.tree import Meta

from surgery.syntax import ast, checks
from surgery.syntax.build_parts import Option
from surgery.syntax.build_pattern import PatternRules
from surgery.syntax.build_selector import SelectorRules


class Builder(SelectorRules, PatternRules):
    """Builds the AST of one statement, selector or pattern: one method a rule of the grammar."""

    # ------------------------------------------------------------ files and names

    def model(self, meta: Meta, path: str, params: str | None) -> ast.Model:
        return ast.Model(path=path, params=params, span=self.span(meta))

    def include(self, meta: Meta, path: str) -> ast.Include:
        return ast.Include(path=path, span=self.span(meta))

    def let(self, meta: Meta, name: str, selector: ast.Selector) -> ast.Let:
        return ast.Let(name=name, selector=selector, span=self.span(meta))

    def pattern_def(self, meta: Meta, name: Token, pattern: ast.Pattern) -> ast.PatternDef:
        checks.pattern_name(str(name), self.token_span(name))
        return ast.PatternDef(name=str(name), pattern=pattern, span=self.span(meta))

    # ------------------------------------------------------------ outputs, cuts

    def output_only(self, meta: Meta) -> bool:
        return True

    def output_item(
        self, meta: Meta, each: Token | None, selector: ast.Selector, name: str | None
    ) -> ast.OutputItem:
        return ast.OutputItem(
            selector=selector, name=name, each=each is not None, span=self.span(meta)
        )

    def output(self, meta: Meta, only: bool | None, *rest: Any) -> ast.Output:
        *items, tail = rest
        return ast.Output(items=tuple(items), only=bool(only), **tail, span=self.span(meta))

    def output_ref(self, meta: Meta, output: str | Token) -> str | int:
        if not isinstance(output, Token):
            return output
        return checks.at_least(0, int(output), "an output's index", self.token_span(output))

    def output_drop(self, meta: Meta, output: str | int) -> ast.OutputDrop:
        return ast.OutputDrop(output=output, span=self.span(meta))

    def output_rename(self, meta: Meta, output: str | int, name: str) -> ast.OutputRename:
        return ast.OutputRename(output=output, name=name, span=self.span(meta))

    def cut(self, meta: Meta, where: Any, selector: ast.Selector, tail: Any) -> ast.Cut:
        return ast.Cut(where=str(where), selector=selector, **tail, span=self.span(meta))  # type: ignore[arg-type]

    def cut_into(
        self, meta: Meta, stages: int, by: Token, within: ast.Selector | None
    ) -> ast.CutInto:
        checks.at_least(1, stages, "the number of stages", self.span(meta))
        choice = self.chosen(by, ("flops", "bytes", "time"), "what to cut by")
        return ast.CutInto(stages=stages, by=choice, within=within, span=self.span(meta))

    def share(
        self, meta: Meta, selector: ast.Selector, by: Token, optional: Token | None
    ) -> ast.Share:
        choice = self.chosen(by, ("transfer", "recompute"), "how to share a value")
        return ast.Share(
            selector=selector, by=choice, optional=optional is not None, span=self.span(meta)
        )

    def recompute(self, meta: Meta) -> ast.Recompute:
        return ast.Recompute(span=self.span(meta))

    # ------------------------------------------------------------ offload

    def offload_pattern(
        self, meta: Meta, pattern: ast.Pattern, backend: str, *options: Any
    ) -> ast.Offload:
        return self._offload(meta, pattern, "pattern", backend, options)

    def offload_ops(
        self, meta: Meta, selector: ast.Selector, backend: str, *options: Any
    ) -> ast.Offload:
        return self._offload(meta, selector, "ops", backend, options)

    def offload_table(
        self, meta: Meta, table: str, backend: str | None, *options: Any
    ) -> ast.Offload:
        return self._offload(meta, table, "table", backend, options)

    def offload_what(self, meta: Meta, first: ast.Selector, *rest: ast.Selector) -> ast.Selector:
        whole = first
        for right in rest:
            whole = self.set_op("or", whole, right, self.span(meta))
        return whole

    def _offload(
        self, meta: Meta, what: Any, kind: Any, backend: str | None, options: tuple[Any, ...]
    ) -> ast.Offload:
        given = self.options(options, "offload")
        return ast.Offload(what=what, kind=kind, backend=backend, **given, span=self.span(meta))

    def offload_as(self, meta: Meta, name: str) -> Option:
        return self.option(meta, "name", name, "as NAME")

    def offload_constants(self, meta: Meta, how: Token) -> Option:
        choice = self.chosen(how, ("embed", "pass"), "what becomes of constants")
        return self.option(meta, "constants", choice, "constants")

    def offload_require_all(self, meta: Meta) -> Option:
        return self.option(meta, "require_all", True, "require all")

    def optional(self, meta: Meta, _word: Token) -> Option:
        return self.option(meta, "optional", True, "optional")

    def offload_min_ops(self, meta: Meta, count: int) -> Option:
        checks.at_least(1, count, "`min ops`", self.span(meta))
        return self.option(meta, "min_ops", count, "min ops")

    def offload_min_macs(self, meta: Meta, count: int) -> Option:
        checks.at_least(0, count, "`min macs`", self.span(meta))
        return self.option(meta, "min_macs", count, "min macs")

    def offload_max_regions(self, meta: Meta, count: int) -> Option:
        checks.at_least(1, count, "`max regions`", self.span(meta))
        return self.option(meta, "max_regions", count, "max regions")

    def offload_until(self, meta: Meta, selector: ast.Selector) -> Option:
        return self.option(meta, "until", selector, "until")

    def offload_between(self, meta: Meta, start: ast.Selector, end: ast.Selector) -> Option:
        return self.option(meta, "between", (start, end), "only between")

    def offload_inplace(self, meta: Meta, *names: str) -> Option:
        return self.option(meta, "inplace", names, "inplace")

    def offload_ignore_annotations(self, meta: Meta) -> Option:
        return self.option(meta, "ignore_annotations", True, "ignore annotations")

    def keep(self, meta: Meta, selector: ast.Selector, optional: Token | None) -> ast.Keep:
        return ast.Keep(selector=selector, optional=optional is not None, span=self.span(meta))

    def prefer(self, meta: Meta, winner: str, loser: str) -> ast.Prefer:
        return ast.Prefer(winner=winner, loser=loser, span=self.span(meta))

    def backend(self, meta: Meta, name: str, *options: Any) -> ast.Backend:
        pairs = tuple(o for o in options if isinstance(o, tuple))
        checks.unique_keys(pairs, f"backend `{name}`", self.span(meta))
        given = self.options(tuple(o for o in options if not isinstance(o, tuple)), "backend")
        kind, source = given.pop("via", (None, None))
        if kind is None:
            raise checks.backend_without_kind(name, self.span(meta))
        return ast.Backend(
            name=name, kind=kind, source=source, options=pairs, **given, span=self.span(meta)
        )

    def backend_via(self, meta: Meta, kind: Token, source: str | None) -> Option:
        choice = self.chosen(kind, checks.BACKEND_KINDS, "how a backend makes code")
        return self.option(meta, "via", (choice, source), "via")

    def backend_source(self, meta: Meta, token: Token) -> str:
        return self.text(token)

    def backend_library(self, meta: Meta, path: str) -> Option:
        return self.option(meta, "library", path, "library")

    # ------------------------------------------------------------ edits

    def replace_pattern(
        self, meta: Meta, what: ast.Pattern, new: ast.Pattern, tail: Any
    ) -> ast.Replace:
        return ast.Replace(what=what, new=new, kind="pattern", **tail, span=self.span(meta))

    def replace_value(
        self, meta: Meta, what: ast.Selector, new: ast.Selector, tail: Any
    ) -> ast.Replace:
        return ast.Replace(what=what, new=new, kind="value", **tail, span=self.span(meta))

    def remove(self, meta: Meta, selector: ast.Selector, tail: Any) -> ast.Remove:
        return ast.Remove(selector=selector, **tail, span=self.span(meta))

    def insert(
        self, meta: Meta, new: ast.Pattern, where: Any, selector: ast.Selector, tail: Any
    ) -> ast.Insert:
        return ast.Insert(
            new=new,
            selector=selector,
            where=str(where),  # type: ignore[arg-type]
            **tail,
            span=self.span(meta),
        )

    def set_attr(
        self, meta: Meta, selector: ast.Selector, attr: Token | None, value: Any, tail: Any
    ) -> ast.SetAttr:
        span = self.span(meta)
        if attr is None:
            selector, name = checks.split_attr(selector, span)
        else:
            name = str(attr)[1:]
        checks.no_star(value, "the value of an attribute", span)
        return ast.SetAttr(selector=selector, attr=name, value=value, **tail, span=span)

    def cast(self, meta: Meta, selector: ast.Selector, dtype: str, tail: Any) -> ast.Cast:
        return ast.Cast(selector=selector, dtype=dtype, **tail, span=self.span(meta))

    def rename(
        self, meta: Meta, selector: ast.Selector, name: str, optional: Token | None
    ) -> ast.Rename:
        return ast.Rename(
            selector=selector, name=name, optional=optional is not None, span=self.span(meta)
        )

    def extract(
        self,
        meta: Meta,
        start: ast.Selector,
        end: ast.Selector,
        name: str,
        optional: Token | None,
    ) -> ast.Extract:
        span = self.span(meta)
        return ast.Extract(
            start=start, end=end, name=name, optional=optional is not None, span=span
        )

    # ------------------------------------------------------------ bind, prepare

    def bind_all(self, meta: Meta) -> ast.BindParams:
        return ast.BindParams(span=self.span(meta))

    def bind_param(self, meta: Meta, glob: str) -> ast.BindParams:
        return ast.BindParams(glob=glob, span=self.span(meta))

    def bindee(self, meta: Meta, token: Token) -> str:
        return self.text(token)

    def shape(self, meta: Meta, *dims: int) -> tuple[int, ...]:
        span = self.span(meta)
        return tuple(checks.at_least(0, d, "a dimension", span) for d in dims)

    def bind_input(self, meta: Meta, name: str, *kind: Any) -> ast.BindInput:
        shape, dtype = sorted(kind, key=lambda part: isinstance(part, Token))
        return ast.BindInput(name=name, dtype=str(dtype), shape=shape, span=self.span(meta))

    def prepare(self, meta: Meta, *passes: ast.PassCall) -> ast.Prepare:
        return ast.Prepare(passes=passes, span=self.span(meta))

    def pass_call(self, meta: Meta, name: str, *arguments: Any) -> ast.PassCall:
        span = self.span(meta)
        for value in arguments:
            checks.no_star(value, "an argument of a pass", span)
        return ast.PassCall(name=name, arguments=arguments, span=span)

    # ------------------------------------------------------------ build, run

    def build(self, meta: Meta, *options: Any) -> ast.Build:
        given = self.options(options, "build", joined=("config", "disable"))
        checks.unique_keys(given.get("config", ()), "`config`", self.span(meta))
        return ast.Build(**given, span=self.span(meta))

    def build_target(self, meta: Meta, target: str) -> Option:
        return self.option(meta, "target", target, "target")

    def build_opt(self, meta: Meta, level: int) -> Option:
        checks.opt_level(level, self.span(meta))
        return self.option(meta, "opt_level", level, "opt")

    def build_executor(self, meta: Meta, executor: Token) -> Option:
        choice = self.chosen(executor, ("graph", "aot", "vm"), "the executor")
        return self.option(meta, "executor", choice, "executor")

    def build_format(self, meta: Meta, form: Token) -> Option:
        choice = self.chosen(form, ("so", "tar", "mlf"), "the format of a library")
        return self.option(meta, "format", choice, "format")

    def build_config(self, meta: Meta, *pairs: tuple[str, ast.Value]) -> Option:
        return self.option(meta, "config", pairs, "config")

    def build_disable(self, meta: Meta, *names: str) -> Option:
        return self.option(meta, "disable", names, "disable")

    def stage_on(self, meta: Meta, stage: int, *options: Any) -> ast.StageOn:
        checks.at_least(0, stage, "the number of a stage", self.span(meta))
        given = self.options(options, "stage")
        return ast.StageOn(stage=stage, **given, span=self.span(meta))

    def stage_threads(self, meta: Meta, count: int) -> Option:
        checks.at_least(1, count, "`threads`", self.span(meta))
        return self.option(meta, "threads", count, "threads")

    def verify(self, meta: Meta, *options: Any) -> ast.Verify:
        span = self.span(meta)
        given = self.options(options, "verify")
        checks.inputs_or_seed(given.get("inputs"), given.get("seed"), span)
        return ast.Verify(**given, span=span)

    def verify_each(self, meta: Meta, _word: Token) -> Option:
        return self.option(meta, "each", True, "each")

    def verify_inputs(self, meta: Meta, path: str) -> Option:
        return self.option(meta, "inputs", path, "inputs")

    def verify_seed(self, meta: Meta, seed: int) -> Option:
        checks.at_least(0, seed, "`seed`", self.span(meta))
        return self.option(meta, "seed", seed, "seed")

    def verify_rtol(self, meta: Meta, value: float) -> Option:
        return self.option(meta, "rtol", checks.tolerance(value, self.span(meta)), "rtol")

    def verify_atol(self, meta: Meta, value: float) -> Option:
        return self.option(meta, "atol", checks.tolerance(value, self.span(meta)), "atol")

    def pipeline(self, meta: Meta, on: Token, depth: int | None) -> ast.Pipeline:
        span = self.span(meta)
        choice = self.chosen(on, ("threads", "processes", "ray"), "what drives the stages")
        if depth is not None:
            checks.at_least(1, depth, "`depth`", span)
        return ast.Pipeline(on=choice, depth=depth, span=span)
