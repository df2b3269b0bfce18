"""What is measured, piece by piece; each runs in a process of its own.

A piece takes plain arguments, sets itself up, times what counts and returns numbers that
JSON can hold. ``cpu`` and ``wall`` are seconds of the timed part.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.process import ROOT, timed

Numbers = dict[str, Any]

#: The BERT of the examples, imported from TensorFlow.
EXAMPLE = ROOT / "examples" / "models" / "tf_bert_12l.json.xz"
_BERT_INPUTS = ("embedding", "attention_mask")


def cut_spec(layers: int, stages: int = 4) -> str:
    """Return the spec that cuts :func:`benchmarks.models.bert` into equal stages by layer names."""
    return "; ".join(f"cut after layer_._{layers * k // stages - 1}" for k in range(1, stages))


def cut_points(layers: int, stages: int = 4) -> list[tuple[str, int]]:
    """Return the same places as :func:`cut_spec` for a script that counts ops."""
    from benchmarks.models import BERT_LAYER_ADDS

    return [("add", BERT_LAYER_ADDS * (layers * k // stages) - 1) for k in range(1, stages)]


def _operate(spec: str, module: Any, weights: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
    """Do the surgery in memory: view, plan, passes and typing. Returns the plan and the module."""
    from surgery.api import parse_spec, plan

    planned = plan(parse_spec(spec), model=module, params=weights or {})
    assert planned.engine is not None
    assert planned.model is not None
    return planned.plan, planned.engine.operate(planned.model, planned.plan)


# ---------------------------------------------------------------- cut


def cut_ours(layers: int, repeats: int) -> Numbers:
    """Four stage modules from a module in memory."""
    from benchmarks.models import bert, weight_names
    from surgery.engines.relay.save import stage_modules

    module = bert(layers)
    weights = weight_names(module, _BERT_INPUTS)

    def run() -> tuple[Any, list[Any]]:
        plan, operated = _operate(cut_spec(layers), module, weights)
        return plan, list(stage_modules(plan, operated))

    def warm() -> None:
        _operate(cut_spec(4), bert(4))

    (plan, stages), numbers = timed(run, repeats=repeats, warm=warm)
    crossings = [(c.source, list(c.targets)) for c in plan.crossings]
    return {**numbers, "stages": len(stages), "crossings": crossings}


def balance_plan(layers: int, repeats: int, spec: str = "") -> Numbers:
    """The plan of a module in memory, its places chosen; or of another spec."""
    from benchmarks.models import bert, weight_names
    from surgery.api import parse_spec, plan

    module = bert(layers)
    weights = weight_names(module, _BERT_INPUTS)
    text = spec or "cut into 4 stages by flops"
    planned, numbers = timed(
        lambda: plan(parse_spec(text), model=module, params=weights).plan,
        repeats=repeats,
        warm=lambda: plan(parse_spec("cut into 4 stages by flops"), model=bert(4)),
    )
    costs = planned.balance.costs if planned.balance is not None else ()
    return {**numbers, "slowest": max(costs) * len(costs) / sum(costs) if costs else 0}


def cut_graph_split(layers: int, repeats: int, bound: bool = False) -> Numbers:
    """The same by the script of the pipeline tests; ``bound``: with the weights as constants."""
    from tvm import relay

    from benchmarks.baselines import graph_split
    from benchmarks.models import bert, weight_names

    module = bert(layers)
    if bound:
        weights = weight_names(module, _BERT_INPUTS)
        main = relay.build_module.bind_params_by_name(module["main"], weights)
        module = relay.transform.InferType()(type(module).from_expr(main))
    parts, numbers = timed(
        lambda: graph_split(module, cut_points(layers)),
        repeats=repeats,
        warm=lambda: graph_split(bert(4), cut_points(4)),
    )
    return {**numbers, "stages": len(parts)}


def cut_linear(layers: int, repeats: int) -> Numbers:
    """The same by a straightforward linear script."""
    from benchmarks.baselines import linear_split
    from benchmarks.models import bert

    module = bert(layers)
    parts, numbers = timed(
        lambda: linear_split(module, cut_points(layers)),
        repeats=repeats,
        warm=lambda: linear_split(bert(4), cut_points(4)),
    )
    return {**numbers, "stages": len(parts)}


def cut_steps(layers: int) -> Numbers:
    """Time of each step of :func:`cut_ours`, once: where it goes."""
    from benchmarks.models import bert, weight_names
    from surgery.api import parse_spec
    from surgery.engines import get_engine
    from surgery.planning import make_plan

    module = bert(layers)
    weights = weight_names(module, _BERT_INPUTS)
    engine = get_engine("relay")
    _operate(cut_spec(4), bert(4))
    marks = [time.process_time()]
    spec = parse_spec(cut_spec(layers))
    marks.append(time.process_time())
    model = engine.adopt(module, weights)
    marks.append(time.process_time())
    plan = make_plan(spec, model.module)
    marks.append(time.process_time())
    engine.operate(model, plan)
    marks.append(time.process_time())
    steps = ("parse", "adopt", "plan", "passes")
    return {s: b - a for s, a, b in zip(steps, marks, marks[1:], strict=False)}


# ---------------------------------------------------------------- the BERT of the examples

BERT_SPEC = """\
output last(layer_._2) as hidden
output %41 as mask
cut after layer_._3
offload pattern dense>reshape>add to bmlib
"""


def bert_ours(repeats: int) -> Numbers:
    """Everything of ``apply`` between loading and building, the report left out, and with it."""
    from surgery.api import load_model, parse_spec, plan
    from surgery.planning import plan_json

    spec = parse_spec(BERT_SPEC)
    models = [load_model(EXAMPLE) for _ in range(repeats + 1)]
    counts: dict[str, int] = {}

    def run() -> None:
        planned = plan(spec, model=models.pop())
        assert planned.engine is not None
        assert planned.model is not None
        operated = planned.engine.operate(planned.model, planned.plan)
        with tempfile.TemporaryDirectory() as folder:
            planned.engine.save(planned.model, planned.plan, operated, Path(folder), _silent)
            text = json.dumps(plan_json(planned.plan))
        counts["regions"], counts["stages"] = len(planned.plan.regions), len(planned.plan.stages)
        counts["plan bytes"] = len(text)

    _, numbers = timed(run, repeats=repeats, warm=run)
    return {**numbers, **counts}


def _silent(_event: str) -> None:
    """Report progress to nobody."""


def bert_apply(repeats: int) -> Numbers:
    """The whole of ``surgery.apply(build=False)`` on a loaded model, HTML report included."""
    from surgery.api import apply, load_model, parse_spec

    spec = parse_spec(BERT_SPEC)
    models = [load_model(EXAMPLE) for _ in range(repeats + 1)]

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            apply(spec, Path(folder) / "out", model=models.pop(), build=False, verify=False)

    _, numbers = timed(run, repeats=repeats, warm=run)
    return numbers


def bert_json(repeats: int) -> Numbers:
    """TVM's own ``load_json + InferType + save_json`` of the same model."""
    import lzma

    from benchmarks.baselines import json_round_trip

    text = lzma.decompress(EXAMPLE.read_bytes()).decode()
    _, numbers = timed(lambda: json_round_trip(text), repeats=repeats)
    return numbers


