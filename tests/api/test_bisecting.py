"""Bisection from files: built models, output folders, wrong kernels, reproducers."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
import surgery.verification
from surgery.api.bisecting import Bisection, bisect
from surgery.api.reproducing import build_part
from surgery.diagnostics import SurgeryError, error
from surgery.planning import BuildPlan
from tests.verification import plants

BLOCKS = 6
SPEC = """\
model "net.json"
pattern act = add > multiply > relu
backend lib { via c "lib.c" }
offload pattern act to lib
build opt 1
"""
RIGHT, WRONG = "(x[i] + b[i]) * c[i]", "(x[i] - b[i]) * c[i]"


def save(net: tvm.IRModule, path: Path) -> Path:
    path.write_text(tvm.ir.save_json(net))
    return path


def ran(folder: Path, *options: str) -> int:
    """Run a reproducer without surgery at hand; return its exit state."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [sys.executable, "run.py", *options]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def blocks() -> tvm.IRModule:
    """``relu((dense(x) + b) * c)`` in a row; each is wider, so each region has its own kernel."""
    rng = np.random.default_rng(2)
    x = value = relay.var("x", shape=(1, 4))
    for i in range(BLOCKS):
        weight, b, c = (
            relay.const(rng.standard_normal(s).astype("float32"))
            for s in ((5 + i, 4 + i), (1, 5 + i), (1, 5 + i))
        )
        value = relay.nn.relu(relay.multiply(relay.add(relay.nn.dense(value, weight), b), c))
    return plants.module([x], value)


def offloaded(folder: Path, wrong: int | None, extra: str = "") -> Path:
    """Apply the spec with the kernel of one block wrong; return the output folder."""
    save(blocks(), folder / "net.json")
    (folder / "net.surgery").write_text(SPEC + extra)
    (folder / "lib.c").write_text("")
    spec = surgery.load_spec(folder / "net.surgery")
    regions = surgery.plan(spec).plan.regions
    assert len(regions) == BLOCKS
    source = "#include <stdint.h>\n"
    for place, region in enumerate(regions):
        size = region.output_types[0].nbytes or 0
        arguments = "const float *x, const float *b, const float *c, float *out"
        source += f"int32_t {region.composites[0].kernel}({arguments}) {{\n"
        source += f"  for (int i = 0; i < {size // 4}; i++) {{\n"
        source += f"    float v = {WRONG if place == wrong else RIGHT}; out[i] = v > 0 ? v : 0;\n"
        source += "  }\n  return 0;\n}\n"
    (folder / "lib.c").write_text(source)
    return surgery.apply(spec, folder / "net.out", build=False).folder


@pytest.mark.parametrize("wrong", random.Random(3).sample(range(BLOCKS), 3))
def test_a_wrong_kernel_is_found_and_reproduced(tmp_path: Path, wrong: int) -> None:
    folder = offloaded(tmp_path, wrong)
    found = bisect(folder, opt_a=0, reproducer=tmp_path / "repro", complete=True)
    assert found.finding is not None and found.search.first is not None
    assert found.finding.inside == ("add", "multiply", "nn.relu")
    a = found.a.model.module.main
    relus = [i for i, op in enumerate(a.ops) if op == "nn.relu"]
    assert found.search.first.pair.a.node == relus[wrong]
    assert [m.differs for m in found.search.reads] == [False]
    made = found.reproducer
    assert made is not None and made.shows and made.passes and made.ops == 1
    repro = tmp_path / "repro"
    assert ran(repro) == 1 and ran(repro, "--original") == 0
    # Once the kernel is right, the same reproducer passes.
    source = repro / "backends" / "lib" / "lib.c"
    source.write_text(source.read_text().replace(WRONG, RIGHT))
    build_part(repro)
    assert ran(repro) == 0


def test_a_cut_and_offloaded_model_that_is_right(tmp_path: Path) -> None:
    folder = offloaded(tmp_path, None, "cut after %7\n")
    assert (folder / "stages" / "1").is_dir()
    found = bisect(tmp_path / "net.json", folder, opt_a=0, complete=True)
    assert not found.differs and found.finding is None and not found.matching.unmatched_b
    # Every dense and every region, in both stages.
    assert len(found.search.measured) == len(found.matching.pairs) == 2 * BLOCKS


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nets")


@pytest.mark.parametrize(("name", "kind"), [("bert", "weight"), ("resnet", "attribute")])
def test_a_fault_is_found_and_reproduced(nets: Path, name: str, kind: str) -> None:
    net = {"bert": plants.bert, "resnet": plants.resnet}[name]()
    plant = random.Random(name).choice([p for p in plants.plants(net) if p.kind == kind])
    a = save(net, nets / f"{name}.json")
    b = save(plants.planted(net, plant), nets / f"{name}_b.json")
    repro = nets / f"{name}_repro"
    found = bisect(a, b, opt_a=0, opt_b=0, complete=True, reproducer=repro)
    assert found.finding is not None and found.search.first is not None
    graph = found.a.model.module.main
    assert graph.names[found.search.first.pair.a.node] == f"c{plant.place}"
    if kind == "weight":
        assert [w.comparison.mismatches for w in found.finding.weights] == [1]
        assert not found.finding.attributes
    else:
        assert found.finding.attributes and not found.finding.weights
    assert ran(repro) == 1 and ran(repro, "--original") == 0
    assert "surgery" not in (repro / "run.py").read_text().split("def main")[0].split('"""')[2]


