"""Sites that begin like a pattern and go on differently."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.graph.ops import ANNOTATION_OPS, LOOK_ALIKES, canonical_op, is_injective
from surgery.pattern.model import MissKind, NearMiss
from surgery.pattern.program import Element
from surgery.pattern.search import Search
from surgery.pattern.site import lay_out


def short_op(op: str) -> str:
    """Return the shortest name of an op that a pattern understands."""
    short = op.rsplit(".", 1)[-1]
    return short if canonical_op(short) == [op] else op


def meant(element: Element) -> str:
    """Return the ops that an element means, for messages."""
    return "|".join(min(c.ops) if len(c.ops) == 1 else c.written for c in element.choices)


def unfinished_at(search: Search, call: int) -> NearMiss | None:
    """Explain a complete beginning of the pattern that nothing continues."""
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
    if len(calls) < 2 and len(calls) < search.program.required - 1:
        return None
    following = _following(search, index)
    if following is None:
        return None
    users = [u for u in _users(search, call) if search.view.live[u]]
    if any(u in search.table and _continues(search, u, index) for u in users):
        return None
    kind = _kind_of(search, users, following)
    reason = _not_continued(search, call, users, following)
    light = len(calls) < 2 and all(is_injective(search.graph.ops[c]) for c in calls)
    if light and kind == "shape" and "stands between" not in reason:
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
        for user in search.graph.users[stack.pop()]:
            if search.graph.kinds[user] in ("field", "tuple"):
                if search.view.live[user]:
                    stack.append(user)
            elif user not in found:
                found.append(user)
    return sorted(found)


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
            return f"{choice.written}|{short_op(op)}"
    return ""


def _not_continued(search: Search, call: int, users: Sequence[int], following: Element) -> str:
    label = search.view.op_label(call)
    wanted = meant(following)
    for user in users:
        if search.graph.kinds[user] == "let":
            return f"{label} is bound by let {search.graph.label(user)}"
        advice = _alike(search, user, following)
        if advice:
            return (
                f"{label} is followed by {search.view.op_label(user)}, which looks alike; "
                f"write {advice} to include it"
            )
        op = search.graph.ops[user]
        for after in _users(search, user) if search.graph.kinds[user] == "call" else ():
            if any(c.takes(search.graph.ops[after]) for c in following.choices):
                return (
                    f"{op} ({search.graph.label(user)}) stands between {label} and "
                    f"{search.view.op_label(after)}"
                )
    if not users:
        return f"{label} is a result, pattern wants {wanted} after it"
    listed = ", ".join(search.view.op_label(u) for u in users[:3])
    return f"{label} is followed by {listed}, pattern wants {wanted}"
