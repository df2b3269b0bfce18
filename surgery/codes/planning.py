"""Codes of planning: what a spec asks for against what the model is."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S250": (
        "not supported yet",
        "The statement or option is part of the language, so it parses, but this version has no "
        "surgery for it. Nothing is done half: the whole spec is refused. The remedy names what "
        "does the nearest thing today.",
    ),
    "S251": (
        "no model is named",
        'A spec that comes without `model "net.json"` needs one from the command line: '
        "`surgery apply SPEC --model net.json --params net.params`.",
    ),
    "S252": (
        "a listing can't be bound or prepared",
        "`bind` and `prepare` run TVM's own passes, which need the whole model. A listing without "
        "its metadata section can only be shown and planned. Save the model with "
        "`tvm.ir.save_json(mod)`.",
    ),
    "S253": (
        "the model is a listing",
        "The text refers to constants or attributes (`meta[relay.Constant][0]`) that stand in a "
        "metadata section it doesn't have; that is what `print(mod)` shows. It is read without "
        "TVM, enough for `show` and `plan`. To apply a spec, save the model with "
        "`tvm.ir.save_json(mod)` or print it with `mod.astext()`.",
    ),
    "S254": (
        "nothing to bind",
        "`bind` makes weights constants, so they need values: name the weights file in the spec "
        '(`model "net.json" params "net.params"`) or with --params. With `bind param "GLOB"` the '
        "glob must match the whole name of at least one of them.",
    ),
    "S255": (
        "no such input",
        "`bind x: float32(1,128)` gives a runtime input a type; `x` must be a parameter of @main "
        "that has no value.",
    ),
    "S256": (
        "selectors were not checked",
        "`surgery check` resolves selectors against the model where that is at hand, which takes "
        "TVM. Without it only syntax and schema are checked: `pip install 'surgery[relay]'`.",
    ),
    "S257": (
        "an include that was not read",
        "A spec that was parsed by `surgery.syntax.parse` keeps its includes as statements, which "
        "is meant for tools that print it again. `surgery.load_spec(path)` and "
        "`surgery.parse_spec(text)` put what they include in their places.",
    ),
    "S260": (
        "no such output",
        "`output drop` and `output rename` speak of the outputs the model has: by index from 0, or "
        "by name (`out0`, `out1`, ...). Tuples that the model returns count as their fields.",
    ),
    "S261": (
        "an output inside another function",
        "Outputs are values of @main. The inside of another function exists once for each call, so "
        "it can't be an output. Output a call of it, or inline it first: `prepare Inline`.",
    ),
    "S262": (
        "an output that is a tuple",
        "An output is one tensor. Name a field (`output %3.0 as values`), or all of them: "
        "`output %3.* as part` gives `part_0`, `part_1`, ...",
    ),
    "S263": (
        "a name template that can't be filled in",
        'In `output each S as "{name}"` the template may use {name} (the source name), {number} '
        "(the N of %N), {op} and {index} (the position in the selection).",
    ),
    "S264": (
        "already an output",
        "The value is an output of the model. No second copy is added: the output takes the name "
        "or, when it has been given one already, gets a further name.",
    ),
    "S265": (
        "an output that passes an input through",
        "The value is an input, a weight or a constant; the output gives it back unchanged. It "
        "costs a copy and is never inside an offload region.",
    ),
    "S266": (
        "no output is left",
        "The statements drop every output. A model must return something.",
    ),
    "S267": (
        "two outputs of one name",
        "Runners find outputs by name, so each needs its own. With `each`, put {number} into the "
        "template.",
    ),
    "S268": (
        "an output with the name of an input",
        "In a recipe, inputs and outputs share one name space: a stage's input may be another "
        "stage's output. Choose another name.",
    ),
    "S270": (
        "a cut inside another function",
        "A stage is a part of @main; a call of a function belongs to one stage whole. Cut after a "
        "call, or inline the function first: `prepare Inline`.",
    ),
    "S271": (
        "a conditional value",
        "The value is computed only in one branch of an `if` (or only while a function literal "
        "runs), so it may not exist. The result of the `if` always does.",
    ),
    "S272": (
        "cuts in the wrong order",
        "The first cut ends the first stage, the second cut the second stage. A cut whose values "
        "are all computed before an earlier one would need a value of a later stage. The note "
        "shows the path from one to the other; swap the statements.",
    ),
    "S273": (
        "an empty stage",
        "Between two cuts, before the first or after the last there is no op that an output needs. "
        "Inputs, weights and constants belong to every stage that uses them; they are no place for "
        "a cut.",
    ),
    "S274": (
        "not a tensor",
        "Only tensors can be outputs or pass from one stage to another. Functions, references and "
        "algebraic data types can't: cut where only tensors cross.",
    ),
    "S280": (
        "not an op",
        "`offload S to B` selects ops. Inputs, weights, constants, ifs and function literals can't "
        "be inside a region.",
    ),
    "S281": (
        "a region that is not convex",
        "A path leaves the region and comes back to it, so its kernel would have to run before and "
        "after an op outside. Select the ops on the path too (`between(S, T)`), or fewer.",
    ),
    "S282": (
        "already outlined",
        "The model holds composites of this backend, or of none, with the ops that the statement "
        "asks for. They are opaque: a second run of a spec finds nothing new and changes nothing. "
        "`expect N` counts them then.",
    ),
    "S283": (
        "an offload that matches nothing",
        "No site of the model has the pattern's shape. The notes list the nearest misses with the "
        "op, attribute or use that keeps each out. If none is fine, end the statement with "
        "`optional`.",
    ),
    "S285": (
        "not all sites",
        "`require all` asks that every site which comes close is taken. The notes say what keeps "
        "the others out.",
    ),
    "S286": (
        "an optional statement that picks nothing",
        "The statement says `optional`, so this is no error.",
    ),
    "S287": (
        "a pattern that matched before `prepare`",
        "A pass of `prepare` changed the ops between: ConvertLayout puts layout_transform in, "
        "SimplifyInference unfolds batch_norm. Selectors and patterns see the model after "
        "`prepare`; leave the pass out or write the pattern for what it leaves.",
    ),
    "S288": (
        "an undeclared backend",
        "Without `backend NAME { ... }` the regions are built by TVM itself, each as its own "
        "function, so that every offload can be run and checked at once.",
    ),
    "S289": (
        "a stage for the VM",
        "TVM's graph executor runs no control flow, no values of unknown shape and no calls of "
        "functions; the stage is built for the VM, which does. The recipe says so, and "
        "`surgery run` uses it.",
    ),
    "S290": (
        "a crossing value that no input changes",
        "The value depends on weights and constants only, yet is sent at every run. "
        "`share %N by recompute` computes it in the stage that needs it instead.",
    ),
    "S291": (
        "ops computed twice",
        "`share ... by recompute` makes a stage compute values that an earlier one computes too, "
        "so that they need not cross.",
    ),
    "S292": (
        "weight-only ops",
        "These ops depend on weights and constants only. They are computed in the stage that needs "
        "them and never sent; a build at opt 2 or higher folds them away.",
    ),
    "S293": (
        "a module that is annotated already",
        "compiler_begin and compiler_end are left over from TVM's AnnotateTarget. TVM compiles "
        "no such model as it stands, and offloading on top of them would give overlapping regions. "
        "Start from the model before that pass, or "
        "finish the partitioning with TVM.",
    ),
    "S294": (
        "prefer names no offload",
        "`prefer P over Q` decides between overlapping sites of two offloads. Each is named by its "
        "`as NAME`, or by the named pattern that it offloads (`pattern P = ...`, "
        "`offload pattern P to B`).",
    ),
    "S295": (
        "prefer in a circle",
        "`prefer a over b` and `prefer b over a` (or a longer circle) can't both hold. Remove one.",
    ),
    "S296": (
        "inplace names no capture",
        "`inplace(x)` says that the kernel may overwrite the operand x, so x must be named in the "
        "pattern: `offload pattern relu(add(x:*, conv2d(*, *))) to bmlib inplace(x)`. Where "
        "liveness doesn't prove it safe the site is offloaded all the same, and says why x is left "
        "alone.",
    ),
    "S297": (
        "a backend's merge option",
        "Neighbouring sites of a backend become one region with several kernel calls. "
        "`backend bmlib { via tvm; merge=off }` keeps each site a region of its own.",
    ),
    "S450": (
        "a build that would not end",
        "TVM's FuseOps inlines elementwise ops into their users; a value used twice in a fused "
        "group is written out twice, so a residual chain of elementwise ops doubles with every "
        "block. Limit fusion with `build config relay.FuseOps.max_depth=4`.",
    ),
    "S298": (
        "a share statement that decides nothing",
        "`share S by transfer|recompute` decides how a value gets from the stage that computes it "
        "to a later one. None of the values it picks is needed by another stage, so the plan is "
        "the same without it. Look at the crossing values that `surgery plan` lists, and name one "
        "of them, or remove the statement.",
    ),
}
