"""What is written: exact, closed, the same bytes each time, weights never twice."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tvm
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.params import read_params
from surgery.engines.relay.save import module_json
from surgery.graph import Ref
from tests.engines.relay.plans import (
    Ask,
    Site,
    agree,
    array,
    calls,
    evaluate,
    ids,
    make_model,
    make_plan,
)
from tests.engines.relay.stages import ENGINE, build_all, run_all


def _layers(count: int = 3) -> Any:
    x = relay.var("x", shape=(2, 4))
    weights = [relay.var(f"w{i}", shape=(4, 4)) for i in range(count)]
    value: Any = x
    for weight in weights:
        value = relay.nn.relu(relay.nn.dense(value, weight))
    values = {f"w{i}": array(4, 4, seed=i) for i in range(count)}
    return make_model(relay.Function([x, *weights], value), values)


def _cut(model: Any, sites: int = 0) -> Any:
    graph = model.module.main
    relus, denses = ids(graph, "nn.relu"), ids(graph, "nn.dense")
    chosen = [Site(nodes=[denses[i], relus[i]], symbol=f"bmlib_{i}") for i in range(1, sites + 1)]
    return make_plan(
        model, Ask(outputs=[("early", Ref(denses[0]))], cuts=[[Ref(relus[0])]], sites=chosen)
    )


def _save(model: Any, plan: Any, folder: Path) -> list[Any]:
    return ENGINE.save(model, plan, ENGINE.operate(model, plan), folder, lambda _: None)


def _files(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def test_each_stage_is_a_closed_module_with_its_own_weights(tmp_path: Path) -> None:
    model = _layers()
    plan = _cut(model, sites=1)
    said: list[str] = []
    saved = ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, said.append)
    assert said == ["writing module", "writing stage 0", "writing stage 1"]
    assert [s.module for s in saved] == ["stages/0/module.json", "stages/1/module.json"]
    files = _files(tmp_path)
    for stage in saved:
        assert {k: files[k] for k in stage.sha256} == dict(stage.sha256)
        assert set(stage.sha256) == {stage.module, stage.params}
    weights = [set(read_params(str(tmp_path / str(s.params)))) for s in saved]
    assert weights == [{"w0"}, {"w2"}]  # w1 is embedded in the region
    second = tvm.ir.load_json((tmp_path / "stages/1/module.json").read_text())
    assert sorted(str(v.name_hint) for v in second.get_global_vars()) == ["bmlib_1", "main"]
    assert not relay.analysis.free_vars(second["main"])
    whole = tvm.ir.load_json((tmp_path / "module.json").read_text())
    feed = {"x": array(2, 4)}
    agree(evaluate(whole, feed, model.params)[:1], evaluate(model.ir, feed, model.params))
    first = tvm.ir.load_json((tmp_path / "stages/0/module.json").read_text())
    inner = evaluate(first, feed, model.params)
    names = [o.name for o in plan.stages[0].outputs]
    carried = dict(zip(names, inner, strict=True))
    last = evaluate(second, {i.name: carried[i.name] for i in plan.stages[1].inputs}, model.params)
    agree(last, evaluate(model.ir, feed, model.params))
    text = (tmp_path / "stages/1/module.relay").read_text()
    assert text.startswith("// For reading only")
    assert "@bmlib_1(" in text


def test_an_uncut_model_is_one_stage(tmp_path: Path) -> None:
    model = _layers()
    (saved,) = _save(model, make_plan(model), tmp_path)
    module = tvm.ir.load_json((tmp_path / saved.module).read_text())
    assert tvm.ir.structural_equal(module["main"], model.ir["main"])
    assert sorted(read_params(str(tmp_path / str(saved.params)))) == ["w0", "w1", "w2"]


def test_only_functions_that_a_stage_calls_go_with_it(tmp_path: Path) -> None:
    p, q, x = (relay.var(n, shape=(2,)) for n in "pqx")
    names = {n: relay.GlobalVar(n) for n in ("outer", "inner", "unused", "main")}
    ir = tvm.IRModule(
        {
            names["inner"]: relay.Function([q], relay.exp(q), relay.TensorType((2,))),
            names["outer"]: relay.Function(
                [p], relay.Call(names["inner"], [p]), relay.TensorType((2,))
            ),
            names["unused"]: relay.Function([], relay.const(1.0), relay.TensorType(())),
            names["main"]: relay.Function([x], relay.tanh(relay.Call(names["outer"], [x]))),
        }
    )
    model = make_model(ir)
    inner = ids(model.module.functions["inner"], "exp")
    ask = Ask(
        cuts=[[Ref(ids(model.module.main, "@outer")[0])]],
        sites=[Site(nodes=inner, function="inner")],
    )
    _save(model, make_plan(model, ask), tmp_path)
    held = [
        sorted(
            str(v.name_hint)
            for v in tvm.ir.load_json(
                (tmp_path / f"stages/{i}/module.json").read_text()
            ).get_global_vars()
        )
        for i in range(2)
    ]
    assert held == [["bmlib_0", "inner", "main", "outer"], ["main"]]


def test_the_reference_has_the_plan_s_outputs_and_all_weights(tmp_path: Path) -> None:
    model = _layers()
    plan = _cut(model)
    saved = ENGINE.save_reference(model, plan, tmp_path)
    module = tvm.ir.load_json((tmp_path / saved.module).read_text())
    assert calls(module["main"]) == calls(model.ir["main"])
    assert len(module["main"].ret_type.fields) == 2
    assert sorted(read_params(str(tmp_path / str(saved.params)))) == ["w0", "w1", "w2"]


def test_writing_that_the_system_refuses(tmp_path: Path) -> None:
    model = _layers()
    (tmp_path / "stages").write_text("a file in the way")
    with pytest.raises(SurgeryError) as caught:
        _save(model, make_plan(model), tmp_path)
    assert caught.value.diagnostics[0].code == "S440"


def _save_many(folder: Path) -> None:
    """Write a module of more functions than TVM keeps in order."""
    model = _layers(12)
    _save(model, _cut(model, sites=9), folder)


def test_the_same_plan_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\n"
        "junk = [object() for _ in range(int(sys.argv[2]))]\n"
        "from tests.engines.relay.test_save import _save_many\n"
        "_save_many(Path(sys.argv[1]))\n"
    )
    root = Path(__file__).parents[3]
    for place in range(3):
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / str(place)), str(place * 7919)],
            cwd=root, check=True, timeout=300,
        )  # fmt: skip
    one, two, three = (_files(tmp_path / str(i)) for i in range(3))
    assert len(one) == 8
    assert one == two == three


def test_ordered_json_is_the_module(tmp_path: Path) -> None:
    model = _layers(12)
    operated = ENGINE.operate(model, _cut(model, sites=9))
    text = module_json(operated)
    assert tvm.ir.structural_equal(tvm.ir.load_json(text), operated)
    assert tvm.ir.load_json(text)["main"] is not None
    build_all(model, _cut(model, sites=9), tmp_path)
    feed = {"x": array(2, 4)}
    found = run_all(_cut(model, sites=9), tmp_path, feed)
    agree(found[:1], evaluate(model.ir, feed, model.params), 1e-3)


@pytest.mark.parametrize("functions", [1, 6])
def test_lets_that_a_pass_made_of_a_model_read_from_json(functions: int) -> None:
    x, a = relay.var("x", shape=(2, 4)), relay.var("a")
    body = relay.Let(a, relay.add(x, x), relay.tanh(relay.add(a, x)))
    module = tvm.IRModule({f"f{i}": relay.Function([x], body) for i in range(functions)})
    read = tvm.ir.load_json(tvm.ir.save_json(relay.transform.InferType()(module)))
    typed = relay.transform.InferType()(read)
    with pytest.raises(tvm.TVMError):
        tvm.ir.save_json(typed)
    assert tvm.ir.structural_equal(tvm.ir.load_json(module_json(typed)), typed)
    assert module_json(typed) == module_json(typed)
