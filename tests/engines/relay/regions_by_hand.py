"""Regions written as Relay, built as a stage of one backend, for the tests of backends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm import relay

from surgery.engines.base import BackendBuild
from surgery.engines.relay.composites import mark_kernel
from tests.engines.relay.stages import ENGINE, stage_build


def composite(
    short: str,
    params: Sequence[Any],
    body: Any,
    constants: Sequence[Any] = (),
    backend: str = "lib",
) -> Any:
    """Return a composite literal whose kernel is ``BACKEND_SHORT``."""
    attrs = {"Composite": f"{backend}.{short}", "PartitionedFromPattern": ""}
    literal = relay.Function(params, body).with_attr(attrs)
    return mark_kernel(literal, f"{backend}_{short}", [*params, *constants])


def region(params: Sequence[Any], body: Any, symbol: str = "lib_0", backend: str = "lib") -> Any:
    """Return a region's function."""
    attrs = {"Primitive": 1, "Inline": 1, "Compiler": backend, "global_symbol": symbol}
    function = relay.Function(params, body).with_attr(attrs)
    typed = relay.transform.InferType()(tvm.IRModule({relay.GlobalVar(symbol): function}))
    return typed[symbol]


def calling_module(*regions: Any) -> Any:
    """Return a module whose ``@main`` calls regions on inputs of the regions' own names."""
    functions: dict[Any, Any] = {}
    inputs: dict[str, Any] = {}
    results: list[Any] = []
    for function in regions:
        variable = relay.GlobalVar(str(function.attrs["global_symbol"]))
        functions[variable] = function
        given = [
            inputs.setdefault(p.name_hint, relay.Var(p.name_hint, p.type_annotation))
            for p in function.params
        ]
        results.append(relay.Call(variable, given))
    body = results[0] if len(results) == 1 else relay.Tuple(results)
    functions[relay.GlobalVar("main")] = relay.Function(list(inputs.values()), body)
    return relay.transform.InferType()(tvm.IRModule(functions))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def build(
    folder: Path, module: Any, backends: Mapping[str, BackendBuild], executor: str = "graph"
) -> None:
    """Save a module as a stage and compile it to ``lib/stage.so``."""
    (folder / "module.json").write_text(tvm.ir.save_json(module))
    ENGINE.build_stage(
        stage_build(
            folder, "module.json", None, "lib/stage.so", backends=backends, executor=executor
        )
    )


def run(folder: Path, inputs: Mapping[str, Any], executor: str = "graph") -> list[Any]:
    """Run the stage here."""
    return ENGINE.open_stage(folder, "lib/stage.so", executor, list(inputs))(inputs)


_ALONE = """
import sys
import numpy as np
import tvm

executor = tvm.runtime.load_module(sys.argv[1])["default"](tvm.cpu())
for name, array in np.load(sys.argv[2]).items():
    executor["set_input"](name, tvm.nd.array(array))
executor["run"]()
count = executor["get_num_outputs"]()
np.savez(sys.argv[3], *[executor["get_output"](i).numpy() for i in range(count)])
"""


def run_alone(library: Path, inputs: Mapping[str, Any], scratch: Path) -> list[Any]:
    """Run a library in a fresh process that knows TVM only."""
    np.savez(scratch / "in.npz", **inputs)
    subprocess.run(
        [sys.executable, "-c", _ALONE, library, scratch / "in.npz", scratch / "out.npz"],
        check=True, timeout=120, cwd=scratch, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return list(np.load(scratch / "out.npz").values())
