"""A Relay model in memory: TVM's module, its weights and the picture the core works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from surgery.graph import Module

#: TVM ships no types: these names only say what is meant.
IRModule: TypeAlias = Any
Expr: TypeAlias = Any
NDArray: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayModel:
    """A loaded model (an :class:`surgery.engines.base.EngineModel`).

    Attributes:
        path: The file as the user named it, or ``<memory>``.
        sha256: Hash of each file read, by role: ``model``, ``params``.
        ir: The type-checked module; never the caller's own object, never to be changed.
        params: Weights by their original names.
        module: The picture of ``ir``.
        exprs: For each function of ``module`` the Relay expression of each node id (same indices
            as its :class:`~surgery.graph.Graph`); a ``let`` node's expression is its variable.
        notes: What the user should know about how the model was read.
        warnings: What is probably not meant.
        foreign: Which kind of model it was converted from (``ONNX``); ``''`` when from none.
        foreign_values: What that framework calls the result of an op, by the op's source name.
    """

    path: str
    sha256: Mapping[str, str]
    ir: IRModule
    params: Mapping[str, NDArray]
    module: Module
    exprs: Mapping[str, Sequence[Expr]]
    notes: Sequence[str] = field(default=())
    warnings: Sequence[str] = field(default=())
    foreign: str = ""
    foreign_values: Mapping[str, str] = field(default_factory=dict)
