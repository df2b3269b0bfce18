"""What the installed TVM brings for backends: codegens, and pattern tables with predicates."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Collection
from typing import Any

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.relay.dataflow import DFPattern, Inexpressible, express, unset_attribute
from surgery.engines.relay.failure import engine_error
from surgery.engines.relay.matching import native_sites
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.tvm_import import tvm
from surgery.planning.tables import PatternTable, TablePattern, TableSite

#: Where TVM keeps its backends' tables.
_PACKAGE = "tvm.relay.op.contrib"


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
    package = importlib.import_module(_PACKAGE)
    register = importlib.import_module(f"{_PACKAGE}.register")
    shipped = [m.name for m in pkgutil.iter_modules(package.__path__)]
    # TVM imports most of its own tables by itself; cublas and cudnn only when asked to.
    if register.get_pattern_table(name) is None and name in shipped:
        _imported(name)
    entries = register.get_pattern_table(name)
    if entries is None:
        for module in shipped:
            _imported(module)
        known = sorted(str(n) for n in register._PATTERN_TABLES)
        raise _no_table(name, known, shipped=name in shipped)
    return PatternTable(
        name=name,
        patterns=tuple(_entry(name, at, entry, model) for at, entry in enumerate(entries)),
    )


def _imported(module: str) -> None:
    """Import a module of TVM's backends, which registers its table, where that is possible."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module(f"{_PACKAGE}.{module}")
        except Exception:  # its backend isn't there: then neither is its table
            return


def _no_table(name: str, known: list[str], *, shipped: bool) -> SurgeryError:
    close = nearest(name, known)
    remedy = (
        "register it before (`tvm.relay.op.contrib.register.register_pattern_table`), or write the "
        "patterns"
    )
    reason = f"TVM has registered {', '.join(known) or 'none'}."
    ops = _annotated_ops(name)
    if ops:
        shown = ", ".join(ops[:3]) + (", ..." if len(ops) > 3 else "")
        reason = (
            f"TVM annotates {len(ops)} single ops for {name} (`target.{name}`: {shown}), for a "
            f"codegen that takes ops, not composites. {reason}"
        )
        remedy = f"name the ops: `offload pattern {ops[0]} to {name}`"
    elif shipped:
        reason = f"TVM's backend {name} marks ops in another way than by patterns. {reason}"
        remedy = f"write the patterns: `offload pattern P to {name}`"
    elif close:
        remedy = f"did you mean {' or '.join(close)}?"
    return error("S340", f"there is no pattern table {name}", reason=reason, remedy=remedy)


def _annotated_ops(name: str) -> list[str]:
    """Return the ops that TVM's AnnotateTarget takes one by one for a backend."""
    ops = tvm().ir.Op
    key = f"target.{name}"
    found = map(ops.get, ops.list_op_names())
    # `has_attr` says whether any op has one, `get_attr` whether this one has.
    return sorted(str(o.name) for o in found if o.has_attr(key) and o.get_attr(key) is not None)


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
            sites=_native(name, pattern, model),
            check=check,
            unsaid=str(unsaid),
        )


def _native(name: str, pattern: DFPattern, model: RelayModel) -> Callable[[str], list[TableSite]]:
    def fails(reason: str) -> SurgeryError:
        return error(
            "S344",
            f"TVM's matcher fails on {name}",
            reason=reason,
            remedy="write the pattern: `offload pattern P to B`",
        )

    def sites(function: str) -> list[TableSite]:
        unset = unset_attribute(pattern)
        if unset:
            raise fails(f"It asks for {unset}=None, which ends TVM's process with a segfault.")
        try:
            return native_sites(pattern, model, function)
        except Exception as failure:
            raise fails(engine_error(failure)[:200]) from failure

    return sites


def _bound(predicate: Callable[[Any], Any], model: RelayModel) -> Callable[[str, int], str]:
    """Return a table's predicate as a function of where a site ends."""

    def check(function: str, root: int) -> str:
        # TVM gives it the matched expression as it stands in the model, before it is taken out.
        try:
            taken = bool(predicate(model.exprs[function][root]))
        except Exception as failure:
            said = engine_error(failure)[:200]
            return f"the table's predicate raises {type(failure).__name__}: {said}"
        return "" if taken else "the table's predicate refuses it"

    return check
