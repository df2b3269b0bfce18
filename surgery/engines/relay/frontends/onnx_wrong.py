"""Forms of ONNX operators that TVM 0.19 converts into something else, without a word."""

from __future__ import annotations

from collections.abc import Mapping

from surgery.engines.relay.frontends.onnx_files import Graph


def wrong_nodes(graph: Graph, opset: int) -> Mapping[str, str]:
    """Return why TVM would convert a node wrongly, by its name."""
    return {}
