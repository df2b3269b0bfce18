"""Whether one op or operand is what a pattern asks for there."""

from __future__ import annotations

from collections.abc import Sequence

from surgery.graph import Graph, Ref, TensorType
from surgery.graph.ops import COMMUTATIVE_OPS, FIELD0_OPS, MISSING, attribute, leading_operands
from surgery.graph.values import holds, shape_fits, shown
from surgery.pattern.program import ANY_LEAF, Choice, Rule
from surgery.pattern.view import Operand, View
from surgery.syntax.ast import AttrConstraint


def field_fits(choice: Choice, op: str, path: tuple[int, ...]) -> bool:
    """Return whether the field that goes on is the one the pattern means."""
    if choice.field is not None:
        return path == (choice.field,)
    return path == ((0,) if op in FIELD0_OPS else ())


def arrangements(choice: Choice, op: str, count: int) -> list[tuple[Rule, ...]]:
    """Return how the written operands can lie on an op's ``count`` slots; none: wrong number."""
    rules = choice.rules
    assert rules is not None
    least = leading_operands(op)
    if len(rules) < count and least is not None and least <= len(rules):
        rules = (*rules, *[ANY_LEAF] * (count - len(rules)))
    if len(rules) != count:
        return []
    if count == 2 and op in COMMUTATIVE_OPS and rules[0] != rules[1]:
        return [rules, (rules[1], rules[0])]
    return [rules]


def constraint_fault(graph: Graph, ref: Ref, constraints: Sequence[AttrConstraint], op: str) -> str:
    """Return which constraint a value breaks, in words; '' when all hold.

    Args:
        op: The op whose attributes are meant; '' for a leaf.
    """
    for constraint in constraints:
        name, comparison, wanted = constraint.name, constraint.comparison, constraint.value
        found: object
        if name in ("dtype", "shape", "rank"):
            type_ = graph.type_of(ref)
            if not isinstance(type_, TensorType):
                return f"{name} isn't known ({type_}), pattern wants {comparison_text(constraint)}"
            if name == "shape":
                if shape_fits(type_, wanted) == (comparison == "="):
                    continue
                found = type_.shape
            else:
                found = type_.dtype if name == "dtype" else len(type_.shape)
                if holds(found, comparison, wanted):
                    continue
        else:
            found = attribute(graph, ref.node, name)
            if found is MISSING:
                return f"{op} has no attribute {name}"
            if holds(found, comparison, wanted):
                continue
        return f"{name} is {shown(found)}, pattern wants {comparison_text(constraint)}"
    return ""


def comparison_text(constraint: AttrConstraint) -> str:
    """Return what a constraint asks for: ``NCHW``, ``>1``."""
    sign = "" if constraint.comparison == "=" else constraint.comparison
    return sign + shown(constraint.value)


def leaf_fault(view: View, operand: Operand, rule: Rule) -> str:
    """Return why an operand isn't the leaf that a rule asks for; '' when it is."""
    graph = view.graph
    value = graph.resolve(operand.operand)
    kind = graph.kinds[value.node]
    if rule.kind == "const" and kind not in ("constant", "param"):
        return f"is {view.op_label(value.node)}, not a constant or weight"
    if rule.kind == "input" and kind != "input":
        return f"is {view.op_label(value.node)}, not an input"
    return constraint_fault(graph, value, rule.constraints, "")
