"""Weights of a converted model under the names that their framework has for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from surgery.engines.relay.tvm_import import tvm


def rename_weights(
    module: Any, params: Mapping[str, Any], name_of: Callable[[Any], str]
) -> tuple[Any, dict[str, Any]]:
    """Return ``main`` alone with its weights called otherwise, and them by these names.

    Args:
        module: What TVM's importer returned.
        params: Its weights by TVM's names.
        name_of: Gives a weight's variable its name; those given the same are one weight.
    """
    relay = tvm().relay
    main = module["main"]
    values: dict[Any, Any] = {}
    weights: dict[str, Any] = {}
    first: dict[str, Any] = {}
    variables = []
    for old in main.params:
        own = str(old.name_hint)
        if own not in params:
            variables.append(old)
            continue
        name = name_of(old)
        if name not in first:
            weights[name] = params[own].numpy()
            span = relay.Span(relay.SourceName(name), 0, 0, 0, 0)
            first[name] = relay.Var(name, old.type_annotation, span)
            variables.append(first[name])
        values[old] = first[name]
    body = relay.bind(main.body, values)
    return tvm().IRModule.from_expr(relay.Function(variables, body)), weights
