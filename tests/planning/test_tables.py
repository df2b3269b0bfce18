"""``offload table``: entries of a table as requests; no TVM is needed here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surgery.diagnostics import SurgeryError, error
from surgery.graph import Module
from surgery.planning import Plan, make_plan
from surgery.planning.tables import PatternTable, TablePattern, TableSite
from surgery.source import Source
from surgery.syntax import parse, parse_pattern
from tests.graphs import GraphBuilder, tensor

F = tensor("float32(2,4)")
Check = Callable[[str, int], str]


def net() -> Module:
    """Two dense>add>relu chains; the second's add is also an output."""
    b = GraphBuilder()
    x = b.input("x", type=F)
    w = b.constant("w", type=tensor("float32(4,4)"))
    values = []
    for _ in range(2):
        dense = b.call("nn.dense", x, w, type=F)
        added = b.call("add", dense, x, type=F)
        x = b.call("nn.relu", added, type=F)
        values.append(added)
    return b.module(b.tuple(x, values[-1]))


def entry(name: str, pattern: str, check: Check | None = None) -> TablePattern:
    return TablePattern(name=name, pattern=parse_pattern(pattern), check=check)


def plan_of(text: str, *entries: TablePattern) -> Plan:
    spec = parse(Source(text, "s.surgery"), form="text")
    table = PatternTable(name="lib", patterns=entries)
    return make_plan(spec, net(), tables=lambda name: table)


def test_entries_become_composites_under_their_own_names() -> None:
    plan = plan_of(
        "offload table lib expect 3\nbackend lib { via tvm merge=off }",
        entry("lib.dense", "dense(*, *)"),
        entry("lib.dense_add_relu", "relu(add(dense(*, *), *))"),
        entry("lib.relu", "relu(*)"),
    )
    names = [c.name for r in plan.regions for c in r.composites]
    assert names == ["lib.dense_add_relu", "lib.dense", "lib.relu"]
    assert {r.backend for r in plan.regions} == {"lib"}
    assert "S288" not in {n.code for n in plan.notes}
    reasons = [r.reason for r in plan.rejected]
    assert any("is used outside the match by: output 1" in r for r in reasons)


@pytest.mark.parametrize(
    "text",
    [
        "offload table lib constants pass",
        "offload pattern dense>relu to lib constants pass",
        "offload (op dense or op relu) to lib constants pass",
    ],
)
def test_passed_constants_keep_the_names_of_the_models_weights(text: str) -> None:
    b = GraphBuilder()
    value = b.input("x", type=F)
    for index in range(2):
        weight = b.param(f"layer.{index}.weight", type=tensor("float32(4,4)"))
        value = b.call("nn.relu", b.call("nn.dense", value, weight, type=F), type=F)
    spec = parse(Source(text, "s.surgery"), form="text")
    table = PatternTable(name="lib", patterns=(entry("lib.block", "relu(dense(*, *))"),))
    plan = make_plan(spec, b.module(value), tables=lambda name: table)
    # Merged or not: a region passes each weight under its own name, in the order of its kernels.
    (region,) = plan.regions
    assert [(c.name, c.embedded) for c in region.constants] == [
        ("layer.0.weight", False), ("layer.1.weight", False),
    ]  # fmt: skip
    assert plan.stages[0].params == ("layer.0.weight", "layer.1.weight")


def test_another_backend_may_be_named() -> None:
    plan = plan_of("offload table lib to mine", entry("lib.relu", "relu(*)"))
    assert {c.name for r in plan.regions for c in r.composites} == {"mine.relu"}


def test_a_predicate_refuses_a_site_with_a_reason() -> None:
    module = net()
    first = module.main.by_number[2]
    seen: list[int] = []

    def check(function: str, root: int) -> str:
        assert function == "main"
        seen.append(root)
        return "" if root == first else "the table's predicate refuses it"

    plan = plan_of("offload table lib", entry("lib.relu", "relu(*)", check))
    assert len(seen) == 2 and first in seen
    assert [c.nodes for r in plan.regions for c in r.composites] == [(first,)]
    assert [r.reason for r in plan.rejected] == ["lib.relu: the table's predicate refuses it"]


def test_sites_of_the_compilers_own_matcher_are_checked_as_well() -> None:
    main = net().main
    dense, added, relu = (main.by_number[n] for n in (0, 1, 2))
    dense2, added2, relu2 = (main.by_number[n] for n in (3, 4, 5))

    def sites(function: str) -> list[TableSite]:
        return [
            TableSite(root=relu, nodes=frozenset({dense, added, relu})),
            TableSite(root=relu2, nodes=frozenset({dense2, added2, relu2})),
        ]

    native = TablePattern(name="lib.block", pattern=None, sites=sites, unsaid="a VarPattern")
    plan = plan_of("offload table lib", native)
    (region,) = plan.regions
    assert region.composites[0].name == "lib.block"
    assert [(a.name, str(a.type)) for a in region.arguments] == [
        ("x", "float32(2,4)"),
        ("x_1", "float32(2,4)"),
    ]
    assert [r.reason for r in plan.rejected] == ["%4 is used outside the match"]


def test_an_entry_that_the_compilers_matcher_fails_on_is_left_out() -> None:
    def fails(function: str) -> list[TableSite]:
        raise error("S344", "TVM's matcher fails on lib.block", reason="an op has no type")

    native = TablePattern(name="lib.block", pattern=None, sites=fails, unsaid="a VarPattern")
    plan = plan_of("offload table lib", native, entry("lib.relu", "relu(*)"))
    assert {c.name for r in plan.regions for c in r.composites} == {"lib.relu"}
    (note,) = [n for n in plan.notes if n.code == "S344"]
    assert note.severity == "warning" and note.span is not None and note.span.column == 1


def test_entries_that_can_never_match_are_told() -> None:
    plan = plan_of(
        "offload table lib", entry("lib.relu", "relu(*)"), entry("lib.squeeze", "squeeze(*, *)")
    )
    (note,) = [n for n in plan.notes if n.code == "S342"]
    assert note.severity == "note"
    assert note.notes == ("lib.squeeze: squeeze takes 1 operand, the pattern gives 2",)


def test_nothing_that_matches_is_one_fault_of_the_statement() -> None:
    with pytest.raises(SurgeryError) as caught:
        plan_of("offload table lib", entry("lib.tanh", "tanh(*)"), entry("lib.exp", "exp(*)"))
    assert [d.code for d in caught.value.diagnostics if d.severity == "error"] == ["S283"]


def test_a_table_that_is_not_there_is_a_fault_at_the_statement() -> None:
    def none(name: str) -> PatternTable:
        raise error("S340", f"there is no pattern table {name}")

    spec = parse(Source("cut after %0\noffload table nope", "s.surgery"), form="text")
    with pytest.raises(SurgeryError) as caught:
        make_plan(spec, net(), tables=none)
    (found,) = caught.value.diagnostics
    assert found.code == "S340" and found.span is not None and found.span.line == 2


def test_a_listing_without_tvm_has_no_tables() -> None:
    spec = parse(Source("offload table dnnl", "s.surgery"), form="text")
    with pytest.raises(SurgeryError) as caught:
        make_plan(spec, net())
    assert [d.code for d in caught.value.diagnostics] == ["S343"]
