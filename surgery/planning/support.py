"""The fixed order of a spec's statements, what of them is carried out, and the simple ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surgery.diagnostics import Collector, Diagnostic
from surgery.planning.model import PlannedBackend, Region
from surgery.syntax import ast

#: load -> bind -> prepare -> edit -> output -> offload -> cut -> build -> verify -> pipeline.
_PHASES: tuple[tuple[type[ast.Syntax], ...], ...] = (
    (ast.Model, ast.Include),
    (ast.Let, ast.PatternDef, ast.Backend),
    (ast.BindParams, ast.BindInput),
    (ast.Prepare,),
    (ast.Replace, ast.Remove, ast.Insert, ast.SetAttr, ast.Cast, ast.Rename),
    (ast.Output, ast.OutputDrop, ast.OutputRename),
    (ast.Offload, ast.Keep, ast.Prefer),
    (ast.Cut, ast.CutInto, ast.Share, ast.Recompute),
    (ast.Extract,),
    (ast.Build, ast.StageOn),
    (ast.Verify,),
    (ast.Pipeline,),
)
_RANK = {kind: rank for rank, kinds in enumerate(_PHASES) for kind in kinds}

_LATER: dict[type[ast.Syntax], str] = {
    ast.Replace: "leave it out",
    ast.Remove: "leave it out",
    ast.Insert: "leave it out",
    ast.SetAttr: "leave it out",
    ast.Cast: "leave it out",
    ast.Rename: "name the value where it is an output: `output S as NAME`",
    ast.Extract: "use `output only S` and `cut` meanwhile",
}


def phase_order(statements: Sequence[ast.Statement]) -> tuple[ast.Statement, ...]:
    """Return statements in the order of the phases; within a phase the file's order stays."""
    return tuple(sorted(statements, key=lambda s: _RANK[type(s)]))


def refuse_unsupported(
    statements: Sequence[ast.Statement], texts: Sequence[str], found: Collector
) -> None:
    """Record an error for every statement or option that this version does not carry out."""
    for statement, text in zip(statements, texts, strict=True):
        remedy = _LATER.get(type(statement))
        if remedy is not None:
            found.add(
                Diagnostic(
                    code="S250",
                    message=f"`{text}` is not supported yet",
                    span=statement.span,
                    reason="This version of surgery reads it but has no surgery for it.",
                    remedy=remedy,
                )
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What happens to a model before selectors are resolved: ``bind`` and ``prepare``."""

    inputs: tuple[ast.BindInput, ...]
    params: tuple[ast.BindParams, ...]
    passes: tuple[tuple[str, tuple[ast.Value, ...]], ...]

    @property
    def is_empty(self) -> bool:
        return not (self.inputs or self.params or self.passes)


def preparation(spec: ast.Spec) -> Preparation:
    """Collect a spec's ``bind`` and ``prepare`` statements."""
    return Preparation(
        inputs=tuple(s for s in spec.statements if isinstance(s, ast.BindInput)),
        params=tuple(s for s in spec.statements if isinstance(s, ast.BindParams)),
        passes=tuple(
            (call.name, call.arguments)
            for s in spec.statements
            if isinstance(s, ast.Prepare)
            for call in s.passes
        ),
    )


def _declared(statements: Sequence[ast.Statement]) -> dict[str, ast.Backend]:
    return {s.name: s for s in statements if isinstance(s, ast.Backend)}


def planned_backends(
    statements: Sequence[ast.Statement], regions: Sequence[Region]
) -> tuple[PlannedBackend, ...]:
    """Return the backends that are declared, then those that regions name without."""
    declared = _declared(statements)
    names = dict.fromkeys([*declared, *(r.backend for r in regions)])
    return tuple(
        PlannedBackend(
            name=name,
            kind=declared[name].kind,
            source=declared[name].source,
            library=declared[name].library,
            options=declared[name].options,
        )
        if name in declared
        else PlannedBackend(name=name, kind="tvm", implicit=True)
        for name in names
    )


def note_implicit_backends(
    statements: Sequence[ast.Statement], regions: Sequence[Region], found: Collector
) -> None:
    """Say which backends are TVM itself because no statement declares them."""
    declared = _declared(statements)
    for name in dict.fromkeys(r.backend for r in regions):
        if name not in declared:
            found.add(
                Diagnostic(
                    code="S288",
                    severity="note",
                    message=f"no `backend {name}` is declared: its regions are built by TVM "
                    f"itself (`backend {name} {{ via tvm }}`)",
                )
            )
