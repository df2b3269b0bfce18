"""The main job: a spec applied to a model gives an output folder, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.api.backends import backend_files, check_code_allowed, copy_backends, shown_paths
from surgery.api.placing import placed
from surgery.api.plans import Planned, engine_model, plan
from surgery.api.reading import ModelLike, Progress, silent
from surgery.api.stages import (
    build_stages,
    compare_with_original,
    verification_inputs,
    versions,
)
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.planning import Plan, plan_json, preparation
from surgery.syntax import ast

if TYPE_CHECKING:
    from surgery.api.each import PassCheck
    from surgery.engines.base import Array, Engine
    from surgery.recipe import FileReference, Recipe
    from surgery.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What ``apply`` did.

    Attributes:
        folder: The output folder, in place (unless verification failed).
        verification: How the operated model compares; ``None`` when it was not asked for.
        written: Whether ``folder`` was written: not when the verification differs.
        passes: How the model compares after each pass (``verify each``); nothing is built or
            compared after the first that differs.
        pass_builds: Builds of the whole model that this took.
    """

    plan: Plan
    recipe: Recipe
    folder: Path
    verification: Verification | None
    written: bool
    notes: tuple[Diagnostic, ...] = ()
    passes: tuple[PassCheck, ...] = ()
    pass_builds: int = 0


@dataclass(slots=True)
class _Clock:
    """Wall time of each step, in seconds."""

    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - start


class _Differs(Exception):
    """Leaves the output folder's block so that nothing is written."""


def apply(
    spec: ast.Spec,
    out: str | Path,
    *,
    model: ModelLike | None = None,
    params: Any = None,
    build: bool | None = None,
    verify: bool | None = None,
    force: bool = False,
    base: Path | None = None,
    spec_path: str | Path | None = None,
    allow_code: bool = False,
    progress: Progress | None = None,
) -> Applied:
    """Do the main job: load, plan, run the passes, write the output folder.

    Args:
        out: The folder to write, whole or not at all.
        build, verify: Compile, and compare with the original. By default what the spec says:
            a ``verify`` statement does both, a ``build`` statement the first.
        force: Replace a folder that surgery did not write.
        spec_path: The spec's file, named in the recipe with its hash.
        allow_code: Run the Python code of the spec's own ``via te`` backends.

    Raises:
        SurgeryError: Everything found wrong; the previous folder is then intact.
    """
    from surgery.recipe import (
        FileReference,
        OutputFolder,
        Recipe,
        check_target,
        with_library_hashes,
        write_atomic,
        write_log,
        write_recipe,
    )

    tell = progress or silent
    clock = _Clock()
    # A folder that can't be written is refused before minutes of work, not after.
    check_target(out, force=force, protect=[] if spec_path is None else [spec_path])
    says_build = any(isinstance(s, ast.Build) for s in spec.statements)
    says_verify = any(isinstance(s, ast.Verify) for s in spec.statements)
    do_verify = says_verify and build is not False if verify is None else verify
    do_build = (says_build or do_verify) if build is None else (build or do_verify)
    files = backend_files(spec, base)
    with clock.step("load and plan"):
        planned = plan(
            spec,
            model=model,
            params=params,
            base=base,
            will_build=do_build,
            allow_code=allow_code,
            progress=tell,
        )
    loaded, engine = engine_model(planned)
    made = planned.plan
    if do_build:
        check_code_allowed(made, allow_code)
    # What the comparison lacks is said now, not after the stages were built.
    if do_verify:
        _check_verifiable(spec, made, engine)
    inputs, origin = _inputs(spec, made) if do_verify else ({}, "")
    modules: list[tuple[str, Any]] = []
    each = do_verify and made.verify.each
    with clock.step("passes"):
        tell("running the passes")
        operated = engine.operate(
            loaded, made, (lambda name, module: modules.append((name, module))) if each else None
        )
    checks: list[PassCheck] = []
    pass_builds = 0
    if each:
        with clock.step("verify each"):
            checks, pass_builds = _check_passes(planned, modules, inputs, origin, tell)
    protect = [p for p in (made.model_path, spec_path) if p is not None and Path(p).is_file()]
    protect += [p for backend in files.values() for p in backend.placed().values()]
    verification: Verification | None = None
    folder = OutputFolder(out, force=force, protect=protect)
    recipe: Recipe | None = None
    try:
        with folder as fresh:
            with clock.step("save"):
                saved = engine.save(loaded, made, operated, fresh, tell)
                document = _dump_json(plan_json(made))
                write_atomic(fresh / "plan.json", document)
                sources = copy_backends(files, fresh, folder.target)
            recipe = Recipe.from_plan(
                made,
                saved,
                tvm_version=engine.version,
                spec=_spec_reference(spec, spec_path, folder.target),
                model=FileReference.beside(
                    made.model_path, loaded.sha256.get("model", ""), folder.target
                ),
                params=None
                if made.params_path is None
                else FileReference.beside(
                    made.params_path, loaded.sha256.get("params", ""), folder.target
                ),
                sources=sources,
                libraries={
                    name: backend.library_place
                    for name, backend in files.items()
                    if backend.library is not None
                },
            )
            if not all(check.passed for check in checks):
                raise _Differs
            if do_build:
                with clock.step("build"):
                    build_stages(engine, recipe, fresh, tell, shown_paths(files))
                recipe = with_library_hashes(recipe, fresh)
            write_recipe(recipe, fresh)
            if do_verify:
                with clock.step("verify"):
                    verification = compare_with_original(
                        engine, loaded, made, recipe, fresh, tell, inputs, origin
                    )
                if not verification.passed:
                    raise _Differs
            tell("writing the report")
            from surgery.report import write_report

            write_report(
                fresh / "report.html", made, recipe=recipe, verification=verification,
                versions=versions(engine),
            )  # fmt: skip
            write_log(fresh, versions=versions(engine), timings=clock.timings, warnings=made.notes)
    except _Differs:
        pass
    assert recipe is not None
    return Applied(
        plan=made,
        recipe=recipe,
        folder=folder.target,
        verification=verification,
        written=all(c.passed for c in checks) and (verification is None or verification.passed),
        notes=made.notes,
        passes=tuple(checks),
        pass_builds=pass_builds,
    )


