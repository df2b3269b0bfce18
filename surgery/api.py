"""One function a stage of the work. ``import surgery`` gives these; none imports TVM by itself."""

from __future__ import annotations

import fnmatch
import hashlib
import importlib.util
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.diagnostics import Collector, Diagnostic, SurgeryError, error, nearest
from surgery.engines import get_engine
from surgery.engines.base import Engine, EngineModel, SavedStage, StageBuild
from surgery.graph import Module, Ref, TensorType
from surgery.planning import (
    Output,
    Plan,
    fusion_hazard,
    make_plan,
    plan_json,
    preparation,
)
from surgery.source import Source
from surgery.syntax import ast, load_spec, parse

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import Recipe
    from surgery.runtime import RunResult
    from surgery.verification import Verification

#: Called as ``progress(event, done=None, total=None)`` while a long step runs.
Progress = Callable[..., None]

#: What a caller may give as a model: a file, a loaded model, or an IR module in memory.
ModelLike = Any

_TEXT_SUFFIXES = (".relay", ".txt")


def _silent(event: str, done: int | None = None, total: int | None = None) -> None:
    """Report progress to nobody."""


# ---------------------------------------------------------------- reading


def parse_spec(
    text: str, path: str = "<command line>", variables: Mapping[str, str] | None = None
) -> ast.Spec:
    """Parse a spec given as text (the one-liner of a command line).

    Raises:
        SurgeryError: Every fault of syntax, with its place.
    """
    return parse(Source(text, path), form="text", variables=variables or {})


def load_model(path: str | Path, params: str | Path | None = None) -> EngineModel:
    """Load a model file, and its weights, with the engine that reads it.

    Raises:
        SurgeryError: S50x a file is missing, damaged or no model; S40x no engine is installed.
    """
    return get_engine("relay").load(str(path), None if params is None else str(params))


def load_picture(path: str | Path, params: str | Path | None = None) -> Module:
    """Return a model's picture, without TVM where the file is a listing that TVM can't rebuild.

    A listing without its metadata section, and any listing where TVM isn't installed, is read by
    surgery's own grammar: enough to show and to plan.
    """
    listing = _listing(str(path))
    return listing if listing is not None else load_model(path, params).module


def _listing(path: str) -> Module | None:
    """Read a text listing without TVM when TVM could not, else ``None``."""
    if not path.endswith(_TEXT_SUFFIXES):
        return None
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None  # the engine's loader says what is wrong
    incomplete = "meta[" in text and "#[metadata]" not in text
    if not incomplete and importlib.util.find_spec("tvm") is not None:
        return None
    from surgery.listing import prescan, read_listing

    source = Source(text, path)
    found = Collector()
    for diagnostic in prescan(source):
        found.add(diagnostic)
    found.raise_if_errors()
    return read_listing(source)


