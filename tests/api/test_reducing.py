"""``reduce``: commands that fail on models, specs that don't apply, and what is left of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.api.reducing import Reduced, reduce
from surgery.diagnostics import SurgeryError
from surgery.graph import Module
from tests.verification.plants import bert, module, named

# What a model computes on its inputs isn't finite.
NOT_FINITE = """
import sys, numpy as np, tvm
from tvm import relay
from tvm.contrib import graph_executor
model, params, inputs = sys.argv[1:4]
module = tvm.ir.load_json(open(model).read())
weights = relay.load_param_dict(open(params, "rb").read()) if params else {}
with tvm.transform.PassContext(opt_level=0):
    library = relay.build(module, "llvm", params=weights)
runner = graph_executor.GraphModule(library["default"](tvm.cpu()))
runner.run(**dict(np.load(inputs)))
values = [runner.get_output(i).numpy() for i in range(runner.get_num_outputs())]
finite = all(np.isfinite(value).all() for value in values)
print("finite" if finite else "NOT FINITE")
sys.exit(0 if finite else 1)
"""


def has_op(name: str, then: str = "exit 9", otherwise: str = "exit 0") -> str:
    """Return a check that looks for an op in the model's file; no compiler makes it fast."""
    return f"if grep -q '\"{name}\"' {{model}}; then {then}; else {otherwise}; fi"


def check(folder: Path, code: str, arguments: str) -> str:
    script = folder / "check.py"
    script.write_text(code)
    return f"{sys.executable} {script} {arguments}"


def save(folder: Path, net: tvm.IRModule) -> Path:
    path = folder / "net.json"
    path.write_text(tvm.ir.save_json(net))
    return path


def shown(done: Reduced) -> Module:
    return surgery.load_picture(done.folder / "module.json")


def test_what_fails_for_one_op_becomes_that_op(tmp_path: Path) -> None:
    done = reduce(
        save(tmp_path, bert(layers=3)), tmp_path / "small",
        check=has_op("nn.softmax"),
    )  # fmt: skip
    assert (done.ops, done.stopped, done.failure.state) == (1, "", 9)
    graph = shown(done).main
    assert [graph.ops[i] for i in range(len(graph)) if graph.kinds[i] == "call"] == ["nn.softmax"]
    assert done.runs < 30 and done.ops_before > 90
    manifest = json.loads((done.folder / "reduced.json").read_text())
    assert manifest["ops"] == 1 and manifest["stopped"] is None


def test_parts_get_the_values_that_the_model_computes(tmp_path: Path) -> None:
    """Only ``log`` makes a NaN of what it gets; the ops after it hand that on."""
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    y = relay.nn.relu(relay.nn.dense(x, w))
    y = relay.subtract(relay.tanh(y), relay.const(np.float32(0.5)))
    y = relay.add(relay.log(y), relay.exp(x))
    net = named(module([x, w], relay.tanh(relay.multiply(y, relay.const(np.float32(2.0))))))
    weights = {"w": tvm.nd.array(np.eye(4, dtype="float32"))}
    (tmp_path / "net.params").write_bytes(relay.save_param_dict(weights))
    inputs = {"x": np.linspace(-1, 2, 8, dtype="float32").reshape(2, 4)}
    done = reduce(
        save(tmp_path, net), tmp_path / "small", params=tmp_path / "net.params", inputs=inputs,
        check=check(tmp_path, NOT_FINITE, "{model} {params} {inputs}"),
    )  # fmt: skip
    graph = shown(done).main
    assert [graph.ops[i] for i in range(len(graph)) if graph.kinds[i] == "call"] == ["log"]
    with np.load(done.folder / "inputs.npz") as left:
        (value,) = left.values()
    expected = np.tanh(np.maximum(inputs["x"], 0)) - np.float32(0.5)
    np.testing.assert_allclose(value, expected, rtol=1e-4)
    assert done.notes == ()


