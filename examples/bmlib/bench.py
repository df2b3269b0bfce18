"""Offload real nets to bmlib, load the libraries in fresh processes, compare and time them.

python examples/bmlib/bench.py [cls resnet18 mobilenet bert] [--json FILE]

For each net: the spec is applied; the same model, unsplit, is built by TVM alone, for the spec's
own target and for this machine's processor. Each library then runs in a process of its own, which
never imports surgery, on the same input; outputs must be equal within 1e-4 of themselves and 1e-5
of the largest. Times are medians of one run's processor time on one thread (--threads N: wall time
on N): what else runs on the machine then hardly counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm import relay
from tvm.contrib import graph_executor

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "examples" / "made"
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]

#: Net -> its model's name in the work folder.
NETS = {
    "cls": "rapidocr_cls", "resnet18": "onnx_resnet18", "mobilenet": "mobilenet",
    "bert": "tf_bert_12l",
}  # fmt: skip
#: Seconds that each library is run for.
SECONDS = 3.0


def make(*options: str) -> None:
    """Build bmlib and the kernels of all nets."""
    subprocess.run(
        ["make", "-s", "-C", str(HERE), f"PYTHON={sys.executable}", *options], check=True
    )


def prepare_model(net: str) -> Path:
    """Write a net's model and weights into the work folder; return the model's path."""
    from prepare_models import MADE, prepare

    name = NETS[net]
    if name not in MADE:
        return prepare(name, WORK)
    made = WORK / f"{name}.json"
    return made if made.exists() else MADE[name](WORK)


def by_surgery(net: str) -> tuple[Path, dict[str, int]]:
    """Apply a net's spec; return the built library and what its plan counts.

    What it computes is compared below, with TVM's own library.
    """
    out = WORK / f"bmlib_{net}.out"
    spec = f"specs/bmlib_{net}.surgery"
    command = [sys.executable, "-m", "surgery", "apply", spec, "-o", str(out), "--no-verify"]
    subprocess.run([*command, "--quiet"], cwd=ROOT, check=True)
    recipe, plan = (json.loads((out / f"{n}.json").read_text()) for n in ("recipe", "plan"))
    calls = [c["kernel"] for r in plan["regions"] for c in r["composites"]]
    counts = {"regions": len(plan["regions"]), "calls": len(calls), "kernels": len(set(calls))}
    return out / recipe["stages"][0]["library"], counts


def by_tvm(net: str, target: str, path: Path) -> Path:
    """Build a net by TVM alone."""
    module = tvm.ir.load_json(prepare_model(net).read_text())
    weights = WORK / f"{NETS[net]}.params"
    params = relay.load_param_dict(weights.read_bytes()) if weights.exists() else {}
    with tvm.transform.PassContext(opt_level=3):
        relay.build(module, target=target, params=params).export_library(str(path))
    return path


def run(library: Path, inputs: Path, outputs: Path, threads: int) -> dict[str, Any]:
    """Run a library in a fresh process; return its times in seconds."""
    command = [sys.executable, __file__, "--run", str(library), str(inputs), str(outputs)]
    names = ("TVM_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    env = {**os.environ, **dict.fromkeys(names, str(threads))}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    return dict(json.loads(done.stdout))


def run_here(library: str, inputs: str, outputs: str) -> None:
    """Run a library in this process, save its outputs, print its times."""
    module = graph_executor.GraphModule(tvm.runtime.load_module(library)["default"](tvm.cpu()))
    with np.load(inputs) as given:
        for name in given.files:
            module.set_input(name, given[name])
    module.run()
    results = [module.get_output(i).numpy() for i in range(module.get_num_outputs())]
    np.savez(outputs, *results)
    clock = time.process_time if os.environ["TVM_NUM_THREADS"] == "1" else time.perf_counter
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 5:
        start = clock()
        module.run()
        times.append(clock() - start)
    assert "surgery" not in sys.modules
    print(json.dumps({"median": statistics.median(times), "best": min(times), "runs": len(times)}))


def random_inputs(parameters: Iterable[relay.Var]) -> dict[str, np.ndarray]:
    """Draw an array for each input: normal floats, or small integers (token ids)."""
    rng = np.random.default_rng(0)
    drawn = {}
    for parameter in parameters:
        type_ = parameter.type_annotation
        shape = [int(d) for d in type_.shape]
        whole = "int" in type_.dtype
        value = rng.integers(0, 100, shape) if whole else rng.standard_normal(shape)
        drawn[parameter.name_hint] = np.asarray(value, dtype=type_.dtype)
    return drawn


def measure(net: str, threads: int) -> dict[str, Any]:
    """Offload, build, run and compare one net."""
    model = prepare_model(net)
    function = tvm.ir.load_json(model.read_text())["main"]
    weights = WORK / f"{NETS[net]}.params"
    known = relay.load_param_dict(weights.read_bytes()) if weights.exists() else {}
    inputs = WORK / f"bmlib_{net}.inputs.npz"
    np.savez(inputs, **random_inputs(p for p in function.params if p.name_hint not in known))
    native = f"llvm -mcpu={tvm.get_global_func('target.llvm_get_system_cpu')()}"
    offloaded, counts = by_surgery(net)
    libraries = {
        "bmlib": offloaded,
        "tvm": by_tvm(net, "llvm", WORK / f"{net}_tvm.so"),
        "tvm native": by_tvm(net, native, WORK / f"{net}_native.so"),
    }
    found: dict[str, Any] = {"net": net, "native": native, **counts}
    results: dict[str, list[np.ndarray]] = {}
    for name, library in libraries.items():
        outputs = WORK / f"bmlib_{net}.outputs.npz"
        found[name] = run(library, inputs, outputs, threads)
        with np.load(outputs) as arrays:
            results[name] = [arrays[a] for a in arrays.files]
    for ours, theirs in zip(results["bmlib"], results["tvm"], strict=True):
        # Relative to the largest: a classifier of a thousand classes gives small numbers.
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5 * np.abs(theirs).max())
    found["difference"] = max(
        float(np.max(np.abs(a - b))) for a, b in zip(results["bmlib"], results["tvm"], strict=True)
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=", ".join(NETS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run is not None:
        run_here(*given.run)
        return
    unknown = [n for n in given.nets if n not in NETS]
    if unknown:
        parser.error(f"no net {', '.join(unknown)}; there are {', '.join(NETS)}")
    make()
    rows = []
    print(
        "net        regions  calls  kernels       bmlib    TVM llvm  TVM native  TVM/bmlib"
        "  native/bmlib  differs by"
    )
    for net in given.nets or NETS:
        row = measure(net, given.threads)
        rows.append(row)
        ours, tvm_s, native_s = (row[k]["median"] for k in ("bmlib", "tvm", "tvm native"))
        print(
            f"{net:<10} {row['regions']:>7} {row['calls']:>6} {row['kernels']:>8}"
            f" {ours * 1e3:>8.2f} ms {tvm_s * 1e3:>8.2f} ms {native_s * 1e3:>8.2f} ms"
            f" {tvm_s / ours:>10.2f} {native_s / ours:>13.2f}     {row['difference']:.1e}",
            flush=True,
        )
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
