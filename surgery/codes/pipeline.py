"""Explanations of S564-S566 and S572-S579: stages that run as a pipeline."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S564": (
        "Ray is not installed",
        "A pipeline `on ray` runs each stage in a Ray actor, on any machine of a cluster. Ray is "
        "an extra: `pip install 'surgery[ray]'`, on this machine and on each of the cluster's. One "
        "machine alone needs none: `surgery run OUT --on processes`, or `--on threads`.",
    ),
    "S565": (
        "no Ray cluster",
        "The cluster that `--address` (`address=`) or RAY_ADDRESS names can't be reached, or none "
        "could be started on this machine, where neither names one. `ray start --head` starts one "
        "and prints its address, HOST:PORT; `auto` finds one that runs on this machine. Python and "
        "Ray must be of the same versions here and there. A process is connected to one cluster at "
        "a time.",
    ),
    "S566": (
        "a machine of the cluster can't run a stage",
        "Ray placed a stage on a machine that lacks surgery or its compiler, has other versions of "
        "them than the stages were built with, or is of another kind than the stage's library is "
        "for. The machine is named. Install the same `surgery[relay,ray]` on each machine of the "
        "cluster; build stages for the machines there are.",
    ),
    "S572": (
        "a worker of a stage was lost",
        "The process or actor that ran a stage ended while it was at work: killed by a signal, by "
        "the system for want of memory (SIGKILL), crashed in a kernel (SIGSEGV, SIGABRT), or its "
        "machine went away. The stage and the item it was at are named; results of the items "
        "before it were delivered. With `--retries N` (`retries=N`) the worker is started again "
        "and the item tried again, up to N times: example `surgery run OUT --inputs x.npz --on "
        "processes --retries 2`. A kernel that crashes on the values of an item does so each time. "
        "A comparison (`verify`, `apply --verify`) runs stages that have kernels of a backend `via "
        "c`, `via te` or `builtin` in processes too, so that a kernel that crashes is said, and no "
        "half folder is left; look for pointers, sizes and layouts that the kernel takes for "
        "others than the recipe says.",
    ),
    "S573": (
        "a worker of a stage does not start",
        "The process or actor that is to run a stage ended, or said nothing for two minutes, "
        "before it was ready. Why is given where it could still say so. It starts the same Python "
        "with the same import path; if `surgery run OUT --on threads` works, look for what differs "
        "in the environment (memory limits, an import path set up by hand).",
    ),
    "S574": (
        "a stage takes too long",
        "A stage was at one item for longer than `--timeout` (`timeout=`) allows: a kernel hangs, "
        "or the limit is below what the stage needs under load. A process or actor is ended and, "
        "with `--retries`, started again. A thread can't be ended: the run ends and the thread "
        "stays behind until its kernel returns; use `--on processes` where kernels may hang.",
    ),
    "S575": (
        "a runner used after it was closed",
        "`surgery.open(...)` gives a runner whose workers live until `close()` or the end of its "
        "`with` block; after that it runs nothing, and a `map` that was under way ends with this "
        "error. Use it inside the block, or open another.",
    ),
    "S576": (
        "no memory for the pipeline",
        "A pipeline keeps all values of each item in flight in memory it takes at the start: "
        "`depth` times the number of stages of them. The system refused that much. Give a smaller "
        "`--depth`, or more memory.",
    ),
    "S577": (
        "a value without a fixed size",
        "Between processes values go through shared memory at fixed places, so their sizes must be "
        "known. A shape of this recipe has an extent that isn't static. Fix it in the spec with "
        "`bind x: float32(1,128)`, or run the stages `--on threads`.",
    ),
    "S578": (
        "a pipeline that can't be",
        "An option of the pipeline has a value that makes no sense for this recipe or machine: a "
        "depth below 1, threads or CPUs for another number of stages than the recipe has, a CPU "
        "that this process may not use. Example: `surgery run OUT --threads 1,1` is for a recipe "
        "of two stages.",
    ),
    "S579": (
        "a stream of inputs that can't be read",
        "Many items come from one .npz whose arrays have one axis more than the model's inputs (a "
        "leading axis of items, the same length in each), or numbered arrays (x_0, x_1, ...), or "
        "from a folder of .npz files of one item each. What was given is neither, or arrays "
        "disagree on how many items there are.",
    ),
}
