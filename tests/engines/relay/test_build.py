"""Building stages: results, and one-line reasons for what cannot be built."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

from surgery.codes import CODES
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.engines.relay import build as building
from surgery.graph import Ref
from tests.engines.relay.plans import Ask, agree, array, const, evaluate, ids, make_model, make_plan
from tests.engines.relay.stages import ENGINE, build_all, run_all, stage_build


def _model() -> Any:
    x = relay.var("x", shape=(2, 4))
    w = relay.var("w", shape=(4, 4))
    body = relay.tanh(relay.nn.relu(relay.nn.dense(x, w)))
    return make_model(relay.Function([x, w], body), {"w": array(4, 4)})


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with one saved stage."""
    model = _model()
    plan = make_plan(model)
    ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, lambda _: None)
    return tmp_path


def _fault(folder: Path, **options: Any) -> Diagnostic:
    library = options.pop("library", "lib/stage0.so")
    build = stage_build(folder, "stages/0/module.json", "stages/0/params.bin", library, **options)
    with pytest.raises(SurgeryError) as caught:
        ENGINE.build_stage(build)
    (found,) = caught.value.diagnostics
    assert found.code in CODES
    assert "\n" not in found.message + found.reason
    assert "tvm::" not in found.reason
    assert not list(folder.glob("lib/*"))
    return found


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"target": "llwm"}, "S410", "llvm"),
        ({"target": "llvm -mcupid=3"}, "S410", ""),
        ({"target": "llvm -mcpu=native"}, "S410", "generic"),
        ({"target": "llvm -mcpu=skylake-avx521"}, "S410", "generic"),
        ({"target": ""}, "S410", ""),
        ({"target": "cuda"}, "S410", "without cuda"),
        ({"config": {"relay.FuseOps.max_dept": 4}}, "S411", "relay.FuseOps.max_depth"),
        ({"config": {"relay.FuseOps.max_depth": "four"}}, "S411", ""),
        ({"disabled_passes": ["FuseOp"]}, "S412", "FuseOps"),
        ({"executor": "ahead"}, "S413", "graph"),
        ({"executor": "vm", "library": "lib/stage0.mlf.tar"}, "S425", "format tar"),
        ({"target": "llvm -mtriple=riscv64-unknown-freebsd"}, "S424", "format tar"),
    ],
)
def test_options_that_do_not_exist(
    saved: Path, options: dict[str, Any], code: str, said: str
) -> None:
    found = _fault(saved, **options)
    assert found.code == code
    assert said in f"{found.reason} {found.remedy}"


def test_options_that_do_exist(saved: Path) -> None:
    ENGINE.build_stage(
        stage_build(
            saved, "stages/0/module.json", "stages/0/params.bin", "lib/stage0.so",
            opt_level=1, config={"relay.FuseOps.max_depth": 4, "tir.disable_vectorize": True},
            disabled_passes=["FoldConstant", "tir.UnrollLoop"],
        )
    )  # fmt: skip
    runner = ENGINE.open_stage(saved, "lib/stage0.so", "graph", ["x"])
    expected = np.tanh(np.maximum(array(2, 4) @ array(4, 4).T, 0))
    agree(runner({"x": array(2, 4)}), [expected])


def test_a_missing_compiler_is_named(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    found = _fault(saved)
    assert found.code == "S414"
    assert found.message == "CXX names the compiler no-such-compiler, which is not there"
    monkeypatch.setenv("CXX", " ")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert _fault(saved).message == "no C++ compiler was found"


def test_a_compiler_may_come_with_flags(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ -Wl,-soname,named.so")
    ENGINE.build_stage(stage_build(saved, "stages/0/module.json", "stages/0/params.bin", "s.so"))
    assert b"named.so" in (saved / "s.so").read_bytes()


def test_saved_modules_that_cannot_be_read(saved: Path) -> None:
    path = saved / "stages/0/module.json"
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert _fault(saved).code == "S416"
    path.write_bytes(b"\xff\xfe\x00")
    assert _fault(saved).code == "S416"
    path.unlink()
    assert _fault(saved).code == "S416"


def test_a_folder_that_cannot_be_written(saved: Path) -> None:
    (saved / "lib").write_text("a file in the way")
    build = stage_build(saved, "stages/0/module.json", "stages/0/params.bin", "lib/stage0.so")
    with pytest.raises(SurgeryError) as caught:
        ENGINE.build_stage(build)
    assert caught.value.diagnostics[0].code == "S417"


def test_what_tvm_cannot_compile_is_one_line(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2,))
    branch = relay.If(relay.less(relay.sum(x), relay.const(1.0)), relay.exp(x), relay.tanh(x))
    model = make_model(relay.Function([x], branch))
    plan = make_plan(model)
    ENGINE.save(model, plan, ENGINE.operate(model, plan), tmp_path, lambda _: None)
    with pytest.raises(SurgeryError) as caught:
        ENGINE.build_stage(stage_build(tmp_path, "stages/0/module.json", None, "lib/stage0.so"))
    (found,) = caught.value.diagnostics
    assert found.code == "S415"
    assert found.reason
    assert "\n" not in found.reason
    for level in (0, 3):
        build_all(model, plan, tmp_path, executor="vm", opt_level=level)
        for scale in (0.1, 2.0):
            feed = {"x": array(2) * np.float32(scale)}
            agree(run_all(plan, tmp_path, feed, "vm"), evaluate(model.ir, feed, {}))


def test_tvm_s_own_fault_with_equal_operands_has_a_remedy(tmp_path: Path) -> None:
    x, w = relay.var("x", shape=(2, 2)), relay.var("w", shape=(2, 2))
    twice = relay.nn.dense(x, w)
    model = make_model(relay.Function([x, w], relay.add(twice, twice)))
    plan = make_plan(model)
    with pytest.raises(SurgeryError) as caught:
        build_all(model, plan, tmp_path)
    assert "disable SimplifyExpr" in caught.value.diagnostics[0].remedy
    build_all(model, plan, tmp_path, disabled_passes=["SimplifyExpr"])
    feed = {"x": array(2, 2), "w": array(2, 2, seed=1)}
    agree(run_all(plan, tmp_path, feed), [2 * (feed["x"] @ feed["w"].T)])


@pytest.mark.parametrize("executor", ["graph", "vm"])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "uint8", "int64", "bool"])
def test_every_dtype_crosses_a_cut(tmp_path: Path, dtype: str, executor: str) -> None:
    x = relay.var("x", shape=(2, 3), dtype=dtype)
    if dtype == "bool":
        first, second = relay.logical_not(x), relay.logical_xor
    else:
        first, second = relay.add(x, x), relay.multiply
    model = make_model(relay.Function([x], second(first, x)))
    cut = Ref(next(i for i, k in enumerate(model.module.main.kinds) if k == "call"))
    plan = make_plan(model, Ask(outputs=[("first", cut)], cuts=[[cut]]))
    build_all(model, plan, tmp_path, executor=executor)
    v = array(2, 3, dtype=dtype)
    expected = [np.logical_xor(~v, v), ~v] if dtype == "bool" else [(v + v) * v, v + v]
    agree(run_all(plan, tmp_path, {"x": v}, executor), expected, 1e-3)