# ---------------------------------------------------------------- planning


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A resolved plan, and the prepared model it speaks of (``None`` for a bare listing)."""

    plan: Plan
    model: EngineModel | None
    engine: Engine | None
    spec: ast.Spec

    def as_json(self) -> dict[str, object]:
        """Return the ``plan.json`` document."""
        return plan_json(self.plan)


@dataclass(frozen=True, slots=True)
class _Files:
    """Where the model and its weights are, and what the user called them."""

    model: str
    params: str | None


def _locate(
    spec: ast.Spec, model: str | Path | None, params: str | Path | None, base: Path | None
) -> _Files:
    """Find the model's files: what the caller names wins over the spec's ``model`` statement."""
    statement = next((s for s in spec.statements if isinstance(s, ast.Model)), None)

    def beside(path: str) -> str:
        if Path(path).is_absolute():
            return path
        folder = base
        if folder is None and statement is not None and statement.span is not None:
            written = Path(statement.span.source.path)
            folder = written.parent if written.is_file() else None
        return os.path.normpath(folder / path) if folder is not None else path

    if model is not None:
        given = None if params is None else str(params)
        return _Files(str(model), given)
    if statement is None:
        raise error(
            "S251",
            "no model is named",
            remedy='write `model "net.json" params "net.params"` in the spec, or give --model',
        )
    weights = str(params) if params is not None else statement.params and beside(statement.params)
    return _Files(beside(statement.path), weights)


def plan(
    spec: ast.Spec,
    *,
    model: ModelLike | None = None,
    params: Any = None,
    base: Path | None = None,
    will_build: bool = False,
    progress: Progress | None = None,
) -> Planned:
    """Resolve a spec against its model; nothing is changed or written.

    Args:
        model: A path, a loaded model, or an IR module of the engine (never changed); the spec's
            own ``model`` statement when not given.
        params: A path, or a mapping of weights when ``model`` is an IR module.
        base: Folder that relative paths of the spec start from (its own folder by default).
        will_build: Whether the stages will be compiled: hazards of the build are then errors.

    Raises:
        SurgeryError: Everything found wrong.
    """
    tell = progress or _silent
    params_path: str | None = None
    if model is None or isinstance(model, str | Path):
        files = _locate(spec, model, params, base)
        tell("loading the model")
        listing = _listing(files.model)
        if listing is not None:
            return _plan_listing(spec, listing, files.model)
        engine = get_engine("relay")
        loaded = engine.load(files.model, files.params)
        params_path = files.params
    else:
        engine = get_engine("relay")
        loaded = model if _is_loaded(model) else engine.adopt(model, params)
    prepared, bound, before = _prepare(spec, engine, loaded, tell)
    tell("planning")
    made = make_plan(
        spec,
        prepared.module,
        engine=engine.name,
        model_path=loaded.path,
        bind_params=bound,
        will_build=will_build,
        before_prepare=before,
    )
    told = [*prepared.notes, *filter(None, [prepared.module.dtype_note])]
    notes = tuple(Diagnostic(code="S509", severity="note", message=note) for note in told)
    return Planned(
        plan=replace(made, params_path=params_path, notes=(*made.notes, *notes)),
        model=prepared,
        engine=engine,
        spec=spec,
    )


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
    prepared = engine.prepare(loaded, types, prep.passes, tuple(bound))
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
        files = _locate(spec, model, params, None)
    except SurgeryError:
        return []
    if model is None and not Path(files.model).is_file():
        return []
    try:
        planned = plan(spec, model=model, params=params)
    except SurgeryError as failure:
        return list(failure.diagnostics)
    return [n for n in planned.plan.notes if n.severity == "warning"]


# ---------------------------------------------------------------- the passes


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
    loaded, engine = _engine_model(planned)
    return Compiled(plan=planned.plan, passes=tuple(engine.passes(loaded, planned.plan)))


def _engine_model(planned: Planned) -> tuple[EngineModel, Engine]:
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


# ---------------------------------------------------------------- apply


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What ``apply`` did.

    Attributes:
        folder: The output folder, in place (unless verification failed).
        verification: How the operated model compares; ``None`` when it was not asked for.
        written: Whether ``folder`` was written: not when the verification differs.
    """

    plan: Plan
    recipe: Recipe
    folder: Path
    verification: Verification | None
    written: bool
    notes: tuple[Diagnostic, ...] = ()


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
    progress: Progress | None = None,
) -> Applied:
    """Do the main job: load, plan, run the passes, write the output folder.

    Args:
        out: The folder to write, whole or not at all.
        build, verify: Compile, and compare with the original. By default what the spec says:
            a ``verify`` statement does both, a ``build`` statement the first.
        force: Replace a folder that surgery did not write.
        spec_path: The spec's file, named in the recipe with its hash.

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

    tell = progress or _silent
    clock = _Clock()
    # A folder that can't be written is refused before minutes of work, not after.
    check_target(out, force=force, protect=[] if spec_path is None else [spec_path])
    says_build = any(isinstance(s, ast.Build) for s in spec.statements)
    says_verify = any(isinstance(s, ast.Verify) for s in spec.statements)
    do_verify = says_verify and build is not False if verify is None else verify
    do_build = (says_build or do_verify) if build is None else (build or do_verify)
    with clock.step("load and plan"):
        planned = plan(
            spec, model=model, params=params, base=base, will_build=do_build, progress=tell
        )
    loaded, engine = _engine_model(planned)
    made = planned.plan
    with clock.step("passes"):
        tell("running the passes")
        operated = engine.operate(loaded, made)
    protect = [p for p in (made.model_path, spec_path) if p is not None and Path(p).is_file()]
    verification: Verification | None = None
    folder = OutputFolder(out, force=force, protect=protect)
    recipe: Recipe | None = None
    try:
        with folder as fresh:
            with clock.step("save"):
                saved = engine.save(loaded, made, operated, fresh, tell)
                document = dump_json(plan_json(made))
                write_atomic(fresh / "plan.json", document)
            recipe = Recipe.from_plan(
                made,
                saved,
                tvm_version=engine.version,
                spec=_spec_reference(spec, spec_path),
                model=FileReference.portable(made.model_path, loaded.sha256.get("model", "")),
            )
            if do_build:
                with clock.step("build"):
                    _build_stages(engine, recipe, fresh, tell)
                recipe = with_library_hashes(recipe, fresh)
            write_recipe(recipe, fresh)
            if do_verify:
                with clock.step("verify"):
                    verification = _compare(engine, loaded, made, recipe, fresh, tell)
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
        written=verification is None or verification.passed,
        notes=made.notes,
    )


def dump_json(document: Mapping[str, object]) -> bytes:
    """Return a document as the bytes every JSON file of surgery has: indented, UTF-8, LF."""
    import json

    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def versions(engine: Engine) -> dict[str, str]:
    """Return the version of each program that takes part."""
    from surgery import __version__

    return {"surgery": __version__, "tvm": engine.version, "python": platform.python_version()}


def _spec_reference(spec: ast.Spec, path: str | Path | None) -> Any:
    from surgery.recipe import FileReference, file_sha256
    from surgery.syntax import print_spec

    if path is not None and Path(path).is_file():
        return FileReference.portable(str(path), file_sha256(path))
    text = print_spec(spec).encode("utf-8")
    return FileReference(path="<command line>", sha256=hashlib.sha256(text).hexdigest())


def _stage_build(recipe: Recipe, index: int, folder: Path) -> StageBuild:
    stage = recipe.stages[index]
    return StageBuild(
        folder=folder,
        module=stage.module,
        params=stage.params,
        library=stage.library,
        target=stage.target,
        opt_level=stage.opt_level,
        executor=stage.executor,
        config=stage.config,
        disabled_passes=stage.disabled_passes,
        backends={b.name: b.kind for b in recipe.backends},
    )


def _build_stages(engine: Engine, recipe: Recipe, folder: Path, tell: Progress) -> None:
    for index, stage in enumerate(recipe.stages):
        tell(f"building {stage.name}", index, len(recipe.stages))
        engine.build_stage(_stage_build(recipe, index, folder))


def _compare(
    engine: Engine,
    model: EngineModel,
    made: Plan,
    recipe: Recipe,
    folder: Path,
    tell: Progress,
    inputs: Mapping[str, Array] | None = None,
) -> Verification:
    """Build the model as it was and compare it with the saved stages on the same inputs."""
    from surgery.runtime import Runner, check_inputs, load_npz, random_inputs
    from surgery.verification import compare, input_bounds

    settings = made.verify
    origin = "given"
    if inputs is None and settings.inputs is not None:
        origin = settings.inputs
        inputs = load_npz(_beside_spec(made, settings.inputs))
    elif inputs is None:
        origin = f"random, seed {settings.seed}"
        inputs = random_inputs(recipe.inputs, settings.seed, input_bounds(made.module))
    inputs = check_inputs(recipe.inputs, inputs)
    with tempfile.TemporaryDirectory(prefix="surgery-") as scratch:
        at = Path(scratch)
        tell("building the original to compare with")
        saved = engine.save_reference(model, made, at)
        reference = _reference_build(made, saved, at)
        engine.build_stage(reference)
        tell("running both")
        runner = engine.open_stage(
            at, reference.library, reference.executor, [i.name for i in made.inputs]
        )
        expected = runner(inputs)
    actual = Runner(recipe, folder)(inputs)
    by_name = {o.name: expected[o.index] for o in made.outputs}
    return compare(actual, by_name, rtol=settings.rtol, atol=settings.atol, inputs=origin)


def _reference_build(made: Plan, saved: SavedStage, folder: Path) -> StageBuild:
    executor = "vm" if any(s.executor == "vm" for s in made.stages) else made.stages[0].executor
    return StageBuild(
        folder=folder,
        module=saved.module,
        params=saved.params,
        library="reference.so",
        target=made.build.target,
        opt_level=made.build.opt_level,
        executor=executor,
        config=dict(made.build.config),
        disabled_passes=made.build.disable,
        backends={},
    )


def _beside_spec(made: Plan, path: str) -> str:
    """Return a path of a ``verify`` statement relative to the spec that holds it."""
    if Path(path).is_absolute():
        return path
    for statement in made.statements:
        if statement.span is not None and path in statement.text:
            written = Path(statement.span.source.path)
            if written.is_file():
                return str(written.parent / path)
    return path


# ---------------------------------------------------------------- from an output folder


def build(folder: str | Path, *, progress: Progress | None = None) -> Recipe:
    """Compile the stages of an output folder again; libraries are replaced together.

    Raises:
        SurgeryError: S55x the folder is damaged or was changed; S4xx a stage doesn't compile.
    """
    from surgery.recipe import (
        check_files,
        read_recipe,
        recipe_folder,
        replace_in,
        with_library_hashes,
        write_recipe,
    )

    tell = progress or _silent
    recipe = read_recipe(folder)
    where = recipe_folder(folder)
    check_files(recipe, where)
    engine = get_engine(recipe.engine)
    for stage in recipe.stages:
        if stage.executor == "graph":
            _check_fusion(engine, where, stage)
    with replace_in(where) as fresh:
        _build_stages(engine, recipe, fresh, tell)
        recipe = with_library_hashes(recipe, fresh)
        write_recipe(recipe, fresh)
    return recipe


def _check_fusion(engine: Engine, folder: Path, stage: Any) -> None:
    """Refuse a build that would not end (see :func:`surgery.planning.fusion_hazard`)."""
    module = engine.load(str(folder / stage.module)).module
    hazard = fusion_hazard(
        module.main, stage.opt_level, tuple(stage.config.items()), stage.disabled_passes
    )
    if hazard is not None:
        raise SurgeryError(
            replace(hazard, message=f"{stage.name}: {hazard.message}",
                    remedy="write the folder again with `surgery apply` and a spec that says "
                    "`build config relay.FuseOps.max_depth=4`")
        )  # fmt: skip


def run(
    folder: str | Path, inputs: Mapping[str, Array] | str | Path, *, repeat: int = 1
) -> RunResult:
    """Run the stages of an output folder in order.

    Args:
        inputs: Arrays by input name, or an ``.npz`` file of them.
        repeat: How often to run; outputs are those of the last run.

    Raises:
        SurgeryError: S58x an input is wrong, or nothing was built; S4xx a stage fails.
    """
    from surgery.runtime import run as run_recipe

    return run_recipe(folder, inputs, repeat=repeat)


def verify(
    folder: str | Path,
    *,
    model: str | Path | None = None,
    params: str | Path | None = None,
    inputs: Mapping[str, Array] | str | Path | None = None,
    seed: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Compare the saved stages of an output folder with the model they were made from.

    Args:
        model, params: The original's files, where they are not where the recipe says.
        inputs: Arrays by name or an ``.npz`` file; random ones from ``seed`` when not given.

    Raises:
        SurgeryError: S570 the original model isn't at hand or isn't the same file any more.
    """
    import json

    from surgery.recipe import check_files, read_recipe, recipe_folder
    from surgery.runtime import load_npz

    tell = progress or _silent
    recipe = read_recipe(folder)
    where = recipe_folder(folder)
    check_files(recipe, where, to_run=True)
    document = json.loads((where / "plan.json").read_bytes())
    files = _original(recipe, document, where, model, params)
    engine = get_engine(recipe.engine)
    tell("loading the model")
    loaded = engine.load(files.model, files.params)
    bind = document["bind"]
    loaded = engine.prepare(
        loaded,
        {n: TensorType(tuple(t["shape"]), t["dtype"]) for n, t in bind["inputs"].items()},
        [(p["pass"], tuple(p["arguments"])) for p in document["prepare"]],
        tuple(bind["params"]),
    )
    made = make_plan(ast.Spec(statements=()), loaded.module, model_path=files.model)
    made = replace(
        made,
        outputs=tuple(
            Output(
                name=o["name"],
                ref=Ref(o["id"], tuple(o["path"])),
                index=o["index"],
                added=o["added"],
                type=TensorType(tuple(o["shape"]), o["dtype"]),
            )
            for o in document["outputs"]
        ),
        build=replace(
            made.build,
            target=recipe.stages[0].target,
            opt_level=recipe.stages[0].opt_level,
            config=tuple(recipe.stages[0].config.items()),
            disable=recipe.stages[0].disabled_passes,
        ),
        verify=replace(
            made.verify,
            seed=document["verify"]["seed"] if seed is None else seed,
            rtol=document["verify"]["rtol"] if rtol is None else rtol,
            atol=document["verify"]["atol"] if atol is None else atol,
        ),
    )
    given = load_npz(inputs) if isinstance(inputs, str | Path) else inputs
    return _compare(engine, loaded, made, recipe, where, tell, given)


