"""Shrinking a model, or the model of a spec, to the smallest that still fails a command."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgery.api.checking import Check, Failure
from surgery.api.part_values import ModelValues
from surgery.api.plans import bound_types
from surgery.api.reading import ModelLike, Progress, locate, silent
from surgery.diagnostics import SurgeryError, error
from surgery.engines import get_engine
from surgery.engines.base import Engine, EngineModel
from surgery.graph import TensorType
from surgery.syntax import ast, print_spec

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.verification.reduce import Part

_INPUTS, _SPEC, MANIFEST = "inputs.npz", "spec.surgery", "reduced.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """What was found.

    Attributes:
        folder: It holds ``module.json``, its weights, and what else the command names.
        ops_before, ops: How many ops the model had, and has.
        described: The ops that are left, as ``surgery show`` prints them.
        runs: How often the command was run.
        seconds: How long that took.
        failure: How it fails.
        stopped: Why no more was tried: ``''`` when no op can be taken out any more.
        notes: What the user should know.
    """

    folder: Path
    ops_before: int
    ops: int
    described: tuple[str, ...]
    runs: int
    seconds: float
    failure: Failure
    stopped: str
    command: str
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return it as JSON-ready data."""
        return {
            "folder": str(self.folder),
            "ops_before": self.ops_before,
            "ops": self.ops,
            "kept": list(self.described),
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
            "failure": {"state": self.failure.state, "code": self.failure.code or None},
            "stopped": self.stopped or None,
            "command": self.command,
            "notes": list(self.notes),
        }


def reduce(
    source: ModelLike | ast.Spec,
    output: str | Path,
    *,
    check: str | None = None,
    params: str | Path | None = None,
    base: Path | None = None,
    inputs: Mapping[str, Array] | str | Path | None = None,
    seed: int = 0,
    pattern: str | None = None,
    timeout: float | None = None,
    max_runs: int | None = None,
    time_limit: float | None = None,
    force: bool = False,
    types: Mapping[str, TensorType] | None = None,
    progress: Progress | None = None,
) -> Reduced:
    """Find the smallest part of a model for which a command still fails as it does for the whole.

    Args:
        source: A model (path, loaded, or an IR module), or a spec, whose model is shrunk.
        output: The folder to write.
        check: The command (:class:`Check`). A spec's is ``surgery apply`` of it by default.
        inputs: Of the model, where the command takes ``{inputs}``: a part gets what the model
            computes from them for the tensors it starts from. Random ones from ``seed`` by default.
        pattern: A regular expression: the command fails when its output holds it. By default it
            fails in the same way when it ends in the same state, with the same first ``Sxxx``.
        timeout: Seconds for one run; if the whole model takes longer, that is the failure.
        max_runs, time_limit: Stop after so many runs, or seconds, with the smallest so far.
        force: Replace a folder that surgery did not write.
        types: Of inputs that another framework's model leaves open; a spec's ``bind`` says its own.

    Raises:
        SurgeryError: S369 the command doesn't fail on the whole model; S370 it fails now in this
            way, now in that; S371 it names no model, or its pattern is none; what loading and
            writing raise.
    """
    from surgery.recipe import OutputFolder, check_target
    from surgery.verification.reduce import Reduction, walk

    tell = progress or silent
    spec = source if isinstance(source, ast.Spec) else None
    asked = _check(check, spec, pattern, timeout)
    # An earlier result is surgery's own.
    force = force or (Path(output) / MANIFEST).is_file()
    check_target(output, force=force)
    engine = get_engine("relay")
    tell("loading the model")
    model: EngineModel
    if isinstance(source, ast.Spec):
        files = locate(source, None, params, base)
        bound = dict(types or {}) | bound_types(source)
        model = engine.load(files.model, files.params, inputs=bound, progress=tell)
    elif isinstance(source, str | Path):
        weights = None if params is None else str(params)
        model = engine.load(str(source), weights, inputs=types, progress=tell)
    else:
        model = source if hasattr(source, "sha256") else engine.adopt(source)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        trial = _Trial(
            engine=engine, model=model, check=asked, spec=spec, base=base, scratch=Path(scratch),
            tell=tell, max_runs=max_runs,
            deadline=None if time_limit is None else start + time_limit,
        )  # fmt: skip
        if asked.names("inputs"):
            trial.values = ModelValues.computed(engine, model, inputs, seed, Path(scratch), tell)
        graph = model.module.main
        search = Reduction(graph, trial.holds)
        trial.search = search
        before = search.ops
        trial.first(search.best)
        stopped = ""
        try:
            if not search.run():
                stopped = trial.why
        except KeyboardInterrupt:
            stopped = "interrupted"
        found = walk(graph, search.best)
        assert trial.failure is not None
        done = Reduced(
            folder=Path(output),
            ops_before=before,
            ops=len(found.ops),
            described=tuple(graph.describe(i) for i in found.ops),
            runs=trial.runs,
            seconds=time.monotonic() - start,
            failure=trial.failure,
            stopped=stopped,
            command=asked.command,
            notes=tuple(trial.notes),
        )
        with OutputFolder(output, force=force) as fresh:
            trial.write(search.best, fresh)
            document = json.dumps(done.as_json(), indent=2, ensure_ascii=False) + "\n"
            (fresh / MANIFEST).write_text(document, encoding="utf-8")
    return done


