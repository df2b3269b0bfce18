"""Faults planted in random places: bisect names the op every time, its reproducers tell.

Weights and ops are planted in small nets of real structure, kernels in `examples/bmlib` for the
first half of a trained OCR net. Twenty places of each kind, by fixed seeds.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import tvm

import surgery
from examples.prepare_models import prepare
from surgery.api.bisecting import Bisection, bisect
from surgery.engines import get_engine
from surgery.graph import Graph
from surgery.verification import compare_values
from tests.verification import plants

ROOT = Path(__file__).resolve().parents[2]
PLACES = 20
NETS = {"bert": lambda: plants.bert(layers=3), "resnet": lambda: plants.resnet(blocks=4)}


def ran(folder: Path, *options: str) -> int:
    """Run a reproducer as a user does; return its exit state. Only --rebuild needs surgery."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if "--rebuild" in options:
        environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "run.py", *options]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


@dataclass(frozen=True)
class Place:
    net: str
    plant: plants.Plant

    def __str__(self) -> str:
        return f"{self.net}-{self.plant.kind}-c{self.plant.place}"


def shows(net: tvm.IRModule, plant: plants.Plant) -> bool:
    """Whether a fault changes its op's own result beyond tolerance, by NumPy."""
    engine = get_engine("relay")
    found = []
    place = -1
    for ir in (net, plants.planted(net, plant)):
        model = engine.adopt(ir)
        graph = model.module.main
        rng = np.random.default_rng(0)
        inputs = {
            graph.names[p] or "": rng.integers(0, 11, (4,), "int32")
            if "int" in str(graph.types[p])
            else rng.standard_normal((1, 3, 8, 8)).astype("float32")
            for p in graph.params
        }
        if place < 0:  # the planted op has no name, and stands where the right one does
            place = list(graph.names).index(f"c{plant.place}")
        found.append(plants.values(graph, model.exprs["main"], inputs)[place])
    right, wrong = (np.asarray(v[0] if isinstance(v, tuple) else v) for v in found)
    return not compare_values("", wrong, right).passed


def places(*kinds: str) -> list[Place]:
    """Return twenty random places where a fault of some kinds can be seen."""
    nets = {name: make() for name, make in NETS.items()}
    every = [Place(n, p) for n, net in nets.items() for p in plants.plants(net) if p.kind in kinds]
    random.Random(kinds[0]).shuffle(every)
    found: list[Place] = []
    for place in every:
        if len(found) == PLACES:
            break
        if shows(nets[place.net], place.plant):
            found.append(place)
    return found


def check_found(found: Bisection, place: Place) -> None:
    assert found.search.first is not None, place
    graph = found.a.model.module.main
    assert graph.names[found.search.first.pair.a.node] == f"c{place.plant.place}", place
    assert not any(m.differs for m in found.search.reads), place


@pytest.mark.models
@pytest.mark.parametrize("kinds", [("weight",), ("twin", "attribute")], ids=["weights", "twins"])
def test_a_fault_is_found_at_its_op(tmp_path: Path, kinds: tuple[str, ...]) -> None:
    chosen = places(*kinds)
    assert len(chosen) == PLACES
    for number, place in enumerate(chosen):
        net = NETS[place.net]()
        right, wrong = tmp_path / "a.json", tmp_path / "b.json"
        right.write_text(tvm.ir.save_json(net))
        wrong.write_text(tvm.ir.save_json(plants.planted(net, place.plant)))
        repro = tmp_path / f"repro{number}"
        found = bisect(right, wrong, opt_a=0, opt_b=0, complete=True, reproducer=repro)
        check_found(found, place)
        assert found.finding is not None and found.reproducer is not None
        if place.plant.kind == "weight":
            assert found.finding.weights and not found.finding.attributes, place
        assert (ran(repro), ran(repro, "--original")) == (1, 0), place
        # The op as it should be, in the place of the planted one.
        for file in (repro / "original").iterdir():
            shutil.copy(file, repro / file.name)
        assert ran(repro) == 0, place


# -- a wrong kernel

