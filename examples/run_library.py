"""Run a built library the way a deployment would: TVM's runtime alone, surgery never imported.

python run_library.py lib/stage0.so inputs.npz outputs.npz
"""

from __future__ import annotations

import sys

import numpy as np
import tvm
from tvm.contrib import graph_executor


def main() -> None:
    library, inputs, outputs = sys.argv[1:]
    module = graph_executor.GraphModule(tvm.runtime.load_module(library)["default"](tvm.cpu()))
    with np.load(inputs) as given:
        for name in given.files:
            module.set_input(name, given[name])
    module.run()
    results = [module.get_output(i).numpy() for i in range(module.get_num_outputs())]
    np.savez(outputs, *results)
    assert not any(name == "surgery" or name.startswith("surgery.") for name in sys.modules)


if __name__ == "__main__":
    main()
