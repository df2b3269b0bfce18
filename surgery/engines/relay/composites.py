"""How a composite function literal names its kernel, and which of its constants is which operand.

A kernel's operands are the composite's parameters, in order, and the constants inside its body:
one ``Constant`` object an operand. The attribute :data:`OPERANDS` tells which is which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay

#: Attribute of a composite: the symbol of the kernel that serves it.
KERNEL = "surgery.kernel"
#: Attribute of a composite: for each operand of its kernel, the place among the body's constants in
#: post-order, or -1 for the next parameter.
OPERANDS = "surgery.operands"


def mark_kernel(composite: Any, kernel: str, operands: Sequence[Any]) -> Any:
    """Return a composite that names its kernel and knows its operands.

    Args:
        composite: A Relay function literal.
        operands: The composite's parameters, in order, and the ``Constant`` objects of its body
            among them, as the kernel takes them.
    """
    place = {c.handle.value: i for i, c in enumerate(_constants(composite))}
    order = [tvm.tir.IntImm("int32", place.get(o.handle.value, -1)) for o in operands]
    return composite.with_attr({KERNEL: kernel, OPERANDS: order})


def kernel_of(composite: Any) -> str:
    """Return the symbol of the kernel that serves a composite."""
    return str(composite.attrs[KERNEL])


def operands_of(composite: Any) -> list[Any]:
    """Return the operands of a composite's kernel: parameters and ``Constant`` objects."""
    found = _constants(composite)
    params = iter(composite.params)
    places = [int(i) for i in composite.attrs[OPERANDS]]
    return [next(params) if place < 0 else found[place] for place in places]


def _constants(composite: Any) -> list[Any]:
    found: list[Any] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Constant):
            found.append(expr)

    relay.analysis.post_order_visit(composite.body, visit)
    return found
