"""What the codes of backends mean: the kernels that regions are given to."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S240": (
        "a backend statement is incomplete",
        'Each kind of backend needs what its kernels come from: `via te "lowerings.py"`, '
        '`via c "bmlib.c"`, `via c "bmlib.h"; library "libbmlib.so"`, `via builtin NAME`; '
        "`via tvm` and `via packed` need nothing. A header alone has no kernels in it, so it "
        "needs a library. Options are `merge`, and `cflags` and `ldflags` of a C backend.",
    ),
    "S241": (
        "a spec runs Python code",
        "The lowerings of a `via te` backend are Python code, run with your rights when a stage is "
        "compiled. Surgery runs it only when it is told so: `--allow-code` on the command line, "
        "`allow_code=True` in Python. Read the file first when the spec isn't yours. A plan only "
        "says that code would be run; running a built library runs none.",
    ),
    "S242": (
        "no such installed lowerings",
        "`via te NAME` names an entry point of the group `surgery.backends` that an installed "
        "package brings: a module of lowerings. `via te` with a file needs its `.py`.",
    ),
    "S419": (
        "no such codegen in this TVM",
        "`via builtin NAME` hands regions to the codegen `relay.ext.NAME` that the installed TVM "
        "has registered. Which ones exist depends on how TVM was built: the packages of the "
        "`relay` extra come without any.",
    ),
    "S460": (
        "a C file doesn't compile",
        "The source or header of a `via c` backend doesn't compile; place and reason are the "
        "compiler's first error. Flags of your own go into the backend: "
        '`backend bmlib { via c "bmlib.c"; cflags="-O2 -march=native" }`. The compiler is `cc`, or '
        "what the variable CC names.",
    ),
    "S461": (
        "a kernel is missing",
        "A region calls a C function that the source or library of its backend doesn't define (or "
        "its header doesn't declare). Kernels are named BACKEND_NAME_kN; `surgery stub SPEC` "
        "writes a header with all of them. A `static` function can't be called from outside, nor "
        "can one of C++ that isn't `extern \"C\"`.",
    ),
    "S462": (
        "a kernel takes other arguments",
        "A C function isn't declared with the parameters that its calls pass. A kernel takes a "
        "pointer to the elements of each operand, in operand order (runtime operands, then "
        "constants), then one for each output, and returns an int32_t: 0 for success. float16, "
        "bfloat16 and bool have several C types: pointers to elements of another size are refused. "
        "The same holds for C++, whose kernels must be `extern \"C\"`.",
    ),
    "S463": (
        "a backend doesn't link",
        "Something that a C backend uses is defined nowhere: name the library that has it, e.g. "
        '`backend bmlib { via c "bmlib.c"; ldflags="-lopenblas" }`. What is missing is found when '
        "the stage is built, not when it is loaded.",
    ),
    "S464": (
        "a file of lowerings can't be loaded",
        "The Python file of a `via te` backend has a syntax error, or fails while it is imported. "
        "Files beside it that it imports are copied into the output folder with it; other modules "
        "must be installed.",
    ),
    "S465": (
        "a lowering is missing",
        "A `via te` backend needs one Python function for each of its composites, of the "
        "composite's name: `def conv_block(call, inputs)` for `bmlib.conv_block`. The name comes "
        "from the pattern (`pattern conv_block = ...`) or from `offload ... as NAME`.",
    ),
    "S466": (
        "a lowering raises",
        "A function of a `via te` backend raised an exception, or computed what can't be compiled. "
        "`inputs` holds a te.Tensor for each operand of the kernel: what the runtime passes, then "
        "the constants; `call` is the composite's Relay call (`call.op.body` holds its ops and "
        "their attributes).",
    ),
    "S467": (
        "a lowering returns something else than its composite",
        "What a function of a `via te` backend returns must have the count, shapes and dtypes of "
        "the composite's outputs: one te.Tensor, or a list of as many as there are outputs. A "
        "common cause is an accumulator of another dtype (cast it: `topi.cast(x, 'int8')`).",
    ),
    "S468": (
        "TVM's own codegen refuses a region",
        "The codegen that `via builtin NAME` names failed. It knows composites by names of its own "
        "(e.g. `dnnl.conv2d_bias_relu`): name the offload so, `offload ... to B as "
        "conv2d_bias_relu`, and offload only what it supports.",
    ),
    "S469": (
        "two libraries of one name",
        "The shared libraries that a prebuilt one needs, from beside it, are copied next to the "
        "exported one and looked up there by their names. Two backends bring different ones of the "
        "same name: rename one (and its SONAME), or link it statically (`library \"libbmlib.a\"`).",
    ),
    "S531": (
        "a file of a backend is missing",
        "A `backend` statement names a file that isn't there, is a folder or may not be read. "
        "Paths are relative to the spec that holds the statement. `surgery stub SPEC` writes the "
        "files to start from.",
    ),
    "S532": (
        "a file of a backend can't be copied",
        "The files of a backend are copied into the output folder, so that it can be built again "
        "on its own. The system refused to read or write one.",
    ),
}  # fmt: skip
