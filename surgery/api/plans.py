"""From a spec and a model to a plan, or to the compiler's own passes."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surgery.api.backends import backend_faults, code_notes
from surgery.api.placing import placed, prepare_error
from surgery.api.reading import ModelLike, Progress, listing_of, locate, parse_spec, silent
from surgery.diagnostics import (
    Collector,
    Diagnostic,
    SurgeryError,
    error,
    in_reading_order,
    nearest,
)
from surgery.engines import get_engine
from surgery.engines.base import Engine, EngineModel
from surgery.engines.runnable import unrunnable
from surgery.graph import Module, TensorType
from surgery.planning import (
    Plan,
    build_plan,
    make_plan,
    plan_json,
    preparation,
    stage_settings,
    unmeasured,
)
from surgery.syntax import ast, load_spec

#: Codes that say that no usable TVM is installed.
_NO_ENGINE = ("S400", "S401", "S402")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A resolved plan, and the prepared model it speaks of (``None`` for a bare listing).

    Attributes:
        loaded: The model before ``bind`` and ``prepare``.
    """

    plan: Plan
    model: EngineModel | None
    engine: Engine | None
    spec: ast.Spec
    loaded: EngineModel | None = None

    def as_json(self) -> dict[str, object]:
        """Return the ``plan.json`` document."""
        return plan_json(self.plan)


def plan(
    spec: ast.Spec,
    *,
    model: ModelLike | None = None,
    params: Any = None,
    base: Path | None = None,
    will_build: bool = False,
    allow_code: bool = False,
    progress: Progress | None = None,
    measure: bool = True,
) -> Planned:
    """Resolve a spec against its model; nothing is changed or written.

    Args:
        model: A path, a loaded model, or an IR module of the engine (never changed); the spec's
            own ``model`` statement when not given.
        params: A path, or a mapping of weights when ``model`` is an IR module.
        base: Folder that relative paths of the spec start from (its own folder by default).
        will_build: Whether the stages will be compiled: hazards of the build are then errors.
        allow_code: Whether Python code of the spec may be run by that; planning runs none.
        measure: Whether `cut into ... by time` measures; else it estimates from FLOPs.

    Raises:
        SurgeryError: Everything found wrong.
    """
    tell = progress or silent
    unread = next((s for s in spec.statements if isinstance(s, ast.Include)), None)
    if unread is not None:
        raise error(
            "S257",
            f'the include of "{unread.path}" was not read',
            unread.span,
            reason="The spec was only parsed.",
            remedy="use `surgery.load_spec(path)` or `surgery.parse_spec(text)`",
        )
    params_path: str | None = None
    if model is None or isinstance(model, str | Path):
        files = locate(spec, model, params, base)
        tell("loading the model")
        listing = listing_of(files.model)
        if listing is not None:
            return _plan_listing(spec, listing, files.model)
        engine = get_engine("relay")
        loaded = engine.load(
            files.model, files.params, inputs=bound_types(spec), allow_code=allow_code,
            progress=tell,
        )  # fmt: skip
        params_path = files.params
    else:
        engine = get_engine("relay")
        loaded = model if _is_loaded(model) else engine.adopt(model, params)
    prepared, bound, before = _prepare(spec, engine, loaded, tell)
    tell("planning")
    found = Collector()
    builds = [s for s in spec.statements if isinstance(s, ast.Build)]
    if builds:
        for text, fault in engine.option_faults(build_plan(spec), will_build):
            found.add(placed(fault, builds, text))
    for settings in stage_settings(spec).values():
        if settings.target is not None:
            asked = replace(build_plan(spec), target=settings.target, config=(), disable=())
            for text, fault in engine.option_faults(asked, will_build):
                found.add(placed(fault, _stages_on(spec), text))
    try:
        made = make_plan(
            spec,
            prepared.module,
            engine=engine.name,
            model_path=loaded.path,
            bind_params=bound,
            will_build=will_build,
            before_prepare=before,
            tables=lambda name: engine.pattern_table(name, prepared),
            timer=(lambda groups, options: engine.time_groups(prepared, groups, options, tell))
            if measure
            else (lambda groups, _options: unmeasured(groups)),
        )
    except SurgeryError as failure:
        found.take(failure)
        raise SurgeryError(in_reading_order(found.found)) from failure
    found.raise_if_errors()
    told = [*prepared.notes, *filter(None, [prepared.module.dtype_note])]
    notes = (
        *made.notes,
        *_foreign(engine, made),
        *(Diagnostic(code="S512", severity="warning", message=w) for w in prepared.warnings),
        *_backend_notes(spec, made, base, allow_code),
        *(Diagnostic(code="S509", severity="note", message=note) for note in told),
    )
    return Planned(
        plan=replace(made, params_path=params_path, notes=notes),
        model=prepared,
        engine=engine,
        spec=spec,
        loaded=loaded,
    )


