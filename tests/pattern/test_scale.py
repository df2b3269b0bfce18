"""Long graphs and awkward patterns: linear time, no recursion."""

from __future__ import annotations

import time

from surgery.graph import Graph, Ref
from surgery.pattern import Found, compile_pattern, find
from surgery.syntax import parse_pattern
from tests.graphs import GraphBuilder


def search(graph: Graph, text: str) -> tuple[Found, float]:
    compiled = compile_pattern(parse_pattern(text))
    start = time.process_time()
    found = find(compiled, graph)
    return found, time.process_time() - start


def adds(size: int) -> Graph:
    b = GraphBuilder()
    at = b.input("x")
    for i in range(size):
        at = b.call("add", at, b.param(f"p{i}"))
    return b.graph(at)


def test_one_run_of_a_long_chain() -> None:
    size = 20_000
    graph = adds(size)
    found, seconds = search(graph, "elementwise*>add")
    assert [len(m.ops) for m in found.matches] == [size]
    assert seconds < 15
    found, seconds = search(graph, "add>elementwise*")
    assert [len(m.ops) for m in found.matches] == [size]
    assert seconds < 15


def test_a_long_chain_that_nearly_matches() -> None:
    found, seconds = search(adds(20_000), "conv2d>elementwise*>add")
    assert found.matches == ()
    assert seconds < 30


def test_thirty_adds_on_a_residual_net() -> None:
    b = GraphBuilder()
    at = b.input("x")
    for i in range(300):
        branch = b.call("nn.relu", at) if i % 3 else b.call("add", at, b.param(f"p{i}"))
        at = b.call("add", branch, at) if i % 2 else b.call("add", at, branch)
    found, seconds = search(b.graph(at), ">".join(["add"] * 30))
    assert seconds < 15
    assert found.matches == ()


def test_a_tree_of_adds_has_many_readings_and_one_is_found() -> None:
    b = GraphBuilder()
    level = [b.input(f"x{i}") for i in range(64)]
    while len(level) > 1:
        level = [b.call("add", *level[i : i + 2]) for i in range(0, len(level), 2)]
    found, seconds = search(b.graph(level[0]), ">".join(["add"] * 63))
    assert [len(m.ops) for m in found.matches] == [63]
    assert len(found.matches[0].slots) == 64
    assert seconds < 15


def test_a_wide_concatenate() -> None:
    b = GraphBuilder()
    x = b.input("x")
    parts = [b.call("nn.relu" if i % 2 else "tanh", x) for i in range(200)]
    graph = b.graph(b.call("concatenate", b.tuple(*parts)))
    found, seconds = search(graph, "tanh>relu>tanh>concatenate")
    (match,) = found.matches
    assert [graph.ops[i] for i in match.ops] == ["tanh", "nn.relu", "tanh", "concatenate"]
    assert list(match.ops) == sorted(match.ops)
    assert len(match.slots) == 3 + 197
    assert seconds < 15


def test_time_grows_with_the_graph() -> None:
    def block_chain(size: int) -> Graph:
        b = GraphBuilder()
        at, w = b.input("x"), b.param("w")
        for i in range(size):
            biased = b.call("nn.bias_add", b.call("nn.conv2d", at, w), w)
            at = b.call("nn.relu" if i % 3 else "tanh", biased)
        return b.graph(at)

    small, large = block_chain(1_000), block_chain(8_000)
    search(small, "conv2d>bias_add>relu")
    first = min(search(small, "conv2d>bias_add>relu")[1] for _ in range(3))
    found, second = search(large, "conv2d>bias_add>relu")
    assert len(found.matches) == 5_333
    assert len(found.near_misses) == 2_667
    # Eight times the ops; 1.2 as exponent would be 12 times the time, noise left room.
    assert second < 24 * max(first, 0.005)


def test_many_sites_beside_many_outputs() -> None:
    graph = adds(16_000)
    outputs = frozenset(Ref(i) for i in [*range(2, 32_000, 4), graph.result])
    start = time.process_time()
    found = find(compile_pattern(parse_pattern("add")), graph, outputs=outputs)
    assert len(found.matches) == 16_000
    # Every site looks at its own outputs only.
    assert time.process_time() - start < 10
