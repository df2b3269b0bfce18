"""What is known about ops by name, engine-neutral: short names, classes, roles, attributes.

Names are Relay's. An op that isn't in the table (a newer one, a user's own) is not an error here:
callers pass the ops that a model really has where that matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Final

from surgery.diagnostics import nearest
from surgery.graph.graph import Graph
from surgery.graph.op_table import ATTRS, OPS, REQUIRED

#: Every op of Relay in TVM 0.19.
KNOWN_OPS: Final[frozenset[str]] = frozenset(OPS)

_ALIASES: Final = {
    "bn": "nn.batch_norm",
    "ln": "nn.layer_norm",
    "fc": "nn.dense",
    "bmm": "nn.batch_matmul",
    "mul": "multiply",
    "sub": "subtract",
    "div": "divide",
    "pow": "power",
    "neg": "negative",
    "concat": "concatenate",
    "flatten": "nn.batch_flatten",
}
#: What other frameworks call ops by, which spelling leads nowhere near; to suggest, not to read.
_CALLED_ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "gemm": ("nn.dense", "nn.matmul"),
    "linear": ("nn.dense", "nn.matmul"),
    "fully_connected": ("nn.dense",),
    "inner_product": ("nn.dense",),
    "mm": ("nn.matmul", "nn.batch_matmul"),
    "convolution": ("nn.conv2d", "nn.conv1d", "nn.conv3d"),
    "relu6": ("clip",),
    "hardtanh": ("clip",),
    "permute": ("transpose",),
    "view": ("reshape",),
}
# Of several ops with one short name, the one of the first of these families is meant.
_FAMILIES: Final = ("nn", "image", "vision", "qnn", "random", "annotation")

# Make a value out of nothing but a shape: not computed from what they are given.
_CREATORS: Final = frozenset(
    n
    for n in OPS
    if n.rsplit(".", 1)[-1] in ("full", "full_like", "ones", "ones_like", "zeros", "zeros_like")
)
_RESHAPING: Final = frozenset(
    {"broadcast_to", "broadcast_to_like", "dyn.broadcast_to", "expand_dims", "repeat", "tile"}
)

#: One result element from the elements at the same place, operands broadcast: what users mean by
#: "elementwise". TVM calls ``add`` or ``nn.bias_add`` *broadcast*, which is included.
ELEMENTWISE: Final = (
    frozenset(n for n, (_, kind, _) in OPS.items() if kind in "eb") - _CREATORS - _RESHAPING
) | {
    "hardswish", "qnn.abs", "qnn.erf", "qnn.exp", "qnn.hardswish", "qnn.leaky_relu", "qnn.log",
    "qnn.rsqrt", "qnn.sigmoid", "qnn.sqrt",
}  # fmt: skip
#: Elementwise, and the ops that only repeat elements along new dimensions.
BROADCAST: Final = ELEMENTWISE | _RESHAPING
#: Every result element is made from one element of each operand: broadcast and data movement.
INJECTIVE: Final = BROADCAST | frozenset(n for n, (_, kind, _) in OPS.items() if kind == "i")

#: Names of classes of ops that a pattern may use in place of an op.
OP_CLASSES: Final[Mapping[str, frozenset[str]]] = {
    "elementwise": ELEMENTWISE,
    "broadcast": BROADCAST,
    "injective": INJECTIVE,
}

#: Ops whose first result is the one that goes on; the others are for training.
FIELD0_OPS: Final = frozenset({"nn.batch_norm", "nn.dropout"})

#: Two operands may change places without changing the result.
COMMUTATIVE_OPS: Final = frozenset(
    {
        "add", "multiply", "maximum", "minimum", "equal", "not_equal", "logical_and", "logical_or",
        "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
    }
)  # fmt: skip

#: Identities that only tell a compiler something.
ANNOTATION_OPS: Final = frozenset(
    {
        "annotation.stop_fusion", "annotation.cast_hint", "annotation.checkpoint",
        "annotation.compiler_begin", "annotation.compiler_end", "annotation.with_funcid",
        "annotation.bitpack_start", "annotation.bitpack_end", "on_device", "device_copy", "copy",
    }
)  # fmt: skip

#: Left behind by TVM's AnnotateTarget: a model that has them was partitioned half-way.
PARTITION_MARKS: Final = frozenset({"annotation.compiler_begin", "annotation.compiler_end"})

#: Take one operand that is a tuple of any length.
TUPLE_OPERAND_OPS: Final = frozenset(
    {"adv_index", "concatenate", "einsum", "meshgrid", "qnn.concatenate", "stack"}
)

_LOOK_ALIKE_GROUPS: Final = (
    ("nn.dense", "nn.matmul", "nn.batch_matmul", "nn.contrib_dense_pack", "nn.sparse_dense",
     "qnn.dense", "qnn.batch_matmul"),
    ("add", "nn.bias_add"),
    ("add", "qnn.add"),
    ("subtract", "qnn.subtract"),
    ("multiply", "qnn.mul"),
    ("nn.relu", "clip", "nn.leaky_relu", "nn.prelu"),
    ("nn.leaky_relu", "qnn.leaky_relu"),
    tuple(n for n in OPS if re.match(r"(q?nn)\.(contrib_)?(depthwise_|deformable_)?conv\dd", n)
          and "transform" not in n.replace("without_weight_transform", "") and "backward" not in n),
    ("nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", "nn.avg_pool1d", "nn.avg_pool2d",
     "nn.avg_pool3d", "qnn.avg_pool2d"),
    ("nn.global_avg_pool2d", "nn.global_max_pool2d", "nn.adaptive_avg_pool2d",
     "nn.adaptive_max_pool2d"),
    ("nn.softmax", "nn.fast_softmax", "nn.log_softmax", "qnn.softmax"),
    ("nn.batch_norm", "nn.layer_norm", "nn.group_norm", "nn.instance_norm"),
    ("tanh", "fast_tanh", "qnn.tanh"),
    ("exp", "fast_exp", "qnn.exp"),
    ("erf", "fast_erf", "qnn.erf"),
    ("sigmoid", "qnn.sigmoid"),
    ("reshape", "nn.batch_flatten", "squeeze", "expand_dims", "contrib_reverse_reshape"),
    ("transpose", "layout_transform"),
    ("qnn.quantize", "qnn.requantize", "qnn.dequantize"),
)  # fmt: skip

#: For an op the ops that do nearly the same, so are easily taken for it.
LOOK_ALIKES: Final[Mapping[str, frozenset[str]]] = {
    op: frozenset(other for group in _LOOK_ALIKE_GROUPS if op in group for other in group) - {op}
    for op in {op for group in _LOOK_ALIKE_GROUPS for op in group}
}

_QNN_BINARY: Final = (
    "lhs", "rhs", "lhs_scale", "lhs_zero_point", "rhs_scale", "rhs_zero_point",
    "output_scale", "output_zero_point",
)  # fmt: skip
_QNN_UNARY: Final = (
    "data", "input_scale", "input_zero_point", "output_scale", "output_zero_point",
)  # fmt: skip
_QNN_WEIGHTED: Final = (
    "data", "weight", "input_zero_point", "kernel_zero_point", "input_scale", "kernel_scale",
)  # fmt: skip

_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "nn.bias_add": ("data", "bias"),
    "nn.batch_norm": ("data", "gamma", "beta", "moving_mean", "moving_var"),
    "nn.layer_norm": ("data", "gamma", "beta"),
    "nn.group_norm": ("data", "gamma", "beta"),
    "nn.instance_norm": ("data", "gamma", "beta"),
    "nn.prelu": ("data", "alpha"),
    "nn.pad": ("data", "pad_value"),
    "nn.matmul": ("lhs", "rhs"),
    "nn.batch_matmul": ("lhs", "rhs"),
    "nn.dense": ("data", "weight"),
    **dict.fromkeys(("qnn.add", "qnn.subtract", "qnn.mul"), _QNN_BINARY),
    # In the order of the calls: TVM registers other names for some of them.
    **dict.fromkeys(
        ("qnn.dense", "qnn.contrib_dense_pack", "qnn.conv2d", "qnn.conv2d_transpose"),
        _QNN_WEIGHTED,
    ),
    "qnn.batch_matmul": (
        "lhs", "rhs", "lhs_zero_point", "rhs_zero_point", "lhs_scale", "rhs_scale",
    ),
    **dict.fromkeys(
        (
            "qnn.requantize", "qnn.avg_pool2d", "qnn.softmax", "qnn.abs", "qnn.erf", "qnn.exp",
            "qnn.hardswish", "qnn.leaky_relu", "qnn.log", "qnn.rsqrt", "qnn.sigmoid", "qnn.sqrt",
            "qnn.tanh",
        ),
        _QNN_UNARY,
    ),
    "qnn.concatenate": (
        "data", "input_scales", "input_zero_points", "output_scale", "output_zero_point",
    ),
    "qnn.quantize": ("data", "output_scale", "output_zero_point"),
    "qnn.dequantize": ("data", "input_scale", "input_zero_point"),
    "qnn.simulated_quantize": ("data", "out_dtype", "output_scale", "output_zero_point"),
    "qnn.simulated_dequantize": ("data", "in_dtype", "input_scale", "input_zero_point"),
    "take": ("data", "indices"),
    "gather": ("data", "indices"),
    "gather_nd": ("data", "indices"),
    "where": ("condition", "x", "y"),
}  # fmt: skip


def canonical_op(alias: str, known: Iterable[str] = KNOWN_OPS) -> list[str]:
    """Return the op that a name stands for.

    Args:
        alias: A full name (``nn.conv2d``), a short one (``conv2d``, ``requantize``), or a usual
            abbreviation (``bn``).
        known: The full names there are.

    Returns:
        One name when the alias is clear, several candidates when it isn't (``conv``), none when
        nothing is called so.
    """
    names = known if isinstance(known, (frozenset, set)) else frozenset(known)
    if alias in names:
        return [alias]
    if alias in _ALIASES and _ALIASES[alias] in names:
        return [_ALIASES[alias]]
    for family in _FAMILIES:
        if f"{family}.{alias}" in names:
            return [f"{family}.{alias}"]
    tails = sorted(n for n in names if n.rsplit(".", 1)[-1] == alias)
    if tails:
        return tails
    numbered = re.compile(rf"(?:.*\.)?{re.escape(alias)}\d+d")
    return sorted(n for n in names if numbered.fullmatch(n) and not n.startswith("dyn."))


def nearest_ops(alias: str, known: Iterable[str] = KNOWN_OPS, limit: int = 3) -> list[str]:
    """Return the ops whose full or short name is closest to a misspelt one, best first."""
    full: dict[str, str] = {}
    for name in sorted(known):
        full.setdefault(name.rsplit(".", 1)[-1], name)
        full.setdefault(name, name)
    full.update((k, v) for k, v in _ALIASES.items() if v in full.values())
    names = set(full.values())
    found = [n for n in _CALLED_ELSEWHERE.get(alias.lower(), ()) if n in names]
    # `pool` and `norm` are words of many names, which spelling alone doesn't put first.
    word = re.compile(rf"(?:.*_)?{re.escape(alias.lower())}(?:\d+d)?(?:_.*)?")
    having = {n for n in names if word.fullmatch(n.rsplit(".", 1)[-1])}
    found += sorted(having, key=lambda n: (not n.startswith("nn."), n.count("_"), n))
    if len(found) < limit:
        found += [full[n] for n in nearest(alias, full, limit)]
    return list(dict.fromkeys(found))[: max(limit, 6 if having else 0)]


@cache
def _glob(glob: str) -> frozenset[str]:
    return frozenset(n for n in KNOWN_OPS if fnmatchcase(n, glob))


def ops_of(glob: str) -> frozenset[str]:
    """Return the known ops that a glob (``nn.*``) names."""
    return _glob(glob)


def is_injective(op: str) -> bool:
    """Return whether an op is elementwise, broadcast or data movement: what a compiler fuses."""
    return op in INJECTIVE


def operand_count(op: str) -> int | None:
    """Return how many operands an op takes, ``None`` when that is unknown or varies."""
    if op in TUPLE_OPERAND_OPS or op not in OPS or OPS[op][0] < 0:
        return None
    return OPS[op][0]


def leading_operands(op: str) -> int | None:
    """Return how many operands of an op a pattern must write; the rest are its parameters.

    A normalisation's statistics and a quantised op's scales may be left out: ``bn(x)``.
    """
    count = operand_count(op)
    roles = _ROLES.get(op, ())
    if op.startswith("qnn.") and count is not None:
        return sum(not is_quantisation(role) for role in roles)
    return 1 if "gamma" in roles else count


def operand_role(op: str, index: int) -> str:
    """Return the usual name of an operand (``weight`` for 1 of ``nn.conv2d``) or ''."""
    roles = _ROLES.get(op)
    if roles is None:
        if op in LOOK_ALIKES["nn.conv2d"] or op == "nn.conv2d" or op in LOOK_ALIKES["nn.dense"]:
            roles = ("data", "weight")
        elif operand_count(op) == 1:
            roles = ("data",)
        elif operand_count(op) == 2 and op in ELEMENTWISE:
            roles = ("lhs", "rhs")
        else:
            roles = ()
    return roles[index] if index < len(roles) else ""


def is_quantisation(role: str) -> bool:
    """Return whether an operand of this role is a scale or a zero point (or a tuple of them)."""
    return role.removesuffix("s").endswith(("scale", "zero_point"))


def attribute_names(op: str) -> frozenset[str] | None:
    """Return the attributes an op has, ``None`` when the op is unknown."""
    if op not in OPS:
        return None
    return frozenset(ATTRS.get(OPS[op][2], ()))


class Missing:
    """Stands for the value of an attribute that an op hasn't got."""


MISSING: Final = Missing()


def attribute(graph: Graph, id_: int, name: str) -> object:
    """Return an attribute of a call; its default where the model's text leaves it out.

    Returns:
        :data:`MISSING` where the op has no such attribute.
    """
    attrs = graph.attrs[id_]
    if name in attrs:
        return attrs[name]
    op = graph.ops[id_]
    default = ATTRS.get(OPS[op][2], {}).get(name, MISSING) if op in OPS else MISSING
    return MISSING if default is REQUIRED else default
