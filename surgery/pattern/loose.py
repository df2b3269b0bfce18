"""Following a pattern loosely: what is nearly there, and each thing that doesn't fit.

Reading goes through uses outside, ``let``, annotations, other ops and look-alikes; each is a
fault with its reason. Every call is looked at once an element, so this is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from surgery.graph import Graph
from surgery.graph.ops import ANNOTATION_OPS, LOOK_ALIKES
from surgery.pattern.fits import arrangements, field_fits, leaf_fault
from surgery.pattern.model import MissKind
from surgery.pattern.program import Choice, Rule
from surgery.pattern.search import Derivation, Search
from surgery.pattern.unfinished import WITHOUT_LETS, meant, short_op, stands_between
from surgery.pattern.view import Operand, View

#: How far a run of a repeated op is followed for an explanation.
_MAX_RUN: Final = 16


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that doesn't fit.

    Attributes:
        text: What, in words.
        advice: What helps; for look-alikes what to write to include them (``dense|matmul``).
    """

    kind: MissKind
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """An operand's producer, taken loosely as an element."""

    node: int
    element: int
    choice: int
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Partial:
    """The best loose reading that ends at a call.

    Attributes:
        tree: How the calls hang together.
        nodes: Element and call, in the order they were taken (later elements first).
        exact: How many of them fit as they are; ops that only stand for a class don't count.
        position: The element that reading stopped before; -1 when all is read.
    """

    tree: Derivation
    nodes: tuple[tuple[int, int], ...]
    exact: int
    faults: tuple[Fault, ...]
    position: int


