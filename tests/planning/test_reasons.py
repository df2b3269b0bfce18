"""Sites that one reason keeps out are one group, whatever values it names."""

from __future__ import annotations

from surgery.planning import Rejected
from surgery.planning.reasons import by_reason, name_globs, without_values


def rejected(reason: str, node: int = 0, distant: bool = False) -> Rejected:
    return Rejected(
        statement=0, function="main", node=node, matched=(), reason=reason, distant=distant
    )


def test_reasons_that_differ_in_values_only_are_one() -> None:
    sites = [
        rejected("%4 (add) is followed by %5 (nn.relu), pattern wants clip", 4),
        rejected("shape is (1,8), pattern wants (1,16)", 5),
        rejected("%14 (add) is followed by result (nn.relu), pattern wants clip", 14),
        rejected('@f:%"odd name".1 (add) is followed by %5.0 (nn.relu), pattern wants clip', 15),
        rejected("%4 (add) is followed by %5 (nn.tanh), pattern wants clip", 16),
        rejected("shape is (1,4), pattern wants (1,16)", 17),
    ]
    assert [[s.node for s in g] for g in by_reason(sites)] == [[4, 14, 15], [5], [16], [17]]


def test_what_only_is_closest_is_a_group_of_its_own() -> None:
    assert len(by_reason([rejected("%0 fits"), rejected("%1 fits", distant=True)])) == 2


def test_constants_and_variables_are_values() -> None:
    one = "operand 1 of %3 (add) is %x/y:0 (an input), not a constant or weight"
    other = "operand 1 of result (add) is %bias (an input), not a constant or weight"
    assert without_values(one) == without_values(other)
    assert without_values("is constant Reshape@0, twice") == "is %, twice"


def test_names_show_what_differs() -> None:
    assert name_globs(["l_0/q2", "l_1/q2", "l_1/k", "l_10/q2"]) == ["l_*/q2", "l_1/k"]
    assert name_globs(["a1", "a1"]) == ["a1"]
    assert name_globs([]) == []
