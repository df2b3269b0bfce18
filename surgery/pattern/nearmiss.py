"""Why a site that looks like a match isn't one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surgery.pattern.legality import violations
from surgery.pattern.loose import Fault, LooseReader, Partial, worse
from surgery.pattern.model import MISS_RANK, MissKind, NearMiss
from surgery.pattern.program import Element
from surgery.pattern.site import Layout, lay_out, members
from surgery.pattern.unfinished import unfinished_at


class Explainer(LooseReader):
    """Finds the near misses of one program, after its search."""

    def explain(self, candidates: Sequence[int], matched: frozenset[int]) -> list[NearMiss]:
        """Return the sites that nearly match.

        Args:
            candidates: Calls, ascending.
            matched: Calls that are inside a match.
        """
        found: list[NearMiss] = []
        seen: set[int] = set(matched)
        for call in candidates:
            if call in matched:
                continue
            miss = self._ending_at(call)
            if miss is not None and not set(miss.matched) <= matched:
                found.append(miss)
                seen.update(miss.matched)
                seen.add(call)
        for call in candidates:
            if call not in seen:
                miss = unfinished_at(self.search, call)
                if miss is not None:
                    found.append(miss)
        return found

    def closest(self, candidates: Sequence[int]) -> list[NearMiss]:
        """Return the sites that hold most of the pattern, however little that is.

        For a pattern that matches nothing and that nothing nearly matches.

        Args:
            candidates: Calls, ascending.
        """
        found: list[NearMiss] = []
        for call in candidates:
            miss = unfinished_at(self.search, call, least=1) or self._ending_at(call, least=1)
            if miss is not None:
                found.append(miss)
        most = max((len(m.matched) for m in found), default=0)
        return [replace(m, distant=True) for m in found if len(m.matched) == most]

    # -- sites whose last op is there

    def _ending_at(self, call: int, least: int = 2) -> NearMiss | None:
        """Return the near miss that ends at a call.

        Args:
            least: How many ops must fit, in a site that lacks more than one.
        """
        best: Partial | None = None
        for root in self.program.roots:
            guess = self.guess_op(call, root, None)
            if guess is None:
                continue
            if guess.fault is not None and guess.fault.kind == "alike" and len(self.program) > 1:
                continue
            partial = self.partial(call, root, guess.choice)
            if guess.fault is not None:
                partial = worse(partial, guess.fault)
            if best is None or partial.exact > best.exact:
                best = partial
        if best is None:
            return None
        faults = list(best.faults)
        if not self._all_read(best.position):
            faults.append(self.missing(best))
        if not faults:
            return self._unlawful(best)
        total = sum(map(self._counts, self.program.elements))
        specific = any(f.kind != "shape" for f in faults)
        near = best.exact >= least or (best.exact >= total - 1 and specific)
        # Each op may be the one that is meant, and none quite as it is meant.
        if not near and self._named(best) < total:
            return None
        return self._miss(call, best, faults)

    def _counts(self, element: Element) -> bool:
        """Return whether an element says something: it must be there, and names its op."""
        return element.skip is None and not all(c.is_class for c in element.choices)

    def _named(self, partial: Partial) -> int:
        """Return how many elements found their op, whatever else of it doesn't fit."""
        elements = self.program.elements
        return len(
            {
                index
                for index, node in partial.nodes
                if self._counts(elements[index])
                and any(c.takes(self.graph.ops[node]) for c in elements[index].choices)
            }
        )

    def _all_read(self, position: int) -> bool:
        return position < 0 or -1 in self.program.after[position]

    def _unlawful(self, partial: Partial) -> NearMiss | None:
        """Return the reason why a site where everything fits can't be taken out."""
        root = partial.tree.node
        layout = lay_out(self.view, partial.tree)
        choice = self.program.elements[partial.tree.element].choices[partial.tree.choice]
        calls = tuple(step.node for step in layout.steps)
        reasons = self._reference_faults(layout) + violations(
            self.view,
            root=root,
            field=choice.field,
            calls=calls,
            nodes=members(self.view, layout, root, choice.field),
            leaves=[(f.call, f.operand) for f in layout.leaves if f.rule.kind != "ref"],
        )
        if not reasons:
            return None
        return NearMiss(
            node=root,
            matched=tuple(sorted(set(calls))),
            reason="; ".join(dict.fromkeys(reasons[:3])),
            kind="legality",
        )

    def _reference_faults(self, layout: Layout) -> list[str]:
        named = {
            name: step.node
            for step in layout.steps
            for name in self.program.elements[step.element].names
        }
        for leaf in layout.leaves:
            if leaf.rule.name is not None and leaf.rule.kind != "ref":
                named[leaf.rule.name] = self.graph.resolve(leaf.operand.operand).node
        found: list[str] = []
        for leaf in layout.leaves:
            if leaf.rule.kind != "ref" or leaf.rule.name not in named:
                continue
            value = self.graph.resolve(leaf.operand.operand).node
            if value != named[leaf.rule.name]:
                found.append(
                    f"operand {leaf.operand.index} of {self.view.op_label(leaf.call)} is "
                    f"{self.view.op_label(value)}, pattern wants {leaf.rule.name}: "
                    f"{self.view.op_label(named[leaf.rule.name])}"
                )
        return found

    def _miss(self, call: int, partial: Partial, faults: Sequence[Fault]) -> NearMiss:
        alike = [f for f in faults if f.kind == "alike"]
        others = [f for f in faults if f.kind != "alike"]
        if alike and not others:
            chain = ">".join(
                f"{self.graph.label(node)} {self.graph.ops[node]}"
                for _, node in sorted(set(partial.nodes))
            )
            advice = ", ".join(dict.fromkeys(f.advice for f in alike))
            reason = f"{chain} looks alike; write {advice} to include it"
            kind: MissKind = "alike"
        else:
            ordered = sorted(others, key=lambda f: MISS_RANK[f.kind])
            kind = ordered[0].kind
            reason = "; ".join(dict.fromkeys(f.text for f in ordered[:2]))
            reason += "".join(dict.fromkeys(f": {f.advice}" for f in ordered[:2] if f.advice))
        return NearMiss(
            node=call,
            matched=tuple(sorted({node for _, node in partial.nodes})),
            reason=reason,
            kind=kind,
        )
