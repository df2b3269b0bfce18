"""Explanations of S361-S374: comparing two models, reading values, shrinking."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S361": (
        "nothing to compare with",
        "`surgery bisect` and `verify` compare two models, or two builds of one. Only one model is "
        "given, and one way to build it. Name a second model or output folder, or say how the "
        "second build differs: `surgery bisect net.json --opt-a 0 --opt-b 3`. An output folder or "
        "a spec alone is compared with the model it was made from.",
    ),
    "S362": (
        "other inputs",
        "Two models are compared on the same inputs, found by name, or by position where the names "
        "differ and there are as many. Here neither is so. What one file has as a weight may be an "
        "input of the other: then its weights are missing (`--params-a`, `--params-b`).",
    ),
    "S363": (
        "no place for a reproducer",
        "`--reproducer FOLDER` writes a folder of its own. The one that is named is a file, or "
        "holds something else. Name another one; `--force` writes into it nevertheless, and "
        "replaces files of the same names.",
    ),
    "S364": (
        "no reproducer",
        "The folder has no whole reproducer.json, so its kernels can't be compiled again. Write "
        "it anew with `surgery bisect A B --reproducer FOLDER`.",
    ),
    "S367": (
        "a tolerance for no output",
        "`--tolerance NAME=RTOL,ATOL` is for one output, by the name that the table of "
        "`surgery verify A B` shows (the first model's). No output has this name.",
    ),
    "S368": (
        "data that gives no items",
        "`--data loader.py` names a Python file with a function `inputs()` that yields a dict of "
        "arrays by input name for each item. The file isn't there, has no such function, raises, "
        "or yields something else. It is run with your rights, so it needs `--allow-code`.",
    ),
    "S369": (
        "nothing to reduce",
        "`surgery reduce` shrinks a model for as long as a command fails on it. Here the command "
        "passes on the whole model. It fails by ending in a state other than 0, or with --match by "
        "what its output holds. Run it by hand on the model to see what it says.",
    ),
    "S370": (
        "a check that fails in several ways",
        "The command was run twice on the whole model and didn't end in the same state, or with "
        "the same diagnostic. What is left after shrinking would be left to chance. Fix what is "
        "random in it, or say with --match what in its output counts.",
    ),
    "S371": (
        "no check",
        "`surgery reduce` needs a command that takes the model: `--check 'python check.py "
        "{model}'`, with {params} and {inputs} where it takes those. For a spec it may take {spec} "
        "instead; without --check that is `surgery apply {spec}`.",
    ),
    "S372": (
        "no kernel gives the value",
        "`tap --debug-executor` reads results of TVM's kernels as they are. A value in the middle "
        "of a fused kernel is never stored, and what TVM folded, simplified away or computes in "
        "another type isn't there at all. Read it without --debug-executor: it is an output of the "
        "build then, and has a kernel that ends with it.",
    ),
    "S373": (
        "no kernels to look into",
        "`tap --debug-executor` is for models that TVM's graph executor runs. With `if`, shapes "
        "that aren't static or calls of functions TVM's VM runs it, and offload regions are "
        "libraries of their own. Read the values without --debug-executor.",
    ),
    "S374": (
        "values that aren't finite",
        "A value that was read has elements that are NaN or infinite. The note names the first "
        "one that has, of those that were read, in the order they are computed: whose operands, as "
        "far as they were read, are finite. `surgery tap --all` reads everything.",
    ),
    "S365": (
        "values left out",
        "A selector of `surgery tap` picks values that are always there and others that are not: "
        "inside a function, a branch of an `if`, or no tensors. The latter are left out. Name the "
        "call, the `if` itself or a field to read those.",
    ),
    "S366": (
        "more memory than asked for",
        "`--memory` bounds what the values of a run take. What TVM needs to compile the model "
        "comes on top, and was alone more than that. A lower `--opt` needs less: from 2 on, "
        "what can be computed ahead is held beside the weights it is computed from.",
    ),
}
