"""Pictures as SVG: laid out by Graphviz's ``dot``, coloured by classes for light and dark."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sysconfig
from html import escape
from pathlib import Path

from surgery.diagnostics import error
from surgery.report.drawing import Box, Drawing
from surgery.report.text import clean

#: Seconds that a layout may take.
TIMEOUT = 60
_PROLOGUE = re.compile(r"\A.*?(?=<svg)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>\n?", re.DOTALL)
_WIDTH = re.compile(r'<svg width="([\d.]+)pt"')
_XLINK = ' xmlns:xlink="http://www.w3.org/1999/xlink"'

#: Colours come from classes, so that one picture serves both colour schemes.
STYLE = """
.drawing { --ink:#1c2430; --line:#6b7684; --op:#ffffff; --band:#eef2f8; --band2:#f6f0e4;
  --edge:#b9c3d0; --in:#e3eefc; --in-line:#3b78c4; --out:#e2f4e5; --out-line:#2f8a43;
  --cross:#fdeecb; --cross-line:#b97a07; --kernel:#f1e6fb; --kernel-line:#7d3fb8; }
@media (prefers-color-scheme: dark) { .drawing { --ink:#e6eaf0; --line:#8b97a7; --op:#232a35;
  --band:#1a2230; --band2:#272218; --edge:#3c4859; --in:#17304f; --in-line:#6aa5ee;
  --out:#16381f; --out-line:#5fc478; --cross:#46350c; --cross-line:#e0ac3e; --kernel:#35214b;
  --kernel-line:#bb8cf0; } }
.drawing text { fill:var(--ink); font-family:Helvetica,Arial,"Liberation Sans",sans-serif; }
.drawing .node polygon, .drawing .node path { fill:var(--op); stroke:var(--line); }
.drawing .edge path { stroke:var(--line); fill:none; }
.drawing .edge polygon { stroke:var(--line); fill:var(--line); }
.drawing .again path { stroke-dasharray:4 3; }
.drawing .cluster polygon, .drawing .cluster path { fill:var(--band); stroke:var(--edge); }
.drawing .odd polygon, .drawing .odd path { fill:var(--band2); }
.drawing .region polygon, .drawing .region path { fill:none; stroke:var(--kernel-line);
  stroke-width:1.6; }
.drawing .region text { fill:var(--kernel-line); }
.drawing .offloaded polygon, .drawing .offloaded path { fill:var(--kernel);
  stroke:var(--kernel-line); stroke-width:1.6; }
.drawing .input polygon, .drawing .input path { fill:var(--in); stroke:var(--in-line); }
.drawing .output polygon, .drawing .output path { fill:var(--out); stroke:var(--out-line); }
.drawing .crossing polygon, .drawing .crossing path { fill:var(--cross);
  stroke:var(--cross-line); }
"""


def svg(drawing: Drawing) -> str:
    """Return a picture as a self-contained SVG document.

    Raises:
        SurgeryError: S591 when no Graphviz is at hand, S592 when it can't lay the picture out.
    """
    body = svg_body(drawing)
    return body.replace(">", f"><style>{STYLE}</style>", 1) + "\n"


def svg_body(drawing: Drawing) -> str:
    """Return the ``<svg>`` element without its style sheet (:data:`STYLE`), for use in a page."""
    laid_out = _dot(to_dot(drawing))
    tooltips = {box.id: box.tooltip for box in drawing.boxes}

    def title(found: re.Match[str]) -> str:
        text = "\n".join(map(clean, tooltips.get(found.group(1), "").split("\n")))
        return f"<title>{escape(text, quote=False)}</title>\n" if text else ""

    body = _COMMENT.sub("", _PROLOGUE.sub("", laid_out)).replace(_XLINK, "", 1)
    label = escape(clean(f"Graph of {drawing.title}"))
    # In a page a picture shrinks to the room there is, as far as its text stays readable.
    width = _WIDTH.search(body)
    smallest = f"min-width:{float(width[1]) * 0.6:.0f}pt;" if width else ""
    style = f'style="max-width:100%;{smallest}height:auto"'
    body = body.replace(
        "<svg ", f'<svg class="drawing" role="img" aria-label="{label}" {style} ', 1
    )
    return _TITLE.sub(title, body).rstrip()


def to_dot(drawing: Drawing) -> str:
    """Return a picture in Graphviz's language."""
    lines = [
        "digraph surgery {",
        "  graph [bgcolor=transparent, fontname=Helvetica, fontsize=12, nodesep=0.22, "
        'ranksep=0.34, labeljust=l, style="rounded,filled"];',
        '  node [shape=box, style="rounded,filled", fontname=Helvetica, fontsize=10, '
        'margin="0.12,0.06", height=0.3];',
        "  edge [arrowsize=0.6];",
    ]
    free = [b for b in drawing.boxes if b.stage is None or not drawing.stages]
    for stage, title in enumerate(drawing.stages):
        inside = [b for b in drawing.boxes if b.stage == stage]
        parity = "odd" if stage % 2 else "even"
        lines.append(f'  subgraph "cluster_s{stage}" {{ label={_quote(title)}; class="{parity}";')
        lines += _members(drawing, inside, f"s{stage}", "    ")
        lines.append("  }")
    lines += _members(drawing, free, "", "  ")
    for arrow in drawing.arrows:
        again = ' [class="again"]' if arrow.recomputed else ""
        lines.append(f"  {arrow.start} -> {arrow.end}{again};")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _members(drawing: Drawing, boxes: list[Box], where: str, indent: str) -> list[str]:
    """Return boxes, those of one region of several boxes together in an outline."""
    by_region: dict[int | None, list[Box]] = {}
    for box in boxes:
        by_region.setdefault(box.region, []).append(box)
    lines = []
    for region, members in by_region.items():
        if region is None or len(members) < 2:
            lines += [indent + _box(box) for box in members]
            continue
        label = _quote(drawing.regions[region])
        lines.append(
            f'{indent}subgraph "cluster_{where}r{region}" {{ label={label}; class="region"; '
            "fontsize=10;"
        )
        lines += [indent + "  " + _box(box) for box in members]
        lines.append(indent + "}")
    return lines


def _box(box: Box) -> str:
    classes = box.kind + (" offloaded" if box.offloaded else "")
    label = "\\n".join(_escape(line) for line in box.lines)
    return f'{box.id} [label="{label}", class="{classes}"];'


def _escape(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def _quote(text: str) -> str:
    return f'"{_escape(text)}"'


@functools.cache
def _program() -> str:
    for name, folder in (("graphviz-pure", sysconfig.get_path("scripts")), ("graphviz-pure", None),
                         ("dot", None)):  # fmt: skip
        found = shutil.which(name, path=folder)
        if found is not None:
            return str(Path(found))
    raise error(
        "S591",
        "no Graphviz is at hand to lay the picture out",
        reason="neither the package graphviz-pure nor a `dot` program was found",
        remedy="pip install graphviz-pure, or install Graphviz so that `dot` is on the path",
    )


def _dot(text: str) -> str:
    try:
        done = subprocess.run(
            [_program(), "-Tsvg"], input=text.encode(), capture_output=True, timeout=TIMEOUT,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise error(
            "S592",
            f"the picture was not laid out within {TIMEOUT} seconds",
            reason="the graph has too many uses between its boxes",
            remedy="draw a part of it: give `surgery show` a selector, or use --format table",
        ) from None
    except OSError as failure:
        raise error("S592", f"Graphviz could not be started: {failure}") from None
    if done.returncode or b"<svg" not in done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise error(
            "S592",
            "Graphviz could not lay the picture out",
            reason=said[0] if said else f"it ended with status {done.returncode}",
            remedy="use --format table, and report this with the model",
        )
    return done.stdout.decode()
