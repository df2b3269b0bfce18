"""Whether a site whose ops all fit may be taken out, and if not, why not.

Taking a site out makes one function of it: what it reads from outside becomes a parameter, and
only its result is there afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from surgery.graph import Ref
from surgery.graph.ops import FIELD0_OPS
from surgery.pattern.view import Operand, View


def violations(
    view: View,
    *,
    root: int,
    field: int | None,
    calls: Sequence[int],
    nodes: Collection[int],
    leaves: Sequence[tuple[int, Operand]],
) -> list[str]:
    """Return why a site can't be taken out, most telling first; empty when it can.

    Args:
        root: The call whose result is the site's.
        field: The field of it that the pattern writes.
        calls: The calls inside.
        nodes: Everything inside.
        leaves: The operands that come from outside, each with the call that takes it;
            back-references left out.
    """
    inside = frozenset(calls)
    members = frozenset(nodes)
    return [
        *_interior_leaves(view, inside, leaves),
        *_scopes(view, root, members),
        *_escapes(view, root, field, calls, members),
    ]


def _interior_leaves(
    view: View, inside: frozenset[int], leaves: Sequence[tuple[int, Operand]]
) -> list[str]:
    found: list[str] = []
    graph = view.graph
    for call, operand in leaves:
        value = graph.resolve(operand.operand)
        if value.node in inside or operand.producer in inside:
            where = f"operand {operand.index} of {graph.ops[call]} ({graph.label(call)})"
            label = graph.label(value)
            found.append(f"{where} is {label}, an op inside the match{_again(view, value)}")
    return found


def _again(view: View, value: Ref) -> str:
    """Return how a pattern says that an op of it is read twice, or ``''`` for what it can't say."""
    op = view.graph.ops[value.node]
    if not op or value.path != ((0,) if op in FIELD0_OPS else ()):
        return ""
    return f": written `v:{op}(...)` in one place and `v` in the other, it is read twice"


def _scopes(view: View, root: int, members: frozenset[int]) -> list[str]:
    graph = view.graph
    scope = graph.scopes[root]
    apart = [
        view.op_label(id_)
        for id_ in sorted(members)
        if graph.scopes[id_] != scope and graph.kinds[id_] == "call"
    ]
    if not apart:
        return []
    are = "is" if len(apart) == 1 else "are"
    return [f"{', '.join(apart)} {are} in another branch or function than {view.op_label(root)}"]


def _escapes(
    view: View, root: int, field: int | None, calls: Sequence[int], members: frozenset[int]
) -> list[str]:
    found: list[str] = []
    graph = view.graph
    for call in sorted(calls):
        if call == root:
            wanted = 0 if field is None and graph.ops[root] in FIELD0_OPS else field
            if wanted is None:
                continue
            others = _uses(view, call, members, beside=wanted)
            if others:
                implied = "implied " if field is None else ""
                found.append(
                    f"only field {wanted} of {view.op_label(call)} goes on ({implied}"
                    f".{wanted}), but another is used by: {', '.join(others)}"
                )
            continue
        others = _uses(view, call, members)
        if others:
            found.append(f"{view.op_label(call)} is used outside the match by: {', '.join(others)}")
    return found


def _uses(view: View, call: int, members: frozenset[int], beside: int | None = None) -> list[str]:
    """Return who uses a call's result outside, as labels.

    Args:
        beside: The field whose uses don't count.
    """
    graph = view.graph
    shown = [
        text + (f" ({graph.label(ref)})" if ref.path else "")
        for ref, text in view.results.get(call, ())
        if beside is None or ref.path[:1] != (beside,)
    ]
    seen = {call}
    users: list[int] = []
    stack = [call]
    while stack:
        at = stack.pop()
        for user in view.takers(at):
            if not view.live[user] or user in seen:
                continue
            if at == call and beside is not None and graph.fields.get(user) == beside:
                continue
            seen.add(user)
            if graph.kinds[user] in ("field", "let", "tuple") or (
                user in members and view.sees_through(user)
            ):
                stack.append(user)
            elif user not in members:
                users.append(user)
    users.sort()
    shown += [view.op_label(u) for u in users[:5]]
    if len(users) > 5:
        shown.append(f"{len(users) - 5} more")
    return shown


def result_ref(view: View, root: int, field: int | None) -> Ref:
    """Return the value a site gives."""
    if field is not None:
        return Ref(root, (field,))
    return Ref(root, (0,)) if view.graph.ops[root] in FIELD0_OPS else Ref(root)
