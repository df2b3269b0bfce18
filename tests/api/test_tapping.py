"""`surgery.tap`: which values, what they are called, what they are, and what has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery.api as api
from surgery.codes import CODES
from surgery.diagnostics import Diagnostic

X = np.linspace(-2, 2, 8, dtype="float32").reshape(2, 4)
W = np.linspace(-1, 1, 16, dtype="float32").reshape(4, 4)


def named(name: str) -> tvm.relay.Span:
    return tvm.relay.Span(tvm.relay.SourceName(name), 0, 0, 0, 0)


def with_name(call: relay.Call, name: str) -> relay.Call:
    return relay.Call(call.op, call.args, call.attrs, call.type_args, named(name))


def module(body: Any, *params: relay.Var) -> tvm.IRModule:
    return relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function(list(params), body)))


def net() -> tvm.IRModule:
    """A dense layer with a weight, two ops of one name, a split, and a sum that is fused."""
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 4))
    d = with_name(relay.nn.dense(x, w), "net/block/dense")
    t = with_name(relay.tanh(d), "net/twin")
    e = with_name(relay.exp(d), "net/twin")
    s = relay.split(relay.add(t, e), 2, axis=1)
    last = with_name(relay.multiply(s[0], relay.const(2.0)), "net/größe:0 é")
    return module(relay.Tuple([last, s[1]]), x, w)


DENSE = X @ W.T
SUM = np.tanh(DENSE) + np.exp(DENSE)


def tap(*selectors: str, **options: Any) -> api.Tapped:
    settings: dict[str, Any] = {"params": {"w": tvm.nd.array(W)}, "inputs": {"x": X}, **options}
    return api.tap(settings.pop("source", None) or net(), selectors, **settings)


def faults(*selectors: str, **options: Any) -> list[Diagnostic]:
    with pytest.raises(api.SurgeryError) as caught:
        tap(*selectors, **options)
    assert {d.code for d in caught.value.diagnostics} <= CODES.keys()
    return list(caught.value.diagnostics)


@pytest.mark.parametrize("opt", [0, 3])
def test_everything_is_what_numpy_computes(opt: int) -> None:
    tapped = tap(every=True, opt_level=opt)
    expected = {
        "net/block/dense": DENSE,
        "%1": np.tanh(DENSE),  # two ops have its name
        "%2": np.exp(DENSE),
        "%3": SUM,
        "%5": SUM[:, :2],
        "%7": SUM[:, 2:],
        "net/größe:0 é": SUM[:, :2] * 2,
    }
    assert set(tapped.arrays) == set(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(tapped.arrays[key], value, rtol=1e-5, err_msg=key)
    assert (tapped.builds, tapped.inputs, tapped.build.opt_level) == (1, "given", opt)
    first = tapped.values[0]
    assert (first.label, first.op, first.name) == ("%0", "nn.dense", "net/block/dense")
    assert first.statistics.maximum == pytest.approx(DENSE.max(), rel=1e-6)


def test_selectors_of_the_language_and_bare_globs_each_value_once() -> None:
    tapped = tap("%0", "op tanh", "net/*", "last(op exp)", "%4.*", "block")
    assert [v.label for v in tapped.values] == ["%0", "%1", "%2", "%5", "%6", "%7"]
    assert list(tapped.arrays)[-3:] == ["%5", "net/größe:0 é", "%7"]


def test_a_tuple_is_its_fields() -> None:
    found = tap("%4").values
    assert [(v.label, v.op, v.shape) for v in found] == [
        ("%5", "split", (2, 2)),
        ("%7", "split", (2, 2)),
    ]
    assert [v.label for v in tap("result").values] == ["%6", "%7"]


def test_inputs_weights_and_constants_have_values_too() -> None:
    tapped = tap("input x", "param w", "%x")
    np.testing.assert_array_equal(tapped.arrays["x"], X)
    np.testing.assert_array_equal(tapped.arrays["w"], W)
    assert [v.op for v in tapped.values] == ["input", "param"]


def test_the_file_and_its_manifest(tmp_path: Path) -> None:
    out = tmp_path / "values.npz"
    tapped = tap(every=True, output=out, keep=False)
    assert tapped.arrays == {}
    manifest = json.loads((tmp_path / "values.npz.json").read_text())
    with np.load(out) as saved:
        assert sorted(saved.files) == sorted(v["key"] for v in manifest["values"])
        for value in manifest["values"]:
            array = saved[value["key"]]
            assert (list(array.shape), str(array.dtype)) == (value["shape"], value["dtype"])
            assert value["statistics"]["max"] == float(array.max())
    assert manifest["values"][0]["value"] == "%0"


def test_a_spec_says_what_is_bound_and_how_it_is_built() -> None:
    spec = api.parse_spec(
        "bind all params; build opt 1; let mine = op tanh; output %0 as ignored; cut after %0"
    )
    tapped = tap("mine", source=spec, model=net())
    assert tapped.build.opt_level == 1
    np.testing.assert_allclose(tapped.arrays["%1"], np.tanh(DENSE), rtol=1e-5)
    assert tap("mine", source=spec, model=net(), opt_level=0).build.opt_level == 0


def test_every_fault_of_the_selectors_at_once() -> None:
    found = faults("%99", "nowhere", "op tanh where", "%0")
    assert [d.code for d in found][:2] == ["S200", "S203"]
    assert len(found) == 3
    assert [d.code for d in faults()] == ["S211"]


def test_inputs_that_are_missing_or_wrong() -> None:
    (found,) = faults("%0", inputs=None)
    assert found.code == "S582"
    assert "x: float32(2,4)" in found.reason
    assert [d.code for d in faults("%0", inputs={"y": X})] == ["S583", "S582"]
    assert [d.code for d in faults("%0", inputs={"x": X.astype("float64")})] == ["S585"]


def test_what_cannot_be_written_is_said_before_the_build(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (found,) = faults("%0", output=tmp_path / "file" / "v.npz", target="nonsense_target")
    assert found.code == "S410"  # the target comes first, of what is known without a build
    (found,) = faults("%0", output=tmp_path / "file" / "v.npz")
    assert found.code == "S563"
    assert faults("%0", output=tmp_path)[0].code == "S561"


def test_random_token_ids_stay_in_their_table() -> None:
    ids = relay.var("ids", shape=(50,), dtype="int32")
    table = relay.const(np.arange(7, dtype="float32") + 1)
    tapped = api.tap(module(relay.exp(relay.take(table, ids)), ids), ["input ids", "%0"], seed=3)
    given = tapped.arrays["ids"]
    assert (given.min(), given.max()) == (0, 6)
    np.testing.assert_array_equal(tapped.arrays["%0"], given + 1)
    assert tapped.inputs == "random, seed 3"


def branch() -> tvm.IRModule:
    x, flag = relay.var("x", shape=(2, 4)), relay.var("flag", shape=(), dtype="bool")
    before = with_name(relay.tanh(x), "all/before")
    inner = with_name(relay.exp(before), "all/inner")
    body = relay.negative(relay.If(flag, inner, relay.sqrt(before)))
    return module(body, x, flag)


FLAG = {"x": X, "flag": np.array(True)}


def test_a_model_with_an_if_runs_in_the_vm() -> None:
    tapped = api.tap(branch(), ["op tanh", "result"], every=True, inputs=FLAG)
    by_op = {v.op: tapped.arrays[v.key] for v in tapped.values}
    assert by_op.keys() == {"tanh", "if", "negative"}
    np.testing.assert_allclose(by_op["if"], np.exp(np.tanh(X)), rtol=1e-5)
    np.testing.assert_allclose(by_op["negative"], -np.exp(np.tanh(X)), rtol=1e-5)


def test_a_small_bound_takes_several_runs_of_the_vm() -> None:
    tapped = api.tap(branch(), every=True, inputs=FLAG, memory=2 * 32)
    assert tapped.builds == 3
    assert len(tapped.arrays) == 3
    assert [n.code for n in tapped.notes if n.severity == "warning"] == ["S366"]


def test_what_is_inside_a_branch_is_refused_or_left_out() -> None:
    with pytest.raises(api.SurgeryError) as caught:
        api.tap(branch(), ["op exp"], inputs=FLAG)
    assert [d.code for d in caught.value.diagnostics] == ["S271"]
    tapped = api.tap(branch(), ["all/*"], inputs=FLAG)
    assert [v.name for v in tapped.values] == ["all/before"]
    assert [n.code for n in tapped.notes if n.severity == "warning"] == ["S365"]


def test_values_of_functions_are_refused_and_their_calls_read() -> None:
    x, y = relay.var("x", shape=(2, 4)), relay.var("y", shape=(2, 4))
    helper = relay.GlobalVar("helper")
    made = tvm.IRModule({helper: relay.Function([y], relay.exp(y), y.type_annotation)})
    made["main"] = relay.Function([x], relay.tanh(relay.Call(helper, [x])))
    made = relay.transform.InferType()(made)
    with pytest.raises(api.SurgeryError) as caught:
        api.tap(made, ["op exp"], inputs={"x": X})
    assert [d.code for d in caught.value.diagnostics] == ["S261"]
    tapped = api.tap(made, every=True, inputs={"x": X})
    assert {v.op for v in tapped.values} == {"@helper", "tanh"}
    by_op = {v.op: tapped.arrays[v.key] for v in tapped.values}
    np.testing.assert_allclose(by_op["@helper"], np.exp(X), rtol=1e-5)


def test_shapes_that_are_not_static_and_what_they_are_in_a_run() -> None:
    x = relay.var("x", shape=(relay.Any(), 4))
    made = module(relay.exp(relay.tanh(x)), x)
    tapped = api.tap(made, ["%0"], inputs={"x": X})
    assert str(tapped.values[0].type) == "float32(?,4)"
    assert tapped.values[0].shape == (2, 4)
    np.testing.assert_allclose(tapped.arrays["%0"], np.tanh(X), rtol=1e-5)
    with pytest.raises(api.SurgeryError) as caught:
        api.tap(made, ["%0"], seed=0)
    assert [d.code for d in caught.value.diagnostics] == ["S589"]


def test_other_element_types_and_no_elements() -> None:
    x = relay.var("x", shape=(2, 4))
    half = relay.cast(x, "float16")
    none = relay.strided_slice(x, [0, 0], [0, 4])
    made = module(relay.Tuple([half, relay.greater(x, relay.const(0.0)), none]), x)
    tapped = api.tap(made, every=True, inputs={"x": X})
    by_op = {v.op: v for v in tapped.values}
    assert (by_op["greater"].type.dtype, by_op["greater"].statistics.mean) == ("bool", 0.5)
    np.testing.assert_array_equal(tapped.arrays[by_op["cast"].key], X.astype("float16"))
    assert by_op["strided_slice"].shape == (0, 4)
    assert by_op["strided_slice"].statistics.minimum is None


def test_nan_and_infinity_are_counted() -> None:
    x = relay.var("x", shape=(2, 4))
    tapped = api.tap(module(relay.log(x), x), ["result"], inputs={"x": np.float32(X - X.min() - 1)})
    found = tapped.values[0].statistics
    array = tapped.arrays[tapped.values[0].key]
    assert found.nan == np.isnan(array).sum() > 0


def test_names_that_look_like_paths_or_clash_with_numbers(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 4))
    a = with_name(relay.tanh(x), "../up")
    b = with_name(relay.exp(a), "/abs/x.npy")
    c = with_name(relay.sqrt(b), "%0")
    out = tmp_path / "v.npz"
    tapped = api.tap(module(relay.negative(c), x), every=True, inputs={"x": X}, output=out)
    with np.load(out) as saved:
        assert set(saved.files) == set(tapped.arrays) == {"../up", "/abs/x.npy", "%0", "result"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["v.npz", "v.npz.json"]


def test_of_a_batch_norm_all_means_what_is_used() -> None:
    x = relay.var("x", shape=(2, 4))
    vectors = [relay.const(np.arange(1, 5, dtype="float32")) for _ in range(4)]
    made = module(relay.tanh(relay.nn.batch_norm(x, *vectors)[0]), x)
    tapped = api.tap(made, every=True, inputs={"x": X})
    assert [(v.label, v.op) for v in tapped.values] == [
        ("%1", "nn.batch_norm"),
        ("result", "tanh"),
    ]
    assert [v.label for v in api.tap(made, ["%0"], inputs={"x": X}).values] == [
        "%0.1", "%0.2", "%1",
    ]  # fmt: skip


def partitioned(**attributes: Any) -> tvm.IRModule:
    """`tanh` of a region of a backend that no codegen serves."""
    x, y = relay.var("x", shape=(2, 4)), relay.var("y", shape=(2, 4))
    region = relay.Function([y], relay.exp(y), y.type_annotation)
    one = tvm.tir.IntImm("int32", 1)
    attributes = {"Compiler": "bmlib", "global_symbol": "bmlib_0", "Primitive": one, **attributes}
    for key, value in attributes.items():
        region = region.with_attr(key, value)
    made = tvm.IRModule({relay.GlobalVar("bmlib_0"): region})
    call = relay.Call(made.get_global_var("bmlib_0"), [x])
    made["main"] = relay.Function([x], relay.tanh(call))
    return relay.transform.InferType()(made)


def test_a_partitioned_model_needs_its_codegen() -> None:
    (found,) = faults("op tanh", source=partitioned(), params=None)
    assert found.code == "S326"
    assert "@bmlib_0" in found.message


def test_regions_that_tvm_inlines_are_values_like_others() -> None:
    made = partitioned(Inline=tvm.tir.IntImm("int32", 1))
    tapped = api.tap(made, every=True, inputs={"x": X})
    by_op = {v.op: tapped.arrays[v.key] for v in tapped.values}
    np.testing.assert_allclose(by_op["@bmlib_0"], np.exp(X), rtol=1e-5)
    np.testing.assert_allclose(by_op["tanh"], np.tanh(np.exp(X)), rtol=1e-5)


def test_a_run_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "v.npz"
    out.write_bytes(b"before")
    (found,) = faults("%0", output=out, source=net_of_a_missing_kernel(), params=None)
    assert found.code.startswith("S4")
    assert out.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["v.npz"]


def net_of_a_missing_kernel() -> tvm.IRModule:
    """`on_device` of a device that the build has no target for: TVM refuses to compile it."""
    x = relay.var("x", shape=(2, 4))
    other = relay.annotation.on_device(relay.exp(x), tvm.device("cuda", 0), constrain_result=True)
    return module(relay.tanh(other), x)