def _check_passes(
    planned: Planned,
    modules: Sequence[tuple[str, Any]],
    inputs: Mapping[str, Array],
    origin: str,
    tell: Progress,
) -> tuple[list[PassCheck], int]:
    """Compare the model with what it was, after each pass of ``prepare`` and of surgery."""
    from surgery.api.each import PassChecker  # applies specs itself, to find what differs

    model, engine = engine_model(planned)
    checker = PassChecker(engine=engine, plan=planned.plan, inputs=inputs, origin=origin, tell=tell)
    checks: list[PassCheck] = []
    if planned.loaded is not None:
        checks += checker.prepared(planned.loaded, preparation(planned.spec))
    if all(check.passed for check in checks):
        checks += checker.operated(model, modules)
    return checks, checker.builds


def _check_verifiable(spec: ast.Spec, made: Plan, engine: Engine) -> None:
    """Refuse to compare what this machine can't run; said at the ``verify`` statement."""
    from surgery.engines.runnable import check_runnable

    try:
        check_runnable(made.stages, engine, "verified")
    except SurgeryError as failure:
        asked = [s for s in spec.statements if isinstance(s, ast.Verify)]
        raise SurgeryError([placed(d, asked) for d in failure.diagnostics]) from failure


def _inputs(spec: ast.Spec, made: Plan) -> tuple[dict[str, Array], str]:
    """Return what to verify on; what is wrong with it is said at the ``verify`` statement."""
    try:
        return verification_inputs(made)
    except SurgeryError as failure:
        asked = [s for s in spec.statements if isinstance(s, ast.Verify)]
        word = made.verify.inputs or ""
        raise SurgeryError([placed(d, asked, word) for d in failure.diagnostics]) from failure


def _dump_json(document: Mapping[str, object]) -> bytes:
    """Return a document as the bytes every JSON file of surgery has: indented, UTF-8, LF."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _spec_reference(spec: ast.Spec, path: str | Path | None, folder: Path) -> FileReference:
    from surgery.recipe import FileReference, file_sha256
    from surgery.syntax import print_spec

    if path is not None and Path(path).is_file():
        return FileReference.beside(path, file_sha256(path), folder)
    text = print_spec(spec).encode("utf-8")
    return FileReference(path="<command line>", sha256=hashlib.sha256(text).hexdigest())
