"""TVM's pattern tables: their patterns in surgery's words, their predicates, their sites."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
import tvm.relay.op.contrib
from tvm import relay
from tvm.relay.dataflow_pattern import (
    DFPattern,
    dominates,
    has_dtype,
    is_constant,
    is_expr,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from tvm.relay.op.contrib.register import _PATTERN_TABLES, get_pattern_table

import surgery.api as api
from surgery.engines.relay.dataflow import Inexpressible, express
from surgery.pattern import compile_pattern
from surgery.syntax import print_pattern


@contextmanager
def registered(name: str, *entries: Any) -> Iterator[None]:
    _PATTERN_TABLES[name] = list(entries)
    try:
        yield
    finally:
        del _PATTERN_TABLES[name]


def swish() -> DFPattern:
    conv = is_op("nn.conv2d")(wildcard(), is_constant())
    return is_op("multiply")(conv, is_op("sigmoid")(conv))


def same_twice() -> DFPattern:
    any_ = wildcard()
    return is_op("add")(any_, is_op("tanh")(any_))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (is_op("add")(wildcard(), is_constant()), "add(*, const)"),
        (swish(), "multiply(v0:nn.conv2d(*, const), sigmoid(v0))"),
        (same_twice(), "add(v0:*, tanh(v0))"),
        (
            is_op("nn.dense")(wildcard(), wildcard()).optional(lambda x: is_op("nn.relu")(x)),
            "nn.dense(*, *)|nn.relu(nn.dense(*, *))",
        ),
        ((is_op("tanh") | is_op("exp"))(wildcard()), "tanh(*)|exp(*)"),
        (is_tuple_get_item(is_op("split")(wildcard()), 1), "split.1(*)"),
        (is_op("concatenate")(is_tuple(None)), "concatenate"),
        (is_op("concatenate")(is_tuple([wildcard(), is_op("exp")(wildcard())])),
         "concatenate(*, exp(*))"),
        (is_op("nn.conv2d")(wildcard(), wildcard()).has_attr({"groups": 1}),
         "nn.conv2d{groups=1}(*, *)"),
        (is_op("exp")(has_dtype("float16")), "exp(*{dtype=float16})"),
        (is_op("exp")(wildcard()).has_shape((2, 4)), "exp{shape=(2, 4)}(*)"),
        (is_op("exp")(wildcard().has_type(relay.TensorType((2, 4), "int8"))),
         "exp(*{dtype=int8, shape=(2, 4)})"),
        (is_op("exp")(None), "exp"),
    ],
)  # fmt: skip
def test_patterns_in_surgerys_words(pattern: DFPattern, text: str) -> None:
    said = express(pattern)
    assert print_pattern(said).replace(" | ", "|") == text
    compile_pattern(said)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (is_op("add")(is_var(), wildcard()), "a VarPattern"),
        (is_op("add")(wildcard(), is_expr(relay.const(1.0))), "a ExprPattern"),
        (dominates(is_op("nn.relu")(wildcard()), is_op("exp")(wildcard()), is_op("add")(
            wildcard(), wildcard())), "a DominatorPattern"),
        (wildcard(), "a pattern without an op"),
        (wildcard()(wildcard()), "a call of something other than an op"),
        (is_tuple_get_item(wildcard(), 0), "a field of something other than one op's result"),
    ],
)  # fmt: skip
def test_patterns_that_the_language_can_not_say(pattern: DFPattern, reason: str) -> None:
    with pytest.raises(Inexpressible, match=reason):
        express(pattern)


def test_alternatives_beyond_measure_are_left_to_tvm() -> None:
    pattern = is_op("nn.dense")(wildcard(), wildcard())
    for _ in range(8):
        pattern = pattern.optional(lambda x: is_op("exp")(x)) | is_op("tanh")(pattern)
    with pytest.raises(Inexpressible, match=r"alternatives|parts"):
        express(pattern)


def test_nearly_all_of_the_tables_that_tvm_brings_can_be_said() -> None:
    said, unsaid = 0, []
    for name in ("arm_compute_lib", "dnnl", "bnns", "tensorrt", "cutlass", "clml", "mrvl"):
        for entry in get_pattern_table(name):
            try:
                express(entry[1])
                said += 1
            except Inexpressible as why:
                unsaid.append((entry[0], str(why)))
    assert said >= 225 and len(unsaid) <= 9, unsaid


def dense_net(width: int = 4, bias_op: Any = relay.nn.bias_add) -> tvm.IRModule:
    x = relay.var("x", shape=(2, width))
    value = x
    for scale in (1.0, -1.0):
        weight = relay.const(np.full((width, width), scale, "float32"))
        bias = relay.const(np.ones((width,), "float32"))
        value = relay.nn.relu(bias_op(relay.nn.dense(value, weight), bias))
    return tvm.IRModule.from_expr(relay.Function([x], relay.tanh(value)))


def block() -> DFPattern:
    dense = is_op("nn.dense")(wildcard(), is_constant())
    return is_op("nn.relu")(is_op("nn.bias_add")(dense, wildcard()))


def test_a_table_is_offloaded_built_and_verified(tmp_path: Path) -> None:
    entries = [("mylib.block", block()), ("mylib.tanh", is_op("tanh")(wildcard()))]
    spec = api.parse_spec("offload table mylib expect 3\nbuild opt 1")
    with registered("mylib", *entries):
        done = api.apply(spec, tmp_path / "out", model=dense_net(), verify=True)
    assert done.verification is not None and done.verification.passed
    names = [c.name for r in done.plan.regions for c in r.composites]
    assert names == ["mylib.block", "mylib.block", "mylib.tanh"]


def test_predicates_see_the_expression_that_tvm_would_give_them() -> None:
    """They are called with the site's last value: the call, or the field where that is asked."""
    seen: list[Any] = []

    def positive(extract: Any) -> bool:
        seen.append(extract)
        weight = extract.args[0].args[0].args[1]
        assert str(extract.checked_type) == "Tensor[(2, 4), float32]"
        return bool((weight.data.numpy() > 0).all())

    def split_field(extract: Any) -> bool:
        return isinstance(extract, relay.TupleGetItem) and extract.index == 0

    with registered("mylib", ("mylib.block", block(), positive)):
        planned = api.plan(api.parse_spec("offload table mylib"), model=dense_net())
    assert len(seen) == 2 and all(isinstance(e, relay.Call) for e in seen)
    assert [len(r.composites) for r in planned.plan.regions] == [1]
    assert [r.reason for r in planned.plan.rejected] == [
        "mylib.block: the table's predicate refuses it"
    ]
    x = relay.var("x", shape=(2, 4))
    net = tvm.IRModule.from_expr(relay.Function([x], relay.exp(relay.split(x, 2, axis=1)[0])))
    pattern = is_tuple_get_item(is_op("split")(wildcard()), 0)
    with registered("mylib", ("mylib.split", pattern, split_field)):
        planned = api.plan(api.parse_spec("offload table mylib"), model=net)
    assert len(planned.plan.regions) == 1


