"""What is shown of a balanced cut, and of sending or computing again what stages share."""

from __future__ import annotations

import pytest

from surgery.planning import Plan
from surgery.report.html import plan_page
from surgery.report.terminal import outcome_sections, plan_sections
from surgery.report.text import human_flops
from tests.graphs import GraphBuilder
from tests.planning.test_stages import plan_of
from tests.report.test_html import checked

F = "float32(1000)"


def balanced(text: str) -> Plan:
    """Return a plan of six ops of which two read `tanh(w)`."""
    b = GraphBuilder()
    scale = b.call("tanh", b.param("w", F), type=F, name="scale")
    value = b.call("add", b.input("x", F), scale, type=F, name="a/add")
    value = b.call("tanh", value, type=F, name="a/tanh")
    value = b.call("multiply", value, scale, type=F, name="b/multiply")
    value = b.call("tanh", value, type=F, name="b/tanh")
    return plan_of(b.module(b.call("my.op", value, type=F)), text)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 FLOPs"), (1, "1 FLOP"), (999, "999 FLOPs"), (1000, "1 kFLOPs"),
     (999_600, "1 MFLOPs"), (22_487_578_626, "22.5 GFLOPs"), (5 * 10**18, "5e+03 PFLOPs")],
)  # fmt: skip
def test_operations_for_people(count: int, text: str) -> None:
    assert human_flops(count) == text


def test_the_terminal_shows_costs_places_and_what_was_weighed() -> None:
    plan = balanced("cut into 2 stages by flops; recompute constants")
    shown = {s.title: s.lines for s in plan_sections(plan)}
    assert list(shown["balance"]) == [
        "  cut into 2 stages by flops: FLOPs of each stage",
        "    stage0  11 kFLOPs  47.8%",
        "    stage1  12 kFLOPs  52.2%  slowest",
        "  stages  place         live bytes  source name",
        "  0 | 1   cut after %2     3.9 KiB  a/tanh",
        "  what depends on no runtime input counts as nothing: the build folds it",
        "  without a known cost: my.op",
    ]
    assert list(shown["transfer or recompute"]) == [
        "  value  stages  choice     sending it, a run  computing it again",
        "  %2     0 -> 1  transfer             3.9 KiB  11 kFLOPs, 3 ops",
        "  %0     0 -> 1  recompute            3.9 KiB  0 FLOPs (folded), 1 op",
        "  computing again saves 3.9 KiB a run, and adds 0 FLOPs",
    ]
    assert "balance" in {s.title for s in outcome_sections(plan)}


def test_the_page_shows_the_same() -> None:
    text = " ".join(checked(plan_page(balanced("cut into 2 stages by bytes"), title="x")).text)
    for said in ("Balance", "bytes read and written", "cut after %2", "Transfer or recompute",
                 "0 FLOPs (folded), 1 op", "slowest"):  # fmt: skip
        assert said in text


def test_a_plan_without_a_balanced_cut_says_nothing_of_it() -> None:
    shown = {s.title for s in plan_sections(balanced("cut after %2"))}
    assert "balance" not in shown and "transfer or recompute" in shown
    whole = {s.title for s in plan_sections(balanced("output %2 as seen"))}
    assert "transfer or recompute" not in whole


def test_many_values_are_capped() -> None:
    b = GraphBuilder()
    x = b.input("x", F)
    values = [b.call("tanh", x, type=F) for _ in range(20)]
    module = b.module(b.tuple(*(b.call("nn.relu", v, type=F) for v in values)))
    plan = plan_of(module, "cut after op tanh")
    lines = next(s.lines for s in plan_sections(plan) if s.title == "transfer or recompute")
    assert len(lines) == 14 and lines[-1] == "  ... and 8 more (--explain shows all)"
    full = {s.title: s.lines for s in plan_sections(plan, full=True)}
    assert len(full["transfer or recompute"]) == 21
