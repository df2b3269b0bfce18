"""Codes of the command line, of stubs and of reports."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S259": (
        "nothing to make a stub of",
        "`surgery stub SPEC` writes skeletons of the kernels that the plan's regions call. The "
        "spec has no region, or none of the backend that --backend names. Add "
        "`offload pattern P to B`; `surgery plan SPEC --explain` shows what a pattern "
        "matches and what comes close.",
    ),
    "S258": (
        "a stub without types",
        "A kernel's prototype needs the shape and the element type of all its parameters. A bare "
        "listing has none, and a dynamic dimension isn't static. Run `InferType` and save the "
        "model with `tvm.ir.save_json(mod)`; give dynamic inputs a type with "
        "`bind x: float32(1,128)`.",
    ),
    "S590": (
        "wrong usage of the command line",
        "A command, an option or an argument is not one that surgery knows, or two of them can't "
        "stand together; `surgery explain` was asked about a code that doesn't exist; `surgery "
        "run` was given neither --inputs nor --seed. `surgery --help` lists the commands and "
        "`surgery COMMAND --help` what each takes. The exit state is 2. Example: `surgery plan` "
        "without a spec.",
    ),
    "S591": (
        "no Graphviz for the picture",
        "Pictures (`surgery show --format svg`, the one in report.html) are laid out by Graphviz, "
        "and neither the package graphviz-pure nor a `dot` program was found. The package comes "
        "with surgery; install it again with `pip install graphviz-pure`, or install Graphviz. "
        "A report is written all the same, without its picture.",
    ),
    "S592": (
        "the picture could not be laid out",
        "Graphviz was started and failed, or took too long: the picture has too many arrows. "
        "Draw a part of the model by giving `surgery show` a selector, or list the values with "
        "`--format table`.",
    ),
    "S594": (
        "a file in the way of fmt --to",
        "`surgery fmt --to yaml a.surgery` writes a.yaml beside it, and a file of that name with "
        "other content is there already. Remove or rename it first, or print the converted spec "
        "with `surgery fmt --to yaml - < a.surgery`.",
    ),
    "S595": (
        "an input that can't be read",
        "Standard input is not UTF-8 text, or was asked for twice.",
    ),
    "S596": (
        "a spec is not in canonical form",
        "`surgery fmt --check` found specs that `surgery fmt` would rewrite. Run `surgery fmt` "
        "on them; the meaning does not change.",
    ),
    "S597": (
        "a variable that no spec uses",
        "A warning: `--set NAME=VALUE` gives `${NAME}` a value, and no `${NAME}` stands in the "
        "spec or what it includes. Most often one of the two is misspelt; the default that the "
        "spec was meant to get away from is then still in force.",
    ),
    "S599": (
        "internal error",
        "Something happened that surgery's authors did not foresee. It is a fault of surgery, not "
        "of the spec. Please report it with the spec and, if you can, the model; run again with "
        "SURGERY_DEBUG=1 in the environment to print where it happened. The previous output "
        "folder is intact.",
    ),
}
