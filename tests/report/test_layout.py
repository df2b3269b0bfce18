"""Pictures as SVG: well formed, escaped, the same every time."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from surgery.diagnostics import SurgeryError
from surgery.report import layout
from surgery.report.drawing import Arrow, Box, Drawing, draw
from surgery.report.layout import svg, svg_body, to_dot
from tests.report.plans import conv_plan, layers_plan

NAMESPACE = "{http://www.w3.org/2000/svg}"


def classes(text: str) -> list[str]:
    root = ElementTree.fromstring(text)
    return [g.get("class", "") for g in root.iter(f"{NAMESPACE}g")]


def texts(text: str) -> list[str]:
    root = ElementTree.fromstring(text)
    return ["".join(t.itertext()) for t in root.iter(f"{NAMESPACE}text")]


def test_stages_regions_crossings_and_outputs_are_drawn() -> None:
    plan = conv_plan()
    picture = svg(draw(plan.module.main, plan, "conv.surgery"))
    found = classes(picture)
    assert found.count("node op offloaded") == 3
    assert found.count("node op") == 4
    assert found.count("node crossing") == 1
    assert found.count("node output") == 3
    assert found.count("node input") == 1
    assert {"cluster even", "cluster odd", "cluster region"} <= set(found)
    shown = texts(picture)
    assert {"stage_0: 3 ops", "stage_1: 4 ops", "bmlib_0 to bmlib", "hidden"} <= set(shown)
    assert 'aria-label="Graph of conv.surgery"' in picture


def test_the_same_plan_gives_the_same_bytes() -> None:
    plan = layers_plan(24, cut=3)
    assert svg(draw(plan.module.main, plan)) == svg(draw(plan.module.main, plan))


def test_nothing_is_fetched_and_no_layout_program_is_named() -> None:
    plan = conv_plan()
    picture = svg(draw(plan.module.main, plan))
    assert set(re.findall(r"https?://[^\s\"<]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert "graphviz" not in picture
    assert "<script" not in picture


def test_text_from_a_model_is_text() -> None:
    nasty = 'a"b\\n<script>&lt;&amp;\x07\\'
    drawing = Drawing(
        title=nasty, collapsed=0, stages=(nasty, "b"), regions={},
        boxes=(
            Box(id="b0", kind="op", lines=(nasty, "%0"), tooltip=nasty, stage=0),
            Box(id="b1", kind="op", lines=("c",), tooltip="", stage=1),
        ),
        arrows=(Arrow(start="b0", end="b1"),),
    )  # fmt: skip
    picture = svg(drawing)
    assert 'a"b\\n<script>&lt;&amp;\\x07\\' in texts(picture)
    assert "<script" not in picture


def test_the_body_has_no_style_of_its_own() -> None:
    plan = conv_plan()
    body = svg_body(draw(plan.module.main, plan))
    assert body.startswith('<svg class="drawing"')
    assert "<style" not in body
    assert body.endswith("</svg>")


def test_a_region_of_one_box_needs_no_outline() -> None:
    drawing = Drawing(
        title="t", collapsed=0, stages=(), regions={0: "r"}, arrows=(),
        boxes=(Box(id="b0", kind="op", lines=("x",), tooltip="", region=0, offloaded=True),),
    )  # fmt: skip
    assert "subgraph" not in to_dot(drawing)


def test_without_graphviz_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    layout._program.cache_clear()
    try:
        with pytest.raises(SurgeryError) as failure:
            svg(draw(conv_plan().module.main))
    finally:
        layout._program.cache_clear()
    assert failure.value.diagnostics[0].code == "S591"
    assert "graphviz-pure" in failure.value.diagnostics[0].remedy


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (subprocess.TimeoutExpired("dot", 1), "too many uses"),
        (subprocess.CompletedProcess([], 1, b"", b"Error: bad\nmore"), "Error: bad"),
        (subprocess.CompletedProcess([], 0, b"", b""), "ended with status 0"),
    ],
)
def test_a_layout_that_fails_is_a_diagnostic(
    monkeypatch: pytest.MonkeyPatch, failure: object, reason: str
) -> None:
    def run(*_: object, **__: object) -> object:
        if isinstance(failure, Exception):
            raise failure
        return failure

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(SurgeryError) as raised:
        svg(draw(conv_plan().module.main))
    assert raised.value.diagnostics[0].code == "S592"
    assert reason in raised.value.diagnostics[0].reason