def _check(
    command: str | None, spec: ast.Spec | None, pattern: str | None, timeout: float | None
) -> Check:
    if command is None:
        if spec is None:
            raise error(
                "S371",
                "no check is given",
                reason="what is the smallest model that fails depends on what fails",
                remedy="give a command: --check 'python check.py {model}'",
            )
        # Into a folder that is gone with the candidate.
        command = f"{shlex.quote(sys.executable)} -m surgery apply {{spec}} -o {{spec}}.out --force"
    try:
        compiled = None if pattern is None else re.compile(pattern, re.MULTILINE)
    except re.error as failure:
        raise error(
            "S371", f"{pattern!r} is no regular expression", reason=str(failure),
            remedy="escape what is meant as it stands: \\( \\[ \\.",
        ) from failure  # fmt: skip
    made = Check(command=command, pattern=compiled, timeout=timeout)
    needed = ("spec", "model") if spec is not None else ("model",)
    if not any(made.names(place) for place in needed):
        raise error(
            "S371",
            "the check doesn't name the model",
            reason=f"it would see the same model every time: {command}",
            remedy="write {model} where the command takes the model file"
            + (", or {spec} where it takes the spec" if spec is not None else ""),
        )
    if spec is None and made.names("spec"):
        raise error(
            "S371", "the check names a spec, but a model is reduced", reason=command,
            remedy="give the spec in place of the model",
        )  # fmt: skip
    return made


@dataclass(slots=True, kw_only=True)
class _Trial:
    """Runs the check on parts of a model."""

    engine: Engine
    model: EngineModel
    check: Check
    spec: ast.Spec | None
    base: Path | None
    scratch: Path
    tell: Progress
    max_runs: int | None
    deadline: float | None
    values: ModelValues | None = None
    search: Any = None
    runs: int = 0
    why: str = ""
    failure: Failure | None = None
    notes: list[str] = field(default_factory=list)

    def first(self, whole: Part) -> None:
        """Run the check on the whole model, twice: it must fail, in the same way.

        Raises:
            SurgeryError: S369, S370.
        """
        self.tell("running the check on the whole model")
        found = [self._run(whole) for _ in range(2)]
        failure = found[0]
        if not failure.failed:
            raise error(
                "S369",
                "the check does not fail on the whole model",
                reason=self.check.command + _last_line(failure.text),
                remedy="a check fails by its exit state, or by what --match finds in its output",
            )
        if not failure.is_like(found[1]):
            raise error(
                "S370",
                "the check fails now in this way, now in that",
                reason=f"first: {failure}; then: {found[1]}",
                remedy="fix its seed, or say with --match what counts",
            )
        self.failure = failure

    def holds(self, part: Part) -> bool:
        """Tell whether the check fails on a part as on the whole."""
        from surgery.verification.reduce import Spent

        assert self.failure is not None
        if self.max_runs is not None and self.runs >= self.max_runs:
            self.why = f"after {self.runs} runs"
            raise Spent
        if self.deadline is not None and time.monotonic() >= self.deadline:
            self.why = "out of time"
            raise Spent
        self.tell(f"run {self.runs + 1}; the smallest so far has {self.search.ops} ops")
        try:
            return self._run(part).is_like(self.failure)
        except SurgeryError:
            return False  # a part that can't be written is none

    def _run(self, part: Part) -> Failure:
        folder = self.scratch / "part"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = self.write(part, folder)
        self.runs += 1
        left = None if self.deadline is None else max(1.0, self.deadline - time.monotonic())
        return self.check.run(files, left if self.failure is not None else None)

    def write(self, part: Part, folder: Path) -> dict[str, Path | None]:
        """Write a part as a model, with what else the check takes; return where each is."""
        from surgery.runtime import save_npz
        from surgery.verification.reduce import names_of, walk

        graph = self.model.module.main
        found = walk(graph, part)
        names = names_of(graph, found.inputs)
        saved = self.engine.save_part(
            self.model, [(names[r], r) for r in found.inputs], part.outputs, folder, part.same
        )
        params = None if saved.params is None else folder / saved.params
        files: dict[str, Path | None] = {"model": folder / saved.module, "params": params}
        if self.values is not None:
            arrays = {names[r]: self.values.of(r) for r in found.inputs}
            save_npz(folder / _INPUTS, arrays)
            files["inputs"] = folder / _INPUTS
            self.notes[:] = self.values.notes
        if self.spec is not None:
            moved = _moved(
                self.spec, saved.module, saved.params, self.base, bool(self.model.foreign)
            )
            (folder / _SPEC).write_text(print_spec(moved), encoding="utf-8")
            files["spec"] = folder / _SPEC
        return files


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return f": {lines[-1].strip()}" if lines else ""


def _moved(
    spec: ast.Spec, module: str, params: str | None, base: Path | None, bound: bool
) -> ast.Spec:
    """Return a spec for another model beside it; its other files stay where they are.

    Args:
        bound: Whether inputs have the types that the spec binds them to already.
    """

    def absolute(path: str | None) -> str | None:
        if path is None or Path(path).is_absolute():
            return path
        there = (base or Path()) / path
        return str(there.resolve()) if there.exists() else path

    statements: list[ast.Statement] = [ast.Model(path=module, params=params)]
    for statement in spec.statements:
        match statement:
            case ast.Model():
                continue
            case ast.BindInput() if bound:
                continue  # the model was converted with it
            case ast.Backend():
                statement = replace(
                    statement,
                    source=absolute(statement.source),
                    library=absolute(statement.library),
                )
            case ast.Verify():
                statement = replace(statement, inputs=absolute(statement.inputs))
            case _:
                pass
        statements.append(statement)
    return ast.Spec(statements=tuple(statements))
