"""Pieces of the ``tap`` benchmark: the BERT of the examples, built and run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.process import timed

Numbers = dict[str, Any]

_MODEL = "tf_bert_12l"


def tap_ours(count: int, opt: int, repeats: int) -> Numbers:
    """Values of a loaded model, evenly spread over its ops; ``count`` 0: all of them."""
    import surgery.api as api
    from examples.prepare_models import prepare

    with tempfile.TemporaryDirectory() as scratch:
        path = prepare(_MODEL, Path(scratch))
        model = api.load_model(path, path.with_suffix(".params"))
    numbers_of = sorted(model.module.main.by_number)
    picked = [numbers_of[len(numbers_of) * (k + 1) // (count + 1)] for k in range(count)]
    tapped, numbers = timed(
        lambda: api.tap(
            model, [f"%{n}" for n in picked], every=not count, seed=0, opt_level=opt, keep=False
        ),
        repeats=repeats,
    )
    return {**numbers, "values": len(tapped.values)}


def tap_tvm(opt: int, repeats: int) -> Numbers:
    """The model as it is: ``relay.build``, and one run of the graph executor."""
    import tvm
    from tvm import relay

    from examples.prepare_models import INPUTS, seeded_weights, unpack

    with tempfile.TemporaryDirectory() as scratch:
        module = tvm.ir.load_json(unpack(_MODEL, Path(scratch)).read_text())
    weights = seeded_weights(module["main"], INPUTS[_MODEL], 0)
    ids = np.random.default_rng(0).integers(0, 30522, (1, 128)).astype("int32")

    def run() -> Any:
        with tvm.transform.PassContext(opt_level=opt):
            library = relay.build(module, "llvm", params=weights)
        executor = tvm.contrib.graph_executor.GraphModule(library["default"](tvm.cpu()))
        executor.run(x=ids)
        return executor.get_output(0).numpy()

    _, numbers = timed(run, repeats=repeats)
    return numbers
