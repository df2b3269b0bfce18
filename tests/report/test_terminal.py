"""What `surgery plan` prints."""

from dataclasses import replace

from surgery.report.model import Comparison
from surgery.report.terminal import (
    REJECTED_SHOWN,
    Section,
    comparison_lines,
    plan_sections,
    summary_line,
)
from tests.report.plans import conv_plan, layers_plan


def by_title(sections: list[Section]) -> dict[str, str]:
    return {s.title: "\n".join(s.lines) for s in sections}


def test_everything_a_plan_decided_is_there() -> None:
    shown = by_title(plan_sections(conv_plan()))
    assert shown["model"] == ("  conv.json: 7 ops, 10 weights\n  input data  float32(1,8,6,6)")
    assert shown["statements"].splitlines()[:2] == [
        "  output %0 as taps  [conv.surgery:1:1]",
        "      %0 = nn.conv2d(%data, %w0): float32(1,8,6,6)  net/block_1/conv",
    ]
    assert shown["outputs"].splitlines() == [
        "  #  name      value  type                 size  stage",
        "  0  output_0  %8     float32(1,8,6,6)  1.1 KiB      1  kept",
        "  1  raw       %4     float32(1,8,6,6)  1.1 KiB      1  kept",
        "  2  taps      %0     float32(1,8,6,6)  1.1 KiB      0  added",
    ]
    assert shown["crossing values"].splitlines()[1].split() == [
        "hidden", "%3", "float32(1,8,6,6)", "1.1", "KiB", "0", "->", "1", "%4",
    ]  # fmt: skip
    assert "vm (it has an If)" in shown["stages"]
    assert "recomputed" not in shown["stages"]
    assert "bmlib_0(data: float32(1,8,6,6)) -> float32(1,8,6,6)" in shown["offload regions"]
    assert "embeds 5 constants (2.4 KiB)" in shown["offload regions"]
    assert "c = %0" in shown["offload regions"]
    assert "%4 is also used by output 1 (raw)" in shown["rejected near-misses"]
    assert "via tvm (no backend statement" in shown["build"]


def test_summary() -> None:
    assert summary_line(conv_plan()) == (
        "3 outputs (1 added), 2 stages, 1 crossing value (1.1 KiB), 1 region offloaded, "
        "1 site rejected"
    )
    assert summary_line(layers_plan(1)) == "1 output, 1 stage"


def test_long_lists_are_capped_and_say_so_unless_all_is_asked_for() -> None:
    plan = conv_plan()
    (one,) = plan.rejected
    reasons = [f"{one.reason} and {'x' * i}" for i in range(REJECTED_SHOWN + 3)]
    many = replace(plan, rejected=tuple(replace(one, reason=r) for r in reasons))
    short = by_title(plan_sections(many))["rejected near-misses"]
    full = by_title(plan_sections(many, full=True))["rejected near-misses"]
    reason = "%4 is also used by output 1 (raw)"
    assert short.count(reason) == REJECTED_SHOWN
    assert "... and 3 more (--explain shows all)" in short
    assert full.count(reason) == REJECTED_SHOWN + 3
    assert "matched so far: %4, %5" in full
    assert "matched so far" not in short


def test_sites_of_one_reason_are_shown_once() -> None:
    plan = conv_plan()
    (one,) = plan.rejected
    other = replace(one, node=one.node - 1, reason=one.reason.replace("%4", "%12"))
    for full in (False, True):
        shown = by_title(plan_sections(replace(plan, rejected=(one, other)), full=full))
        text = shown["rejected near-misses"]
        assert "2 sites rejected" in text and text.count("is also used by") == 1
        assert f"and 1 site like it: {plan.module.main.label(other.node)}" in text


def test_the_closest_to_a_pattern_that_nothing_comes_near_is_not_counted() -> None:
    plan = conv_plan()
    (one,) = plan.rejected
    assert summary_line(plan).endswith(", 1 site rejected")
    other = replace(plan, rejected=(one, replace(one, excluded=True)))
    assert summary_line(other).endswith(", 1 site rejected, 1 site kept out")
    plan = replace(plan, rejected=(replace(one, distant=True),))
    assert "rejected" not in summary_line(plan)
    assert (
        "nothing comes near; the closest, in 1 place"
        in by_title(plan_sections(plan))["rejected near-misses"]
    )


def test_regions_that_are_alike_are_shown_once() -> None:
    plan = conv_plan()
    region = plan.regions[0]
    twin = replace(region, symbol="bmlib_twin")
    shown = by_title(plan_sections(replace(plan, regions=(region, twin))))["offload regions"]
    assert shown.count("stage 0, ends at") == 1
    assert "and 1 region like it:\n          bmlib_twin(" in shown


def test_recomputed_ops_get_a_column_only_where_there_are_any() -> None:
    plan = conv_plan()
    first, second = plan.stages
    plan = replace(plan, stages=(first, replace(second, recomputed=(first.nodes[0],))))
    assert "recomputed" in by_title(plan_sections(plan))["stages"]


def test_stages_that_share_nothing_are_said_to() -> None:
    plan = replace(conv_plan(), crossings=())
    assert (
        "none: the stages share only graph inputs"
        in by_title(plan_sections(plan))["crossing values"]
    )
    assert "crossing values" not in by_title(plan_sections(layers_plan(1)))


def test_a_passed_constant_is_an_argument_of_the_kernel() -> None:
    plan = conv_plan()
    region = plan.regions[0]
    first, *rest = region.constants
    region = replace(region, constants=(*rest, replace(first, embedded=False)))
    shown = by_title(plan_sections(replace(plan, regions=(region,))))["offload regions"]
    assert "bmlib_0(data: float32(1,8,6,6), w0: float32(8,8,3,3)) -> float32(1,8,6,6)" in shown
    assert "embeds 4 constants (128 B)" in shown


def test_names_from_a_model_cannot_steer_the_terminal() -> None:
    plan = replace(conv_plan(), model_path="evil\x1b[2J\n.json")
    text = "\n".join(line for s in plan_sections(plan) for line in s.lines)
    assert "\x1b" not in text
    assert "evil\\x1b[2J\\n.json" in text


def test_comparisons_show_each_difference() -> None:
    lines = comparison_lines(
        [
            Comparison(name="a", passed=True, cells={"max abs": "1e-07"}),
            Comparison(name="b", passed=False, cells={"max abs": "3"}, note="shape differs"),
        ]
    )
    assert lines == [
        "  output           max abs",
        "  a       ok         1e-07",
        "  b       DIFFERS        3  shape differs",
    ]
