"""The search: which element of a pattern each op can be, and the sites that come of it.

For every call and every element it may be, a table holds at which elements reading can go on
once the element and all it takes are matched (a bit mask). Only operands whose value is used
nowhere else are followed, as a site must be taken out whole; so sites are trees, the table is
filled in one pass in id order, and nothing is tried twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surgery.graph import Ref
from surgery.graph.ops import FIELD0_OPS
from surgery.pattern.fits import arrangements, constraint_fault, field_fits, leaf_fault
from surgery.pattern.program import Choice, Program, Rule
from surgery.pattern.view import Operand, View

#: With more operands than this to choose from, results are taken in order only.
MAX_PERMUTED = 5
#: Readings of one site that are tried before it is given up.
MAX_TRIES = 200


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one call matches one element.

    Attributes:
        rules: What each operand is, by slot; ``None`` where operands are free.
        taken: Slot -> how the call that computes it matches.
        swapped: The operands of a commutative op are in the other order than written.
    """

    node: int
    element: int
    choice: int
    rules: tuple[Rule, ...] | None
    taken: dict[int, Derivation]
    swapped: bool = False


class Search:
    """One program on one graph.

    Attributes:
        table: Call -> element -> ``(choice, positions)``: bit ``p + 1`` of ``positions`` is set
            when reading can go on at element ``p``.
    """

    def __init__(self, program: Program, view: View) -> None:
        self.program = program
        self.view = view
        self.graph = view.graph
        self.table: dict[int, dict[int, list[tuple[int, int]]]] = {}
        self._by_op: dict[str, tuple[tuple[int, int], ...]] = {}
        self._closed = [sum(1 << (p + 1) for p in after) for after in program.after]
        self._skippable = sum(
            1 << (i + 1) for i, e in enumerate(program.elements) if e.skip is not None
        )
        self._edges: dict[int, bool] = {}

    def options(self, op: str) -> tuple[tuple[int, int], ...]:
        """Return the ``(element, choice)`` pairs that an op may be."""
        known = self._by_op.get(op)
        if known is None:
            known = self._by_op[op] = tuple(
                (i, c)
                for i, element in enumerate(self.program.elements)
                for c, choice in enumerate(element.choices)
                if choice.takes(op)
            )
        return known

    def fill(self, candidates: Sequence[int]) -> None:
        """Fill the table.

        Args:
            candidates: Calls, ascending.
        """
        ops = self.graph.ops
        for call in candidates:
            for element, choice in self.options(ops[call]):
                mask = self._positions(call, element, choice)
                if mask:
                    row = self.table.setdefault(call, {})
                    row.setdefault(element, []).append((choice, mask))

    def is_complete(self, call: int, element: int) -> bool:
        """Return whether everything up to an element is matched at a call."""
        return any(mask & 1 for _, mask in self.table.get(call, {}).get(element, ()))

    def _positions(self, call: int, index: int, choice_index: int) -> int:
        element = self.program.elements[index]
        choice = element.choices[choice_index]
        op = self.graph.ops[call]
        if choice.constraints and self.fault(call, choice):
            return 0
        operands = self.view.operands(call)
        start = 1 << index  # position index - 1
        if choice.rules is None:
            return self._open(call, index, start, operands)
        mask = 0
        for rules in arrangements(choice, op, len(operands)):
            mask |= self._ruled(call, index, start, operands, rules)
        return mask

    def fault(self, call: int, choice: Choice) -> str:
        """Return which constraint a call breaks, in words; '' when all hold."""
        op = self.graph.ops[call]
        path = choice.field
        ref = Ref(call) if path is None and op not in FIELD0_OPS else Ref(call, (path or 0,))
        return constraint_fault(self.graph, ref, choice.constraints, op)

    def _ruled(
        self,
        call: int,
        index: int,
        mask: int,
        operands: Sequence[Operand],
        rules: Sequence[Rule],
    ) -> int:
        free: list[Operand] = []
        children: list[tuple[Rule, Operand]] = []
        for operand, rule in zip(operands, rules, strict=True):
            if rule.kind == "child":
                children.append((rule, operand))
            elif rule.kind == "any" and not rule.constraints and self.program.elements[index].open:
                free.append(operand)
            elif leaf_fault(self.view, operand, rule):
                return 0
        children.sort(key=lambda c: c[0].child, reverse=True)
        for rule, operand in children:
            if not mask & (1 << (rule.child + 1)) or not self._child(operand, call, rule):
                return 0
            mask = 1 << rule.child_start
        return self._open(call, index, mask, free)

    def _child(self, operand: Operand, call: int, rule: Rule) -> bool:
        """Return whether an operand is the result that a rule asks for, and only that."""
        done = 1 << rule.child_start
        for element in self.program.after[rule.child]:
            if element < rule.child_start:
                return True
            if self._take(operand, call, element) & done:
                return True
        return False

    def _take(self, operand: Operand, call: int, index: int) -> int:
        """Return where reading goes on when an operand's producer is taken as an element."""
        row = self.table.get(operand.producer)
        if row is None or index not in row:
            return 0
        element = self.program.elements[index]
        if not (self._follows(operand, call) if not element.shared else
                self.view.connects(operand, call)):  # fmt: skip
            return 0
        op = self.graph.ops[operand.producer]
        mask = 0
        for choice, positions in row[index]:
            if field_fits(element.choices[choice], op, operand.path):
                mask |= positions
        return mask

    def _follows(self, operand: Operand, call: int) -> bool:
        """Return whether an operand's producer can be in the site of a call that takes it."""
        key = id(operand)
        known = self._edges.get(key)
        if known is None:
            view = self.view
            known = self._edges[key] = view.connects(operand, call) and view.is_sole(operand)
        return known

    def _close(self, mask: int) -> int:
        """Add the positions that are left when optional elements are absent."""
        if not mask & self._skippable:
            return mask
        closed = mask
        for position in _bits(mask):
            if position >= 0:
                closed |= self._closed[position]
        return closed

    def _step(self, mask: int, operand: Operand, call: int) -> int:
        found = 0
        for position in _bits(self._close(mask)):
            if position >= 0:
                found |= self._take(operand, call, position)
        return found

    def _open(self, call: int, index: int, mask: int, operands: Sequence[Operand]) -> int:
        """Return where reading can go on after some of the operands took pending results."""
        element = self.program.elements[index]
        takeable = [o for o in operands if o.producer in self.table] if element.open else []
        if element.repeat:
            # Each op of a run takes exactly the result before it.
            found = 1 if self._close(mask) & 1 else 0
            for operand in takeable:
                found |= self._step(mask, operand, call) | self._take(operand, call, index)
            return self._close(found)
        if not takeable:
            return self._close(mask)
        if len(takeable) > MAX_PERMUTED:
            for operand in reversed(takeable):
                mask |= self._step(mask, operand, call)
            return self._close(mask)
        masks = {0: mask}
        total = mask
        for subset in range(1 << len(takeable)):
            if subset not in masks:
                continue
            for bit, operand in enumerate(takeable):
                if not subset & (1 << bit):
                    step = self._step(masks[subset], operand, call)
                    if step:
                        grown = subset | (1 << bit)
                        masks[grown] = masks.get(grown, 0) | step
                        total |= step
        return self._close(total)

    # -- reading the table back

    def derivations(self, call: int, root: int) -> Iterator[Derivation]:
        """Yield the ways a site can end at a call, preferred ones first."""
        for tries, derivation in enumerate(self._derive(call, root, -1)):
            if tries >= MAX_TRIES:
                return
            yield derivation

    def _derive(self, call: int, index: int, target: int) -> Iterator[Derivation]:
        element = self.program.elements[index]
        bit = 1 << (target + 1)
        operands = self.view.operands(call)
        for choice_index, mask in self.table[call][index]:
            if not mask & bit:
                continue
            choice = element.choices[choice_index]
            if element.repeat:
                yield from self._derive_run(call, index, choice_index, target)
                continue
            if choice.rules is None:
                free = tuple(range(len(operands))) if element.open else ()
                for taken in self._assign(call, index - 1, target, free, len(operands)):
                    yield Derivation(call, index, choice_index, None, taken)
                continue
            orders = arrangements(choice, self.graph.ops[call], len(operands))
            for order, rules in enumerate(orders):
                if not self._ruled(call, index, 1 << index, operands, rules) & bit:
                    continue
                for taken in self._assign_ruled(call, index, target, rules):
                    yield Derivation(call, index, choice_index, rules, taken, order == 1)

    def _derive_run(self, call: int, index: int, choice: int, target: int) -> Iterator[Derivation]:
        """Follow a run of a repeated element to its start: always the longest."""
        bit = 1 << (target + 1)
        run: list[tuple[int, int]] = []  # (call, slot that goes on)
        at = call
        while True:
            for slot, operand in enumerate(self.view.operands(at)):
                if self._take(operand, at, index) & bit:
                    run.append((at, slot))
                    at = operand.producer
                    break
            else:
                break
        slots = tuple(range(len(self.view.operands(at))))
        exact = self._assign(at, index - 1, target, slots, len(slots), at_most=1)
        for taken in exact:
            if not taken and target >= 0:
                continue
            derivation = Derivation(at, index, choice, None, taken)
            for user, slot in reversed(run):
                derivation = Derivation(user, index, choice, None, {slot: derivation})
            yield derivation

    def _assign_ruled(
        self, call: int, index: int, target: int, rules: Sequence[Rule]
    ) -> Iterator[dict[int, Derivation]]:
        children = sorted(
            ((r, slot) for slot, r in enumerate(rules) if r.kind == "child"),
            key=lambda c: c[0].child,
            reverse=True,
        )
        is_open = self.program.elements[index].open
        free = tuple(
            s for s, r in enumerate(rules) if is_open and r.kind == "any" and not r.constraints
        )
        start = self.program.elements[index].start - 1

        def place(at: int, taken: dict[int, Derivation]) -> Iterator[dict[int, Derivation]]:
            if at == len(children):
                for more in self._assign(call, start, target, free, len(rules)):
                    yield {**taken, **more}
                return
            rule, slot = children[at]
            operand = self.view.operands(call)[slot]
            for element in self.program.after[rule.child]:
                if element < rule.child_start:
                    yield from place(at + 1, taken)
                    return
                if self._take(operand, call, element) & (1 << rule.child_start):
                    for inner in self._derive(operand.producer, element, rule.child_start - 1):
                        yield from place(at + 1, {**taken, slot: inner})

        yield from place(0, {})

    def _assign(
        self,
        call: int,
        position: int,
        target: int,
        free: tuple[int, ...],
        before: int,
        at_most: int = MAX_PERMUTED + 1000,
    ) -> Iterator[dict[int, Derivation]]:
        """Yield which of the free slots take which pending results, down to a position.

        Args:
            free: Slots not yet used.
            before: Slots before this one are preferred: results in order.
        """
        operands = self.view.operands(call)
        if position > target and at_most > 0:
            ordered = [s for s in reversed(free) if s < before]
            if len(operands) <= MAX_PERMUTED or len(free) <= MAX_PERMUTED:
                ordered += [s for s in reversed(free) if s >= before]
            for element in self.program.after[position]:
                if element <= target:
                    break
                for slot in ordered:
                    mask = self._take(operands[slot], call, element)
                    for after in _bits(mask):
                        if after < target:
                            continue
                        rest = tuple(s for s in free if s != slot)
                        for others in self._assign(call, after, target, rest, slot, at_most - 1):
                            for inner in self._derive(operands[slot].producer, element, after):
                                yield {slot: inner, **others}
        if position == target or (position >= 0 and target in self.program.after[position]):
            yield {}


def _bits(mask: int) -> list[int]:
    """Return the positions in a mask, lowest first."""
    found: list[int] = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 2)
        mask ^= lowest
    return found
