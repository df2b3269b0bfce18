"""What is said of a pattern that takes nothing: what it lacks, and what comes closest."""

from __future__ import annotations

import pytest

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.graph import Module
from tests.graphs import GraphBuilder
from tests.planning.test_stages import plan_of


def layers(count: int) -> Module:
    b = GraphBuilder()
    at = b.input("x", "float32(2,4)")
    for _ in range(count):
        dense = b.call("nn.dense", at, b.input("w", "float32(4,4)"), type="float32(2,4)")
        shaped = b.call("reshape", dense, type="float32(2,4)")
        at = b.call("add", shaped, at, type="float32(2,4)")
    return b.module(at)


def told(text: str) -> Diagnostic:
    (note,) = [n for n in plan_of(layers(3), text).notes if n.code == "S283"]
    return note


def test_ops_that_the_model_lacks_are_named_with_what_looks_like_them() -> None:
    note = told("offload pattern dense>bias_add>relu to lib optional")
    assert note.reason == "The model has no nn.bias_add (but add), no nn.relu."
    assert note.notes == (
        "%0: %0 (nn.dense) is followed by %1 (reshape), pattern wants nn.bias_add "
        "(and 2 sites like it)",
    )


def test_the_advice_to_write_optional_is_for_who_has_not() -> None:
    assert "optional" not in told("offload pattern dense>add to lib optional").remedy
    with pytest.raises(SurgeryError) as caught:
        plan_of(layers(1), "offload pattern dense>tanh to lib")
    (only,) = [d for d in caught.value.diagnostics if d.code == "S283"]
    assert only.severity == "error" and "write `optional`" in only.remedy


def test_what_is_only_closest_is_no_site_that_require_all_asks_for() -> None:
    plan = plan_of(layers(2), "offload pattern dense>bias_add>relu to lib require all optional")
    assert plan.rejected and all(r.distant for r in plan.rejected)
    assert "S285" not in {n.code for n in plan.notes}
