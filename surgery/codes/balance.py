"""Codes of balanced cuts."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S275": (
        "a cost that isn't known",
        "`cut into N stages` counts FLOPs and bytes from types, so every live op needs operands "
        "and a result of static shape. Give inputs a shape (`bind x: float32(1,128)`) and the "
        "model with its types. What an op's result decides about its own shape (`unique`, "
        "`argwhere`, a non-maximum suppression) can't be counted: cut with `cut after S`.",
    ),
    "S276": (
        "not so many places",
        "`cut into N stages` needs N - 1 places, each behind an op that costs something. There is "
        "none inside an `if`, a function, an offload site or (`by time`) a group of ops that TVM "
        "fuses, where something other than tensors would cross, or outside of `within`. The spec's "
        "own cuts count among the N - 1. Ask for fewer stages, or widen what keeps places out.",
    ),
    "S277": (
        "cut into one stage",
        "`cut into 1 stages` leaves the model whole.",
    ),
    "S278": (
        "ops whose cost isn't known",
        "docs/costs.md lists what ops cost. An op that isn't there, or whose work depends on "
        "values, is taken as one FLOP an element of its result; loops and calls of function values "
        "as nothing. `cut into N stages by time` measures instead.",
    ),
    "S279": (
        "nothing to measure with",
        "`cut into N stages by time` builds and runs groups of ops. That takes TVM, the whole "
        "model and a target that this machine runs. Balance by flops or bytes otherwise.",
    ),
}
