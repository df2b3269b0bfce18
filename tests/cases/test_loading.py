"""Situations 37, 40, 41, 42, 47, 49, 50, 51: models as people have them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.diagnostics import SurgeryError
from tests.cases.support import applied, crossings, faults, model, planned

NAMES = {
    "bert/encoder/layer_._0/attention/self/query/kernel": (4, 4),
    "features.1.conv.bias": (4,),
}


def named_model(*extra: str) -> tuple[tvm.IRModule, dict[str, tvm.nd.NDArray]]:
    """A model whose names TVM's parser can't read: ``input:0``, dots, and those in ``extra``."""
    rng = np.random.default_rng(0)
    x = relay.var("input:0", shape=(1, 4))
    w, b = (relay.var(n, shape=s) for n, s in NAMES.items())
    out = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, w, units=4), b))
    shapes = dict(NAMES)
    more = []
    for name in extra:
        more.append(relay.var(name, shape=(4,)))
        shapes[name] = (4,)
        out = relay.add(out, more[-1])
    function = relay.Function([x, w, b, *more], out)
    module = relay.transform.InferType()(tvm.IRModule.from_expr(function))
    values = {n: tvm.nd.array(rng.random(s, dtype="float32")) for n, s in shapes.items()}
    return module, values


def test_37_names_that_the_parser_cannot_read(tmp_path: Path) -> None:
    module, values = named_model("_x", "1x", "l0.q.w", "aten::linear_1")
    listing = tmp_path / "model.relay"
    listing.write_text(module.astext())
    params = tmp_path / "w.params"
    params.write_bytes(relay.save_param_dict(values))
    done = applied("37", "cut after %0", tmp_path / "out", model=listing, params=params)
    first, second = done.plan.stages
    assert [i.name for i in first.inputs] == ["input:0"]
    # The original names are those of the recipe, the plan and the weights.
    assert set(first.params) | set(second.params) == set(values)
    stored = relay.load_param_dict((tmp_path / "out" / "stages" / "1" / "params.bin").read_bytes())
    assert {"features.1.conv.bias", "_x", "1x", "l0.q.w", "aten::linear_1"} == set(stored)
    again = api.load_picture(tmp_path / "out" / "stages" / "0" / "module.json").main
    assert "bert/encoder/layer_._0/attention/self/query/kernel" in again.names


def test_37_names_that_would_collide_when_mangled(tmp_path: Path) -> None:
    x, y = relay.var("a.b", shape=(2,)), relay.var("a:b", shape=(2,))
    module = tvm.IRModule.from_expr(relay.Function([x, y], relay.subtract(x, y)))
    listing = tmp_path / "model.relay"
    listing.write_text(relay.transform.InferType()(module).astext())
    api.apply(api.parse_spec("build opt 0"), tmp_path / "out", model=listing)
    one, two = np.array([3, 4], "float32"), np.array([1, 1], "float32")
    outputs = api.run(tmp_path / "out", {"a.b": one, "a:b": two}).outputs
    assert np.array_equal(outputs["out0"], one - two)


def test_40_a_missing_metadata_section(tmp_path: Path) -> None:
    plan = planned("40", "cut after %0")
    assert crossings(plan) == {"%0": "?"}
    with pytest.raises(SurgeryError) as caught:
        api.apply(api.parse_spec("cut after %0"), tmp_path / "out", model=model("40"))
    (only,) = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert only.code == "S508" and only.span is not None and only.span.line == 3
    assert "missing: meta[runtime.BoxInt][0] on line 4" in only.notes
    assert "save_json" in only.remedy
    assert caught.value.exit_status == 5
    assert not (tmp_path / "out").exists()


def test_41_an_attribute_that_the_parser_needs() -> None:
    (only,) = faults("41", "cut after %0")
    assert only.code == "S529" and "`units`" in only.message and "units=None" in only.remedy
    assert only.span is not None and (only.span.line, only.span.column) == (3, 3)


_DEEP = """
import sys
import tvm
from tvm import relay
import surgery.api as api