def bound_types(spec: ast.Spec) -> dict[str, TensorType]:
    """Return the types that a spec binds inputs to."""
    return {b.name: TensorType(b.shape, b.dtype) for b in preparation(spec).inputs}


def _stages_on(spec: ast.Spec) -> list[ast.StageOn]:
    return [s for s in spec.statements if isinstance(s, ast.StageOn)]


def _foreign(engine: Engine, made: Plan) -> Iterator[Diagnostic]:
    """Note each stage whose code this machine can't run."""
    for stage in made.stages:
        reason = unrunnable(engine, stage.target)
        if reason:
            yield Diagnostic(
                code="S422",
                severity="note",
                message=f"stage {stage.index} is for another machine: it can be built here, not "
                "run or verified",
                reason=reason,
            )


def _backend_notes(
    spec: ast.Spec, made: Plan, base: Path | None, allow_code: bool
) -> tuple[Diagnostic, ...]:
    """Return what a build would stumble over: files that a stub may still have to write."""
    faults = backend_faults(spec, base)
    for fault in faults:
        if fault.code != "S531":
            raise SurgeryError(faults)
    warnings = tuple(replace(f, severity="warning") for f in faults)
    return (*warnings, *code_notes(made, allow_code))


def _is_loaded(model: object) -> bool:
    return hasattr(model, "module") and hasattr(model, "sha256")


def _plan_listing(spec: ast.Spec, listing: Module, path: str) -> Planned:
    prep = preparation(spec)
    if not prep.is_empty:
        statement = next(
            s for s in spec.statements
            if isinstance(s, ast.BindInput | ast.BindParams | ast.Prepare)
        )  # fmt: skip
        raise error(
            "S252",
            "a listing can't be bound or prepared",
            statement.span,
            reason="It is read without TVM, as it lacks its metadata section or TVM isn't here.",
            remedy="save the model with `tvm.ir.save_json(mod)`, or leave the statement out",
        )
    made = make_plan(spec, listing, model_path=path)
    missing = ", ".join(f"{what} (line {line})" for what, line in listing.missing[:4])
    note = Diagnostic(
        code="S253",
        severity="note",
        message="this is a listing: it can be shown and planned, not applied"
        + (f"; it lacks {missing}" if missing else ""),
        remedy="save the model with `tvm.ir.save_json(mod)` to apply the plan",
    )
    return Planned(
        plan=replace(made, notes=(*made.notes, note)), model=None, engine=None, spec=spec
    )


