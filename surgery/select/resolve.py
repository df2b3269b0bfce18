"""What a selector picks in a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import assert_never

from surgery.diagnostics import error
from surgery.graph import Module, Ref, Resolved, ancestors, descendants
from surgery.graph.values import shown
from surgery.select.context import Key, text_of
from surgery.select.named import ByName, compile_regex
from surgery.select.numbers import ByNumber
from surgery.select.predicates import keep, using_ops
from surgery.syntax import ast


def select(
    selector: ast.Selector,
    module: Module,
    *,
    lets: Mapping[str, ast.Selector] | None = None,
    functions: Sequence[str] = ("main",),
    optional: bool = False,
) -> tuple[Resolved, ...]:
    """Resolve a selector.

    Args:
        selector: What was written.
        module: The model.
        lets: Selectors that bare words stand for.
        functions: Where to look for names, ops and variables. ``@f:%N`` looks in ``f`` anyway.
        optional: Nothing found is a result, not an error.

    Returns:
        The values, by function (in the module's order), id and path; each once.

    Raises:
        SurgeryError: A part of the selector finds nothing, or can't be understood.
    """
    work = _Resolver(module, lets or {}, functions, optional)
    keys = work.evaluate(selector)
    if not keys and not optional:
        raise error(
            "S211",
            f"`{text_of(selector)}` picks nothing",
            selector.span,
            reason="Each part finds something, but nothing is left when they are combined.",
            remedy="loosen a predicate or a part, or write `optional` at the statement's end",
            notes=work.trace,
        )
    return tuple(Resolved(function=work.names[f], ref=Ref(n, p)) for f, n, p in keys)


class _Resolver(ByNumber, ByName):
    """One evaluation."""

    def __init__(
        self,
        module: Module,
        lets: Mapping[str, ast.Selector],
        functions: Sequence[str],
        optional: bool,
    ) -> None:
        super().__init__(module, functions, optional)
        self.lets = lets
        self.open_lets: list[str] = []
        self.trace: list[str] = []

    def evaluate(self, selector: ast.Selector) -> list[Key]:
        """Return what a selector picks, sorted."""
        match selector:
            case ast.SetOp():
                return self._set(selector)
            case ast.Numbered():
                return self.numbered(selector)
            case ast.Result():
                return self.result(selector)
            case ast.Variable():
                return self.variable(selector)
            case ast.NameRun():
                if selector.text in self.lets:
                    return self._let(selector)
                return self.run(selector)
            case ast.NameGlob(glob=glob):
                return self.matching(selector, lambda name: fnmatchcase(name, glob))
            case ast.NameRegex():
                return self.matching(selector, compile_regex(selector).search)
            case ast.OpKind():
                return self.ops(selector)
            case ast.InputSel():
                return self.parameters(selector, "input")
            case ast.ParamSel():
                return self.parameters(selector, "param")
            case ast.Where():
                return self._where(selector)
            case ast.Relation():
                return self._relation(selector)
            case _:
                assert_never(selector)

    def _let(self, selector: ast.NameRun) -> list[Key]:
        name = selector.text
        if name in self.open_lets:
            chain = " -> ".join([*self.open_lets[self.open_lets.index(name) :], name])
            raise error(
                "S215",
                f"`let {name}` is defined by itself",
                selector.span,
                reason=f"The chain is {chain}.",
                remedy="a `let` may only use what doesn't use it",
            )
        self.open_lets.append(name)
        try:
            return self.evaluate(self.lets[name])
        finally:
            self.open_lets.pop()

    def _where(self, selector: ast.Where) -> list[Key]:
        keys = self.evaluate(selector.selector)
        for predicate in selector.predicates:
            verdicts = keep([(self.graph(f), Ref(n, p)) for f, n, p in keys], predicate)
            left = [k for k, v in zip(keys, verdicts, strict=True) if v]
            self.trace.append(f"`{_predicate(predicate)}` leaves {len(left)} of {len(keys)}")
            keys = left
        return keys

    def _relation(self, selector: ast.Relation) -> list[Key]:
        first = self.evaluate(selector.arguments[0])
        match selector.kind:
            case "first":
                return first[:1]
            case "last":
                return first[-1:]
            case "nth":
                index = selector.index or 0
                if -len(first) <= index < len(first):
                    return [first[index]]
                if self.optional:
                    return []
                raise error(
                    "S213",
                    f"there is no number {index} among {len(first)} values",
                    selector.span,
                    reason="`nth` counts from 0 in the order of `surgery show`.",
                    remedy=f"write a number from 0 to {len(first) - 1}" if first else "",
                )
            case "inputs":
                return sorted({k for key in first for k in self._inputs(key)})
            case "users":
                return sorted(
                    {
                        (f, user, ())
                        for f, n, p in first
                        for user in using_ops(self.graph(f), Ref(n, p))
                    }
                )
            case "between":
                return self._between(first, self.evaluate(selector.arguments[1]), selector)
            case _:
                assert_never(selector.kind)

    def _inputs(self, key: Key) -> list[Key]:
        """Return the values an op uses; a tuple literal counts as its elements."""
        place, id_, _ = key
        graph = self.graph(place)
        found: list[Key] = []
        stack = list(reversed(graph.operands[id_]))
        while stack:
            operand = stack.pop()
            if graph.kinds[operand] == "tuple":
                stack.extend(reversed(graph.operands[operand]))
            else:
                found.append((place, operand, ()))
        return found

    def _between(self, start: list[Key], end: list[Key], selector: ast.Relation) -> list[Key]:
        found: list[Key] = []
        for place in sorted({k[0] for k in start} & {k[0] for k in end}):
            graph = self.graph(place)
            heads = [n for f, n, _ in start if f == place]
            tails = [n for f, n, _ in end if f == place]
            after, before = descendants(graph, heads), ancestors(graph, tails)
            found += [(place, i, ()) for i in range(len(graph)) if after[i] and before[i]]
        if found or self.optional or not start or not end:
            return found
        s, t = (self.label(keys[0]) for keys in (start, end))
        first = start[0]
        before = ancestors(self.graph(first[0]), [first[1]])
        backwards = first[0] == end[0][0] and before[end[0][1]]
        raise error(
            "S214",
            f"nothing lies between {s} and {t}",
            selector.span,
            reason=f"{t} does not depend on {s}"
            + (f", but {s} depends on {t}." if backwards else "."),
            remedy="change the two round" if backwards else "name a value that the end depends on",
        )

    def _set(self, selector: ast.SetOp) -> list[Key]:
        # `a or b or c ...` leans left: walk its spine instead of going deep.
        spine: list[ast.SetOp] = []
        at: ast.Selector = selector
        while isinstance(at, ast.SetOp):
            spine.append(at)
            at = at.left
        keys = self.evaluate(at)
        for node in reversed(spine):
            right = self.evaluate(node.right)
            if node.kind == "or":
                keys = sorted({*keys, *right})
                continue
            # A field node and the path to the field are one value.
            same = {self._value(k) for k in right}
            keys = [k for k in keys if (self._value(k) in same) == (node.kind == "and")]
            self.trace.append(f"`{node.kind} {text_of(node.right)}` leaves {len(keys)}")
        return keys

    def _value(self, key: Key) -> Key:
        place, id_, path = key
        base = self.graph(place).resolve(id_)
        return place, base.node, base.path + path


def _predicate(predicate: ast.Predicate) -> str:
    if predicate.span is not None:
        return " ".join(predicate.span.text.split())
    return f"{predicate.key}{predicate.comparison}{shown(predicate.value)}"
