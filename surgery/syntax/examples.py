"""The right form of every statement, for messages."""

from __future__ import annotations

#: The right form of each statement, shown as remedy; its keys are all that begins a statement.
EXAMPLES = {
    "model": 'model "bert.json" params "bert.params"',
    "include": 'include "other.surgery"',
    "let": "let hidden = last(layer_._3)",
    "pattern": "pattern conv_block = conv2d>bias_add>relu",
    "output": "output %42 as mask",
    "cut": "cut after layer_._3",
    "share": "share %9 by recompute",
    "recompute": "recompute constants",
    "offload": "offload pattern conv2d>bias_add>relu to bmlib",
    "keep": "keep op nn.softmax on host",
    "prefer": "prefer conv_block over conv_relu",
    "backend": "backend bmlib { via tvm }",
    "replace": "replace pattern relu(x:*) with clip{a_min=0, a_max=6}(x)",
    "remove": "remove op nn.dropout",
    "insert": "insert nn.relu(*) after %5",
    "set": "set %5.axis = 1",
    "cast": "cast op nn.dense to float16",
    "rename": "rename %5 as hidden",
    "extract": "extract from input x to %42 as encoder",
    "bind": "bind x: float32(1,128)",
    "prepare": "prepare SimplifyInference, FoldConstant",
    "build": 'build target "llvm" opt 3',
    "stage": 'stage 0 on "llvm" threads 2',
    "verify": "verify seed 0 rtol 1e-4",
    "pipeline": "pipeline on threads",
}
SELECTOR_EXAMPLE = '%42, layer_._3, "*/attention/*", op nn.softmax, first(layer_._3)'
PATTERN_EXAMPLE = "conv2d>bias_add>relu, relu(add(conv2d(x:*, const), *))"