def _prepare(
    spec: ast.Spec, engine: Engine, loaded: EngineModel, tell: Progress
) -> tuple[EngineModel, tuple[str, ...], Module | None]:
    """Run ``bind`` and ``prepare``; return the model, the bound weights, the picture before."""
    prep = preparation(spec)
    if prep.is_empty:
        return loaded, (), None
    graph = loaded.module.main
    found = Collector()
    weights = [graph.names[p] or "" for p in graph.params if graph.kinds[p] == "param"]
    bound: list[str] = []
    for statement in prep.params:
        picked = [
            w for w in weights if statement.glob is None or fnmatch.fnmatchcase(w, statement.glob)
        ]
        if not picked:
            found.add(_nothing_to_bind(statement, weights))
        bound.extend(p for p in picked if p not in bound)
    types: dict[str, TensorType] = {}
    inputs = {graph.names[p] or "": p for p in graph.params if graph.kinds[p] == "input"}
    for bind in prep.inputs:
        if bind.name not in inputs:
            close = nearest(bind.name, inputs)
            found.add(
                Diagnostic(
                    code="S255",
                    message=f"there is no input {bind.name}",
                    span=bind.span,
                    reason=f"The model's inputs are {', '.join(inputs) or 'none'}.",
                    remedy=f"did you mean {' or '.join(close)}?" if close else "",
                )
            )
        types[bind.name] = TensorType(bind.shape, bind.dtype)
    found.raise_if_errors()
    tell("preparing the model")
    try:
        prepared = engine.prepare(loaded, types, prep.passes, tuple(bound))
    except SurgeryError as failure:
        raise prepare_error(failure, spec) from failure
    return prepared, tuple(bound), loaded.module if prep.passes else None


def _nothing_to_bind(statement: ast.BindParams, weights: Sequence[str]) -> Diagnostic:
    if not weights:
        return Diagnostic(
            code="S254",
            message="no parameter has a value to bind",
            span=statement.span,
            reason="The model came without weights, so its parameters are runtime inputs.",
            remedy='name the weights: `model "net.json" params "net.params"`, or --params',
        )
    close = nearest(statement.glob or "", weights)
    return Diagnostic(
        code="S254",
        message=f'no parameter matches "{statement.glob}"',
        span=statement.span,
        reason=f"The model has {len(weights)} parameters with values.",
        remedy=f"did you mean {' or '.join(close)}?" if close else "`surgery show` lists them",
    )


def check(
    path: str | Path,
    variables: Mapping[str, str] | None = None,
    *,
    model: str | Path | None = None,
    params: str | Path | None = None,
) -> list[Diagnostic]:
    """Check a spec: its syntax and schema and, where its model is at hand, its selectors.

    Returns:
        Every finding; empty when the spec is right. Never imports TVM when no model file is there.
    """
    try:
        spec = load_spec(path, variables or {})
    except SurgeryError as failure:
        return list(failure.diagnostics)
    try:
        files = locate(spec, model, params, None)
    except SurgeryError:
        return []
    if model is None and not Path(files.model).is_file():
        return []
    try:
        planned = plan(spec, model=model, params=params, measure=False)
    except SurgeryError as failure:
        if all(d.code in _NO_ENGINE for d in failure.diagnostics):
            return [
                Diagnostic(
                    code="S256",
                    severity="note",
                    message=f"{path}: syntax only; its selectors were not checked",
                    reason=f"{failure.diagnostics[0].message}, which reads the model.",
                    remedy=failure.diagnostics[0].remedy,
                )
            ]
        return list(failure.diagnostics)
    return [n for n in planned.plan.notes if n.severity == "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A spec compiled against a model.

    Attributes:
        passes: Real ``tvm.transform.Pass`` objects, in order: run them in any ``Sequential``,
            under any ``PassContext``, on the module the spec was compiled against.
    """

    plan: Plan
    passes: tuple[Any, ...]


def compile(
    spec: ast.Spec | str, *, model: ModelLike | None = None, params: Any = None
) -> Compiled:
    """Compile a spec to the engine's own passes.

    Raises:
        SurgeryError: As :func:`plan`.
    """
    planned = plan(parse_spec(spec) if isinstance(spec, str) else spec, model=model, params=params)
    loaded, engine = engine_model(planned)
    return Compiled(plan=planned.plan, passes=tuple(engine.passes(loaded, planned.plan)))


def engine_model(planned: Planned) -> tuple[EngineModel, Engine]:
    """Return the loaded model, or refuse what was only a listing."""
    if planned.model is not None and planned.engine is not None:
        return planned.model, planned.engine
    # The engine's own loader says what the listing lacks and how to save the model.
    get_engine("relay").load(planned.plan.model_path)
    raise error(
        "S253",
        f"{planned.plan.model_path} is a listing: it can't be applied",
        reason="Its metadata section is missing.",
        remedy="save the model with `tvm.ir.save_json(mod)`",
    )
