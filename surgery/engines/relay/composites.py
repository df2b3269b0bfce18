"""How a composite function literal names its kernel, and which of its constants is which operand.

A kernel's operands are the composite's parameters in order, then the constants inside its body.
The body holds one ``Constant`` object an operand; the attribute :data:`CONSTANTS` tells where each
is met when the body is visited in post-order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()
relay = tvm.relay

#: Attribute of a composite: the symbol of the kernel that serves it.
KERNEL = "surgery.kernel"
#: Attribute of a composite: for each constant operand, its place among the body's constants.
CONSTANTS = "surgery.constants"


def mark_kernel(composite: Any, kernel: str, constants: Sequence[Any]) -> Any:
    """Return a composite that names its kernel and knows its constants.

    Args:
        composite: A Relay function literal.
        constants: The ``Constant`` objects of its body, in operand order.
    """
    place = {c.handle.value: i for i, c in enumerate(_constants(composite))}
    order = [tvm.tir.IntImm("int32", place[c.handle.value]) for c in constants]
    return composite.with_attr({KERNEL: kernel, CONSTANTS: order})


def kernel_of(composite: Any) -> str:
    """Return the symbol of the kernel that serves a composite."""
    return str(composite.attrs[KERNEL])


def operands_of(composite: Any) -> list[Any]:
    """Return a composite's operands in kernel order: parameters, then ``Constant`` objects."""
    found = _constants(composite)
    return [*composite.params, *(found[int(i)] for i in composite.attrs[CONSTANTS])]


def _constants(composite: Any) -> list[Any]:
    found: list[Any] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, relay.Constant):
            found.append(expr)

    relay.analysis.post_order_visit(composite.body, visit)
    return found
