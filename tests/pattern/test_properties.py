"""Random graphs: the search agrees with a matcher that tries everything."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from surgery.graph import Graph, Ref
from surgery.pattern import compile_pattern, find
from surgery.syntax import ast
from tests.graphs import GraphBuilder

OPS = ("nn.relu", "tanh", "add", "multiply", "concatenate", "nn.batch_norm", "split")


@st.composite
def graphs(draw: st.DrawFn, size: int = 8) -> Graph:
    b = GraphBuilder()
    values = [b.input("x"), b.input("y"), b.param("w")]
    for _ in range(draw(st.integers(3, size))):
        # Mostly the newest value, so that chains grow.
        pick = st.sampled_from([*values[-4:], *values[-2:], *[values[-1]] * 4])
        match draw(st.sampled_from(OPS)):
            case "concatenate":
                parts = draw(st.lists(pick, min_size=1, max_size=3))
                values.append(b.call("concatenate", b.tuple(*parts)))
            case "nn.batch_norm":
                norm = b.call("nn.batch_norm", draw(pick), values[2], type="int8();int8();int8()")
                values.append(b.field(norm, 0))
                if draw(st.integers(0, 3)) == 0:
                    values.append(b.field(norm, draw(st.integers(0, 2))))
            case "split":
                parts_of = b.call("split", draw(pick), type="int8();int8()")
                values += [b.field(parts_of, draw(st.integers(0, 1)))]
            case "add" | "multiply" as op:
                values.append(b.call(op, draw(pick), draw(pick)))
            case op:
                values.append(b.call(op, draw(pick)))
    results = [values[-1], *draw(st.lists(st.sampled_from(values[-4:]), max_size=1))]
    return b.graph(results[0] if len(results) == 1 else b.tuple(*results))


@st.composite
def searches(draw: st.DrawFn, size: int = 8) -> tuple[Graph, list[str]]:
    """A graph and a chain: half of them one that lies in the graph somewhere."""
    graph = draw(graphs(size))
    calls = [i for i, kind in enumerate(graph.kinds) if kind == "call"]
    if draw(st.integers(0, 3)) == 0:
        return graph, draw(st.lists(st.sampled_from(OPS[:6]), min_size=1, max_size=4))
    root = draw(st.sampled_from(calls[-3:]))
    order: list[int] = []
    stack: list[tuple[int, bool]] = [(root, False)]
    taken_ops = 1
    while stack:
        at, done = stack.pop()
        if done:
            order.append(at)
            continue
        stack.append((at, True))
        operands = [r.node for r in taken(graph, at) if graph.kinds[r.node] == "call"]
        for operand in draw(st.permutations(operands)) if operands else []:
            if taken_ops < 4 and draw(st.integers(0, 7)):
                taken_ops += 1
                stack.append((operand, False))
    return graph, [graph.ops[i] for i in order]


def taken(graph: Graph, call: int) -> list[Ref]:
    """What a call takes, tuples opened."""
    return [leaf for operand in graph.operands[call] for leaf in open_(graph, operand)]


def open_(graph: Graph, operand: int) -> list[Ref]:
    if graph.kinds[operand] == "tuple":
        return [leaf for inner in graph.operands[operand] for leaf in open_(graph, inner)]
    return [graph.resolve(operand)]


def everything(graph: Graph, chain: list[str]) -> dict[int, set[frozenset[int]]]:
    """Return by last op the sets of ops that a chain can be, found by trying all."""
    alive = set()
    stack = [ref.node for ref in graph.outputs]
    while stack:
        at = stack.pop()
        if at not in alive:
            alive.add(at)
            stack.extend(graph.operands[at])
    calls = [i for i in sorted(alive) if graph.kinds[i] == "call"]
    uses = Counter(ref for call in calls for ref in taken(graph, call))
    uses.update(graph.outputs)
    wanted = {c: Ref(c, (0,)) if graph.ops[c] == "nn.batch_norm" else Ref(c) for c in calls}

    def sole(call: int) -> bool:
        return uses[wanted[call]] == 1 and not any(
            r.node == call and r != wanted[call] for r in uses
        )

    user: dict[int, int] = {}
    for call in calls:
        for ref in taken(graph, call):
            if ref.node in wanted and ref == wanted[ref.node]:
                user[ref.node] = call
    found: dict[int, set[frozenset[int]]] = {}
    options = [[c for c in calls if graph.ops[c] == op] for op in chain]
    for nodes in product(*options):
        if len(set(nodes)) != len(nodes):
            continue
        pending: list[int] = []
        for node in nodes:
            while pending and user.get(pending[-1]) == node and sole(pending[-1]):
                pending.pop()
            pending.append(node)
        root = nodes[-1]
        if pending != [root]:
            continue
        if graph.ops[root] == "nn.batch_norm" and any(
            r.node == root and r != wanted[root] for r in uses
        ):
            continue
        found.setdefault(root, set()).add(frozenset(nodes))
    return found


def pattern(chain: list[str]) -> ast.Pattern:
    elements = tuple(ast.OpPattern(op=op) for op in chain)
    return elements[0] if len(elements) == 1 else ast.Chain(elements=elements)


@settings(max_examples=400, deadline=None)
@given(searches())
def test_a_chain_is_found_exactly_where_it_is(search: tuple[Graph, list[str]]) -> None:
    graph, chain = search
    found = find(compile_pattern(pattern(chain)), graph)
    expected = everything(graph, chain)
    assert {m.ops[-1] for m in found.matches} == set(expected)
    for match in found.matches:
        assert frozenset(match.ops) in expected[match.ops[-1]]
        assert [graph.ops[i] for i in match.ops] == chain


@settings(max_examples=200, deadline=None)
@given(searches(size=12))
def test_a_site_holds_its_ops_and_reads_each_leaf(search: tuple[Graph, list[str]]) -> None:
    graph, chain = search
    found = find(compile_pattern(pattern(chain)), graph)
    for match in found.matches:
        inside = set(match.nodes)
        read = set()
        for node in match.nodes:
            if node == match.ops[-1] or graph.kinds[node] != "field":
                for index, operand in enumerate(graph.operands[node]):
                    if operand not in inside:
                        read.add((node, index))
        assert {(s.node, s.operand_index) for s in match.slots} == read
        assert len(match.slots) == len(read)
        assert all(s.value.node not in match.ops for s in match.slots)
    matched = {op for m in found.matches for op in m.ops}
    for miss in found.near_misses:
        assert miss.reason
        assert not set(miss.matched) <= matched


@settings(max_examples=150, deadline=None)
@given(searches(size=10), st.integers(0, 3))
def test_an_optional_op_is_both_chains(search: tuple[Graph, list[str]], at: int) -> None:
    graph, chain = search
    at %= len(chain)
    if len(chain) == 1:
        chain = [*chain, "nn.relu"]
    elements = tuple(ast.OpPattern(op=op, optional=i == at) for i, op in enumerate(chain))
    found = find(compile_pattern(ast.Chain(elements=elements)), graph)
    with_, without = everything(graph, chain), everything(graph, chain[:at] + chain[at + 1 :])
    sites = [
        (root, ops)
        for expected in (with_, without)
        for root, choices in expected.items()
        for ops in choices
    ]
    for match in found.matches:
        assert (match.ops[-1], frozenset(match.ops)) in sites
    # What isn't there is a part of what is.
    whole = [frozenset(m.ops) for m in found.matches]
    for root, ops in sites:
        assert any(root in other for other in whole), (root, ops)
