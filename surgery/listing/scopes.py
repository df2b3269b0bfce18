"""The scopes of a function while they are found, and where two of them meet."""

from __future__ import annotations

from typing import Literal

from surgery.graph import ROOT_SCOPES, Scope

Branch = Literal["then", "else", "function"]


class ScopeTree:
    """Scopes by index, parents before children. A meeting costs the logarithm of the depth."""

    def __init__(self) -> None:
        self.table: list[Scope] = list(ROOT_SCOPES)
        self._depth = [0]
        # A far ancestor of each scope, chosen so that long climbs take few steps (skew-binary
        # jump pointers); nests of ten thousand branches are read in linear time by it.
        self._jump = [0]

    def open(self, parent: int, owner: int, kind: Branch) -> int:
        """Add a scope and return its index."""
        depth, jump = self._depth, self._jump
        near, far = jump[parent], jump[jump[parent]]
        even = depth[parent] - depth[near] == depth[near] - depth[far]
        self.table.append(Scope(parent, owner, kind))
        depth.append(depth[parent] + 1)
        jump.append(far if even else parent)
        return len(depth) - 1

    def meet(self, one: int, other: int) -> int:
        """Return the innermost scope that holds both."""
        depth, jump, table = self._depth, self._jump, self.table
        if depth[one] < depth[other]:
            one, other = other, one
        while depth[one] > depth[other]:
            one = jump[one] if depth[jump[one]] >= depth[other] else table[one].parent
        while one != other:
            if jump[one] != jump[other]:
                one, other = jump[one], jump[other]
            else:
                one, other = table[one].parent, table[other].parent
        return one
