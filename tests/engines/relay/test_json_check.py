"""Damaged TVM JSON is refused before TVM's reader, which would crash on it, sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines import get_engine
from surgery.engines.relay.json_check import json_fault

Tree = dict[str, Any]


def tree() -> Tree:
    x, w = relay.var("x", shape=(2, 4)), relay.const([[1.0] * 4] * 4, "float32")
    body = relay.nn.relu(relay.nn.dense(x, w))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([x], body)))
    loaded: Tree = json.loads(tvm.ir.save_json(module))
    return loaded


def first(document: Tree, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(n for n in document["nodes"] if n["type_key"] == kind)
    return found


def place(document: Tree, kind: str) -> str:
    return str(document["nodes"].index(first(document, kind)))


def test_what_tvm_saves_is_sound() -> None:
    assert json_fault(tree()) == ""


DAMAGE: list[tuple[Callable[[Tree], object], str]] = [
    (lambda t: t.update(root=9999), "its root is 9999"),
    (lambda t: first(t, "relay.Call")["attrs"].update(op="0"), "has no op"),
    (lambda t: first(t, "relay.Call")["attrs"].update(args="999999"), "which is no node"),
    (
        lambda t: first(t, "relay.Call")["attrs"].update(op=place(t, "Array")),
        "has a Array as its op",
    ),
    (lambda t: first(t, "Array")["data"].append(10**6), "which isn't there"),
    (lambda t: first(t, "relay.Function").pop("attrs"), "without fields"),
    (lambda t: first(t, "relay.Var")["attrs"].update(vid="0"), "has no vid"),
    (lambda t: first(t, "relay.Constant")["attrs"].update(data="7"), "without its value"),
    (lambda t: first(t, "IntImm")["attrs"].update(span="-1"), "has span '-1'"),
    (lambda t: t["nodes"][3].pop("type_key"), "has no type"),
    (
        lambda t: first(t, "relay.Function")["attrs"].update(body=place(t, "relay.Function")),
        "refers to itself",
    ),
]


@pytest.mark.parametrize(("damage", "reason"), DAMAGE)
def test_damage_is_named(damage: Callable[[Tree], object], reason: str, tmp_path: Path) -> None:
    document = tree()
    damage(document)
    assert reason in json_fault(document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SurgeryError) as caught:
        get_engine("relay").load(str(path))
    assert caught.value.diagnostics[0].code == "S504" and caught.value.exit_status == 5


def test_a_null_operand_would_crash_tvm(tmp_path: Path) -> None:
    # The reason for all of this, shown in a process of its own.
    document = tree()
    first(document, "relay.Call")["attrs"]["op"] = "0"
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    code = (
        "import sys, tvm\n"
        "m = tvm.ir.load_json(open(sys.argv[1]).read())\n"
        "tvm.relay.transform.InferType()(m)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, env=dict(os.environ)
    )
    assert done.returncode != 0
