"""Runs what an output folder holds."""

from surgery.runtime.inputs import check_inputs, numpy_dtype, random_inputs
from surgery.runtime.npz import load_npz, npz_writer, save_npz
from surgery.runtime.runner import Runner, RunResult, check_built, run

__all__ = [
    "RunResult", "Runner", "check_built", "check_inputs", "load_npz", "npz_writer", "numpy_dtype",
    "random_inputs", "run", "save_npz",
]  # fmt: skip
