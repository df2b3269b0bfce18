"""AST -> canonical text, which parses back to the same AST."""

from __future__ import annotations

import re
from typing import assert_never

from surgery.syntax import ast
from surgery.syntax.printer_parts import PartPrinter

#: Statements wider than this are wrapped where a clause ends.
WIDTH = 88

#: Names that would end the list after `disable`.
_BUILD_WORDS = frozenset(("target", "opt", "executor", "format", "config", "disable"))


class Printer(PartPrinter):
    """Prints statements, and all that they hold."""

    def statement(self, statement: ast.Statement) -> str:
        """Return a statement on one line."""
        return " ".join(self.clauses(statement))

    def wrapped(self, statement: ast.Statement) -> str:
        """Return a statement, wrapped before a clause where it is wide."""
        lines: list[str] = []
        line = ""
        for clause in self.clauses(statement):
            if line and len(line) + 1 + len(clause) > WIDTH:
                lines.append(line)
                line = f"  {clause}"
            else:
                line = f"{line} {clause}" if line else clause
        return "\n".join([*lines, line])

    def clauses(self, statement: ast.Statement) -> list[str]:
        """Return a statement in parts that a line may end after."""
        match statement:
            case ast.Model():
                parts = [f"model {self.text(statement.path)}"]
                if statement.params is not None:
                    parts.append(f"params {self.text(statement.params)}")
                return parts
            case ast.Include():
                return [f"include {self.text(statement.path)}"]
            case ast.Let():
                return [f"let {self.name(statement.name)} =", self.selector(statement.selector)]
            case ast.PatternDef():
                return [f"pattern {statement.name} =", self.pattern(statement.pattern)]
            case ast.Output():
                return self._output(statement)
            case ast.OutputDrop():
                return [f"output drop {self._output_ref(statement.output)}"]
            case ast.OutputRename():
                old = self._output_ref(statement.output)
                return [f"output rename {old} as {self.name(statement.name)}"]
            case ast.Cut():
                parts = [f"cut {statement.where} {self.selector(statement.selector)}"]
                return parts + self._tail(statement.expect, statement.optional)
            case ast.CutInto():
                parts = [f"cut into {self.number(statement.stages)} stages by {statement.by}"]
                if statement.within is not None:
                    parts.append(f"within {self.selector(statement.within)}")
                return parts
            case ast.Share():
                parts = [f"share {self.selector(statement.selector)} by {statement.by}"]
                return parts + self._tail(None, statement.optional)
            case ast.Recompute():
                return ["recompute constants"]
            case ast.Offload():
                return self._offload(statement)
            case ast.Keep():
                parts = [f"keep {self.selector(statement.selector)} on host"]
                return parts + self._tail(None, statement.optional)
            case ast.Prefer():
                return [f"prefer {self.name(statement.winner)} over {self.name(statement.loser)}"]
            case ast.Backend():
                return self._backend(statement)
            case ast.Replace() | ast.Remove() | ast.Insert() | ast.SetAttr() | ast.Cast():
                return self._edit(statement) + self._tail(statement.expect, statement.optional)
            case ast.Rename():
                parts = [
                    f"rename {self.selector(statement.selector)} as {self.name(statement.name)}"
                ]
                return parts + self._tail(None, statement.optional)
            case ast.Extract():
                start, end = self.selector(statement.start), self.selector(statement.end)
                parts = [f"extract from {start}", f"to {end}", f"as {self.name(statement.name)}"]
                return parts + self._tail(None, statement.optional)
            case ast.BindParams():
                if statement.glob is None:
                    return ["bind all params"]
                return [f"bind param {self.variable(statement.glob)}"]
            case ast.BindInput():
                return [f"bind {self.input_type(statement)}"]
            case ast.Prepare():
                calls = [self.pass_call(call) for call in statement.passes]
                return [f"prepare {calls[0]}" + ("," if calls[1:] else ""), *_commas(calls[1:])]
            case ast.Build():
                return ["build", *self._build(statement)]
            case ast.StageOn():
                parts = [f"stage {self.number(statement.stage)}"]
                if statement.target is not None:
                    parts.append(f"on {self.text(statement.target)}")
                if statement.opt_level is not None:
                    parts.append(f"opt {self.number(statement.opt_level)}")
                if statement.threads is not None:
                    parts.append(f"threads {self.number(statement.threads)}")
                return parts
            case ast.Verify():
                return ["verify", *self._verify(statement)]
            case ast.Pipeline():
                parts = [f"pipeline on {statement.on}"]
                if statement.depth is not None:
                    parts.append(f"depth {self.number(statement.depth)}")
                return parts
            case _:
                assert_never(statement)

    def _tail(self, expect: ast.Expect | None, optional: bool) -> list[str]:
        parts = []
        if expect is not None:
            sign = "" if expect.comparison == "=" else expect.comparison
            parts.append(f"expect {sign}{self.number(expect.count)}")
        return parts + (["optional"] if optional else [])

    def _output(self, statement: ast.Output) -> list[str]:
        items = []
        for item in statement.items:
            name = "" if item.name is None else f" as {self.name(item.name)}"
            items.append(("each " if item.each else "") + self.selector(item.selector) + name)
        head = "output only " if statement.only else "output "
        first = head + items[0] + ("," if items[1:] else "")
        tail = self._tail(statement.expect, statement.optional)
        return [first, *_commas(items[1:]), *tail]

    def _output_ref(self, output: str | int) -> str:
        return self.name(output) if isinstance(output, str) else self.number(output)

    def _offload(self, statement: ast.Offload) -> list[str]:
        what = statement.what
        match statement.kind:
            case "pattern":
                assert not isinstance(what, str)
                parts = [f"offload pattern {self.pattern(what)}"]  # type: ignore[arg-type]
            case "ops":
                assert not isinstance(what, str)
                parts = [f"offload {self.selector(what)}"]  # type: ignore[arg-type]
            case "table":
                parts = [f"offload table {self.name(str(what))}"]
            case _:
                assert_never(statement.kind)
        if statement.backend is not None:
            parts.append(f"to {self.name(statement.backend)}")
        if statement.name is not None:
            parts.append(f"as {self.name(statement.name)}")
        if statement.constants != "embed":
            parts.append(f"constants {statement.constants}")
        for words, count in (
            ("min ops", statement.min_ops),
            ("min macs", statement.min_macs),
            ("max regions", statement.max_regions),
        ):
            if count is not None:
                parts.append(f"{words} {self.number(count)}")
        if statement.until is not None:
            parts.append(f"until {self.selector(statement.until)}")
        if statement.between is not None:
            start, end = (self.selector(s) for s in statement.between)
            parts.append(f"only between({start}, {end})")
        if statement.inplace:
            parts.append(f"inplace({', '.join(self.name(n) for n in statement.inplace)})")
        if statement.ignore_annotations:
            parts.append("ignore annotations")
        if statement.require_all:
            parts.append("require all")
        return parts + self._tail(statement.expect, statement.optional)

    def _backend(self, statement: ast.Backend) -> list[str]:
        via = f"via {statement.kind}"
        if statement.source is not None:
            via += f" {self.text(statement.source)}"
        options = [via]
        if statement.library is not None:
            options.append(f"library {self.text(statement.library)}")
        options += [f"{key}={self.value(value)}" for key, value in statement.options]
        return [f"backend {self.name(statement.name)} {{ {'; '.join(options)} }}"]

    def _edit(
        self, statement: ast.Replace | ast.Remove | ast.Insert | ast.SetAttr | ast.Cast
    ) -> list[str]:
        match statement:
            case ast.Replace(kind="pattern"):
                what = self.pattern(statement.what)  # type: ignore[arg-type]
                new = self.pattern(statement.new)  # type: ignore[arg-type]
                return [f"replace pattern {what}", f"with {new}"]
            case ast.Replace():
                what = self.selector(statement.what)  # type: ignore[arg-type]
                return [f"replace {what}", f"with {self.selector(statement.new)}"]  # type: ignore[arg-type]
            case ast.Remove():
                return [f"remove {self.selector(statement.selector)}"]
            case ast.Insert():
                where = f"{statement.where} {self.selector(statement.selector)}"
                return [f"insert {self.pattern(statement.new)}", where]
            case ast.SetAttr():
                target = self._attr_target(statement.selector)
                return [f"set {target}.{statement.attr} = {self.value(statement.value)}"]
            case ast.Cast():
                dtype = self.name(statement.dtype)
                return [f"cast {self.selector(statement.selector)} to {dtype}"]
            case _:
                assert_never(statement)

    def _attr_target(self, selector: ast.Selector) -> str:
        match selector:
            case ast.Where() | ast.SetOp() | ast.InputSel() | ast.ParamSel() | ast.Result():
                return f"({self.selector(selector)})"
            case _:
                return self.selector(selector)

    def input_type(self, statement: ast.BindInput) -> str:
        """Return ``x: float32(1, 128)``."""
        plain = re.fullmatch(r"[\w./@-]+", statement.name)
        name = statement.name if plain else self.text(statement.name)
        return f"{name}: {self.tensor_type(statement)}"

    def tensor_type(self, statement: ast.BindInput) -> str:
        """Return ``float32(1, 128)``."""
        return f"{statement.dtype}({', '.join(self.number(d) for d in statement.shape)})"

    def pass_call(self, call: ast.PassCall) -> str:
        """Return ``FoldConstant`` or ``ConvertLayout(NHWC)``."""
        arguments = f"({self.values(call.arguments)})" if call.arguments else ""
        return f"{self.name(call.name)}{arguments}"

    def _build(self, statement: ast.Build) -> list[str]:
        parts = []
        if statement.target is not None:
            parts.append(f"target {self.text(statement.target)}")
        if statement.opt_level is not None:
            parts.append(f"opt {self.number(statement.opt_level)}")
        if statement.executor is not None:
            parts.append(f"executor {statement.executor}")
        if statement.format is not None:
            parts.append(f"format {statement.format}")
        parts += [f"config {key}={self.value(value)}" for key, value in statement.config]
        if statement.disable:
            names = [self.text(n) if n in _BUILD_WORDS else self.name(n) for n in statement.disable]
            parts.append(f"disable {', '.join(names)}")
        return parts

    def _verify(self, statement: ast.Verify) -> list[str]:
        parts = ["each"] if statement.each else []
        if statement.inputs is not None:
            parts.append(f"inputs {self.text(statement.inputs)}")
        if statement.seed is not None:
            parts.append(f"seed {self.number(statement.seed)}")
        if statement.rtol is not None:
            parts.append(f"rtol {self.number(statement.rtol)}")
        if statement.atol is not None:
            parts.append(f"atol {self.number(statement.atol)}")
        return parts


def print_selector(selector: ast.Selector) -> str:
    """Return the canonical text of a selector."""
    return Printer().selector(selector)


def print_pattern(pattern: ast.Pattern) -> str:
    """Return the canonical text of a pattern."""
    return Printer().pattern(pattern)


def print_statement(statement: ast.Statement) -> str:
    """Return the canonical text of a statement, on one line."""
    return Printer().statement(statement)


def print_spec(spec: ast.Spec) -> str:
    """Return the canonical text of a spec: a statement a line, wide ones wrapped."""
    printer = Printer()
    return "".join(f"{printer.wrapped(statement)}\n" for statement in spec.statements)


def _commas(items: list[str]) -> list[str]:
    """Return items with a comma after each but the last."""
    return [f"{item}," for item in items[:-1]] + items[-1:]
