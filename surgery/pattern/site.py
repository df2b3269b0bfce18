"""From a derivation to a match: its nodes, its leaves in kernel order, its captures and notes."""

from __future__ import annotations

from dataclasses import dataclass

from surgery.graph import Ref
from surgery.graph.ops import COMMUTATIVE_OPS, FIELD0_OPS
from surgery.graph.values import shown
from surgery.pattern.legality import result_ref, violations
from surgery.pattern.model import Match, Slot
from surgery.pattern.program import ANY_LEAF, LeafKind, Program, Rule
from surgery.pattern.search import Derivation
from surgery.pattern.view import Operand, View


@dataclass(frozen=True, slots=True)
class Leaf:
    """An operand that comes from outside: the call that takes it, where, and what it must be."""

    call: int
    operand: Operand
    rule: Rule


@dataclass(frozen=True, slots=True)
class Layout:
    """A derivation laid out in the pattern's order."""

    steps: tuple[Derivation, ...]
    leaves: tuple[Leaf, ...]


def lay_out(view: View, root: Derivation) -> Layout:
    """Return a derivation's calls and leaves in the pattern's order.

    Results that an op takes come before its own leaves; in a call, operands come as written.
    """
    steps: list[Derivation] = []
    leaves: list[Leaf] = []
    stack: list[Derivation | Leaf | tuple[Derivation]] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, Leaf):
            leaves.append(item)
        elif isinstance(item, tuple):
            steps.append(item[0])
        else:
            stack.append((item,))
            stack.extend(reversed(_parts(view, item)))
    return Layout(tuple(steps), tuple(leaves))


def _parts(view: View, at: Derivation) -> list[Derivation | Leaf]:
    operands = view.operands(at.node)
    rules = at.rules or (ANY_LEAF,) * len(operands)
    slots = list(range(len(operands)))
    if at.swapped:
        slots.reverse()
    written: list[Derivation | Leaf] = []
    pending: list[Derivation] = []
    for slot in slots:
        inner = at.taken.get(slot)
        if inner is None:
            written.append(Leaf(at.node, operands[slot], rules[slot]))
        elif at.rules is not None and rules[slot].kind == "child":
            written.append(inner)
        else:
            pending.append(inner)
    pending.sort(key=lambda d: d.element)
    return [*pending, *written]


def members(view: View, layout: Layout, root: int, field: int | None) -> tuple[int, ...]:
    """Return everything inside a site, in the graph's post-order.

    The tuple literals that its calls take belong to it, as a kernel takes tensors; so do the
    nodes that take the result's field.
    """
    graph = view.graph
    calls = {step.node for step in layout.steps}
    inside = set(calls)
    for step in layout.steps:
        for slot, operand in enumerate(view.operands(step.node)):
            inside.update(operand.holders)
            again = step.rules is not None and step.rules[slot].kind == "ref"
            if slot in step.taken or (again and operand.producer in calls):
                inside.update(operand.via)
    wanted = 0 if field is None and graph.ops[root] in FIELD0_OPS else field
    ends = [
        user
        for user in dict.fromkeys(graph.users[root])
        if wanted is not None
        and graph.fields.get(user) == wanted
        and graph.scopes[user] == graph.scopes[root]
    ]
    order: list[int] = []
    seen: set[int] = set()
    stack: list[tuple[int, bool]] = [(root, False)]
    while stack:
        at, done = stack.pop()
        if done:
            order.append(at)
            continue
        if at in seen:
            continue
        seen.add(at)
        stack.append((at, True))
        below = [o if o in inside else graph.resolve(o).node for o in graph.operands[at]]
        stack.extend((o, False) for o in reversed(below) if o in inside)
    return (*order, *ends)


def build_match(program: Program, view: View, root: Derivation) -> Match | None:
    """Return the match that a derivation is, or ``None`` when it can't be taken out."""
    layout = lay_out(view, root)
    choice = program.elements[root.element].choices[root.choice]
    captures = _captures(program, view, layout)
    if captures is None:
        return None
    calls = tuple(step.node for step in layout.steps)
    if len(set(calls)) != len(calls):
        return None
    nodes = members(view, layout, root.node, choice.field)
    graph = view.graph
    inside = frozenset(calls)
    outside = [leaf for leaf in layout.leaves if leaf.rule.kind != "ref"]
    if violations(
        view,
        root=root.node,
        field=choice.field,
        calls=calls,
        nodes=nodes,
        leaves=[(leaf.call, leaf.operand) for leaf in outside],
    ):
        return None
    slots = tuple(
        Slot(
            node=leaf.operand.node,
            operand_index=leaf.operand.index,
            value=graph.resolve(leaf.operand.operand),
            kind=_leaf_kind(leaf.rule),
            name=leaf.rule.name,
        )
        for leaf in layout.leaves
        if leaf.rule.kind != "ref" or _seen_through(view, leaf.operand).node not in inside
    )
    return Match(
        root=result_ref(view, root.node, choice.field),
        nodes=nodes,
        ops=calls,
        slots=slots,
        captures=captures,
        notes=tuple(_notes(program, view, layout)),
    )


