"""Every piece that needs no prepared files runs on a tiny model and gives its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import pieces

pytest.importorskip("tvm")

SMALL: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("cut_ours", (4, 1), {"stages": 4}),
    ("cut_graph_split", (4, 1), {"stages": 4}),
    ("cut_linear", (4, 1), {"stages": 4}),
    ("outputs_ours", (2, 3, 1), {}),
    ("outputs_tvm", (2, 3, 1), {}),
    ("offload_ours", (1, 1), {}),
    ("offload_byoc", (1, 1), {}),
    ("chain_ours", (40, "add>relu"), {}),
    ("core_plan", (40, True), {}),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), SMALL, ids=[s[0] for s in SMALL])
def test_a_piece_runs(name: str, arguments: tuple[Any, ...], expected: dict[str, Any]) -> None:
    numbers = getattr(pieces, name)(*arguments)
    assert numbers["cpu"] > 0
    assert {k: numbers[k] for k in expected} == expected


def test_ours_and_the_references_cut_alike() -> None:
    ours = pieces.cut_ours(4, 1)["crossings"]
    assert [c[0] for c in ours] == sorted(c[0] for c in ours)
    assert any(len(targets) > 1 for _, targets in ours), "the mask goes to every later stage"
