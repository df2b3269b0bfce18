"""report.html: whole, escaped, self-contained, the same every time."""

import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from surgery.diagnostics import Diagnostic
from surgery.report import layout
from surgery.report.html import model_page, plan_page
from surgery.report.listing import listed
from surgery.report.model import Comparison
from tests.report.plans import conv_plan, layers_plan

VOID = {"meta", "br", "link", "img"}


class Checker(HTMLParser):
    """Fails on a tag that is closed out of order; collects text, ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            elif key == "href":
                self.links.append(value or "")
            elif key == "src" or key.startswith("on"):
                self.sources.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def conv_page() -> str:
    return plan_page(
        conv_plan(),
        title="conv.surgery",
        comparisons=[
            Comparison(name="taps", passed=True, cells={"max abs": "1e-07"}),
            Comparison(name="raw", passed=False, cells={"max abs": "3"}, note="far off"),
        ],
        tolerance="rtol 0.0001, atol 1e-05",
        versions={"surgery": "0.1.0", "tvm": "0.19.0"},
        notes=[Diagnostic(code="S560", message="a <key> is unknown", severity="warning")],
    )


def test_every_part_is_on_the_page() -> None:
    text = "\n".join(checked(conv_page()).text)
    for part in (
        "Picture", "Verification", "Outputs", "Crossing values", "Stages", "Offload regions",
        "Rejected near-misses", "Statements", "Build options", "Warnings and notes", "Versions",
        "bmlib_0(data: float32(1,8,6,6)) -> float32(1,8,6,6)", "embeds 5 constants (2.4 KiB)",
        "%4 is also used by output 1 (raw)", "conv.surgery:2:1", "vm (it has an If)", "far off",
        "Verification: differs in raw", "rtol 0.0001, atol 1e-05", "relay.FuseOps.max_depth",
        "0.19.0", "share %0 by recompute", "a <key> is unknown", "net/head/<softmax>",
    ):  # fmt: skip
        assert part in text, part


def test_it_is_self_contained_and_its_links_lead_somewhere() -> None:
    page = conv_page()
    checker = checked(page)
    assert checker.sources == []
    assert all(link[0] == "#" and link[1:] in checker.ids for link in checker.links)
    assert set(re.findall(r"https?://[^\s\"<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in page
    assert "url(" not in page
    assert len(checker.ids) == len(set(checker.ids))


def test_both_colour_schemes_are_styled() -> None:
    page = conv_page()
    assert page.count("prefers-color-scheme") == 2
    assert "color-scheme:light dark" in page


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert conv_page() == conv_page()


def test_names_are_escaped() -> None:
    plan = conv_plan()
    evil = '<script>alert("1")</script>\x00'
    first = plan.outputs[0]
    plan = replace(plan, model_path=evil, outputs=(replace(first, name=evil), *plan.outputs[1:]))
    page = plan_page(plan, title=evil)
    checked(page)
    assert "<script" not in page
    assert "\x00" not in page
    assert page.count("&lt;script&gt;") >= 4


def test_sections_with_nothing_in_them_are_left_out() -> None:
    text = "\n".join(checked(plan_page(layers_plan(1), title="t")).text)
    for part in ("Verification", "Crossing values", "Offload regions", "Rejected", "Versions"):
        assert part not in text


def test_long_lists_are_folded() -> None:
    plan = conv_plan()
    (one,) = plan.rejected
    many = tuple(replace(one, reason=f"reason {'x' * i}") for i in range(20))
    page = plan_page(replace(plan, rejected=many), title="t")
    checked(page)
    assert re.search(r"<details><summary><code>offload[^<]*: 20 sites rejected</code>", page)
    page = plan_page(replace(plan, rejected=plan.rejected * 20), title="t")
    checked(page)
    assert page.count(one.reason) == 1
    assert "<summary>19 sites like it</summary>" in page


def test_a_collapsed_picture_says_so() -> None:
    page = plan_page(layers_plan(24), title="t")
    assert "242 ops: each box stands for the ops of one part" in page


def test_without_graphviz_the_page_is_whole_but_for_the_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    layout._program.cache_clear()
    try:
        page = plan_page(conv_plan(), title="t")
    finally:
        layout._program.cache_clear()
    checked(page)
    assert "No picture: no Graphviz is at hand" in page
    assert "<svg" not in page
    assert "bmlib_0(data" in page


def test_a_model_page_lists_its_values() -> None:
    module = conv_plan().module
    page = model_page(module, listed(module, None), title="conv.json")
    text = "\n".join(checked(page).text)
    assert "Values of @main" in text
    assert "nn.conv2d(%data, %w0)" in text