def _leaf_kind(rule: Rule) -> LeafKind:
    match rule.kind:
        case "const" | "input":
            return rule.kind
        case _:
            return "any"


def _captures(program: Program, view: View, layout: Layout) -> dict[str, tuple[int, ...]] | None:
    """Return what each name stands for, or ``None`` when a back-reference means another value."""
    graph = view.graph
    ids: dict[str, list[int]] = {}
    values: dict[str, Ref] = {}
    for step in layout.steps:
        element = program.elements[step.element]
        for name in element.names:
            ids.setdefault(name, []).append(step.node)
            values[name] = result_ref(view, step.node, element.choices[step.choice].field)
    for leaf in layout.leaves:
        if leaf.rule.name is not None and leaf.rule.kind != "ref":
            value = graph.resolve(leaf.operand.operand)
            ids.setdefault(leaf.rule.name, []).append(value.node)
            values[leaf.rule.name] = value
    for leaf in layout.leaves:
        if leaf.rule.kind == "ref" and leaf.rule.name is not None:
            value = _seen_through(view, leaf.operand)
            if values.get(leaf.rule.name) != value:
                return None
    return {name: tuple(found) for name, found in ids.items()}


def _seen_through(view: View, operand: Operand) -> Ref:
    if operand.producer >= 0 and operand.blocker < 0:
        return Ref(operand.producer, operand.path)
    return view.graph.resolve(operand.operand)


def _notes(program: Program, view: View, layout: Layout) -> list[str]:
    """Return what a reader of the plan can't see from the pattern alone."""
    graph = view.graph
    notes: list[str] = []
    runs: dict[int, list[int]] = {}
    for step in layout.steps:
        element = program.elements[step.element]
        choice = element.choices[step.choice]
        op = graph.ops[step.node]
        if element.repeat:
            runs.setdefault(step.element, []).append(step.node)
        elif len(element.choices) > 1 or choice.is_class:
            attrs = graph.attrs[step.node]
            flags = [f"{k}={shown(attrs[k])}" for k in attrs if k.startswith("transpose_")]
            if op == "nn.dense":
                # It has no such attributes: its weight is always (units, inputs).
                flags = ["transpose_a=false", "transpose_b=true"]
            extra = f", {', '.join(flags)}" if flags else ""
            notes.append(f"{element.written}: {view.op_label(step.node)}{extra}")
        order = [step.taken[slot].element for slot in sorted(step.taken)]
        if step.swapped or order != sorted(order):
            operands = view.operands(step.node)
            listed = ", ".join(
                f"operand {slot} is {view.op_label(operands[slot].producer)}"
                for slot in sorted(step.taken)
            )
            notes.append(f"{op} ({graph.label(step.node)}) takes them the other way round"
                         + (f": {listed}" if listed else ""))  # fmt: skip
        if op in COMMUTATIVE_OPS and step.rules is None and len(step.taken) == 1:
            (taken,) = step.taken
            operands = view.operands(step.node)
            other = next((s for s in range(len(operands)) if s != taken), None)
            if other is not None:
                leaf = graph.resolve(operands[other].operand)
                if graph.kinds[leaf.node] not in ("constant", "param"):
                    notes.append(
                        f"operand {other} of {op} ({graph.label(step.node)}) is "
                        f"{graph.label(leaf)}, from outside"
                    )
        annotations = sorted(
            {
                n
                for slot in step.taken
                for n in view.operands(step.node)[slot].via
                if graph.kinds[n] == "call"
            }
        )
        notes += [f"{view.op_label(n)} is inside, seen through" for n in annotations]
    for index, nodes in runs.items():
        labels = ", ".join(view.op_label(n) for n in nodes)
        notes.append(f"{program.elements[index].written}*: {labels}")
    return notes


def repeated(program: Program, view: View, root: Derivation) -> list[int]:
    """Return the calls below a site's last that a repeated element took."""
    if not any(e.repeat for e in program.elements):
        return []
    return [
        step.node
        for step in lay_out(view, root).steps
        if program.elements[step.element].repeat and step.node != root.node
    ]
