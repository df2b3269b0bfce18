"""What the installed TVM brings for backends: codegens."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from surgery.engines.relay.tvm_import import tvm


def codegens(names: Collection[str]) -> frozenset[str]:
    """Return which backends the installed TVM can compile a region for."""
    module = tvm()
    return frozenset(
        name
        for name in names
        if module.get_global_func(f"relay.ext.{name}", allow_missing=True) is not None
        or _has_own_passes(module, name)
    )


def _has_own_passes(module: Any, name: str) -> bool:
    """Return whether a backend is a target that lowers its regions itself (``RelayToTIR``)."""
    if name not in {str(kind) for kind in module.target.Target.list_kinds()}:
        return False
    external = module.target.Target(name).get_kind_attr("is_external_codegen")
    return bool(external)
