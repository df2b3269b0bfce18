"""A folder that shows a fault by itself: one op or region, what it reads, what it should give."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.api.sides import Side, Sides
from surgery.diagnostics import error
from surgery.engines.base import BackendBuild, SavedStage, StageBuild
from surgery.graph import Graph, Ref
from surgery.planning.settings import executor_for

if TYPE_CHECKING:
    from surgery.api.bisecting import Reader
    from surgery.engines.base import Array
    from surgery.verification import Matching, Pair, Search

#: The file that says what a reproducer is made of.
MANIFEST = "reproducer.json"
_LIBRARY = "lib/part.so"
#: How often a part that doesn't show the fault is made larger, by what its inputs are made of.
_GROWTH = 3
#: Seconds that a reproducer may take to show its fault.
_TIMEOUT = 600
_SHOWS, _EQUAL = 1, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproducer:
    """A folder that was written.

    Attributes:
        ops: How many ops it holds; a region counts as one.
        shows: Whether it was seen to fail by itself.
        passes: Whether the first model's part was seen to pass; ``None``: it isn't in the folder.
    """

    folder: Path
    ops: int
    shows: bool
    passes: bool | None


def check_target(target: Path, force: bool) -> Path:
    """Refuse a folder that holds something else.

    Raises:
        SurgeryError: S363.
    """
    if target.exists() and not target.is_dir():
        raise error("S363", f"{target} is a file", remedy="name a folder for the reproducer")
    ours = force or not target.is_dir() or (target / MANIFEST).is_file()
    if not ours and any(target.iterdir()):
        raise error(
            "S363",
            f"{target} is not empty, and no reproducer",
            reason="its files would be mixed with others",
            remedy="name another folder, or add --force",
        )
    return target


def write_reproducer(
    sides: Sides, matching: Matching, found: Search, reader: Reader, target: Path
) -> Reproducer:
    """Write the smallest part of the second model that shows a difference by itself.

    It is the op that was found; where that alone is right (it was fused with others), a part that
    starts further up. Its inputs and expected outputs are values of the first model.
    """
    assert found.first is not None
    graph = sides.b.model.module.main
    by_ref = {p.b: p for p in matching.pairs}
    stop = {m.pair.b: m.pair for m in found.reads}
    part = _Part.between(graph, found.first.pair, stop, by_ref)
    known: dict[Ref, Array] = {}
    written = None
    for _ in range(_GROWTH + 1):
        wanted = [p.a for p in (*part.reads, part.pair) if p.a not in known]
        if wanted:
            known |= reader.expected(wanted)
        written = _write(sides, found, part, known, reader.inputs_b, target)
        if written.shows:
            return written
        larger = part.grown(graph)
        if larger is None:
            break
        part = larger
    assert written is not None
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Ops up to one value.

    Attributes:
        pair: What they compute.
        reads: Matched tensors they start from.
        inputs: Inputs of the model that they read, of the second model.
        nodes: The ops.
        by_ref: All matched tensors, by the second model's.
    """

    pair: Pair
    reads: tuple[Pair, ...]
    inputs: tuple[Ref, ...]
    nodes: tuple[int, ...]
    by_ref: Mapping[Ref, Pair]

    @classmethod
    def between(
        cls, graph: Graph, pair: Pair, stop: Mapping[Ref, Pair], by_ref: Mapping[Ref, Pair]
    ) -> _Part:
        """Collect what a tensor is made of, back to ``stop`` and to the model's inputs."""
        reads: dict[Ref, Pair] = {}
        inputs: set[Ref] = set()
        nodes = {pair.b.node}
        stack = _operands(graph, pair.b.node)
        while stack:
            ref = stack.pop()
            if ref in stop:
                reads[ref] = stop[ref]
            elif graph.kinds[ref.node] == "input":
                inputs.add(ref)
            elif graph.kinds[ref.node] not in ("param", "constant") and ref.node not in nodes:
                nodes.add(ref.node)
                stack += _operands(graph, ref.node)
        return cls(
            pair=pair,
            reads=tuple(reads[r] for r in sorted(reads)),
            inputs=tuple(sorted(inputs)),
            nodes=tuple(sorted(nodes)),
            by_ref=by_ref,
        )

    def grown(self, graph: Graph) -> _Part | None:
        """Return the part with what computes its inputs; ``None`` where it starts at the model's.

        Twice, so that three rounds are up to six ops deep: more than what is fused around one.
        """
        if not self.reads:
            return None
        inner = set(self.nodes)
        for _ in range(2):
            inner |= {
                r.node for n in [*inner] for r in _operands(graph, n)
                if graph.kinds[r.node] not in ("param", "constant", "input")
            }  # fmt: skip
        stop = {r: p for r, p in self.by_ref.items() if r.node not in inner}
        return _Part.between(graph, self.pair, stop, self.by_ref)