size = int(sys.argv[1])
x = relay.var("x", shape=(1, 8))
value = x
for _ in range(size // 2):
    value = relay.add(relay.nn.relu(value), value)
module = tvm.IRModule.from_expr(relay.Function([x], value))
middle = size // 2
spec = f"output %{middle} as mid; cut after %{middle}; offload pattern relu>add to lib optional"
planned = api.plan(api.parse_spec(spec), model=module, params={})
operated = planned.engine.operate(planned.model, planned.plan)
print(len(planned.plan.stages), len(operated.functions))
"""


def test_42_thirty_thousand_ops_deep_on_the_default_stack() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DEEP, "30000"], capture_output=True, text=True, timeout=600,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[0] == "2"


def test_42_a_build_that_would_not_end_is_refused(tmp_path: Path) -> None:
    x = relay.var("x", shape=(1, 8))
    value = x
    for _ in range(40):
        value = relay.add(relay.nn.relu(value), value)
    module = tvm.IRModule.from_expr(relay.Function([x], value))
    with pytest.raises(SurgeryError) as caught:
        api.apply(api.parse_spec("build opt 3"), tmp_path / "out", model=module)
    (only,) = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert only.code == "S450" and caught.value.exit_status == 4
    assert "relay.FuseOps.max_depth=4" in only.remedy
    planned = api.plan(api.parse_spec("build opt 3"), model=module)
    assert [n.severity for n in planned.plan.notes if n.code == "S450"] == ["warning"]
    spec = "build opt 3 config relay.FuseOps.max_depth=4; verify"
    assert api.apply(api.parse_spec(spec), tmp_path / "out", model=module).written


def test_47_a_number_bound_twice() -> None:
    (only,) = faults("47", "output %0 as z")
    assert only.code == "S522" and only.message == "`%0` is bound on lines 3, 8 and 9"


def test_47_the_files_own_numbers_are_what_the_user_sees(tmp_path: Path) -> None:
    listing = tmp_path / "model.relay"
    listing.write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) {\n  %3 = nn.relu(%x);\n'
        "  %5 = exp(%x);\n  %7 = tanh(%3);\n  negative(%7)\n}\n"
    )
    planned = api.plan(api.parse_spec("output %7 as t"), model=listing)
    graph = planned.plan.module.main
    assert graph.ops[planned.plan.outputs[1].ref.node] == "tanh"
    assert any("%N means the file's" in note.message for note in planned.plan.notes)


def test_49_saved_stages_compute_exactly_what_the_model_computes(tmp_path: Path) -> None:
    done = applied("49", "cut after %0; build opt 0", tmp_path / "out")
    assert all(row.max_abs == 0 for row in done.verification.rows)
    x = np.array([0.1, 1 / 3, 5.0, -5.0], "float32")
    exact = np.clip(x * np.float32(1.0000001), -1 / 3, 1 / 3) + np.float32(1 / 3)
    outputs = api.run(tmp_path / "out", {"x": x}).outputs
    np.testing.assert_array_max_ulp(outputs["out0"], exact.astype("float32"), maxulp=1)
    assert "For reading only" in (tmp_path / "out" / "module.relay").read_text().splitlines()[0]


def test_49_text_says_that_its_numbers_are_rounded(tmp_path: Path) -> None:
    listing = tmp_path / "model.relay"
    listing.write_text(tvm.ir.load_json(model("49").read_text()).astext())
    planned = api.plan(api.parse_spec("output %0 as z"), model=listing)
    assert any("6 digits" in note.message for note in planned.plan.notes)


def test_50_a_pasted_listing_is_shown_and_planned_without_tvm() -> None:
    code = (
        "import sys; import surgery.api as api\n"
        f"path = {str(model('50'))!r}\n"
        "plan = api.plan(api.parse_spec('output %60 as a, %80 as b; cut after %76'), model=path)"
        ".plan\n"
        "g = plan.module.main\n"
        "print(len(g.by_number), g.ops[g.by_number[60]], g.types[g.by_number[60]],"
        " g.ops[g.by_number[80]], g.types[g.by_number[80]])\n"
        "(c,) = plan.crossings\n"
        "print(g.label(c.ref), c.type, [g.label(u) for u in c.uses])\n"
        "print('tvm' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "103 reshape float32(128,768) reshape float32(1,128,3072)",
        "%76 float32(1,128,768) ['%77', '%92']",
        "False",
    ], done.stderr


def test_50_the_parameters_each_part_needs() -> None:
    first, second = planned("50", "cut after %76").stages
    assert "x" in {i.name for i in first.inputs} and "x" not in {i.name for i in second.inputs}
    assert any("layer_._0/ffn" in i.name for i in second.inputs)


def test_51_a_partitioned_listing_shows_its_functions() -> None:
    module = api.load_picture(model("51"))
    assert list(module.functions) == ["main", "tvmgen_default_bmlib_main_0"]
    region = module.functions["tvmgen_default_bmlib_main_0"]
    (literal,) = [n for n in region if n.kind == "function"]
    assert literal.attrs["Composite"] == "bmlib.reshape_conv2d_add_bn_relu"
    assert sum(k == "local" for k in region.kinds) == 7
