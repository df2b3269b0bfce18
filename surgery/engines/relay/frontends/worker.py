"""The process that converts a model, or runs it in its own framework.

``python -m surgery.engines.relay.frontends.worker FD``: one JSON request on standard input, JSON
lines of progress and of the outcome on the descriptor FD. A framework may print, take gigabytes or
crash; nothing of that reaches the process that asked.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends.base import Converted, Frontend, Request
from surgery.engines.relay.frontends.registry import by_name
from surgery.graph import TensorType

MANIFEST, MODULE, PARAMS = "conversion.json", "module.json", "params.safetensors"
RESULTS = "results"


def main() -> int:
    """Serve one request."""
    asked = json.load(sys.stdin)
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8", buffering=1) as out:

        def tell(event: str, done: int | None = None, total: int | None = None) -> None:
            out.write(json.dumps({"progress": [event, done, total]}) + "\n")

        try:
            frontend = by_name(asked["frontend"])
            request = Request(
                path=Path(asked["path"]),
                inputs={n: TensorType(tuple(s), d) for n, (s, d) in asked["inputs"].items()},
                allow_code=asked["allow_code"],
                values=tuple(asked["values"]),
            )
            if asked["run"] is None:
                made = frontend.convert(request, tell)
                write(made, Path(asked["folder"]), tell)
            else:
                run(frontend, request, Path(asked["run"]), Path(asked["folder"]))
        except SurgeryError as failure:
            out.write(json.dumps({"failed": [_plain(d) for d in failure.diagnostics]}) + "\n")
        except MemoryError:
            out.write(json.dumps({"failed": [{"code": "S538", "message": "out of memory"}]}) + "\n")
        else:
            out.write(json.dumps({"done": True}) + "\n")
    return 0


def _plain(diagnostic: Any) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "message": diagnostic.message,
        "reason": diagnostic.reason,
        "remedy": diagnostic.remedy,
        "notes": list(diagnostic.notes),
    }


def write(made: Converted, folder: Path, tell: Any) -> None:
    """Write a converted model: module, weights, and what the framework calls inputs and outputs."""
    from surgery.engines.relay.params import write_safetensors
    from surgery.engines.relay.tvm_import import tvm

    module = tvm()
    tell("saving the converted model")
    typed = module.relay.transform.InferType()(made.ir)
    own = {str(p.name_hint) for p in typed["main"].params}
    (folder / MODULE).write_text(module.ir.save_json(typed), encoding="utf-8")
    arrays = {n: module.nd.array(value) for n, value in made.params.items() if n in own}
    if arrays:
        write_safetensors(folder / PARAMS, arrays)
    document = {
        "inputs": list(made.inputs),
        "outputs": list(made.outputs),
        "notes": list(made.notes),
        "params": bool(arrays),
        "values": dict(made.values),
    }
    (folder / MANIFEST).write_text(json.dumps(document), encoding="utf-8")


def run(frontend: Frontend, request: Request, inputs: Path, folder: Path) -> None:
    """Run a model in its own framework on the arrays of a file."""
    results: Mapping[str, Any] = frontend.reference(request)(read_arrays(inputs))
    if not results:
        raise error("S538", f"{request.path} has no outputs")
    write_arrays(folder / RESULTS, results)


def write_arrays(folder: Path, arrays: Mapping[str, Any]) -> None:
    """Write named arrays into a folder; a name may be anything."""
    import numpy as np

    folder.mkdir()
    names = list(arrays)
    for place, name in enumerate(names):
        np.save(folder / f"{place}.npy", np.asarray(arrays[name]), allow_pickle=False)
    (folder / "names.json").write_text(json.dumps(names), encoding="utf-8")


def read_arrays(folder: Path) -> dict[str, Any]:
    """Read what :func:`write_arrays` wrote."""
    import numpy as np

    names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
    return {
        name: np.load(folder / f"{place}.npy", allow_pickle=False)
        for place, name in enumerate(names)
    }


if __name__ == "__main__":
    sys.exit(main())
