"""Weights whose names the model doesn't have: a few are a note, all of them another model's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.graph import Graph, TensorType
from surgery.graph.ops import operand_role

if TYPE_CHECKING:
    from surgery.engines.relay.model import NDArray

_SHOWN = 5
#: What ops call operands that hardly anybody computes at run time.
_WEIGHT_ROLES = frozenset(("weight", "bias", "gamma", "beta", "moving_mean", "moving_var"))


def check_names(
    graph: Graph, params: Mapping[str, NDArray], path: str
) -> tuple[list[str], list[str]]:
    """Compare the names of weights with those of a model's parameters.

    Args:
        graph: The model's ``main``.
        params: The weights read.
        path: The weights file, for messages.

    Returns:
        Warnings (what is probably not meant) and notes (what is left out).

    Raises:
        SurgeryError: S512, not one weight is a parameter of the model.
    """
    known = {str(graph.names[i]): graph.types[i] for i in graph.params}
    unknown = [name for name in params if name not in known]
    unfed = [name for name in known if name not in params]
    if not params:
        return [f"{path} holds no weights: every parameter stays a runtime input"], []
    if len(unknown) == len(params):
        raise _none_fits(path, unknown, list(known))
    if known and not unfed:
        listed = _listed(list(known))
        return [f"{path}: every parameter has a value ({listed}): nothing is fed at run time"], []
    meant: dict[str, str] = {}
    notes = []
    for name in unknown:
        close = nearest(name, unfed, 1)
        if close and _is_like(known[close[0]], params[name]):
            meant[close[0]] = name
        else:
            notes.append(name)
    warnings = [
        f"{path}: the model has no parameter '{name}' (nearest: '{close}', of the same type): it "
        f"is left out, and '{close}' is a runtime input"
        for close, name in meant.items()
    ]
    warnings += [
        f"{path}: it has no '{name}', though {use} takes it as a weight: a runtime input now"
        for name, use in _unfed_weights(graph, frozenset(unfed) - meant.keys())
    ]
    return _cut(path, warnings), _left_out(path, notes, known)


def _unfed_weights(graph: Graph, unfed: frozenset[str]) -> list[tuple[str, str]]:
    """Return parameters without a value that only stand where ops take weights, with an op."""
    ids = {id_: str(graph.names[id_]) for id_ in graph.params if str(graph.names[id_]) in unfed}
    uses: dict[int, list[tuple[int, str]]] = {id_: [] for id_ in ids}
    if not ids:
        return []
    for user, operands in enumerate(graph.operands):
        for index, operand in enumerate(operands):
            if operand in uses:
                uses[operand].append((user, operand_role(graph.ops[user], index)))
    return [
        (ids[id_], f"{graph.label(found[0][0])} ({graph.ops[found[0][0]]})")
        for id_, found in uses.items()
        if found and all(role in _WEIGHT_ROLES for _, role in found)
    ]


def _is_like(type_: object, array: NDArray) -> bool:
    shape = tuple(int(d) for d in array.shape)
    return isinstance(type_, TensorType) and (type_.shape, type_.dtype) == (shape, str(array.dtype))


def _none_fits(path: str, given: Sequence[str], known: Sequence[str]) -> SurgeryError:
    affix = _affix(given, known)
    shown = [(name, nearest(name, known, 1)) for name in given[:_SHOWN]]
    return error(
        "S512",
        f"{path}: none of its {len(given)} weights is a parameter of the model",
        reason=affix
        or f"it holds {_listed(given)}; the model's parameters are {_listed(known) or 'none'}",
        remedy="rename the weights, or the parameters before the model is saved"
        if affix
        else "give the params file that was saved together with this model; leave it out where "
        "the weights are constants of the model already",
        notes=[f"'{name}': nearest is '{close[0]}'" for name, close in shown if close],
    )


def _affix(given: Sequence[str], known: Sequence[str]) -> str:
    """Say by what the names of one side are longer throughout, '' if by nothing."""
    found: Counter[tuple[str, str, str]] = Counter()
    for names, others, whose in ((given, known, "the file's"), (known, given, "the model's")):
        # Longest first: of `a.weight` and `weight`, `x.a.weight` means the first.
        pool = sorted(others, key=len, reverse=True)[:2000]
        for name in names[:50]:
            for other in pool:
                if len(name) > len(other) and name.endswith(other):
                    found[whose, "begin", name[: -len(other)]] += 1
                    break
                if len(name) > len(other) and name.startswith(other):
                    found[whose, "end", name[len(other) :]] += 1
                    break
    if not found:
        return ""
    (whose, where, text), count = found.most_common(1)[0]
    if count * 2 <= min(len(given), len(known), 50):
        return ""
    return f"{whose} names {where} with '{text}', the other side's don't"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"'{n}'" for n in names[:_SHOWN]) + more


def _cut(path: str, told: list[str]) -> list[str]:
    if len(told) <= _SHOWN:
        return told
    more = f"{path}: so it is with {len(told) - _SHOWN} more weights"
    return [*told[:_SHOWN], more]


def _left_out(path: str, unknown: Sequence[str], known: Iterable[str]) -> list[str]:
    pool = list(known)
    notes = []
    for name in unknown[:_SHOWN]:
        close = nearest(name, pool, 1)
        hint = f" (nearest: '{close[0]}')" if close else ""
        notes.append(f"{path}: the model has no parameter '{name}'{hint}; it is left out")
    if len(unknown) > _SHOWN:
        notes.append(f"{path}: {len(unknown) - _SHOWN} more arrays are no parameters of the model")
    return notes
