"""The benchmarks by name: which pieces they run, at which sizes, against which targets."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.pieces import cut_spec
from benchmarks.pipelined import pipeline as pipeline_table
from benchmarks.process import ROOT, Measured, run_command, run_piece
from benchmarks.tables import Row, Table, compared, scaling


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How much to run.

    Attributes:
        quick: Smaller sizes and no repetitions.
        full: Also what takes many minutes.
    """

    quick: bool = False
    full: bool = False

    def repeats(self, size: int) -> int:
        """Return how often to repeat a piece on a model of ``size`` layers or blocks."""
        return 1 if self.quick else max(1, min(10, 240 // size))


def _say(text: str) -> None:
    print(f"  ... {text}", file=sys.stderr, flush=True)


def cut(settings: Settings) -> Table:
    """Four stages in memory."""
    table = Table(
        name="cut",
        title="a BERT cut into 4 stages in memory: view, plan, passes, typing",
        reference="graph_split of TVM's pipeline tests / a straightforward linear script",
    )
    sizes = (12, 48) if settings.quick else (12, 48, 192, 768)
    points: list[tuple[int, Measured]] = []
    for layers in sizes:
        repeats = settings.repeats(layers)
        _say(f"cut, {layers} layers")
        ours = run_piece("cut_ours", layers=layers, repeats=repeats)
        points.append((layers, ours))
        split = run_piece("cut_graph_split", layers=layers, repeats=repeats)
        faster = {12: 3.0, 48: 8.0}.get(layers)
        table.rows.append(compared(f"{layers} layers, graph_split", ours, split, faster=faster))
        if layers <= 48:
            bound = run_piece("cut_graph_split", layers=layers, repeats=repeats, bound=True)
            what = f"{layers} layers, graph_split, its weights bound"
            table.rows.append(compared(what, ours, bound))
        linear = run_piece("cut_linear", layers=layers, repeats=repeats)
        table.rows.append(compared(f"{layers} layers, linear script", ours, linear))
    steps = run_piece("cut_steps", layers=48)
    for step, seconds in steps.numbers.items():
        table.rows.append(Row(what=f"48 layers, of that: {step}", ours=seconds))
    table.rows.append(scaling(f"growth from {sizes[0]} to {sizes[-1]} layers", points, 1.15))
    return table


def balance(settings: Settings) -> Table:
    """Four stages in memory, their places chosen."""
    table = Table(
        name="balance",
        title="a BERT planned in 4 stages, places chosen by FLOPs: adopt, view, plan",
        reference="the same with the places named",
    )
    sizes = (12, 48) if settings.quick else (12, 48, 192, 768)
    points: list[tuple[int, Measured]] = []
    for layers in sizes:
        repeats = settings.repeats(layers)
        _say(f"balance, {layers} layers")
        ours = run_piece("balance_plan", layers=layers, repeats=repeats)
        points.append((layers, ours))
        named = run_piece("balance_plan", layers=layers, repeats=repeats, spec=cut_spec(layers))
        note = f"slowest stage {ours.numbers.get('slowest', 0):.3f} of the mean"
        table.rows.append(compared(f"{layers} layers", ours, named, relative=True, note=note))
    table.rows.append(scaling(f"growth from {sizes[0]} to {sizes[-1]} layers", points, 1.2))
    return table


def bert(settings: Settings) -> Table:
    """The example's BERT between loading and building."""
    table = Table(
        name="bert",
        title="the 12-layer TensorFlow BERT between loading and building "
        "(2 outputs, a cut, an offload; JSON and text of the module and 2 stages written)",
        reference="TVM's load_json + InferType + save_json",
    )
    repeats = 1 if settings.quick else 3
    _say("bert")
    ours = run_piece("bert_ours", repeats=repeats)
    reference = run_piece("bert_json", repeats=repeats)
    regions = ours.numbers.get("regions")
    table.rows.append(
        compared("plan, passes, save", ours, reference, within=3, note=f"{regions} regions")
    )
    table.rows.append(_at_most("plan, passes, save", ours, 1.0))
    whole = run_piece("bert_apply", repeats=repeats)
    table.rows.append(
        compared("all of apply(), HTML report and recipe included", whole, reference, relative=True)
    )
    return table


def _at_most(what: str, ours: Measured, seconds: float) -> Row:
    target = f"<= {seconds:g} s CPU"
    if ours.failure:
        return Row(what=what, target=target, met=False, note=f"ours fails: {ours.failure}")
    return Row(what=what, ours=ours.cpu, target=target, met=ours.cpu <= seconds)


def outputs(settings: Settings) -> Table:
    """More outputs."""
    table = Table(
        name="outputs",
        title="a 48-layer BERT with more outputs, in memory",
        reference="TVM's extract_intermdeiate_expr, once a value",
    )
    layers, repeats = 48, settings.repeats(48)
    _say("outputs")
    found = {
        count: run_piece("outputs_ours", layers=layers, count=count, repeats=repeats)
        for count in (1, 10, 100)
    }
    extracted = run_piece("outputs_tvm", layers=layers, count=10, repeats=repeats)
    typed = run_piece("outputs_tvm", layers=layers, count=10, repeats=repeats, typed=True)
    table.rows.append(
        compared(
            "10 outputs, the reference's modules untyped", found[10], extracted, within=0.4,
            note="ours views the model, numbers it as printed and types the result",
        )
    )  # fmt: skip
    table.rows.append(
        compared("10 outputs, the reference's modules typed", found[10], typed, within=0.4)
    )
    table.rows.append(
        compared("100 outputs against 1 output of ours", found[100], found[1], within=1.2)
    )
    return table


def tap(settings: Settings) -> Table:
    """Values of intermediates."""
    table = Table(
        name="tap",
        title="values of the TensorFlow BERT of the examples, opt 3: build and run",
        reference="relay.build and one run of the model as it is",
    )
    repeats = 1 if settings.quick else 3
    _say("tap")
    plain = run_piece("tap_tvm", opt=3, repeats=repeats)
    for count, limit in ((10, 1.2), (0, None)):
        ours = run_piece("tap_ours", count=count, opt=3, repeats=repeats)
        what = f"{count} values" if count else "all 980 values"
        peak = f"peak {ours.peak / 2**30:.2f} GiB, the reference {plain.peak / 2**30:.2f} GiB"
        table.rows.append(compared(what, ours, plain, within=limit, relative=True, note=peak))
    return table


def offload(settings: Settings) -> Table:
    """Regions."""
    table = Table(
        name="offload",
        title="every conv2d > bn > relu of a ResNet outlined, typed",
        reference="MergeComposite, AnnotateTarget, MergeCompilerRegions, PartitionGraph, InferType",
    )
    sizes = (12, 48) if settings.quick else (12, 48, 192, 768, 2340)
    points: list[tuple[int, Measured]] = []
    for blocks in sizes:
        _say(f"offload, {blocks} blocks")
        ours = run_piece("offload_ours", blocks=blocks, repeats=settings.repeats(blocks))
        points.append((blocks, ours))
        what = f"{blocks} blocks, {ours.numbers.get('regions')} regions"
        if blocks == 12 or (blocks == 48 and settings.full):
            stock = run_piece("offload_byoc", blocks=blocks, repeats=1, timeout=3600)
            found = stock.numbers.get("regions")
            table.rows.append(
                compared(
                    what, ours, stock, faster=12 if blocks == 12 else 35,
                    note=f"the passes found {found} regions",
                )
            )  # fmt: skip
        else:
            note = "the passes are not run here: --full runs them" if blocks == 48 else ""
            table.rows.append(compared(what, ours, note=note))
    ops = 2 + 25 * sizes[-1]
    table.rows.append(scaling(f"growth to about {ops} ops", points, 1.2))
    return table


def process(settings: Settings) -> Table:
    """The whole command."""
    layers = 48 if settings.quick else 192
    table = Table(
        name="process",
        title=f"`surgery apply --no-build`, whole process: Relay text of {layers} layers in, "
        "4 stages out",
        reference="one process: fromtext, InferType, every op rebuilt into 4 parts, save_json",
    )
    _say("process")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        text, spec = place / "bert.relay", place / "cut.surgery"
        written = run_piece("write_bert_text", layers=layers, path=str(text))
        if written.failure:
            table.rows.append(Row(what="set-up", met=False, note=written.failure))
            return table
        spec.write_text(cut_spec(layers).replace("; ", "\n") + "\n", encoding="utf-8")
        out = place / "out"
        ours = run_command(
            ["-m", "surgery", "apply", str(spec), "--model", str(text), "-o", str(out),
             "--no-build", "--no-verify", "--quiet"]
        )  # fmt: skip
        floor = run_piece("floor_process", layers=layers, text=str(text), out=str(place / "floor"))
    table.rows.append(compared("whole process", ours, floor, within=1.5))
    return table


def chain(settings: Settings) -> Table:
    """A deep graph."""
    ops = 10_000 if settings.quick else 40_000
    table = Table(
        name="chain",
        title=f"a chain of {ops} ops through plan, output, cut, offload and save, default stack",
        reference="graph_split of TVM's pipeline tests, the cut alone",
    )
    _say("chain")
    split = run_piece("chain_graph_split", ops=ops)
    for pattern in ("relu>add>relu>add>relu>add>relu>add", "add>relu"):
        ours = run_piece("chain_ours", ops=ops, pattern=pattern)
        row = compared(f"{pattern.count('>') + 1}-op pattern", ours, split)
        count = ours.numbers.get("regions")
        steps = [f"{s} {ours.numbers.get(s, 0):.1f} s" for s in ("view and plan", "passes")]
        note = "; ".join([f"{count} regions", *steps, row.note]) if not ours.failure else row.note
        table.rows.append(replace(row, note=note))
    return table


def core(settings: Settings) -> Table:
    """Planning alone."""
    ops = 100_000 if settings.quick else 1_000_000
    table = Table(
        name="core",
        title=f"{ops} ops planned without a compiler (and half as many weights)",
        reference="none",
    )
    _say("core")
    for offload in (False, True):
        what = "output + cut + offload" if offload else "output + cut"
        found = run_piece("core_plan", ops=ops, offload=offload)
        table.rows.append(compared(what, found, note=f"{found.numbers.get('regions')} regions"))
        if not found.failure:
            table.rows.append(
                Row(
                    what=f"{what}: peak memory, with the picture", unit="MB",
                    ours=found.peak / 1e6, reference=found.numbers["model_kib"] * 1024 / 1e6,
                    note="reference: the picture alone",
                )
            )  # fmt: skip
    return table


def memory(settings: Settings) -> Table:
    """Weights."""
    weights, rows, columns = 32, 2048, 1024 if settings.quick else 4096
    total = weights * rows * columns * 4
    table = Table(
        name="memory",
        title=f"`surgery apply --no-build` on {total >> 20} MiB of weights in {weights} tensors, "
        "cut in two",
        reference="the size of the weights / a file copy",
    )
    _say("memory")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        model, params = str(place / "heavy.json"), str(place / "heavy.params")
        written = run_piece(
            "write_heavy", weights=weights, rows=rows, columns=columns, model=model, params=params
        )
        if written.failure:
            table.rows.append(Row(what="set-up", met=False, note=written.failure))
            return table
        ours = run_command(
            ["-m", "surgery", "apply", f"cut after layer_{weights // 2 - 1}", "--model", model,
             "--params", params, "-o", str(place / "out"), "--no-build", "--no-verify", "--quiet"]
        )  # fmt: skip
        wrote = run_piece("write_weights", params=params, folder=scratch, repeats=3)
    limit = 1.1 * total + 0.5e9
    target = "<= 1.1x weights + 0.5 GB"
    if ours.failure:
        table.rows.append(Row(what="peak memory", target=target, met=False, note=ours.failure))
    else:
        table.rows.append(
            Row(
                what="peak memory", unit="MB", ours=ours.peak / 1e6, reference=total / 1e6,
                ratio=ours.peak / total, target=target, met=ours.peak <= limit,
            )
        )  # fmt: skip
        copied = Measured(cpu=wrote.numbers.get("copy cpu", 0.0), failure=wrote.failure)
        what = "whole process: weights read, hashed, written, hashed again"
        table.rows.append(compared(what, ours, copied, relative=True))
    for unit, what in (("cpu", "CPU"), ("wall", "wall time")):
        own, copied = (
            Measured(cpu=wrote.numbers.get(f"{name} {unit}", 0.0), failure=wrote.failure)
            for name in ("own", "copy")
        )
        table.rows.append(compared(f"weights written: {what}", own, copied, within=1.2))
    return table


def startup(settings: Settings) -> Table:
    """Commands that must be quick to start."""
    table = Table(
        name="startup",
        title="whole processes of commands that need no compiler",
        reference="python -c pass",
    )
    repeats = 3 if settings.quick else 10
    _say("startup")
    empty = run_command(["-c", "pass"], repeats=repeats)
    with tempfile.TemporaryDirectory() as scratch:
        text, mapping = Path(scratch) / "spec.surgery", Path(scratch) / "spec.yaml"
        text.write_text(
            'model "net.json"\noutput %42 as mask\ncut after layer_._3\n'
            "offload pattern reshape>conv2d>add>bn>relu to bmlib\n"
            'build target "llvm" opt 3\n',
            encoding="utf-8",
        )
        mapping.write_text(
            "version: 1\nmodel: {path: net.json}\nsteps:\n  - output %42 as mask\n"
            "  - cut: {after: layer_._3}\n"
            "  - offload pattern reshape>conv2d>add>bn>relu to bmlib\n"
            "build: {target: llvm, opt_level: 3}\n",
            encoding="utf-8",
        )
        for what, arguments in (
            ("--help", ["--help"]),
            ("check, text", ["check", str(text)]),
            ("check, YAML", ["check", str(mapping)]),
            ("fmt --check, text", ["fmt", "--check", str(text)]),
        ):
            whole = run_command(["-m", "surgery", *arguments], repeats=repeats)
            row = _at_most(what, whole, 0.3)
            inside = run_piece("modules_imported", arguments=arguments)
            heavy = inside.numbers.get("imported", [])
            clean = "tvm" not in heavy and "numpy" not in heavy
            table.rows.append(
                Row(
                    what=row.what, ours=row.ours, reference=empty.cpu,
                    ratio=None if row.ours is None else row.ours / empty.cpu,
                    target=f"{row.target}, no tvm, no numpy", met=bool(row.met) and clean,
                    note=row.note or (f"imports {', '.join(heavy)}" if heavy else ""),
                )
            )  # fmt: skip
    return table


def bmlib(settings: Settings) -> Table:
    """Real nets on the C library of the examples against TVM's own code, in fresh processes."""
    table = Table(
        name="bmlib",
        title="a run of a net offloaded to examples/bmlib, one thread, CPU seconds, median",
        reference="the unsplit net built by TVM alone, at opt 3; outputs must be equal",
    )
    nets = ("cls",) if settings.quick else ("cls", "resnet18", "mobilenet", "bert")
    for net in nets:
        _say(f"bmlib, {net}")
        with tempfile.TemporaryDirectory() as scratch:
            numbers = Path(scratch) / "numbers.json"
            script = str(ROOT / "examples" / "bmlib" / "bench.py")
            done = subprocess.run(
                [sys.executable, script, net, "--json", str(numbers)],
                cwd=ROOT, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                said = done.stderr.strip().splitlines()
                reason = said[-1] if said else "failed"
                table.rows.append(Row(what=net, target="equal", met=False, note=reason))
                continue
            (row,) = json.loads(numbers.read_text(encoding="utf-8"))
        ours = row["bmlib"]["median"]
        for name, target in (("tvm", "llvm"), ("tvm native", row["native"])):
            theirs = row[name]["median"]
            table.rows.append(
                Row(
                    what=f"{net}, {target}", ours=ours, reference=theirs, ratio=theirs / ours,
                    target="equal", met=True,
                    note=f"{row['regions']} regions, {row['calls']} calls of {row['kernels']} "
                    f"kernels; outputs differ by {row['difference']:.1e} at most",
                )
            )  # fmt: skip
    return table


def pipeline(settings: Settings) -> Table:
    """Stages side by side."""
    return pipeline_table(settings.quick, _say)


SUITES: dict[str, Callable[[Settings], Table]] = {
    "cut": cut,
    "balance": balance,
    "bert": bert,
    "outputs": outputs,
    "tap": tap,
    "offload": offload,
    "process": process,
    "chain": chain,
    "core": core,
    "memory": memory,
    "startup": startup,
    "bmlib": bmlib,
    "pipeline": pipeline,
}
