"""``surgery.examine`` on modules that TVM's own passes have partitioned, and on surgery's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay
from tvm.relay.dataflow_pattern import is_op, wildcard

import surgery
import surgery.api as api
from surgery.source import Source

Table = Sequence[tuple[str, Any]]


def conv_net() -> tvm.IRModule:
    data = relay.var("data", shape=(1, 8, 6, 6))
    weight = relay.const(np.ones((8, 8, 1, 1), "float32"))
    bias = relay.const(np.ones((8,), "float32"))
    value = relay.add(relay.reshape(bias, (1, 8, 1, 1)), relay.nn.conv2d(data, weight))
    return tvm.IRModule.from_expr(relay.Function([data], relay.tanh(relay.nn.relu(value))))


def conv_pattern() -> Any:
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    return is_op("nn.relu")(is_op("add")(is_op("reshape")(wildcard()), conv))


def partitioned(
    module: tvm.IRModule, table: Table, target: str = "bmlib", between: Sequence[Any] = ()
) -> tvm.IRModule:
    passes = [
        relay.transform.InferType(),
        relay.transform.MergeComposite(table),
        *between,
        relay.transform.AnnotateTarget(target),
        relay.transform.MergeCompilerRegions(),
        relay.transform.PartitionGraph(),
        relay.transform.InferType(),
    ]
    return tvm.transform.Sequential(passes)(module)


def codes(checkup: surgery.Checkup) -> list[str]:
    return [d.code for d in checkup.findings]


def test_constants_that_leak_and_the_statement_that_avoids_it() -> None:
    module = partitioned(conv_net(), [("bmlib.conv", conv_pattern())])
    before = module.astext()
    checkup = api.examine(module, codegens=["bmlib"])
    assert module.astext() == before
    assert codes(checkup) == ["S320"]
    (found,) = checkup.findings
    assert "takes 1 argument, its composite bmlib.conv" in found.message
    statement = found.remedy.split("`")[1]
    assert statement == "offload pattern reshape>conv2d>add>relu to bmlib"
    # The remedy, carried out on the model before it was partitioned, is healthy.
    compiled = api.compile(statement, model=conv_net())
    (region,) = compiled.plan.regions
    assert [a.name for a in region.arguments] == ["data"]
    operated = tvm.transform.Sequential(compiled.passes)(relay.transform.InferType()(conv_net()))
    assert api.examine(operated, codegens=["bmlib"]).is_healthy


def test_an_operand_that_is_an_op_of_the_match() -> None:
    x, w = relay.var("x", shape=(1, 8, 6, 6)), relay.var("w", shape=(8, 8, 1, 1))
    conv = relay.nn.conv2d(x, w)
    function = relay.Function([x, w], relay.nn.relu(relay.add(conv, conv)))
    inner = is_op("nn.conv2d")(wildcard(), wildcard())
    pattern = is_op("nn.relu")(is_op("add")(inner, wildcard()))
    module = partitioned(tvm.IRModule.from_expr(function), [("bmlib.conv_add_relu", pattern)])
    checkup = api.examine(module, codegens=["bmlib"])
    assert codes(checkup) == ["S329"]
    assert "never uses 2 parameters and computes only add>relu" in checkup.findings[0].message


def test_a_composite_whose_target_has_another_name_stays_in_no_region() -> None:
    module = partitioned(conv_net(), [("bmlib.conv", conv_pattern())], target="other")
    assert codes(api.examine(module)) == ["S330"]


def test_passes_that_stop_half_way() -> None:
    module = relay.transform.InferType()(conv_net())
    module = relay.transform.MergeComposite([("bmlib.conv", conv_pattern())])(module)
    module = relay.transform.AnnotateTarget("bmlib")(module)
    assert codes(api.examine(module)) == ["S327", "S330"]


def test_a_pass_that_rewrites_the_inside_of_a_composite() -> None:
    data = relay.var("data", shape=(2, 4))
    norm = [relay.var(n, shape=(4,)) for n in ("gamma", "beta", "mean", "var")]
    body = relay.nn.relu(relay.nn.batch_norm(data, *norm)[0])
    pattern = is_op("nn.relu")(
        tvm.relay.dataflow_pattern.TupleGetItemPattern(
            is_op("nn.batch_norm")(*[wildcard() for _ in range(5)]), 0
        )
    )
    function = relay.Function([data, *norm], body)
    table = [("bmlib.bn", pattern)]
    module = partitioned(tvm.IRModule.from_expr(function), table)
    assert api.examine(module, codegens=["bmlib"]).is_healthy
    between = [relay.transform.SimplifyInference()]
    module = partitioned(tvm.IRModule.from_expr(function), table, between=between)
    checkup = api.examine(module, codegens=["bmlib"])
    assert codes(checkup) == ["S328"]
    assert "lacks nn.batch_norm and also holds" in checkup.findings[0].message


def test_a_codegen_that_is_registered_serves_its_regions() -> None:
    module = partitioned(conv_net(), [("doctor_test.conv", conv_pattern())], target="doctor_test")
    assert "S326" in codes(api.examine(module))
    tvm.register_func("relay.ext.doctor_test", lambda function: None)
    try:
        assert codes(api.examine(module)) == ["S320"]
    finally:
        tvm._ffi.registry.remove_global_func("relay.ext.doctor_test")


def test_the_files_of_an_output_folder_are_healthy(tmp_path: Path) -> None:
    spec = api.parse_spec("offload pattern reshape>conv2d>add>relu to bmlib\ncut after op nn.relu")
    out = tmp_path / "out"
    api.apply(spec, out, model=conv_net(), build=False)
    for file in ("module.json", "module.relay", "stages/0/module.json"):
        checkup = api.examine(out / file)
        assert len(checkup.regions) == 1, file
        assert checkup.is_healthy, (file, checkup.findings)


def test_a_module_that_does_not_type_check_is_looked_over_all_the_same(tmp_path: Path) -> None:
    module = partitioned(conv_net(), [("bmlib.conv", conv_pattern())])
    module["main"] = relay.transform.InferType()(conv_net())["main"]
    data = relay.var("data", shape=(1, 8, 6, 6))
    region = next(v for v in module.get_global_vars() if v.name_hint != "main")
    module["main"] = relay.Function([data], relay.Call(region, [data, data]))
    file = tmp_path / "net.json"
    file.write_text(tvm.ir.save_json(module))
    for given in (file, module):
        checkup = api.examine(given, codegens=["bmlib"])
        assert "S321" in codes(checkup)
        told = next(d for d in checkup.findings if d.code == "S321")
        assert told.message.endswith("takes 1, its call gives 2 arguments")
    # Without a model to speak of, its regions are still there.
    alone = tvm.IRModule({region: module[region]})
    file.write_text(tvm.ir.save_json(alone))
    assert codes(api.examine(file, codegens=["bmlib"])) == ["S320"]


def test_remedies_that_name_passes_and_attributes_help() -> None:
    table = [("bmlib.add_relu", is_op("nn.relu")(is_op("add")(wildcard(), wildcard())))]
    x, y = (relay.var(n, shape=(2, 4)) for n in "xy")
    net = tvm.IRModule.from_expr(relay.Function([x, y], relay.nn.relu(relay.add(x, y))))
    half = relay.transform.MergeComposite(table)(relay.transform.InferType()(net))
    (found,) = api.examine(half).findings
    assert found.code == "S330" and '`AnnotateTarget("bmlib")`' in found.remedy
    half = relay.transform.AnnotateTarget("bmlib")(half)
    assert "PartitionGraph" in api.examine(half).findings[0].remedy
    half = relay.transform.MergeCompilerRegions()(half)
    whole = relay.transform.PartitionGraph()(half)
    assert api.examine(whole, codegens=["bmlib"]).is_healthy
    region = next(v for v in whole.get_global_vars() if v.name_hint != "main")
    attrs = dict(whole[region].attrs.items())
    for key, code in (("Primitive", "S331"), ("global_symbol", "S324"), ("Compiler", "S330")):
        function = whole[region]
        some = tvm.ir.make_node("DictAttrs", **{k: v for k, v in attrs.items() if k != key})
        whole[region] = relay.Function(function.params, function.body, None, [], some)
        assert codes(api.examine(whole, codegens=["bmlib"])) == [code]
        whole[region] = whole[region].with_attr(key, attrs[key])
        assert api.examine(whole, codegens=["bmlib"]).is_healthy


def test_a_quoted_listing() -> None:
    module = partitioned(conv_net(), [("bmlib.conv", conv_pattern())])
    text = "".join(f"> {line}\n" for line in module.astext(show_meta_data=False).splitlines())
    checkup = api.examine(Source(text, "mail"), codegens=["bmlib"])
    assert codes(checkup) == ["S320"]
    span = checkup.findings[0].span
    assert span is not None and "fn (" in text.splitlines()[span.line - 1]


def test_a_listing_and_its_json_give_the_same_findings(tmp_path: Path) -> None:
    module = partitioned(conv_net(), [("bmlib.conv", conv_pattern())])
    file = tmp_path / "net.json"
    file.write_text(tvm.ir.save_json(module))
    of_json = api.examine(file, codegens=["bmlib"])
    of_text = api.examine(
        Source(module.astext(show_meta_data=False), "<stdin>"), codegens=["bmlib"]
    )
    assert [d.message for d in of_json.findings] == [d.message for d in of_text.findings]
    assert [d.notes for d in of_json.findings] == [d.notes for d in of_text.findings]
    assert of_json.findings[0].span is None
    span = of_text.findings[0].span
    assert span is not None and "fn (%FunctionVar_0_0" in span.source.line(span.line)


def test_a_file_that_is_not_there_is_said_as_elsewhere(tmp_path: Path) -> None:
    for name in ("missing.relay", "missing.json"):
        with pytest.raises(api.SurgeryError) as caught:
            api.examine(tmp_path / name)
        assert caught.value.diagnostics[0].code == "S500"
