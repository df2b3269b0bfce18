"""Long graphs and awkward patterns: linear work, no recursion."""

from __future__ import annotations

import pytest

from surgery.graph import Graph, Ref
from surgery.pattern import Found, compile_pattern, find
from surgery.syntax import parse_pattern
from tests.graphs import GraphBuilder
from tests.work import work


def search(graph: Graph, text: str, outputs: frozenset[Ref] | None = None) -> tuple[Found, int]:
    """Return what ``text`` finds, and the calls that finding it took (without the parsing)."""
    compiled = compile_pattern(parse_pattern(text))
    return work(lambda: find(compiled, graph, outputs=outputs))


def adds(size: int) -> Graph:
    b = GraphBuilder()
    at = b.input("x")
    for i in range(size):
        at = b.call("add", at, b.param(f"p{i}"))
    return b.graph(at)


@pytest.mark.parametrize("text", ["elementwise*>add", "add>elementwise*"])
def test_one_run_of_a_long_chain(text: str) -> None:
    def calls(size: int) -> int:
        found, count = search(adds(size), text)
        assert [len(m.ops) for m in found.matches] == [size]
        return count

    # Linear is 4 times (about 200 calls an op); a second run from every op makes it 15.
    assert calls(8_000) < 5 * calls(2_000)


def test_a_long_chain_that_nearly_matches() -> None:
    def calls(size: int) -> int:
        found, count = search(adds(size), "conv2d>elementwise*>add")
        assert found.matches == ()
        return count

    # Linear is 4 times (500 calls an op); a run up the chain from every add makes it 15.
    assert calls(4_000) < 5 * calls(1_000)


def test_thirty_adds_on_a_residual_net() -> None:
    def calls(blocks: int, length: int) -> int:
        b = GraphBuilder()
        at = b.input("x")
        for i in range(blocks):
            branch = b.call("nn.relu", at) if i % 3 else b.call("add", at, b.param(f"p{i}"))
            at = b.call("add", branch, at) if i % 2 else b.call("add", at, branch)
        found, count = search(b.graph(at), ">".join(["add"] * length))
        assert found.matches == ()
        return count

    # Each block has two ways up: a search that tries all of them takes 2**15 times as long for
    # thirty as for fifteen. Here the work is twice as much, and 4.6 times for 4 times the blocks.
    long = calls(300, 30)
    assert long < 2.5 * calls(300, 15)
    assert long < 5 * calls(75, 30)


def test_a_tree_of_adds_has_many_readings_and_one_is_found() -> None:
    b = GraphBuilder()
    level = [b.input(f"x{i}") for i in range(64)]
    while len(level) > 1:
        level = [b.call("add", *level[i : i + 2]) for i in range(0, len(level), 2)]
    found, calls = search(b.graph(level[0]), ">".join(["add"] * 63))
    assert [len(m.ops) for m in found.matches] == [63]
    assert len(found.matches[0].slots) == 64
    # 57 for each op and element of the pattern, 51 with half of both; the readings are countless.
    assert calls < 80 * 63 * 63


def test_a_wide_concatenate() -> None:
    def calls(width: int) -> int:
        b = GraphBuilder()
        x = b.input("x")
        parts = [b.call("nn.relu" if i % 2 else "tanh", x) for i in range(width)]
        graph = b.graph(b.call("concatenate", b.tuple(*parts)))
        found, count = search(graph, "tanh>relu>tanh>concatenate")
        (match,) = found.matches
        assert [graph.ops[i] for i in match.ops] == ["tanh", "nn.relu", "tanh", "concatenate"]
        assert list(match.ops) == sorted(match.ops)
        assert len(match.slots) == 3 + width - 3
        return count

    # Linear is 4 times (150 calls an operand); a try of every pair of operands makes it 15.
    assert calls(800) < 5 * calls(200)


def test_the_work_grows_with_the_graph() -> None:
    def calls(blocks: int) -> int:
        b = GraphBuilder()
        at, w = b.input("x"), b.param("w")
        for i in range(blocks):
            biased = b.call("nn.bias_add", b.call("nn.conv2d", at, w), w)
            at = b.call("nn.relu" if i % 3 else "tanh", biased)
        found, count = search(b.graph(at), "conv2d>bias_add>relu")
        assert len(found.matches) == blocks * 2 // 3
        assert len(found.near_misses) == blocks - blocks * 2 // 3
        return count

    # Linear is 4 times (440 calls a block); a call for each pair of blocks makes it 14.
    assert calls(4_000) < 5 * calls(1_000)


def test_many_sites_beside_many_outputs() -> None:
    def calls(size: int) -> int:
        graph = adds(size)
        outputs = frozenset(Ref(i) for i in [*range(2, 2 * size, 4), graph.result])
        found, count = search(graph, "add", outputs)
        assert len(found.matches) == size
        return count

    # Every site looks at its own outputs only: linear is 4 times (164 calls an op), a look at
    # every output makes it 15.
    assert calls(8_000) < 5 * calls(2_000)
