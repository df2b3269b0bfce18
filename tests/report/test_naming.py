"""The hierarchy of source names: counts, folding, names without structure."""

from __future__ import annotations

from surgery.graph import Graph, Ref
from surgery.report import name_tree, tree_json, tree_lines
from tests.report.plans import named_chain


def _refs(graph: Graph) -> list[Ref]:
    return [Ref(i) for i in range(len(graph))]


def _lines(*names: str | None, depth: int | None = None) -> list[str]:
    graph = named_chain(names)
    return [_narrow(line) for line in tree_lines(name_tree(graph, _refs(graph)), depth)]


def _narrow(line: str) -> str:
    """Return a line with its indent, and one space between columns."""
    text = line.lstrip()
    return " " * (len(line) - len(text)) + " ".join(text.split())


def test_ops_are_counted_at_every_level() -> None:
    assert _lines("net/a/MatMul", "net/a/MatMul", "net/a/Add", "net/b/Add") == [
        "name ops computed by",
        "net 4",
        "  a 3",
        "    MatMul 2 nn.relu x2",
        "    Add 1 nn.relu",
        "  b/Add 1 nn.relu",
    ]


def test_layers_that_are_alike_are_one_line() -> None:
    names = [f"enc/layer_._{n}/{op}" for n in range(4) for op in ("MatMul", f"Add_{n}")]
    assert _lines(*names) == [
        "name ops computed by",
        "enc 8",
        "  layer_._0 2",
        "    MatMul 1 nn.relu",
        "    Add_0 1 nn.relu",
        "  layer_._1 ... layer_._3 2 each 3 more like layer_._0",
    ]


def test_a_layer_that_differs_is_shown() -> None:
    names = ["layer_0/A", "layer_0/B", "layer_1/A", "layer_1/C", "layer_2/A", "layer_2/B"]
    assert _lines(*names)[1:] == [
        "layer_0 2",
        "  A 1 nn.relu",
        "  B 1 nn.relu",
        "layer_2 2 1 more like layer_0",
        "layer_1 2",
        "  A 1 nn.relu",
        "  C 1 nn.relu",
    ]


def test_names_with_dots_are_split_at_them() -> None:
    assert _lines("bert.encoder.layer.0.query", "bert.encoder.pooler") == [
        "name ops computed by",
        "bert.encoder 2",
        "  layer.0.query 1 nn.relu",
        "  pooler 1 nn.relu",
    ]


def test_ops_without_a_name_are_counted_apart() -> None:
    assert _lines("a", None, None)[-1].split() == ["(without", "a", "name)", "2", "nn.relu", "x2"]


def test_depth_limits_the_levels_but_not_the_counts() -> None:
    assert _lines("net/a/x", "net/b/y", depth=1) == ["name ops computed by", "net 2"]


def test_json_has_whole_runs_that_selectors_take() -> None:
    graph = named_chain(["net/a/x", "net/a/y", None])
    assert tree_json(name_tree(graph, _refs(graph))) == [
        {"name": "net", "ops": 2, "own": {}},
        {"name": "net/a", "ops": 2, "own": {}},
        {"name": "net/a/x", "ops": 1, "own": {"nn.relu": 1}},
        {"name": "net/a/y", "ops": 1, "own": {"nn.relu": 1}},
        {"name": None, "ops": 1, "own": {"nn.relu": 1}},
    ]
