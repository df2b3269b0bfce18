"""PyTorch's files: TorchScript archives and exported programs, read as TorchScript."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgery.diagnostics import SurgeryError, error
from surgery.engines.relay.frontends.base import Request, check_bound, to_bind
from surgery.engines.relay.frontends.pytorch_names import Paths, recorded_paths, script_paths
from surgery.graph import TensorType

#: How many times larger than the file what it unpacks to may be.
_RATIO = 200


def archive_kind(path: Path) -> str:
    """Tell TorchScript, exported programs and pickles apart; '' for no archive of PyTorch's."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile):
        return ""
    if not entries or min(entry.header_offset for entry in entries):
        return ""  # the archive that is found stands in another one, whose end is gone
    names = [entry.filename for entry in entries]
    if any("/models/" in n and n.endswith(".json") for n in names):
        return "exported"
    if any(n.startswith("serialized_exported_program") for n in names):
        return "exported"
    if any("/code/" in n for n in names) and any(n.endswith("/constants.pkl") for n in names):
        return "script"
    return "pickle" if any(n.endswith("data.pkl") for n in names) else ""


@dataclass(frozen=True, slots=True)
class Ready:
    """A model as TVM takes it.

    Attributes:
        script: A ScriptModule.
        inputs: Types of its inputs by name.
        paths: Says which module computes each value of its graph.
        prefix: What its weights' names begin with, besides their own.
    """

    script: Any
    inputs: dict[str, TensorType]
    paths: Paths
    prefix: str = ""


def read_model(request: Request, unwanted: Collection[str] = ()) -> Ready:
    """Read a file of either kind.

    Args:
        unwanted: Operators of an exported program that are written out in others, where PyTorch
            can.

    Raises:
        SurgeryError: S503 damaged; S540 an exported program that can't be traced; S541 inputs whose
            types are open; S542 pickled objects; S544 a size that can't be.
    """
    path = request.path
    kind = archive_kind(path)
    if kind in ("script", "exported"):
        _check_size(path)
    match kind:
        case "script":
            return _script(request)
        case "exported":
            return _exported(request, unwanted)
        case "pickle":
            raise error(
                "S542",
                f"{path} holds pickled Python objects, and no graph",
                reason="it was written by torch.save: a state dict is weights only, and a whole "
                "module would run code when it is read",
                remedy="save the graph: torch.jit.trace(model, inputs).save('net.pt'), or "
                "torch.export.save(torch.export.export(model, inputs), 'net.pt2')",
            )
    raise error(
        "S503",
        f"{path} is no PyTorch model",
        reason="it is no archive of TorchScript or of an exported program",
        remedy="it is probably cut off, or an old pickle; save it again with torch.jit.save or "
        "torch.export.save",
    )


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _RATIO * max(path.stat().st_size, 1 << 20):
        raise error(
            "S544",
            f"{path} would unpack to {size / 2**30:.1f} GiB",
            reason=f"more than {_RATIO} times its own size",
            remedy="PyTorch doesn't compress weights: the file isn't what it claims to be",
        )


def _damaged(path: Path, failure: Exception) -> SurgeryError:
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return error(
        "S503",
        f"{path} can't be read by PyTorch",
        reason=lines[0] if lines else type(failure).__name__,
        remedy="it is probably cut off, or of a newer PyTorch: save it again",
    )


def _script(request: Request) -> Ready:
    import torch

    try:
        script = torch.jit.load(str(request.path), map_location="cpu").eval()
    except Exception as failure:  # PyTorch's reader raises what it stumbles over
        raise _damaged(request.path, failure) from failure
    names = [value.debugName().split(".")[0] for value in list(script.graph.inputs())[1:]]
    return Ready(script, _types(request, names, {}), script_paths(script))


def _exported(request: Request, unwanted: Collection[str]) -> Ready:
    import torch

    with _weights_only(torch):
        try:
            program = torch.export.load(str(request.path))
        except Exception as failure:
            raise _damaged(request.path, failure) from failure
    if unwanted:
        program = _written_out(program, unwanted)
    known: dict[str, TensorType] = {}
    names = list(program.graph_signature.user_inputs)
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in names:
            value = node.meta.get("val")
            if value is not None and all(isinstance(d, int) for d in value.shape):
                known[node.name] = _type(value)
    inputs = _types(request, names, known)
    script, paths = _traced(program, inputs, request.path)
    return Ready(script, inputs, paths, "m.")


def _written_out(program: Any, unwanted: Collection[str]) -> Any:
    """Return a program with others in place of unwanted operators, as far as PyTorch knows how."""
    import torch

    def kind(operator: Any) -> str:
        schema = getattr(operator, "_schema", None)
        return str(schema.name if schema is not None else operator)

    table = torch.export.default_decompositions()
    how = {operator: rule for operator, rule in table.items() if kind(operator) in unwanted}
    return program.run_decompositions(how) if how else program


@contextmanager
def _weights_only(torch: Any) -> Iterator[None]:
    """Have nothing unpickled but tensors while an exported program is read."""
    real = torch.load

    def load(*args: Any, **more: Any) -> Any:
        return real(*args, **{**more, "weights_only": True})

    torch.load = load
    try:
        yield
    finally:
        torch.load = real


def _traced(program: Any, inputs: Mapping[str, TensorType], path: Path) -> tuple[Any, Paths]:
    """Return an exported program as TorchScript, and what says which module computes a value."""
    import torch

    made: list[tuple[str, str]] = []

    class Recorded(torch.fx.Interpreter):  # type: ignore[misc]
        """Notes which module each traced operation belongs to."""

        def run_node(self, node: Any) -> Any:
            state = torch._C._get_tracing_state()
            if state is None or node.op != "call_function":
                return super().run_node(node)
            before = sum(1 for _ in state.graph().nodes())
            result = super().run_node(node)
            stack = list((node.meta.get("nn_module_stack") or {}).values())
            module = stack[-1][0] if stack else ""
            made.extend((n.kind(), module) for n in list(state.graph().nodes())[before:])
            return result

    class Wrapped(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.m = program.module()

        def forward(self, *given: Any) -> Any:
            return Recorded(self.m).run(*given)

    examples = tuple(
        torch.zeros(tuple(int(d) for d in t.shape), dtype=getattr(torch, t.dtype))
        for t in inputs.values()
    )
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            script = torch.jit.trace(Wrapped(), examples, check_trace=False, strict=False).eval()
    except Exception as failure:
        raise error(
            "S540",
            f"{path} can't be traced",
            reason=str(failure).splitlines()[0] if str(failure) else type(failure).__name__,
            remedy="export the model for the sizes it is to run with, without control flow",
        ) from failure
    return script, recorded_paths(made)


def _type(value: Any) -> TensorType:
    return TensorType(tuple(int(d) for d in value.shape), str(value.dtype).removeprefix("torch."))


def _types(
    request: Request, names: Sequence[str], known: Mapping[str, TensorType]
) -> dict[str, TensorType]:
    """Return the type of each input: bound, or the file's own.

    Raises:
        SurgeryError: S541.
    """
    check_bound(request, names)
    missing = [n for n in names if n not in request.inputs and n not in known]
    if missing:
        raise error(
            "S541",
            f"{request.path} doesn't say what types its inputs have: {', '.join(missing)}",
            reason="TorchScript keeps no shapes",
            remedy=to_bind([f"{n}: float32(?,?)" for n in missing]),
        )
    return {n: request.inputs.get(n) or known[n] for n in names}
