"""Outputs: what the operated model returns, in which order and under which names."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from surgery.diagnostics import Collector, Diagnostic, Severity, SurgeryError, nearest
from surgery.graph import Graph, Ref, Resolved, TupleType, UnknownType
from surgery.planning.crossing import check_tensor, tensor_type, unique_name
from surgery.planning.cuts import conditional
from surgery.planning.model import Output
from surgery.source import Span
from surgery.syntax import ast


@dataclass(slots=True, kw_only=True, eq=False)
class _Entry:
    """One public output while the statements are applied."""

    name: str
    ref: Ref
    added: bool
    explicit: bool
    span: Span | None = None
    alias_of: _Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRequest:
    """One item of an ``output`` statement with what its selector picked."""

    item: ast.OutputItem
    resolved: tuple[Resolved, ...]


class OutputPlanner:
    """Applies a spec's output statements to a function's results.

    The order of the statements does not matter: ``only``, ``drop`` and ``rename`` speak of the
    outputs the model came with; what ``output S as NAME`` asks for is appended in file order.
    """

    def __init__(self, graph: Graph, found: Collector, own: Sequence[str] = ()) -> None:
        self.graph = graph
        self.found = found
        self.inputs = {graph.names[p] or "": p for p in graph.params}
        names: set[str] = set(self.inputs)
        self.entries: list[_Entry] = []
        for index, ref in enumerate(graph.outputs):
            called = own[index] if len(own) == len(graph.outputs) else ""
            name = unique_name(called or f"out{index}", names)
            names.add(name)
            self.entries.append(_Entry(name=name, ref=ref, added=False, explicit=False))
        self._original = list(self.entries)
        self._by_ref: dict[Ref, list[tuple[int, _Entry]]] | None = None

    # -- statements on existing outputs

    def keep_only(self) -> None:
        self.entries = []

    def drop(self, statement: ast.OutputDrop) -> None:
        entry = self._existing(statement.output, statement.span)
        if entry is not None and entry in self.entries:
            self.entries.remove(entry)

    def rename(self, statement: ast.OutputRename) -> None:
        entry = self._existing(statement.output, statement.span)
        if entry is not None:
            entry.name, entry.explicit, entry.span = statement.name, True, statement.span

    def _existing(self, which: str | int, span: Span | None) -> _Entry | None:
        if isinstance(which, int):
            if 0 <= which < len(self._original):
                return self._original[which]
            self.found.add(
                Diagnostic(
                    code="S260",
                    message=f"there is no output {which}",
                    span=span,
                    reason=f"The model has {len(self._original)} outputs, numbered from 0.",
                    remedy="`surgery show` lists them",
                )
            )
            return None
        for entry in self._original:
            if entry.name == which:
                return entry
        known = [e.name for e in self._original]
        close = nearest(which, known)
        self.found.add(
            Diagnostic(
                code="S260",
                message=f"there is no output named {which}",
                span=span,
                reason=f"The model's outputs are {', '.join(known)}.",
                remedy=f"did you mean {' or '.join(close)}?" if close else "use an index",
            )
        )
        return None

    # -- added outputs

    def add(self, request: OutputRequest) -> None:
        """Append what one item asks for; record faults instead of raising."""
        item = request.item
        refs: list[Ref] = []
        for value in request.resolved:
            ref = self._tensor(value, item)
            if ref is not None:
                refs.append(ref)
        refs = list(dict.fromkeys(refs))
        spread = item.each or (isinstance(item.selector, ast.Numbered | ast.Result)
                               and item.selector.all_fields)  # fmt: skip
        for position, ref in enumerate(refs):
            name = self._name(item, ref, position, spread)
            self._append(name, ref, item)

    def _tensor(self, value: Resolved, item: ast.OutputItem) -> Ref | None:
        """Return the one tensor a selected value stands for; report why it can't be an output."""
        graph, span = self.graph, item.selector.span
        if value.function != graph.function:
            self.found.add(
                Diagnostic(
                    code="S261",
                    message=f"the value is inside @{value.function}",
                    span=span,
                    reason="Outputs are values of @main; a function's inside exists once a call.",
                    remedy=f"output a call of @{value.function} in @main, or "
                    "`prepare Inline` first",
                )
            )
            return None
        node = value.ref.node
        if graph.scopes[node]:
            self.found.take(conditional(graph, node, span, "an output"))
            return None
        type_ = graph.type_of(value.ref)
        leaves = graph.leaves(value.ref)
        if isinstance(type_, TupleType) or (
            graph.kinds[node] == "tuple" and not value.ref.path and isinstance(type_, UnknownType)
        ):
            labels = [self._shown(leaf) for leaf in leaves]
            self.found.add(
                Diagnostic(
                    code="S262",
                    message=f"{graph.label(value.ref)} is a tuple of {len(leaves)} values",
                    span=span,
                    reason="An output is one tensor.",
                    remedy=f"use {' or '.join(labels[:6])}; "
                    f"`{graph.label(value.ref)}.*` takes all of them",
                )
            )
            return None
        (leaf,) = leaves or (value.ref,)
        failures = len(self.found.found)
        try:
            check_tensor(graph, leaf)
        except SurgeryError as failure:
            diagnostic = failure.diagnostics[0]
            self.found.add(
                Diagnostic(code=diagnostic.code, message=diagnostic.message, span=span,
                           reason=diagnostic.reason, remedy=diagnostic.remedy)
            )  # fmt: skip
        return leaf if len(self.found.found) == failures else None

    def _shown(self, ref: Ref) -> str:
        """Prefer the label of a printed ``%N = %M.i`` over ``%M.i``."""
        if ref.path:
            for user in self.graph.users[ref.node]:
                if self.graph.kinds[user] == "field" and self.graph.resolve(user) == ref:
                    return self.graph.label(user)
        return self.graph.label(ref)

    def _name(self, item: ast.OutputItem, ref: Ref, position: int, spread: bool) -> str | None:
        if item.name is None:
            return None
        if item.each:
            graph = self.graph
            number = graph.numbers[ref.node]
            values = {
                "name": graph.names[ref.node] or graph.label(ref).lstrip("%"),
                "number": "" if number is None else str(number),
                "op": graph.ops[ref.node] or graph.kinds[ref.node],
                "index": str(position),
            }
            template = string.Formatter()
            try:
                # `{name.upper}` would look inside the text.
                if all(f is None or f in values for _, f, _, _ in template.parse(item.name)):
                    return template.vformat(item.name, (), values)
                raise KeyError(item.name)
            except (LookupError, ValueError):
                self.found.add(
                    Diagnostic(
                        code="S263",
                        message=f'the name template "{item.name}" can\'t be filled in',
                        span=item.span,
                        reason="A template may use {name}, {number}, {op} and {index}.",
                        remedy='write for example `output each S as "{name}"`',
                    )
                )
                return None
        return f"{item.name}_{position}" if spread else item.name

    def _append(self, name: str | None, ref: Ref, item: ast.OutputItem) -> None:
        same = self._returned.get(ref)
        if same:
            first = same[0][1]
            at = " and ".join(str(place) for place, _ in same)
            if name is None or name in {e.name for _, e in same}:
                note = "no output is added"
            elif not first.explicit:
                first.name, first.explicit, first.span = name, True, item.span
                note = f"it is now called {name}"
            else:
                origin = first.alias_of or first
                self._enter(
                    _Entry(name=name, ref=ref, added=False, explicit=True, span=item.span,
                           alias_of=origin)
                )  # fmt: skip
                note = f"{name} is another name of it"
            self._note("S264", f"{self.graph.label(ref)} is already output {at}: {note}", item)
            return
        kind = self.graph.kinds[ref.node]
        if kind in ("input", "param", "constant"):
            what = {"input": "an input", "param": "a weight", "constant": "a constant"}[kind]
            self._note(
                "S265",
                f"{self.graph.label(ref)} is {what}: the output passes it through unchanged",
                item,
                "warning",
            )
        self._enter(
            _Entry(name=name or "", ref=ref, added=True, explicit=name is not None, span=item.span)
        )

    @property
    def _returned(self) -> dict[Ref, list[tuple[int, _Entry]]]:
        """What is an output already, with its places (after ``only`` and ``drop``)."""
        if self._by_ref is None:
            self._by_ref = {}
            for place, entry in enumerate(self.entries):
                self._by_ref.setdefault(entry.ref, []).append((place, entry))
        return self._by_ref

    def _enter(self, entry: _Entry) -> None:
        self._returned.setdefault(entry.ref, []).append((len(self.entries), entry))
        self.entries.append(entry)

    def _note(
        self, code: str, message: str, item: ast.OutputItem, severity: Severity = "note"
    ) -> None:
        self.found.add(
            Diagnostic(code=code, message=message, span=item.selector.span, severity=severity)
        )

    # -- the result

    def finish(self) -> tuple[Output, ...]:
        """Check names and number the outputs; faults go to the collector."""
        if not self.entries and not self.found.has_errors:
            self.found.add(
                Diagnostic(
                    code="S266",
                    message="no output is left",
                    reason="A model without outputs computes nothing.",
                    remedy="keep or add at least one output",
                )
            )
        by_name: dict[str, _Entry] = {}
        taken = {e.name for e in self.entries if e.name} | set(self.inputs)
        result: list[Output] = []
        index_of: dict[int, int] = {}
        places = 0
        for position, entry in enumerate(self.entries):
            if not entry.name:
                entry.name = unique_name(f"out{position}", taken)
                taken.add(entry.name)
            self._check_name(entry, by_name)
            by_name.setdefault(entry.name, entry)
            if entry.alias_of is not None and id(entry.alias_of) in index_of:
                index = index_of[id(entry.alias_of)]
            else:
                index = places
                places += 1
            index_of[id(entry)] = index
            result.append(
                Output(
                    name=entry.name,
                    ref=entry.ref,
                    index=index,
                    added=entry.added,
                    type=tensor_type(self.graph, entry.ref),
                )
            )
        return tuple(result)

    def _check_name(self, entry: _Entry, by_name: dict[str, _Entry]) -> None:
        graph = self.graph
        if entry.name in by_name:
            other = by_name[entry.name]
            self.found.add(
                Diagnostic(
                    code="S267",
                    message=f"two outputs are named {entry.name}",
                    span=entry.span or other.span,
                    reason=f"{graph.label(other.ref)} and {graph.label(entry.ref)} would both be "
                    f"output {entry.name}.",
                    remedy="give each output a name of its own",
                )
            )
        elif entry.name in self.inputs:
            self.found.add(
                Diagnostic(
                    code="S268",
                    message=f"output {entry.name} has the name of an input",
                    span=entry.span,
                    reason=f"{graph.label(entry.ref)} as {entry.name} and the input "
                    f"{graph.label(self.inputs[entry.name])} could not be told apart in the "
                    "recipe.",
                    remedy="choose another name",
                )
            )


def output_refs(outputs: Iterable[Output] | Sequence[Output]) -> frozenset[Ref]:
    """Return the tensors that are outputs."""
    return frozenset(o.ref for o in outputs)
