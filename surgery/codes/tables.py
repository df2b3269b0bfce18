"""Codes of ``offload table NAME``: pattern tables that TVM has registered."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S340": (
        "no such pattern table",
        "`offload table NAME` takes the pattern table that the installed TVM has registered under "
        "NAME: `offload table dnnl`. A table of your own is there once the module that calls "
        "`tvm.relay.op.contrib.register.register_pattern_table` has been imported, which a Python "
        "caller of `surgery.apply` can do. Or write its patterns: `offload pattern P to B`.",
    ),
    "S341": (
        "a pattern table that is none",
        "An entry of a pattern table is a tuple of the composite's name, its pattern and, if there "
        'is one, its predicate: `("bmlib.dense_relu", pattern, check)`. The function that '
        "registers the table gives something else.",
    ),
    "S342": (
        "entries of a pattern table that can never match",
        "A pattern gives an op more or fewer operands than it has: TVM's matcher leaves it out "
        "silently, so the entry has never matched anything. The other entries are not affected. "
        "Write the pattern that was meant: `offload pattern squeeze to tensorrt`.",
    ),
    "S343": (
        "a pattern table without TVM",
        "The patterns of a table and their predicates are TVM's own objects, and predicates look "
        "at TVM's expressions. A listing that is read without TVM, as it lacks its metadata "
        "section or TVM isn't installed, can only be planned with patterns: `offload pattern P to "
        "B`.",
    ),
    "S344": (
        "TVM's matcher fails on an entry of a pattern table",
        "The spec language can't say the entry's pattern, and TVM's own matcher, which then looks "
        "for it, stops with an error: of a pattern that ends with `has_type`, `has_shape` or "
        "`has_dtype` it asks the types of ops, which have none; and an attribute that should be "
        "`None` makes it crash. MergeComposite would fail as a whole; surgery leaves the entry "
        "out. Write the pattern: `offload pattern P to B`.",
    ),
}
