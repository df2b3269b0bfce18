"""``make demo``: split a BERT, offload a convolution block and a BERT's dense layers, check all.

Everything goes through the command line, as a user would; each command is shown.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from prepare_models import conv_block, prepare

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "examples" / "made"


def surgery(*arguments: str) -> str:
    """Run a surgery command, show it and what it says, and return its standard output."""
    print(f"\n$ surgery {shlex.join(arguments)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "surgery", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"surgery ended with state {done.returncode}")
    return done.stdout


def without_places(path: Path) -> object:
    """Read a plan.json and take every place out."""

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k != "place"}
        return [strip(v) for v in value] if isinstance(value, list) else value

    return strip(json.loads(path.read_text()))


def split_bert() -> None:
    """Cut the 12-layer TensorFlow BERT after layer 3 and check what crosses."""
    prepare("tf_bert_12l", WORK)
    surgery("apply", "specs/bert_split.yaml", "-o", "examples/made/bert.out")
    plan = json.loads((WORK / "bert.out" / "plan.json").read_text())
    crossing = {c["name"]: c["shape"] for c in plan["crossings"]}
    assert crossing == {"mask": [1, 1, 1, 128], "hidden": [1, 128, 768]}, crossing
    surgery("apply", "specs/bert_split.surgery", "-o", "examples/made/bert_text.out", "--no-build",
            "--no-verify")  # fmt: skip
    same = without_places(WORK / "bert.out" / "plan.json") == without_places(
        WORK / "bert_text.out" / "plan.json"
    )
    assert same, "the text and the YAML form must give the same plan"
    print("\nThe text form and the YAML form give the same plan.json but for places.")


def one_liner() -> None:
    """A spec that needs no file: all 72 dense layers of the BERT go to a library, verified."""
    surgery(
        "apply",
        "output %41 as mask; cut after layer_._3; offload pattern dense>reshape>add to bmlib",
        "--model", "examples/made/tf_bert_12l.json",
        "--params", "examples/made/tf_bert_12l.params",
        "--verify", "-o", "examples/made/one_liner.out",
    )  # fmt: skip
    recipe = json.loads((WORK / "one_liner.out" / "recipe.json").read_text())
    (backend,) = recipe["backends"]
    assert len(backend["regions"]) == 72
    assert all(len(r["inputs"]) == 2 for r in backend["regions"])


def offload_conv_block() -> None:
    """Offload reshape, conv2d, add, batch_norm, relu and run the library without surgery."""
    conv_block(WORK)
    surgery("plan", "specs/conv_block.surgery")
    surgery("apply", "specs/conv_block.surgery", "-o", "examples/made/conv_block.out")
    recipe = json.loads((WORK / "conv_block.out" / "recipe.json").read_text())
    (region,) = recipe["backends"][0]["regions"]
    assert [i["name"] for i in region["inputs"]] == ["data"], region["inputs"]
    rng = np.random.default_rng(0)
    data = rng.standard_normal((1, 128, 12, 40)).astype("float32")
    np.savez(WORK / "data.npz", data=data)
    surgery("run", "examples/made/conv_block.out", "--inputs", "examples/made/data.npz",
            "-o", "examples/made/by_surgery.npz")  # fmt: skip
    library = WORK / "conv_block.out" / recipe["stages"][0]["library"]
    alone = [sys.executable, str(ROOT / "examples" / "run_library.py"), str(library)]
    subprocess.run([*alone, str(WORK / "data.npz"), str(WORK / "alone.npz")], check=True)
    with np.load(WORK / "alone.npz") as results:
        actual = results["arr_0"]
    difference = float(np.max(np.abs(actual - reference(data))))
    print(f"\nIn a fresh process, without surgery: {library.name} differs from the NumPy reference "
          f"by {difference:.2e} at most.")  # fmt: skip
    assert difference < 1e-3


def reference(data: np.ndarray) -> np.ndarray:
    """Compute the block in NumPy: a 1x1 convolution, bias, batch normalisation, relu."""
    from tvm import relay

    weights = {
        k: v.numpy()
        for k, v in relay.load_param_dict((WORK / "conv_block.params").read_bytes()).items()
    }

    def channel(name: str) -> np.ndarray:
        return weights[name].astype("float64").reshape(1, -1, 1, 1)

    conv = np.einsum("oi,nihw->nohw", weights["weight"][:, :, 0, 0], data.astype("float64"))
    scale = channel("gamma") / np.sqrt(channel("var") + 1e-5)
    normal = (conv + channel("bias") - channel("mean")) * scale + channel("beta")
    return np.maximum(normal, 0)


def main() -> None:
    split_bert()
    offload_conv_block()
    one_liner()
    print("\nDone. Open examples/made/bert.out/report.html to see the picture.")


if __name__ == "__main__":
    main()