def _operands(graph: Graph, node: int) -> list[Ref]:
    return [r for o in graph.operands[node] for r in graph.leaves(graph.resolve(o))]


def _write(
    sides: Sides,
    found: Search,
    part: _Part,
    known: Mapping[Ref, Array],
    given: Mapping[str, Array],
    target: Path,
) -> Reproducer:
    from surgery.runtime import save_npz

    first = found.first
    assert first is not None
    if target.is_dir():
        for name in ("lib", "original", "backends"):
            shutil.rmtree(target / name, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    graph = sides.b.model.module.main
    # Names of the model may be anything; these are good file and parameter names everywhere.
    refs = [p.b for p in part.reads] + [*part.inputs]
    names = {ref: f"in{i}" for i, ref in enumerate(refs)}
    arrays: dict[str, Array] = {}
    for pair in part.reads:
        arrays[names[pair.b]] = _as(known[pair.a], sides, pair.b)
    for ref in part.inputs:
        arrays[names[ref]] = given[graph.names[ref.node] or ""]
    save_npz(target / "inputs.npz", arrays)
    save_npz(target / "expected.npz", {"out0": known[part.pair.a]})
    second = _save_part(sides.b, [(n, r) for r, n in names.items()], part.pair.b, target)
    foreign = sides.b.has_regions and any(graph.ops[n][:1] == "@" for n in part.nodes)
    if foreign:
        _copy_backends(sides.b, target)
        build_part(target, second)
    original = _original_part(sides, part, names, target)
    manifest = {
        "reproducer": 1,
        "rtol": first.comparison.rtol,
        "atol": first.comparison.atol,
        "inputs": [
            {"name": n, "value": graph.label(r), "source": graph.names[r.node]}
            for r, n in names.items()
        ],
        "output": {"name": "out0", "value": graph.label(part.pair.b),
                   "source": graph.names[part.pair.b.node]},
        "ops": [graph.describe(n) for n in part.nodes],
        "library": _LIBRARY if foreign else None,
        "part": second,
        "original": original,
    }  # fmt: skip
    (target / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    runner = Path(__file__).with_name("reproducer_run.py.txt").read_text(encoding="utf-8")
    (target / "run.py").write_text(runner, encoding="utf-8")
    (target / "README.md").write_text(_readme(sides, manifest), encoding="utf-8")
    return Reproducer(
        folder=target,
        ops=len(part.nodes),
        shows=_run(target) == _SHOWS,
        passes=None if original is None else _run(target, "--original") == _EQUAL,
    )


def _as(array: Array, sides: Sides, ref: Ref) -> Array:
    """Return a value of the first model in the type that the second has."""
    type_ = sides.b.model.module.main.type_of(ref)
    return array.astype(getattr(type_, "dtype", str(array.dtype)), copy=False)


def _save_part(
    side: Side, inputs: Sequence[tuple[str, Ref]], output: Ref, folder: Path, place: str = ""
) -> dict[str, Any]:
    """Write a part and return how to build it, JSON-ready."""
    at = folder / place
    at.mkdir(parents=True, exist_ok=True)
    saved: SavedStage = side.engine.save_part(side.model, inputs, [output], at)
    module = side.engine.load(str(at / saved.module)).module
    executor, _ = executor_for(module, range(len(module.main)), side.build.executor)
    prefix = f"{place}/" if place else ""
    return {
        "module": prefix + saved.module,
        "params": None if saved.params is None else prefix + saved.params,
        "target": side.build.target,
        "opt_level": side.build.opt_level,
        "executor": executor,
        "config": dict(side.build.config),
        "disabled_passes": list(side.build.disable),
        "inputs": [name for name, _ in inputs],
        "backends": {
            name: {k: v for k, v in asdict(backend).items() if k != "shown"}
            for name, backend in (side.backends.builds if side.backends else {}).items()
        },
    }


def _original_part(
    sides: Sides, part: _Part, names: Mapping[Ref, str], target: Path
) -> dict[str, Any] | None:
    """Write the same part of the first model, to see that it passes; ``None`` if it has none."""
    from surgery.diagnostics import SurgeryError

    # What a framework computed is no part that TVM builds.
    if sides.a.has_regions or sides.a.framework:
        return None
    a, b = sides.a.model.module.main, sides.b.model.module.main
    places = {a.names[p]: Ref(p) for p in a.params if a.kinds[p] == "input"}
    inputs = [(names[p.b], p.a) for p in part.reads]
    for ref in part.inputs:
        there = places.get(b.names[ref.node])
        if there is None:
            return None
        inputs.append((names[ref], there))
    types = [
        (a.type_of(r), next(b.type_of(x) for x, m in names.items() if m == n)) for n, r in inputs
    ]
    if any(x != y for x, y in types):
        return None  # of other types: the inputs are as the second model takes them
    try:
        return _save_part(sides.a, inputs, part.pair.a, target, "original")
    except SurgeryError as failure:
        if {d.code for d in failure.diagnostics} != {"S300"}:
            raise
        # The first model computes the value from something the second does not have.
        shutil.rmtree(target / "original", ignore_errors=True)
        return None


def _copy_backends(side: Side, target: Path) -> None:
    if side.backends is not None and (side.backends.folder / "backends").is_dir():
        shutil.copytree(
            side.backends.folder / "backends", target / "backends", dirs_exist_ok=True
        )  # fmt: skip


def build_part(folder: str | Path, part: Mapping[str, Any] | None = None) -> None:
    """Compile the part of a reproducer that has regions; again after a kernel was corrected.

    Raises:
        SurgeryError: S364 it is no reproducer; S4xx it doesn't compile.
    """
    from surgery.engines import get_engine

    where = Path(folder)
    how = _manifest(where)["part"] if part is None else part
    backends = {
        name: BackendBuild(**{**b, "sources": tuple(b["sources"])})
        for name, b in how["backends"].items()
    }
    get_engine("relay").build_stage(
        StageBuild(
            folder=where,
            module=how["module"],
            params=how["params"],
            library=_LIBRARY,
            target=how["target"],
            opt_level=how["opt_level"],
            executor=how["executor"],
            config=how["config"],
            disabled_passes=how["disabled_passes"],
            backends=backends,
        )
    )


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        found["part"]["backends"]
        return found
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise error(
            "S364",
            f"{folder} is no reproducer",
            reason=f"{MANIFEST} is missing or damaged",
            remedy="write it again with `surgery bisect ... --reproducer`",
        ) from failure


def _run(folder: Path, *options: str) -> int:
    """Run a reproducer in a process of its own; return its exit state."""
    environment = {**os.environ, "TOPHUB_LOCATION": "NONE"}
    environment.pop("PYTHONPATH", None)  # it must do without surgery
    try:
        ran = subprocess.run(
            [sys.executable, "run.py", *options],
            cwd=folder, env=environment, capture_output=True, timeout=_TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1
    return ran.returncode


def _readme(sides: Sides, manifest: Mapping[str, Any]) -> str:
    ops = "\n".join(f"    {line}" for line in manifest["ops"])
    text = f"""\
# A value that differs

`python run.py` runs this part of {sides.b.shown} on `inputs.npz` and compares the result with
`expected.npz`, which {sides.a.shown} computed: exit state 1 while they differ, 0 when they agree.
It needs TVM and NumPy only.

{ops}
"""
    if manifest["original"] is not None:
        text += (
            "\n`python run.py --original` runs the same part of the other model, which agrees.\n"
        )
    if manifest["library"] is not None:
        text += (
            "\nThe kernels are in `lib/`, compiled from `backends/`. `python run.py --rebuild` "
            "compiles them\nagain after a correction; that needs surgery as well.\n"
        )
    return text