def _original(
    recipe: Recipe,
    document: Mapping[str, Any],
    folder: Path,
    model: str | Path | None,
    params: str | Path | None,
) -> _Files:
    """Find the model a recipe was made from, and check that it is the same file."""
    from surgery.recipe import file_sha256

    weights = document.get("params")
    candidates = (
        [Path(model)]
        if model is not None
        else [Path(recipe.model.path), folder.parent / recipe.model.path]
    )
    for candidate in candidates:
        if candidate.is_file() and file_sha256(candidate) == recipe.model.sha256:
            if params is not None or not weights:
                return _Files(str(candidate), None if params is None else str(params))
            for place in (Path(weights), candidate.parent / Path(weights).name, folder / weights):
                if place.is_file():
                    return _Files(str(candidate), str(place))
            raise error(
                "S571",
                f"the weights {weights} of the original model aren't at hand",
                reason="A comparison needs the model as it was before surgery.",
                remedy="give them with --params",
            )
    changed = next((c for c in candidates if c.is_file()), None)
    raise error(
        "S570",
        f"{changed} is not the model this folder was made from"
        if changed is not None
        else f"the original model {recipe.model.path} isn't at hand",
        reason="Its SHA-256 differs from the recipe's."
        if changed is not None
        else "A comparison needs the model as it was before surgery.",
        remedy="give the file with --model (and --params)",
    )


__all__ = [
    "Applied", "Compiled", "Planned", "apply", "build", "check", "compile", "load_model",
    "load_picture", "load_spec", "parse_spec", "plan", "run", "verify",
]  # fmt: skip
