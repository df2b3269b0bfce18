"""``verify each`` from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tvm
from tvm import relay

from tests.cli.ran import Surgery
from tests.verification.plants import module


def test_the_pass_that_changes_the_values_is_named(surgery: Surgery, tmp_path: Path) -> None:
    w = relay.const(np.random.default_rng(0).normal(size=(4, 4)).astype("float32"))
    net = module([x := relay.var("x", shape=(2, 4))], relay.tanh(relay.nn.dense(x, w)))
    (tmp_path / "net.json").write_text(tvm.ir.save_json(net))
    spec = tmp_path / "s.surgery"
    spec.write_text('model "net.json"\nprepare FastMath\noutput %0 as first\nverify each\n')
    ran = surgery("apply", "s.surgery", "-o", "out")
    assert ran.status == 0, ran.err
    table = ran.out[ran.out.index("passes (") :].splitlines()
    assert table[0] == "passes (4 builds of the whole model):"
    assert table[2].split()[0] == "FastMath" and table[2].split()[-1] == "ok"
    spec.write_text('model "net.json"\nprepare FastMath\nverify each rtol 1e-9 atol 1e-9\n')
    ran = surgery("apply", "s.surgery", "-o", "new")
    assert ran.status == 3, ran.err
    assert "new was not written: FastMath changes what the model computes" in ran.out
    assert "first at result fast_tanh, which was result tanh before FastMath" in ran.out
    assert not (tmp_path / "new").exists()
    document = surgery("apply", "s.surgery", "-o", "new", "--json")
    assert document.status == 3
    (check,) = document.json["passes"]
    assert (check["pass"], check["passed"]) == ("FastMath", False)
    assert check["first"]["op_b"] == "fast_tanh"