def test_a_pattern_in_the_output_decides(tmp_path: Path) -> None:
    command = has_op("nn.softmax", "echo BAD; exit 3", "echo good; exit 3")
    done = reduce(save(tmp_path, bert()), tmp_path / "small", check=command, pattern="^BAD$")
    assert done.ops == 1
    # Without it the exit state is that of every model: the smallest of all is one op of any kind.
    assert reduce(tmp_path / "net.json", tmp_path / "any", check=command).ops == 1


def test_another_failure_is_not_followed(tmp_path: Path) -> None:
    """Small models fail too, but in another state: reduction must not slip to that."""
    large = "[ $(grep -c relay.Call {model}) -ge 12 ] && exit 9; exit 5"
    done = reduce(save(tmp_path, bert()), tmp_path / "small", check=large)
    assert done.ops == 12 and done.failure.state == 9


def test_a_spec_that_does_not_apply_keeps_what_it_needs(tmp_path: Path) -> None:
    """TVM's own fault (SimplifyExpr on ``add(y, y)``) is left, with the spec that shows it."""
    x = relay.var("x", shape=(2, 4))
    w = relay.const(np.eye(4, dtype="float32"))
    y = relay.nn.relu(relay.nn.dense(x, w))
    net = named(module([x], relay.exp(relay.tanh(relay.add(y, y)))))
    save(tmp_path, net)
    spec = surgery.parse_spec('model "net.json"; output c0 as first optional; build opt 3')
    done = reduce(spec, tmp_path / "small", base=tmp_path)
    assert done.failure.code == "S415" and done.failure.state == 4
    assert done.ops < 5 and "add" in "".join(done.described)
    text = (done.folder / "spec.surgery").read_text()
    assert 'model "module.json"' in text and "build opt 3" in text
    with pytest.raises(SurgeryError) as caught:
        surgery.apply(
            surgery.load_spec(done.folder / "spec.surgery"), tmp_path / "out", base=done.folder
        )
    assert caught.value.diagnostics[0].code == "S415"


def codes(failure: pytest.ExceptionInfo[SurgeryError]) -> list[str]:
    return [d.code for d in failure.value.diagnostics]


@pytest.mark.parametrize(
    ("command", "pattern", "code"),
    [
        ("true {model}", None, "S369"),
        ("false", None, "S371"),
        ("false {spec}", None, "S371"),
        (None, None, "S371"),
        ("false {model}", "(", "S371"),
        ("exit $(( $(date +%N) % 2 + $(cat count 2>/dev/null | wc -l) )) # {model}", None, None),
    ],
)
def test_checks_that_are_none(
    tmp_path: Path, command: str | None, pattern: str | None, code: str | None
) -> None:
    if code is None:
        counter = tmp_path / "count"
        command, code = f"echo x >> {counter}; exit $(wc -l < {counter}) # {{model}}", "S370"
    path = save(tmp_path, bert(layers=1))
    with pytest.raises(SurgeryError) as caught:
        reduce(path, tmp_path / "small", check=command, pattern=pattern)
    assert codes(caught) == [code]
    assert not (tmp_path / "small").exists()


def test_limits_keep_the_smallest_so_far(tmp_path: Path) -> None:
    path = save(tmp_path, bert(layers=3))
    command = has_op("nn.softmax")
    done = reduce(path, tmp_path / "small", check=command, max_runs=5)
    assert done.runs == 5 and done.stopped == "after 5 runs"
    assert 1 < done.ops < done.ops_before
    assert done.ops == sum(k == "call" for k in shown(done).main.kinds)


def test_a_check_that_hangs_is_ended(tmp_path: Path) -> None:
    """The whole model takes longer than allowed: that is the failure, of ``tanh`` here."""
    command = has_op("tanh", "sleep 60")
    x = relay.var("x", shape=(2, 4))
    net = module([x], relay.exp(relay.tanh(relay.nn.relu(x))))
    done = reduce(save(tmp_path, net), tmp_path / "small", check=command, timeout=1)
    assert done.ops == 1 and done.failure.state is None
    assert str(done.failure) == "took too long"
