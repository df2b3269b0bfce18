"""Codes of targets, formats and executors of single stages."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S243": (
        "no such stage",
        "`stage N on TARGET` names a stage that the plan doesn't have. Stages count from 0; N cuts "
        "make N + 1 stages, and a model that isn't cut has the stage 0 only. `surgery plan` lists "
        "them.",
    ),
    "S244": (
        "not for the AOT executor",
        "TVM's AOT executor compiles a fixed sequence of kernel calls on memory of fixed sizes. It "
        "runs no `if`, no calls of other functions and no values of unknown shape; without "
        "`executor aot` such a stage goes to TVM's VM by itself. It passes offloaded regions "
        "memory that doesn't have their operands' shapes: with regions use `executor graph`.",
    ),
    "S245": (
        "not in the Model Library Format",
        "`build format mlf` describes stages of the graph executor and of the AOT executor. A "
        "stage with control flow or unknown shapes runs in TVM's VM, which the format has no place "
        "for: `format tar` and `format so` do.",
    ),
    "S422": (
        "a stage for another machine",
        "The stage's target is another processor architecture, another operating system, or has "
        "instructions that this processor lacks. It is built all the same, but can't be run, "
        "measured or verified here.",
    ),
    "S423": (
        "foreign code isn't run",
        "A stage is compiled for another machine than this one (the reason says in what). Running "
        "its code would end the process, so that it isn't even loaded. Run the folder where it "
        "belongs (`surgery run` there; `surgery verify` compares), or build it for this machine.",
    ),
    "S424": (
        "no linker for the target",
        "A shared library for another machine is linked by a cross compiler: `CXX` when it is one "
        "for the target, else `TRIPLE-g++`, `-gcc`, `-clang++` on the PATH. There is none. "
        "`build format tar` (or `mlf`) writes the object code itself, which takes no linker here.",
    ),
    "S425": (
        "no such package",
        "A stage for TVM's VM can't be written in the Model Library Format. The recipe was changed "
        "by hand, as plans refuse it (S245).",
    ),
    "S426": (
        "no C compiler for the target",
        "A `via c` backend, or the target `c` in a package, is compiled by a C compiler for the "
        "target: `CC` when it is one, else `TRIPLE-gcc` or `-clang` on the PATH. There is none.",
    ),
    "S427": (
        "more than object code",
        "`format tar` and `format mlf` hold object files, which whoever loads them links without "
        "further arguments. A backend with a prebuilt library or `ldflags` needs `format so`.",
    ),
    "S428": (
        "not as TVM's pipeline executor runs stages",
        "TVM's pipeline executor runs stages of the graph executor from shared libraries, and "
        "feeds each input of the model to one stage only. Where several stages read one input, cut "
        "elsewhere, or let `surgery run` drive the stages, which can do all of it.",
    ),
    "S429": (
        "this TVM has no pipeline executor",
        "The configuration of TVM's pipeline executor was written, but the installed TVM was built "
        "without it (`USE_PIPELINE_EXECUTOR`), as the packages of the `relay` extra are. Load it "
        "with one that has it: `tvm.contrib.pipeline_executor.PipelineModule.load_library`.",
    ),
}
