"""Codes of ``surgery doctor``: findings in a module that TVM's own passes have partitioned."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S320": (
        "constants of a region are parameters of its composite",
        "PartitionGraph moves constants into a region and leaves the composite in it as it was, "
        "with a parameter for each of them. A codegen that makes its kernel from the composite's "
        "parameters then gets a kernel that wants more arguments than the region is called with, "
        "and the run ends with `num_args should be N`. Offload the model before it was "
        "partitioned: `offload pattern conv2d>add>relu to bmlib` gives a kernel with exactly the "
        "region's arguments, constants embedded, or passed with `constants pass`.",
    ),
    "S321": (
        "a call and what it calls disagree",
        "A region or a composite is called with more, fewer or other arguments than it has "
        "parameters: the module was changed after it was partitioned, by hand or by a pass that "
        "saw only one side. Partition the original model again.",
    ),
    "S322": (
        "a tuple as an argument of a kernel",
        "A region or composite takes a tuple, typically where `concatenate` is in it and the tuple "
        "is not. Kernels take tensors, and the graph executor refuses such a call. Take the op "
        "that makes the tuple into the region; regions that surgery makes take the fields.",
    ),
    "S323": (
        "a tuple in a tuple as a result",
        "A region or composite returns a tuple that holds a tuple. The runtime flattens results, "
        "so that field 1 inside is another one outside. Return one flat tuple.",
    ),
    "S324": (
        "symbols of regions collide or are missing",
        "A region is compiled under its `global_symbol`, which must be its function's name and no "
        "other function's. PartitionGraph counts names up without looking at the functions that "
        "are there already, and modules put together from several have the same names.",
    ),
    "S325": (
        "a composite of another backend",
        'The name of a composite starts with its backend: a region with `Compiler="bmlib"` calls '
        "`bmlib.conv_block`. A codegen finds no kernel for any other name, and AnnotateTarget "
        "silently leaves such composites out.",
    ),
    "S326": (
        "no codegen serves a region",
        "`relay.build` gives a region to the function `relay.ext.NAME`, NAME being its `Compiler`. "
        "The installed TVM has no such function, so it can't build the module. This is only "
        "checked where TVM is at hand. A region that surgery made is served by the backends of the "
        "recipe beside it. `--codegen NAME` says that NAME is there when it is built.",
    ),
    "S327": (
        "annotations of AnnotateTarget are left",
        "The module holds `annotation.compiler_begin` or `compiler_end`: AnnotateTarget has run "
        "and PartitionGraph has not, or other passes ran between and moved them.",
    ),
    "S328": (
        "a composite is not what its pattern says",
        "The ops in a composite are others than those its `PartitionedFromPattern` lists, or in "
        "another order. A pass "
        "has rewritten its inside (SimplifyInference takes a batch_norm apart), or it was edited. "
        "A backend that has a kernel for the name computes something else.",
    ),
    "S329": (
        "parameters that nothing uses",
        "TVM's matcher accepts an operand that is itself an op of the match: in "
        "`add(conv2d(x, w), *)` of `add(y, y)` with `y = conv2d(x, w)` the wildcard is the "
        "convolution. The composite then lacks the convolution, which is computed outside, and "
        "takes x and w without using them. A kernel of its name adds a convolution that isn't "
        "there. Surgery refuses such a site and names the operand. A region that has an argument "
        "without use was edited, or its ops were rewritten after it was made.",
    ),
    "S330": (
        "a composite in no region",
        "MergeComposite made the composite, and AnnotateTarget or PartitionGraph did not put it "
        "into a region: the name of the target isn't the composite's prefix, or the passes did not "
        "run. TVM can't build it: `primitive functions not set on Relay function`.",
    ),
    "S331": (
        "a region that isn't Primitive",
        "A function with `Compiler` needs `Primitive=1`, or TVM's own passes look into it, fuse "
        "and inline its ops, and the backend's code is never called.",
    ),
    "S332": (
        "an empty region",
        "A function with `Compiler` holds no op: it returns one of its arguments or a constant. "
        "Folding or simplifying passes that run after PartitionGraph, or edits, leave such a "
        "shell. Use what it returns in its place and remove the function.",
    ),
}