SITES = "%96"  # the first third of the net: more than twenty convolutions


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first blocks of a trained net, as a model of its own."""
    folder = tmp_path_factory.mktemp("beginning")
    model = prepare("rapidocr_cls", folder)
    text = f"output only {SITES} as hidden"
    done = surgery.apply(
        surgery.parse_spec(text), folder / "net.out", model=model, build=False, verify=False
    )
    return folder / "net.out" / done.recipe.stages[0].module


def library(folder: Path, wrong: str | None) -> Path:
    """Make the kernels, one of them with a fault; return where they are."""
    source = folder / ("right" if wrong is None else wrong)
    shutil.copytree(ROOT / "examples" / "bmlib", source)
    if wrong is not None:
        file = source / "kernels" / "cls.c"
        text, count = re.subn(
            rf"(int32_t {wrong}\([^{{]*\{{\s*)return (.*?;)",
            rf"\1int32_t state = \2\n"
            rf"    for (int i = 0; i < {wrong.upper()}_OUT0_SIZE; i++) out0[i] *= 1.02f;\n"
            rf"    return state;",
            file.read_text(),
            flags=re.DOTALL,
        )
        assert count == 1, wrong
        file.write_text(text)
    build = source / "build"
    subprocess.run(
        ["make", "-s", "-C", str(source), f"BUILD={build}", f"PYTHON={sys.executable}",
         "CFLAGS=-O1", str(build / "libbmlib_cls.so")],
        check=True, capture_output=True,
    )  # fmt: skip
    return source


@pytest.mark.models
def test_a_wrong_kernel_is_found_at_its_region(beginning: Path, tmp_path: Path) -> None:
    spec = (ROOT / "specs" / "bmlib_cls.surgery").read_text().replace("opt 3", "opt 1")
    right = library(tmp_path, None)

    def offloaded(source: Path, out: Path) -> surgery.Applied:
        text = spec.replace("../examples/bmlib", str(source))
        # Each call of a kernel is a region of its own, so that values between them can be read.
        text = text.replace("{ via c", "{ merge=off; via c")
        text = text.replace("as conv_bias_relu", "as conv_bias_relu optional")
        text = text.replace("as conv_bias_hard_sigmoid", "as conv_bias_hard_sigmoid optional")
        return surgery.apply(
            surgery.parse_spec(text), out, model=beginning, build=False, verify=False
        )

    done = offloaded(right, tmp_path / "right.out")
    kernels = [c.kernel for r in done.plan.regions for c in r.composites]
    sites = random.Random(7).sample(range(len(kernels)), PLACES)
    for number in sites:
        wrong = kernels[number]
        source = tmp_path / wrong
        if not source.exists():
            library(tmp_path, wrong)
        out, repro = tmp_path / "wrong.out", tmp_path / "repro"
        for folder in (out, repro):
            shutil.rmtree(folder, ignore_errors=True)
        offloaded(source, out)
        found = bisect(beginning, out, opt_a=0, complete=True, reproducer=repro)
        assert found.search.first is not None, wrong
        assert not any(m.differs for m in found.search.reads), wrong
        # Where a kernel is called more than once, the first call is where the fault begins.
        (region, *_) = (r for r in done.plan.regions if wrong in [c.kernel for c in r.composites])
        called = found.b.model.module.main.ops[found.search.first.pair.b.node]
        assert called == f"@{region.symbol}", wrong
        assert found.reproducer is not None and found.reproducer.shows, wrong
        assert (ran(repro), ran(repro, "--original")) == (1, 0), wrong
        mended = repro / "backends" / "bmlib" / "libbmlib_cls.so"
        shutil.copy(right / "build" / mended.name, mended)
        assert ran(repro, "--rebuild") == 0, wrong


# -- how many builds it takes


@pytest.mark.models
def test_a_fault_in_a_bert_takes_fewer_than_ten_builds(tmp_path: Path) -> None:
    path = prepare("tf_bert_12l", tmp_path)
    engine = get_engine("relay")
    model = engine.load(str(path), str(path.with_suffix(".params")))
    main = model.module.main
    denses = [i for i, op in enumerate(main.ops) if op == "nn.dense"]
    rng = random.Random(12)
    for node in rng.sample(denses, 2):
        (weight,) = (main.names[o] for o in _leaves(main, node) if main.kinds[o] == "param")
        values = {name: array.numpy() for name, array in model.params.items()}
        values[weight or ""] = values[weight or ""] * np.float32(1.05)
        changed = tmp_path / "changed.params"
        changed.write_bytes(tvm.relay.save_param_dict(values))
        # With random weights attention is even: of its queries the outputs show nothing.
        hidden = "/query/" in (weight or "") or "/key/" in (weight or "")
        found = bisect(
            path, path, params_a=path.with_suffix(".params"), params_b=changed, opt_a=0, opt_b=0,
            complete=hidden,
        )  # fmt: skip
        first, builds = found.search.first, found.builds
        assert first is not None, weight
        assert builds < 10
        op = first.pair.a.node
        # The weight is transposed first: what is read from it is the weight's own fault.
        reads = [main.names[o] for o in main.operands[op]]
        assert op == node or weight in reads


def _leaves(main: Graph, node: int) -> set[int]:
    """Return the weights that an op reads, through what is computed from weights only."""
    found, pending = set(), [main.operands[node][1]]
    while pending:
        id_ = pending.pop()
        found.add(id_)
        pending.extend(main.operands[id_])
    return found
