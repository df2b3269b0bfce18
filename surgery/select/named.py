"""Selectors that look for source names, ops and parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.graph import Kind
from surgery.graph.ops import KNOWN_OPS, canonical_op, nearest_ops
from surgery.select.context import Context, Key
from surgery.select.names import base_name, index_of, without_echoes
from surgery.select.predicates import ambiguous_op
from surgery.syntax import ast


class ByName(Context):
    """Finds ops by source name and by kind, parameters by name."""

    def run(self, selector: ast.NameRun) -> list[Key]:
        found = [
            (place, id_)
            for place in self.places
            for id_ in without_echoes(
                self.graph(place), index_of(self.graph(place)).run(selector.text)
            )
        ]
        if found or self.optional:
            return self.values(found)
        raise self._no_name(
            selector,
            selector.text,
            [g for p in self.places for g in index_of(self.graph(p)).nearest_runs(selector.text)],
            lambda name: name == selector.text,
        )

    def matching(
        self, selector: ast.NameGlob | ast.NameRegex, fits: Callable[[str], object]
    ) -> list[Key]:
        found = [
            (place, id_)
            for place in self.places
            for id_ in without_echoes(self.graph(place), index_of(self.graph(place)).where(fits))
        ]
        if found or self.optional:
            return self.values(found)
        written = selector.glob if isinstance(selector, ast.NameGlob) else selector.regex
        pool = {base_name(n) for p in self.places for _, n in index_of(self.graph(p)).named}
        literal = max(re.split(r"[^\w/.]+", written), key=len, default="")
        close = (
            [g for p in self.places for g in index_of(self.graph(p)).nearest_globs(written)]
            if isinstance(selector, ast.NameGlob)
            else []
        )
        close += nearest(written, sorted(pool)[:5000])
        close += [n for n in sorted(pool) if literal and literal in n and n not in close][:3]
        raise self._no_name(selector, written, close[:3], fits)

    def _no_name(
        self,
        selector: ast.Selector,
        written: str,
        close: Sequence[str],
        fits: Callable[[str], object],
    ) -> SurgeryError:
        """Return the error for a name that no op has, saying what has it instead."""
        variables = [
            (graph.kinds[p], name)
            for place in self.places
            for graph in (self.graph(place),)
            for p in graph.params
            if (name := graph.names[p]) and fits(name)
        ]
        if variables:
            kind, name = variables[0]
            remedy = f"a name alone means ops; write `{kind} {name}` or `%{name}`"
            return error(
                "S203",
                f"no op is named `{written}`, but {_a(kind)} is",
                selector.span,
                remedy=remedy,
            )
        if not self.module.has_source_names:
            return error(
                "S204",
                f"`{written}` can't be found by name",
                selector.span,
                reason="This file has no source names (text form drops them).",
                remedy="use %N as `surgery show` lists them, or give the JSON form of the model",
            )
        if not any(index_of(self.graph(p)).named for p in self.places):
            where = ", ".join(f"@{self.names[p]}" for p in self.places)
            return error(
                "S204",
                f"`{written}` can't be found by name",
                selector.span,
                reason=f"No op of {where} has a source name.",
                remedy="use %N as `surgery show` lists them",
            )
        others = [
            f"@{name}"
            for name, graph in self.module.functions.items()
            if graph.function_attrs.get("Compiler") is None
            and name not in {self.names[p] for p in self.places}
            and index_of(graph).where(fits)
        ]
        return error(
            "S203",
            f"no op is named `{written}`",
            selector.span,
            reason=f"Only in {', '.join(others)} there is one." if others else "",
            remedy="the nearest: " + ", ".join(f"`{c}`" for c in dict.fromkeys(close))
            if close
            else "`surgery show` lists the source names",
        )

    def ops(self, selector: ast.OpKind) -> list[Key]:
        written = selector.op
        glob = any(c in written for c in "*?[")
        present: set[str] = set()
        for place in self.places:
            present.update(o for o, k in zip(self.graph(place).ops, self.graph(place).kinds,
                                             strict=True) if k == "call")  # fmt: skip
        if glob:
            wanted = {op for op in present if fnmatchcase(op, written)}
        elif written in present:
            wanted = {written}
        else:
            named = canonical_op(written, KNOWN_OPS | present)
            if len(named) > 1:
                here = [n for n in named if n in present]
                if len(here) != 1:
                    raise ambiguous_op(written, here or named, selector)
                named = here
            wanted = set(named) or {written}
        kinds: set[Kind] = {"call"} if written != "if" else {"if"}
        found = [
            (place, id_)
            for place in self.places
            for id_, op in enumerate(self.graph(place).ops)
            if self.graph(place).kinds[id_] in kinds and (op in wanted or written == "if")
        ]
        if found or self.optional:
            return self.values(found)
        close = nearest_ops(written, present)
        unknown = not glob and written != "if" and not wanted & KNOWN_OPS
        listed = close or sorted(present, key=lambda o: (o.startswith("@"), o))[:8]
        raise error(
            "S206" if unknown else "S207",
            f"there is no op `{written}`" if unknown
            else f"the model has no `{written if glob else min(wanted)}`",
            selector.span,
            reason="" if unknown or glob or written in wanted else f"`{written}` means "
            f"{min(wanted)}.",
            remedy=("the nearest the model has: " if close else "the model has: ")
            + ", ".join(listed),
        )  # fmt: skip

    def parameters(self, selector: ast.InputSel | ast.ParamSel, kind: Kind) -> list[Key]:
        wanted = selector.name.removeprefix("%")
        found: list[Key] = []
        other: list[str] = []
        known: list[str] = []
        for place in self.places:
            graph = self.graph(place)
            named = list(graph.params)
            if kind == "param":
                # Weights that were bound are constants; those that kept a name still answer.
                named += [
                    i for i, k in enumerate(graph.kinds) if k == "constant" and graph.names[i]
                ]
            for id_ in named:
                name = graph.names[id_] or ""
                is_kind = graph.kinds[id_] == kind or (
                    kind == "param" and graph.kinds[id_] == "constant"
                )
                if is_kind:
                    known.append(name)
                if name == wanted or fnmatchcase(name, wanted):
                    if is_kind:
                        found.append((place, id_, ()))
                    else:
                        other.append(name)
        if found or self.optional:
            return sorted(found)
        what = "input" if kind == "input" else "weight"
        if other:
            return self._wrong_parameter(selector, kind, other)
        guesses = nearest(wanted, known) or known[:8]
        raise error(
            "S208",
            f"no {what} is named `{wanted}`",
            selector.span,
            reason="" if known else f"The model has no {what}s.",
            remedy="the nearest: " + ", ".join(f"`{g}`" for g in guesses) if guesses else "",
        )

    def _wrong_parameter(
        self, selector: ast.InputSel | ast.ParamSel, kind: Kind, names: Sequence[str]
    ) -> list[Key]:
        if kind == "param":
            raise error(
                "S208",
                f"`{names[0]}` is an input, not a weight",
                selector.span,
                reason="No value is known for it.",
                remedy=f"write `input {names[0]}`, or give the file with the model's params",
            )
        raise error(
            "S208",
            f"`{names[0]}` is a weight, not an input",
            selector.span,
            remedy=f"write `param {names[0]}`",
        )


def compile_regex(selector: ast.NameRegex) -> re.Pattern[str]:
    try:
        return re.compile(selector.regex)
    except (re.error, RecursionError, OverflowError) as fault:
        raise error(
            "S205",
            f"`{selector.regex}` is not a regular expression",
            selector.span,
            reason=f"{fault}.",
            remedy="escape characters that are meant literally, e.g. `\\(`",
        ) from None


def _a(kind: str) -> str:
    return "an input" if kind == "input" else "a weight"