@pytest.mark.parametrize("executor", ["graph", "vm"])
def test_outputs_that_no_op_computes(tmp_path: Path, executor: str) -> None:
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(2, 3))
    fixed = const(2, 3, seed=4)
    scalar = relay.mean(x)
    body = relay.Tuple([relay.add(x, fixed), scalar, scalar, relay.add(w, x)])
    params = {"w": array(2, 3, seed=5)}
    model = make_model(relay.Function([x, w], body), params)
    graph = model.module.main
    constant = graph.kinds.index("constant")
    asked = [("x again", Ref(0)), ("w again", Ref(1)), ("fixed", Ref(constant))]
    plan = make_plan(model, Ask(outputs=asked))
    build_all(model, plan, tmp_path, executor=executor)
    v = array(2, 3)
    agree(
        run_all(plan, tmp_path, {"x": v}, executor),
        [v + array(2, 3, seed=4), v.mean(), v.mean(), params["w"] + v, v, params["w"],
         array(2, 3, seed=4)],
    )  # fmt: skip


def test_a_model_that_only_passes_its_input_through(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2,))
    model = make_model(relay.Function([x], relay.exp(x)))
    plan = make_plan(model, Ask(outputs=[("same", Ref(0))], only=True))
    build_all(model, plan, tmp_path)
    agree(run_all(plan, tmp_path, {"x": array(2)}), [array(2)])


def test_deep_work_gets_a_large_stack_and_faults_come_back() -> None:
    before = threading.stack_size()

    def sizes(depth: int) -> int:
        return depth if depth == 0 else sizes(depth - 1) + 1

    assert building.on_large_stack(lambda: sizes(500)) == 500
    assert threading.stack_size() == before

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        building.on_large_stack(fails)


def test_a_chain_too_deep_for_the_usual_stack(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2,))
    value: Any = x
    for _ in range(1501):
        value = relay.negative(value)
    model = make_model(relay.Function([x], value))
    build_all(model, make_plan(model), tmp_path, opt_level=0)
    agree(run_all(make_plan(model), tmp_path, {"x": array(2)}), [-array(2)])


def test_a_known_target_is_complete() -> None:
    target = building.checked_target("llvm -num-cores=2")
    assert str(target.kind.name) == "llvm"
    assert target.host is not None


def test_a_backend_that_someone_else_serves_stays_theirs(tmp_path: Path) -> None:
    from surgery.engines.relay import codegen
    from tests.engines.relay.plans import Site

    x = relay.var("x", shape=(2,))
    model = make_model(relay.Function([x], relay.tanh(relay.exp(x))))
    site = Site(nodes=ids(model.module.main, "exp"), backend="theirs", symbol="theirs_0")
    plan = make_plan(model, Ask(sites=[site]))
    seen: list[str] = []

    def serve(function: Any) -> Any:
        seen.append(str(function.attrs["global_symbol"]))
        return codegen.compile_region(function)

    tvm.register_func("relay.ext.theirs", serve, override=True)
    try:
        build_all(model, plan, tmp_path, backends={})
    finally:
        tvm._ffi.registry.remove_global_func("relay.ext.theirs")
    assert seen == ["theirs_0"]
    agree(run_all(plan, tmp_path, {"x": array(2)}), [np.tanh(np.exp(array(2)))])
