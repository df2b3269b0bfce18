"""What the codes of the Relay passes, builds and runs mean."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S300": (
        "the plan cannot be carried out",
        "A pass found that the plan contradicts itself or the graph: a stage needs a value that no "
        "stage before it passes on, a region is not closed or not convex, a kernel would take "
        "other arguments than its call passes. Plans that surgery makes are checked before, so "
        "this is a fault in surgery, or in a plan made or changed by hand. Please report it with "
        "the spec and the output of `surgery plan --json`.",
    ),
    "S301": (
        "a construct cannot be rebuilt",
        "An output, a cut or a region changes something that a `match`, a reference or a recursive "
        "`let` uses. Surgery carries such constructs along as they are and never looks into them, "
        "so it cannot give them a changed operand. Choose a place after the construct, or have "
        "it simplified first, e.g. `prepare PartialEvaluate`.",
    ),
    "S302": (
        "the module is not as the plan knows it",
        "A plan names values by the place they have in one module. The module given to a pass is "
        "another one, or a pass that changes structure ran between two of surgery's passes. "
        "InferType may run between them; anything else belongs before them: name it in a "
        "`prepare` statement, e.g. `prepare SimplifyInference, FoldConstant`.",
    ),
    "S303": (
        "a pass fails in TVM",
        "TVM refused what a pass made, most often because a type cannot be inferred any more: an "
        "op behind a region or a cut needs to see how its operand was made. The reason is TVM's "
        "own. Move the cut, or keep the op that is named on the host.",
    ),
    "S410": (
        "no such target",
        "The text after `build target` is no target that this TVM can compile for. A target is a "
        'kind and its options, e.g. "llvm -mcpu=skylake-avx512"; which kinds exist depends on how '
        "TVM was built (`tvm.target.Target.list_kinds()`). The packages of the `relay` extra have "
        "`llvm` and `c`. `-mcpu` takes a name that LLVM has for a processor; `native` is none, and "
        "the name of this machine's is given then.",
    ),
    "S411": (
        "no such configuration key",
        "`build config KEY=VALUE` sets options of TVM's PassContext, e.g. "
        "`build config relay.FuseOps.max_depth=4`. The key does not exist, or does not take a "
        "value of this type. `tvm.transform.PassContext.list_configs()` lists them.",
    ),
    "S412": (
        "no such pass",
        "`build disable PASS` names a pass that TVM does not have, so disabling it would do "
        "nothing. Names are written as TVM's own: `FuseOps`, `FoldConstant`, `tir.UnrollLoop`.",
    ),
    "S413": (
        "no such executor",
        "Stages are compiled for TVM's graph executor (`build executor graph`), its AOT executor "
        "(`aot`: the calls of the kernels are compiled too) or its virtual machine (`vm`, which "
        "also runs control flow and unknown shapes).",
    ),
    "S414": (
        "no compiler",
        "TVM compiles each stage to an object file and has it linked into a shared library by a "
        "C++ compiler; the sources of a `via c` backend need a C compiler. None was found, or the "
        "variable CXX (CC for C) names one that isn't there. Install g++ or clang++, or set CXX.",
    ),
    "S415": (
        "a stage does not compile",
        "TVM failed while it compiled a stage; the reason is the one line of its report that says "
        "why. Common ones: an op without a schedule for the target, an op that only works at "
        "`build opt 1` or higher (quantised ones), or a fault in an optimisation that a lower "
        "level leaves out. The stage's module.relay shows what was compiled.",
    ),
    "S416": (
        "a saved module cannot be read",
        "The module.json of a stage is missing, is not text, or was written by a TVM whose format "
        "the installed one does not read. Run `surgery apply` again.",
    ),
    "S417": (
        "a library cannot be written",
        "The system refused to write a library into the output folder: no permission, or no space "
        "left. A library appears whole or not at all.",
    ),
    "S420": (
        "a region does not compile",
        "TVM failed to compile an offloaded region as a function of its own; the reason is TVM's. "
        "Leave its ops on the host (`keep S on host`), or build at a lower level. A region that "
        "other passes made can only be built `via tvm` or `via builtin`.",
    ),
    "S421": (
        "a kernel takes other arguments than its call passes",
        "The kernel made for a region does not take exactly the region's inputs and outputs. At "
        "run time this would be TVM's `num_args should be N`; it is refused when it is built. "
        "This is a fault in surgery: please report it.",
    ),
    "S430": (
        "a library is missing",
        "The folder names a library that is not in it: the stages were not built "
        "(`surgery apply --no-build`), or the file was removed. Run `surgery build` on the folder.",
    ),
    "S431": (
        "a library does not load",
        "The system or TVM refused to load a stage's library: it is cut off, made for another "
        "processor, or by another TVM. Run `surgery build` on the folder, here.",
    ),
    "S432": (
        "a library is no stage",
        "The library loads, but is not what the executor that the recipe names would have built. "
        "Run `surgery build` on the folder.",
    ),
    "S433": (
        "a stage's input is wrong",
        "A stage was given an array of another shape or dtype than it was compiled for, or one of "
        "its inputs is missing. Libraries are compiled for fixed types: cast with "
        "`x.astype('float32')`, or bind another shape and build again.",
    ),
    "S434": (
        "a stage fails when it runs",
        "TVM stopped while it ran a stage: an assertion inside a kernel, or memory. Look at the "
        "values of the inputs, e.g. token ids beyond the embedding's size. A kernel of a `via c` "
        "backend that returned another number than 0 is named, as is a kernel `via packed` that "
        "no `tvm.register_func` of this process has.",
    ),
    "S440": (
        "a module cannot be written",
        "The system refused to write a module into the output folder: no permission, or no space "
        "left. The previous output is intact.",
    ),
    "S435": (
        "kernels that can't be told apart",
        "`tap --debug-executor` reads what TVM's kernels compute, and says of each which value of "
        "the model that is. A model written as a sequence of bindings (`let`) gives no hold for "
        "that. `prepare ToGraphNormalForm` makes it a graph; without --debug-executor it can be "
        "read as it is.",
    ),
    "S436": (
        "kernels in another order",
        "`tap --debug-executor` compares the fused functions that TVM made with the graph that it "
        "runs, call by call. Here they don't agree, so no value can be said to be a kernel's "
        "result. Read the values without --debug-executor.",
    ),
}
