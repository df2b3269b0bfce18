"""What the passes of one plan hand on to each other: which expression stands for which id.

A plan names values by the ids they have at import; every pass changes the module. Between passes
that run one right after the other the tables stay in memory. When anything else may run in
between (``InferType`` makes new objects of everything), they travel in the module's attribute
``surgery.ids``: for each changed function what each value of its traversal was at import.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.traversal import traverse
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.engines.relay.view import enumerate_exprs
from surgery.graph import Graph, TensorType
from surgery.planning.model import Plan, Region

Expr = Any
IRModule = Any

tvm = load_tvm()
relay = tvm.relay

#: Module attribute that carries the tables from pass to pass.
ATTRIBUTE = "surgery.ids"


@dataclass(slots=True, kw_only=True)
class Standing:
    """One function as it stands in the module between two passes.

    Attributes:
        function: The function object the expressions belong to.
        exprs: The expression of each import id; ``None`` for what no longer stands in it.
        calls: By symbol, the call of each outlined region and the tensors it returns.
    """

    function: Expr
    exprs: list[Expr | None]
    calls: dict[str, tuple[Expr, tuple[Expr, ...]]] = field(default_factory=dict)


@dataclass(kw_only=True)
class Carrier:
    """Shared by the passes of one plan.

    Attributes:
        plan: The plan.
        params: Values of the weights, by name.
        portable: Whether to write :data:`ATTRIBUTE`, so that other passes may run in between.
    """

    plan: Plan
    params: Mapping[str, Any]
    portable: bool
    _known: dict[str, list[Standing]] = field(default_factory=dict)

    @classmethod
    def of(cls, model: RelayModel, plan: Plan, *, portable: bool) -> Carrier:
        """Start from a loaded model, whose tables are at hand."""
        carrier = cls(plan=plan, params=model.params, portable=portable)
        for name, exprs in model.exprs.items():
            standing = Standing(function=model.ir[name], exprs=list(exprs))
            carrier._known[name] = [standing]
        return carrier

    @cached_property
    def _recursive(self) -> bool:
        """Whether any function calls or names ``@main``."""
        return any("@main" in set(g.ops) for g in self.plan.module.functions.values())

    def graph(self, name: str) -> Graph:
        """Return a function's picture at import."""
        return self.plan.module.functions[name]

    def read(self, module: IRModule, name: str) -> Standing:
        """Return how a function stands.

        Raises:
            SurgeryError: The module isn't the one the plan was made for, or something else than
                typing changed it between surgery's passes (``S302``).
        """
        try:
            function = module[name]
        except (ValueError, tvm.TVMError) as failure:
            raise _changed(name, "the module has no such function") from failure
        for known in self._known.get(name, ()):
            if known.function.same_as(function):
                return known
        carried = _attribute(module)
        walked = traverse(function)
        graph = self.graph(name)
        if name not in carried:
            ours, theirs = _shape(graph), _shape(walked)
            if ours != theirs:
                raise _changed(name, _first_difference(ours, theirs))
            return Standing(function=function, exprs=list(enumerate_exprs(function)))
        tokens = _decode(carried[name])
        if len(tokens) != len(walked.kinds):
            reason = f"it has {len(walked.kinds)} values, surgery left {len(tokens)}"
            raise _changed(name, reason)
        standing = Standing(function=function, exprs=[None] * len(graph))
        found: dict[tuple[int, int], Expr] = {}
        for at, (token, expr) in enumerate(zip(tokens, enumerate_exprs(function), strict=True)):
            if isinstance(token, int):
                if token >= 0:
                    if graph.ops[token] != walked.ops[at]:
                        what = f"`{walked.ops[at]}` stands where surgery left `{graph.ops[token]}`"
                        raise _changed(name, what)
                    standing.exprs[token] = expr
            else:
                for part in token:
                    found[part] = expr
        for index, region in enumerate(self.plan.regions):
            if (index, -1) in found:
                results = tuple(found[index, p] for p in range(len(region.outputs)))
                standing.calls[region.symbol] = (found[index, -1], results)
        return standing

    def write(
        self,
        module: IRModule,
        changed: Mapping[str, Standing],
        added: Iterable[tuple[str | Expr, Expr]] = (),
    ) -> IRModule:
        """Return a new module with changed and added functions; the old one stays as it is."""
        functions = dict(module.functions.items())
        for name, standing in changed.items():
            variable = module.get_global_var(name)
            del functions[variable]
            if name == "main" and not self._recursive:
                # Typing writes a function's new type into its variable, which the caller's
                # module shares.
                variable = relay.GlobalVar("main")
            functions[variable] = standing.function
            self._known[name] = [*self._known.get(name, ())[:1], standing]
        for variable, function in added:
            functions[relay.GlobalVar(variable) if isinstance(variable, str) else variable] = (
                function
            )
        attrs = module.attrs
        new = tvm.IRModule(functions, module.type_definitions, attrs)
        if self.portable and changed:
            table = _attribute(module)
            for name, standing in changed.items():
                table[name] = _encode(self._tokens(standing))
            new = new.with_attr(ATTRIBUTE, json.dumps(table, sort_keys=True))
        return new

    def _tokens(self, standing: Standing) -> list[_Token]:
        walked = traverse(standing.function)
        place = {a: i for i, a in enumerate(walked.addresses)}
        tokens: list[_Token] = [-1] * len(place)
        for id_, expr in enumerate(standing.exprs):
            if expr is not None:
                at = place.get(expr.handle.value)
                if at is not None:
                    tokens[at] = id_
        index = {r.symbol: i for i, r in enumerate(self.plan.regions)}
        marks: dict[int, list[tuple[int, int]]] = {}
        for symbol, (call, results) in standing.calls.items():
            for part, expr in enumerate((call, *results)):
                at = place.get(expr.handle.value)
                if at is not None:
                    marks.setdefault(at, []).append((index[symbol], part - 1))
        for at, parts in marks.items():
            tokens[at] = tuple(parts)
        return tokens