def test_a_predicate_that_raises_rejects_its_site() -> None:
    def broken(extract: Any) -> bool:
        raise KeyError("layout")

    with registered("mylib", ("mylib.block", block(), broken)):
        planned = api.plan(api.parse_spec("offload table mylib optional"), model=dense_net())
    assert not planned.plan.regions
    assert {r.reason for r in planned.plan.rejected} == {
        "mylib.block: the table's predicate raises KeyError: 'layout'"
    }


def test_what_the_language_can_not_say_is_matched_by_tvm(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 4))
    half = relay.const(np.float32(0.5))
    value = relay.nn.relu(relay.multiply(relay.exp(x), half))
    net = tvm.IRModule.from_expr(relay.Function([x], relay.tanh(value)))
    pattern = is_op("nn.relu")(is_op("multiply")(wildcard(), is_expr(half)))
    with registered("mylib", ("mylib.half_relu", pattern)):
        spec = api.parse_spec("offload table mylib expect 1\nbuild opt 1")
        done = api.apply(spec, tmp_path / "out", model=net, verify=True)
    assert done.verification is not None and done.verification.passed
    (region,) = done.plan.regions
    assert region.composites[0].name == "mylib.half_relu"
    assert region.pattern == "multiply_nn.relu_"
    assert [len(region.arguments), len(region.constants)] == [1, 1]


def test_tvms_own_dnnl_table_on_a_net(tmp_path: Path) -> None:
    spec = api.parse_spec("offload table dnnl\nbuild opt 1")
    done = api.apply(spec, tmp_path / "out", model=dense_net(16, relay.add), verify=True)
    assert done.verification is not None and done.verification.passed
    names = {c.name for r in done.plan.regions for c in r.composites}
    assert names and all(name.startswith("dnnl.") for name in names)


def test_an_entry_may_end_at_an_op_with_several_results(tmp_path: Path) -> None:
    """As TensorRT's `split`: TVM's composite returns a tuple, surgery's an output each."""
    x = relay.var("x", shape=(2, 8))
    both = relay.split(relay.exp(x), 2, axis=1)
    one = relay.split(relay.tanh(both[1] + both[0]), 4, axis=1)
    whole = relay.concatenate(relay.split(relay.exp(x), 4, axis=1).astuple(), axis=0)
    body = relay.Tuple([one[2], whole, relay.split(x, 2, axis=0).astuple()])
    net = tvm.IRModule.from_expr(relay.Function([x], body))
    entries = [
        ("mylib.exp_split", is_op("split")(is_op("exp")(wildcard()))),
        ("mylib.split", is_op("split")(wildcard()), lambda e: len(e.checked_type.fields) > 1),
    ]
    spec = api.parse_spec("offload table mylib expect 4\nbuild opt 1")
    with registered("mylib", *entries):
        done = api.apply(spec, tmp_path / "out", model=net, verify=True)
    assert done.verification is not None and done.verification.passed
    assert sorted(len(c.outputs) for r in done.plan.regions for c in r.composites) == [2, 2, 4, 4]