def test_two_builds_of_one_model_agree(nets: Path) -> None:
    a = save(plants.bert(layers=1), nets / "one.json")
    found = bisect(a, opt_a=0, opt_b=3)
    assert isinstance(found, Bisection) and not found.differs and found.builds == 2
    assert found.a.build.opt_level == 0 and found.b.build.opt_level == 3


def test_what_can_not_be_compared_is_said(nets: Path, tmp_path: Path) -> None:
    a = save(plants.bert(layers=1), nets / "one.json")
    other = save(plants.resnet(blocks=1), nets / "other.json")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.txt").write_text("")
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    two = save(plants.module([x, y], relay.add(x, y)), nets / "two.json")
    for code, call in (
        ("S361", lambda: bisect(a)),
        ("S584", lambda: bisect(a, other)),
        ("S362", lambda: bisect(a, two)),
        ("S363", lambda: bisect(a, a, reproducer=taken)),
        ("S363", lambda: bisect(a, a, reproducer=taken / "thesis.txt")),
        ("S364", lambda: build_part(taken)),
    ):
        with pytest.raises(SurgeryError) as caught:
            call()
        assert code in [d.code for d in caught.value.diagnostics], code


def test_a_spec_is_compared_with_its_original(tmp_path: Path) -> None:
    save(plants.bert(layers=1), tmp_path / "net.json")
    (tmp_path / "net.surgery").write_text('model "net.json"\ncut after %30\nbuild opt 0\n')
    found = bisect(tmp_path / "net.surgery")
    assert not found.differs and found.a.shown.endswith("net.json")
    # The stages are one graph again, as the original's.
    assert found.matching.identical and found.builds == 2


def test_a_build_that_fails_for_packed_layouts_is_done_without(
    nets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As TVM does on an OCR net: AlterOpLayout leaves a bias of 88 elements against 22."""
    real = surgery.verification.tap_values

    def failing(*args: Any, build: BuildPlan, **options: Any) -> Iterator[Any]:
        if build.opt_level >= 3 and "AlterOpLayout" not in build.disable:
            raise error("S415", "TVM cannot compile the stage")
        return real(*args, build=build, **options)

    monkeypatch.setattr("surgery.verification.tap_values", failing)
    x = relay.var("x", shape=(2, 3))
    a = save(plants.module([x], relay.tanh(relay.nn.relu(x))), nets / "small.json")
    found = bisect(a, opt_a=0, opt_b=3)
    assert not found.differs
    assert len(found.notes) == 1 and found.notes[0].startswith("b was built without AlterOpLayout")


def test_of_many_items_the_one_whose_outputs_differ_most_is_searched(tmp_path: Path) -> None:
    """relu for leaky_relu shows on negative inputs only: item 2 of 3."""
    x = relay.var("x", shape=(2, 3))
    a = save(plants.module([x], relay.exp(relay.nn.relu(x))), tmp_path / "a.json")
    wrong = relay.exp(relay.nn.leaky_relu(x, 0.1))
    b = save(plants.module([x], wrong), tmp_path / "b.json")
    items = np.ones((3, 2, 3), "float32")
    items[1] *= -0.5
    items[2] *= -3
    np.savez(tmp_path / "items.npz", x=items)
    found = bisect(a, b, opt_a=0, opt_b=0, inputs=tmp_path / "items.npz")
    assert found.finding is not None and found.finding.op_b == "nn.leaky_relu"
    assert found.inputs.endswith("items.npz, item 2 of 3, whose outputs differ most")
    assert found.search.first is not None
    assert found.search.first.comparison.max_abs == pytest.approx(0.3)
    np.savez(tmp_path / "one.npz", x=items[0])
    assert not bisect(a, b, opt_a=0, opt_b=0, inputs=tmp_path / "one.npz").differs
    (tmp_path / "loader.py").write_text(
        "import numpy as np\ndef inputs():\n    yield {'x': np.full((2, 3), -1.0, 'float32')}\n"
    )
    by_code = bisect(a, b, opt_a=0, opt_b=0, data=tmp_path / "loader.py", allow_code=True)
    assert by_code.differs and "item 0 of 1" in by_code.inputs
    with pytest.raises(SurgeryError) as caught:
        bisect(a, b, data=tmp_path / "loader.py")
    assert caught.value.diagnostics[0].code == "S241"


def test_float32_against_float16(tmp_path: Path) -> None:
    # In float16 TVM can't compute what nobody reads of a batch_norm: its statistics.
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(1, 3, 8, 8))
    weight = relay.const(rng.standard_normal((3, 3, 3, 3)).astype("float32"))
    norm = [relay.const(rng.random(3, dtype="float32")) for _ in range(4)]
    value = relay.nn.conv2d(x, weight, padding=(1, 1))
    value = relay.nn.relu(relay.nn.batch_norm(value, *norm)[0])
    save(plants.module([x], value), tmp_path / "net.json")
    spec = tmp_path / "half.surgery"
    spec.write_text('model "net.json"\nprepare ToMixedPrecision("float16")\n')
    for opt in (0, 1):
        found = bisect(tmp_path / "net.json", spec, opt_a=opt, opt_b=opt, complete=True)
        assert not found.differs and len(found.search.measured) == 3, found.search.measured
