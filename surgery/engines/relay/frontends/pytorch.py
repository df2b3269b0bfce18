"""PyTorch: TorchScript and exported programs, converted by TVM's own importer, names kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from surgery.diagnostics import error
from surgery.engines.relay.frontends.base import Converted, Package, Progress, Request
from surgery.engines.relay.frontends.pytorch_files import Ready, archive_kind, read_model
from surgery.engines.relay.frontends.pytorch_names import names_kept, nodes, renamed
from surgery.engines.relay.frontends.pytorch_operators import todays_operators
from surgery.engines.relay.tvm_import import tvm

_ZIP = b"PK\x03\x04"
_SUFFIXES = (".pt", ".pth", ".pt2", ".jit", ".ts")
_NAMED = 4
#: PyTorch runs whole layers as one operator where it may; that is what is traced.
_FAST = (
    "trace the model with torch.backends.mha.set_fastpath_enabled(False): its attention is "
    "written out then"
)


@dataclass(frozen=True, slots=True)
class PyTorch:
    """The importer of PyTorch's files (see :class:`~.base.Frontend`)."""

    name: str = "pytorch"
    title: str = "PyTorch"
    packages: Sequence[Package] = (
        Package(distribution="torch", module="torch", tested=">=2.13,<2.14"),
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file is one of PyTorch's archives, or is called as one."""
        if path.is_dir():
            return False
        return (head.startswith(_ZIP) and archive_kind(path) != "") or path.suffix in _SUFFIXES

    def files(self, path: Path) -> Sequence[Path]:
        """Return the file: it holds everything."""
        return [path]

    def convert(self, request: Request, progress: Progress) -> Converted:
        """Convert; an op is called by its module's path and its kind: ``layer.3.query.linear``.

        Raises:
            SurgeryError: S500, S503 damaged; S540 operators that can't be converted; S541 inputs
                whose types are open; S542 pickled objects; S544 a size that can't be.
        """
        progress("reading the PyTorch model")
        tvm()
        with todays_operators() as known:
            ready = _ready(request, known)
            progress("converting the PyTorch model")
            with names_kept(ready.paths, ready.prefix) as kept:
                module, params = _import(ready, request.path)
        module, weights, outputs = renamed(module, params, kept)
        return Converted(ir=module, params=weights, inputs=list(ready.inputs), outputs=outputs)

    def reference(self, request: Request) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return the model as PyTorch runs it."""
        import torch

        ready = read_model(request)

        def run(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
            with torch.no_grad():
                result = ready.script(*[torch.from_numpy(arrays[n]) for n in ready.inputs])
            found = [value.detach().numpy() for value in _flat(result)]
            return {f"out{place}": value for place, value in enumerate(found)}

        return run


def _flat(value: Any) -> Iterator[Any]:
    """Yield the tensors of a result as TVM numbers them."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    elif value is not None:
        yield value


def _import(ready: Ready, path: Path) -> tuple[Any, Any]:
    from tvm import relay

    given = [(n, (list(t.shape), t.dtype)) for n, t in ready.inputs.items()]
    try:
        return relay.frontend.from_pytorch(ready.script, given)  # type: ignore[no-any-return]
    except Exception as failure:  # whatever TVM's converters stumble over
        lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
        raise error(
            "S540",
            f"{path} can't be converted",
            reason=f"{type(failure).__name__}: {lines[-1] if lines else ''}",
            remedy="TVM's converter doesn't know this form of an operator; write the module "
            "without it, or bind the inputs to other types",
        ) from failure


def _ready(request: Request, known: Collection[str]) -> Ready:
    """Return the model, all of whose operators TVM converts.

    Raises:
        SurgeryError: S540 there are others, named all at once, with where they are.
    """
    ready = read_model(request)
    missing = _missing(ready, known)
    unwanted: set[str] = set()
    rest = missing
    while rest.keys() - unwanted and archive_kind(request.path) == "exported":
        # What an operator is written out in may have to be written out as well.
        unwanted |= rest.keys()
        ready = read_model(request, unwanted)
        rest = _missing(ready, known)
    if rest:
        _refuse(missing, request.path)
    return ready


def _missing(ready: Ready, known: Collection[str]) -> Mapping[str, list[str]]:
    """Return operators that TVM has no converter for, with the modules that each is in."""
    graph = ready.script.inlined_graph
    paths = ready.paths(graph)
    missing: dict[str, list[str]] = {}
    for node in nodes(graph):
        kind = node.kind()
        base = kind[:-1] if kind.endswith("_") and not kind.endswith("__") else kind
        if base in known or kind in known:
            continue
        if kind.startswith("prim::") or kind in ("aten::Int", "aten::__getitem__"):
            continue
        outputs = list(node.outputs())
        where = paths.get(outputs[0].debugName(), "") if outputs else ""
        missing.setdefault(kind, []).append(where or "the top module")
    return missing


def _refuse(missing: Mapping[str, Sequence[str]], path: Path) -> NoReturn:
    notes = [
        f"{kind}: in {', '.join(list(dict.fromkeys(where))[:_NAMED])}"
        for kind, where in missing.items()
    ]
    raise error(
        "S540",
        f"{path} has operators that TVM doesn't convert: {', '.join(missing)}",
        reason="each is listed with the modules that it is in",
        remedy=_FAST
        if any(kind.startswith(("aten::_native_multi", "aten::_transformer")) for kind in missing)
        else "trace the model without them, or only the modules before them",
        notes=notes,
    )


FRONTEND = PyTorch()