def test_a_leaf_that_is_asked_for_its_type_is_none_of_the_ops() -> None:
    """A constraint matches what its part matches: not an op that the pattern doesn't name."""
    x = relay.var("x", shape=(2, 4))
    half = relay.const(np.float32(0.5))
    net = tvm.IRModule.from_expr(relay.Function([x], relay.multiply(relay.exp(x), half)))
    for leaf in (has_dtype("float32"), wildcard().has_shape((2, 4)), is_constant() | wildcard()):
        pattern = is_op("multiply")(leaf, is_expr(half))
        with registered("mylib", ("mylib.half", pattern)):
            planned = api.plan(api.parse_spec("offload table mylib"), model=net)
        (region,) = planned.plan.regions
        assert region.pattern == "multiply_"


def test_an_entry_that_tvms_matcher_fails_on_is_told() -> None:
    half = relay.const(np.float32(0.5))
    pattern = is_op("multiply")(wildcard(), is_expr(half)).has_shape((2, 4))
    with registered("mylib", ("mylib.half", pattern), ("mylib.tanh", is_op("tanh")(wildcard()))):
        planned = api.plan(api.parse_spec("offload table mylib"), model=dense_net())
    assert len(planned.plan.regions) == 1
    (note,) = [n for n in planned.plan.notes if n.code == "S344"]
    assert note.message == "TVM's matcher fails on mylib.half"
    assert "\n" not in note.reason and "checked_type" in note.reason


def test_an_attribute_that_should_be_none_is_not_given_to_tvms_matcher() -> None:
    """It would end the process with a segfault."""
    dense = is_op("nn.dense")(wildcard(), wildcard()).has_attr({"units": None})
    entries = [("mylib.dense", is_op("nn.relu")(dense)), ("mylib.tanh", is_op("tanh")(wildcard()))]
    with registered("mylib", *entries):
        planned = api.plan(api.parse_spec("offload table mylib"), model=dense_net())
    assert len(planned.plan.regions) == 1
    (note,) = [n for n in planned.plan.notes if n.code == "S344"]
    assert "units=None" in (note.reason or "")


def test_tables_that_tvm_imports_only_when_asked(tmp_path: Path) -> None:
    spec = api.parse_spec("offload table cudnn expect 1\nbuild opt 1")
    x = relay.var("x", shape=(2, 4))
    net = tvm.IRModule.from_expr(relay.Function([x], relay.nn.softmax(relay.exp(x))))
    done = api.apply(spec, tmp_path / "out", model=net, verify=True)
    assert done.verification is not None and done.verification.passed
    assert [c.name for r in done.plan.regions for c in r.composites] == ["cudnn.softmax"]


@pytest.mark.parametrize(
    ("name", "reason", "remedy"),
    [
        ("coremlcompiler", "TVM annotates 9 single ops for coremlcompiler "
         "(`target.coremlcompiler`: add, clip, expand_dims, ...)",
         "name the ops: `offload pattern add to coremlcompiler`"),
        ("vitis_ai", "TVM's backend vitis_ai marks ops in another way than by patterns.",
         "write the patterns: `offload pattern P to vitis_ai`"),
    ],
)  # fmt: skip
def test_backends_that_have_no_table(name: str, reason: str, remedy: str) -> None:
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec(f"offload table {name}"), model=dense_net())
    (found,) = caught.value.diagnostics
    assert found.code == "S340" and (found.reason or "").startswith(reason)
    assert found.remedy == remedy


def test_predicates_of_a_backend_that_this_tvm_lacks_say_so_in_one_line() -> None:
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec("offload table tensorrt"), model=dense_net())
    (found,) = [d for d in caught.value.diagnostics if d.code == "S283"]
    assert any(
        'raises ValueError: Target kind "tensorrt" is not defined' in note for note in found.notes
    )


def test_a_name_that_no_table_has() -> None:
    with pytest.raises(api.SurgeryError) as caught:
        api.plan(api.parse_spec("offload table dnl"), model=dense_net())
    (found,) = caught.value.diagnostics
    assert found.code == "S340" and found.remedy == "did you mean dnnl?"


def test_a_table_that_is_none() -> None:
    for entries in ([("mylib.x",)], ["mylib.x"], [("mylib.x", "exp(*)")]):
        with registered("mylib", *entries), pytest.raises(api.SurgeryError) as caught:
            api.plan(api.parse_spec("offload table mylib"), model=dense_net())
        assert [d.code for d in caught.value.diagnostics] == ["S341"]
