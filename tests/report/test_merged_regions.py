"""What reports say of regions with several kernel calls, and of sites that are kept out."""

from __future__ import annotations

from surgery.planning import plan_json
from surgery.report.html import plan_page
from surgery.report.model import region_kernels, region_shape
from surgery.report.terminal import plan_sections, summary_line
from tests.planning.test_limits import towers
from tests.planning.test_merging import diamond
from tests.planning.test_stages import plan_of
from tests.report.test_terminal import by_title

TEXT = "offload pattern relu to bm\noffload pattern add to bm"


def test_kernel_calls_are_listed_in_the_order_they_run() -> None:
    plan = plan_of(diamond(), TEXT)
    merged = plan.regions[0]
    assert region_shape(merged) == "2 kernel calls: 2 x nn.relu_"
    assert region_kernels(plan, merged) == [
        "%0 = bm_relu_k0(data: float32(2,4)) -> float32(2,4) with x",
        "%2 = bm_relu_k0(data: float32(2,4)) -> float32(2,4) with %0",
    ]
    shown = by_title(plan_sections(plan))["offload regions"]
    assert "bm_relu_0(x: float32(2,4)) -> (float32(2,4), float32(2,4))" in shown
    assert "2 kernel calls: 2 x nn.relu_  to bm, stage 0" in shown
    assert "%2 = bm_relu_k0(data: float32(2,4)) -> float32(2,4) with %0" in shown
    assert summary_line(plan).endswith("2 regions offloaded (3 sites)")


def test_what_is_kept_out_is_no_near_miss() -> None:
    plan = plan_of(towers(), "offload pattern relu to bm min ops 2\nkeep %3 on host")
    shown = by_title(plan_sections(plan, full=True))
    assert "rejected near-misses" not in shown
    assert "`min ops 2`: its region has 1 op" in shown["kept out"]
    assert "its ops: " in shown["kept out"] and "matched so far" not in shown["kept out"]
    assert "%3 stays on the host (`keep %3 on host`)" in shown["kept out"]


def test_the_page_shows_both() -> None:
    page = plan_page(plan_of(towers(), TEXT.splitlines()[0] + " min ops 2"), title="towers")
    assert "2 kernel calls: 2 x nn.relu_, to bm, stage 0" in page
    assert "Kept out" in page and "Rejected near-misses" not in page
    assert "%3 = bm_relu_k0(data: float32(2,4)) -&gt; float32(2,4) with %2" in page


def test_plan_json_tells_where_each_operand_comes_from() -> None:
    document = plan_json(plan_of(diamond(), TEXT + "\nkeep result on host optional"))
    (region,) = document["regions"]  # type: ignore[misc]
    second = region["composites"][1]
    assert second["kernel"] == "bm_relu_k0"
    assert second["operands"] == [
        {
            "name": "data", "shape": [2, 4], "dtype": "float32",
            "source": ["composite", 0, 0], "inplace": False,
        }
    ]  # fmt: skip
    (rejected,) = document["rejected"]  # type: ignore[misc]
    assert rejected["excluded"] is True


def test_the_rule_for_overlapping_sites_is_stated_where_it_was_needed() -> None:
    plan = plan_of(diamond(), "offload pattern relu to a\noffload pattern tanh>add to b")
    assert "of sites that overlap" not in str(by_title(plan_sections(plan)))
    plan = plan_of(diamond(), TEXT + "\noffload pattern tanh>add to b")
    shown = by_title(plan_sections(plan))["kept out"]
    assert "it overlaps the larger site that ends at result" in shown
    assert shown.endswith(
        "of sites that overlap one is taken: what `prefer` says, else the one with more ops, else "
        "the earlier in the model, else the earlier statement"
    )
    assert "of sites that overlap one is taken" in plan_page(plan, title="overlap")
