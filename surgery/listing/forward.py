"""Order for functions whose text uses values before it binds them."""

from __future__ import annotations

from surgery.listing.function import FunctionText


def in_dependency_order(f: FunctionText) -> list[int] | None:
    """Return the ids of all nodes but stand-ins, what a node needs before the node itself.

    An owner of branches or of a function literal comes after everything written inside. As far as
    that allows, the order is that of the text.

    Returns:
        The order, or ``None`` when a value depends on itself.
    """
    meant = {stand_in: f.bindings[number] for number, stand_in in f.later.items()}
    needs: list[list[int]] = [[meant.get(o, o) for o in operands] for operands in f.operands]
    for id_, block in f.home.items():
        # Also what nothing uses lies in its block.
        if block.owner >= 0:
            needs[block.owner].append(id_)
    for owner, (_, ids) in f.locals.items():
        needs[owner].extend(ids)
    state = bytearray(len(needs))  # 1 entered, 2 done
    order: list[int] = []
    for root in range(len(needs)):
        if root in meant:
            continue
        stack = [root]
        while stack:
            at = stack[-1]
            if state[at] == 0:
                state[at] = 1
                for need in reversed(needs[at]):
                    if state[need] == 1:
                        return None
                    if state[need] == 0:
                        stack.append(need)
            else:
                stack.pop()
                if state[at] == 1:
                    state[at] = 2
                    order.append(at)
    return order
