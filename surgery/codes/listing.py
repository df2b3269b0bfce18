"""Paragraphs for the codes of reading Relay text (``surgery.listing``)."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S520": (
        "Relay text that doesn't parse",
        "The text isn't Relay as TVM prints it, at the place shown: a missing `;` or bracket, a "
        "line that was cut in half, text of something else in between. Compare the line with "
        "what `print(mod)` shows. `%1 = add(%0, %x)` without its `;` is reported at the token "
        "that follows, with `;` among what was expected.",
    ),
    "S521": (
        "listing or metadata cut off",
        "A `{`, a comment or the metadata section is never closed, or a `}` closes nothing: only "
        "a part of the listing is there, as when a terminal or an editor cut a copied text. Paste "
        "or save the whole: `open(path, 'w').write(mod.astext())`.",
    ),
    "S522": (
        "%N bound more than once",
        "Two lines of one file bind the same number, as in `%0 = add(...); %0 = exp(%0);`. TVM's "
        "parser keeps one table of numbers for a whole file, also across functions, and silently "
        "takes the first binding for every use: the model would compute something else than the "
        "text says. Give each value a number of its own.",
    ),
    "S523": (
        "two parameters of one name",
        "A function has two parameters that are called the same. TVM builds such a function, feeds "
        "only one of the two and reads memory that nothing wrote. Rename one of them, here and in "
        "the file of weights.",
    ),
    "S524": (
        "%N used but not bound",
        "A line uses `%N`, and no line `%N = ...` of the same function gives it a value (or it is "
        "computed from itself). Numbers run on through a whole file, but each function can only "
        "use its own. Usually some lines were not pasted.",
    ),
    "S525": (
        "undeclared variable",
        "A line uses `%name`, and neither the function's parameters nor a `let` before it declare "
        "that name. Names are taken as they are written in the function's header, with every "
        "`.`, `:` and `/`: `%input:0` is declared by `def @main(%input:0: Tensor[...])`.",
    ),
    "S526": (
        "no @main",
        "The listing defines no function `@main`, which is the model itself. Print the whole "
        "module, or give the one function the name `main`: `def @main(%x: ...) { ... }`. An "
        "expression or function that was printed alone needs no name.",
    ),
    "S527": (
        "function defined twice",
        "Two `def` of the same name stand in one file, as when two listings were pasted one after "
        "the other. Keep one of them, or rename it where it is called.",
    ),
    "S528": (
        "no such field",
        "`%3.2` takes field 2 of a tuple that has fewer fields. Fields count from 0: the first "
        "result of `split` is `%3.0`.",
    ),
    "S529": (
        "missing attribute",
        "TVM's text parser demands some attributes that have no default, although Python gives "
        "them one and hand-written or trimmed text leaves them out. For example "
        "`nn.dense(%x, %w)` must be written `nn.dense(%x, %w, units=None)`. `surgery show` and "
        "`surgery plan` read the text without it; `surgery apply` can't.",
    ),
    "S530": (
        "%N used before it is bound",
        "TVM prints a value where it first met it. When that is inside a branch of an `if` and the "
        "value is also used outside, a line of the print can use `%N` above the line that binds "
        "it. Surgery reads such a listing; TVM's own parser can't. Save the model as JSON: "
        "`open(path, 'w').write(tvm.ir.save_json(mod))`.",
    ),
}