#: What a value is: an import id, -1 for a new value, or parts of regions: ``(region, -1)`` for the
#: call, ``(region, i)`` for the i-th tensor it returns.
_Token = int | tuple[tuple[int, int], ...]


def _encode(tokens: Sequence[_Token]) -> str:
    """Write tokens compactly: ``12+5`` for five ids from 12 on, ``n3`` for three new values."""
    runs: list[tuple[str, int, int]] = []
    words: list[str] = []

    def flush() -> None:
        words.extend(f"n{c}" if k == "n" else f"{s}+{c}" for k, s, c in runs)
        runs.clear()

    for token in tokens:
        if not isinstance(token, int):
            flush()
            words.append("r" + "/".join(f"{r}.{p}" for r, p in token))
            continue
        kind = "n" if token < 0 else "i"
        if runs:
            last, start, count = runs[-1]
            if last == kind and (kind == "n" or start + count == token):
                runs[-1] = (kind, start, count + 1)
                continue
        runs.append((kind, token, 1))
    flush()
    return " ".join(words)


def _decode(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for word in text.split():
        if word[0] == "n":
            tokens.extend([-1] * int(word[1:]))
        elif word[0] == "r":
            parts = (p.rsplit(".", 1) for p in word[1:].split("/"))
            tokens.append(tuple((int(r), int(p)) for r, p in parts))
        else:
            start, count = word.split("+")
            tokens.extend(range(int(start), int(start) + int(count)))
    return tokens


def _attribute(module: IRModule) -> dict[str, str]:
    text = module.get_attr(ATTRIBUTE)
    if text is None:
        return {}
    table: dict[str, str] = json.loads(str(text))
    return table


def _shape(walked: Any) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return kinds, ops and operands; a weight and a runtime input look the same in the IR."""
    kinds = ("input" if k == "param" else k for k in walked.kinds)
    return list(zip(kinds, walked.ops, walked.operands, strict=True))


def _first_difference(
    ours: Sequence[tuple[str, str, tuple[int, ...]]],
    theirs: Sequence[tuple[str, str, tuple[int, ...]]],
) -> str:
    for at, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return f"its value {at} is {other[1] or other[0]}, the plan knows {one[1] or one[0]}"
    return f"it has {len(theirs)} values, the plan knows {len(ours)}"


def _changed(name: str, reason: str) -> SurgeryError:
    return error(
        "S302",
        f"@{name} is not as the plan knows it",
        reason=f"{reason}; the module is another one, or was changed between surgery's passes",
        remedy="run surgery's passes one right after the other on the module the plan was made "
        "for, and name passes that must run before them in a `prepare` statement",
    )


def relay_type(type_: TensorType) -> Any:
    """Return TVM's type of a tensor; a dimension that isn't static becomes ``?``."""
    shape = [d if isinstance(d, int) else relay.Any() for d in type_.shape]
    return relay.TensorType(shape, type_.dtype)


def relay_result_type(types: Sequence[TensorType]) -> Any:
    """Return the type of a function's result: a tensor, or a flat tuple of several."""
    found = [relay_type(t) for t in types]
    return found[0] if len(found) == 1 else relay.TupleType(found)


def regions_by_function(plan: Plan) -> dict[str, list[Region]]:
    """Return the plan's regions by the function they are in, in plan order."""
    found: dict[str, list[Region]] = {}
    for region in plan.regions:
        found.setdefault(region.function, []).append(region)
    return found


def module_pass(name: str, transform: Callable[[IRModule], IRModule]) -> Any:
    """Return a transformation as a real TVM module pass.

    TVM carries a Python exception through its own frames; a :class:`SurgeryError` comes out as
    itself.
    """

    def run(module: IRModule, _context: Any) -> IRModule:
        return transform(module)

    return tvm.transform.module_pass(run, opt_level=0, name=name)
