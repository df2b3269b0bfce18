"""Sites that begin like a pattern and go on differently."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.graph.ops import (
    ANNOTATION_OPS,
    LOOK_ALIKES,
    PARTITION_MARKS,
    canonical_op,
    is_injective,
)
from surgery.pattern.model import MissKind, NearMiss, is_outlined
from surgery.pattern.program import Element
from surgery.pattern.search import Search
from surgery.pattern.site import lay_out
from surgery.pattern.view import View


def short_op(op: str) -> str:
    """Return the shortest name of an op that a pattern understands."""
    short = op.rsplit(".", 1)[-1]
    return short if canonical_op(short) == [op] else op


def meant(element: Element) -> str:
    """Return the ops that an element means, for messages."""
    return "|".join(min(c.ops) if len(c.ops) == 1 else c.written for c in element.choices)


def stands_between(view: View, op: int, before: int, after: int) -> str:
    """Say that an op keeps two others apart; of an annotation also how to see through it."""
    name, label = view.graph.ops[op], view.graph.label(op)
    advice = ""
    if name in ANNOTATION_OPS - PARTITION_MARKS:
        advice = ": `ignore annotations` sees through it"
    ends = f"{view.op_label(before)} and {view.op_label(after)}"
    return f"{name} ({label}) stands between {ends}{advice}"


#: How to make a pattern see what ``let`` binds.
WITHOUT_LETS = "`prepare ToGraphNormalForm` takes lets away and numbers values anew"


def unfinished_at(search: Search, call: int, least: int = 0) -> NearMiss | None:
    """Explain a complete beginning of the pattern that nothing continues.

    Args:
        least: How many ops make a beginning; 0: two, or all but one of a short pattern, or one
            that a wall keeps from the next.
    """
    row = search.table.get(call)
    if row is None:
        return None
    last = len(search.program) - 1
    complete = [
        i for i in row if i < last and i not in search.program.roots and search.is_complete(call, i)
    ]
    if not complete:
        return None
    index = max(complete)
    tree = next(search.derivations(call, index), None)
    if tree is None:
        return None
    calls = [step.node for step in lay_out(search.view, tree).steps]
    following = _following(search, index)
    if following is None:
        return None
    users = [u for u in _users(search, call) if search.view.live[u]]
    wall = _wall(search, call, users, following)
    if not wall and len(calls) < (least or min(2, search.program.required - 1)):
        return None
    if any(u in search.table and _continues(search, u, index) for u in users):
        return None
    kind = "between" if wall else _kind_of(search, users, following)
    reason = wall or _not_continued(search, call, users, following)
    light = len(calls) < 2 and all(is_injective(search.graph.ops[c]) for c in calls)
    if light and not least and kind == "shape" and "stands between" not in reason:
        return None  # every reshape or add of a model would be one: no news
    return NearMiss(node=call, matched=tuple(sorted(calls)), reason=reason, kind=kind)


def _following(search: Search, index: int) -> Element | None:
    parent = search.program.parents[index]
    if parent >= 0:
        return search.program.elements[parent]
    for at in range(index + 1, len(search.program)):
        if search.program.elements[at].skip is None or at == len(search.program) - 1:
            return search.program.elements[at]
    return None


def _continues(search: Search, user: int, index: int) -> bool:
    return any(i > index and search.is_complete(user, i) for i in search.table[user])


def _users(search: Search, call: int) -> list[int]:
    """Return who uses a call's result, fields and tuples seen through."""
    found: list[int] = []
    stack = [call]
    while stack:
        for user in search.view.takers(stack.pop()):
            if search.graph.kinds[user] in ("field", "tuple") or search.view.sees_through(user):
                if search.view.live[user]:
                    stack.append(user)
            elif user not in found:
                found.append(user)
    return sorted(found)


def _behind(search: Search, user: int) -> list[int]:
    """Return who uses a call's result; of an annotation what is behind all that follow it."""
    ops = search.graph.ops
    found = _users(search, user)
    while ops[user] in ANNOTATION_OPS and len(found) == 1 and ops[found[0]] in ANNOTATION_OPS:
        found = _users(search, found[0])
    return found


def _wall(search: Search, call: int, users: Sequence[int], following: Element) -> str:
    """Return what parts a call from the op that would go on, which is right behind it; or ''.

    A branch or a function holds that op: a site is of one branch and of one function.
    """
    graph, view = search.graph, search.view
    label, scopes = view.op_label(call), graph.scopes
    for user in users:
        if graph.kinds[user] != "call":
            continue
        op = graph.ops[user]
        if scopes[user] != scopes[call] and any(c.takes(op) for c in following.choices):
            where = "which is in another branch or function"
            return f"{label} is followed by {view.op_label(user)}, {where}"
        literal = graph.resolve(graph.operands[user][0]).node if op == "fn" else -1
        if literal >= 0 and graph.kinds[literal] == "function" and not is_outlined(graph, literal):
            inside = _first_op(search, user, literal, call)
            if any(c.takes(graph.ops[i]) for i in inside for c in following.choices):
                return f"{label} goes into {view.op_label(user)}, which patterns don't reach into"
    return ""


def _first_op(search: Search, user: int, literal: int, value: int) -> list[int]:
    """Return what uses, in a function literal, the parameter that a value is passed as."""
    graph = search.graph
    params = search.view.literal_params.get(literal, ())
    return [
        inner
        for param, given in zip(params, graph.operands[user][1:], strict=False)
        if graph.resolve(given).node == value
        for inner in graph.users[param]
    ]


def _kind_of(search: Search, users: Sequence[int], following: Element) -> MissKind:
    kinds = {search.graph.kinds[u] for u in users}
    ops = {search.graph.ops[u] for u in users}
    if "let" in kinds or ops & ANNOTATION_OPS:
        return "between"
    if any(_alike(search, u, following) for u in users):
        return "alike"
    return "shape"


def _alike(search: Search, user: int, following: Element) -> str:
    op = search.graph.ops[user]
    for choice in following.choices:
        if len(choice.ops) == 1 and op in LOOK_ALIKES.get(min(choice.ops), ()):
            return f"{following.written}|{short_op(op)}"
    return ""


def _not_continued(search: Search, call: int, users: Sequence[int], following: Element) -> str:
    label = search.view.op_label(call)
    wanted = meant(following)
    for user in users:
        if search.graph.kinds[user] == "let":
            return f"{label} is bound by let {search.graph.label(user)}: {WITHOUT_LETS}"
        advice = _alike(search, user, following)
        if advice:
            return (
                f"{label} is followed by {search.view.op_label(user)}, which looks alike; "
                f"write {advice} to include it"
            )
        for after in _behind(search, user) if search.graph.kinds[user] == "call" else ():
            if any(c.takes(search.graph.ops[after]) for c in following.choices):
                return stands_between(search.view, user, call, after)
    if not users:
        return f"{label} is a result, pattern wants {wanted} after it"
    listed = ", ".join(search.view.op_label(u) for u in users[:3])
    return f"{label} is followed by {listed}, pattern wants {wanted}"
