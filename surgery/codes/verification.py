"""Explanations of S361-S364: comparing two models."""

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
}