# ---------------------------------------------------------------- outputs


def _spread(count: int, of: int) -> list[int]:
    return [of * (k + 1) // (count + 1) for k in range(count)]


def outputs_ours(layers: int, count: int, repeats: int) -> Numbers:
    """A module with ``count`` values as further outputs, picked by their ``%N``."""
    from benchmarks.models import BERT_LAYER_OPS, bert, weight_names

    module = bert(layers)
    weights = weight_names(module, _BERT_INPUTS)
    spec = "\n".join(f"output %{n} as y{n}" for n in _spread(count, BERT_LAYER_OPS * layers))
    (plan, _), numbers = timed(
        lambda: _operate(spec, module, weights),
        repeats=repeats,
        warm=lambda: _operate("output %3 as y", bert(1)),
    )
    return {**numbers, "outputs": len(plan.outputs)}


def outputs_tvm(layers: int, count: int, repeats: int, typed: bool = False) -> Numbers:
    """TVM's ``extract_intermdeiate_expr`` (sic), once a value; ``typed``: and ``InferType``."""
    from benchmarks.baselines import extract_outputs
    from benchmarks.models import BERT_LAYER_OPS, bert

    module = bert(layers)
    ids = _spread(count, BERT_LAYER_OPS * layers)
    found, numbers = timed(
        lambda: extract_outputs(module, ids, typed=typed),
        repeats=repeats,
        warm=lambda: extract_outputs(bert(1), [3]),
    )
    return {**numbers, "outputs": len(found)}


# ---------------------------------------------------------------- offload

OFFLOAD_SPEC = "offload pattern conv2d>bn>relu to bmlib"


def offload_ours(blocks: int, repeats: int) -> Numbers:
    """Every site of the ResNet as a region of its own, typed."""
    from benchmarks.models import resnet

    module = resnet(blocks)
    (plan, operated), numbers = timed(
        lambda: _operate(OFFLOAD_SPEC, module),
        repeats=repeats,
        warm=lambda: _operate(OFFLOAD_SPEC, resnet(1)),
    )
    compilers = sum(1 for f in operated.functions.values() if f.attrs and "Compiler" in f.attrs)
    assert compilers == len(plan.regions)
    return {**numbers, "regions": len(plan.regions)}


def offload_byoc(blocks: int, repeats: int) -> Numbers:
    """The same by TVM's four BYOC passes and an equal pattern table."""
    from benchmarks.baselines import byoc
    from benchmarks.models import resnet

    module = resnet(blocks)
    found, numbers = timed(lambda: byoc(module), repeats=repeats, warm=lambda: byoc(resnet(1)))
    compilers = sum(1 for f in found.functions.values() if f.attrs and "Compiler" in f.attrs)
    return {**numbers, "regions": compilers}


# ---------------------------------------------------------------- deep and large


def chain_ours(ops: int, pattern: str) -> Numbers:
    """A chain through plan, output, cut, offload and save, on the default stack."""
    from benchmarks.models import chain
    from surgery.api import parse_spec, plan

    module = chain(ops)
    spec = parse_spec(
        f'output "step/{ops // 4}" as quarter\n'
        f'cut after "step/{ops // 2 - 1}"\n'
        f"offload pattern {pattern} to bmlib\n"
    )
    numbers: Numbers = {}

    def run() -> None:
        start = time.process_time()
        planned = plan(spec, model=module)
        assert planned.engine is not None
        assert planned.model is not None
        numbers["view and plan"] = time.process_time() - start
        operated = planned.engine.operate(planned.model, planned.plan)
        numbers["passes"] = time.process_time() - start - numbers["view and plan"]
        with tempfile.TemporaryDirectory() as folder:
            planned.engine.save(planned.model, planned.plan, operated, Path(folder), _silent)
        numbers["regions"] = len(planned.plan.regions)
        numbers["stages"] = len(planned.plan.stages)

    _, times = timed(run)
    return {**numbers, **times}


def chain_graph_split(ops: int) -> Numbers:
    """The cut alone, by the script of the pipeline tests."""
    from benchmarks.baselines import graph_split
    from benchmarks.models import chain

    module = chain(ops)
    _, numbers = timed(lambda: graph_split(module, [("add", ops // 4 - 1)]))
    return numbers


def core_plan(ops: int, offload: bool) -> Numbers:
    """Output, cut and perhaps an offload planned on a picture alone, without a compiler."""
    import resource

    from benchmarks.graphs import LAYER_OPS, layered
    from surgery.api import parse_spec
    from surgery.planning import make_plan

    module = layered(ops)
    middle = ops // LAYER_OPS // 2
    text = f'output "net/layer_{middle // 2}/relu" as early\ncut after layer_{middle}\n'
    if offload:
        text += f"offload pattern dense>add>relu to bmlib expect {ops // LAYER_OPS}\n"
    spec = parse_spec(text)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plan, numbers = timed(
        lambda: make_plan(spec, module),
        warm=lambda: make_plan(parse_spec("cut after layer_1"), layered(16)),
    )
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        **numbers, "regions": len(plan.regions), "crossings": len(plan.crossings),
        "model_kib": before, "peak_kib": after,
    }  # fmt: skip


# ---------------------------------------------------------------- whole processes


def write_bert_text(layers: int, path: str) -> Numbers:
    """Write the BERT as Relay text, names in its ``span=`` comments."""
    from benchmarks.models import bert

    Path(path).write_text(bert(layers).astext(show_meta_data=False), encoding="utf-8")
    return {"bytes": Path(path).stat().st_size}


def floor_process(layers: int, text: str, out: str) -> Numbers:
    """What reading, typing, rebuilding and writing alone cost, in one process of its own."""
    from benchmarks.baselines import process_floor

    process_floor(Path(text), Path(out), cut_points(layers))
    return {}


def write_heavy(weights: int, rows: int, columns: int, model: str, params: str) -> Numbers:
    """Write a net with large weights: TVM JSON, and TVM's params format."""
    import numpy as np
    import tvm

    from benchmarks.models import heavy, weight_names

    module = heavy(weights, rows, columns)
    Path(model).write_text(tvm.ir.save_json(module), encoding="utf-8")
    arrays = weight_names(module, ("x",))
    for index, array in enumerate(arrays.values()):
        array.copyfrom(np.full(array.shape, index + 1, "float32"))
    tvm.runtime.save_param_dict_to_file(arrays, params)
    return {"bytes": Path(params).stat().st_size}


def write_weights(params: str, folder: str, repeats: int) -> Numbers:
    """Write weights that are in memory, as ``apply`` does for a stage, and copy the same file.

    Both in one process, by turns: what a first write costs depends on the memory that the system
    has at hand.
    """
    from benchmarks.baselines import copy_file
    from surgery.engines.relay.params import read_params, write_params

    arrays = read_params(params)
    own, copied = Path(folder) / "own", Path(folder) / "copied"
    best: dict[str, float] = {}
    for _ in range(repeats + 1):
        for name, run in (
            ("own", lambda: write_params(own, arrays)),
            ("copy", lambda: copy_file(Path(params), copied)),
        ):
            own.unlink(missing_ok=True)
            copied.unlink(missing_ok=True)
            _, times = timed(run)
            for unit, value in times.items():
                best[f"{name} {unit}"] = min(best.get(f"{name} {unit}", value), value)
    return best


def modules_imported(arguments: Sequence[str]) -> Numbers:
    """Run ``surgery ARGUMENTS`` here and tell which heavy packages it imported."""
    import sys

    from surgery.cli import main

    try:
        main(list(arguments))
    except SystemExit as end:
        status = end.code
    else:
        status = 0
    heavy = [n for n in ("tvm", "numpy", "rich") if n in sys.modules]
    return {"imported": heavy, "status": status}
