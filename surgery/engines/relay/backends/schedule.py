"""A default schedule for tensor expressions: what a compiler may do with any of them.

Elementwise work goes into its one elementwise reader, a reduction computes a strip of its output at
once, so that its innermost loop has no sum in it, and threads share the rest. No sum changes its
order.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
tir = tvm.tir

#: Steps of a loop nest from which threads are worth their start.
_PARALLEL = 1 << 14
#: Sums that run at once at most: as many as the registers hold.
_STRIP = 32

_SPATIAL, _REDUCTION = tir.IterVar.DataPar, tir.IterVar.CommReduce


def scheduled(function: Any) -> Any:
    """Return a PrimFunc that ``te.create_prim_func`` made, its loops arranged, without blocks.

    What can't be arranged (extern calls, scans) stays as it is: each step of a schedule leaves a
    function that computes the same.
    """
    try:
        arranged = _arranged(function)
    except (tvm.TVMError, ValueError):  # of the whole function: nothing but an extern call, say
        arranged = function
    return _without_float_lets(_without_blocks(arranged))


def _arranged(function: Any) -> Any:
    schedule = tir.Schedule(function, debug_mask="none", error_render_level="none")
    root = schedule.get_block("root")
    for block in reversed(schedule.get_child_blocks(root)):
        _attempt(_inline, schedule, block)
    for block in schedule.get_child_blocks(root):
        _attempt(_arrange, schedule, block)
    return schedule.mod["main"]


def _attempt(step: Any, schedule: Any, block: Any) -> None:
    with suppress(tir.ScheduleError):
        step(schedule, block)


def _kinds(schedule: Any, block: Any) -> list[int]:
    return [int(v.iter_type) for v in schedule.get(block).iter_vars]


def _inline(schedule: Any, block: Any) -> None:
    """Compute what is elementwise inside its reader, where nothing is computed twice by that."""
    if not set(_kinds(schedule, block)) <= {_SPATIAL}:
        return
    readers = schedule.get_consumers(block)
    if len(readers) != 1 or not set(_kinds(schedule, readers[0])) <= {_SPATIAL}:
        return
    made, reader = schedule.get(block), schedule.get(readers[0])
    if not isinstance(made.body, tir.BufferStore):
        return
    loads = 0

    def visit(node: Any) -> None:
        nonlocal loads
        loads += isinstance(node, tir.BufferLoad) and node.buffer.same_as(made.body.buffer)

    tir.stmt_functor.post_order_visit(reader.body, visit)
    moved = isinstance(made.body.value, tir.BufferLoad)
    if moved or (loads == 1 and _steps(reader) <= _steps(made)):
        schedule.compute_inline(block)


def _steps(block: Any) -> int:
    steps = 1
    for variable in block.iter_vars:
        steps *= int(variable.dom.extent)
    return steps


def _arrange(schedule: Any, block: Any) -> None:
    """Put one block's loops in order: threads, reduction, a strip of the output."""
    loops = schedule.get_loops(block)
    kinds = _kinds(schedule, block)
    if len(kinds) != len(loops) or not set(kinds) <= {_SPATIAL, _REDUCTION}:
        return
    spatial = [at for at, kind in zip(loops, kinds, strict=True) if kind == _SPATIAL]
    summed = [at for at, kind in zip(loops, kinds, strict=True) if kind == _REDUCTION]
    steps = _steps(schedule.get(block))
    if not steps:
        if summed:  # a sum of nothing is still set to its initial value
            schedule.decompose_reduction(block, summed[0])
        return
    row = spatial.pop() if spatial and (summed or len(spatial) > 1) else None
    if summed and row is not None:
        around, row = schedule.split(row, [None, _strip(int(schedule.get(row).extent))])
        spatial.append(around)
        schedule.reorder(*spatial, *summed, row)
    if spatial and steps >= _PARALLEL:
        schedule.parallel(schedule.fuse(*spatial))
    if summed and row is not None:
        schedule.decompose_reduction(block, summed[0])


def _strip(extent: int) -> int:
    return max(d for d in range(1, min(extent, _STRIP) + 1) if extent % d == 0)


def _without_blocks(function: Any) -> Any:
    """Lower blocks to plain loops, as ``tvm.build`` does first.

    They name the buffers that they read and write, which can't be put right from Python where the
    function is written out on other buffers.
    """
    passes = tvm.tir.transform
    lowering = tvm.transform.Sequential(
        [
            passes.LowerInitBlock(),
            passes.PlanAndUpdateBufferAllocationLocation(),
            passes.ConvertBlocksToOpaque(),
            passes.CompactBufferAllocation(),
            passes.LowerMatchBuffer(),
            passes.LowerOpaqueBlock(),
        ]
    )
    return lowering(tvm.IRModule({"main": function}))["main"]


def _without_float_lets(function: Any) -> Any:
    """Keep what a statement names (``argmax`` its running maximum) in memory.

    LLVM refuses the debug information that TVM writes for a named number that isn't an integer.
    """

    def rewrite(statement: Any) -> Any:
        if "float" not in str(statement.var.dtype):
            return None
        buffer = tir.decl_buffer((1,), statement.var.dtype, statement.var.name)
        body = tir.stmt_functor.substitute(
            statement.body, {statement.var: tir.BufferLoad(buffer, [0])}
        )
        stored = tir.SeqStmt([tir.BufferStore(buffer, statement.value, [0]), body])
        always = tir.const(True, "bool")
        return tir.Allocate(buffer.data, buffer.dtype, [1], always, tir.DeclBuffer(buffer, stored))

    body = tir.stmt_functor.ir_transform(function.body, None, rewrite, ["tir.LetStmt"])
    return function.with_body(body)