class LooseReader:
    """Reads one program loosely, after its search."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.program = search.program
        self.view: View = search.view
        self.graph: Graph = search.graph
        self._known: dict[tuple[int, int, int], Partial] = {}
        self._scope_of_interest = frozenset(
            op for e in self.program.elements for c in e.choices for op in c.ops
        )

    def partial(self, call: int, index: int, choice_index: int) -> Partial:
        key = (call, index, choice_index)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._read(call, index, choice_index)
        return known

    def _read(self, call: int, index: int, choice_index: int) -> Partial:
        element = self.program.elements[index]
        choice = element.choices[choice_index]
        operands = self.view.operands(call)
        if element.repeat:
            return self._read_run(call, index, choice_index)
        if choice.rules is None:
            return self._read_open(call, index, choice_index, None, {}, index - 1)
        best: Partial | None = None
        orders = arrangements(choice, self.graph.ops[call], len(operands))
        for order, rules in enumerate(orders):
            partial = self._read_ruled(call, index, choice_index, rules, order == 1)
            if best is None or (partial.exact, -len(partial.faults)) > (
                best.exact,
                -len(best.faults),
            ):
                best = partial
        if best is not None:
            return best
        fault = Fault(
            "attribute",
            f"{self.view.op_label(call)} takes {len(operands)} operands, "
            f"the pattern gives {len(choice.rules)}",
        )
        return Partial(Derivation(call, index, choice_index, None, {}), ((index, call),), 1,
                        (fault,), element.start - 1)  # fmt: skip

    def _read_run(self, call: int, index: int, choice_index: int) -> Partial:
        """Follow a run of a repeated element down, then read on before it."""
        choice = self.program.elements[index].choices[choice_index]
        run: list[tuple[int, int]] = []
        at = call
        while len(run) < _MAX_RUN:
            for slot, operand in enumerate(self.view.operands(at)):
                if self.view.connects(operand, at) and choice.takes(
                    self.graph.ops[operand.producer]
                ):
                    run.append((at, slot))
                    at = operand.producer
                    break
            else:
                break
        base = self._read_open(at, index, choice_index, None, {}, index - 1)
        tree = base.tree
        for user, slot in reversed(run):
            tree = Derivation(user, index, choice_index, None, {slot: tree})
        nodes = (*((index, user) for user, _ in run), *base.nodes)
        return Partial(tree, nodes, base.exact, base.faults, base.position)

    def _read_ruled(
        self, call: int, index: int, choice_index: int, rules: tuple[Rule, ...], swapped: bool
    ) -> Partial:
        taken: dict[int, Partial] = {}
        faults: list[Fault] = []
        for slot, (rule, operand) in enumerate(zip(rules, self.view.operands(call), strict=True)):
            if rule.kind == "child":
                guess = self._best_guess(operand, rule.child, rule.child_start)
                if guess is None:
                    if self.program.after[rule.child][-1] >= rule.child_start:
                        value = self.graph.resolve(operand.operand).node
                        faults.append(
                            Fault(
                                "shape",
                                f"operand {slot} of {self.view.op_label(call)} is "
                                f"{self.view.op_label(value)}, pattern wants "
                                f"{meant(self.program.elements[rule.child])}",
                            )
                        )
                    continue
                inner = self._follow(guess)
                taken[slot] = inner
                faults += inner.faults
                if inner.position >= rule.child_start and not any(
                    p < rule.child_start for p in self.program.after[inner.position]
                ):
                    faults.append(self.missing(inner))
            else:
                text = leaf_fault(self.view, operand, rule)
                if text:
                    where = f"operand {slot} of {self.view.op_label(call)}"
                    faults.append(Fault("attribute", f"{where}: {text}" if text[:3] != "is "
                                        else f"{where} {text}"))  # fmt: skip
        start = self.program.elements[index].start - 1
        partial = self._read_open(call, index, choice_index, rules, taken, start, swapped)
        return Partial(partial.tree, partial.nodes, partial.exact,
                        (*faults, *partial.faults), partial.position)  # fmt: skip

    def _read_open(
        self,
        call: int,
        index: int,
        choice_index: int,
        rules: tuple[Rule, ...] | None,
        children: dict[int, Partial],
        position: int,
        swapped: bool = False,
    ) -> Partial:
        """Let the free operands of a call take pending results, the best fitting each time."""
        element = self.program.elements[index]
        nodes: list[tuple[int, int]] = [(index, call)]
        exact = 0 if element.repeat or element.choices[choice_index].is_class else 1
        faults: list[Fault] = []
        taken: dict[int, Derivation] = {}
        for slot, child in children.items():
            taken[slot] = child.tree
            nodes += child.nodes
            exact += child.exact
        operands = self.view.operands(call)
        free = [
            s
            for s in reversed(range(len(operands)))
            if element.open and s not in taken and (rules is None or rules[s].kind == "any")
        ]
        limit = 1 if element.repeat else len(free)
        while position >= 0 and free and limit > 0:
            used = {node for _, node in nodes}
            best: tuple[tuple[int, int, int], int, Partial] | None = None
            for slot in free:
                for wanted in self.program.after[position]:
                    guess = self._guess(operands[slot], wanted) if wanted >= 0 else None
                    if guess is None:
                        continue
                    inner = self._follow(guess)
                    if used & {node for _, node in inner.nodes}:
                        continue
                    rank = (0 if guess.fault is None else -1, inner.exact, -len(inner.faults))
                    if best is None or rank > best[0]:
                        best = (rank, slot, inner)
                    break
            if best is None:
                break
            _, slot, inner = best
            taken[slot] = inner.tree
            nodes += inner.nodes
            exact += inner.exact
            faults += inner.faults
            position = inner.position
            free.remove(slot)
            limit -= 1
        tree = Derivation(call, index, choice_index, rules, taken, swapped)
        return Partial(tree, tuple(nodes), exact, tuple(faults), position)

    def _follow(self, guess: Guess) -> Partial:
        partial = self.partial(guess.node, guess.element, guess.choice)
        return partial if guess.fault is None else worse(partial, guess.fault)

    def _best_guess(self, operand: Operand, child: int, floor: int) -> Guess | None:
        found = [
            g
            for e in self.program.after[child]
            if e >= floor
            for g in (self._guess(operand, e),)
            if g is not None
        ]
        return min(found, key=lambda g: g.fault is not None) if found else None

    def _guess(self, operand: Operand, index: int) -> Guess | None:
        """Take an operand's producer loosely as an element."""
        producer = operand.producer
        if producer < 0:
            return None
        guess = self.guess_op(producer, index, operand)
        if guess is not None:
            return guess
        # One op further: something stands between.
        element = self.program.elements[index]
        op = self.graph.ops[producer]
        if op in self._scope_of_interest and op not in ANNOTATION_OPS:
            return None
        for behind in self.view.operands(producer):
            while op in ANNOTATION_OPS and self._annotates(behind):
                (behind,) = self.view.operands(behind.producer)
            if behind.producer < 0:
                continue
            for choice_index, choice in enumerate(element.choices):
                if not choice.is_class and choice.takes(self.graph.ops[behind.producer]):
                    user = self._user(operand)
                    text = stands_between(self.view, producer, behind.producer, user)
                    return Guess(behind.producer, index, choice_index, Fault("between", text))
        return None

    def _annotates(self, operand: Operand) -> bool:
        producer = operand.producer
        return (
            producer >= 0
            and self.graph.ops[producer] in ANNOTATION_OPS
            and len(self.view.operands(producer)) == 1
        )

    def _user(self, operand: Operand) -> int:
        """Return the call that an operand slot belongs to."""
        node = operand.node
        while self.graph.kinds[node] == "tuple":
            node = self.graph.users[node][0]
        return node

    def guess_op(self, call: int, index: int, operand: Operand | None) -> Guess | None:
        element = self.program.elements[index]
        op = self.graph.ops[call]
        for choice_index, choice in enumerate(element.choices):
            if choice.takes(op):
                fault = self._fault(call, choice, operand)
                return Guess(call, index, choice_index, fault)
        for choice_index, choice in enumerate(element.choices):
            if len(choice.ops) == 1 and op in LOOK_ALIKES.get(min(choice.ops), ()):
                advice = f"{element.written}|{short_op(op)}"
                text = f"{self.view.op_label(call)} is no {min(choice.ops)}"
                return Guess(call, index, choice_index, Fault("alike", text, advice))
        return None

    def _fault(self, call: int, choice: Choice, operand: Operand | None) -> Fault | None:
        text = self.search.fault(call, choice)
        label = self.view.op_label(call)
        if text:
            return Fault("attribute", f"{label}: {text}")
        if operand is None:
            return None
        if operand.blocker >= 0:
            name = self.graph.label(operand.blocker)
            return Fault("between", f"{label} is bound by let {name}", WITHOUT_LETS)
        if not field_fits(choice, self.graph.ops[call], operand.path):
            return Fault("attribute", self._field_text(call, choice, operand))
        return None

    def _field_text(self, call: int, choice: Choice, operand: Operand) -> str:
        label = self.view.op_label(call)
        graph = self.graph
        used = sorted(
            {graph.fields[u] for u in graph.users[call] if u in graph.fields and self.view.live[u]}
        )
        listed = ", ".join(f".{f}" for f in used)
        if not operand.path:
            return f"{label} is taken whole, pattern wants field {choice.field or 0}"
        taken = "".join(f".{i}" for i in operand.path)
        if choice.field is not None:
            return f"field {taken} of {label} is taken, pattern wants .{choice.field}"
        return (
            f"{label} has several results, {listed} {'is' if len(used) == 1 else 'are'} used: "
            f"write {choice.written}{taken}"
        )

    def missing(self, partial: Partial) -> Fault:
        """Say which element isn't among the operands of the op that should take it."""
        wanted = self.program.elements[partial.position]
        at = partial.nodes[-1][1]
        taken: set[int] = {node for _, node in partial.nodes}
        operands = [
            self.view.op_label(o.producer)
            for o in self.view.operands(at)
            if o.producer >= 0 and o.producer not in taken
        ]
        what = meant(wanted)
        if operands:
            text = f"{self.view.op_label(at)} takes {', '.join(operands[:3])}, pattern wants {what}"
        else:
            text = f"{self.view.op_label(at)} takes no result of an op, pattern wants {what}"
        return Fault("shape", text)


def worse(partial: Partial, fault: Fault) -> Partial:
    """Return a reading whose last op only nearly fits."""
    return Partial(partial.tree, partial.nodes, partial.exact - 1,
                    (*partial.faults, fault), partial.position)  # fmt: skip
