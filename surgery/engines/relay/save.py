"""Writes an operated module and its stages: TVM's own formats, byte for byte the same each time."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.base import SavedStage
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.params import readable_sha256, write_params, write_safetensors
from surgery.engines.relay.passes import stage_symbol
from surgery.engines.relay.passes.carry import Carrier
from surgery.engines.relay.passes.expose_outputs import ExposeOutputs
from surgery.engines.relay.passes.results import result_refs
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.graph import Graph
from surgery.planning.model import Plan, Stage

IRModule = Any

tvm = load_tvm()
relay = tvm.relay

_HEADER = """\
// For reading only: text rounds numbers and leaves constants out. module.json beside it is exact.
"""


def save(
    model: RelayModel,
    plan: Plan,
    operated: IRModule,
    folder: Path,
    progress: Callable[[str], None],
) -> list[SavedStage]:
    """Write ``module.json``, ``module.relay`` and ``stages/N/*`` into a folder.

    Each stage is a module of its own: its ``@main``, the regions and functions it calls, and
    exactly the weights it takes. Weights are written from where they are, never copied.

    Raises:
        SurgeryError: S440 for what the system refuses to write, S514 for weights.
    """
    progress("writing module")
    _write_module(folder, "", operated)
    saved = []
    for stage, module in zip(plan.stages, stage_modules(plan, operated), strict=True):
        progress(f"writing stage {stage.index}")
        saved.append(write_stage(folder, f"stages/{stage.index}", module, model.params))
    return saved


def save_reference(model: RelayModel, plan: Plan, folder: Path) -> SavedStage:
    """Write the model before surgery, but with the plan's outputs, to compare with."""
    return write_stage(folder, "", reference_module(model, plan), model.params)


def reference_module(model: RelayModel, plan: Plan) -> IRModule:
    """Return the model before surgery, but with the plan's outputs; it shares what is equal."""
    module = model.ir
    results = result_refs(plan)
    if results.changed:
        carrier = Carrier.of(model, plan, portable=False)
        module = ExposeOutputs(results=results).apply(module, carrier)
        module = relay.transform.InferType()(module)
    return module


def stage_modules(plan: Plan, operated: IRModule) -> Iterator[IRModule]:
    """Yield each stage of an operated module as a module of its own."""
    calls = _Calls(plan)
    for stage in plan.stages:
        yield _stage_module(plan, operated, stage, calls)


def _stage_module(plan: Plan, operated: IRModule, stage: Stage, calls: _Calls) -> IRModule:
    """Return one stage of an operated module as a module of its own."""
    name = "main" if len(plan.stages) == 1 else stage_symbol(plan, stage.index)
    main = operated[name]
    functions = {relay.GlobalVar("main"): main}
    for name in calls.of(stage):
        variable = operated.get_global_var(name)
        functions[variable] = operated[variable]
    return tvm.IRModule(functions, operated.type_definitions)


class _Calls:
    """Which global functions each value of ``@main`` calls, and each function in turn."""

    def __init__(self, plan: Plan) -> None:
        main = plan.module.main
        self.alone = len(plan.stages) == 1
        #: By the value of ``@main``'s body that holds them: an ``if`` for the calls inside.
        self.by_node: dict[int, list[str]] = {}
        self.by_function: dict[str, list[str]] = {}
        for id_, name in _callees(main):
            self.by_node.setdefault(main.owner(id_), []).append(name)
        for name, graph in plan.module.functions.items():
            if name != "main":
                self.by_function[name] = [n for _, n in _callees(graph)]
        for region in plan.regions:
            if region.function != "main":
                self.by_function[region.function].append(region.symbol)
                continue
            for node in region.nodes:
                if main.kinds[node] == "call":
                    self.by_node.setdefault(main.owner(node), []).append(region.symbol)

    def of(self, stage: Stage) -> list[str]:
        """Return the global functions a stage calls, directly or through others, sorted."""
        nodes = self.by_node if self.alone else stage.nodes
        pending = [name for node in nodes for name in self.by_node.get(node, ())]
        found: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.by_function.get(name, ()))
        found.discard("main")
        return sorted(found)


def _callees(graph: Graph) -> Iterable[tuple[int, str]]:
    for id_, op in enumerate(graph.ops):
        if op[:1] == "@":
            yield id_, op[1:]


def write_stage(
    folder: Path, place: str, module: IRModule, weights: Mapping[str, Any]
) -> SavedStage:
    """Write a module and those of the weights that its ``@main`` takes."""
    prefix = f"{place}/" if place else ""
    hashes = _write_module(folder, prefix, module)
    names = [str(p.name_hint) for p in module["main"].params]
    params = {name: weights[name] for name in names if name in weights}
    if not params:
        return SavedStage(module=f"{prefix}module.json", params=None, sha256=hashes)
    path = f"{prefix}params.bin"
    write_params(folder / path, params)
    hashes[path] = readable_sha256(str(folder / path))
    return SavedStage(module=f"{prefix}module.json", params=path, sha256=hashes)


def save_model(model: RelayModel, output: Path, params: Path | None) -> Path | None:
    """Write a whole model as TVM JSON, and its weights as another file; as constants without one.

    Raises:
        SurgeryError: S440, S514 a file can't be written.
    """
    module = model.ir
    if params is None and model.params:
        module = bound(module, model.params)
    _write(output, module_json(module).encode())
    if params is None or not model.params:
        return None
    writer = write_safetensors if params.suffix == ".safetensors" else write_params
    writer(params, model.params)
    return params


def bound(module: IRModule, weights: Mapping[str, Any]) -> IRModule:
    """Return a module whose ``@main`` has weights as constants that go by their names."""
    main = module["main"]
    values = {}
    for variable in main.params:
        name = str(variable.name_hint)
        if name in weights:
            span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
            values[variable] = relay.Constant(weights[name], span)
    left = [v for v in main.params if v not in values]
    made = tvm.IRModule(dict(module.functions), module.type_definitions)
    made["main"] = relay.Function(
        left, relay.bind(main.body, values), None, main.type_params, main.attrs, main.span
    )
    return relay.transform.InferType()(made)


def _write_module(folder: Path, prefix: str, module: IRModule) -> dict[str, str]:
    path = f"{prefix}module.json"
    data = module_json(module).encode()
    _write(folder / path, data)
    text = _HEADER + module.astext(show_meta_data=False)
    _write(folder / f"{prefix}module.relay", text.encode())
    return {path: hashlib.sha256(data).hexdigest()}


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(data)
    except OSError as failure:
        raise _refused(path, failure) from failure


def _refused(path: Path, failure: OSError) -> SurgeryError:
    return error(
        "S440",
        f"cannot write {path.name}",
        reason=failure.strerror or os.strerror(failure.errno or 0),
        remedy="check that the folder is writable and has space left",
    )


# -- the same bytes each time

#: TVM keeps up to this many entries of a map in the order they were put in; larger maps are in
#: the order of addresses.
_ORDERED = 4
_MAP = re.compile(
    r'"type_key": "Map",\s+(?:"keys": \[(?P<keys>[^\]]*)\],\s+)?"data": \[(?P<data>[^\]]*)\]'
)


def module_json(module: IRModule) -> str:
    """Return a module as TVM's JSON, the same for the same module in every process."""
    functions = dict(module.functions.items())
    if len(functions) <= _ORDERED:
        try:
            return str(tvm.ir.save_json(module))
        except tvm.TVMError:
            pass  # a `let`, see below
    variables = sorted(functions, key=lambda v: str(v.name_hint))
    # TVM numbers objects as it meets them. Met first in this list, the functions get the same
    # numbers each time; in the module's own map only the order of the pairs is left to sort.
    listed = [variables, [functions[v] for v in variables], module]
    try:
        text = str(tvm.ir.save_json(tvm.runtime.convert(listed)))
    except tvm.TVMError:
        # TVM writes the virtual device of a `let` without having numbered it. A pass gives new
        # lets the default one, which no other node may hold when the model was read from JSON.
        listed.insert(0, relay.Var("unused"))
        text = str(tvm.ir.save_json(tvm.runtime.convert(listed)))
    start = text.index("[", text.index('"type_key": "Array"'))
    root = json.loads(text[start : text.index("]", start) + 1])[-1]
    head, tail = text, ""
    cut = text.find('"b64ndarrays"')
    if cut >= 0:
        head, tail = text[:cut], text[cut:]
    head = re.sub(r'"root": \d+', f'"root": {root}', head, count=1)
    return _MAP.sub(_sorted_map, head) + tail


def _sorted_map(found: re.Match[str]) -> str:
    whole: str = found.group(0)
    data = json.loads(f"[{found.group('data')}]")
    keys_text = found.group("keys")
    if keys_text is not None:
        keys = json.loads(f"[{keys_text}]")
        pairs = sorted(zip(keys, data, strict=True))
        new_keys = ", ".join(json.dumps(k) for k, _ in pairs)
        new_data = ", ".join(str(d) for _, d in pairs)
        return f'"type_key": "Map", \n      "keys": [{new_keys}], \n      "data": [{new_data}]'
    entries = sorted(zip(data[::2], data[1::2], strict=True))
    flat = ", ".join(f"{k}, {v}" for k, v in entries)
    return f'"type_key": "Map", \n      "data": [{flat}]' if entries else whole
