"""What the installed TVM brings for backends: codegens, and pattern tables with predicates."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection
from typing import Any

from surgery.diagnostics import error, nearest
from surgery.engines.relay.dataflow import DFPattern, Inexpressible, express
from surgery.engines.relay.matching import native_sites
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.tvm_import import tvm
from surgery.planning.tables import PatternTable, TablePattern


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


def pattern_table(name: str, model: RelayModel) -> PatternTable:
    """Return a pattern table that is registered in TVM, its predicates bound to a model.

    Raises:
        SurgeryError: S340 no table has this name, S341 it is no pattern table.
    """
    tvm()
    importlib.import_module("tvm.relay.op.contrib")
    register = importlib.import_module("tvm.relay.op.contrib.register")
    entries = register.get_pattern_table(name)
    if entries is None:
        known = sorted(str(n) for n in register._PATTERN_TABLES)
        close = nearest(name, known)
        raise error(
            "S340",
            f"there is no pattern table {name}",
            reason=f"TVM has registered {', '.join(known) or 'none'}.",
            remedy=f"did you mean {' or '.join(close)}?"
            if close
            else "register it before (`tvm.relay.op.contrib.register.register_pattern_table`), or "
            "write the patterns",
        )
    return PatternTable(
        name=name,
        patterns=tuple(_entry(name, at, entry, model) for at, entry in enumerate(entries)),
    )


def _entry(table: str, at: int, entry: Any, model: RelayModel) -> TablePattern:
    pattern_type = tvm().relay.dataflow_pattern.DFPattern
    if (
        not isinstance(entry, tuple)
        or not 2 <= len(entry) <= 3
        or not isinstance(entry[0], str)
        or not isinstance(entry[1], pattern_type)
        or (len(entry) == 3 and not callable(entry[2]))
    ):
        raise error(
            "S341",
            f"entry {at} of the pattern table {table} is not one",
            reason=f"It is {str(entry)[:80]}; an entry is (name, pattern) or (name, pattern, "
            "predicate).",
            remedy="correct the function that registers the table",
        )
    name, pattern = entry[0], entry[1]
    check = _bound(entry[2], model) if len(entry) == 3 else None
    try:
        return TablePattern(name=name, pattern=express(pattern), check=check)
    except Inexpressible as unsaid:
        return TablePattern(
            name=name,
            pattern=None,
            sites=_native(pattern, model),
            check=check,
            unsaid=str(unsaid),
        )


def _native(pattern: DFPattern, model: RelayModel) -> Any:
    return lambda function: native_sites(pattern, model, function)


def _bound(predicate: Callable[[Any], Any], model: RelayModel) -> Callable[[str, int], str]:
    """Return a table's predicate as a function of where a site ends."""

    def check(function: str, root: int) -> str:
        # TVM gives it the matched expression as it stands in the model, before it is taken out.
        try:
            taken = bool(predicate(model.exprs[function][root]))
        except Exception as failure:
            said = " ".join(str(failure).split())[:200]
            return f"the table's predicate raises {type(failure).__name__}: {said}"
        return "" if taken else "the table's predicate refuses it"

    return check
